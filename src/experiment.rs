//! What the user asked for: an experiment with its axes, and one case of it.
//!
//! The command line, the form on the screen and an experiment file all become
//! an [`Experiment`]; [`crate::runner::plan`] turns it into [`Case`]s.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::units::{BlockSize, Elements, ParseError};

mod distribution;
mod names;
mod sizes;

pub use distribution::Distribution;
pub use names::UnknownName;
pub use sizes::Sizes;

/// Everything that decides which cases run, and how each is measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// Registered name of the algorithm.
    pub algorithm: String,
    /// Variants to run; empty means every variant.
    #[serde(default)]
    pub variants: Vec<String>,
    /// Threads per block.
    pub blocks: Vec<BlockSize>,
    /// Work units per thread.
    pub coarsenings: Vec<u32>,
    /// Input sizes.
    pub sizes: Sizes,
    /// The algorithm's own parameters, each with the values to try; a
    /// parameter that is missing takes its default.
    #[serde(default)]
    pub params: BTreeMap<String, Vec<ParamValue>>,
    /// How input values are drawn.
    #[serde(default)]
    pub dist: Distribution,
    /// Seed of the input.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// What runs the kernels.
    #[serde(default)]
    pub target: Target,
    /// When a case has been measured enough.
    #[serde(default)]
    pub stopping: Stopping,
}

/// Seed used unless another is given.
pub const DEFAULT_SEED: u64 = 7;

fn default_seed() -> u64 {
    DEFAULT_SEED
}

impl Experiment {
    /// The algorithm that the program opens on.
    pub const DEFAULT_ALGORITHM: &'static str = "histogram";
}

impl Default for Experiment {
    /// What the program opens on: both histogram variants, 2^10 to 2^22.
    fn default() -> Self {
        let block = |threads| BlockSize::new(threads).ok();
        Self {
            algorithm: Self::DEFAULT_ALGORITHM.to_owned(),
            variants: Vec::new(),
            blocks: block(128).into_iter().collect(),
            coarsenings: vec![4],
            sizes: Sizes::default(),
            params: BTreeMap::new(),
            dist: Distribution::Uniform,
            seed: DEFAULT_SEED,
            target: Target::default(),
            stopping: Stopping::default(),
        }
    }
}

/// Which backend runs the kernels, and on which device or profile.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The backend.
    #[serde(default)]
    pub backend: BackendChoice,
    /// GPU profile whose time the emulator predicts; `None` is the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<String>,
    /// Ordinal of the CUDA device; `None` is the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// When the emulator runs only a sample of the blocks.
    #[serde(default, skip_serializing_if = "SampleChoice::is_auto")]
    pub sample: SampleChoice,
}

/// When the emulator runs only a sample of the blocks: it predicts the time from them,
/// and there is no result to verify.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum SampleChoice {
    /// When all blocks would take seconds and the algorithm can be sampled.
    #[default]
    Auto,
    /// Never.
    Never,
    /// Always; cases that cannot be sampled are skipped.
    Always,
}

impl SampleChoice {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }

    /// The word for it on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Never => "never",
            Self::Always => "always",
        }
    }
}

/// What runs the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BackendChoice {
    /// A CUDA device if one answers, else the emulator.
    #[default]
    Auto,
    /// An NVIDIA GPU.
    Cuda,
    /// The PTX emulator with predicted times.
    Emulator,
    /// The deterministic stand-in that tests use; not offered to users.
    Scripted,
}

impl BackendChoice {
    /// The word for it on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cuda => "cuda",
            Self::Emulator => "emulator",
            Self::Scripted => "scripted",
        }
    }
}

impl fmt::Display for BackendChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BackendChoice {
    type Err = ExperimentError;
    fn from_str(text: &str) -> Result<Self, ExperimentError> {
        match text {
            "auto" => Ok(Self::Auto),
            "cuda" => Ok(Self::Cuda),
            "emulator" => Ok(Self::Emulator),
            "scripted" => Ok(Self::Scripted),
            _ => Err(UnknownName::new("backend", text, &["auto", "cuda", "emulator"]).into()),
        }
    }
}

