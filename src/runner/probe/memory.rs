//! L1, L2 and DRAM: latencies, and bandwidths by bytes in flight.

use super::launch::Data;
use super::runner::{cycles_per_round, seconds, seconds_per_round};
use super::{DeviceFacts, Estimate, ProbeLaunch, ProbeResults, ProbeRunner};
use crate::backend::Failure;
use crate::gpu::Key;

/// The keys that are measured here.
pub(super) const KEYS: &[Key] = &[
    Key::L1Latency,
    Key::L1Rate,
    Key::L2Latency,
    Key::L2Rate,
    Key::L2ReadByFootprint,
    Key::L2ReadByFlight,
    Key::DramLatency,
    Key::DramRead,
    Key::DramRead4,
    Key::DramWrite,
    Key::DramCopy,
    Key::DramReadByFlight,
    Key::DramReadByStride,
];

/// Steps of a chase.
const STEPS: u32 = 1024;

/// The kernel that reads fastest.
const FASTEST: Reader = Reader { kernel: "probe_read_16x4", bytes: 64 };

/// A kernel that reads: its name, and the bytes in flight per thread.
#[derive(Debug, Clone, Copy)]
struct Reader {
    kernel: &'static str,
    bytes: u32,
}

/// Readers and warps per multiprocessor, by bytes in flight.
const FLIGHTS: [(Reader, u32); 11] = {
    let one = Reader { kernel: "probe_read_4x1", bytes: 4 };
    let wide = Reader { kernel: "probe_read_16x1", bytes: 16 };
    [
        (one, 1),
        (one, 2),
        (one, 4),
        (one, 8),
        (wide, 4),
        (wide, 8),
        (wide, 16),
        (wide, 32),
        (FASTEST, 16),
        (FASTEST, 24),
        (FASTEST, 32),
    ]
};

/// A grid with `warps` warps per multiprocessor.
fn warps(facts: &DeviceFacts, warps: u32) -> (u32, u32) {
    let block = (warps * 32).min(256);
    (facts.sms * (warps * 32 / block), block)
}

/// About `words` words: a multiple of a step of all threads, so that no thread is idle.
fn in_steps(facts: &DeviceFacts, reader: Reader, per_sm: u32, words: u32) -> u32 {
    let step = in_flight(facts, reader, per_sm) as u32 / 4;
    (f64::from(words) / f64::from(step)).round().max(1.0) as u32 * step
}

/// All multiprocessors read `words` words that were read once before.
fn warm(facts: &DeviceFacts, reader: Reader, per_sm: u32, words: u32, repeat: u32) -> ProbeLaunch {
    ProbeLaunch::new(reader.kernel, warps(facts, per_sm), [repeat, words, 0])
        .on(Data::Zeros(u64::from(words)))
        .after("probe_read_16x4", [1, words, 0])
}

