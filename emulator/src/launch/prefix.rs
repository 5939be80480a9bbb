//! The counts of a grid from its first blocks, where blocks use what earlier ones did.
//!
//! Blocks that take their place from an atomic, or look for a free word in a table, cannot be
//! sampled one by one: what they do depends on the blocks before. The first blocks of the grid
//! are what the whole launch starts with, so they run as they are, piece by piece, until they
//! have taken the work that a sample may take. The rest is scaled from the later half of them.

use crate::launch::blocks::Blocks;
use crate::launch::outcome::Outcome;
use crate::launch::sample::SampleSize;

/// Blocks of the first piece. Each further piece doubles what ran.
const FIRST_PIECE: u64 = 4;

/// Of the work that a sample may take, what these blocks may: atomics and tables are slow.
const PART: u64 = 4;

/// What all blocks of a grid of `all` blocks do, and how many of them ran: the first ones, as
/// far as `size` allows. `run` runs some of them; it is called for one part after the other, on
/// the same memory.
///
/// # Errors
/// The first error of `run`.
pub fn prefix<E>(
    all: u64,
    size: SampleSize,
    mut run: impl FnMut(Blocks) -> Result<Outcome, E>,
) -> Result<(Outcome, u64), E> {
    let mut pieces: Vec<(u64, Outcome)> = Vec::new();
    let (mut ran, mut work) = (0, 0);
    while ran < all && (ran == 0 || size.allows(2 * PART * work)) {
        let count = FIRST_PIECE.max(ran).min(all - ran);
        let outcome = run(Blocks::From { first: ran, count })?;
        work += outcome.counters.thread_instructions;
        ran += count;
        pieces.push((count, outcome));
    }
    Ok((estimate(&pieces, all - ran), ran))
}

/// Adds up pieces, and scales the last one to `rest` blocks that did not run.
fn estimate(pieces: &[(u64, Outcome)], rest: u64) -> Outcome {
    let outcomes: Vec<&Outcome> = pieces.iter().map(|(_, outcome)| outcome).collect();
    let (count, last) = match pieces.last() {
        Some((count, last)) => (*count, last),
        None => return Outcome::default(),
    };
    let scaled = |value: u64| {
        let value = u128::from(value) * u128::from(rest) / u128::from(count.max(1));
        u64::try_from(value).unwrap_or(u64::MAX)
    };
    let whole = Outcome::combine(
        &outcomes,
        |_, get| {
            let sum = outcomes.iter().fold(0_u64, |sum, it| sum.saturating_add(get(it)));
            sum.saturating_add(scaled(get(last)))
        },
        |get| {
            let sum: f64 = outcomes.iter().map(|it| get(it)).sum();
            sum + get(last) * rest as f64 / count.max(1) as f64
        },
    );
    let mut timelines: Vec<_> =
        outcomes.iter().flat_map(|it| it.timelines.iter().cloned()).collect();
    // The last ones stand for the rest.
    let of_last = timelines.len() - last.timelines.len();
    for timeline in &mut timelines[of_last..] {
        timeline.others += timeline.blocks() * rest as f64 / count.max(1) as f64;
    }
    let printed = outcomes.iter().flat_map(|it| it.printed.iter().copied()).collect();
    Outcome {
        printed,
        timelines,
        left_open: left_open(pieces, rest),
        first_only: rest > 0,
        ..whole
    }
}

/// How far the work of the grid may be off, as a part of it: as far as that of the last piece is
/// from the pieces before, for the blocks that did not run.
fn left_open(pieces: &[(u64, Outcome)], rest: u64) -> f64 {
    let (Some((count, last)), true) = (pieces.last(), rest > 0) else { return 0.0 };
    let each = |count: u64, work: u64| work as f64 / count.max(1) as f64;
    let now = each(*count, last.counters.warp_instructions);
    let before = &pieces[..pieces.len() - 1];
    let blocks = before.iter().map(|(count, _)| count).sum();
    let work = before.iter().map(|(_, outcome)| outcome.counters.warp_instructions).sum();
    // One piece alone says nothing about the next.
    let change =
        if blocks == 0 || now == 0.0 { 1.0 } else { (now - each(blocks, work)).abs() / now };
    let ran: u64 = pieces.iter().map(|(count, _)| count).sum();
    LEAST_OPEN.max(change) * rest as f64 / (ran + rest) as f64
}

/// Of the blocks that did not run, what is open at least.
const LEAST_OPEN: f64 = 0.1;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::Counters;

    /// Runs a grid whose block `n` takes `work(n)` thread instructions.
    fn of(all: u64, work: impl Fn(u64) -> u64) -> (Outcome, u64) {
        let run = |blocks: Blocks| {
            let sum = blocks.indices(all).map(&work).sum();
            let counters = Counters {
                thread_instructions: sum,
                warp_instructions: sum,
                ..Counters::default()
            };
            Ok::<_, Infallible>(Outcome { counters, ..Outcome::default() })
        };
        prefix(all, SampleSize::of_one(1), run).unwrap()
    }

    #[test]
    fn small_grids_run_in_full() {
        let (whole, ran) = of(1000, |block| block);
        assert!(!whole.first_only);
        assert_eq!((ran, whole.counters.thread_instructions), (1000, 999 * 500));
        assert_eq!(whole.left_open.to_bits(), 0);
    }

    #[test]
    fn of_large_grids_the_first_blocks_run_and_the_rest_is_scaled() {
        let each = 1_000_000;
        let (whole, ran) = of(100_000, |_| each);
        assert!((32..=100).contains(&ran), "{ran}");
        assert!(whole.first_only);
        assert_eq!(whole.counters.thread_instructions, 100_000 * each);
        assert!((0.09..0.11).contains(&whole.left_open), "{}", whole.left_open);
        // Blocks that take longer and longer.
        let (whole, ran) = of(100_000, |block| each * (1 + block / 8));
        assert!(ran < 100_000 && whole.left_open > 0.2, "{ran}, {}", whole.left_open);
    }
}
