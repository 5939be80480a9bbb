//! Local memory: what each thread has alone, with its stack of frames.

/// Local memory of the 32 lanes of a warp: 8-byte words of the lanes next to
/// each other, so that it can grow.
#[derive(Debug, Default, Hash)]
pub(crate) struct Local {
    words: Vec<[u64; 32]>,
    /// Bytes that each lane has.
    pub(crate) bytes: u64,
}

impl Local {
    /// Makes it `bytes` zeroed bytes per lane.
    pub(crate) fn reset(&mut self, bytes: u64) {
        self.bytes = bytes;
        self.words.clear();
        self.words.resize(bytes.div_ceil(8) as usize, [0; 32]);
    }

    /// Makes it at least `bytes` per lane.
    pub(crate) fn grow(&mut self, bytes: u64) {
        if bytes > self.bytes {
            self.bytes = bytes;
            self.words.resize(bytes.div_ceil(8) as usize, [0; 32]);
        }
    }

    /// Whether an access lies inside.
    #[inline(always)]
    pub(crate) fn holds(&self, at: u64, size: u64) -> bool {
        at.checked_add(size).is_some_and(|end| end <= self.bytes)
    }

    /// The values of all lanes at one aligned place; 0 outside.
    #[inline(always)]
    pub(crate) fn row(&self, at: u64, size: u32) -> [u64; 32] {
        let Some(word) = self.words.get((at / 8) as usize) else { return [0; 32] };
        let (shift, keep) = (8 * (at % 8), mask(size));
        let mut values = [0; 32];
        for lane in 0..32 {
            values[lane] = word[lane] >> shift & keep;
        }
        values
    }

    /// Writes the lanes of `chosen` at one aligned place.
    #[inline(always)]
    pub(crate) fn put_row(&mut self, chosen: u32, at: u64, size: u32, values: &[u64; 32]) {
        let Some(word) = self.words.get_mut((at / 8) as usize) else { return };
        let (shift, keep) = (8 * (at % 8), mask(size));
        for lane in 0..32 {
            let part = if chosen >> lane & 1 != 0 { keep << shift } else { 0 };
            word[lane] = word[lane] & !part | values[lane] << shift & part;
        }
    }

    /// The value of an aligned access of 1, 2, 4 or 8 bytes; 0 outside.
    #[inline(always)]
    pub(crate) fn load(&self, lane: usize, at: u64, size: u32) -> u64 {
        let Some(word) = self.words.get((at / 8) as usize) else { return 0 };
        word[lane] >> (8 * (at % 8)) & mask(size)
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, lane: usize, at: u64, size: u32, value: u64) {
        let Some(word) = self.words.get_mut((at / 8) as usize) else { return };
        let shift = 8 * (at % 8);
        word[lane] = word[lane] & !(mask(size) << shift) | (value & mask(size)) << shift;
    }
}

/// The bits of `size` bytes.
#[inline(always)]
fn mask(size: u32) -> u64 {
    if size >= 8 { u64::MAX } else { (1 << (8 * size)) - 1 }
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
}
