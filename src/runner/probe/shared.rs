//! Shared memory, its atomics, and barriers.

use super::runner::cycles_per_round;
use super::{DeviceFacts, ProbeLaunch, ProbeResults, ProbeRunner};
use crate::backend::Failure;
use crate::gpu::{Architecture, Key};

/// The keys that are measured here.
pub(super) const KEYS: &[Key] = &[
    Key::SharedLatency,
    Key::SharedLoadWavefront,
    Key::SharedStoreWavefront,
    Key::SharedAtomicAdd,
    Key::SharedAtomicIncrement,
    Key::SharedAtomicFloat,
    Key::SharedAtomicLatency,
    Key::Barrier,
    Key::BarrierBusy,
];

/// Bytes of shared memory of the kernels.
const BYTES: u32 = 4096;

/// Accesses per round.
pub(super) const PER_ROUND: u32 = 16;

/// Accesses per round of `probe_shared_float`.
pub(super) const FLOATS_PER_ROUND: u32 = 4;

const ROUNDS: u32 = 16;

/// Lanes that share a word, or wavefronts per access.
const LEVELS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Block sizes of the barriers.
const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// A kernel whose lane `l` accesses word `l / sharers * hop`.
pub(super) fn probe(kernel: &'static str, threads: u32, sharers: u32, hop: u32) -> ProbeLaunch {
    ProbeLaunch::new(kernel, (1, threads), [ROUNDS, sharers, hop]).shared(BYTES)
}

pub(super) fn run(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    for (key, kernel) in [
        (Key::SharedLoadWavefront, "probe_shared_load"),
        (Key::SharedStoreWavefront, "probe_shared_store"),
    ] {
        curve(runner, found, key, PER_ROUND, |level| probe(kernel, 1024, 1, level))?;
    }
    for (key, kernel, per_round) in [
        (Key::SharedAtomicAdd, "probe_shared_add", PER_ROUND),
        (Key::SharedAtomicIncrement, "probe_shared_increment", PER_ROUND),
        (Key::SharedAtomicFloat, "probe_shared_float", FLOATS_PER_ROUND),
    ] {
        curve(runner, found, key, per_round, |level| probe(kernel, 1024, level, 1))?;
    }
    for (key, kernel) in [
        (Key::SharedLatency, "probe_shared_chase"),
        (Key::SharedAtomicLatency, "probe_shared_atomic_chase"),
    ] {
        let round = cycles_per_round(runner, &probe(kernel, 1, 1, 1))?;
        found.put(key, round.times(1.0 / f64::from(PER_ROUND)));
    }
    let architecture = Architecture::of(facts.compute_capability);
    for (key, fill) in [(Key::Barrier, false), (Key::BarrierBusy, true)] {
        let mut points = Vec::new();
        for threads in BLOCKS {
            let blocks = (facts.threads_per_sm() / threads).clamp(1, architecture.blocks);
            let grid = if fill { facts.sms * blocks } else { 1 };
            let probe = ProbeLaunch::new("probe_barrier", (grid, threads), [ROUNDS, 0, 0]);
            let barrier = cycles_per_round(runner, &probe)?.times(1.0 / f64::from(PER_ROUND));
            points.push((f64::from(threads), barrier));
        }
        found.curve(key, &points);
    }
    Ok(())
}

/// Cycles of one warp's access at each level, with 32 busy warps.
fn curve(
    runner: &mut dyn ProbeRunner,
    found: &mut ProbeResults,
    key: Key,
    per_round: u32,
    probe: impl Fn(u32) -> ProbeLaunch,
) -> Result<(), Failure> {
    let mut points = Vec::new();
    for level in LEVELS {
        let round = cycles_per_round(runner, &probe(level))?;
        points.push((f64::from(level), round.times(1.0 / f64::from(32 * per_round))));
    }
    found.curve(key, &points);
    Ok(())
}
