//! Runs an experiment from start to end: workers, plan, cases, store.
//!
//! The one loop that the command line and the screen share. It reports through
//! events and prints nothing.

mod control;
mod dissect;
mod replay;
mod results;
mod seat;
mod spread;

use std::path::PathBuf;
use std::time::Duration;

pub use control::Control;
pub use dissect::dissect;
pub use replay::replay;

use crate::experiment::{Case, Experiment};
use crate::results::record::Record;
use crate::results::store::{Store, StoreError};
use crate::runner::plan::{self, PlanError};
use crate::runner::worker::WorkerError;
pub use crate::runner::worker::{Dissected, Spec};
use crate::work::Device;
use crate::work::View;
use results::Results;

/// What happens while an experiment runs, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A worker answers, or answers again on another device.
    Ready {
        /// Which one, from 0.
        worker: usize,
        /// How many are in use.
        of: usize,
        /// What it runs on.
        device: Device,
    },
    /// A worker is of no more use. Its cases go to the others.
    Lost {
        /// Which one, from 0.
        worker: usize,
        /// How many were to be used.
        of: usize,
        /// Why, with its command.
        reason: String,
    },
    /// The plan is made.
    Planned {
        /// Cases in all, skips and stored ones included.
        cases: usize,
        /// Cases that the store already has.
        stored: usize,
        /// Cases that cannot run.
        skipped: usize,
    },
    /// What is left was planned anew ([`Control::replan`]).
    Replanned {
        /// Cases in all now: those that ended or run, and those that are left.
        cases: usize,
        /// Sizes of those that are left.
        left: Vec<u64>,
    },
    /// A case is about to run.
    Started(Case),
    /// A case has ended (or was found in the store), and is stored.
    Finished {
        /// The result.
        record: Box<Record>,
        /// What its output view draws.
        view: Option<View>,
        /// Whether it was found in the store instead of run.
        from_store: bool,
    },
    /// The session waits, or goes on.
    Paused(bool),
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// Every case ran or was skipped.
    #[default]
    Complete,
    /// The user cancelled; what was measured is stored.
    Cancelled,
}

/// What the cases of a session came to, stored ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How it ended.
    pub ending: Ending,
    /// Cases whose output equals the reference.
    pub verified: usize,
    /// Cases that trapped or gave a wrong answer.
    pub wrong: usize,
    /// Cases that could not run.
    pub skipped: usize,
    /// Cases that the store already had, whichever way they ended.
    pub from_store: usize,
}

/// Where results go and what runs them.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// File to append to and to continue; `None` keeps results in memory only.
    pub store: Option<PathBuf>,
    /// The workers to spread the cases over; none stands for one of this
    /// program's own.
    pub workers: Vec<Spec>,
    /// Most time that one case may take, preparing and checking included; then
    /// its worker is ended.
    pub limit: Option<Duration>,
}

/// Why a session could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The experiment asks for something that does not exist.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Results cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What runs the kernels cannot be started, or makes no sense.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// Of several workers none is left; what became of each.
    #[error("no worker is left that can run the remaining cases:\n{}", .0.join("\n"))]
    NoneLeft(Vec<String>),
    /// Workers of different kinds.
    #[error(
        "{first} is {first_backend} and {second} is {second_backend}; their times would not belong \
         together, so name one of them with --backend"
    )]
    Mixed {
        /// A worker.
        first: String,
        /// Its backend.
        first_backend: String,
        /// Another worker.
        second: String,
        /// Its backend.
        second_backend: String,
    },
}

/// Runs `experiment`, reporting to `on_event` from this thread.
///
/// A case that the store has for any of the devices in use is reported from
/// there, unless it ended with the death of its worker or its device, which
/// another try may not share. Every
/// other case is stored, flushed, before it is reported. A kernel that goes
/// wrong is a result; errors are for what stops the whole session, and what
/// was measured before one stays stored.
pub fn run(
    experiment: &Experiment,
    options: &Options,
    control: &Control,
    on_event: &mut dyn FnMut(Event),
) -> Result<Tally, SessionError> {
    plan::check(experiment)?;
    let store = options.store.as_ref().map(Store::open).transpose()?;
    let mut tally = Tally::default();
    let mut results = Results { store, tally: &mut tally, on_event };
    let ending = match spread::run(experiment, options, control, &mut results) {
        Ok(ending) => ending,
        Err(SessionError::Worker(WorkerError::Interrupted)) => Ending::Cancelled,
        Err(error) => return Err(error),
    };
    Ok(Tally { ending, ..tally })
}
