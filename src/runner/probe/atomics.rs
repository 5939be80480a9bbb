//! Atomics in global memory, by address and by type.

use super::launch::Data;
use super::runner::{cycles_per_round, seconds, seconds_per_round};
use super::{DeviceFacts, Estimate, ProbeLaunch, ProbeResults, ProbeRunner};
use crate::backend::Failure;
use crate::gpu::Key;

/// The keys that are measured here.
pub(super) const KEYS: &[Key] = &[
    Key::AtomicSlice,
    Key::AtomicByBytes,
    Key::AtomicByLanes,
    Key::AtomicAddU32,
    Key::AtomicAddU32Used,
    Key::AtomicAddU64,
    Key::AtomicAddF32,
    Key::AtomicAddF64,
    Key::AtomicMaxU32,
    Key::AtomicExchange,
    Key::AtomicCompare,
    Key::AtomicLatency,
    Key::L2Slices,
    Key::L2Interleave,
];

/// Numbers of words.
const WORDS: [u32; 14] =
    [1, 2, 8, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 14, 1 << 16, 1 << 18, 1 << 20];

/// A grid that fills the GPU.
fn full(facts: &DeviceFacts) -> (u32, u32) {
    (facts.sms * (facts.threads_per_sm() / 256).max(1), 256)
}

/// Atomics on random words among `words` of 4 or 8 bytes.
pub(super) fn probe(
    kernel: &'static str,
    shape: (u32, u32),
    repeat: u32,
    words: u32,
    bytes: u32,
) -> ProbeLaunch {
    let data = Data::Written(u64::from(words * (bytes / 4)).max(64));
    ProbeLaunch::new(kernel, shape, [repeat, words, 0]).on(data)
}

/// Atomics per second, from the time of one more round of all threads.
fn rate(runner: &mut dyn ProbeRunner, probe: &ProbeLaunch) -> Result<Estimate, Failure> {
    let round = seconds_per_round(runner, probe)?;
    Ok(round.rate_of(f64::from(probe.grid) * f64::from(probe.block)))
}

pub(super) fn run(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    let shape = full(facts);
    let mut points = Vec::new();
    for words in WORDS {
        // Few words are slow.
        let repeat = if words < 512 { 4 } else { 32 };
        let rate = rate(runner, &probe("probe_atomic_add", shape, repeat, words, 4))?;
        if words == 1 {
            found.put(Key::AtomicSlice, rate);
        }
        points.push((f64::from(4 * words), rate));
    }
    found.curve(Key::AtomicByBytes, &points);

    // The words fit a third of L2, so that DRAM is not used.
    let words = 1_u32 << (facts.l2_bytes / 24).clamp(1 << 10, 1 << 22).ilog2();
    for (key, kernel, bytes, least) in [
        (Key::AtomicAddU32, "probe_atomic_add", 4, 0),
        (Key::AtomicAddU32Used, "probe_atomic_add_used", 4, 0),
        (Key::AtomicAddU64, "probe_atomic_add_u64", 8, 0),
        (Key::AtomicAddF32, "probe_atomic_add_f32", 4, 0),
        (Key::AtomicAddF64, "probe_atomic_add_f64", 8, 60),
        (Key::AtomicMaxU32, "probe_atomic_max", 4, 0),
        (Key::AtomicExchange, "probe_atomic_exchange", 4, 0),
        (Key::AtomicCompare, "probe_atomic_compare", 4, 0),
    ] {
        if facts.compute_capability >= least {
            found.put(key, rate(runner, &probe(kernel, shape, 32, words, bytes))?);
        }
    }
    points.clear();
    for sharers in [1, 2, 4, 8, 16, 32] {
        let mut probe = probe("probe_atomic_lanes", shape, 32, words, 4);
        probe.numbers[2] = sharers;
        points.push((f64::from(sharers), rate(runner, &probe)?));
    }
    found.curve(Key::AtomicByLanes, &points);

    let chase = ProbeLaunch::new("probe_chase_atomic", (1, 1), [1024, 1 << 18, 32])
        .on(Data::Written(1 << 18))
        .after("probe_ring", [0, 1 << 18, 32]);
    found.put(Key::AtomicLatency, cycles_per_round(runner, &chase)?);

    if let (Some(all), Some(one)) = (found.get(Key::AtomicAddU32), found.get(Key::AtomicSlice)) {
        found.put(Key::L2Slices, Estimate { value: (all / one).round().max(1.0), spread: 0.0 });
    }
    let mut pairs = Vec::new();
    for hop in [8, 16, 32, 64, 128, 256, 512] {
        let mut probe = probe("probe_atomic_pair", shape, 8, 1024, 4);
        probe.numbers[2] = hop;
        pairs.push((4 * hop, seconds(runner, &probe)?.value));
    }
    if let Some(bytes) = interleave(&pairs) {
        found.put(Key::L2Interleave, Estimate { value: f64::from(bytes), spread: 0.0 });
    }
    Ok(())
}

/// The first distance in bytes at which two words are in different slices, from the
/// times of pairs at rising distances.
pub(super) fn interleave(pairs: &[(u32, f64)]) -> Option<u32> {
    let (_, together) = pairs.first()?;
    pairs.iter().find(|(_, seconds)| *seconds < 0.75 * together).map(|(bytes, _)| *bytes)
}
