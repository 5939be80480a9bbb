//! What the lanes of a warp return to.

use std::hash::{Hash, Hasher};

use crate::machine::lane_mask::lanes;
use crate::machine::registers::{Registers, put};

/// What each lane of a warp comes back to: words in rows of 32 lanes, as registers lie, so
/// that lanes that call together move whole rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallStack {
    rows: Registers<u32>,
    /// Per lane: its words.
    lens: [u32; 32],
    /// Whether lanes may differ in how many they have.
    uneven: bool,
}

/// Only of the words in use.
impl Hash for CallStack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.lens.hash(state);
        for (lane, &len) in self.lens.iter().enumerate() {
            self.rows.iter().take(len as usize).for_each(|row| row[lane].hash(state));
        }
    }
}

impl CallStack {
    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows.len() as u64 * 128
    }

    /// Forgets everything: the block is done.
    pub(crate) fn clear(&mut self) {
        self.rows.resize(0);
        self.lens = [0; 32];
        self.uneven = false;
    }

    /// The words that all lanes have, if `mask` is all of them and they have as many.
    #[inline(always)]
    fn even(&self, mask: u32) -> Option<u32> {
        (mask == u32::MAX && !self.uneven).then_some(self.lens[0])
    }

    /// The most words of the lanes of `mask`.
    #[inline(always)]
    pub(crate) fn depth(&self, mask: u32) -> usize {
        if let Some(len) = self.even(mask) {
            return len as usize;
        }
        self.depth_of_some(mask)
    }

    #[inline(never)]
    fn depth_of_some(&self, mask: u32) -> usize {
        let mut most = 0;
        for lane in 0..32 {
            let len = if mask >> lane & 1 != 0 { self.lens[lane] } else { 0 };
            most = if len > most { len } else { most };
        }
        most as usize
    }

    /// The words that all lanes of `mask` have, if that is one number.
    #[inline(always)]
    fn level(&self, mask: u32) -> Option<usize> {
        let first = self.lens[mask.trailing_zeros() as usize & 31];
        let mut apart = 0;
        for lane in 0..32 {
            apart |= if mask >> lane & 1 != 0 { self.lens[lane] ^ first } else { 0 };
        }
        (apart == 0).then_some(first as usize)
    }

    /// Opens `words` more words of each lane of `mask`, whose values are as good as none until
    /// they are written.
    #[inline(always)]
    pub(crate) fn open(&mut self, mask: u32, words: usize) -> Opened<'_> {
        let need = self.depth(mask) + words;
        if self.rows.len() < need {
            self.rows.resize(need);
        }
        let level = match self.even(mask) {
            Some(len) => {
                self.lens = [len + words as u32; 32];
                Some(len as usize)
            }
            None => self.move_some(mask, words as u32),
        };
        Opened { rows: &mut self.rows, mask, level, lens: &self.lens, words: words as u32, at: 0 }
    }

    /// Takes the last `words` words of each lane of `mask`, which all have them, to read.
    #[inline(always)]
    pub(crate) fn close(&mut self, mask: u32, words: usize) -> Opened<'_> {
        let level = if let Some(len) = self.even(mask) {
            self.lens = [len.saturating_sub(words as u32); 32];
            Some(self.lens[0] as usize)
        } else {
            self.move_some(mask, (words as u32).wrapping_neg());
            self.level(mask)
        };
        Opened { rows: &mut self.rows, mask, level, lens: &self.lens, words: 0, at: 0 }
    }

    /// Adds to the number of words of each lane of `mask`; gives what they had before, if that
    /// is one number.
    #[inline(never)]
    fn move_some(&mut self, mask: u32, by: u32) -> Option<usize> {
        let level = self.level(mask);
        for lane in 0..32 {
            let by = if mask >> lane & 1 != 0 { by } else { 0 };
            self.lens[lane] = self.lens[lane].wrapping_add(by);
        }
        self.uneven = self.lens.iter().any(|&len| len != self.lens[0]);
        level
    }

    /// The lanes of `mask` that have a word.
    #[inline(always)]
    pub(crate) fn within(&self, mask: u32) -> u32 {
        if let Some(len) = self.even(mask) {
            return if len == 0 { 0 } else { mask };
        }
        self.within_some(mask)
    }

    #[inline(never)]
    fn within_some(&self, mask: u32) -> u32 {
        let mut within = 0;
        for lane in 0..32 {
            within |= u32::from(self.lens[lane] != 0) << lane;
        }
        within & mask
    }
}

/// Words of some lanes, one after the other.
#[derive(Debug)]
pub(crate) struct Opened<'s> {
    rows: &'s mut [[u32; 32]],
    mask: u32,
    /// The first of the rows, where that is one for all lanes.
    level: Option<usize>,
    /// Per lane: its words, and how many of them are those here.
    lens: &'s [u32; 32],
    words: u32,
    /// Words passed so far.
    at: usize,
}

impl Opened<'_> {
    /// The row of the next word of one lane.
    #[inline(always)]
    fn row(&self, lane: usize) -> usize {
        let first = self.level.unwrap_or_else(|| (self.lens[lane & 31] - self.words) as usize);
        first + self.at
    }

    /// Writes the next word of each lane. `N` is 16 only where the machine has AVX-512.
    #[inline(always)]
    pub(crate) fn put<const N: usize>(&mut self, values: &[u32; 32]) {
        if let Some(level) = self.level {
            if let Some(row) = self.rows.get_mut(level + self.at) {
                put::<N, _>(row, self.mask, values);
            }
        } else {
            for lane in lanes(self.mask) {
                self.rows[self.row(lane)][lane] = values[lane];
            }
        }
        self.at += 1;
    }

    /// The next word of each lane, in its place; others are open.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> [u32; 32] {
        let mut values = [0; 32];
        if let Some(level) = self.level {
            values = self.rows.get(level + self.at).copied().unwrap_or(values);
        } else {
            for lane in lanes(self.mask) {
                values[lane] = self.rows[self.row(lane)][lane];
            }
        }
        self.at += 1;
        values
    }

    /// The next word of one lane.
    #[inline(always)]
    pub(crate) fn peek(&self, lane: usize) -> u32 {
        self.rows.get(self.row(lane)).map_or(0, |row| row[lane & 31])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_at_different_depths_get_their_own_words() {
        let mut stack = CallStack::default();
        stack.open(0b0011, 1).put::<4>(&[7; 32]);
        let mut two = stack.open(0b0110, 2);
        two.put::<4>(&[8; 32]);
        two.put::<4>(&[9; 32]);
        assert_eq!(
            (stack.depth(0b0001), stack.depth(0b1111), stack.within(0b1111)),
            (1, 3, 0b0111)
        );
        let mut two = stack.close(0b0110, 2);
        let (first, second) = (two.take(), two.take());
        assert_eq!((first[1], first[2], second[1], second[2]), (8, 8, 9, 9));
        assert_eq!((stack.depth(0b1111), stack.within(0b1111)), (1, 0b0011));
        let mut last = stack.close(0b0011, 1);
        assert_eq!((last.peek(0), last.peek(1)), (7, 7));
        let words = last.take();
        assert_eq!((words[0], words[1], stack.within(u32::MAX)), (7, 7, 0));
    }
}
