//! Latency: how long a block takes that nothing but its own dependences holds up.
//!
//! Formula, in cycles: over the kinds of wait, how often the longest chain of
//! dependent instructions waits so, times what one such wait takes. The chains
//! are the emulator's ([`Timeline`]), of up to four blocks of a launch: the longest
//! holds up the first round of blocks, their mean each further one. Little's law
//! is in it: as many chains run side by side as blocks are resident.

use super::history::Traffic;
use super::rates::Rates;
use crate::emulator::{Counters, CriticalPath, Timeline, Wait};

/// Cycles of the longest chain, and of the mean one, of whose loads beyond L1 a share
/// is `fresh`.
pub(super) fn cycles(
    timelines: &[Timeline],
    counters: &Counters,
    warps: f64,
    traffic: &Traffic,
    rates: &Rates,
    fresh: f64,
) -> (f64, f64) {
    // Where no timeline was recorded, an average warp does one thing after the other.
    if timelines.is_empty() {
        let alone = of(&average(counters, warps), traffic, rates, 1.0);
        return (alone, alone);
    }
    let each = |fresh: f64| {
        timelines.iter().map(move |timeline| of(&timeline.critical_path, traffic, rates, fresh))
    };
    let longest = each(1.0).fold(0.0, f64::max);
    // The first blocks all wait for DRAM, and together; what they share with later ones
    // is in L2 by then.
    (longest, each(fresh).sum::<f64>() / timelines.len() as f64)
}

/// Cycles of one chain. A share `fresh` of its loads reads lines that no earlier block
/// read. The other loads hit L2 and take less.
fn of(chain: &CriticalPath, traffic: &Traffic, rates: &Rates, fresh: f64) -> f64 {
    let mut waits = rates.waits;
    let far = &mut waits[Wait::Dram as usize];
    *far += (1.0 - fresh * (1.0 - traffic.warm_share())) * (rates.warm - *far);
    chain.waits.iter().zip(waits).map(|(&times, cycles)| f64::from(times) * cycles).sum()
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
