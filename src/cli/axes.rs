//! From axes as typed to an experiment that names only things that exist.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use clap::Args;

use super::suggest;
use super::workers::{Devices, Workers};
use crate::algorithms;
use crate::experiment::{
    BackendChoice, Distribution, Experiment, ExperimentError, ParamValue, SampleChoice, Sizes,
};
use crate::gpu::{self, Profile, ProfileError};
use crate::runner::plan;
use crate::units::{BlockSize, parse_count};

/// What to run, on what, and how.
#[derive(Debug, Clone, Default, Args)]
pub struct Axes {
    /// Algorithm, as `warpscope list` names it
    #[arg(value_name = "ALGORITHM", required_unless_present = "experiment")]
    pub algorithm: Option<String>,

    /// Variants, as `warpscope list` names them, or `all`
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = AXES)]
    pub variant: Vec<String>,

    /// Threads per block, 1 to 1024 each [default: by algorithm]
    #[arg(long, value_name = "THREADS,...", value_delimiter = ',', help_heading = AXES)]
    pub block: Vec<BlockSize>,

    /// Work units per thread [default: by algorithm]
    #[arg(
        long, value_name = "COUNT,...", value_delimiter = ',', help_heading = AXES,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub coarsen: Vec<u32>,

    /// Input sizes: 1000,5000,1M or 2^10..2^24 or 2^10..2^24:x4 [default: by
    /// algorithm, for a single run the largest of them]
    #[arg(short, value_name = "SIZES", help_heading = AXES)]
    pub n: Option<Sizes>,

    /// Numbers of bins; short for --set bins=...
    #[arg(
        long, value_name = "COUNT,...", value_delimiter = ',', help_heading = AXES,
        value_parser = parse_count
    )]
    pub bins: Vec<u64>,

    /// How input values are drawn: uniform, normal, zipf:S, constant, iota,
    /// ones, sorted, reversed or few-unique:K [default: uniform]
    #[arg(long, value_name = "DIST", help_heading = AXES, value_parser = distribution)]
    pub dist: Option<Distribution>,

    /// Seed of the input [default: 7]
    #[arg(long, value_name = "NUMBER", help_heading = AXES)]
    pub seed: Option<u64>,

    /// Values of any further parameter that `warpscope list` names
    #[arg(long, value_name = "KEY=V1,V2,...", help_heading = AXES)]
    pub set: Vec<Setting>,

    /// What runs the kernels: auto, cuda or emulator; auto is cuda where a
    /// device answers [default: auto]
    #[arg(long, value_name = "BACKEND", help_heading = TARGET, value_parser = backend)]
    pub backend: Option<BackendChoice>,

    /// GPU whose times the emulator predicts: a name of `warpscope devices`, or a
    /// profile file
    #[arg(long, value_name = "NAME|FILE", help_heading = TARGET)]
    pub gpu: Option<String>,

    /// When the emulator runs a sample of the blocks in place of all, which predicts the
    /// time of large inputs at once but computes no result: auto (where all would take
    /// seconds), never, always [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = TARGET, value_enum)]
    pub sample: Option<SampleChoice>,

    /// What runs them.
    #[command(flatten)]
    pub workers: Workers,

    /// Take the experiment from a JSON file; other options override it
    #[arg(long, value_name = "FILE")]
    pub experiment: Option<PathBuf>,
}

const AXES: &str = "Axes";
pub(super) const TARGET: &str = "Where";

/// One `--set`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Name of the parameter.
    pub key: String,
    /// Values to try.
    pub values: Vec<ParamValue>,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("`{text}` is not of the form KEY=VALUE or KEY=V1,V2");
        let (key, values) = text.split_once('=').ok_or_else(bad)?;
        let key = key.trim().to_owned();
        if key.is_empty() || values.split(',').any(|value| value.trim().is_empty()) {
            return Err(bad());
        }
        let Ok(values) = values.split(',').map(ParamValue::from_str).collect();
        Ok(Self { key, values })
    }
}

/// Options that do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxesError {
    /// A profile with a backend that predicts nothing.
    #[error("--gpu names a profile for the emulator; leave it out or use `--backend emulator`")]
    GpuWithoutEmulator,
    /// A device number with a backend that has no devices.
    #[error("--device names a CUDA device; leave it out or use `--backend cuda`")]
    DeviceWithoutCuda,
    /// A device number with a profile of the emulator.
    #[error("--device names a CUDA device and --gpu a profile for the emulator; use one of them")]
    DeviceWithGpu,
}

