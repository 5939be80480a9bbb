#![doc = include_str!("record/schema.md")]

mod failure;
mod identity;
mod limits;
mod model;
mod times;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::experiment::{Case, Distribution, ParamValue};
use crate::own;
use crate::work::Module;
pub use crate::work::cause::{Amount, Cause};
pub(crate) use crate::work::metric::metrics;
pub use crate::work::metric::{Counter, Counts, FailureKind, Metric, Parts, Resource, Stored};
use crate::work::shared::{Common, table};
pub use crate::work::{
    CaseProfile, Ceilings, DeviceBaseline, InstructionProfile, KernelProfile, LaunchCost, Launches,
    LineWork, Name, PhaseKind, Residency, Shared,
};
pub use failure::Wrong;
pub use identity::Identity;
pub use model::ModelRecord;
pub use times::{ClockRecord, Outliers, Phase, StopReason, Summary};

/// Version of the stored schema that this program writes.
pub const SCHEMA: u32 = 2;

/// Program and version as stored.
pub const PROGRAM: &str = concat!("warpscope ", env!("CARGO_PKG_VERSION"));

/// One stored case: a line of a `.jsonl` file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Schema version, [`SCHEMA`].
    pub schema: u32,
    /// Program and version that wrote it.
    pub program: Name,
    /// Registered name of the algorithm.
    pub algorithm: Name,
    /// Name of the variant.
    pub variant: Name,
    /// Threads per block.
    pub block: u32,
    /// Work units per thread.
    pub coarsen: u32,
    /// Input elements.
    pub n: u64,
    /// Every parameter of the algorithm.
    #[serde(default)]
    pub params: Shared<BTreeMap<String, ParamValue>>,
    /// Distribution of the input values.
    pub dist: Distribution,
    /// Seed of the input.
    pub seed: u64,
    /// What ran the kernels: `cuda`, `emulator` or `scripted`.
    pub backend: Name,
    /// Provenance of the times.
    pub provenance: Provenance,
    /// The GPU, real or modelled.
    pub device: Shared<DeviceRecord>,
    /// Kernel time, summed over the launches of each sample.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Summary>,
    /// Time of kernels, host stages and copies together; only of measured cases with host
    /// stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_to_end: Option<Box<Summary>>,
    /// Outliers among the samples of `seconds`; all are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Box<Outliers>>,
    /// Why sampling stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Samples that were repeated because the clock was low.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub discards: u32,
    /// The clock during the samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Box<ClockRecord>>,
    /// Wall time of module load, allocation, upload and first launch in seconds; never part
    /// of `seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_launch: Option<f64>,
    /// Median time of each phase.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub phases: Box<[Phase]>,
    /// Bytes that the algorithm must move.
    #[serde(default)]
    pub bytes: u64,
    /// Floating-point operations that the algorithm must do.
    #[serde(default)]
    pub flops: u64,
    /// Baseline of the device; stored as `yardsticks`.
    #[serde(default, rename = "yardsticks", skip_serializing_if = "Option::is_none")]
    pub device_baseline: Option<Box<DeviceBaseline>>,
    /// Whether the output equals the reference; `None` if not checked.
    pub verified: Option<bool>,
    /// Why the case failed, if it did.
    #[serde(default)]
    pub wrong: Option<Box<Wrong>>,
    /// Why the case was skipped, if it was.
    #[serde(default)]
    pub skip: Option<Name>,
    /// Reservations about the numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Counters of the emulator.
    #[serde(default, skip_serializing_if = "Counts::is_empty")]
    pub counters: Counts,
    /// How the model derives the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Box<ModelRecord>>,
    /// Wall time of the emulation in seconds; never a kernel's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_wall: Option<f64>,
    /// Hash of the user's file that the kernel comes from
    /// ([`crate::own::OwnFile::hash`]); empty for a built-in kernel.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub source: Name,
    /// SHA-256 of the PTX that ran, first 16 hex digits.
    #[serde(default)]
    pub ptx: Name,
    /// When the case ended, RFC 3339 in UTC.
    pub time: Name,
}

impl Record {
    /// A record of `case` with nothing measured yet.
    pub fn new(case: &Case, device: DeviceRecord, backend: &str, provenance: Provenance) -> Self {
        Self {
            schema: SCHEMA,
            program: PROGRAM.into(),
            algorithm: case.algorithm.as_str().into(),
            variant: case.variant.as_str().into(),
            block: case.block,
            coarsen: case.coarsen,
            n: case.n,
            params: Shared::common(case.params.clone()),
            dist: case.dist,
            seed: case.seed,
            backend: backend.into(),
            provenance,
            device: Shared::common(device),
            seconds: None,
            end_to_end: None,
            outliers: None,
            stop_reason: None,
            discards: 0,
            clock: None,
            first_launch: None,
            phases: Box::default(),
            bytes: 0,
            flops: 0,
            device_baseline: None,
            verified: None,
            wrong: None,
            skip: None,
            flags: Vec::new(),
            counters: Counts::default(),
            model: None,
            seconds_wall: None,
            source: Name::default(),
            ptx: Name::default(),
            time: Name::default(),
        }
    }

    /// Its case.
    pub fn case(&self) -> Case {
        Case {
            algorithm: self.algorithm.to_string(),
            variant: self.variant.to_string(),
            block: self.block,
            coarsen: self.coarsen,
            n: self.n,
            params: (*self.params).clone(),
            dist: self.dist,
            seed: self.seed,
        }
    }

