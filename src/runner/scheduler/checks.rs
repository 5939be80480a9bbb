//! Checks kernels at a small size before they are measured.

use std::time::Duration;

use super::single::Single;
use super::{Control, SchedulerError};
use crate::algorithms::Algorithm;
use crate::experiment::{BackendChoice, Case, Experiment, SampleChoice, Sizes, Target};
use crate::own;
use crate::results::record::FailureKind;
pub use crate::runner::measure::Verdict;
use crate::runner::plan;
use crate::runner::worker::{Reply, Request, WorkerFailure, check};
use crate::work::Finding;

/// Time limit of one check. The sanitizer stops a runaway kernel after some seconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the check of one variant says.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedVariant {
    /// The case that ran.
    pub case: Case,
    /// What is wrong with it.
    pub verdict: Verdict,
}

/// Runs each of `variants` under the sanitizer of this program's emulator, at the smallest
/// size of `experiment` or of the algorithm's defaults and its first value on
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
    let mut worker = Single::new(&target, own::current(algorithm.name()), control)?;
    for &variant in variants {
        let mut first: Option<CheckedVariant> = None;
        for case in cases(experiment, algorithm, variant)? {
            let Some(verdict) = check(&mut worker, &case)? else { return Ok(()) };
            let wrong = matches!(&verdict, Verdict::Checked(findings) if !findings.is_empty());
            if wrong || first.is_none() {
                first = Some(CheckedVariant { case, verdict });
            }
            if wrong {
                break;
            }
        }
        first.map(&mut *on_checked);
    }
    Ok(())
}

/// The verdict on one case; `None` if the check is cancelled.
fn check(worker: &mut Single, case: &Case) -> Result<Option<Verdict>, SchedulerError> {
    match worker.ask(&Request::Check { case: case.clone() }, PATIENCE) {
        Ok(None) => Ok(None),
        Ok(Some((Reply::Checked { verdict }, _))) => Ok(Some(check::verdict(verdict))),
        Ok(Some((Reply::Refused { message }, _))) => {
            Err(worker.error(WorkerFailure::refused(&message)))
        }
        Ok(Some((reply, _))) => Err(worker.error(WorkerFailure::unexpected(&reply))),
        Err(error) if worker.was_ready() => Ok(Some(Verdict::Checked(vec![ended(case, &error)]))),
        Err(error) => Err(error),
    }
}

/// The kernel ended its worker, or ran too long.
fn ended(case: &Case, error: &SchedulerError) -> Finding {
    let message = format!("the check did not end: {error}");
    Finding::new(FailureKind::WorkerDied, &case.variant, message)
}

/// Small cases of a variant. A kernel that is like a built-in algorithm has to work for
/// every n, so the second one does not fill its last block.
fn cases(
    experiment: &Experiment,
    algorithm: &'static dyn Algorithm,
    variant: &str,
) -> Result<Vec<Case>, SchedulerError> {
    let sizes = [&experiment.sizes, &algorithm.sizes()].map(Sizes::values);
    let smallest = sizes.into_iter().flatten().min().unwrap_or_default();
    let uneven = own::is_like(algorithm.name()) && smallest > 1;
    let sizes = [Some(smallest), uneven.then(|| smallest - 1)];
    let one = |n: u64| Experiment {
        variants: vec![variant.to_owned()],
        blocks: experiment.blocks.iter().copied().take(1).collect(),
        coarsenings: experiment.coarsenings.iter().copied().take(1).collect(),
        sizes: Sizes::range(n, n, 2),
        params: experiment
            .params
            .iter()
            .map(|(name, values)| (name.clone(), values.iter().take(1).cloned().collect()))
            .collect(),
        ..experiment.clone()
    };
    let mut cases = Vec::new();
    for n in sizes.into_iter().flatten() {
        cases.extend(plan::cases(&one(n))?);
    }
    Ok(cases)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::algorithms;
    use crate::own::OwnFile;

    #[test]
    fn a_check_is_small_and_leaves_its_last_block_partly_filled() {
        let ptx = include_str!("../../../kernels/contracts/ptx/histogram.ptx");
        let file = OwnFile {
            name: "small.ptx".to_owned(),
            source: ptx.to_owned(),
            ptx: ptx.to_owned(),
            resources: String::new(),
            compiler: String::new(),
            like: Some("histogram".to_owned()),
        };
        let system = own::system(&file).unwrap();
        let sizes = |experiment: &Experiment, variant| {
            let algorithm = plan::algorithm(&experiment.algorithm).unwrap();
            let cases = cases(experiment, algorithm, variant).unwrap();
            assert!(cases.iter().all(|case| case.block == 128 && case.variant == variant));
            cases.iter().map(|case| case.n).collect::<Vec<_>>()
        };
        let mut experiment = algorithms::opening(system);
        assert_eq!(sizes(&experiment, "mine"), [1024, 1023]);
        experiment.sizes = "2^20,2^24".parse().unwrap();
        assert_eq!(sizes(&experiment, "mine"), [1024, 1023], "the smallest of the file's own");
        experiment.sizes = "10,2^24".parse().unwrap();
        assert_eq!(sizes(&experiment, "mine"), [10, 9]);
        // A system whose sizes may all be the sizes that work.
        let built_in = algorithms::opening(algorithms::find("histogram").unwrap());
        assert_eq!(sizes(&built_in, "shared"), [1024]);
    }
}
