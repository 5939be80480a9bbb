#![doc = include_str!("record/schema.md")]

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::experiment::{Case, Distribution, ParamValue};
pub use crate::work::{
    Anatomy, Ceilings, DeviceBaseline, InstructionAnatomy, KernelAnatomy, LineWork, PhaseKind,
    Residency, resource,
};

/// Version of the stored schema that this program writes.
pub const SCHEMA: u32 = 2;

/// What the program calls itself in stored lines.
pub const PROGRAM: &str = concat!("warpscope ", env!("CARGO_PKG_VERSION"));

/// Ways to end that say more about the moment than about the case.
const PASSING: [&str; 5] = ["worker-died", "timed-out", "device-lost", "garbled-reply", "no-input"];

/// One stored case: a line of a `.jsonl` file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Schema version, [`SCHEMA`].
    pub schema: u32,
    /// Program and version that wrote it.
    pub program: String,
    /// Registered name of the algorithm.
    pub algorithm: String,
    /// Name of the variant.
    pub variant: String,
    /// Threads per block.
    pub block: u32,
    /// Work units per thread.
    pub coarsen: u32,
    /// Input elements.
    pub n: u64,
    /// Every parameter of the algorithm.
    #[serde(default)]
    pub params: BTreeMap<String, ParamValue>,
    /// How input values were drawn.
    pub dist: Distribution,
    /// Seed of the input.
    pub seed: u64,
    /// What ran the kernels: `cuda`, `emulator`, `scripted`.
    pub backend: String,
    /// Where the times come from.
    pub provenance: Provenance,
    /// The GPU, real or modelled.
    pub device: DeviceRecord,
    /// Kernel time per sample, summed over the timed launches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Summary>,
    /// The same of kernels, stages on the host and copies together, where there
    /// are such stages and the times are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_to_end: Option<Summary>,
    /// Samples of `seconds` that lie apart from the others; all are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Outliers>,
    /// Why sampling stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Samples that were taken at a low clock and taken again.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub discards: u32,
    /// The clock that the samples were taken at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockRecord>,
    /// Loading the module, allocating, uploading and the first launch, in
    /// seconds of wall time; never part of `seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_launch: Option<f64>,
    /// Median time of each phase.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// Bytes that the algorithm has to move at least.
    #[serde(default)]
    pub bytes: u64,
    /// Floating-point operations that the algorithm has to do.
    #[serde(default)]
    pub flops: u64,
    /// Baseline of the device; stored as `yardsticks`.
    #[serde(default, rename = "yardsticks", skip_serializing_if = "Option::is_none")]
    pub device_baseline: Option<DeviceBaseline>,
    /// Whether the output equals the reference; `None` when not checked.
    pub verified: Option<bool>,
    /// What went wrong, if something did.
    #[serde(default)]
    pub wrong: Option<Wrong>,
    /// Why the case could not run, if it could not.
    #[serde(default)]
    pub skip: Option<String>,
    /// Reservations about the numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Hardware events, by the names that the emulator's counters have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// How a modelled time comes about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRecord>,
    /// Wall-clock seconds that the emulator took; never a kernel's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_wall: Option<f64>,
    /// SHA-256 of the PTX that ran, first 16 hex digits.
    #[serde(default)]
    pub ptx: String,
    /// When it was finished, RFC 3339 in UTC.
    pub time: String,
}

impl Record {
    /// A record of `case` with nothing measured yet.
    pub fn new(case: &Case, device: DeviceRecord, backend: &str, provenance: Provenance) -> Self {
        Self {
            schema: SCHEMA,
            program: PROGRAM.to_owned(),
            algorithm: case.algorithm.clone(),
            variant: case.variant.clone(),
            block: case.block,
            coarsen: case.coarsen,
            n: case.n,
            params: case.params.clone(),
            dist: case.dist,
            seed: case.seed,
            backend: backend.to_owned(),
            provenance,
            device,
            seconds: None,
            end_to_end: None,
            outliers: None,
            stop_reason: None,
            discards: 0,
            clock: None,
            first_launch: None,
            phases: Vec::new(),
            bytes: 0,
            flops: 0,
            device_baseline: None,
            verified: None,
            wrong: None,
            skip: None,
            flags: Vec::new(),
            counters: BTreeMap::new(),
            model: None,
            seconds_wall: None,
            ptx: String::new(),
            time: String::new(),
        }
    }

