//! The axes of an experiment: what `run` and `sweep` take, and what becomes of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::Args;

use super::own;
use super::values::Values;
use super::workers::{Devices, Workers};
use crate::algorithms;
use crate::experiment::{BackendChoice, Experiment, SampleChoice, Target, UnknownName};
use crate::gpu::{self, GpuSpec, SpecError};
use crate::runner::plan;

/// What to run, on what, and how.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Axes [defaults: see `warpscope list`]")]
pub struct Axes {
    /// Algorithm to run, as in `warpscope list`, or a file with kernels
    #[arg(
        value_name = "ALGORITHM|FILE.cu|FILE.ptx", required_unless_present = "experiment",
        help_heading = None
    )]
    pub algorithm: Option<String>,

    /// Built-in algorithm that the kernels of the file belong to, as further variants
    #[arg(long, value_name = "ALGORITHM", help_heading = None)]
    pub like: Option<String>,

    /// Run the kernels of a file without checking them first
    #[arg(long, help_heading = None)]
    pub no_check: bool,

    /// Values on each axis.
    #[command(flatten)]
    pub values: Values,

    /// Seed of the input [default: 7]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,

    /// Read the experiment from a JSON or TOML file; other options override it
    #[arg(long, value_name = "FILE", help_heading = None)]
    pub experiment: Option<PathBuf>,

    /// Backend: auto, cuda or emulator; auto is cuda if a device answers
    /// [default: auto]
    #[arg(long, value_name = "BACKEND", help_heading = TARGET)]
    pub backend: Option<BackendChoice>,

    /// GPU whose times the emulator predicts: a name from `warpscope devices`, or a
    /// profile file [default: H200 SXM]
    #[arg(long, value_name = "NAME|FILE", help_heading = TARGET)]
    pub gpu: Option<String>,

    /// When the emulator runs only a sample of the blocks: it predicts the time
    /// of large inputs quickly, but computes no result [default: auto]
    #[arg(long, value_name = "WHEN", help_heading = TARGET, value_enum)]
    pub sample: Option<SampleChoice>,

    /// Workers that run the cases.
    #[command(flatten)]
    pub workers: Workers,
}

pub(super) const TARGET: &str = "Target";

impl Axes {
    /// The experiment to run: the file or the defaults of the algorithm, with the
    /// options applied. Everything that it names exists.
    pub(super) fn experiment(&self) -> anyhow::Result<Experiment> {
        let base = self.experiment.as_deref().map(read).transpose()?;
        let mut target = base.as_ref().map_or_else(Target::default, |base| base.target.clone());
        self.aim(&mut target)?;
        let named = self.algorithm.as_deref();
        let (name, folder) = match (named, &base) {
            (Some(name), _) => (name, None),
            (None, Some(base)) => (base.algorithm.as_str(), self.experiment.as_deref()),
            (None, None) => (Experiment::DEFAULT_ALGORITHM, None),
        };
        let path = own::beside(name, folder);
        let algorithm = own::algorithm(&path, self.like.as_deref(), &target)?;
        let base = base.unwrap_or_else(|| algorithms::opening(algorithm));
        let base = Experiment { algorithm: algorithm.name().to_owned(), ..base };
        let experiment = self.apply(base)?;
        plan::check(&experiment)?;
        if let Some(name) = &experiment.target.gpu {
            profile(name)?;
        }
        Ok(experiment)
    }

    /// `base`, overridden by what was given on the command line.
    pub fn apply(&self, mut base: Experiment) -> anyhow::Result<Experiment> {
        let Values { variant, block, coarsen, n, dist, params } = &self.values;
        if variant.iter().any(|name| name == "all") {
            base.variants.clear();
        } else if !variant.is_empty() {
            base.variants.clone_from(variant);
        }
        if !block.is_empty() {
            base.blocks.clone_from(block);
        }
        if !coarsen.is_empty() {
            base.coarsenings.clone_from(coarsen);
        }
        if let Some(n) = n {
            base.sizes = n.clone();
        }
        base.params.extend(params.0.clone());
        base.dist = dist.unwrap_or(base.dist);
        base.seed = self.seed.unwrap_or(base.seed);
        base.target.sample = self.sample.unwrap_or(base.target.sample);
        self.aim(&mut base.target)?;
        Ok(base)
    }

    /// Sets the backend and its device or profile; a device or a profile implies
    /// the backend.
    fn aim(&self, target: &mut Target) -> anyhow::Result<()> {
        target.backend = self.backend.unwrap_or(target.backend);
        if let Some(gpu) = &self.gpu {
            match self.backend {
                None => target.backend = BackendChoice::Emulator,
                Some(BackendChoice::Emulator | BackendChoice::Auto) => {}
                Some(_) => bail!(
                    "--gpu selects a profile for the emulator; omit it or use `--backend emulator`"
                ),
            }
            target.gpu = Some(gpu.clone());
        }
        if let Some(devices) = &self.workers.device {
            if self.gpu.is_some() {
                bail!(
                    "--device selects a CUDA device and --gpu a profile for the emulator; use one \
                     of them"
                );
            }
            target.backend = devices.backend(self.backend)?;
            target.device = match devices {
                Devices::These(devices) if devices.len() == 1 => devices.first().copied(),
                // Each worker has its own.
                Devices::These(_) | Devices::All => None,
            };
        }
        Ok(())
    }
}

/// The experiment in a file: TOML by its ending, else JSON.
fn read(path: &Path) -> anyhow::Result<Experiment> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let what = || format!("{} is not an experiment", path.display());
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml")) {
        return toml::from_str(&text).with_context(what);
    }
    serde_json::from_str(&text).with_context(what)
}

/// The GPU profile that `--gpu` names.
pub(super) fn profile(name: &str) -> anyhow::Result<Arc<GpuSpec>> {
    gpu::open_spec(name).map_err(|error| match error {
        SpecError::Unknown { name, .. } => {
            let names: Vec<&str> = gpu::specs().iter().map(|gpu| gpu.name.as_str()).collect();
            let unknown = UnknownName::new("GPU profile", &name, &names);
            anyhow!("{unknown}, and no file with that name")
        }
        other => other.into(),
    })
}
