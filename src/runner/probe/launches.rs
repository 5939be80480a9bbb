//! Launches, blocks, the clock, and copies to the host.

use std::collections::BTreeMap;

use super::launch::Data;
use super::runner::seconds;
use super::{DeviceFacts, Estimate, ProbeLaunch, ProbeResults, ProbeRunner, ProbeSamples};
use crate::backend::Failure;
use crate::gpu::Key;

/// The keys that are measured here.
pub(super) const KEYS: &[Key] = &[
    Key::Clock,
    Key::LaunchTime,
    Key::NextLaunchTime,
    Key::GridEdges,
    Key::StoreDrain,
    Key::BlockStart,
    Key::BlockTurnover,
    Key::BusRate,
    Key::BusLatency,
];

/// Launches in a row.
const MANY: u32 = 128;

/// Blocks of the smaller of two grids of empty blocks.
const BLOCKS: u32 = 1 << 17;

/// Blocks per multiprocessor, one after the other.
const TURNS: u32 = 8;

/// Bytes of the two copies.
const COPIES: [u64; 2] = [4 << 10, 4 << 20];

fn empty(grid: u32, threads: u32) -> ProbeLaunch {
    ProbeLaunch::new("probe_empty", (grid, threads), [0; 3])
}

/// Blocks that work for `cycles` cycles and store their start and end.
fn stamp(grid: u32, cycles: u32, shared: u32) -> ProbeLaunch {
    let words = 4 * grid as usize;
    let probe = ProbeLaunch::new("probe_stamp", (grid, 32), [0, cycles, 0]).shared(shared);
    ProbeLaunch { keep: words, ..probe }.on(Data::Written(words as u64))
}

pub(super) fn run(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    // Some two milliseconds.
    let wait = (facts.boost_hz * 2e-3) as u32;
    let probe = ProbeLaunch::new("probe_clock", (1, 1), [0, wait, 0]).on(Data::Written(64));
    let samples = runner.launch(&ProbeLaunch { keep: 2, ..probe })?;
    let clocks = samples.data.iter().filter_map(|data| match data[..] {
        [cycles, nanoseconds] if nanoseconds > 0 => {
            Some(f64::from(cycles) / f64::from(nanoseconds) * 1e9)
        }
        _ => None,
    });
    let clock = Estimate::of(&clocks.collect::<Vec<_>>());
    found.put(Key::Clock, clock);

    let one = seconds(runner, &empty(1, 32))?;
    found.put(Key::LaunchTime, one);
    let many = seconds(runner, &ProbeLaunch { launches: MANY, ..empty(1, 32) })?;
    found.put(Key::NextLaunchTime, many.less(one).times(1.0 / f64::from(MANY - 1)));
    // Many of each: the difference of one is below the step of the event timer.
    let stores = ProbeLaunch::new("probe_store", (1, 32), [0; 3]).on(Data::Written(64));
    let stores = seconds(runner, &ProbeLaunch { launches: MANY, ..stores })?;
    found.put(Key::StoreDrain, stores.less(many).times(1.0 / f64::from(MANY)));

    let mut points = Vec::new();
    for threads in [32, 64, 128, 256, 512, 1024] {
        let small = seconds(runner, &empty(BLOCKS, threads))?;
        let large = seconds(runner, &empty(2 * BLOCKS, threads))?;
        let block = large.less(small).times(clock.value / f64::from(BLOCKS));
        points.push((f64::from(threads), block));
    }
    found.curve(Key::BlockStart, &points);

    // 20 µs of work in one block: the time between the events beyond it.
    let samples = runner.launch(&stamp(1, (clock.value * 20e-6) as u32, 0))?;
    let edges = samples.seconds.iter().zip(&samples.data).filter_map(|(seconds, data)| {
        let [_, start, end, ..] = data[..] else { return None };
        Some(seconds - f64::from(end.wrapping_sub(start)) / clock.value)
    });
    found.put(Key::GridEdges, Estimate::of(&edges.collect::<Vec<_>>()));

    // One block at a time: each takes all shared memory.
    let probe = stamp(facts.sms * TURNS, 3000, facts.shared_per_block.min(200 << 10));
    let gaps = turnovers(&runner.launch(&probe)?);
    found.put(Key::BlockTurnover, Estimate::of(&gaps));

    let [small, large] = [runner.copy(COPIES[0])?, runner.copy(COPIES[1])?];
    let mean = |ways: [Estimate; 2]| Estimate {
        value: f64::midpoint(ways[0].value, ways[1].value),
        spread: ways[0].spread.max(ways[1].spread),
    };
    let (small, large) = (mean(small), mean(large));
    let rest = large.less(small);
    found.put(Key::BusRate, rest.rate_of((COPIES[1] - COPIES[0]) as f64));
    let per_byte = rest.value / (COPIES[1] - COPIES[0]) as f64;
    let bytes = Estimate { value: per_byte * COPIES[0] as f64, spread: 0.0 };
    found.put(Key::BusLatency, small.less(bytes));
    Ok(())
}

/// Cycles between the end of a block and the start of the next on the same
/// multiprocessor, from stamps of blocks that ran one at a time.
pub(super) fn turnovers(samples: &ProbeSamples) -> Vec<f64> {
    let mut gaps = Vec::new();
    for data in &samples.data {
        let mut of: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
        for stamp in data.as_chunks::<4>().0 {
            let [processor, start, end, _] = *stamp;
            of.entry(processor).or_default().push((start, end));
        }
        for blocks in of.values_mut() {
            // The clock wraps at 32 bits: order by the distance from the first.
            let first = blocks[0].0;
            blocks.sort_unstable_by_key(|(start, _)| start.wrapping_sub(first).cast_signed());
            gaps.extend(blocks.windows(2).filter_map(|two| {
                let gap = two[1].0.wrapping_sub(two[0].1).cast_signed();
                // Ignore blocks that ran side by side.
                (gap > 0).then_some(f64::from(gap))
            }));
        }
    }
    gaps
}