/// Time of a kernel for the second half of `words` words. The difference cancels the
/// launch and what the flush left in L2.
fn half_more(
    runner: &mut dyn ProbeRunner,
    (kernel, shape): (&'static str, (u32, u32)),
    words: u32,
    last: u32,
    data: fn(u64) -> Data,
) -> Result<Estimate, Failure> {
    let probe =
        |words: u32| ProbeLaunch::new(kernel, shape, [1, words, last]).on(data(u64::from(words)));
    let half = seconds(runner, &probe(words / 2))?;
    Ok(seconds(runner, &probe(words))?.less(half))
}

pub(super) fn run(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    latencies(runner, facts, found)?;
    let probe = ProbeLaunch::new("probe_read_l1", (1, 1024), [64, 0, 0]).on(Data::Zeros(8192));
    let round = cycles_per_round(runner, &probe)?;
    found.put(Key::L1Rate, round.rate_of(1024.0 * 8.0 * 4.0));

    // A third of L2 always stays in L2.
    let third = (facts.l2_bytes / 12) as u32;
    let mut points = Vec::new();
    let mut best: Option<Estimate> = None;
    for (reader, per_sm) in FLIGHTS {
        let words = in_steps(facts, reader, per_sm, third);
        let round = seconds_per_round(runner, &warm(facts, reader, per_sm, words, 4))?;
        let rate = round.rate_of(4.0 * f64::from(words));
        points.push((in_flight(facts, reader, per_sm), rate));
        if best.is_none_or(|best| rate.value > best.value) {
            best = Some(rate);
        }
    }
    found.curve(Key::L2ReadByFlight, &points);
    if let Some(best) = best {
        found.put(Key::L2Rate, best);
    }
    points.clear();
    for sixteenths in [2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64] {
        // Half occupancy, so that small footprints have several steps.
        let words = in_steps(facts, FASTEST, 16, (facts.l2_bytes / 64) as u32 * sixteenths);
        let bytes = 4.0 * f64::from(words);
        if points.last().is_none_or(|(last, _)| *last < bytes) {
            let round = seconds_per_round(runner, &warm(facts, FASTEST, 16, words, 4))?;
            points.push((bytes, round.rate_of(bytes)));
        }
    }
    found.curve(Key::L2ReadByFootprint, &points);
    dram(runner, facts, found)
}

/// Bytes in flight on the GPU.
fn in_flight(facts: &DeviceFacts, reader: Reader, per_sm: u32) -> f64 {
    f64::from(facts.sms * per_sm * 32 * reader.bytes)
}

fn latencies(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    let mut chase = |key, kernel, words: u32, hop: u32, round_first: bool| {
        let numbers = [STEPS, words, if round_first { hop } else { 0 }];
        let probe = ProbeLaunch::new(kernel, (1, 1), numbers)
            .on(Data::Written(u64::from(words)))
            .after("probe_ring", [0, words, hop]);
        found.put(key, cycles_per_round(runner, &probe)?);
        Ok::<(), Failure>(())
    };
    chase(Key::L1Latency, "probe_chase_l1", 2048, 32, true)?;
    chase(Key::L2Latency, "probe_chase_l2", 1 << 18, 32, true)?;
    // The start of the ring was written first, and later writes evicted it.
    chase(Key::DramLatency, "probe_chase_l2", facts.large(), 64, false)
}

fn dram(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    let large = facts.large();
    let mut points = Vec::new();
    for (reader, per_sm) in FLIGHTS {
        // Few bytes in flight read slowly, so they read less.
        let words = if per_sm * reader.bytes < 64 { large / 8 } else { large };
        let kernel = (reader.kernel, warps(facts, per_sm));
        let more = half_more(runner, kernel, words, 0, Data::Zeros)?;
        let bytes = 4.0 * f64::from(words / 2);
        points.push((in_flight(facts, reader, per_sm), more.rate_of(bytes)));
    }
    found.curve(Key::DramReadByFlight, &points);
    let half = 4.0 * f64::from(large / 2);
    let full = warps(facts, 32);
    for (key, kernel, data) in [
        (Key::DramRead, FASTEST.kernel, Data::Zeros as fn(u64) -> Data),
        (Key::DramRead4, "probe_read_4x4", Data::Zeros),
        (Key::DramWrite, "probe_write", Data::Written),
        (Key::DramCopy, "probe_copy", Data::Written),
    ] {
        let threads = facts.threads_per_sm();
        let shape = if kernel == FASTEST.kernel { full } else { (facts.sms * threads / 256, 256) };
        let more = half_more(runner, (kernel, shape), large, 0, data)?;
        found.put(key, more.rate_of(half));
    }
    points.clear();
    for hop in [8, 16, 32, 64, 128] {
        let shape = (facts.sms * facts.threads_per_sm() / 256, 256);
        let more = half_more(runner, ("probe_read_stride", shape), large, hop, Data::Zeros)?;
        let sectors = 32.0 * f64::from(large / 2 / hop);
        points.push((4.0 * f64::from(hop), more.rate_of(sectors)));
    }
    found.curve(Key::DramReadByStride, &points);
    Ok(())
}
