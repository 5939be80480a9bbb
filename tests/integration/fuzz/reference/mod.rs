//! A reference for the emulator that is slow and plain, and texts to try on both.

pub(crate) mod exchange;
pub(crate) mod forms;
pub(crate) mod generate;
pub(crate) mod half;
pub(crate) mod interpret;
pub(crate) mod mutate;
pub(crate) mod ops;
pub(crate) mod program;
pub(crate) mod warp;

/// Random numbers that depend on nothing but the seed (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