impl Axes {
    /// `base` with everything that was given on the command line in its place.
    pub fn apply(&self, mut base: Experiment) -> Result<Experiment, AxesError> {
        if let Some(algorithm) = &self.algorithm {
            base.algorithm.clone_from(algorithm);
        }
        if !self.variant.is_empty() {
            let all = self.variant.iter().any(|name| name == "all");
            base.variants = if all { Vec::new() } else { self.variant.clone() };
        }
        if !self.block.is_empty() {
            base.blocks.clone_from(&self.block);
        }
        if !self.coarsen.is_empty() {
            base.coarsenings.clone_from(&self.coarsen);
        }
        if let Some(n) = &self.n {
            base.sizes = n.clone();
        }
        base.params.extend(settings(&self.bins, &self.set));
        if let Some(dist) = self.dist {
            base.dist = dist;
        }
        if let Some(seed) = self.seed {
            base.seed = seed;
        }
        self.aim(&mut base)?;
        Ok(base)
    }

    /// A profile or a device says which backend is meant.
    fn aim(&self, base: &mut Experiment) -> Result<(), AxesError> {
        if let Some(backend) = self.backend {
            base.target.backend = backend;
        }
        if let Some(gpu) = &self.gpu {
            match self.backend {
                None | Some(BackendChoice::Emulator) => {
                    base.target.backend = BackendChoice::Emulator;
                }
                Some(BackendChoice::Auto) => {}
                Some(_) => return Err(AxesError::GpuWithoutEmulator),
            }
            base.target.gpu = Some(gpu.clone());
        }
        if let Some(sample) = self.sample {
            base.target.sample = sample;
        }
        if let Some(devices) = &self.workers.device {
            if self.gpu.is_some() {
                return Err(AxesError::DeviceWithGpu);
            }
            base.target.backend = devices.backend(self.backend)?;
            base.target.device = match devices {
                Devices::These(devices) if devices.len() == 1 => devices.first().copied(),
                // Each worker has its own.
                Devices::These(_) | Devices::All => None,
            };
        }
        Ok(())
    }
}

/// Parameters from `--bins` and `--set`; of several for one key the last counts.
pub(super) fn settings(bins: &[u64], set: &[Setting]) -> BTreeMap<String, Vec<ParamValue>> {
    let mut params = BTreeMap::new();
    if !bins.is_empty() {
        let values = bins.iter().map(|bins| ParamValue::Int(*bins)).collect();
        params.insert("bins".to_owned(), values);
    }
    params.extend(set.iter().map(|setting| (setting.key.clone(), setting.values.clone())));
    params
}

/// Reads a distribution; an unknown name suggests the nearest.
pub(super) fn distribution(text: &str) -> Result<Distribution, String> {
    text.parse().map_err(|error: ExperimentError| suggest::with_nearest(&error))
}

/// Reads the name of a backend.
pub(super) fn backend(text: &str) -> Result<BackendChoice, String> {
    text.parse().map_err(|error: ExperimentError| suggest::with_nearest(&error))
}

/// The experiment that `axes` ask for: its file, or what the algorithm opens
/// on, then the options.
pub(super) fn experiment(axes: &Axes) -> anyhow::Result<Experiment> {
    let base = match &axes.experiment {
        None => match axes.algorithm.as_deref() {
            Some(name) => algorithms::opening(plan::algorithm(name)?),
            None => Experiment::default(),
        },
        Some(path) => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            serde_json::from_str(&text)
                .with_context(|| format!("{} is not an experiment", path.display()))?
        }
    };
    let experiment = axes.apply(base)?;
    check(&experiment)?;
    Ok(experiment)
}

/// Refuses what does not exist, before a worker is started or a file made.
fn check(experiment: &Experiment) -> anyhow::Result<()> {
    plan::check(experiment)?;
    if let Some(name) = &experiment.target.gpu {
        profile(name)?;
    }
    Ok(())
}

/// The GPU profile that `--gpu` names.
pub(super) fn profile(name: &str) -> anyhow::Result<Arc<Profile>> {
    gpu::open_profile(name).map_err(|error| match error {
        ProfileError::Unknown { name, .. } => {
            let names: Vec<&str> = gpu::profiles().iter().map(|gpu| gpu.name.as_str()).collect();
            let known = suggest::unknown("GPU profile", &name, &names);
            anyhow!("{known}, and no file of that name")
        }
        other => other.into(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_exist_is_refused_with_what_does() {
        check(&Experiment::default()).unwrap();
        let refusal = |change: fn(&mut Experiment)| {
            let mut experiment = Experiment::default();
            change(&mut experiment);
            check(&experiment).unwrap_err().to_string()
        };
        let text = refusal(|experiment| experiment.algorithm = "histogramm".to_owned());
        assert!(text.contains("did you mean `histogram`?"), "{text}");
        let text = refusal(|experiment| experiment.target.gpu = Some("GTX 475".to_owned()));
        assert!(text.contains("GTX 745 (OEM)"), "{text}");
    }
}
