//! The timing model, first version: counters, occupancy and a profile in, a
//! time and what binds it out.
//!
//! Every resource would take some time by itself; they work side by side, so
//! the slowest of them, on top of the launch, is the predicted time. The rates
//! are those of Hopper, scaled by multiprocessors and clock for other GPUs, so
//! everything predicted is marked unvalidated.

use std::collections::BTreeMap;

use super::occupancy::{Occupancy, occupancy};
use super::profile::Profile;
use crate::emulator::Counters;
use crate::launch::{Launch, Resources};

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
}

/// Seconds between two events around an empty kernel.
const LAUNCH_SECONDS: f64 = 2.0e-6;
/// Cycles between two blocks that start on the same multiprocessor.
const BLOCK_START_CYCLES: f64 = 60.0;
/// Warp instructions per cycle and multiprocessor: one per sub-partition.
const ISSUE_PER_CYCLE: f64 = 4.0;
/// Machine instructions that an integer division by a variable takes beyond
/// its one PTX instruction (counted in the SASS of our kernels for `sm_90`).
const DIVISION_INSTRUCTIONS: f64 = 18.0;
/// Fraction of the peak DRAM bandwidth that a streaming kernel reaches.
const DRAM_EFFICIENCY: f64 = 0.9;
/// Bytes per cycle and multiprocessor between L1 and L2.
const L2_BYTES_PER_CYCLE: f64 = 32.0;
/// Cycles that a sector is busy with one warp's atomics on it, per lane on the
/// most popular address.
const ATOMIC_CYCLES_PER_DEPTH: f64 = 0.8;
/// Lanes of atomics per cycle and multiprocessor, when spread over the L2.
const ATOMIC_LANES_PER_CYCLE: f64 = 8.0;
/// Cycles from a load's issue to its value, out of DRAM.
const MEMORY_LATENCY_CYCLES: f64 = 800.0;
/// Cycles of one pass of a shared atomic.
const SHARED_ATOMIC_CYCLES: f64 = 2.0;

/// Predicts the time of one launch.
pub fn predict(counters: &Counters, geometry: &Geometry, profile: &Profile) -> Prediction {
    let shared = geometry.resources.static_shared + geometry.dynamic_shared;
    let registers = geometry.resources.registers;
    let occupancy =
        occupancy(profile.compute_capability, geometry.threads, registers, shared).unwrap_or(
            Occupancy { blocks: 1, warps: 1, most_warps: 64, limit: super::OccupancyLimit::Warps },
        );
    let clock = profile.boost_hz;
    // A small grid leaves multiprocessors empty.
    let busy_sms = f64::from(profile.sms).min(geometry.blocks as f64).max(1.0);
    let blocks_at_once = f64::from(profile.sms) * f64::from(occupancy.blocks);
    let waves = (geometry.blocks as f64 / blocks_at_once).ceil();
    let warps = geometry.blocks as f64 * f64::from(geometry.threads.div_ceil(32));
    let count = |value: u64| value as f64;

    let instructions =
        count(counters.warp_instructions) + DIVISION_INSTRUCTIONS * count(counters.divisions);
    let wavefronts = count(counters.shared_load_wavefronts + counters.shared_store_wavefronts)
        + SHARED_ATOMIC_CYCLES * count(counters.shared_atomic_wavefronts);
    let sectors = count(
        counters.global_load_sectors
            + counters.global_store_sectors
            + counters.global_atomic_sectors,
    );
    let dram_sectors = count(counters.global_load_sectors + counters.global_store_sectors);
    let mean_depth =
        count(counters.global_atomic_depth) / count(counters.global_atomic_requests).max(1.0);
    let hot_requests = count(counters.hottest_sector_requests);
    let hottest = hot_requests * mean_depth * ATOMIC_CYCLES_PER_DEPTH / clock;
    let spread = count(counters.global_atomic_lanes)
        / (ATOMIC_LANES_PER_CYCLE * f64::from(profile.sms) * clock);
    let loads_per_warp = count(counters.global_load_requests) / warps.max(1.0);

    let parts: BTreeMap<String, f64> = [
        ("issue", instructions / (ISSUE_PER_CYCLE * busy_sms * clock)),
        (
            "block_start",
            count(geometry.blocks) * BLOCK_START_CYCLES / (f64::from(profile.sms) * clock),
        ),
        ("shared", wavefronts / (busy_sms * clock)),
        ("l2", sectors * 32.0 / (L2_BYTES_PER_CYCLE * busy_sms * clock)),
        ("dram", dram_sectors * 32.0 / (DRAM_EFFICIENCY * profile.dram_bytes_per_second)),
        ("l2_atomics", hottest.max(spread)),
        ("latency", waves * loads_per_warp * MEMORY_LATENCY_CYCLES / clock),
    ]
    .into_iter()
    .map(|(name, seconds)| (name.to_owned(), seconds))
    .collect();
    let (bound_by, longest) = parts.iter().fold(("launch", 0.0_f64), |best, (name, &seconds)| {
        if seconds > best.1 { (name.as_str(), seconds) } else { best }
    });
    let bound_by = if longest < LAUNCH_SECONDS { "launch" } else { bound_by }.to_owned();
    let seconds = LAUNCH_SECONDS + longest;
    let mut parts = parts;
    parts.insert("launch".to_owned(), LAUNCH_SECONDS);
    Prediction {
        seconds,
        bound_by,
        parts,
        occupancy: occupancy.fraction(),
        occupancy_limit: occupancy.limit.name().to_owned(),
    }
}
