//! Whether a launch is like those with which the model was compared.
//!
//! It was compared with the cases of `benches/data/h200/timing.csv`. What lies outside
//! of what they were is extrapolated: another architecture, more memory or time than
//! any of them took, instructions that none of them has.

use super::Geometry;
use crate::emulator::Outcome;
use crate::gpu::GpuSpec;

/// The compute capability of the GPU that was measured.
const COMPUTE_CAPABILITY: u32 = 90;

/// Most bytes of memory that a launch used, about.
const MOST_BYTES: u64 = 9 << 28;

/// Longest launch, in seconds.
const MOST_SECONDS: f64 = 0.5;

/// Most PTX instructions that a launch ran through, each counted once.
const MOST_CODE: u32 = 3000;

/// How a launch of so many seconds differs from all that the model was compared with.
pub(super) fn beyond(
    outcome: &Outcome,
    geometry: &Geometry,
    spec: &GpuSpec,
    seconds: f64,
) -> Vec<&'static str> {
    let counters = &outcome.counters;
    let bytes: u64 = outcome.touched.iter().map(|touched| touched.bytes).sum();
    let code = outcome.timelines.iter().map(|timeline| timeline.code).max().unwrap_or_default();
    let issued: f64 = outcome.mix.iter().sum();
    let local = counters.local_load_requests + counters.local_store_requests;
    [
        (spec.compute_capability != COMPUTE_CAPABILITY, "architecture"),
        (bytes > MOST_BYTES, "memory"),
        (seconds > MOST_SECONDS, "time"),
        (code > MOST_CODE, "size of the kernel"),
        (local > 0 || geometry.resources.stack > 0, "local memory"),
        (outcome.timelines.is_empty() && issued > 0.0, "no critical path recorded"),
    ]
    .into_iter()
    .filter_map(|(beyond, what)| beyond.then_some(what))
    .collect()
}
