//! Atomics in global memory, by place and by type.

use super::bench::{cycles_per_round, seconds, seconds_per_round};
use super::shot::Data;
use super::{Estimate, Facts, Found, Lab, Shot};
use crate::backend::Failure;
use crate::gpu::Key;

/// What is found here.
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

/// Words in use.
const WORDS: [u32; 14] =
    [1, 2, 8, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 14, 1 << 16, 1 << 18, 1 << 20];

/// A grid that fills the GPU.
fn full(facts: &Facts) -> (u32, u32) {
    (facts.sms * (facts.threads_per_sm() / 256).max(1), 256)
}

/// Random words of so many, of 4 or 8 bytes.
pub(super) fn shot(
    kernel: &'static str,
    shape: (u32, u32),
    repeat: u32,
    words: u32,
    bytes: u32,
) -> Shot {
    let data = Data::Written(u64::from(words * (bytes / 4)).max(64));
    Shot::new(kernel, shape, [repeat, words, 0]).on(data)
}

/// Atomics a second: one more round of all threads, and its time.
fn rate(lab: &mut dyn Lab, shot: &Shot) -> Result<Estimate, Failure> {
    let round = seconds_per_round(lab, shot)?;
    Ok(round.rate_of(f64::from(shot.grid) * f64::from(shot.block)))
}

pub(super) fn run(lab: &mut dyn Lab, facts: &Facts, found: &mut Found) -> Result<(), Failure> {
    let shape = full(facts);
    let mut points = Vec::new();
    for words in WORDS {
        // Few words are slow.
        let repeat = if words < 512 { 4 } else { 32 };
        let rate = rate(lab, &shot("probe_atomic_add", shape, repeat, words, 4))?;
        if words == 1 {
            found.put(Key::AtomicSlice, rate);
        }
        points.push((f64::from(4 * words), rate));
    }
    found.curve(Key::AtomicByBytes, &points);

    // As many words as fit a third of L2, so that DRAM has no part in it.
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
            found.put(key, rate(lab, &shot(kernel, shape, 32, words, bytes))?);
        }
    }
    points.clear();
    for sharers in [1, 2, 4, 8, 16, 32] {
        let mut shot = shot("probe_atomic_lanes", shape, 32, words, 4);
        shot.numbers[2] = sharers;
        points.push((f64::from(sharers), rate(lab, &shot)?));
    }
    found.curve(Key::AtomicByLanes, &points);

    let chase = Shot::new("probe_chase_atomic", (1, 1), [1024, 1 << 18, 32])
        .on(Data::Written(1 << 18))
        .after("probe_ring", [0, 1 << 18, 32]);
    found.put(Key::AtomicLatency, cycles_per_round(lab, &chase)?);

    if let (Some(all), Some(one)) = (found.get(Key::AtomicAddU32), found.get(Key::AtomicSlice)) {
        found.put(Key::L2Slices, Estimate { value: (all / one).round().max(1.0), spread: 0.0 });
    }
    let mut pairs = Vec::new();
    for hop in [8, 16, 32, 64, 128, 256, 512] {
        let mut shot = shot("probe_atomic_pair", shape, 8, 1024, 4);
        shot.numbers[2] = hop;
        pairs.push((4 * hop, seconds(lab, &shot)?.value));
    }
    if let Some(bytes) = interleave(&pairs) {
        found.put(Key::L2Interleave, Estimate { value: f64::from(bytes), spread: 0.0 });
    }
    Ok(())
}

/// The first distance at which two words no longer take as long as in one slice,
/// from the times of pairs at rising distances.
pub(super) fn interleave(pairs: &[(u32, f64)]) -> Option<u32> {
    let (_, together) = pairs.first()?;
    pairs.iter().find(|(_, seconds)| *seconds < 0.75 * together).map(|(bytes, _)| *bytes)
}
