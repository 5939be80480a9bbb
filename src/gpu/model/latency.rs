//! Latency: how long a block takes that nothing but its own dependences holds up.
//!
//! Formula, in cycles: over the kinds of wait, how often the longest chain of
//! dependent instructions waits so, times what one such wait takes. The chains
//! are the emulator's ([`Course`]), of up to four blocks of a launch: the longest
//! holds up the first round of blocks, their mean each further one. Little's law
//! is in it: as many chains run side by side as blocks are resident.

use super::history::Traffic;
use super::rates::{WAIT_CYCLES, WARM};
use crate::emulator::{Chain, Counters, Course, Wait};

/// Cycles of the longest chain, and of the mean one.
pub(super) fn cycles(
    courses: &[Course],
    counters: &Counters,
    warps: f64,
    traffic: &Traffic,
) -> (f64, f64) {
    // Where no course was recorded, an average warp does one thing after the other.
    if courses.is_empty() {
        let alone = of(&average(counters, warps), traffic);
        return (alone, alone);
    }
    let each = courses.iter().map(|course| of(&course.chain, traffic));
    let (longest, sum) =
        each.fold((0.0_f64, 0.0), |(longest, sum), cycles| (longest.max(cycles), sum + cycles));
    (longest, sum / courses.len() as f64)
}

/// Cycles of one chain: loads of what is in L2 already take less.
fn of(chain: &Chain, traffic: &Traffic) -> f64 {
    let far = 1.0 - traffic.warm_share() * (1.0 - WARM);
    let each = chain.waits.iter().zip(WAIT_CYCLES).enumerate();
    each.map(|(index, (&times, cycles))| {
        f64::from(times) * cycles * if index == Wait::Far as usize { far } else { 1.0 }
    })
    .sum()
}

/// The chain of an average warp in which nothing overlaps.
fn average(counters: &Counters, warps: f64) -> Chain {
    let mut chain = Chain::default();
    let mut add = |wait: Wait, count: u64| {
        chain.waits[wait as usize] += (count as f64 / warps) as f32;
    };
    add(Wait::Arithmetic, counters.warp_instructions);
    add(Wait::Far, counters.global_load_requests);
    add(Wait::Shared, counters.shared_load_requests);
    add(Wait::Barrier, counters.barriers);
    chain
}
