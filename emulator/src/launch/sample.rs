//! Running some blocks of a grid in place of all: which ones, and what they
//! tell of the whole.

use crate::launch::outcome::Outcome;
use crate::machine::counters::Touched;
use crate::machine::instruction_count::InstructionCount;

/// What a grid of `all` blocks does, from what its first few did and what its first
/// `counts.1` did, the first `counts.0` among them: every further block counts as
/// much as those between the two on average.
pub fn extend(few: Outcome, more: &Outcome, counts: (u64, u64), all: u64) -> Outcome {
    let (first, second) = counts;
    let step = second.saturating_sub(first).max(1);
    let between = |few: u64, more: u64| {
        let each = u128::from(more.saturating_sub(few));
        let all = u128::from(all.saturating_sub(first)) * each / u128::from(step);
        u64::try_from(u128::from(few) + all).unwrap_or(u64::MAX)
    };
    let mut outcome = few;
    outcome.schedule_dependent |= more.schedule_dependent;
    outcome.counters = outcome.counters.combine(&more.counters, between);
    outcome.instructions = combined(&outcome.instructions, &more.instructions, between);
    for (mine, theirs) in outcome.mix.iter_mut().zip(more.mix) {
        *mine += (theirs - *mine) * all.saturating_sub(first) as f64 / step as f64;
    }
    outcome.touched.resize(outcome.touched.len().max(more.touched.len()), Touched::default());
    for (mine, theirs) in outcome.touched.iter_mut().zip(&more.touched) {
        mine.bytes = mine.bytes.max(theirs.bytes);
        mine.loads = between(mine.loads, theirs.loads);
        mine.stores = between(mine.stores, theirs.stores);
        mine.atomics = between(mine.atomics, theirs.atomics);
    }
    outcome.courses.clone_from(&more.courses);
    let chunks = &mut outcome.atomic_chunks;
    chunks.resize(chunks.len().max(more.atomic_chunks.len()), Vec::new());
    for (mine, theirs) in chunks.iter_mut().zip(&more.atomic_chunks) {
        mine.resize(mine.len().max(theirs.len()), 0);
        for (mine, &theirs) in mine.iter_mut().zip(theirs) {
            *mine = between(*mine, theirs);
        }
    }
    outcome.counters.hottest_chunk_passes =
        chunks.iter().flatten().copied().max().unwrap_or_default();
    outcome
}

/// What a grid of `all` blocks does, from what its ends did and `count` of the
/// blocks in between: the ends count once, the others stand for all in between.
/// Text is that of the sample, not of the grid.
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
        let mut outcome = self;
        outcome.schedule_dependent |= others.schedule_dependent;
        outcome.reads_others |= others.reads_others;
        let sum = |a: u64, b: u64| a + scaled(b);
        outcome.counters = outcome.counters.combine(&others.counters, sum);
        if outcome.instructions.len() < others.instructions.len() {
            outcome.instructions.resize(others.instructions.len(), InstructionCount::default());
        }
        outcome.instructions = combined(&outcome.instructions, &others.instructions, sum);
        for (mine, theirs) in outcome.mix.iter_mut().zip(others.mix) {
            *mine += theirs * times as f64 / of.max(1) as f64;
        }
        let touched = |touched: &Touched| Touched {
            bytes: touched.bytes,
            loads: scaled(touched.loads),
            stores: scaled(touched.stores),
            atomics: scaled(touched.atomics),
        };
        let scaled_touched: Vec<Touched> = others.touched.iter().map(touched).collect();
        Touched::merge(&mut outcome.touched, &scaled_touched);
        outcome.courses.extend_from_slice(&others.courses);
        outcome.courses.sort_by_key(|course| course.block);
        let chunks = &mut outcome.atomic_chunks;
        if chunks.len() < others.atomic_chunks.len() {
            chunks.resize(others.atomic_chunks.len(), Vec::new());
        }
        for (mine, theirs) in chunks.iter_mut().zip(&others.atomic_chunks) {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), 0);
            }
            for (mine, &theirs) in mine.iter_mut().zip(theirs) {
                *mine += scaled(theirs);
            }
        }
        outcome.counters.hottest_chunk_passes =
            chunks.iter().flatten().copied().max().unwrap_or_default();
        outcome
    }
}

/// The counts of each instruction, put together as `f` says.
fn combined(
    mine: &[InstructionCount],
    theirs: &[InstructionCount],
    f: impl Fn(u64, u64) -> u64,
) -> Vec<InstructionCount> {
    mine.iter().zip(theirs).map(|(mine, theirs)| mine.combine(theirs, &f)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::counters::Counters;

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
