//! L2: bytes between a multiprocessor and L2, and bytes that the whole L2 moves.
//!
//! Formulas: in cycles over all multiprocessors, bytes to and from L2 / the rate of the way there; in
//! seconds of the whole L2, the same / its rate for loads, or what is stored / its rate for stores: a load of a
//! sector takes 3.9 ps, a store 7.1, one of each 7.9 (`benches/data/h200/l2_stores.csv`). If a
//! request reads one sector of a line, L2 spends the time of two (strided reads on an H200 reach half of
//! its rate). A partly written sector costs more than a whole one, because L2 merges old and new bytes.

use super::cache::{local_missed, missed, partial, scatter, scattered, stored};
use super::followed::{of_block, share};
use super::rates::{Rates, STORED_PART};
use crate::emulator::{Outcome, Timeline};

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// How long L2 takes to get a sector that is stored, in loads.
const STORED: f64 = 1.8;

/// Bytes that go to and from L2, as those of loads that take as long on the way.
struct Way {
    /// Of loads that L1 does not answer, and copies that go past L1.
    loads: f64,
    /// Of stores of whole sectors, and of parts of them.
    whole: f64,
    parts: f64,
}

impl Way {
    fn all(&self) -> f64 {
        self.loads + self.whole + self.parts
    }
}

fn way(outcome: &Outcome, rates: &Rates) -> Way {
    let counters = &outcome.counters;
    let (single_loads, single_stores) = scatter(outcome);
    let dearer = 1.0 + rates.single * (single_loads - 1.0);
    let (load_lanes, store_lanes) = by_lanes(outcome);
    let past = 1.0 / PAST_L1;
    let each_load = past + load_lanes * (missed(outcome) * dearer - past);
    let (random, ..) = scattered(outcome);
    let loads =
        counters.global_load_sectors as f64 * each_load + random * dearer * (rates.random_l2 - 1.0);
    let in_parts = store_lanes * partial(outcome);
    let whole = 1.0 - store_lanes + (store_lanes - in_parts) * single_stores;
    let sectors = stored(outcome) * SECTOR;
    let (local_loads, local_stores) = local(outcome, rates);
    Way {
        loads: loads * SECTOR + local_loads,
        whole: sectors * whole,
        parts: sectors * in_parts * in_part(outcome) * rates.partial + local_stores,
    }
}

/// Times by which sectors of lines that are not whole cost L2 more.
pub(super) fn dearer(outcome: &Outcome, rates: &Rates) -> f64 {
    let counters = &outcome.counters;
    let sectors = counters.global_load_sectors as f64 * missed(outcome) + stored(outcome);
    let local = local_missed(outcome) + counters.local_store_sectors as f64 * SECTOR;
    let bytes = sectors * SECTOR + local;
    if bytes > 0.0 { (way(outcome, rates).all() / bytes).max(1.0) } else { 1.0 }
}

/// Cycles of the ways to L2 together.
pub(super) fn cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let (_, lanes) = by_lanes(outcome);
    let parts = stored(outcome) * lanes * partial(outcome) * in_part(outcome);
    let others = (way(outcome, rates).all() - parts * rates.partial * SECTOR).max(0.0);
    others / rates.l2 + parts * STORED_PART
}

/// Seconds of the whole L2: of all its slices together, or of those that one small
/// allocation lies on.
pub(super) fn seconds(outcome: &Outcome, rates: &Rates) -> f64 {
    let busiest = outcome.touched.iter().map(|touched| {
        let slices = (touched.bytes as f64 / ON_A_SLICE).max(1.0);
        touched.stores as f64 * STORE / slices / rates.slice
    });
    let way = way(outcome, rates);
    let all = way.all().max(STORED * way.whole + way.parts);
    busiest.fold(all / rates.l2_all, f64::max)
}

/// What a sector that is stored in part costs of one that comes alone from its line, 18.4 ps of the
/// GPU: less if the request stores to others of the line too.
///
/// Where all places lie in L2 and requests go on in order, a sector costs 8.2 ps and each line that a
/// request goes to 5.7 more, however many bytes are stored (`benches/data/h200/stores.csv`). Kernels
/// that store one or two sectors of each line take longer than that: 18.4 and 12 ps (stores to rows of
/// 256 and 64 bytes that DRAM takes). The dearer of both counts.
fn in_part(outcome: &Outcome) -> f64 {
    let lines = share(outcome, |it| it.stored.1, |it| it.stored.0);
    ((8.2 + 5.7 * lines) / 18.4).max(1.3 * lines).min(1.0)
}

/// Bytes of local memory that pass between L1 and L2: those that loads miss, and all that is stored,
/// since L1 writes it through (sectors written at L2 by kernels of the outside suite). Lanes at
/// different indices store parts of sectors.
fn local(outcome: &Outcome, rates: &Rates) -> (f64, f64) {
    let counters = &outcome.counters;
    let (requests, sectors) = (counters.local_store_requests, counters.local_store_sectors as f64);
    let apart = ((sectors / requests.max(1) as f64 - 4.0) / 28.0).clamp(0.0, 1.0);
    let stored = sectors * SECTOR * (rates.local + apart * (rates.partial - rates.local));
    (local_missed(outcome), stored)
}

/// Of the sectors that are loaded, and of those stored, the shares that lanes of warps move. Bulk
/// copies move the others, as whole lines past L1; followed blocks tell of lanes alone. Blocks
/// differ, so bulk copies count only where they move most of the sectors.
fn by_lanes(outcome: &Outcome) -> (f64, f64) {
    let counters = &outcome.counters;
    let lanes = |moved: fn(&Timeline) -> u64, all: u64| {
        let each = share(outcome, moved, |it| it.instructions);
        let share = each * counters.warp_instructions as f64 / all.max(1) as f64;
        if of_block(outcome, |it| it.instructions) == 0.0 || share > 0.25 { 1.0 } else { share }
    };
    (
        lanes(|it| it.sectors.0, counters.global_load_sectors),
        lanes(|it| it.stored.0 + it.joined, counters.global_store_sectors),
    )
}

/// How much faster copies that go past L1 come from L2 than loads, which fill L1 with a sector a
/// cycle: set by hand on the fitting half of `tensor-cores` and `tensor-cores-bulk`. A loop of
/// nothing but copies is 2.1 times as fast as one of loads with 8 warps, and as fast with 32
/// (`benches/data/h200/copies.csv`).
const PAST_L1: f64 = 1.2;

/// Bytes of an allocation for each slice of L2 that it lies on: 2 KiB on 4, 8 KiB on 16.
const ON_A_SLICE: f64 = 512.0;

/// What a slice of L2 takes for a store to the sector that it stored to last, in passes of an
/// atomic: 385,572 stores to one flag (`bfs_step` of `benches/data/h200/suite.jsonl`) take
/// 1.18 ns each.
const STORE: f64 = 1.62;