    /// The case that this is a record of.
    pub fn case(&self) -> Case {
        Case {
            algorithm: self.algorithm.clone(),
            variant: self.variant.clone(),
            block: self.block,
            coarsen: self.coarsen,
            n: self.n,
            params: self.params.clone(),
            dist: self.dist,
            seed: self.seed,
        }
    }

    /// What makes two records the same case, for resume and merge: everything
    /// that decides the result, and neither time nor program version.
    pub fn identity(&self) -> String {
        identity(&self.case(), &self.backend, &self.device.id, &self.ptx)
    }

    /// Whether the record says what the case comes to, and not only that an attempt
    /// failed for reasons that another need not share. A continued sweep tries
    /// cases again that are not settled.
    pub fn settles(&self) -> bool {
        self.wrong.as_ref().is_none_or(|wrong| !PASSING.contains(&wrong.kind.as_str()))
    }

    /// Median kernel time in seconds, if the case has one.
    pub fn median(&self) -> Option<f64> {
        self.seconds.as_ref().map(|seconds| seconds.median)
    }

    /// Kernels, stages on the host and copies between the two, in seconds: the
    /// median of their sum where it is known, else the sum of their medians.
    pub fn end_to_end(&self) -> Option<f64> {
        if let Some(whole) = &self.end_to_end {
            return Some(whole.median);
        }
        let others = self.phases.iter().filter(|phase| phase.kind != PhaseKind::Kernel);
        self.median().map(|median| median + others.map(|phase| phase.seconds).sum::<f64>())
    }

    /// Whether the case has stages on the host or copies beside its kernels.
    pub fn has_host_stages(&self) -> bool {
        self.phases.iter().any(|phase| phase.kind != PhaseKind::Kernel)
    }

    /// Bytes that have to move over kernel time, as a share of what a copy
    /// reaches on the device.
    pub fn share_of_copy(&self) -> Option<f64> {
        let copy = self.device_baseline?.copy;
        let median = self.median().filter(|median| *median > 0.0)?;
        (copy > 0.0 && self.bytes > 0).then(|| self.bytes as f64 / median / copy)
    }

    /// How the case ended.
    pub fn outcome(&self) -> Outcome {
        if self.skip.is_some() {
            Outcome::Skipped
        } else if self.wrong.is_some() || self.verified == Some(false) {
            Outcome::Wrong
        } else if self.verified == Some(true) {
            Outcome::Verified
        } else {
            Outcome::Unchecked
        }
    }

    /// `modelled · H200 SXM · unvalidated`: where the time comes from, in the
    /// words shown wherever the number is.
    pub fn provenance_label(&self) -> String {
        // Without a time there is nothing that was measured or modelled.
        let mut label = match self.seconds {
            Some(_) => format!("{} · {}", self.provenance, self.device.name),
            None => format!("no time · {}", self.device.name),
        };
        for flag in &self.flags {
            label.push_str(" · ");
            label.push_str(flag.label());
        }
        label
    }
}

/// The identity of a case on a device: see [`Record::identity`].
pub fn identity(case: &Case, backend: &str, device: &str, ptx: &str) -> String {
    let mut case = case.clone();
    for value in case.params.values_mut() {
        *value = ParamValue::Word(value.identity());
    }
    format!("{case} seed={} on {backend} {device} ptx {ptx}", case.seed)
}

/// Whether a count need not be written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The output equals the reference.
    Verified,
    /// The output was not compared (a sampled case).
    Unchecked,
    /// The kernel trapped or its output is wrong.
    Wrong,
    /// The case could not run, and says why.
    Skipped,
}

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// A GPU's event timer, in this run.
    Measured,
    /// Counts of the emulator times a GPU's profile.
    Modelled,
    /// A stored measurement of a named device.
    Recorded,
    /// A published table.
    Reported,
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Measured => "measured",
            Self::Modelled => "modelled",
            Self::Recorded => "recorded",
            Self::Reported => "reported",
        })
    }
}

