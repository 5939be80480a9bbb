//! What a launch asks L1 for and what L1 does not answer.
//!
//! Formula, in cycles over all multiprocessors: passes of loads and stores, one a cycle, through the same
//! banks as those of shared memory. A pass serves each bank of 4 bytes once, and looks up one line in each
//! of four groups. What misses L1 is replayed from the accesses of the blocks of one multiprocessor
//! ([`crate::emulator::Timeline`]).
//!
//! Local memory lies in L1 with the words of a warp's lanes next to each other.

use super::followed::{of_block, share};
use super::rates::Rates;
use crate::emulator::{Outcome, Timeline};

/// Bytes of a sector and of a line.
const SECTOR: f64 = 32.0;
const LINE: f64 = 128.0;

/// Times by which single sectors of lines make loads, and stores, dearer: 1 to 2.
pub(super) fn scatter(outcome: &Outcome) -> (f64, f64) {
    (
        (2.0 * share(outcome, |it| it.lines, Timeline::missed)).max(1.0),
        (2.0 * share(outcome, |it| it.stored.1, |it| it.stored.0)).max(1.0),
    )
}

/// Sectors that stores send to L2, without those that L1 joins to what was stored just before.
pub(super) fn stored(outcome: &Outcome) -> f64 {
    let joined = share(outcome, |it| it.joined, |it| it.stored.0 + it.joined);
    outcome.counters.global_store_sectors as f64 * (1.0 - joined)
}

/// Of the sectors that stores send to L2, the share that is written only in part.
pub(super) fn partial(outcome: &Outcome) -> f64 {
    share(outcome, |it| it.partial, |it| it.stored.0)
}

/// Share of the loads' sectors that L1 does not answer.
pub(super) fn missed(outcome: &Outcome) -> f64 {
    1.0 - share(outcome, |it| it.sectors.1, |it| it.sectors.0)
}

/// Of the sectors that loads ask for, the share that blocks which run at the same time have loaded
/// before.
pub(super) fn loaded_before(outcome: &Outcome) -> f64 {
    let asked = of_block(outcome, |it| it.sectors.0);
    let before = outcome.of_block(|it| it.sectors.0 as f64 * f64::from(it.before));
    if asked > 0.0 { before / asked } else { 0.0 }
}

/// Of the loads beyond L1, the share that wants what no other wanted before it, where
/// all together want so many distinct bytes.
pub(super) fn fresh(outcome: &Outcome, distinct: f64) -> f64 {
    let all = outcome.counters.global_load_sectors as f64 * missed(outcome) * SECTOR;
    if all > 0.0 { (distinct / all).min(1.0) } else { 1.0 }
}

/// Bytes of local memory that loads do not find in L1.
pub(super) fn local_missed(outcome: &Outcome) -> f64 {
    let missed = share(outcome, |it| it.local.0 - it.local.1, |it| it.local.0);
    outcome.counters.local_load_sectors as f64 * missed * SECTOR
}

/// Of the sectors that atomics update, those whose warps go to places far apart in no order.
pub(super) fn scattered_atomics(outcome: &Outcome) -> f64 {
    if of_block(outcome, |it| it.updated.0) == 0.0 {
        return 1.0;
    }
    share(outcome, |it| it.updated.1, |it| it.updated.0)
}

/// Sectors that L2 loses while blocks still want them.
pub(super) struct Lost {
    /// Those that loads ask for again.
    pub(super) loads: f64,
    /// Those written of lines whose other sectors are written later.
    pub(super) stores: f64,
    /// Those of local memory that loads ask for again, and those written there.
    pub(super) local: (f64, f64),
}

/// What L2 loses, by the replay of one multiprocessor's blocks in its share of L2. What several
/// multiprocessors read stays for the others, and counts by how much of it each has to itself.
pub(super) fn lost(outcome: &Outcome) -> Lost {
    let of = |part, whole| share(outcome, part, whole);
    let counters = &outcome.counters;
    let loads = counters.global_load_sectors as f64;
    let footprint =
        outcome.touched.iter().map(|it| (it.bytes as f64 / SECTOR).min(it.loads as f64));
    let fetched = of(|it| it.fetched.0, |it| it.sectors.0);
    let own = footprint.sum::<f64>() / (loads * fetched).max(1.0);
    let local = counters.local_load_sectors as f64;
    Lost {
        loads: loads * of(|it| it.fetched.1, |it| it.sectors.0) * own.min(1.0),
        stores: stored(outcome) * of(|it| it.torn, |it| it.stored.0),
        local: (
            local * of(|it| it.local_again.0, |it| it.local.0),
            local * of(|it| it.local_again.1, |it| it.local.0),
        ),
    }
}

/// The share of the fetched sectors that blocks change in place while they touch only one half of
/// the line.
pub(super) fn in_pieces(outcome: &Outcome) -> f64 {
    share(outcome, |it| it.pieces, |it| it.fetched.0)
}

/// Sectors of loads beyond L1, and of stores, whose warps go to places far apart in no
/// order, and the bytes over which they spread.
pub(super) fn scattered(outcome: &Outcome) -> (f64, f64, f64) {
    let span = outcome.timelines.iter().map(|it| it.span).max().unwrap_or_default();
    let loads = share(outcome, |it| it.scattered.0, Timeline::missed).min(1.0);
    let stores = share(outcome, |it| it.scattered.1, |it| it.stored.0).min(1.0);
    let counters = &outcome.counters;
    (
        counters.global_load_sectors as f64 * missed(outcome) * loads,
        stored(outcome) * stores,
        span as f64,
    )
}

/// Cycles of all L1 together: a pass each.
pub(super) fn l1_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let requests = counters.global_load_requests
        + counters.global_store_requests
        + counters.local_load_requests
        + counters.local_store_requests;
    let bytes = (counters.global_load_sectors + counters.global_store_sectors) as f64 * SECTOR;
    let passes = if of_block(outcome, |it| it.passes.0) == 0.0 {
        bytes / LINE
    } else {
        requests as f64 * share(outcome, |it| it.passes.1, |it| it.passes.0)
    };
    passes * rates.l1_pass
}

/// An address that the cache of constants does not hold takes it 17 cycles more, as long as so
/// many further addresses that it does (`benches/data/h200/constants.csv`).
const CONSTANT_MISS: f64 = 8.3;

/// Cycles of all constant caches together, for loads whose lanes read at different addresses.
pub(super) fn constant_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let each = share(outcome, |it| it.constant_reads.0, |it| it.instructions)
        + CONSTANT_MISS * share(outcome, |it| it.constant_reads.1, |it| it.instructions);
    outcome.counters.warp_instructions as f64 * each * rates.constant
}
