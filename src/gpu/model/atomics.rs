//! Atomics on global memory: passes at the slices of L2.
//!
//! Formula, in seconds: the larger of the passes of the busiest slice / its rate,
//! and of all passes / what all slices do together; in cycles over all
//! multiprocessors, passes x the cycles of sending one. Slices look
//! after 256 bytes each; how many passes fall on each is an exact counter. Where the blocks that
//! run at the same time go to other slices than those before them, each stretch of the launch waits
//! for its own busiest slice.
//!
//! Loops of compare-and-swap try again where threads meet at a word. The emulator runs block
//! after block and sees none of that, so the tries are the model's: of `n` lanes at one word,
//! a success costs about (n + 1) / 2 tries, and 0.27 n where many warps take part (measured
//! from 2 to 8,000 lanes at a word: `benches/data/h200/atomics.csv`). Locks are taken one after
//! the other, each after the round trips of the one before.
//!
//! Additions to one word beside random ones in a table that L2 cannot hold take six times as long
//! as alone (measured: `benches/data/h200/hot.csv`).
//!
//! A float is added to a sector in 2.4 times the time of an integer, if the pass before went to
//! it too (measured: `benches/data/h200/sums.csv`).

use super::rates::{Rates, SLICES_PER_SM};
use crate::emulator::{Outcome, Wait, slice, sums_meet};
use crate::gpu::{GpuSpec, Key};

/// Words of 4 bytes in a chunk that one slice looks after.
const WORDS: f64 = 64.0;

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// Of the rate of additions to random words, what compare-and-swaps reach: 0.7 in whole warps,
/// 0.3 to 0.45 where lanes look for a free word (measured on an H200: `cas_hit` of
/// `atomics.csv`, `insert` of `classes.csv`).
const SWAP_RATE: f64 = 0.5;

/// Passes more for each sum of floats at a sector that the pass before added to: 1.76 ns instead
/// of 0.735.
const FLOAT: f64 = 1.4;

/// How far blocks that start together stay in step: of what atomics would lose if they did, so
/// much is lost (one histogram of sorted keys).
const IN_STEP: f64 = 0.5;

/// Tries of each lane in a loop that ends once the word is good enough, of those that start
/// with the same value of it.
const FIRST_TRIES: f64 = 1.8;

/// Round trips through the queue of a lock's slice for each thread that holds it.
const TRIPS: f64 = 4.6;

/// Seconds of a queue that the latency of an atomic has in it.
const QUEUED: f64 = 0.15e-6;

/// Compare-and-swaps of a launch as the GPU runs them.
struct Contention {
    /// Passes at L2 over those that the emulator counted.
    times: f64,
    /// Compare-and-swaps.
    swaps: f64,
    /// Seconds in which locks are held, one thread after the other.
    locks: f64,
}

/// How many threads meet: of `threads`, so many are `resident` at a time.
pub(super) struct Crowd {
    /// Threads of the launch.
    pub(super) threads: f64,
    /// Threads that are resident on the GPU at a time.
    pub(super) resident: f64,
}

impl Contention {
    /// Where the busiest slice has a `share` of all passes.
    fn of(outcome: &Outcome, crowd: &Crowd, rates: &Rates, clock: f64, share: f64) -> Self {
        let swaps = outcome.swaps;
        let counters = &outcome.counters;
        let passes = (counters.global_atomic_passes as f64).max(1.0);
        let each = passes / (counters.global_atomic_lanes as f64).max(1.0);
        let at_a_time = (crowd.resident / crowd.threads.max(1.0)).min(1.0);
        let words = words(outcome);
        let updates = swaps.updates as f64;
        let meeting = updates * at_a_time;
        let more = if updates == 0.0 {
            0.0
        } else if (swaps.tries as f64) < 0.5 * updates {
            FIRST_TRIES * meeting
        } else {
            (updates * tries(meeting / words) - swaps.tries as f64).max(0.0)
        };
        let holders = swaps.locks as f64;
        let waiting = holders * at_a_time;
        // All wait at first, if they are there at the same time; then as many as come after.
        let waiting = if waiting < holders { waiting } else { 0.5 * waiting };
        let hold = rates.waits[Wait::Atomic as usize] + rates.waits[Wait::L2Hit as usize];
        let fences =
            outcome.timelines.iter().map(|it| it.critical_path.waits[Wait::Fence as usize]);
        let fences = f64::from(fences.fold(0.0, f32::max)) * rates.waits[Wait::Fence as usize];
        let queue = (waiting * share / rates.slice - QUEUED).max(0.0);
        // The fence before the access finds few stores, and takes two fifths of the other.
        let hold = (hold + 1.4 * fences) / clock + TRIPS * queue;
        let locks = if holders > words { holders / words * hold } else { 0.0 };
        Self { times: 1.0 + more * each / passes, swaps: swaps.all as f64 + more, locks }
    }
}

/// Tries for each success where `lanes` update one word at the same time.
fn tries(lanes: f64) -> f64 {
    (0.5 * (lanes + 1.0)).min(8.0 + 0.27 * lanes).max(1.0)
}