/// The GPU of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Its name: `NVIDIA H200`, or the profile's name.
    pub name: String,
    /// Version of the driver that ran it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// UUID of the device, or hash of the profile.
    #[serde(default)]
    pub id: String,
}

/// What is kept of a set of samples, all in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The headline.
    pub median: f64,
    /// Lower quartile; absent for a modelled time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q1: Option<f64>,
    /// Upper quartile; absent for a modelled time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q3: Option<f64>,
    /// The samples in the order they were taken; may be left out of recordings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<f64>,
    /// How many samples were taken, where they are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<u64>,
}

impl Summary {
    /// How many samples the summary rests on; 0 for a modelled time.
    pub fn count(&self) -> u64 {
        self.taken.unwrap_or(self.samples.len() as u64)
    }
}

/// How many samples lie apart from the others, by the rule of
/// [`crate::statistics::FENCES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outliers {
    /// Shorter than the others.
    pub low: u64,
    /// Longer than the others.
    pub high: u64,
    /// Of both, those that are far out.
    pub far: u64,
}

/// The multiprocessors' clock while a case was measured, in MHz.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRecord {
    /// Median over the samples.
    pub median: u32,
    /// The lowest of any sample that counts.
    pub lowest: u32,
    /// The highest that the device clocks to.
    pub highest: u32,
    /// Why the driver limited the clock; stored as `held_back`.
    #[serde(default, rename = "held_back", skip_serializing_if = "Vec::is_empty")]
    pub throttle_reasons: Vec<String>,
}

/// One timed part of a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name, once per kind: launches of one name are summed.
    pub name: String,
    /// What kind of work it is.
    pub kind: PhaseKind,
    /// Median seconds.
    pub seconds: f64,
}

/// Why sampling stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The relative standard deviation fell below its bound.
    Stable,
    /// The noise itself no longer changes with more samples.
    NoiseStable,
    /// The most samples that may be taken were taken.
    MostSamples,
    /// The time limit was reached first.
    TimeLimit,
    /// Predicted times and single runs have one sample.
    Single,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Stable => "stable",
            Self::NoiseStable => "noise-stable",
            Self::MostSamples => "most-samples",
            Self::TimeLimit => "time-limit",
            Self::Single => "single",
        })
    }
}

/// A reservation about the numbers of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Only some blocks ran; the rest is scaled, and the output unchecked.
    Sampled,
    /// The prediction was never compared with that GPU.
    Unvalidated,
    /// Outside the range in which the model was checked.
    Extrapolated,
    /// The clock was below three quarters of its boost value.
    Throttled,
    /// Result or counters depend on the order in which threads ran.
    ScheduleDependent,
    /// Launches could not be queued ahead of the GPU, so times hold launch latency.
    Unheld,
}

impl Flag {
    /// The words for it on screens.
    pub fn label(self) -> &'static str {
        match self {
            Self::ScheduleDependent => "counts vary from run to run",
            flag => flag.name(),
        }
    }

    /// The word for it in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sampled => "sampled",
            Self::Unvalidated => "unvalidated",
            Self::Extrapolated => "extrapolated",
            Self::Throttled => "throttled",
            Self::ScheduleDependent => "schedule_dependent",
            Self::Unheld => "unheld",
        }
    }
}

/// What went wrong in a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wrong {
    /// Kebab-case kind, as in [`crate::work::TrapKind`].
    pub kind: String,
    /// The kernel, if one is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Source file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Block index (x, y, z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Threads of that block.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<u32>,
    /// First output element that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// What the reference has there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What the kernel has there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<String>,
    /// The whole thing in words.
    #[serde(default)]
    pub message: String,
}

/// How a modelled time comes about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelRecord {
    /// The resource that takes longest, such as `l2_atomics`.
    pub bound_by: String,
    /// Seconds that each resource would take by itself.
    pub parts: BTreeMap<String, f64>,
    /// Warps resident per multiprocessor over the most possible.
    pub occupancy: f64,
    /// What limits the occupancy.
    pub occupancy_limit: String,
    /// In what the case differs from all that the model was compared with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extrapolated: Vec<String>,
}
