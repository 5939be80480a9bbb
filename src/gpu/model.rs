//! The timing model: counters, the timelines of some blocks, occupancy and a
//! profile in, a time and what binds it out.
//!
//! A launch takes what any launch takes, then as long as the slower of two:
//!
//! - its busiest **multiprocessor**: rounds of as many blocks as are resident. A
//!   round takes the longest chain of dependent instructions of a block
//!   ([`latency`]) and, joined to it by a norm, the multiprocessor's busiest unit
//!   over the blocks of the round, longer where warps crowd behind barriers: [`issue`], [`shared`] memory, L1, the way to
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
use super::occupancy::{Architecture, Occupancy, occupancy};
use super::spec::GpuSpec;
use crate::emulator::{Follow, Outcome, Wait};
use crate::work::metric::Resource;
use crate::work::{Launch, LaunchCost, Resources};
use rates::Rates;
use time::Parts;

mod amounts;
mod atomics;
mod cache;
mod confidence;
pub mod counterfactual;
mod coverage;
mod dram;
mod drift;
mod followed;
mod history;
mod issue;
mod l2;
mod latency;
mod rates;
mod shared;
#[cfg(test)]
mod tests;
mod time;
mod waiting;

pub use history::History;
pub use rates::Factors;

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

    /// Shared memory per block, static and dynamic, in bytes.
    fn shared_bytes(&self) -> u32 {
        self.resources.static_shared.saturating_add(self.dynamic_shared)
    }

    /// How it fills a multiprocessor. Callers refuse what cannot launch; a lone warp
    /// stands in for it here.
    fn occupancy(&self, spec: &GpuSpec) -> Occupancy {
        let limit = OccupancyLimit::Warps;
        let room = [(1, limit); 4];
        let lone = Occupancy { blocks: 1, warps: 1, most_warps: 64, limit, room };
        let registers = self.resources.registers;
        occupancy(spec.compute_capability, self.threads, registers, self.shared_bytes())
            .unwrap_or(lone)
    }

    /// Blocks that are resident on the busiest multiprocessor at a time.
    fn resident(&self, spec: &GpuSpec) -> u64 {
        let its_blocks = self.blocks.max(1).div_ceil(u64::from(spec.sms).max(1));
        its_blocks.min(u64::from(self.occupancy(spec).blocks.max(1)))
    }

    /// Warps of such blocks that a multiprocessor has room for, were nothing but their
    /// number in the way.
    fn full(&self, spec: &GpuSpec) -> f64 {
        let architecture = Architecture::of(spec.compute_capability);
        let warps = self.threads.div_ceil(32).max(1);
        f64::from((architecture.warps / warps).min(architecture.blocks).max(1) * warps)
    }

    /// The multiprocessors that it runs on: the timelines of blocks are recorded with it. L1
    /// has what shared memory leaves.
    pub fn follow(&self, spec: &GpuSpec) -> Follow {
        /// Less than this is never left for the cache.
        const LEAST: u64 = 16 << 10;
        let architecture = Architecture::of(spec.compute_capability);
        let resident = self.resident(spec);
        let cache = u64::from(architecture.cache);
        let cache_bytes = if architecture.unified {
            let each = self.shared_bytes() + architecture.shared_reserved;
            cache.saturating_sub(resident * u64::from(each)).max(LEAST)
        } else {
            cache
        };
        let l2_bytes = (spec.l2_bytes as f64 * rates::USED_SHARE) as u64;
        Follow { cache_bytes, l2_bytes, resident: resident as u32, multiprocessors: spec.sms }
    }
}

/// A predicted time and how it comes about.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Predicted kernel time in seconds.
    pub seconds: f64,
    /// The resource that takes longest.
    pub bound_by: Resource,
    /// Seconds that each resource would take by itself.
    pub parts: BTreeMap<Resource, f64>,
    /// Resident warps per multiprocessor over the most possible, 0 to 1.
    pub occupancy: f64,
    /// What limits the occupancy.
    pub occupancy_limit: String,
    /// Bytes that come out of DRAM or are written to it, by footprint.
    pub dram_bytes: f64,
    /// Half the width of the 95 % confidence interval that a sample of the blocks leaves, as a
    /// part of the time; 0 if all blocks ran.
    pub left_open: f64,
    /// The estimated error, as a part of the time.
    pub error: f64,
    /// What it is made of: what the time hangs on, and how far it may move it, as the
    /// logarithm of a factor.
    pub weak: Vec<(&'static str, f64)>,
    /// Why the prediction deserves less confidence, in a few words each; usually empty.
    pub extrapolated: Vec<&'static str>,
    /// The work that the time is computed from.
    pub launches: Vec<LaunchCost>,
}

