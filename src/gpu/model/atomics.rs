//! Atomics on global memory: passes at the slices of L2.
//!
//! Formula, in seconds: the larger of the passes of the busiest slice / its rate,
//! and of all passes / what all slices do together; in cycles over all
//! multiprocessors, passes x the cycles of sending one. Slices look
//! after 256 bytes each; how many passes fall on each is an exact counter.

use super::rates::{Rates, SLICES_PER_SM};
use crate::emulator::Outcome;
use crate::gpu::GpuSpec;

/// Seconds that the L2 takes for atomics: its busiest slice, or all of them
/// together, whichever is slower.
pub(super) fn seconds(outcome: &Outcome, spec: &GpuSpec, rates: &Rates) -> f64 {
    let slices = (f64::from(spec.sms) * SLICES_PER_SM).round().max(4.0) as usize;
    let mut load = vec![0_u64; slices];
    for (allocation, chunks) in outcome.atomic_chunks.iter().enumerate() {
        for (chunk, &passes) in chunks.iter().enumerate() {
            load[slice(allocation, chunk, slices)] += passes;
        }
    }
    let busiest = load.into_iter().max().unwrap_or_default() as f64;
    let all = outcome.counters.global_atomic_passes as f64;
    (busiest / rates.slice).max(all / rates.slices)
}

/// Cycles of all multiprocessors together to send them.
pub(super) fn cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    outcome.counters.global_atomic_passes as f64 * rates.pass
}

/// The slice that looks after 256 bytes. The real hash is not published; what
/// was measured is that 2 KiB lie on 4 slices, 8 KiB on 16, and that larger
/// ranges spread as if at random over the rest. 1 KiB was found on 2 slices in
/// most allocations and on 4 in some; this takes 2.
pub(super) fn slice(allocation: usize, chunk: usize, slices: usize) -> usize {
    let (group, within) = (chunk / 8, chunk % 2 + chunk / 4 % 2 * 2);
    let quads = (slices / 4).max(1);
    let quad = if group < 4 {
        (group + 5 * allocation) % quads
    } else {
        let mixed = (group as u64 * 31 + allocation as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 33) as usize % quads
    };
    quad * 4 + within
}
