//! Times of a record: samples, outliers, the clock, phases, and why sampling stopped.

use serde::{Deserialize, Serialize};

pub use crate::statistics::Outliers;
use crate::work::metric::metrics;
use crate::work::{Name, PhaseKind};

/// Samples and their summary, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// Lower quartile; absent for a modelled time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q1: Option<f64>,
    /// Upper quartile; absent for a modelled time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q3: Option<f64>,
    /// The samples in the order of measuring; recordings may leave them out.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub samples: Box<[f64]>,
    /// Number of samples, where not all are stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<u64>,
}

impl Summary {
    /// One time without samples.
    pub fn of(median: f64) -> Self {
        Self { median, q1: None, q3: None, samples: Box::default(), taken: None }
    }

    /// Number of samples; 0 for a modelled time.
    pub fn count(&self) -> u64 {
        self.taken.unwrap_or(self.samples.len() as u64)
    }
}

/// The multiprocessors' clock while a case was measured, in MHz.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockRecord {
    /// Median over the samples.
    pub median: u32,
    /// Lowest of the samples that count.
    pub lowest: u32,
    /// Highest clock of the device.
    pub highest: u32,
    /// Why the driver limited the clock; stored as `held_back`.
    #[serde(default, rename = "held_back", skip_serializing_if = "Vec::is_empty")]
    pub throttle_reasons: Vec<String>,
}

/// A phase of a case with its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name; launches of one name are summed.
    pub name: Name,
    /// Its kind of work.
    pub kind: PhaseKind,
    /// Median seconds.
    pub seconds: f64,
}

metrics! {
    /// Why sampling stopped.
    StopReason:
    Stable "stable" "stable" "The relative standard deviation fell below its bound.";
    NoiseStable "noise-stable" "noise-stable" "More samples no longer change the noise.";
    MostSamples "most-samples" "most-samples" "The maximum number of samples was reached.";
    TimeLimit "time-limit" "time-limit" "The time limit was reached.";
    Single "single" "single" "A prediction or a single run has one sample.";
}
