//! What L2 loses of an array that blocks read from end to end, each at its own pace.
//!
//! Resident blocks read such an array several times over at the same time. While they wait for
//! most of what they read, the first to ask waits longest and the others catch up: blocks go in
//! step, and each sector comes out of DRAM once for all of them. Where units of the
//! multiprocessor decide instead, nothing holds them together. After some rounds they are all
//! over the array, and L2 has what another block wants with the chance that a random sector is
//! there.
//!
//! Measured in `benches/data/h200/drift.csv` and by Nsight Compute: of the bytes that the product
//! `global` reads beyond L1, 19 % come out of DRAM at order 4096, 55 % at 6144, 97 % at 8192; of
//! those of `thread-per-element`, which waits, 2, 3 and 3 %.

use crate::emulator::Outcome;
use crate::gpu::GpuSpec;

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// The rule holds if resident blocks read the array at least this many times over, all together.
const STREAMS: f64 = 8.0;

/// Rounds of blocks in which half of the drift happens: of a loop of loads, 0.2 of the bytes come out of
/// DRAM in two rounds, 0.55 in eight, 0.85 in 32 (`drift.csv`). Like the next two, set by hand.
const HALF: f64 = 5.0;

/// Blocks of more threads stay in step: all their warps start together. In a loop of nothing but loads
/// they drift as well, more slowly.
const MOST_THREADS: u32 = 512;

/// How many times as long as waits the units have to take until blocks begin to drift, and until they
/// drift freely.
const DRIFT: (f64, f64) = (1.3, 1.6);

/// How blocks of a launch run.
pub(super) struct Running {
    /// Blocks of the launch.
    pub(super) blocks: f64,
    /// Threads of a block.
    pub(super) threads: u32,
    /// Blocks that are there at a time on all multiprocessors.
    pub(super) resident: f64,
    /// Cycles of the busiest unit, over those that the chains of blocks take.
    pub(super) busy: f64,
}

/// Bytes that come out of DRAM again, because blocks drift apart.
pub(super) fn again(outcome: &Outcome, running: &Running, spec: &GpuSpec) -> f64 {
    let Some(array) = outcome.touched.iter().max_by_key(|it| it.loads) else { return 0.0 };
    let (size, l2) = (array.bytes as f64, spec.l2_bytes as f64);
    let each = outcome.of_block(|it| it.distinct as f64);
    let streams = running.resident * each * SECTOR / size.max(1.0);
    let held = outcome.counters.barriers > 0 || running.threads > MOST_THREADS;
    if size <= l2 || streams < STREAMS || held {
        return 0.0;
    }
    let rounds = running.blocks / running.resident;
    let free = ((running.busy - DRIFT.0) / (DRIFT.1 - DRIFT.0)).clamp(0.0, 1.0);
    let free = free * rounds / (rounds + HALF);
    let wanted = running.blocks * each * SECTOR;
    let in_step = wanted / streams;
    (free * wanted * (1.0 - l2 / size)).max(in_step) - size
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::emulator::{Counters, Timeline, Touched};

    /// Terabytes that DRAM gives again in a product of order 8192. Each block reads a 32nd of the array;
    /// units take `busy` times as long as the waits of blocks.
    fn product(bytes: u64, busy: f64, threads: u32, barriers: u64) -> f64 {
        let timeline = Timeline { distinct: bytes / 32 / 32, ..Timeline::default() };
        let outcome = Outcome {
            counters: Counters { barriers, ..Counters::default() },
            touched: vec![Touched { bytes, loads: 1 << 36, ..Touched::default() }],
            timelines: vec![timeline],
            ..Outcome::default()
        };
        let spec = crate::gpu::find_spec("H200 SXM").unwrap();
        let running = Running { blocks: 262_144.0, threads, resident: 1056.0, busy };
        again(&outcome, &running, &spec) / 1e12
    }

    #[test]
    fn blocks_that_wait_go_in_step_and_others_drift() {
        let waits = product(1 << 28, 1.25, 256, 0);
        // As Nsight Compute saw it: 0.067 of 2 terabytes.
        assert!((waits - 0.067).abs() < 0.001, "{waits}");
        // 2.15 of 2.2 terabytes came out of DRAM.
        let drifts = product(1 << 28, 1.9, 256, 0);
        assert!((1.6..2.2).contains(&drifts), "{drifts}");
    }

    #[test]
    fn nothing_comes_again_of_what_l2_holds_or_barriers_hold_together() {
        let none = [
            product(1 << 25, 2.0, 256, 0),
            product(1 << 28, 2.0, 256, 1),
            product(1 << 28, 2.0, 1024, 0),
        ];
        assert_eq!(none.map(|it| it > 0.0), [false; 3], "{none:?}");
    }
}
