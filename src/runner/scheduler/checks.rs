//! Checks kernels at a small size before they are measured.

use std::time::Duration;

use super::single::Single;
use super::{Control, SchedulerError};
use crate::algorithms::Algorithm;
use crate::experiment::{BackendChoice, Case, Experiment, SampleChoice, Target};
use crate::results::record::FailureKind;
pub use crate::runner::measure::Verdict;
use crate::runner::plan;
use crate::runner::worker::{Reply, Request, WorkerFailure, check};
use crate::work::Finding;

/// Time limit of one check. The sanitizer stops a runaway kernel after some seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the check of one variant says.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedVariant {
    /// The case that ran.
    pub case: Case,
    /// What is wrong with it.
    pub verdict: Verdict,
}

/// Runs each of `variants` once under the sanitizer of this program's emulator, at the
/// smallest size of `experiment` or of the algorithm's defaults and its first value on
/// every other axis, and compares the output with the reference. `on_checked` gets each
/// result. A cancelled check ends early.
///
/// # Errors
/// If a name or value of the experiment does not exist, or no worker starts.
pub fn check_variants(
    experiment: &Experiment,
    variants: &[&str],
    control: &Control,
    on_checked: &mut dyn FnMut(CheckedVariant),
) -> Result<(), SchedulerError> {
    let algorithm = plan::algorithm(&experiment.algorithm)?;
    let target = Target {
        backend: BackendChoice::Emulator,
        gpu: experiment.target.gpu.clone(),
        sample: SampleChoice::Never,
        ..Target::default()
    };
    let mut worker = Single::new(&target, algorithm.name(), control)?;
    for case in cases(experiment, algorithm, variants)? {
        let request = Request::Check { case: case.clone() };
        let verdict = match worker.ask(&request, PATIENCE) {
            Ok(None) => return Ok(()),
            Ok(Some((Reply::Checked { verdict }, _))) => check::verdict(verdict),
            Ok(Some((Reply::Refused { message }, _))) => {
                return Err(worker.error(WorkerFailure::refused(&message)));
            }
            Ok(Some((reply, _))) => return Err(worker.error(WorkerFailure::unexpected(&reply))),
            Err(error) if worker.was_ready() => Verdict::Checked(vec![ended(&case, &error)]),
            Err(error) => return Err(error),
        };
        on_checked(CheckedVariant { case, verdict });
    }
    Ok(())
}

/// The kernel ended its worker, or ran too long.
fn ended(case: &Case, error: &SchedulerError) -> Finding {
    let message = format!("the check did not end: {error}");
    Finding::new(FailureKind::WorkerDied, &case.variant, message)
}

/// A small case of each variant.
fn cases(
    experiment: &Experiment,
    algorithm: &'static dyn Algorithm,
    variants: &[&str],
) -> Result<Vec<Case>, SchedulerError> {
    let sizes = experiment.sizes.values().into_iter().chain([algorithm.defaults().sizes.0]);
    let smallest = sizes.min().unwrap_or_default();
    let one = Experiment {
        variants: variants.iter().map(|&name| name.to_owned()).collect(),
        blocks: experiment.blocks.iter().copied().take(1).collect(),
        coarsenings: experiment.coarsenings.iter().copied().take(1).collect(),
        sizes: crate::experiment::Sizes::range(smallest, smallest, 2),
        params: experiment
            .params
            .iter()
            .map(|(name, values)| (name.clone(), values.iter().take(1).cloned().collect()))
            .collect(),
        ..experiment.clone()
    };
    Ok(plan::cases(&one)?)
}