/// How many words share the atomics of a launch, were they spread evenly: as many as followed blocks
/// tell, or as there are in the chunks.
fn words(outcome: &Outcome) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for (index, chunks) in outcome.atomic_chunks.iter().enumerate() {
        let bytes = outcome.touched.get(index).map_or(u64::MAX, |touched| touched.bytes);
        let words = WORDS.min(bytes as f64 / 4.0).max(1.0);
        for &passes in chunks {
            sum += passes as f64;
            squares += (passes as f64).powi(2) / words;
        }
    }
    let seen = match outcome.swaps.words {
        0 => f64::INFINITY,
        words => words as f64,
    };
    if squares > 0.0 { (sum * sum / squares).min(seen) } else { 1.0 }
}

/// Seconds that the L2 takes for atomics: its busiest slice, or all of them
/// together, whichever is slower. DRAM takes `missing` seconds for what L2 lacks. A slice serves
/// one atomic after the other: while one waits for DRAM, those on a hot word wait behind it.
pub(super) fn seconds(
    outcome: &Outcome,
    crowd: &Crowd,
    missing: f64,
    spec: &GpuSpec,
    rates: &Rates,
) -> f64 {
    let slices = (f64::from(spec.sms) * SLICES_PER_SM).round().max(4.0) as usize;
    let mut load = vec![0.0; slices];
    for (allocation, chunks) in outcome.atomic_chunks.iter().enumerate() {
        let times = 1.0 + FLOAT * meeting_sums(outcome, allocation);
        for (chunk, &passes) in chunks.iter().enumerate() {
            load[slice(allocation, chunk, slices)] += passes as f64 * times;
        }
    }
    let bunching = 1.0 + IN_STEP * (outcome.bunching - 1.0).max(0.0);
    let busiest = load.into_iter().fold(0.0, f64::max) * bunching;
    let all = outcome.counters.global_atomic_passes as f64;
    // Of those that the busiest slice has beyond its part of all, each waits as long as a mean one,
    // but for the threads that start together: all do the same at the same time.
    let mean = all.max(1.0) / slices as f64;
    let apart = 1.0 - (crowd.resident / crowd.threads.max(1.0)).min(1.0);
    let waits = (busiest - mean).max(0.0) * missing / mean * apart;
    if outcome.swaps.all == 0 {
        return (busiest / rates.slice + waits).max(all / rates.slices);
    }
    let share = (busiest / all.max(1.0)).min(1.0);
    let Contention { times, swaps, locks } =
        Contention::of(outcome, crowd, rates, spec.boost_hz, share);
    let others = (all * times - swaps).max(0.0);
    let spread = others / rates.slices + swaps / (SWAP_RATE * spec.get(Key::AtomicAddU32));
    (busiest * times / rates.slice + waits).max(spread).max(locks)
}

/// Of the passes at an allocation, the part that add floats to a sector which the pass before added
/// to: always within a request, and among requests as often as its few sectors come in turn.
fn meeting_sums(outcome: &Outcome, allocation: usize) -> f64 {
    let counters = &outcome.counters;
    let all = (counters.global_atomic_passes as f64).max(1.0);
    let (sums, repeated) = (outcome.float_sums.0 as f64, outcome.float_sums.1 as f64);
    let bytes = outcome.touched.get(allocation).map_or(u64::MAX, |touched| touched.bytes);
    let sectors = (bytes as f64 / SECTOR).ceil().clamp(1.0, WORDS / 8.0);
    let each =
        counters.global_atomic_sectors as f64 / counters.global_atomic_requests.max(1) as f64;
    let meets = sums_meet(each) / sectors;
    (repeated + (sums - repeated) * meets) / all
}

/// Cycles of all multiprocessors together to send them.
pub(super) fn cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    outcome.counters.global_atomic_passes as f64 * rates.pass
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tries for each success, of as many lanes at one word (`cas_loop` of `atomics.csv`).
    #[test]
    fn tries_grow_with_the_lanes_at_a_word() {
        for (lanes, measured) in [
            (2.1, 2.0),
            (4.1, 3.0),
            (16.5, 7.0),
            (32.0, 16.5),
            (132.0, 41.6),
            (528.0, 143.7),
            (2112.0, 586.8),
            (4224.0, 1127.0),
        ] {
            let ratio = tries(lanes) / measured;
            assert!((0.55..1.45).contains(&ratio), "{lanes}: {ratio}");
        }
        assert!(tries(0.0) >= 1.0);
    }

    #[test]
    fn words_in_use_follow_from_the_chunks() {
        let words_of = |chunks: Vec<u64>, bytes| {
            let touched = vec![crate::emulator::Touched { bytes, ..Default::default() }];
            words(&Outcome { atomic_chunks: vec![chunks], touched, ..Outcome::default() })
        };
        assert!((words_of(vec![9], 4) - 1.0).abs() < 1e-9);
        assert!((words_of(vec![9], 64) - 16.0).abs() < 1e-9);
        assert!((words_of(vec![5; 16], 4096) - 1024.0).abs() < 1e-9);
        assert!((words_of(vec![90, 0, 1], 768) - 65.4).abs() < 0.1, "one chunk has nearly all");
        assert!((words(&Outcome::default()) - 1.0).abs() < 1e-9);
    }
}
