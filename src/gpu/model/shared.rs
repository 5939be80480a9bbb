//! Shared memory: one wavefront a cycle and multiprocessor, atomics slower.
//!
//! Formula, in cycles over all multiprocessors: wavefronts of loads and stores x
//! cycles + wavefronts of atomics x cycles. The wavefronts are exact counters.

use super::rates::Rates;
use crate::emulator::Counters;

/// Cycles of the banks of all multiprocessors together.
pub(super) fn cycles(counters: &Counters, rates: &Rates) -> f64 {
    let plain = counters.shared_load_wavefronts + counters.shared_store_wavefronts;
    plain as f64 * rates.wavefront
        + counters.shared_atomic_wavefronts as f64 * rates.atomic_wavefront
}

/// The same by what they are for: plain passes, passes by bank conflicts, atomics.
pub(super) fn parts(counters: &Counters, rates: &Rates) -> [f64; 3] {
    let plain = counters.shared_load_wavefronts + counters.shared_store_wavefronts;
    let conflicts = counters.shared_bank_conflicts.min(plain);
    [
        (plain - conflicts) as f64 * rates.wavefront,
        conflicts as f64 * rates.wavefront,
        counters.shared_atomic_wavefronts as f64 * rates.atomic_wavefront,
    ]
}
