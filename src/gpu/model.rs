//! The timing model: counters, the courses of some blocks, occupancy and a
//! profile in, a time and what binds it out.
//!
//! A launch takes what any launch takes, then as long as the slower of two:
//!
//! - its busiest **multiprocessor**: rounds of as many blocks as are resident. A
//!   round takes the longest chain of dependent instructions of a block
//!   ([`latency`]) and, joined to it by a norm, the multiprocessor's busiest unit
//!   over the blocks of the round: [`issue`], [`shared`] memory, L1, the way to
//!   L2 ([`cache`]).
//! - the **whole GPU**: the chain of one block, and then the slowest of [`dram`],
//!   L2, atomics at its slices ([`atomics`]) and the starting of blocks.
//!
//! Each resource has a file with its formula, units and sources; the numbers are
//! in [`rates`]. Fitted and compared with recorded times of an H200: see
//! `benches/timing`. For other GPUs the rates per cycle and multiprocessor carry
//! over, those of DRAM scale with its published peak, and no prediction was
//! compared with a measurement.

use std::collections::BTreeMap;

use super::OccupancyLimit;
use super::occupancy::{Occupancy, occupancy};
use super::profile::Profile;
use crate::emulator::Outcome;
use crate::launch::{Launch, Resources};

mod atomics;
mod cache;
mod dram;
mod history;
mod issue;
mod latency;
mod rates;
mod shared;
#[cfg(test)]
mod tests;

pub use history::History;

/// What of a launch the model needs beside its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Blocks in the grid.
    pub blocks: u64,
    /// Threads per block.
    pub threads: u32,
    /// What the kernel takes.
    pub resources: Resources,
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: u32,
}

impl Geometry {
    /// The geometry of `launch` for a kernel that takes `resources`.
    pub fn new(launch: &Launch, resources: Resources) -> Self {
        Self {
            blocks: launch.grid.count(),
            threads: launch.block.count() as u32,
            resources,
            dynamic_shared: launch.shared_bytes,
        }
    }
}

/// A predicted time and how it comes about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Prediction {
    /// Predicted kernel time in seconds.
    pub seconds: f64,
    /// The resource that takes longest.
    pub bound_by: String,
    /// Seconds that each resource would take by itself.
    pub parts: BTreeMap<String, f64>,
    /// Resident warps per multiprocessor over the most possible, 0 to 1.
    pub occupancy: f64,
    /// What limits the occupancy.
    pub occupancy_limit: String,
    /// Bytes that come out of DRAM or are written to it, by footprint.
    pub dram_bytes: f64,
}

/// Bytes of L1 cache that a block finds, about: what the courses of blocks are
/// recorded with.
pub const L1_BYTES: u64 = 96 << 10;

/// Predicts the time of one launch by itself, with a cold L2.
pub fn predict(outcome: &Outcome, geometry: &Geometry, profile: &Profile) -> Prediction {
    predict_next(&mut History::default(), outcome, geometry, profile)
}

