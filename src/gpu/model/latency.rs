//! Latency: how long a block takes that nothing but its own dependences holds up.
//!
//! Formula, in cycles: over the kinds of wait, how often the longest chain of
//! dependent instructions waits so, times what one such wait takes. The chains
//! are the emulator's ([`Timeline`]), of up to four blocks of a launch: the longest
//! holds up the first round of blocks, their mean each further one. Little's law
//! is in it: as many chains run side by side as blocks are resident.

use super::followed;
use super::history::Traffic;
use super::rates::Rates;
use crate::emulator::{Counters, CriticalPath, Outcome, Timeline, WAITS, Wait};

/// Cycles of the longest chain and of the mean one, and the waits that they consist of.
pub(super) struct Chains {
    /// Cycles of the longest chain.
    pub(super) longest: f64,
    /// Cycles of the mean chain.
    pub(super) mean: f64,
    /// Cycles of each kind of wait in the longest chain.
    pub(super) longest_waits: [f64; WAITS],
    /// Cycles of each kind of wait in the mean chain.
    pub(super) mean_waits: [f64; WAITS],
}

impl Chains {
    /// Whether copies run ahead of the chains, which then do not wait for DRAM: from 0, where
    /// they do, to 1.
    pub(super) fn ahead(&self) -> f64 {
        let far = self.longest_waits[Wait::Dram as usize] / self.longest.max(1.0);
        (1.0 - far / WAITS_FOR_DRAM).max(0.0)
    }
}

/// From this share of a chain on that waits for DRAM, all of it may.
const WAITS_FOR_DRAM: f64 = 0.02;

/// From this many times the mean length of all blocks on, a followed block that takes work by
/// an atomic took that of others: the emulator runs one block after the other.
const GREEDY: f64 = 4.0;

/// Of few blocks, one that has this share of all work did, beside what each does once.
const MOST: f64 = 0.6;

/// How many times as long as the mean a block has to be to count as one that took the work of
/// others. Two blocks need more for that: the second may have next to nothing to do.
pub(super) fn greedy(blocks: f64) -> f64 {
    if blocks > 2.0 { GREEDY.min(MOST * blocks) } else { GREEDY }
}

/// Whether blocks take their work by an atomic: one took that of others.
pub(super) fn takes_turns(outcome: &Outcome, blocks: f64) -> bool {
    let mean = outcome.counters.warp_instructions as f64 / blocks;
    let most = followed::longest(outcome).max(outcome.heaviest as f64);
    outcome.takes_turns && most > greedy(blocks) * mean.max(1.0)
}

/// The share of a followed block's chain that it has where blocks that run side by side
/// take turns: 1 unless it took the work of others.
fn fair(timeline: &Timeline, (mean, blocks): (f64, f64), takes_turns: bool) -> f64 {
    let times = timeline.instructions as f64 / mean.max(1.0);
    if takes_turns && times > greedy(blocks) { 1.0 / times } else { 1.0 }
}

