//! The counts of a grid from a sample of its blocks.

use crate::critical_path::Timeline;
use crate::launch::blocks::Blocks;
use crate::launch::follow;
use crate::launch::outcome::Outcome;

/// Most blocks run between the first and the last: several waves of the largest GPUs.
const MOST_BLOCKS: u64 = 512;

/// Fewest, unless blocks take very long. They are spread evenly, since the work of blocks
/// may grow or shrink along the grid.
const LEAST_BLOCKS: u64 = 24;

/// Fewest, however long a block takes.
pub(crate) const FEWEST_BLOCKS: u64 = 6;

/// Thread instructions that a launch's sample may take: some tenths of a second.
const BUDGET: u64 = 400_000_000;

/// Times the budget that [`LEAST_BLOCKS`] may take.
const OVERDRAFT: u64 = 4;

/// With more launches than this, they share the budget.
const MANY_LAUNCHES: u64 = 4;

/// How large a sample of the blocks of a launch is, by the work of its blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSize {
    least: u64,
    most: u64,
    instructions: u64,
}

impl SampleSize {
    /// For one launch among `launches`.
    pub fn of_one(launches: u64) -> Self {
        let of_all = |whole: u64| whole * MANY_LAUNCHES / launches.max(MANY_LAUNCHES);
        let least = of_all(2 * LEAST_BLOCKS).clamp(FEWEST_BLOCKS, LEAST_BLOCKS);
        Self { least, most: of_all(MOST_BLOCKS).max(least), instructions: of_all(BUDGET) }
    }

    /// Whether a sample may take this number of thread instructions.
    pub(crate) fn allows(self, instructions: u64) -> bool {
        instructions <= self.instructions
    }

    /// The number of blocks to run, where each takes this number of thread instructions.
    fn blocks(self, each: u64) -> u64 {
        let within = |budget: u64| budget / each.max(1);
        let least = within(self.instructions.saturating_mul(OVERDRAFT));
        let least = least.clamp(FEWEST_BLOCKS.min(self.least), self.least);
        within(self.instructions).clamp(least, self.most)
    }
}

/// What all blocks of a grid of `all` blocks do, and how many of them ran. `run` runs some of
/// them: the first and the last, and of the others as many as `size` allows, or all.
///
/// # Errors
/// The first error of `run`.
pub fn sample<E>(
    all: u64,
    size: SampleSize,
    mut run: impl FnMut(Blocks) -> Result<Outcome, E>,
) -> Result<(Outcome, u64), E> {
    if all <= size.least + 2 {
        return Ok((run(Blocks::All)?, all));
    }
    let ends = run(Blocks::Ends)?;
    let count = size.blocks(ends.counters.thread_instructions / 2).min(all - 2);
    let between = run(Blocks::Between(count))?;
    Ok((estimate(ends, &between, count, all), count + 2))
}

/// Estimates a grid of `all` blocks from its two ends and a sample of `count` blocks
/// between them. The sample is scaled; printed text is that of the sample.
fn estimate(ends: Outcome, between: &Outcome, count: u64, all: u64) -> Outcome {
    let (times, of) = (all.saturating_sub(2), count.max(1));
    let scaled = |value: u64| {
        let value = u128::from(value) * u128::from(times) / u128::from(of);
        u64::try_from(value).unwrap_or(u64::MAX)
    };
    let whole = Outcome::combine(
        &[&ends, between],
        |_, get| get(&ends) + scaled(get(between)),
        |get| get(&ends) + get(between) * times as f64 / of as f64,
    );
    let mut timelines = ends.timelines;
    follow::correct(&mut timelines, between.company);
    timelines.extend(between.timelines.iter().map(|timeline| Timeline {
        others: timeline.blocks() * times as f64 / of as f64 - 1.0,
        ..timeline.clone()
    }));
    timelines.sort_by_key(|timeline| timeline.block);
    let left_open = left_open(&between.block_work, times);
    // The two ends are what differs most from the rest.
    let uneven = between.uneven;
    Outcome { printed: ends.printed, timelines, left_open, uneven, ..whole }
}

/// Half the width of the 95 % confidence interval of the work of `all` blocks, as a part of
/// it, where a sample spread evenly over them, in their order, did this `work`.
///
/// Each part of the grid has one block in the sample, so neighbours tell the variance within
/// a part: half the mean square of their differences (Wolter, Introduction to Variance
/// Estimation, on systematic samples).
fn left_open(work: &[u64], all: u64) -> f64 {
    let count = work.len() as f64;
    let mean = work.iter().map(|&it| it as f64).sum::<f64>() / count;
    if work.len() < 2 || mean == 0.0 || work.len() as u64 >= all {
        return 0.0;
    }
    let differences = work.windows(2).map(|two| (two[1] as f64 - two[0] as f64).powi(2));
    let variance = differences.sum::<f64>() / (2.0 * (count - 1.0));
    let not_run = 1.0 - count / all as f64;
    1.96 * (variance * not_run / count).sqrt() / mean
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::{Counters, InstructionCount};

    #[test]
    fn the_ends_count_once_and_the_rest_is_scaled() {
        let outcome = |warps, passes| Outcome {
            counters: Counters { warp_instructions: warps, ..Counters::default() },
            instructions: vec![InstructionCount { warps, ..InstructionCount::default() }],
            atomic_chunks: vec![vec![0, passes]],
            ..Outcome::default()
        };
        let whole = estimate(outcome(7, 1), &outcome(20, 10), 10, 1002);
        assert_eq!(whole.counters.warp_instructions, 7 + 2000);
        assert_eq!(whole.instructions[0].warps, 7 + 2000);
        assert_eq!(whole.atomic_chunks, [vec![0, 1001]]);
        assert_eq!(whole.counters.hottest_chunk_passes, 1001);
    }

    /// How many of `all` blocks run that take `each` thread instructions.
    fn ran(all: u64, each: u64) -> u64 {
        let run = |blocks: Blocks| {
            let thread_instructions = blocks.count(all) * each;
            let counters = Counters { thread_instructions, ..Counters::default() };
            Ok::<_, Infallible>(Outcome { counters, ..Outcome::default() })
        };
        let (whole, ran) = sample(all, SampleSize::of_one(1), run).unwrap();
        assert_eq!(whole.counters.thread_instructions, all * each);
        ran
    }

    #[test]
    fn heavier_blocks_make_a_smaller_sample() {
        assert_eq!(ran(10_000, 1_000), 514);
        assert_eq!(ran(10_000, 4_000_000), 102);
        assert_eq!(ran(10_000, 40_000_000), 26);
        assert_eq!(ran(10_000, 200_000_000), 10);
        assert_eq!(ran(10_000, 1 << 40), 8);
        assert_eq!((ran(26, 1 << 40), ran(300, 1_000)), (26, 300), "all of them");
    }

    #[test]
    fn equal_blocks_leave_nothing_open_and_a_trend_little() {
        assert_eq!(left_open(&[], 100).to_bits(), 0);
        assert_eq!(left_open(&[7; 30], 1000).to_bits(), 0);
        assert_eq!(left_open(&[1, 9, 4], 3).to_bits(), 0, "all ran");
        let trend: Vec<u64> = (1..=100).map(|block| block * 10).collect();
        let noise: Vec<u64> = (1..=100_u64).map(|block| block * 37 % 100 * 10).collect();
        let (of_trend, of_noise) = (left_open(&trend, 10_000), left_open(&noise, 10_000));
        assert!(of_trend < 0.01 && of_noise > 0.1, "{of_trend} {of_noise}");
    }
}
