//! Profiles the kernels of one case on the emulator.

use std::time::Duration;

use super::single::Single;
use super::{Control, SchedulerError};
use crate::experiment::{BackendChoice, Case, Experiment, SampleChoice, Sizes, Target};
use crate::gpu;
use crate::own::{self, Version};
use crate::results::record::Record;
use crate::runner::plan;
use crate::runner::worker::{ProfiledCase, Reply, Request, WorkerFailure, check};
use crate::units::BlockSize;
use crate::work::Device;

/// Time limit of a case. The emulator ends runaway kernels by itself.
const PATIENCE: Duration = Duration::from_hours(1);

/// Runs `case` once on this program's emulator for the GPU `gpu` (or the default
/// GPU) and returns its profile: counters and predicted time of each kernel, and
/// the counts of each PTX instruction. Stores nothing. Returns `None` if
/// `control` cancels it.
///
/// # Errors
/// If a name or value of the case does not exist, or the worker fails. A case
/// that goes wrong, or that the GPU cannot run, has a record that says so.
pub fn profile_kernels(
    case: &Case,
    gpu: Option<&str>,
    sample: SampleChoice,
    control: &Control,
) -> Result<Option<ProfiledCase>, SchedulerError> {
    profile_version(own::current(&case.algorithm), case, gpu, sample, control)
}

/// The same for this version of the user's file that the case comes from, if it is one.
fn profile_version(
    version: Option<Version>,
    case: &Case,
    gpu: Option<&str>,
    sample: SampleChoice,
    control: &Control,
) -> Result<Option<ProfiledCase>, SchedulerError> {
    let algorithm = match version {
        Some(version) => version.system,
        None => plan::algorithm(&case.algorithm)?,
    };
    plan::check_of(algorithm, &experiment(case))?;
    let target = Target {
        backend: BackendChoice::Emulator,
        gpu: gpu.map(str::to_owned),
        sample,
        ..Target::default()
    };
    let mut worker = Single::new(&target, version, control)?;
    let request = Request::ProfileKernels { case: case.clone() };
    let Some((reply, device)) = worker.ask(&request, PATIENCE)? else { return Ok(None) };
    let module = algorithm.module(&case.variant);
    let source = version.filter(|version| module.name == version.file.name);
    let hashes = (module.hash(), source.map_or("", |version| version.hash));
    profiled(reply, case, &device, hashes).map(Some).map_err(|failure| worker.error(failure))
}

/// [`profile_kernels`] of a record's case, for its own GPU where that has a profile. A
/// user's kernel is that of the record, also where its file has changed since.
pub fn count(record: &Record, control: &Control) -> Result<Option<ProfiledCase>, SchedulerError> {
    let gpu = gpu::find_spec(record.device.name.trim_start_matches("NVIDIA "));
    let gpu = gpu.map(|spec| spec.name.clone());
    let version = own::with_hash(&record.source).or_else(|| own::current(&record.algorithm));
    profile_version(version, &record.case(), gpu.as_deref(), SampleChoice::Auto, control)
}

fn profiled(
    reply: Reply,
    case: &Case,
    device: &Device,
    (ptx, source): (String, &str),
) -> Result<ProfiledCase, WorkerFailure> {
    match reply {
        Reply::Profiled(profiled) => {
            let ProfiledCase { record, profile } = *profiled;
            let record = *check::record(Box::new(record), case, device, (&ptx, source))?;
            Ok(ProfiledCase { record, profile })
        }
        Reply::Refused { message } => Err(WorkerFailure::refused(&message)),
        reply => Err(WorkerFailure::unexpected(&reply)),
    }
}

/// The experiment of this case alone.
fn experiment(case: &Case) -> Experiment {
    Experiment {
        algorithm: case.algorithm.clone(),
        variants: vec![case.variant.clone()],
        blocks: BlockSize::new(case.block).into_iter().collect(),
        coarsenings: vec![case.coarsen],
        sizes: Sizes::range(case.n, case.n, 2),
        params: case
            .params
            .iter()
            .map(|(name, value)| (name.clone(), vec![value.clone()]))
            .collect(),
        dist: case.dist,
        seed: case.seed,
        ..Experiment::default()
    }
}
