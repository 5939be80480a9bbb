//! L1 and L2: passes through a multiprocessor's L1, bytes between it and L2,
//! and bytes that the whole L2 moves.
//!
//! Formulas, in cycles over all multiprocessors: passes of loads and stores, one a cycle,
//! through the same banks as those of shared memory; bytes to and from L2 / the rate of the way there; in seconds, the same / the rate of
//! the whole L2. A pass serves each bank of 4 bytes once, and looks up one line in each of
//! four groups. What misses L1 is replayed from the accesses of the blocks of one
//! multiprocessor ([`crate::emulator::Timeline`]). If a request reads one sector of a line, L2
//! spends the time of two (strided reads on an H200 reach half of its rate). A partly
//! written sector costs more than a whole one, because L2 merges old and new bytes.
//!
//! Local memory lies in L1 with the words of a warp's lanes next to each other.

use super::rates::{Rates, STORED_PART};
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

/// What a sector that is stored in part costs of one that comes alone from its line, 18.4 ps of the
/// GPU: less if the request stores to others of the line too.
///
/// Where all places lie in L2 and requests go on in order, a sector costs 8.2 ps and each line that a
/// request goes to 5.7 more, however many bytes are stored (`benches/data/h200/stores.csv`). Kernels
/// that store one or two sectors of each line take longer than that: 18.4 and 12 ps (stores to rows of
/// 256 and 64 bytes that DRAM takes). The dearer of both counts.
fn in_part(outcome: &Outcome) -> f64 {
    let (stored, lines) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.stored.0, sum.1 + timeline.stored.1));
    let lines = lines as f64 / stored.max(1) as f64;
    ((8.2 + 5.7 * lines) / 18.4).max(1.3 * lines).min(1.0)
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
fn partial(outcome: &Outcome) -> f64 {
    let (stored, partial) = outcome
        .timelines
        .iter()
        .fold((0, 0), |sum, timeline| (sum.0 + timeline.stored.0, sum.1 + timeline.partial));
    partial as f64 / stored.max(1) as f64
}

/// Share of the loads' sectors that L1 does not answer.
fn missed(outcome: &Outcome) -> f64 {
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

/// Bytes of local memory that pass between L1 and L2: what loads miss, and all that is stored,
/// since L1 writes it through (sectors written at L2 by kernels of the outside suite). Lanes at
/// different indices store parts of sectors.
fn local_to_l2(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let (requests, sectors) = (counters.local_store_requests, counters.local_store_sectors as f64);
    let apart = ((sectors / requests.max(1) as f64 - 4.0) / 28.0).clamp(0.0, 1.0);
    local_missed(outcome) + sectors * SECTOR * (rates.local + apart * (rates.partial - rates.local))
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

/// Of the sectors that are loaded, and of those stored, the shares that lanes of warps move. Bulk
/// copies move the others, as whole lines past L1; followed blocks tell of lanes alone. Blocks
/// differ, so only a kernel of which bulk copies move most counts as one.
fn by_lanes(outcome: &Outcome) -> (f64, f64) {
    let (mut loaded, mut stored, mut instructions) = (0, 0, 0);
    for timeline in &outcome.timelines {
        loaded += timeline.sectors.0;
        stored += timeline.stored.0 + timeline.joined;
        instructions += timeline.instructions;
    }
    let counters = &outcome.counters;
    let times = counters.warp_instructions as f64 / instructions.max(1) as f64;
    let share = |followed: u64, all: u64| {
        let share = followed as f64 * times / all.max(1) as f64;
        if instructions == 0 || share > 0.25 { 1.0 } else { share }
    };
    (share(loaded, counters.global_load_sectors), share(stored, counters.global_store_sectors))
}

/// How much faster copies that go past L1 come from L2 than loads, which fill L1 with a sector a
/// cycle: set by hand on the fitting half of `tensor-cores` and `tensor-cores-bulk`. A loop of
/// nothing but copies is 2.1 times as fast as one of loads with 8 warps, and as fast with 32
/// (`benches/data/h200/copies.csv`).
const PAST_L1: f64 = 1.2;

/// Bytes that go to and from L2: of loads that L1 does not answer, and stores. Those of copies that
/// go past L1 count as the bytes of loads that take as long.
fn to_l2(outcome: &Outcome, rates: &Rates) -> f64 {
    let (loads, stores) = scatter(outcome);
    let loads = 1.0 + rates.single * (loads - 1.0);
    let counters = &outcome.counters;
    let (load_lanes, store_lanes) = by_lanes(outcome);
    let past = 1.0 / PAST_L1;
    let each_load = past + load_lanes * (missed(outcome) * loads - past);
    let partial = partial(outcome);
    let each_store = 1.0
        + store_lanes
            * ((1.0 - partial) * stores + partial * in_part(outcome) * rates.partial - 1.0);
    let sectors = counters.global_load_sectors as f64 * each_load + stored(outcome) * each_store;
    let (random, ..) = scattered(outcome);
    (sectors + random * loads * (rates.random_l2 - 1.0)) * SECTOR + local_to_l2(outcome, rates)
}

/// Times by which sectors of lines that are not whole cost L2 more.
pub(super) fn dearer(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let sectors = counters.global_load_sectors as f64 * missed(outcome) + stored(outcome);
    let local = local_missed(outcome) + counters.local_store_sectors as f64 * SECTOR;
    let bytes = sectors * SECTOR + local;
    if bytes > 0.0 { (to_l2(outcome, rates) / bytes).max(1.0) } else { 1.0 }
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

/// Cycles of all constant caches together, for loads whose lanes read at different addresses.
pub(super) fn constant_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let (words, instructions) = outcome.timelines.iter().fold((0, 0), |sum, timeline| {
        (sum.0 + timeline.constant_passes, sum.1 + timeline.instructions)
    });
    let each = words as f64 / instructions.max(1) as f64;
    outcome.counters.warp_instructions as f64 * each * rates.constant
}

/// Cycles of the ways to L2 together.
pub(super) fn l2_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let (_, lanes) = by_lanes(outcome);
    let parts = stored(outcome) * lanes * partial(outcome) * in_part(outcome);
    let others = (to_l2(outcome, rates) - parts * rates.partial * SECTOR).max(0.0);
    others / rates.l2 + parts * STORED_PART
}

/// Seconds of the whole L2: of all its slices together, or of those that one small
/// allocation lies on.
pub(super) fn l2_seconds(outcome: &Outcome, rates: &Rates) -> f64 {
    let busiest = outcome.touched.iter().map(|touched| {
        let slices = (touched.bytes as f64 / ON_A_SLICE).max(1.0);
        touched.stores as f64 * STORE / slices / rates.slice
    });
    busiest.fold(to_l2(outcome, rates) / rates.l2_all, f64::max)
}

/// Bytes of an allocation for each slice of L2 that it lies on: 2 KiB on 4, 8 KiB on 16.
const ON_A_SLICE: f64 = 512.0;

/// What a slice of L2 takes for a store to the sector that it stored to last, in passes of an
/// atomic: 385,572 stores to one flag (`bfs_step` of `benches/data/h200/suite.jsonl`) take
/// 1.18 ns each.
const STORE: f64 = 1.62;
