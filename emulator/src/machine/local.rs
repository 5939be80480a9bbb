//! Local memory: what each thread has alone, with its stack of frames.

use crate::machine::gather::Gather;
use crate::machine::lane_mask::lanes;
use crate::machine::registers::{Registers, put};

/// Local memory of the 32 lanes of a warp: 4-byte words of the lanes next to each other, as
/// registers lie, so that it can grow and lanes that go to one place move whole rows.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Local {
    words: Registers<u32>,
    /// Bytes that each lane has.
    pub(crate) bytes: u64,
}

impl Local {
    /// Makes it `bytes` zeroed bytes per lane.
    pub(crate) fn reset(&mut self, bytes: u64) {
        self.words.resize(0);
        self.bytes = 0;
        self.grow(bytes);
    }

    /// Makes it at least `bytes` per lane.
    pub(crate) fn grow(&mut self, bytes: u64) {
        if bytes > self.bytes {
            self.bytes = bytes;
            // Of whole 8-byte words, so that the halves of one are there together.
            self.words.resize(bytes.div_ceil(8) as usize * 2);
        }
    }

    /// Whether an access lies inside.
    #[inline(always)]
    pub(crate) fn holds(&self, at: u64, size: u64) -> bool {
        at.checked_add(size).is_some_and(|end| end <= self.bytes)
    }

    /// The words of all lanes that hold the byte at one place.
    #[inline(always)]
    pub(crate) fn row(&self, at: u64) -> Option<&[u32; 32]> {
        self.words.get((at / 4) as usize)
    }

    /// The same, to write.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, at: u64) -> Option<&mut [u32; 32]> {
        self.words.get_mut((at / 4) as usize)
    }

    /// Copies the words of the lanes of `mask` from one place to another.
    #[inline(always)]
    pub(crate) fn copy_row<const N: usize>(&mut self, mask: u32, from: u64, to: u64) {
        let Some(&values) = self.row(from) else { return };
        let Some(row) = self.row_mut(to) else { return };
        put::<N, _>(row, mask, &values);
    }

    /// The word of one lane that holds the byte at a place; 0 outside.
    #[inline(always)]
    pub(crate) fn word(&self, lane: usize, at: u64) -> u32 {
        self.row(at).map_or(0, |row| row[lane & 31])
    }

    /// Where in memory the words of the lanes are that hold the bytes at places `part` bytes on
    /// from `at`; none if one of them is outside. Every lane has its own words, so that no two
    /// places are the same.
    #[inline(always)]
    fn places(&self, at: &[u32; 32], part: u32) -> Option<[u32; 32]> {
        let (mut places, mut highest) = ([0; 32], 0);
        for lane in 0..32 {
            let word = at[lane].saturating_add(part) / 4;
            highest = highest.max(word);
            places[lane] = word.wrapping_mul(128).wrapping_add(lane as u32 * 4);
        }
        // As many as 32 bits can tell apart.
        let words = self.words.len().min(1 << 25);
        ((highest as usize) < words).then_some(places)
    }

    /// The words of the lanes that hold the bytes at places `part` bytes on from `at`; zeros if
    /// one is outside. `N` is 16 only where the machine has AVX-512.
    #[inline(always)]
    pub(crate) fn words<const N: usize>(&mut self, at: &[u32; 32], part: u32) -> [u32; 32] {
        let Some(places) = self.places(at, part) else { return [0; 32] };
        // SAFETY: the places lie in the words and are aligned, and nobody else has them.
        unsafe { u32::gather::<N, _>(self.words.as_mut_ptr().cast(), &places) }
    }

    /// Writes the low `size` bytes, 1, 2 or 4, of values at aligned places `part` bytes on from
    /// those of the lanes of `mask`, which are inside.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
        at: &[u32; 32],
        (part, size): (u32, u32),
        mask: u32,
        values: &[u32; 32],
    ) {
        const { assert!(cfg!(target_endian = "little"), "the low bytes of a word come first") }
        let Some(mut places) = self.places(at, part) else { return };
        for lane in 0..32 {
            places[lane] += at[lane].wrapping_add(part) & 4_u32.wrapping_sub(size) & 3;
        }
        let start = self.words.as_mut_ptr().cast::<u8>();
        macro_rules! each {
            ($ty:ty) => {{
                let write = |lane: usize| {
                    let place = start.wrapping_add(places[lane] as usize);
                    // SAFETY: this is an aligned part of a word that is there.
                    unsafe { place.cast::<$ty>().write_unaligned(values[lane] as $ty) }
                };
                if mask == u32::MAX {
                    for lane in 0..32 {
                        write(lane);
                    }
                } else {
                    for lane in lanes(mask) {
                        write(lane);
                    }
                }
            }};
        }
        match size {
            1 => each!(u8),
            2 => each!(u16),
            _ => each!(u32),
        }
    }

    /// The value of an aligned access of 1, 2, 4 or 8 bytes; 0 outside.
    #[inline(always)]
    pub(crate) fn load(&self, lane: usize, at: u64, size: u32) -> u64 {
        if size == 8 {
            return u64::from(self.word(lane, at)) | u64::from(self.word(lane, at + 4)) << 32;
        }
        u64::from(self.word(lane, at) >> (8 * (at % 4)) & ones(size))
    }

    /// Writes an aligned 1, 2, 4 or 8 bytes.
    #[inline(always)]
    pub(crate) fn store(&mut self, lane: usize, at: u64, size: u32, value: u64) {
        if size == 8 {
            self.store(lane, at, 4, value);
            return self.store(lane, at + 4, 4, value >> 32);
        }
        let Some(row) = self.row_mut(at) else { return };
        let (shift, word) = (8 * (at % 4), &mut row[lane & 31]);
        *word = *word & !(ones(size) << shift) | (value as u32 & ones(size)) << shift;
    }
}

/// The bits of 1, 2 or 4 bytes.
#[inline(always)]
pub(crate) fn ones(size: u32) -> u32 {
    u32::MAX >> (32 - 8 * size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_keep_their_neighbours() {
        let mut local = Local::default();
        local.reset(12);
        local.store(3, 8, 4, 0x0102_0304);
        local.store(3, 9, 1, 0xff);
        assert_eq!(
            (local.load(3, 8, 4), local.load(3, 10, 2), local.load(2, 8, 8)),
            (0x0102_ff04, 0x0102, 0)
        );
        assert!(local.holds(8, 4) && !local.holds(9, 4) && !local.holds(u64::MAX, 4));
    }

    #[test]
    fn halves_of_doubles_and_copied_rows_are_words() {
        let mut local = Local::default();
        local.reset(16);
        local.store(5, 0, 8, 0x0102_0304_0506_0708);
        local.store(6, 0, 8, 9);
        assert_eq!((local.load(5, 4, 4), local.load(5, 0, 4)), (0x0102_0304, 0x0506_0708));
        local.copy_row::<4>(1 << 5, 0, 8);
        local.copy_row::<4>(u32::MAX, 4, 12);
        assert_eq!((local.load(5, 8, 8), local.load(6, 8, 8)), (0x0102_0304_0506_0708, 0));
    }
}
