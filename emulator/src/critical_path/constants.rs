//! The cache of constants of a multiprocessor.
//!
//! It answers one place after the other, in 2.0 cycles each, and takes 19 for one that it does not
//! hold: `benches/data/h200/constants.csv`. Which places it holds follows from tables of 256 bytes
//! to 64 KiB there: 2 KiB have room, and of 4 KiB read at eight places as far apart, which fall on
//! one set, more than half miss.

use crate::machine::{Warp, lanes};
use crate::program::{Kernel, Transfer};

/// Bytes of a line, and how many sets of how many lines there are.
const LINE: u64 = 64;
const SETS: usize = 8;
const WAYS: usize = 4;

/// Lines that the cache holds, of each set the one used last first.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// Numbers of lines, from 1 on.
    sets: [[u64; WAYS]; SETS],
}

impl Constants {
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Distinct places that the lanes read, and those of them that the cache did not hold.
    pub(crate) fn read(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        it: Transfer,
        mask: u32,
    ) -> (u32, u32) {
        let offset = kernel.sites[usize::from(it.site)].offset.cast_unsigned();
        let base = &warp.regs64[usize::from(it.a)];
        let mut known = [0; 32];
        let (mut many, mut missed) = (0, 0);
        for lane in lanes(mask) {
            let address = base[lane].wrapping_add(offset);
            if !known[..many].contains(&address) {
                known[many] = address;
                many += 1;
                missed += u32::from(!self.touch(address));
            }
        }
        (many as u32, missed)
    }

    /// Brings in the line of an address; whether it was there.
    fn touch(&mut self, address: u64) -> bool {
        let line = address / LINE + 1;
        let set = &mut self.sets[(line % SETS as u64) as usize];
        let found = set.iter().position(|&held| held == line);
        set[..=found.unwrap_or(WAYS - 1)].rotate_right(1);
        set[0] = line;
        found.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_kilobytes_stay_and_more_do_not() {
        let misses = |bytes: u64, apart: u64| {
            let mut cache = Constants::default();
            let mut round =
                || (0..bytes).step_by(apart as usize).filter(|&at| !cache.touch(at)).count();
            [round(), round()]
        };
        assert_eq!(misses(2048, 4), [32, 0]);
        assert_eq!(misses(4096, 64), [64, 64]);
        assert_eq!(misses(4096, 512), [8, 8], "eight places of one set");
        assert_eq!(misses(2048, 512), [4, 0]);
    }
}
