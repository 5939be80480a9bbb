//! What the lanes of a warp return to.

use std::hash::{Hash, Hasher};

use crate::machine::lane_mask::lanes;

/// What each lane of a warp comes back to: words in rows of 32 lanes, as registers lie, so
/// that lanes that call together move whole rows.
#[derive(Debug, Default)]
pub(crate) struct CallStack {
    rows: Vec<[u32; 32]>,
    /// Per lane: its words.
    lens: [usize; 32],
}

/// Only of the words in use.
impl Hash for CallStack {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.lens.hash(state);
        for (lane, &len) in self.lens.iter().enumerate() {
            self.rows.iter().take(len).for_each(|row| row[lane].hash(state));
        }
    }
}

impl CallStack {
    /// Forgets everything: the block is done.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.lens = [0; 32];
    }

    /// The most words of the lanes of `mask`.
    pub(crate) fn depth(&self, mask: u32) -> usize {
        lanes(mask).map(|lane| self.lens[lane]).max().unwrap_or_default()
    }

    /// The words that all lanes of `mask` have, if that is one number.
    fn level(&self, mask: u32) -> Option<usize> {
        let first = self.lens[mask.trailing_zeros() as usize & 31];
        let other = |lane: usize| mask >> lane & 1 != 0 && self.lens[lane] != first;
        (!(0..32).any(other)).then_some(first)
    }

    /// Pushes a word of each lane of `mask`.
    pub(crate) fn push(&mut self, mask: u32, values: &[u32; 32]) {
        let need = self.depth(mask) + 1;
        if self.rows.len() < need {
            self.rows.resize(need, [0; 32]);
        }
        if let Some(level) = self.level(mask) {
            let row = &mut self.rows[level];
            for lane in 0..32 {
                row[lane] = if mask >> lane & 1 != 0 { values[lane] } else { row[lane] };
            }
        } else {
            lanes(mask).for_each(|lane| self.rows[self.lens[lane]][lane] = values[lane]);
        }
        for lane in 0..32 {
            self.lens[lane] += (mask >> lane & 1) as usize;
        }
    }

    /// Takes the last word of each lane of `mask`: the lanes that had one, and the words.
    pub(crate) fn pop(&mut self, mask: u32) -> (u32, [u32; 32]) {
        let had = lanes(mask).filter(|&lane| self.lens[lane] != 0);
        let had = had.fold(0, |all, lane| all | 1 << lane);
        for lane in 0..32 {
            self.lens[lane] -= (had >> lane & 1) as usize;
        }
        let values = match self.level(had) {
            Some(level) if had != 0 => self.rows[level],
            _ => {
                let mut values = [0; 32];
                lanes(had).for_each(|lane| values[lane] = self.rows[self.lens[lane]][lane]);
                values
            }
        };
        (had, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_at_different_depths_get_their_own_words() {
        let mut stack = CallStack::default();
        stack.push(0b0011, &[7; 32]);
        stack.push(0b0110, &[8; 32]);
        let (had, values) = stack.pop(0b1111);
        assert_eq!((had, values[0], values[1], values[2]), (0b0111, 7, 8, 8));
        assert_eq!(stack.depth(0b1111), 1);
        let (had, values) = stack.pop(0b1111);
        assert_eq!((had, values[1]), (0b0010, 7));
        assert_eq!(stack.pop(u32::MAX).0, 0);
    }
}
