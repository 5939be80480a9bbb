//! Reasons to trust a prediction less.
//!
//! The model was compared with the cases of `benches/data/h200/timing.csv`. A launch that
//! lies outside of what they were, or whose time hangs on what the model knows to be weak,
//! has low confidence, with the reasons in plain words.

use super::Geometry;
use super::confidence::{self, Weak};
use super::latency;
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

/// A launch with what the model found about it.
pub(super) struct Predicted<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) geometry: &'a Geometry,
    pub(super) spec: &'a GpuSpec,
    pub(super) seconds: f64,
    /// What its time hangs on.
    pub(super) weak: &'a [Weak],
}

/// Why the predicted time of a launch deserves less confidence; usually nothing.
pub(super) fn doubts(predicted: &Predicted) -> Vec<&'static str> {
    let Predicted { outcome, geometry, spec, seconds, weak } = *predicted;
    let counters = &outcome.counters;
    let bytes: u64 = outcome.touched.iter().map(|touched| touched.bytes).sum();
    let code = outcome.timelines.iter().map(|timeline| timeline.code).max().unwrap_or_default();
    let issued: f64 = outcome.mix.iter().sum();
    let local = counters.local_load_sectors + counters.local_store_sectors;
    let mut doubts: Vec<&'static str> = [
        (spec.compute_capability != COMPUTE_CAPABILITY, "no GPU of this architecture was measured"),
        (bytes > MOST_BYTES, "more memory than any measured case"),
        (seconds > MOST_SECONDS, "longer than any measured case"),
        (code > MOST_CODE, "more code than any measured case"),
        (local == 0 && geometry.resources.stack > 0, "local memory beyond L1"),
        (outcome.recurses, "a function calls itself"),
        (outcome.first_only, "only the first blocks ran, and others depend on them"),
        (outcome.timelines.is_empty() && issued > 0.0, "no block was followed"),
        (
            latency::takes_turns(outcome, geometry.blocks as f64),
            "blocks take their work from a counter",
        ),
    ]
    .into_iter()
    .filter_map(|(doubted, why)| doubted.then_some(why))
    .collect();
    doubts.extend(confidence::reasons(weak));
    doubts
}
