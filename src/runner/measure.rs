//! Measures the cases of one group on a backend: warm-up, interleaved samples,
//! statistics, verification. Reports steps as they happen and prints nothing.

mod case;
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
use crate::work::Anatomy;
use crate::work::View;
use case::Running;
pub use records::{blamed, skipped};
use references::References;

/// What happens while a group is measured. Indices count the cases of the group.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// This case is about to be prepared or sampled: the one to blame if the
    /// process ends before the next step.
    At(usize),
    /// This case has ended.
    Done {
        /// The case.
        index: usize,
        /// The result.
        record: Box<Record>,
        /// What its output view draws.
        view: Option<View>,
    },
}

/// Why a group ended before all of its cases did.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stopped {
    /// The device no longer answers. The case that lost it is done; the others
    /// have to run in a fresh process.
    #[error("{0}")]
    Lost(String),
    /// Whoever listened to the steps wants no more of them.
    #[error("nobody listens any more")]
    Unheard,
}

/// Measures groups, and keeps inputs and references from one to the next.
#[derive(Debug, Default)]
pub struct Measurer {
    references: References,
}

impl Measurer {
    /// A measurer that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Measures `cases` in turns (A B A B …), so that drift of the device
    /// cannot pose as a difference between them. Every case must be one that a
    /// plan does not skip.
    ///
    /// `on_step` hears of each step and may break off. Each case is checked
    /// against the reference after its warm-up, which is when most that goes
    /// wrong shows, and again after its last sample.
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

    /// Runs one case and takes it apart. `None` where the backend does not
    /// count, or where the case went wrong or was skipped, as its record says;
    /// without a record the backend measures, and did not measure it.
    pub fn dissect(
        &mut self,
        backend: &mut dyn Backend,
        case: &Case,
    ) -> (Option<Box<Record>>, Option<Anatomy>) {
        backend.dissect(true);
        let started = Running::start(0, case, &Stopping::default(), backend, &mut self.references);
        backend.dissect(false);
        match started {
            Ok(running) => {
                running.release(backend);
                (None, None)
            }
            Err(ended) => (Some(ended.record), ended.anatomy),
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
            ControlFlow::Break(()) => Err(Stopped::Unheard),
        };
        for (index, case) in cases.iter().enumerate() {
            say(Step::At(index))?;
            match Running::start(index, case, stopping, backend, &mut self.references) {
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
            // A case that ends leaves its turn to the one after it.
            turn %= running.len().max(1);
            let index = finished.index;
            finished.release(backend);
            say(Step::Done { index, record: ended.record, view: ended.view })?;
            ended.lost.map_or(Ok(()), |reason| Err(Stopped::Lost(reason)))?;
        }
        Ok(())
    }
}
