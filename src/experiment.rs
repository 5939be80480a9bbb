//! What the user asked for: an experiment with its axes, and one case of it.
//!
//! The command line, the form on the screen and an experiment file all become
//! an [`Experiment`]; [`crate::plan`] turns it into [`Case`]s.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::units::{BlockSize, Elements, ParseError};

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

impl Default for Experiment {
    /// What the program opens on: both histogram variants, 2^10 to 2^22.
    fn default() -> Self {
        let block = |threads| BlockSize::new(threads).ok();
        Self {
            algorithm: "histogram".to_owned(),
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
            _ => Err(ExperimentError::UnknownName {
                what: "backend",
                name: text.to_owned(),
                known: "auto, cuda, emulator".to_owned(),
            }),
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
    /// One word of a fixed choice, such as `modulo`.
    Word(String),
}

impl fmt::Display for ParamValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => f.pad(&value.to_string()),
            Self::Word(word) => f.pad(word),
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

/// How input values are drawn. Every distribution gives element `i` from the
/// seed and `i` alone, and the same values on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Distribution {
    /// Every 32-bit value equally likely.
    #[default]
    Uniform,
    /// A bell around the middle of the range.
    Normal,
    /// Rank `k` with probability proportional to `k^-s`.
    Zipf(f64),
    /// One value everywhere.
    Constant,
    /// 0, 1, 2, …
    Iota,
    /// The value 1 everywhere.
    Ones,
    /// Ascending, spread over the whole range.
    Sorted,
    /// Descending, spread over the whole range.
    Reversed,
    /// `k` different values, each equally likely.
    FewUnique(u32),
}

impl Distribution {
    /// One of each kind, with usual parameters, in the order lists show them.
    pub const ALL: [Self; 9] = [
        Self::Uniform,
        Self::Normal,
        Self::Zipf(1.2),
        Self::Constant,
        Self::Iota,
        Self::Ones,
        Self::Sorted,
        Self::Reversed,
        Self::FewUnique(16),
    ];
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Uniform => "uniform".to_owned(),
            Self::Normal => "normal".to_owned(),
            Self::Zipf(s) => format!("zipf:{s}"),
            Self::Constant => "constant".to_owned(),
            Self::Iota => "iota".to_owned(),
            Self::Ones => "ones".to_owned(),
            Self::Sorted => "sorted".to_owned(),
            Self::Reversed => "reversed".to_owned(),
            Self::FewUnique(k) => format!("few-unique:{k}"),
        };
        f.pad(&text)
    }
}

impl FromStr for Distribution {
    type Err = ExperimentError;

    fn from_str(text: &str) -> Result<Self, ExperimentError> {
        let text = text.trim();
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let bad_argument = |reason: &str| ExperimentError::BadDistribution {
            text: text.to_owned(),
            reason: reason.to_owned(),
        };
        let plain = |dist: Self| match argument {
            None => Ok(dist),
            Some(_) => Err(bad_argument("it takes no parameter")),
        };
        match name {
            "uniform" => plain(Self::Uniform),
            "normal" => plain(Self::Normal),
            "constant" => plain(Self::Constant),
            "iota" => plain(Self::Iota),
            "ones" => plain(Self::Ones),
            "sorted" => plain(Self::Sorted),
            "reversed" => plain(Self::Reversed),
            "zipf" => match argument.unwrap_or("1.2").parse::<f64>() {
                Ok(s) if (0.0..=10.0).contains(&s) => Ok(Self::Zipf(s)),
                _ => Err(bad_argument("the exponent is a number from 0 to 10, as in zipf:1.2")),
            },
            "few-unique" => match argument.unwrap_or("16").parse::<u32>() {
                Ok(k) if (1..=65_536).contains(&k) => Ok(Self::FewUnique(k)),
                _ => Err(bad_argument(
                    "the number of values is from 1 to 65536, as in few-unique:16",
                )),
            },
            _ => Err(ExperimentError::UnknownName {
                what: "distribution",
                name: name.to_owned(),
                known:
                    "uniform, normal, zipf:S, constant, iota, ones, sorted, reversed, few-unique:K"
                        .to_owned(),
            }),
        }
    }
}

impl Serialize for Distribution {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Input sizes, as a list of single sizes and geometric ranges:
/// `2^10..2^24`, `2^10..2^24:x4`, `1000,5000,1M`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(Vec<SizeRange>);

/// One part of [`Sizes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SizeRange {
    from: Elements,
    to: Elements,
    factor: u64,
}

/// Most sizes one experiment may name.
const MOST_SIZES: usize = 10_000;

