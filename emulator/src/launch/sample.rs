//! The counts of a grid from a sample of its blocks.

use crate::launch::outcome::Outcome;

/// Estimates a grid of `all` blocks from its first `counts.0` blocks (`few`) and its
/// first `counts.1` blocks (`more`). Every further block counts as much as the average
/// block between the two.
pub fn extend(few: Outcome, more: &Outcome, counts: (u64, u64), all: u64) -> Outcome {
    let (first, second) = counts;
    let step = second.saturating_sub(first).max(1);
    let between = |few: u64, more: u64| {
        let each = u128::from(more.saturating_sub(few));
        let all = u128::from(all.saturating_sub(first)) * each / u128::from(step);
        u64::try_from(u128::from(few) + all).unwrap_or(u64::MAX)
    };
    let mix =
        |few: f64, more: f64| few + (more - few) * all.saturating_sub(first) as f64 / step as f64;
    let whole = Outcome::combine(
        &[&few, more],
        |_, get| between(get(&few), get(more)),
        |get| mix(get(&few), get(more)),
    );
    Outcome { printed: few.printed, timelines: more.timelines.clone(), ..whole }
}

/// Estimates a grid of `all` blocks from its two ends and a sample of `count` blocks
/// between them. The sample is scaled; printed text is that of the sample.
pub fn estimate(ends: Outcome, between: &Outcome, count: u64, all: u64) -> Outcome {
    ends.with(between, (all.saturating_sub(2), count))
}

impl Outcome {
    /// What these blocks did, and `times.0` out of `times.1` times what others did.
    #[must_use]
    pub fn with(self, others: &Self, times: (u64, u64)) -> Self {
        let (times, of) = times;
        let scaled = |value: u64| {
            let value = u128::from(value) * u128::from(times) / u128::from(of.max(1));
            u64::try_from(value).unwrap_or(u64::MAX)
        };
        let whole = Self::combine(
            &[&self, others],
            |_, get| get(&self) + scaled(get(others)),
            |get| get(&self) + get(others) * times as f64 / of.max(1) as f64,
        );
        let mut timelines = self.timelines;
        timelines.extend_from_slice(&others.timelines);
        timelines.sort_by_key(|timeline| timeline.block);
        Self { printed: self.printed, timelines, ..whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Counters, InstructionCount};

    #[test]
    fn what_comes_after_a_prefix_goes_on_as_it_did() {
        let outcome = |warps, passes| Outcome {
            counters: Counters { warp_instructions: warps, ..Counters::default() },
            instructions: vec![InstructionCount { warps, ..InstructionCount::default() }],
            atomic_chunks: vec![vec![passes]],
            ..Outcome::default()
        };
        // 10 blocks of 7 and then 20 of 5.
        let whole = extend(outcome(70, 10), &outcome(170, 30), (10, 30), 1000);
        assert_eq!(whole.counters.warp_instructions, 70 + 990 * 5);
        assert_eq!(whole.instructions[0].warps, 70 + 990 * 5);
        assert_eq!(whole.counters.hottest_chunk_passes, 1000);
        let same = extend(outcome(70, 10), &outcome(70, 10), (10, 10), 10);
        assert_eq!(same.counters.warp_instructions, 70);
    }

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