/// The chains of a launch of whose loads beyond L1 a share is `fresh`.
pub(super) fn chains(
    outcome: &Outcome,
    blocks: f64,
    warps: f64,
    traffic: &Traffic,
    rates: &Rates,
    fresh: f64,
) -> Chains {
    let (timelines, counters) = (&outcome.timelines, &outcome.counters);
    let length = counters.warp_instructions as f64 / blocks;
    // Where no timeline was recorded, an average warp does one thing after the other.
    if outcome.timelines.is_empty() {
        let waits = of(&average(counters, warps), traffic, rates, 1.0);
        let alone = waits.iter().sum();
        return Chains { longest: alone, mean: alone, longest_waits: waits, mean_waits: waits };
    }
    let waits = |timeline: &Timeline, fresh: f64| {
        let share = fair(timeline, (length, blocks), outcome.takes_turns);
        let fresh = fresh * (1.0 - f64::from(timeline.before));
        of(&timeline.critical_path, traffic, rates, fresh).map(|cycles| cycles * share)
    };
    let (mut longest, mut longest_waits) = (0.0, [0.0; WAITS]);
    for timeline in timelines {
        // The first blocks all wait for DRAM, and together; what they share with later ones is in
        // L2 by then. So it is for a block that goes on when the others have ended.
        let together = beside(timelines, timeline);
        let fresh = fresh + together * (1.0 - rates.shared_first) * (1.0 - fresh);
        let waits = waits(timeline, fresh * (1.0 - (1.0 - together) * left(outcome, timeline)));
        let cycles: f64 = waits.iter().sum();
        if cycles > longest {
            (longest, longest_waits) = (cycles, waits);
        }
    }
    let (of_heaviest, of_mean) = lengths(outcome, length, blocks);
    longest *= of_heaviest;
    longest_waits = longest_waits.map(|cycles| cycles * of_heaviest);
    let mean_waits: [f64; WAITS] =
        std::array::from_fn(|kind| of_mean * outcome.of_block(|it| waits(it, fresh)[kind]));
    let mean = mean_waits.iter().sum();
    Chains { longest, mean, longest_waits, mean_waits }
}

/// The part of a block in which others run too: by their length, each for the work that it does.
fn beside(timelines: &[Timeline], block: &Timeline) -> f64 {
    let own = block.instructions as f64;
    let (work, squares) = timelines.iter().fold((-own, -own * own), |(work, squares), it| {
        let length = it.instructions as f64;
        (work + it.blocks() * length, squares + it.blocks() * length * length)
    });
    if work > 0.0 { (squares / (work * own)).min(1.0) } else { 1.0 }
}

/// Of what a block loads that is alone of its kind, the part that others have stored in the same launch, as a last
/// block finds the sums of all. It is in L2.
fn left(outcome: &Outcome, block: &Timeline) -> f64 {
    let stored = outcome.touched.iter().filter(|it| it.stores > 0);
    let loads = stored.map(|it| it.loads).sum::<u64>() as f64;
    let own = block.sectors.0 as f64;
    // Where others load from there as well, it may be what they have not changed yet.
    if block.others < 0.5 && loads < 1.2 * own { (loads / own).min(1.0) } else { 0.0 }
}

/// How much longer than the longest of the followed blocks the heaviest of all is, and than
/// their mean the mean of all `blocks`, of `length`: by warp instructions. Chains grow alike.
fn lengths(outcome: &Outcome, length: f64, blocks: f64) -> (f64, f64) {
    let followed = followed::longest(outcome);
    let mean = outcome.of_block(|it| it.instructions as f64);
    let heaviest = outcome.heaviest as f64;
    // Blocks that take their work from a counter take turns.
    let took = outcome.takes_turns && heaviest > greedy(blocks) * length;
    if heaviest == 0.0 || mean == 0.0 || took {
        return (1.0, 1.0);
    }
    (heaviest.max(followed) / followed, length / mean)
}

/// Cycles of each kind of wait in one chain. A share `fresh` of its loads reads lines that
/// no earlier block read. The other loads hit L2 and take less.
pub(super) fn of(
    chain: &CriticalPath,
    traffic: &Traffic,
    rates: &Rates,
    fresh: f64,
) -> [f64; WAITS] {
    let mut waits = rates.waits;
    let far = &mut waits[Wait::Dram as usize];
    *far += (1.0 - fresh * (1.0 - traffic.warm_share())) * (rates.warm - *far);
    std::array::from_fn(|kind| f64::from(chain.waits[kind]) * waits[kind])
}

/// The chain of an average warp in which nothing overlaps.
fn average(counters: &Counters, warps: f64) -> CriticalPath {
    let mut chain = CriticalPath::default();
    let mut add = |wait: Wait, count: u64| {
        chain.waits[wait as usize] += (count as f64 / warps) as f32;
    };
    add(Wait::Arithmetic, counters.warp_instructions);
    add(Wait::Dram, counters.global_load_requests);
    add(Wait::Shared, counters.shared_load_requests);
    add(Wait::Barrier, counters.barriers);
    chain
}
