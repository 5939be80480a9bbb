//! The blocks of a launch that are followed for the timing model.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::launch::blocks::Blocks;
use crate::launch::follow::Follow;
use crate::launch::sample::FEWEST_BLOCKS;

/// Further blocks all over the grid, and in a row, at most.
const MOST: u64 = 16;

/// For each of the former, the grid has at least this many blocks, and for each of the latter. Following a block
/// takes several times as long as running it.
const ALL_OVER: u64 = 64;
const IN_A_ROW: u64 = 16;

/// The last blocks that are followed.
const LAST: u64 = 4;

/// Which blocks are followed, the first ones by their number among those that run.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// Those that the model always takes.
    chosen: Vec<u64>,
    /// Those all over the grid that it takes if they differ.
    all_over: Vec<u64>,
    /// The same in a row towards the end, since what blocks do often comes round with their number; and
    /// the last, which host threads may end in another order than they began.
    row: Range<u64>,
    last: Range<u64>,
    /// Warp instructions of the block that ended first.
    first: AtomicU64,
    /// Whether some block differs from it, so that those in a row may.
    differ: AtomicBool,
    /// By index in the grid, those of one multiprocessor, which are followed for their accesses.
    pub(crate) neighbours: Vec<u64>,
    /// Whether the neighbours run anyway.
    runs_all: bool,
}

impl Followed {
    /// Of `count` blocks that run of a grid of `all`.
    pub(crate) fn new(blocks: Blocks, (count, all): (u64, u64), follow: Follow) -> Self {
        let (third, two_thirds) = (count / 3, count * 2 / 3);
        let chosen = match blocks {
            // Each takes long, and longer if it is followed.
            Blocks::Between(few) if few <= FEWEST_BLOCKS => vec![third, two_thirds],
            _ => vec![0, third, two_thirds, count.saturating_sub(1)],
        };
        let further = (count / ALL_OVER).min(MOST);
        let in_a_row = count / IN_A_ROW;
        Self {
            chosen,
            all_over: Blocks::Between(further).indices(count).collect(),
            row: count - 2 * in_a_row..count - 2 * in_a_row + in_a_row.min(MOST),
            last: count - in_a_row.min(LAST)..count,
            first: AtomicU64::new(0),
            differ: AtomicBool::new(false),
            neighbours: follow.blocks(blocks, all),
            runs_all: blocks == Blocks::All,
        }
    }

    /// Whether block `index`, number `at` of those that run, is followed.
    pub(crate) fn has(&self, at: u64, index: u64) -> bool {
        self.is_all_over(at)
            || self.last.contains(&at)
            || self.row.contains(&at) && self.differ.load(Ordering::Relaxed)
            || self.runs_all && self.is_neighbour(index)
    }

    /// A block has ended that took these warp instructions.
    pub(crate) fn end(&self, instructions: u64) {
        let first = match self.first.load(Ordering::Relaxed) {
            0 => self.first.fetch_max(instructions, Ordering::Relaxed).max(instructions),
            first => first,
        };
        if differs(first, instructions) {
            self.differ.store(true, Ordering::Relaxed);
        }
    }

    /// Whether its accesses are.
    pub(crate) fn traces(&self, at: u64, index: u64) -> bool {
        if self.is_neighbour(index) {
            return self.runs_all;
        }
        !self.neighbours.is_empty() && self.is_all_over(at)
    }

    pub(crate) fn is_neighbour(&self, index: u64) -> bool {
        self.neighbours.binary_search(&index).is_ok()
    }

    fn is_all_over(&self, at: u64) -> bool {
        self.chosen.contains(&at) || self.all_over.binary_search(&at).is_ok()
    }

    /// The indices of the blocks that the model always takes, in a grid of `all`.
    pub(crate) fn chosen(&self, blocks: Blocks, all: u64) -> Vec<u64> {
        self.chosen.iter().map(|&at| blocks.index(at, all)).collect()
    }

    /// How many blocks share the room for accesses.
    pub(crate) fn shares(&self) -> usize {
        self.neighbours.len().max(MOST as usize / 2)
    }
}

/// Whether one of these is larger than the other by a third.
fn differs(a: u64, b: u64) -> bool {
    3 * a.max(b) > 4 * a.min(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLLOW: Follow =
        Follow { cache_bytes: 200 << 10, l2_bytes: 30 << 20, resident: 8, multiprocessors: 132 };

    /// How many of `count` blocks are followed.
    fn many(blocks: Blocks, count: u64, alike: bool) -> usize {
        let followed = Followed::new(blocks, (count, count), FOLLOW);
        followed.end(10);
        followed.end(if alike { 13 } else { 14 });
        (0..count).filter(|&at| followed.has(at, blocks.index(at, count))).count()
    }

    #[test]
    fn few_of_few_blocks_are_followed_and_more_of_many() {
        let of = |alike| [1, 3, 60, 264, 1 << 20].map(|count| many(Blocks::All, count, alike));
        assert_eq!(of(true), [1, 3, 21, 12, 87]);
        assert_eq!(of(false), [1, 3, 23, 28, 103]);
        assert_eq!(many(Blocks::Between(6), 6, false), 2);
    }

    #[test]
    fn blocks_of_any_short_period_and_the_last_are_among_them() {
        for count in [300_u64, 3907, 1 << 16] {
            let followed = Followed::new(Blocks::All, (count, count), FOLLOW);
            followed.end(1);
            followed.end(2);
            let has = |at| followed.has(at, at);
            for period in 2..=16 {
                let met =
                    (0..period).all(|rest| (0..count).any(|at| at % period == rest && has(at)));
                assert!(met, "{period} of {count}");
            }
            assert!((count - 3..count).all(has));
            assert!((0..count).filter(|&at| followed.traces(at, at)).count() > 8);
        }
    }
}
