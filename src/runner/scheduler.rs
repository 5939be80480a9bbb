//! Runs an experiment: plan, workers, cases, store.
//!
//! The command line and the terminal interface share it. It reports events and
//! prints nothing.

mod checks;
mod control;
mod dispatch;
mod group;
mod profile;
mod replay;
mod single;
mod worker_pool;
mod worker_state;

use std::path::PathBuf;
use std::time::Duration;

pub use checks::{CheckedVariant, Verdict, check_variants};
pub use control::Control;
pub use profile::{count, profile_kernels};
pub use replay::replay;

use crate::experiment::{Case, Experiment};
use crate::results::record::{Outcome, Record};
use crate::results::store::{Store, StoreError};
use crate::runner::plan::{self, PlanError};
use crate::runner::worker::WorkerError;
pub use crate::runner::worker::{ProfiledCase, WorkerSpec};
use crate::work::{Device, Done, View};
use dispatch::Scheduler;

/// What happens while an experiment runs, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A worker is ready, or ready again on another device.
    Ready {
        /// Its index, from 0.
        worker: usize,
        /// Number of workers.
        of: usize,
        /// Its device.
        device: Device,
    },
    /// A worker cannot be used any more. The others run its cases.
    Lost {
        /// Its index, from 0.
        worker: usize,
        /// Number of workers.
        of: usize,
        /// The reason, with its command.
        reason: String,
    },
    /// The plan is made.
    Planned {
        /// Number of cases, skipped and stored ones included.
        cases: usize,
        /// Cases that are in the store.
        stored: usize,
        /// Cases that cannot run.
        skipped: usize,
    },
    /// The remaining cases were replaced ([`Control::replan`]).
    Replanned {
        /// Number of cases now: ended, running and remaining.
        cases: usize,
        /// Sizes of the remaining cases.
        left: Vec<u64>,
    },
    /// A case starts.
    Started(Case),
    /// How far a launch of a case that runs has come; only long ones tell.
    Progress(Done),
    /// A case has ended and is stored, or was found in the store.
    Finished {
        /// The result.
        record: Box<Record>,
        /// The view of its output.
        view: Option<View>,
        /// Whether it was found in the store.
        from_store: bool,
    },
    /// The sweep is paused, or continues.
    Paused(bool),
}

/// How a sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ending {
    /// Every case ran or was skipped.
    #[default]
    Complete,
    /// The user cancelled; finished cases are stored.
    Cancelled,
}

/// Counts of the cases of a sweep, stored ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How it ended.
    pub ending: Ending,
    /// Cases whose output equals the reference.
    pub verified: usize,
    /// Cases that trapped or gave a wrong answer.
    pub wrong: usize,
    /// Cases whose attempt failed, such as by the death of the worker.
    pub failed: usize,
    /// Cases that could not run.
    pub skipped: usize,
    /// Cases that were found in the store, whatever their outcome.
    pub from_store: usize,
}

impl Tally {
    fn add(&mut self, record: &Record) {
        match record.outcome() {
            Outcome::Verified => self.verified += 1,
            Outcome::Wrong => self.wrong += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::Skipped => self.skipped += 1,
            Outcome::Unchecked => {}
        }
    }
}

/// Where results go, and the workers to use.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// File to append to and to continue; `None` stores nothing.
    pub store: Option<PathBuf>,
    /// The workers; if empty, one worker of this program.
    pub workers: Vec<WorkerSpec>,
    /// Time limit of a case: loading, running and checking it. Making its input and its CPU
    /// reference does not count. Then its worker is ended.
    pub limit: Option<Duration>,
    /// Time limit for a worker to start and open its device; 20 s if `None`.
    pub start_limit: Option<Duration>,
}

/// Why a sweep could not start or continue.
#[derive(Debug, thiserror::Error)]
pub enum SchedulerError {
    /// The experiment has a name or value that does not exist.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Results cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The only worker failed.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// No worker is left; the reason for each.
    #[error("no worker is left that can run the remaining cases:\n{}", .0.join("\n"))]
    NoneLeft(Vec<String>),
    /// Workers with different backends.
    #[error(
        "worker `{first}` uses {first_backend} and worker `{second}` uses {second_backend}; their \
         times cannot be mixed, so choose one with --backend"
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

/// Runs `experiment` and reports to `on_event` on this thread.
///
/// A case that is stored for any device in use is reported from the store, unless
/// its record does not settle it ([`Record::settles`]). Every other case is stored
/// and flushed before it is reported. A kernel that goes wrong is a result; an
/// error ends the whole sweep, and finished cases stay stored.
pub fn run(
    experiment: &Experiment,
    options: &Options,
    control: &Control,
    on_event: &mut dyn FnMut(Event),
) -> Result<Tally, SchedulerError> {
    plan::check(experiment)?;
    let store = options.store.as_ref().map(Store::open).transpose()?;
    Scheduler::new(experiment, options, store, control, on_event)?.run(experiment)
}
