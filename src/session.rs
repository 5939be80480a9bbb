//! Runs an experiment from start to end: worker, plan, cases, store.
//!
//! The one loop that the command line and the screen share. It reports through
//! events and prints nothing.

mod control;
mod results;

use std::collections::HashMap;
use std::path::PathBuf;

pub use control::Control;

use crate::experiment::{Case, Experiment};
use crate::launch::Device;
use crate::measurement::{self, Record, View};
use crate::plan::{self, PlanError, Planned};
use crate::store::{Store, StoreError};
use crate::worker::{Progress, Supervisor, WorkerError};
use results::Results;

/// What happens while an experiment runs, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The worker answers; this is what it runs on.
    Ready(Device),
    /// The plan is made.
    Planned {
        /// Cases in all, skips and stored ones included.
        cases: usize,
        /// Cases that the store already has.
        stored: usize,
        /// Cases that cannot run.
        skipped: usize,
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
    /// Command that starts the worker; `None` is this program's own
    /// `worker` subcommand.
    pub worker: Option<Vec<String>>,
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
}

/// Runs `experiment`, reporting to `on_event` from this thread.
///
/// A case that the store has is reported from there, unless it ended with the
/// death of its worker or its device, which another try may not share. Every
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
    let ending = match run_groups(experiment, options, control, &mut results) {
        Ok(ending) => ending,
        Err(SessionError::Worker(WorkerError::Interrupted)) => Ending::Cancelled,
        Err(error) => return Err(error),
    };
    Ok(Tally { ending, ..tally })
}

fn run_groups(
    experiment: &Experiment,
    options: &Options,
    control: &Control,
    results: &mut Results,
) -> Result<Ending, SessionError> {
    let command = options.worker.as_deref();
    let mut worker = Supervisor::start(command, &experiment.target, control.interrupt())?;
    let device = worker.device().clone();
    (results.on_event)(Event::Ready(device.clone()));
    let plan = plan::plan(experiment, &device.limits)?;
    let algorithm = plan::algorithm(&experiment.algorithm)?;
    let hashes: HashMap<&str, String> = algorithm
        .variants()
        .iter()
        .map(|variant| (variant.name, algorithm.module(variant.name).hash()))
        .collect();
    let identity = |case: &Case| {
        let ptx = hashes.get(case.variant.as_str()).map_or("", String::as_str);
        measurement::identity(case, &device.backend, &device.id, ptx)
    };
    let stored = plan.cases().filter(|it| results.stored(&identity(&it.case)).is_some()).count();
    (results.on_event)(Event::Planned {
        cases: plan.cases().count(),
        stored,
        skipped: plan.cases().filter(|it| it.skip.is_some()).count(),
    });
    for group in &plan.groups {
        control.wait_while_paused(results.on_event);
        if control.is_cancelled() {
            return Ok(Ending::Cancelled);
        }
        let mut to_run = Vec::new();
        for Planned { case, skip } in &group.cases {
            if let Some(record) = results.stored(&identity(case)) {
                results.found(record);
            } else if let Some(reason) = skip {
                results.ended(worker.skipped(case, reason), None)?;
            } else {
                to_run.push(case.clone());
            }
        }
        run_group(&mut worker, &to_run, experiment, results)?;
    }
    Ok(Ending::Complete)
}

/// Measures one group, and stores its results as they come.
fn run_group(
    worker: &mut Supervisor,
    cases: &[Case],
    experiment: &Experiment,
    results: &mut Results,
) -> Result<(), SessionError> {
    let mut stored = Ok(());
    worker.measure(cases, &experiment.stopping, &mut |progress| match progress {
        Progress::Started(index) => (results.on_event)(Event::Started(cases[index].clone())),
        // Once the disk is full nothing more is written, as each error would
        // hide the first.
        Progress::Ended { record, view, .. } => {
            if stored.is_ok() {
                stored = results.ended(record, view);
            }
        }
    })?;
    stored
}
