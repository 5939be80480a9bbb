//! Shared memory: one wavefront a cycle and multiprocessor, atomics slower.
//!
//! Formula, in cycles over all multiprocessors: wavefronts of loads and stores x
//! cycles + wavefronts of atomics x cycles. The wavefronts are exact counters, but for the further
//! rounds of loops that swap a word until no other warp was faster: the emulator estimates these.

use super::followed::share;
use super::issue;
use super::rates::Rates;
use crate::emulator::Outcome;

/// Passes of loads and stores, less those that machine code saves by joining loads. The joined load is
/// wider, so it makes more passes itself.
fn plain(outcome: &Outcome) -> u64 {
    let counters = &outcome.counters;
    let more = share(outcome, |it| it.widened.1, |it| it.widened.0);
    let saved = outcome.joined_passes as f64 * (1.0 - more).max(0.0);
    counters.shared_load_wavefronts.saturating_sub(saved as u64) + counters.shared_store_wavefronts
}

/// Passes of atomics, with those of the further rounds of loops that swap.
fn atomic(outcome: &Outcome) -> f64 {
    outcome.counters.shared_atomic_wavefronts as f64 + issue::scaled(outcome, |it| it.swaps_again)
}

/// Of the passes of atomics, the part of further rounds of loops that swap.
pub(super) fn again(outcome: &Outcome) -> f64 {
    1.0 - outcome.counters.shared_atomic_wavefronts as f64 / atomic(outcome).max(1.0)
}

/// Cycles of the banks of all multiprocessors together.
pub(super) fn cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let plain = plain(outcome);
    plain as f64 * rates.wavefront + atomic(outcome) * rates.atomic_wavefront
}

/// The same by what they are for: plain passes, passes by bank conflicts, atomics.
pub(super) fn parts(outcome: &Outcome, rates: &Rates) -> [f64; 3] {
    let (plain, counters) = (plain(outcome), &outcome.counters);
    let conflicts = counters.shared_bank_conflicts.min(plain);
    [
        (plain - conflicts) as f64 * rates.wavefront,
        conflicts as f64 * rates.wavefront,
        atomic(outcome) * rates.atomic_wavefront,
    ]
}
