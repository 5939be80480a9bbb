//! L1 and L2: bytes that a multiprocessor's L1 gives, bytes between it and L2,
//! and bytes that the whole L2 moves.
//!
//! Formulas, in cycles over all multiprocessors: sectors of loads x 32 / L1's rate;
//! bytes to and from L2 / the rate of the way there; in seconds, the same / the rate of
//! the whole L2. What misses L1 is replayed from the accesses of the sampled blocks
//! ([`crate::emulator::Timeline`]). If a request reads one sector of a line, L2
//! spends the time of two (strided reads on an H200 reach half of its rate). A partly
//! written sector costs more than a whole one, because L2 merges old and new bytes.
//!
//! Local memory lies in L1 with the words of a warp's lanes next to each other. L1 keeps
//! what is written there until it needs the room.

use super::rates::Rates;
use crate::emulator::Outcome;

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Times by which single sectors of lines make loads, and stores, dearer: 1 to 2.
pub(super) fn scatter(outcome: &Outcome) -> (f64, f64) {
    let (mut missed, mut lines, mut stored, mut store_lines) = (0, 0, 0, 0);
    for timeline in &outcome.timelines {
        missed += timeline.sectors.0 - timeline.sectors.1;
        lines += timeline.lines;
        stored += timeline.stored.0;
        store_lines += timeline.stored.1;
    }
    let times = |sectors: u64, lines: u64| (2.0 * lines as f64 / sectors.max(1) as f64).max(1.0);
    (times(missed, lines), times(stored, store_lines))
}

/// Times by which sectors that are stored in part make stores dearer.
fn partial(outcome: &Outcome, rates: &Rates) -> f64 {
    let (stored, partial) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.stored.0, sum.1 + timeline.partial));
    1.0 + (rates.partial - 1.0) * partial as f64 / stored.max(1) as f64
}

/// Share of the loads' sectors that L1 does not answer.
fn missed(outcome: &Outcome) -> f64 {
    let (asked, found) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.sectors.0, sum.1 + timeline.sectors.1));
    if asked == 0 { 1.0 } else { 1.0 - found as f64 / asked as f64 }
}

/// Of the loads beyond L1, the share that wants what no other wanted before it, where
/// all together want so many distinct bytes.
pub(super) fn fresh(outcome: &Outcome, distinct: f64) -> f64 {
    let all = outcome.counters.global_load_sectors as f64 * missed(outcome) * SECTOR;
    if all > 0.0 { (distinct / all).min(1.0) } else { 1.0 }
}

/// Cycles that L1 takes for each sector of local memory beyond the four of lanes at one
/// offset: a line of its own for each (arrays of 16 words at random indices on an H200:
/// 35 to 47 cycles for 32 sectors).
const SCATTERED_LOCAL: f64 = 1.25;

/// Sectors of local memory that all accesses ask L1 for, and those that pass between L1 and
/// L2: what L1 lacks, and what it writes back to make room.
fn local(outcome: &Outcome) -> (f64, f64) {
    let counters = &outcome.counters;
    let all = (counters.local_load_sectors + counters.local_store_sectors) as f64;
    let (asked, moved) = outcome.timelines.iter().fold((0, 0), |(asked, moved), timeline| {
        let (here, found) = timeline.local;
        (asked + here, moved + here - found + timeline.written_back)
    });
    let share = if asked == 0 { 1.0 } else { moved as f64 / asked as f64 };
    (all, all * share)
}

/// Bytes of local memory that pass between L1 and L2.
pub(super) fn local_bytes(outcome: &Outcome) -> f64 {
    local(outcome).1 * SECTOR
}

/// The same, as L2 sees them: lanes at different indices move single sectors, and write them
/// back in part.
fn local_to_l2(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let requests = (counters.local_load_requests + counters.local_store_requests) as f64;
    let (sectors, _) = local(outcome);
    let apart = ((sectors / requests.max(1.0) - 4.0) / 28.0).clamp(0.0, 1.0);
    local_bytes(outcome) * (1.0 + apart * (2.0 * rates.partial - 1.0))
}

/// Sectors of loads beyond L1, and of stores, whose warps go to places far apart in no
/// order, and the bytes over which they spread.
pub(super) fn scattered(outcome: &Outcome) -> (f64, f64, f64) {
    let (mut loads, mut stores, mut missed_all, mut stored_all, mut span) = (0, 0, 0, 0, 0);
    for timeline in &outcome.timelines {
        loads += timeline.scattered.0;
        stores += timeline.scattered.1;
        missed_all += timeline.sectors.0 - timeline.sectors.1;
        stored_all += timeline.stored.0;
        span = span.max(timeline.span);
    }
    let share = |part: u64, all: u64| (part as f64 / all.max(1) as f64).min(1.0);
    let counters = &outcome.counters;
    (
        counters.global_load_sectors as f64 * missed(outcome) * share(loads, missed_all),
        counters.global_store_sectors as f64 * share(stores, stored_all),
        span as f64,
    )
}

/// Bytes that go to and from L2: of loads that L1 does not answer, and stores.
fn to_l2(outcome: &Outcome, rates: &Rates) -> f64 {
    let (loads, stores) = scatter(outcome);
    let counters = &outcome.counters;
    let sectors = counters.global_load_sectors as f64 * missed(outcome) * loads
        + counters.global_store_sectors as f64 * stores * partial(outcome, rates);
    let (random, ..) = scattered(outcome);
    (sectors + random * loads * (rates.random_l2 - 1.0)) * SECTOR + local_to_l2(outcome, rates)
}

/// Times by which sectors of lines that are not whole cost L2 more.
pub(super) fn dearer(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let sectors = counters.global_load_sectors as f64 * missed(outcome)
        + counters.global_store_sectors as f64;
    let bytes = sectors * SECTOR + local_bytes(outcome);
    if bytes > 0.0 { (to_l2(outcome, rates) / bytes).max(1.0) } else { 1.0 }
}

/// Cycles of all L1 together.
pub(super) fn l1_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let (sectors, _) = local(outcome);
    let requests = (counters.local_load_requests + counters.local_store_requests) as f64;
    let apart = (sectors - 4.0 * requests).max(0.0);
    (counters.global_load_sectors as f64 + sectors) * SECTOR / rates.l1 + SCATTERED_LOCAL * apart
}

/// Cycles of the ways to L2 together.
pub(super) fn l2_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    to_l2(outcome, rates) / rates.l2
}

/// Seconds of the whole L2.
pub(super) fn l2_seconds(outcome: &Outcome, rates: &Rates) -> f64 {
    to_l2(outcome, rates) / rates.l2_all
}