/// Predicts the time of one launch by itself, with a cold L2.
pub fn predict(outcome: &Outcome, geometry: &Geometry, spec: &GpuSpec) -> Prediction {
    predict_next(&mut History::default(), outcome, geometry, spec)
}

/// Predicts the time of the next launch of a pipeline.
pub fn predict_next(
    history: &mut History,
    outcome: &Outcome,
    geometry: &Geometry,
    spec: &GpuSpec,
) -> Prediction {
    predict_with(&Factors::FITTED, history, outcome, geometry, spec)
}

/// The same with other factors: what a fit tries.
pub fn predict_with(
    factors: &Factors,
    history: &mut History,
    outcome: &Outcome,
    geometry: &Geometry,
    spec: &GpuSpec,
) -> Prediction {
    let rates = &Rates::new(factors, spec, geometry.threads, geometry.full(spec));
    let first = history.is_first();
    let mut traffic = history.add(outcome, spec, rates);
    let occupancy = geometry.occupancy(spec);
    let clock = spec.boost_hz;
    let sms = f64::from(spec.sms);
    let blocks = (geometry.blocks as f64).max(1.0);
    let warps = blocks * f64::from(geometry.threads.div_ceil(32).max(1));
    // The busiest multiprocessor: the blocks that it gets, how many of them are
    // there at a time, and its share of what all do together.
    let resident = geometry.resident(spec) as f64;
    let its_blocks = match blocks / sms {
        // Who is done takes the next piece of work from a counter: all end at about the same time.
        mean if outcome.schedule_dependent && mean > resident => mean,
        mean => mean.ceil(),
    };
    let rounds = its_blocks / resident;
    let share = its_blocks / blocks * unevenness(outcome, (blocks, its_blocks), resident, sms);

    // Shared memory and L1 are the same banks.
    let (banks, l1) = (shared::cycles(outcome, rates), cache::l1_cycles(outcome, rates));
    let both = if banks > l1 { Resource::Shared } else { Resource::L1 };
    let units = [
        (Resource::Issue, issue::cycles(outcome, rates)),
        (Resource::Issue, issue::unit_cycles(outcome, rates)),
        (Resource::Issue, cache::constant_cycles(outcome, rates)),
        (both, banks + l1),
        (Resource::L2, l2::cycles(outcome, rates)),
        (Resource::L2Atomics, atomics::cycles(outcome, rates)),
    ]
    .map(|(name, cycles)| (name, cycles * share));
    let [issue, arithmetic, constants, banks, way, sends] = units.map(|(_, cycles)| cycles);
    let busiest = time::side_by_side([issue.max(arithmetic).max(constants), banks, way, sends]);
    let fresh = cache::fresh(outcome, traffic.cold + traffic.warm);
    let chains = latency::chains(outcome, blocks, warps, &traffic, rates, fresh);
    let alone = chains.longest + (rounds - 1.0) * (chains.mean + rates.turnover);
    let there = waiting::Blocks { all: blocks, there: blocks.min(resident * sms), rounds, alone };
    let (look_far, look_back) = waiting::cycles(outcome, &there, &chains, &traffic, rates);
    let running = drift::Running {
        blocks,
        threads: geometry.threads,
        resident: blocks.min(resident * sms),
        busy: busiest / alone.max(1.0),
    };
    traffic.again = drift::again(outcome, &running, spec);
    let threads = blocks * f64::from(geometry.threads);
    let crowd = atomics::Crowd {
        threads,
        resident: threads.min(resident * sms * f64::from(geometry.threads)),
    };
    let missing = dram::update_seconds(&traffic, rates);
    let whole = [
        (Resource::Dram, dram::seconds(&traffic, rates) * clock),
        (
            Resource::L2,
            time::norm(
                l2::seconds(outcome, rates),
                dram::waited_seconds(&traffic, rates),
                time::IN_STEP,
            ) * clock,
        ),
        (Resource::L2Atomics, atomics::seconds(outcome, &crowd, missing, spec, rates) * clock),
        (Resource::BlockStart, blocks * rates.block_start),
        (Resource::LookBack, look_back),
    ];
    let [(_, dram), (_, l2), (_, atomics), (_, starts), _] = whole;
    let code = outcome.timelines.iter().map(|timeline| timeline.code).max().unwrap_or_default();
    let launch = if first { rates.launch } else { rates.next_launch };
    let code = f64::from(code) * rates.code / clock;
    let together = Parts {
        launch: launch + code,
        alone,
        longest: chains.longest,
        busiest,
        rounds,
        look_far,
        look_back,
        dram,
        l2,
        atomics,
        starts,
        crowd: 1.0 + followed::by_work(outcome, |it| it.crowded),
        barriers: outcome
            .timelines
            .iter()
            .any(|it| it.critical_path.waits[Wait::Barrier as usize] > 0.0),
        fill: rates.fill,
        turn: rates.waits[Wait::L2Hit as usize],
        overlap: rates.overlap,
        queue: rates.queue + (time::SLOWER - rates.queue) * chains.ahead(),
        clock,
    };
    let seconds = together.seconds();
    let amounts = amounts::of(&amounts::Launched {
        outcome,
        rates,
        together: &together,
        chains: &chains,
        sms,
        warps,
        share,
        launch,
        code,
    });
    let cost = LaunchCost {
        kernel: String::new(),
        launches: 1,
        seconds,
        clock,
        blocks,
        rounds,
        first: amounts::first(&together, &chains, rates),
        fill: rates.fill,
        turn: together.turn,
        overlap: rates.overlap,
        barriers: together.barriers,
        queue: together.queue,
        most_warps: sms * f64::from(occupancy.most_warps),
        amounts,
    };
    let launch = together.launch;

    let waiting = alone + look_far;
    let mut parts: BTreeMap<Resource, f64> = BTreeMap::new();
    for (resource, cycles) in units.into_iter().chain(whole).chain([(Resource::Latency, waiting)]) {
        let part = parts.entry(resource).or_default();
        *part = part.max(cycles / clock);
    }
    let largest = parts.iter().max_by(|a, b| a.1.total_cmp(b.1));
    let bound_by = match largest {
        Some((&resource, &part)) if part > launch => resource,
        _ => Resource::Launch,
    };
    parts.insert(Resource::Launch, launch);
    let weak = confidence::weak(
        outcome,
        &together,
        &confidence::Bounds {
            near: chains.longest_waits[Wait::L1Hit as usize],
            local: (cache::local_missed(outcome) / (l2 / clock * rates.l2_all).max(1.0)).min(1.0),
            random: traffic.random_share(),
            constant: units[2].1 / busiest.max(1.0),
            swaps: chains.longest_waits[Wait::Swap as usize] / chains.longest.max(1.0)
                * shared::again(outcome),
            even: followed::longest(outcome).max(1.0) / outcome.heaviest.max(1) as f64,
            waiting: waiting::doubt(outcome, blocks, blocks.min(resident * sms)),
        },
    );
    let doubts =
        coverage::doubts(&coverage::Predicted { outcome, geometry, spec, seconds, weak: &weak });
    Prediction {
        seconds,
        bound_by,
        parts,
        occupancy: occupancy.fraction(),
        occupancy_limit: occupancy.limit.to_string(),
        dram_bytes: traffic.cold + traffic.again + traffic.written,
        left_open: outcome.left_open,
        error: confidence::error(&weak),
        weak: weak.iter().map(|it| (it.why, it.by)).collect(),
        extrapolated: doubts,
        launches: vec![cost],
    }
}

