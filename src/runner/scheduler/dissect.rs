//! Takes one case apart on the emulator, whatever ran it before.

use super::{Control, SessionError, Spec};
use crate::experiment::{BackendChoice, Case, Experiment, SampleChoice, Sizes, Target};
use crate::runner::plan;
use crate::runner::worker::{self, Dissected, WorkerError};
use crate::units::BlockSize;

/// Runs `case` once on this program's emulator for the GPU profile `gpu` (the
/// default one where none is named) and takes it apart: counters and predicted
/// time of each kernel, and what each PTX instruction did. Nothing is stored.
/// `None` where `control` cancelled it.
///
/// # Errors
/// If the case asks for something that does not exist, or the worker cannot be
/// started or dies. A case that goes wrong, or that the
/// GPU cannot run, has a record that says so.
pub fn dissect(
    case: &Case,
    gpu: Option<&str>,
    sample: SampleChoice,
    control: &Control,
) -> Result<Option<Dissected>, SessionError> {
    plan::check(&alone(case))?;
    let target = Target {
        backend: BackendChoice::Emulator,
        gpu: gpu.map(str::to_owned),
        sample,
        ..Target::default()
    };
    match worker::dissect(&Spec::default(), &target, case, control.interrupt()) {
        Ok(dissected) => Ok(Some(dissected)),
        Err(WorkerError::Interrupted) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The experiment of this case alone.
fn alone(case: &Case) -> Experiment {
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