/// Predicts the time of the next launch of a pipeline.
pub fn predict_next(
    history: &mut History,
    outcome: &Outcome,
    geometry: &Geometry,
    profile: &Profile,
) -> Prediction {
    let first = history.is_first();
    let traffic = history.add(outcome, profile);
    let shared_bytes = geometry.resources.static_shared + geometry.dynamic_shared;
    let registers = geometry.resources.registers;
    // Callers refuse what cannot launch; a lone warp stands in for it here.
    let limit = OccupancyLimit::Warps;
    let room = [(1, limit); 4];
    let alone = Occupancy { blocks: 1, warps: 1, most_warps: 64, limit, room };
    let occupancy =
        occupancy(profile.compute_capability, geometry.threads, registers, shared_bytes)
            .unwrap_or(alone);

    let clock = profile.boost_hz;
    let sms = f64::from(profile.sms);
    let blocks = (geometry.blocks as f64).max(1.0);
    let warps = blocks * f64::from(geometry.threads.div_ceil(32).max(1));
    // The busiest multiprocessor: the blocks that it gets, how many of them are
    // there at a time, and its share of what all do together.
    let its_blocks = (blocks / sms).ceil();
    let resident = its_blocks.min(f64::from(occupancy.blocks.max(1)));
    let rounds = its_blocks / resident;
    let share = its_blocks / blocks;

    let counters = &outcome.counters;
    let units = [
        ("issue", issue::cycles(&outcome.mix, counters)),
        ("issue", issue::memory_cycles(&outcome.mix)),
        ("shared", shared::cycles(counters)),
        ("l1", cache::l1_cycles(outcome)),
        ("l2", cache::l2_cycles(outcome)),
    ]
    .map(|(name, cycles)| (name, cycles * share));
    let busiest = units.iter().fold(0.0_f64, |most, (_, cycles)| most.max(*cycles)) / rounds;
    let (longest, mean) = latency::cycles(&outcome.courses, counters, warps, &traffic);
    let look_back = if outcome.reads_others {
        rates::LOOK_BACK_CYCLES * resident * sms.min(blocks) / 32.0
    } else {
        0.0
    };
    let round = |chain: f64| norm(chain, busiest, rates::OVERLAP) + look_back;
    let later = rounds - 1.0;
    let multiprocessor = round(longest) + later * round(mean + rates::TURNOVER_CYCLES);
    let whole = [
        ("dram", dram::seconds(&traffic, profile) * clock),
        ("l2", cache::l2_total_cycles(outcome, sms)),
        ("l2_atomics", atomics::seconds(outcome, profile) * clock),
        ("block_start", blocks * rates::BLOCK_START_CYCLES * (132.0 * 1.98e9) / (sms * clock)),
    ];
    let all = longest + whole.iter().fold(0.0_f64, |most, (_, cycles)| most.max(*cycles));

    let code = outcome.courses.iter().map(|course| course.code).max().unwrap_or_default();
    let launch = if first { rates::LAUNCH_SECONDS } else { rates::NEXT_LAUNCH_SECONDS }
        + f64::from(code) * rates::CODE_CYCLES / clock;
    let seconds = launch + norm(multiprocessor, all, SLOWER) / clock;

    let waiting = longest + later * (mean + rates::TURNOVER_CYCLES) + rounds * look_back;
    let mut parts: BTreeMap<String, f64> = BTreeMap::new();
    for (name, cycles) in units.into_iter().chain(whole).chain([("latency", waiting)]) {
        let part = parts.entry(name.to_owned()).or_default();
        *part = part.max(cycles / clock);
    }
    let largest = parts.iter().max_by(|a, b| a.1.total_cmp(b.1));
    let bound_by = match largest {
        Some((name, &part)) if part > launch => name.clone(),
        _ => "launch".to_owned(),
    };
    parts.insert("launch".to_owned(), launch);
    Prediction {
        seconds,
        bound_by,
        parts,
        occupancy: occupancy.fraction(),
        occupancy_limit: occupancy.limit.name().to_owned(),
        dram_bytes: traffic.cold + traffic.written,
    }
}

/// Exponent of the norm that picks the slower of two, without a corner.
const SLOWER: f64 = 8.0;

/// Two times as one: their sum for exponent 1, towards the larger for more.
fn norm(a: f64, b: f64, exponent: f64) -> f64 {
    let larger = a.max(b);
    if larger <= 0.0 {
        return 0.0;
    }
    larger * ((a / larger).powf(exponent) + (b / larger).powf(exponent)).powf(1.0 / exponent)
}

/// Predicts the time of a copy of `bytes` between GPU and host: the bus at the
/// rate of its link. Never compared with hardware; a copy from plain memory,
/// which the driver first moves to memory of its own, can take several times as
/// long.
pub fn copy_seconds(bytes: u64, profile: &Profile) -> f64 {
    if bytes == 0 {
        return 0.0;
    }
    profile.bus_latency + bytes as f64 / profile.bus_bytes_per_second
}