/// How much more than its share the busiest multiprocessor does, of `its_blocks` blocks of which
/// `resident` run at the same time: it has the heaviest block, or the most work of the blocks
/// that start first. Blocks that start when others end even that out.
///
/// Formula: the sum of as many random blocks as start first varies by the standard deviation of
/// one block times the root of their number, and the largest of the sums of all multiprocessors
/// lies that times the root of 2 ln of their number above the mean, at most.
fn unevenness(outcome: &Outcome, (blocks, its_blocks): (f64, f64), resident: f64, sms: f64) -> f64 {
    let heaviest = heaviest(outcome, blocks);
    let one = 1.0 + (heaviest - 1.0) / its_blocks;
    if outcome.schedule_dependent {
        return one;
    }
    let at_once = its_blocks.min(resident);
    let largest = (2.0 * sms.max(2.0).ln()).sqrt() * LARGEST;
    let more = outcome.uneven * at_once.sqrt() * largest - (its_blocks - at_once);
    one.max((1.0 + more.max(0.0) / its_blocks).min(heaviest))
}

/// Of the bound for the largest of many sums, what it comes to for a few to some hundred of them,
/// where they are spread normally.
const LARGEST: f64 = 0.8;

/// How much heavier the heaviest block is than the mean of all: 1 or more.
fn heaviest(outcome: &Outcome, blocks: f64) -> f64 {
    let mean = outcome.counters.warp_instructions as f64 / blocks;
    let heaviest = followed::longest(outcome).max(outcome.heaviest as f64);
    let times = (heaviest / mean.max(1.0)).max(1.0);
    // Blocks that take their work from a counter even out.
    if outcome.takes_turns && times > latency::greedy(blocks) { 1.0 } else { times }
}

/// Predicts the time of a copy of `bytes` between GPU and host: the bus at the
/// rate of its link. Never compared with hardware; a copy from plain memory,
/// which the driver first moves to memory of its own, can take several times as
/// long.
pub fn copy_seconds(bytes: u64, spec: &GpuSpec) -> f64 {
    if bytes == 0 {
        return 0.0;
    }
    spec.bus_latency + bytes as f64 / spec.bus_bytes_per_second
}
