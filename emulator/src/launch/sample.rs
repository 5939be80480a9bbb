//! The counts of a grid from a sample of its blocks.

use crate::launch::outcome::Outcome;

/// Estimates a grid of `all` blocks from its two ends and a sample of `count` blocks
/// between them. The sample is scaled; printed text is that of the sample.
pub fn estimate(ends: Outcome, between: &Outcome, count: u64, all: u64) -> Outcome {
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
    timelines.extend_from_slice(&between.timelines);
    timelines.sort_by_key(|timeline| timeline.block);
    Outcome { printed: ends.printed, timelines, ..whole }
}

#[cfg(test)]
mod tests {
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
}
