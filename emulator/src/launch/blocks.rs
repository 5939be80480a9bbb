//! Which blocks of a grid run.

/// Which blocks of a grid run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Blocks {
    /// All of them.
    #[default]
    All,
    /// The first and the last.
    Ends,
    /// A sample of this many blocks between the first and the last: one at a random
    /// place in each of as many equal parts, so that the sample has no stride.
    Between(u64),
    /// Blocks in a row.
    From {
        /// Index of the first.
        first: u64,
        /// How many.
        count: u64,
    },
}

impl Blocks {
    /// How many blocks run in a grid of `all` blocks.
    pub fn count(self, all: u64) -> u64 {
        match self {
            Self::All => all,
            Self::Ends => all.min(2),
            Self::Between(count) => count.min(all.saturating_sub(2)),
            Self::From { first, count } => count.min(all.saturating_sub(first)),
        }
    }

    /// Which run of a grid of `all` blocks, in order.
    pub fn indices(self, all: u64) -> impl Iterator<Item = u64> {
        (0..self.count(all)).map(move |at| self.index(at, all))
    }

    /// Index of the one that runs as number `at`; it grows with `at`.
    pub(crate) fn index(self, at: u64, all: u64) -> u64 {
        match self {
            Self::All => at,
            Self::From { first, .. } => first + at,
            Self::Ends => at * (all - 1),
            Self::Between(_) => {
                let (inside, count) = (u128::from(all - 2), u128::from(self.count(all)));
                let start = |part: u128| part * inside / count;
                let (from, to) = (start(u128::from(at)), start(u128::from(at) + 1));
                1 + (from + u128::from(scatter(at)) % (to - from)) as u64
            }
        }
    }
}

/// A number that looks random (the finaliser of `SplitMix64`).
fn scatter(value: u64) -> u64 {
    let mut bits = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(blocks: Blocks, all: u64) -> Vec<u64> {
        blocks.indices(all).collect()
    }

    #[test]
    fn the_sample_is_spread_over_the_grid_without_repeats() {
        for all in [3, 4, 10, 514, 515, 4096, 1_000_003, u64::from(u32::MAX)] {
            let between = chosen(Blocks::Between(512), all);
            assert_eq!(between.len() as u64, 512.min(all - 2), "{all}");
            assert!(between.is_sorted_by(|a, b| a < b) && between[0] >= 1);
            assert!(*between.last().unwrap_or(&0) <= all - 2, "{all}");
            // No gap is longer than two parts.
            let part = (all - 2).div_ceil(between.len() as u64);
            assert!(between.windows(2).all(|two| two[1] - two[0] <= 2 * part), "{all}");
        }
        assert_eq!(chosen(Blocks::Ends, 7), [0, 6]);
        assert_eq!(chosen(Blocks::Ends, 1), [0]);
        assert_eq!(chosen(Blocks::All, 3), [0, 1, 2]);
        assert_eq!(chosen(Blocks::From { first: 5, count: 3 }, 7), [5, 6]);
        assert_eq!(chosen(Blocks::From { first: 8, count: 3 }, 7), [0_u64; 0]);
        assert_eq!(chosen(Blocks::Between(5), 2), [0_u64; 0]);
    }

    #[test]
    fn columns_of_a_grid_are_met_alike() {
        // 64 blocks a row, 512 of 8192: a fixed stride would meet every 16th.
        let mut columns: Vec<u64> =
            chosen(Blocks::Between(512), 8192).iter().map(|index| index % 64).collect();
        columns.sort_unstable();
        columns.dedup();
        assert!(columns.len() > 48, "{columns:?}");
    }
}