impl Sizes {
    /// The geometric range `from`, `from * factor`, … up to and including `to`.
    pub fn range(from: u64, to: u64, factor: u64) -> Self {
        Self(vec![SizeRange { from: Elements(from), to: Elements(to), factor: factor.max(2) }])
    }

    /// Every size, ascending, each once.
    pub fn values(&self) -> Vec<u64> {
        let mut values = Vec::new();
        for range in &self.0 {
            let mut n = range.from.0;
            loop {
                values.push(n);
                match n.checked_mul(range.factor) {
                    Some(next) if n > 0 && next <= range.to.0 && values.len() < MOST_SIZES => {
                        n = next;
                    }
                    _ => break,
                }
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self::range(1 << 10, 1 << 22, 2)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (index, range) in self.0.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&range.from.to_string());
            if range.to != range.from {
                text.push_str(&format!("..{}", range.to));
                if range.factor != 2 {
                    text.push_str(&format!(":x{}", range.factor));
                }
            }
        }
        f.pad(&text)
    }
}

impl FromStr for Sizes {
    type Err = ExperimentError;

    fn from_str(text: &str) -> Result<Self, ExperimentError> {
        let bad = |reason: String| ExperimentError::BadSizes { text: text.to_owned(), reason };
        let size = |part: &str| part.parse::<Elements>().map_err(|error| bad(error.to_string()));
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let Some((from, rest)) = part.split_once("..") else {
                let n = size(part)?;
                ranges.push(SizeRange { from: n, to: n, factor: 2 });
                continue;
            };
            let (to, factor) = match rest.split_once(":x") {
                None => (rest, 2),
                Some((to, factor)) => match factor.trim().parse::<u64>() {
                    Ok(factor) if factor >= 2 => (to, factor),
                    _ => return Err(bad(format!("`x{factor}` is not a factor of 2 or more"))),
                },
            };
            let (from, to) = (size(from)?, size(to)?);
            if from.0 == 0 {
                return Err(bad("a range cannot start at 0; list 0 by itself".to_owned()));
            }
            if from > to {
                return Err(bad(format!("the range runs from {from} down to {to}")));
            }
            ranges.push(SizeRange { from, to, factor });
        }
        Ok(Self(ranges))
    }
}

impl Serialize for Sizes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What is wrong with an experiment as written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// A quantity could not be read.
    #[error(transparent)]
    Quantity(#[from] ParseError),
    /// A name that nothing has.
    #[error("there is no {what} `{name}` (known: {known})")]
    UnknownName {
        /// What kind of thing.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
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
    use proptest::prelude::*;

    #[test]
    fn sizes_are_read_as_documented() {
        for (text, values) in [
            ("2^10..2^12", vec![1024, 2048, 4096]),
            ("2^10..2^14:x4", vec![1024, 4096, 16384]),
            ("1000,5000,1M", vec![1000, 5000, 1_000_000]),
            ("0,1,33", vec![0, 1, 33]),
            ("8..8", vec![8]),
            ("5,5,3", vec![3, 5]),
            ("10..45", vec![10, 20, 40]),
        ] {
            let sizes: Sizes = text.parse().unwrap();
            assert_eq!(sizes.values(), values, "{text}");
        }
    }

    #[test]
    fn bad_sizes_say_what_is_wrong() {
        for (text, part) in [
            ("", "not a number"),
            ("0..8", "cannot start at 0"),
            ("8..4", "down to"),
            ("1..8:x1", "factor"),
            ("1..8:4", "not a number"),
            ("2^31", "outside"),
            ("1,,2", "not a number"),
        ] {
            let error = text.parse::<Sizes>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn every_distribution_reads_back() {
        for dist in Distribution::ALL {
            assert_eq!(dist.to_string().parse(), Ok(dist));
        }
        assert_eq!("zipf".parse(), Ok(Distribution::Zipf(1.2)));
        for text in ["zipf:-1", "zipf:x", "few-unique:0", "uniform:3", "gauss"] {
            assert!(text.parse::<Distribution>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_experiment_survives_a_file() {
        let experiment = Experiment::default();
        let text = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&text).unwrap(), experiment);
        assert!(serde_json::from_str::<Experiment>(r#"{"algoritm":"x"}"#).is_err());
    }

    proptest! {
        #[test]
        fn reading_sizes_never_panics(text in "[0-9^.,:xkMi]{0,16}") {
            if let Ok(sizes) = text.parse::<Sizes>() {
                prop_assert!(!sizes.values().is_empty());
                prop_assert_eq!(sizes.to_string().parse::<Sizes>().map(|s| s.values()), Ok(sizes.values()));
            }
        }
    }
}
