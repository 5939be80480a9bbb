//! What a launch asks L1 for and what L1 does not answer.
//!
//! Formula, in cycles over all multiprocessors: passes of loads and stores, one a cycle, through the same
//! banks as those of shared memory. A pass serves each bank of 4 bytes once, and looks up one line in each
//! of four groups. What misses L1 is replayed from the accesses of the blocks of one multiprocessor
//! ([`crate::emulator::Timeline`]).
//!
//! Local memory lies in L1 with the words of a warp's lanes next to each other.

use super::rates::Rates;
use crate::emulator::Outcome;

/// Bytes of a sector and of a line.
const SECTOR: f64 = 32.0;
const LINE: f64 = 128.0;

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

/// Sectors that stores send to L2, without those that L1 joins to what was stored just before.
pub(super) fn stored(outcome: &Outcome) -> f64 {
    let (gone, joined) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.stored.0, sum.1 + timeline.joined));
    let share = if joined == 0 { 1.0 } else { gone as f64 / (gone + joined) as f64 };
    outcome.counters.global_store_sectors as f64 * share
}

/// Of the sectors that stores send to L2, the share that is written only in part.
pub(super) fn partial(outcome: &Outcome) -> f64 {
    let (stored, partial) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.stored.0, sum.1 + timeline.partial));
    partial as f64 / stored.max(1) as f64
}

/// Share of the loads' sectors that L1 does not answer.
pub(super) fn missed(outcome: &Outcome) -> f64 {
    let (asked, found) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.sectors.0, sum.1 + timeline.sectors.1));
    if asked == 0 { 1.0 } else { 1.0 - found as f64 / asked as f64 }
}

/// Of the sectors that loads ask for, the share that blocks which run at the same time have loaded
/// before.
pub(super) fn loaded_before(outcome: &Outcome) -> f64 {
    let (asked, before) = outcome.timelines.iter().fold((0.0, 0.0), |(asked, before), timeline| {
        let own = timeline.sectors.0 as f64;
        (asked + own, before + own * f64::from(timeline.before))
    });
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
    let (asked, found) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.local.0, sum.1 + timeline.local.1));
    let missed = if asked == 0 { 0.0 } else { 1.0 - found as f64 / asked as f64 };
    outcome.counters.local_load_sectors as f64 * missed * SECTOR
}

/// Of the sectors that atomics update, those whose warps go to places far apart in no order.
pub(super) fn scattered_atomics(outcome: &Outcome) -> f64 {
    let (all, scattered) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.updated.0, sum.1 + timeline.updated.1));
    if all == 0 { 1.0 } else { scattered as f64 / all as f64 }
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
    let (mut torn, mut stored, mut fetched, mut again, mut asked) = (0, 0, 0, 0, 0);
    let mut local = (0, 0, 0);
    for timeline in &outcome.timelines {
        torn += timeline.torn;
        stored += timeline.stored.0;
        fetched += timeline.fetched.0;
        again += timeline.fetched.1;
        asked += timeline.sectors.0;
        local.0 += timeline.local.0;
        local.1 += timeline.local_again.0;
        local.2 += timeline.local_again.1;
    }
    let counters = &outcome.counters;
    let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    let loads = counters.global_load_sectors as f64;
    let footprint =
        outcome.touched.iter().map(|it| (it.bytes as f64 / SECTOR).min(it.loads as f64));
    let own = footprint.sum::<f64>() / (loads * share(fetched, asked)).max(1.0);
    Lost {
        loads: loads * share(again, asked) * own.min(1.0),
        stores: self::stored(outcome) * share(torn, stored),
        local: {
            let loads = counters.local_load_sectors as f64;
            (loads * share(local.1, local.0), loads * share(local.2, local.0))
        },
    }
}

/// The share of the fetched sectors that blocks change in place while they touch only one half of
/// the line.
pub(super) fn in_pieces(outcome: &Outcome) -> f64 {
    let (fetched, pieces) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.fetched.0, sum.1 + timeline.pieces));
    pieces as f64 / fetched.max(1) as f64
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
        stored(outcome) * share(stores, stored_all),
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
    let (followed, passes) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.passes.0, sum.1 + timeline.passes.1));
    let bytes = (counters.global_load_sectors + counters.global_store_sectors) as f64 * SECTOR;
    let passes = if followed == 0 {
        bytes / LINE
    } else {
        requests as f64 * passes as f64 / followed as f64
    };
    passes * rates.l1_pass
}

/// An address that the cache of constants does not hold takes it 17 cycles more, as long as so
/// many further addresses that it does (`benches/data/h200/constants.csv`).
const CONSTANT_MISS: f64 = 8.3;

/// Cycles of all constant caches together, for loads whose lanes read at different addresses.
pub(super) fn constant_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let mut all = (0.0, 0);
    for timeline in &outcome.timelines {
        let (further, missed) = timeline.constant_reads;
        all.0 += further as f64 + CONSTANT_MISS * missed as f64;
        all.1 += timeline.instructions;
    }
    let each = all.0 / all.1.max(1) as f64;
    outcome.counters.warp_instructions as f64 * each * rates.constant
}
