//! The counts of a large grid, extrapolated from smaller runs with shorter blocks.
//!
//! If the counts of a block are a polynomial in sizes of the case (loop rounds, atoms),
//! the counts of a large case are a weighted sum of those of a few small cases
//! (Lagrange interpolation). The same sum applies to waits on the critical path.

use crate::critical_path::Timeline;
use crate::launch::outcome::Outcome;

/// A smaller grid that ran.
#[derive(Debug, Clone)]
pub struct SmallerRun {
    /// What its blocks did.
    pub outcome: Outcome,
    /// How many blocks it has.
    pub blocks: u64,
    /// Its weight for an average block.
    pub mean: f64,
    /// Its weight for the block with the most loop rounds.
    pub longest: f64,
    /// Its weight for the global atomics of an average block.
    pub atomics: f64,
}

impl SmallerRun {
    /// The weight of its counts in a grid of `all` blocks, from that per block.
    fn times(&self, weight: f64, all: u64) -> f64 {
        weight * all as f64 / self.blocks.max(1) as f64
    }
}

/// Extrapolates a grid of `all` blocks from smaller runs, with the timelines of four
/// blocks spread evenly from the first to the last.
pub fn extrapolate(smaller: &[SmallerRun], all: u64) -> Outcome {
    let weighted = |of: &dyn Fn(&Outcome) -> f64, weight: fn(&SmallerRun) -> f64| -> f64 {
        smaller.iter().map(|it| of(&it.outcome) * it.times(weight(it), all)).sum()
    };
    let outcomes: Vec<&Outcome> = smaller.iter().map(|it| &it.outcome).collect();
    let whole = Outcome::combine(
        &outcomes,
        // A count that does not grow may come out a little below 0.
        |atomic, get| {
            let weight =
                if atomic { |it: &SmallerRun| it.atomics } else { |it: &SmallerRun| it.mean };
            weighted(&|it| get(it) as f64, weight).round().max(0.0) as u64
        },
        |get| weighted(get, |it| it.mean).max(0.0),
    );
    // Blocks of the smaller runs are shorter.
    Outcome { timelines: timelines(smaller, all), heaviest: 0, ..whole }
}

/// The timelines of four blocks.
fn timelines(smaller: &[SmallerRun], all: u64) -> Vec<Timeline> {
    let along = |block: u64, all: u64| block as f64 / all.saturating_sub(1).max(1) as f64;
    let mut blocks = vec![0, all / 3, all * 2 / 3, all.saturating_sub(1)];
    blocks.dedup();
    let timeline = |block: u64| {
        // Interpolated between the two of each smaller grid around the same place.
        let around = smaller.iter().filter_map(|it| {
            let (timelines, place) = (&it.outcome.timelines, along(block, all));
            let before = |timeline: &Timeline| along(timeline.block, it.blocks) <= place;
            let next = timelines.partition_point(before).min(timelines.len().saturating_sub(1));
            let (first, next) = (timelines.get(next.saturating_sub(1))?, timelines.get(next)?);
            let (from, to) = (along(first.block, it.blocks), along(next.block, it.blocks));
            let part = if to > from { ((place - from) / (to - from)).min(1.0) } else { 0.0 };
            Some([(first, it.longest * (1.0 - part)), (next, it.longest * part)])
        });
        let around: Vec<(&Timeline, f64)> = around.flatten().collect();
        (!around.is_empty()).then(|| Timeline::sum(block, &around))
    };
    blocks.into_iter().filter_map(timeline).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critical_path::{CriticalPath, WAITS};
    use crate::{Counters, InstructionCount, Touched};

    /// A grid: each block counts `40 + 3 size` of every event, the last block a
    /// quarter less.
    fn grid(size: f64, blocks: u64) -> Outcome {
        let each = 40.0 + 3.0 * size;
        let count = (each * blocks as f64) as u64;
        let timeline = |block: u64, times: f64| Timeline {
            block,
            critical_path: CriticalPath::of([(each * times) as f32; WAITS]),
            sectors: ((each * times) as u64, 40),
            ..Timeline::default()
        };
        Outcome {
            counters: Counters { warp_instructions: count, ..Counters::default() },
            instructions: vec![InstructionCount { lanes: count, ..InstructionCount::default() }],
            atomic_chunks: vec![vec![], vec![0, count]],
            touched: vec![Touched { bytes: 128, loads: count, ..Touched::default() }],
            mix: std::array::from_fn(|_| each * blocks as f64),
            timelines: vec![timeline(0, 1.0), timeline(blocks - 1, 0.75)],
            ..Outcome::default()
        }
    }

    #[test]
    fn what_grows_evenly_is_extended_exactly() {
        let small = |size: f64, weight: f64, blocks: u64| SmallerRun {
            outcome: grid(size, blocks),
            blocks,
            mean: weight,
            longest: weight,
            atomics: weight,
        };
        // Lagrange's weights of 8 and 16 for 1000.
        let whole = extrapolate(&[small(8.0, -123.0, 4), small(16.0, 124.0, 8)], 100);
        let expected = grid(1000.0, 100);
        assert_eq!(whole.counters.warp_instructions, expected.counters.warp_instructions);
        assert_eq!(whole.instructions, expected.instructions);
        assert_eq!(whole.atomic_chunks, expected.atomic_chunks);
        assert_eq!(whole.counters.hottest_chunk_passes, expected.atomic_chunks[1][1]);
        assert_eq!(whole.touched, expected.touched);
        assert!((whole.mix[0] / expected.mix[0] - 1.0).abs() < 1e-9);
        assert_eq!(whole.timelines.iter().map(|it| it.block).collect::<Vec<_>>(), [0, 33, 66, 99]);
        let ends = [&whole.timelines[0], &whole.timelines[3]];
        for (mine, theirs) in ends.into_iter().zip(&expected.timelines) {
            assert_eq!((mine.critical_path, mine.sectors), (theirs.critical_path, theirs.sectors));
        }
        let between = whole.timelines[1].critical_path.waits[0];
        assert!((between - 3040.0 * (1.0 - 0.25 / 3.0)).abs() < 1.0, "{between}");
    }

    #[test]
    fn atomics_have_a_weight_of_their_own() {
        let small = |size: f64, mean: f64, atomics: f64| SmallerRun {
            outcome: Outcome {
                counters: Counters { global_atomic_passes: 7, ..grid(size, 2).counters },
                ..grid(size, 2)
            },
            blocks: 2,
            mean,
            longest: mean,
            atomics,
        };
        let whole = extrapolate(&[small(8.0, -123.0, 0.0), small(16.0, 124.0, 1.0)], 20);
        assert_eq!(whole.counters.global_atomic_passes, 70);
        assert_eq!(whole.counters.warp_instructions, grid(1000.0, 20).counters.warp_instructions);
        assert_eq!(whole.atomic_chunks, grid(16.0, 20).atomic_chunks);
    }

    #[test]
    fn nothing_comes_out_below_zero() {
        let shrinking =
            |outcome, mean| SmallerRun { outcome, blocks: 1, mean, longest: mean, atomics: mean };
        let two = [shrinking(grid(9.0, 1), -9.0), shrinking(grid(1.0, 1), 10.0)];
        assert_eq!(extrapolate(&two, 1).counters.warp_instructions, 0);
        assert_eq!(extrapolate(&[], 5), Outcome::default());
    }
}
