//! One block of a case, recorded step by step on the emulator.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::measure;
use super::plan::{self, PlanError};
use crate::algorithms::Algorithm;
use crate::backend::Backend;
use crate::backend::emulated::Emulated;
use crate::experiment::Case;
use crate::own::signature::parameters;
use crate::work::trace::Trace;
use crate::work::{Dim3, Launch, Module, Progress, Work};

/// A launch of a case, to choose one.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchChoice {
    /// Its phase: `count`, `merge`.
    pub phase: &'static str,
    /// Its kernel.
    pub kernel: String,
    /// Its blocks.
    pub grid: Dim3,
    /// Threads of each block.
    pub block: Dim3,
}

impl From<&Launch> for LaunchChoice {
    fn from(launch: &Launch) -> Self {
        let Launch { phase, kernel, grid, block, .. } = launch;
        Self { phase, kernel: kernel.clone(), grid: *grid, block: *block }
    }
}

/// Why there is no trace.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TraceError {
    /// The case cannot be run, or has no such launch or block, or something before the block
    /// went wrong.
    #[error("{0}")]
    Failed(String),
    /// It was stopped.
    #[error("the recording was stopped")]
    Stopped,
}

impl From<PlanError> for TraceError {
    fn from(error: PlanError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// A recorded block and where it comes from.
#[derive(Debug)]
pub struct Traced {
    /// The trace.
    pub trace: Trace,
    /// The module: its PTX and its source.
    pub module: Module,
    /// All launches of the case, and the number of the one that was recorded.
    pub launches: Vec<LaunchChoice>,
    /// The number of the recorded one.
    pub launch: usize,
}

/// What to record.
#[derive(Debug, Clone)]
pub struct Request {
    /// The case.
    pub case: Case,
    /// The GPU whose limits it has to keep; `None` for the default one.
    pub gpu: Option<String>,
    /// Number of the launch, from 0; `None` for the main one, that of most threads.
    pub launch: Option<usize>,
    /// Index of the block in the grid, x first.
    pub block: u64,
}

/// The launches of a case in order, and the number of the main one: that of most threads.
pub fn launches(work: &Work) -> (Vec<LaunchChoice>, usize) {
    let all: Vec<LaunchChoice> = work.launches().map(LaunchChoice::from).collect();
    let threads = |launch: &LaunchChoice| launch.grid.count() * launch.block.count();
    let main = all.iter().enumerate().rev().max_by_key(|(_, launch)| threads(launch));
    let main = main.map_or(0, |(index, _)| index);
    (all, main)
}

/// Records a block of a case. `progress` gets what the launches before have done; setting
/// `stop` ends it soon.
pub fn record(
    request: &Request,
    progress: &Arc<Progress>,
    stop: &Arc<AtomicBool>,
) -> Result<Traced, TraceError> {
    let algorithm = plan::algorithm(&request.case.algorithm)?;
    record_of(algorithm, request, progress, stop)
}

/// The same for a case of this algorithm, such as an earlier version of a user's file.
pub fn record_of(
    algorithm: &'static dyn Algorithm,
    request: &Request,
    progress: &Arc<Progress>,
    stop: &Arc<AtomicBool>,
) -> Result<Traced, TraceError> {
    let Request { case, gpu, launch, block } = request;
    let failed = |reason: String| TraceError::Failed(reason);
    let mut backend = Emulated::open(gpu.as_deref()).map_err(|error| failed(error.to_string()))?;
    backend = backend.reporting(Arc::clone(progress));
    if let Some(reason) = plan::obstacle(algorithm, case, &backend.device().limits) {
        return Err(failed(reason));
    }
    if let Some(reason) = algorithm.missing_input(case) {
        return Err(failed(reason));
    }
    let work = algorithm.work(case);
    let (launches, main) = launches(&work);
    let launch = launch.unwrap_or(main);
    let inputs = measure::inputs(algorithm, case, &mut backend);
    let inputs = inputs.map_err(|first| failed(first.to_string()))?;
    let mut trace = backend
        .trace(&work, &inputs, launch, *block, stop)
        .map_err(|failure| failed(failure.to_string()))?
        .ok_or(TraceError::Stopped)?;
    let kernel = trace.kernel().name();
    let names = parameters(work.module.source, kernel);
    trace.name_parameters(&names);
    Ok(Traced { trace, module: work.module, launches, launch })
}
