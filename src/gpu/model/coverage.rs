//! Reasons to trust a prediction less.
//!
//! The model was compared with the cases of `benches/data/h200/timing.csv`. A launch that
//! lies outside of what they were, or whose time hangs on what the model knows to be weak,
//! has low confidence, with the reasons in plain words.

use std::collections::BTreeMap;

use super::Geometry;
use super::history::Traffic;
use crate::emulator::Outcome;
use crate::gpu::GpuSpec;
use crate::work::metric::Resource;

/// The compute capability of the GPU that was measured.
const COMPUTE_CAPABILITY: u32 = 90;

/// Most bytes of memory that a launch used, about.
const MOST_BYTES: u64 = 9 << 28;

/// Longest launch, in seconds.
const MOST_SECONDS: f64 = 0.5;

/// Most PTX instructions that a launch ran through, each counted once.
const MOST_CODE: u32 = 3000;

/// From this share of a launch's time on, a resource matters.
const MATTERS: f64 = 0.3;

/// Of the sectors of local memory, those that may pass between L1 and L2 before their time
/// matters.
const SPILLED: f64 = 0.1;

/// How much longer the longest of the followed blocks may be than their mean.
const UNEVEN: f64 = 1.5;

/// From this part of the work of a grid on, what a sample leaves open matters.
const LEFT_OPEN: f64 = 0.1;

/// A launch with what the model found about it.
pub(super) struct Predicted<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) geometry: &'a Geometry,
    pub(super) spec: &'a GpuSpec,
    pub(super) traffic: &'a Traffic,
    pub(super) parts: &'a BTreeMap<Resource, f64>,
    pub(super) seconds: f64,
    /// Sectors of random loads and stores.
    pub(super) scattered: f64,
    /// Bytes of local memory that pass between L1 and L2.
    pub(super) local_bytes: f64,
}

/// Why the predicted time of a launch deserves less confidence; usually nothing.
pub(super) fn doubts(predicted: &Predicted) -> Vec<&'static str> {
    let Predicted { outcome, geometry, spec, traffic, parts, seconds, scattered, local_bytes } =
        *predicted;
    let counters = &outcome.counters;
    let bytes: u64 = outcome.touched.iter().map(|touched| touched.bytes).sum();
    let code = outcome.timelines.iter().map(|timeline| timeline.code).max().unwrap_or_default();
    let issued: f64 = outcome.mix.iter().sum();
    let part = |resource| parts.get(&resource).copied().unwrap_or_default();
    let matters = |resource| part(resource) > MATTERS * seconds;
    let beyond_l2 = traffic.random_loads + traffic.random_stores;
    let local = 32.0 * (counters.local_load_sectors + counters.local_store_sectors) as f64;
    let instructions = outcome.timelines.iter().map(|timeline| timeline.instructions);
    let longest = instructions.clone().max().unwrap_or_default() as f64;
    let mean = instructions.sum::<u64>() as f64 / outcome.timelines.len().max(1) as f64;
    [
        (spec.compute_capability != COMPUTE_CAPABILITY, "no GPU of this architecture was measured"),
        (bytes > MOST_BYTES, "more memory than any measured case"),
        (seconds > MOST_SECONDS, "longer than any measured case"),
        (code > MOST_CODE, "more code than any measured case"),
        (
            local_bytes > SPILLED * local || local == 0.0 && geometry.resources.stack > 0,
            "local memory beyond L1",
        ),
        (
            beyond_l2 > MATTERS * scattered && matters(Resource::Dram),
            "scattered accesses to more memory than L2 holds",
        ),
        (
            outcome.swaps.updates + outcome.swaps.locks > 0,
            "compare-and-swap: its retries depend on the order of warps",
        ),
        (
            outcome.schedule_dependent && matters(Resource::L2Atomics),
            "contended atomics whose results are used",
        ),
        (outcome.reads_others && geometry.blocks > 1, "blocks wait for other blocks"),
        (
            longest > UNEVEN * mean && matters(Resource::Latency),
            "blocks differ in length, and few were followed",
        ),
        (outcome.timelines.is_empty() && issued > 0.0, "no block was followed"),
        (outcome.left_open > LEFT_OPEN, "the sample leaves much open"),
    ]
    .into_iter()
    .filter_map(|(doubted, why)| doubted.then_some(why))
    .collect()
}