    /// Identity for resume and merge: everything that decides the result, and neither time
    /// nor program version.
    pub fn identity(&self) -> Identity<'_> {
        let source = self.source.as_str();
        Identity {
            names: [
                &self.algorithm,
                &self.variant,
                &self.backend,
                &self.device.id,
                &self.ptx,
                source,
            ],
            numbers: [self.block.into(), self.coarsen.into(), self.n, self.seed],
            params: &self.params,
            dist: self.dist,
        }
    }

    /// The kernel of the user's file that it comes from, as that was; none for a built-in
    /// kernel.
    pub fn own_module(&self) -> Option<Module> {
        own::with_hash(&self.source).map(|version| version.system.module(&self.variant))
    }

    /// Whether the record settles its case. After a transient failure it does not, and a
    /// continued sweep tries the case again.
    pub fn settles(&self) -> bool {
        let kind = self.wrong.as_ref().and_then(|wrong| wrong.kind.known());
        !kind.is_some_and(FailureKind::is_transient)
    }

    /// Median kernel time in seconds.
    pub fn median(&self) -> Option<f64> {
        self.seconds.as_ref().map(|seconds| seconds.median)
    }

    /// Time of kernels, host stages and copies in seconds: the median of their sum where it
    /// is stored, else the sum of their medians.
    pub fn end_to_end(&self) -> Option<f64> {
        if let Some(whole) = &self.end_to_end {
            return Some(whole.median);
        }
        let others = self.phases.iter().filter(|phase| phase.kind != PhaseKind::Kernel);
        self.median().map(|median| median + others.map(|phase| phase.seconds).sum::<f64>())
    }

    /// Whether the case has host stages or copies.
    pub fn has_host_stages(&self) -> bool {
        self.phases.iter().any(|phase| phase.kind != PhaseKind::Kernel)
    }

    /// An amount over kernel time.
    pub fn per_second(&self, amount: u64) -> Option<f64> {
        self.median().filter(|median| *median > 0.0).map(|median| amount as f64 / median)
    }

    /// Bandwidth (bytes that must move, over kernel time) as a share of a copy's bandwidth on
    /// the device.
    pub fn share_of_copy(&self) -> Option<f64> {
        let copy = self.device_baseline.as_ref()?.copy;
        let rate = self.per_second(self.bytes)?;
        (copy > 0.0 && self.bytes > 0).then(|| rate / copy)
    }

    /// How the case ended.
    pub fn outcome(&self) -> Outcome {
        if self.skip.is_some() {
            Outcome::Skipped
        } else if !self.settles() {
            Outcome::Failed
        } else if self.wrong.is_some() || self.verified == Some(false) {
            Outcome::Wrong
        } else if self.verified == Some(true) {
            Outcome::Verified
        } else {
            Outcome::Unchecked
        }
    }

    /// Provenance, device and flags, as shown with every number:
    /// `modelled · H200 SXM · unvalidated`.
    pub fn provenance_label(&self) -> String {
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

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl Outcome {
    /// Whether the case has an output and a time.
    pub fn is_result(self) -> bool {
        matches!(self, Self::Verified | Self::Unchecked)
    }

    /// The word before a message that says why: a failed attempt is not the kernel's fault.
    pub(crate) fn blame(self) -> &'static str {
        if self == Self::Failed { "failed" } else { "wrong" }
    }
}

/// How a case ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The output equals the reference.
    Verified,
    /// The output was not checked (a sampled case).
    Unchecked,
    /// The kernel trapped, or its output is wrong.
    Wrong,
    /// The attempt failed, which says nothing about the kernel: the worker died, took too
    /// long, or sent what cannot be true. A continued sweep tries again.
    Failed,
    /// The case could not run.
    Skipped,
}

metrics! {
    /// Where a number comes from.
    Provenance:
    Measured "measured" "measured" "A GPU's event timer, in this run.";
    Modelled "modelled" "modelled" "Counters of the emulator and a GPU profile.";
    Recorded "recorded" "recorded" "A stored measurement of a named GPU.";
    Reported "reported" "reported" "A published table.";
}

metrics! {
    /// A reservation about the numbers of a record.
    Flag:
    Sampled "sampled" "sampled"
        "Only a sample of the blocks ran; counts are scaled and the output is not checked.";
    Unvalidated "unvalidated" "unvalidated"
        "The prediction was never compared with that GPU, case by case.";
    Extrapolated "extrapolated" "low confidence"
        "The model knows why it may be wrong here: `warpscope run` and `exec` say the reason.";
    Throttled "throttled" "throttled" "The clock was below three quarters of its boost value.";
    ScheduleDependent "schedule_dependent" "counts vary from run to run"
        "Result or counters depend on the order of threads; verified by property.";
    RegistersEstimated "registers_estimated" "registers estimated"
        "No assembler (ptxas) saw the kernel: its registers and machine code are estimated from the PTX.";
    Unheld "unheld" "unheld"
        "Launches were not queued ahead of the GPU, so times include launch latency.";
}

/// The GPU of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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

impl Common for DeviceRecord {
    table!(DeviceRecord);

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shared<Self>, D::Error> {
        Self::deserialize(deserializer).map(Shared::common)
    }
}

impl Common for BTreeMap<String, ParamValue> {
    table!(BTreeMap<String, ParamValue>);

    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Shared<Self>, D::Error> {
        Self::deserialize(deserializer).map(Shared::common)
    }
}