/// When a case has been measured enough (real GPUs; a predicted case runs once).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stopping {
    /// Fewest samples.
    pub least_samples: u32,
    /// Most samples, which is also the most that are stored.
    pub most_samples: u32,
    /// Stop once the relative standard deviation is below this.
    pub relative_deviation: f64,
    /// … and at least this many seconds of GPU time were spent,
    pub gpu_seconds: f64,
    /// … or this many seconds of wall time.
    pub wall_seconds: f64,
    /// Stop in any case after this many seconds of wall time.
    pub limit_seconds: f64,
}

impl Default for Stopping {
    fn default() -> Self {
        Self {
            least_samples: 10,
            most_samples: 1000,
            relative_deviation: 0.005,
            gpu_seconds: 0.1,
            wall_seconds: 0.15,
            limit_seconds: 15.0,
        }
    }
}

/// A value of an algorithm's parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ParamValue {
    /// A whole number, such as a number of bins.
    Int(u64),
    /// One word of a fixed choice, such as `modulo`; or the name of a file that
    /// has not been read.
    Word(String),
    /// A file, which its content identifies.
    File {
        /// Its name, as given: a worker elsewhere looks for it under the same.
        file: String,
        /// First 16 hex digits of the SHA-256 of its content.
        sha256: String,
    },
}

impl ParamValue {
    /// What tells it from other values: of a file its content, whatever its name.
    pub fn identity(&self) -> String {
        match self {
            Self::File { sha256, .. } => format!("sha256:{sha256}"),
            value => value.to_string(),
        }
    }
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => f.pad(&value.to_string()),
            Self::Word(word) => f.pad(word),
            Self::File { file, .. } => f.pad(file),
        }
    }
}

impl FromStr for ParamValue {
    type Err = std::convert::Infallible;
    /// A count where the text reads as one, else a word.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(crate::units::parse_count(text)
            .map_or_else(|_| Self::Word(text.trim().to_owned()), Self::Int))
    }
}

/// One point of the experiment: everything that decides input and launch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
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
    /// Every parameter of the algorithm, defaults filled in.
    pub params: BTreeMap<String, ParamValue>,
    /// How input values are drawn.
    pub dist: Distribution,
    /// Seed of the input.
    pub seed: u64,
}

impl Case {
    /// A whole-number parameter, if the case has it.
    pub fn int(&self, name: &str) -> Option<u64> {
        match self.params.get(name) {
            Some(ParamValue::Int(value)) => Some(*value),
            _ => None,
        }
    }

    /// A word parameter, if the case has it.
    pub fn word(&self, name: &str) -> Option<&str> {
        match self.params.get(name) {
            Some(ParamValue::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Name and hash of a file parameter, if the case has it.
    pub fn file(&self, name: &str) -> Option<(&str, &str)> {
        match self.params.get(name) {
            Some(ParamValue::File { file, sha256 }) => Some((file, sha256)),
            _ => None,
        }
    }
}

impl fmt::Display for Case {
    /// `histogram shared n=2^20 block=128 coarsen=4 bins=8 binning=modulo uniform`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} n={} block={} coarsen={}",
            self.algorithm,
            self.variant,
            Elements(self.n),
            self.block,
            self.coarsen
        )?;
        for (name, value) in &self.params {
            write!(f, " {name}={value}")?;
        }
        write!(f, " {}", self.dist)
    }
}

/// What is wrong with an experiment as written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// A quantity could not be read.
    #[error(transparent)]
    Quantity(#[from] ParseError),
    /// A name that nothing has.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A distribution whose parameter makes no sense.
    #[error("distribution `{text}`: {reason}")]
    BadDistribution {
        /// As written.
        text: String,
        /// What is wrong.
        reason: String,
    },
    /// A list of sizes that makes no sense.
    #[error("sizes `{text}`: {reason}")]
    BadSizes {
        /// As written.
        text: String,
        /// What is wrong.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_survives_a_file() {
        let experiment = Experiment::default();
        let text = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&text).unwrap(), experiment);
        assert!(serde_json::from_str::<Experiment>(r#"{"algoritm":"x"}"#).is_err());
    }
}
