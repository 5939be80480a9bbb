//! L1 and L2: bytes that a multiprocessor's L1 gives, bytes between it and L2,
//! and bytes that the whole L2 moves.
//!
//! Formulas, in cycles over all multiprocessors: sectors of loads x 32 / L1's
//! rate; (sectors of loads that miss L1 + sectors of stores) x 32 / the rate of
//! the way to L2, or of the whole L2. What misses L1 is replayed from the
//! accesses of the sampled blocks ([`crate::emulator::Course`]).

use super::rates::{L1_BYTES_PER_CYCLE, L2_BYTES_PER_CYCLE, L2_TOTAL_BYTES_PER_CYCLE};
use crate::emulator::Outcome;

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Sectors that go to L2: loads that L1 does not answer, and stores.
fn to_l2(outcome: &Outcome) -> f64 {
    let (asked, found) = outcome
        .courses
        .iter()
        .fold((0, 0), |sum, course| (sum.0 + course.sectors.0, sum.1 + course.sectors.1));
    let missed = if asked == 0 { 1.0 } else { 1.0 - found as f64 / asked as f64 };
    let counters = &outcome.counters;
    counters.global_load_sectors as f64 * missed + counters.global_store_sectors as f64
}

/// Cycles of all L1 together.
pub(super) fn l1_cycles(outcome: &Outcome) -> f64 {
    outcome.counters.global_load_sectors as f64 * SECTOR / L1_BYTES_PER_CYCLE
}

/// Cycles of the ways to L2 together.
pub(super) fn l2_cycles(outcome: &Outcome) -> f64 {
    to_l2(outcome) * SECTOR / L2_BYTES_PER_CYCLE
}

/// Cycles of the whole L2 of a GPU with so many multiprocessors.
pub(super) fn l2_total_cycles(outcome: &Outcome, sms: f64) -> f64 {
    to_l2(outcome) * SECTOR / (L2_TOTAL_BYTES_PER_CYCLE * sms)
}
