//! Measures the cases of one group on a backend: warm-up, interleaved samples,
//! statistics, verification. Reports steps as they happen and prints nothing.

mod case;
mod checked;
mod prerequisites;
mod records;
mod references;
pub mod stopping;
mod summaries;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use crate::backend::Backend;
use crate::experiment::{Case, Stopping};
use crate::results::record::Record;
use crate::work::CaseProfile;
use crate::work::View;
use case::Running;
pub use checked::Verdict;
pub(super) use prerequisites::inputs;
pub use records::{blamed, skipped};
use references::References;

/// Progress of a group. Indices are those of the cases in the group.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The input and the CPU reference of this case are made next, which no time limit of a
    /// case counts.
    Making(usize),
    /// This case is prepared or sampled next. It has failed if the process ends before
    /// the next step.
    At(usize),
    /// This case has ended.
    Done {
        /// The case.
        index: usize,
        /// The result.
        record: Box<Record>,
        /// The view of its output.
        view: Option<View>,
    },
}

/// Why a group ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The device no longer answers. The case that lost it is done; the others need a new
    /// process.
    #[error("{0}")]
    Lost(String),
    /// The listener ended the group.
    #[error("the listener ended the group")]
    Cancelled,
}

/// Measures groups; keeps inputs and references between groups.
#[derive(Debug, Default)]
pub struct Measurer {
    references: References,
}

impl Measurer {
    /// A measurer without cached inputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Measures `cases` in turns (A B A B …), so that drift of the device is not
    /// mistaken for a difference between them. The plan must not skip any of the cases.
    ///
    /// `on_step` gets each step and may end the group. Each case is compared with the
    /// reference after its warm-up and after its last sample.
    pub fn group(
        &mut self,
        backend: &mut dyn Backend,
        cases: &[Case],
        stopping: &Stopping,
        on_step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<(), Stopped> {
        let mut running = Vec::new();
        let result = self.take_turns(backend, cases, stopping, &mut running, on_step);
        for case in running {
            case.release(backend);
        }
        result
    }

    /// Runs one case and profiles its kernels. There is no profile if the case fails or
    /// is skipped, and no record if the backend measures instead of counting.
    pub fn profile_kernels(
        &mut self,
        backend: &mut dyn Backend,
        case: &Case,
    ) -> (Option<Box<Record>>, Option<CaseProfile>) {
        backend.profile_kernels(true);
        let (stopping, references) = (Stopping::default(), &mut self.references);
        let started = Running::start(0, case, &stopping, backend, references, &mut |_| {});
        backend.profile_kernels(false);
        match started {
            Ok(running) => {
                running.release(backend);
                (None, None)
            }
            Err(ended) => (Some(ended.record), ended.profile),
        }
    }

    fn take_turns(
        &mut self,
        backend: &mut dyn Backend,
        cases: &[Case],
        stopping: &Stopping,
        running: &mut Vec<Running>,
        on_step: &mut dyn FnMut(Step) -> ControlFlow<()>,
    ) -> Result<(), Stopped> {
        let mut say = |step| match on_step(step) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stopped::Cancelled),
        };
        for (index, case) in cases.iter().enumerate() {
            say(Step::At(index))?;
            let mut said = Ok(());
            let mut announce = |step| said = said.clone().and_then(|()| say(step));
            let references = &mut self.references;
            let start = Running::start(index, case, stopping, backend, references, &mut announce);
            said?;
            match start {
                Ok(started) => running.push(started),
                Err(ended) => {
                    say(Step::Done { index, record: ended.record, view: ended.view })?;
                    ended.lost.map_or(Ok(()), |reason| Err(Stopped::Lost(reason)))?;
                }
            }
        }
        let mut turn = 0;
        while !running.is_empty() {
            let current = &mut running[turn];
            say(Step::At(current.index))?;
            let Some(ended) = current.turn(backend) else {
                turn = (turn + 1) % running.len();
                continue;
            };
            let finished = running.remove(turn);
            turn %= running.len().max(1);
            let index = finished.index;
            finished.release(backend);
            say(Step::Done { index, record: ended.record, view: ended.view })?;
            ended.lost.map_or(Ok(()), |reason| Err(Stopped::Lost(reason)))?;
        }
        Ok(())
    }
}
