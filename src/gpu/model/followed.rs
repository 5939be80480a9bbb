//! What the followed blocks of a launch say of all blocks.

use crate::emulator::{Outcome, Timeline};

/// A count of a block, on average.
pub(super) fn of_block(outcome: &Outcome, of: fn(&Timeline) -> u64) -> f64 {
    outcome.of_block(|it| of(it) as f64)
}

/// What is a part of a block's work, on average: each block counts by its instructions.
pub(super) fn by_work(outcome: &Outcome, of: fn(&Timeline) -> f32) -> f64 {
    let all = of_block(outcome, |it| it.instructions);
    let part = outcome.of_block(|it| it.instructions as f64 * f64::from(of(it)));
    if all > 0.0 { part / all } else { 0.0 }
}

/// `part` as a share of `whole`, over all blocks; 0 if `whole` is 0.
pub(super) fn share(
    outcome: &Outcome,
    part: fn(&Timeline) -> u64,
    whole: fn(&Timeline) -> u64,
) -> f64 {
    let [part, whole] = [part, whole].map(|of| of_block(outcome, of));
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Warp instructions of the longest of the followed blocks.
pub(super) fn longest(outcome: &Outcome) -> f64 {
    outcome.timelines.iter().map(|timeline| timeline.instructions).max().unwrap_or_default() as f64
}
