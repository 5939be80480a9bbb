//! Runs an experiment from start to end: worker, plan, cases, store.
//!
//! The one loop that the command line and the screen share. It reports through
//! events and prints nothing.

use std::path::PathBuf;

use crate::experiment::{Case, Experiment};
use crate::launch::Device;
use crate::measurement::{Record, View};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every case ran or was skipped.
    Complete,
    /// The user cancelled; what was measured is stored.
    Cancelled,
}

/// What the cases of a session came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// How it ended.
    pub ending: Ending,
    /// Cases that ran and equal the reference.
    pub verified: usize,
    /// Cases that trapped or gave a wrong answer.
    pub wrong: usize,
    /// Cases that could not run.
    pub skipped: usize,
    /// Cases that the store already had.
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

/// Steers a running session from another thread. Clones steer the same session.
#[derive(Debug, Clone, Default)]
pub struct Control {}

impl Control {
    /// A handle for a session that has not started.
    pub fn new() -> Self {
        Self::default()
    }

    /// Pauses before the next case, or goes on.
    pub fn pause(&self, paused: bool) {
        let _ = paused;
    }

    /// Ends the session at once: the running case is dropped.
    pub fn cancel(&self) {}
}

/// Why a session could not start or go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The experiment asks for something that does not exist.
    #[error("{0}")]
    Plan(String),
}

/// Runs `experiment`, reporting to `on_event` from this thread.
pub fn run(
    experiment: &Experiment,
    options: &Options,
    control: &Control,
    on_event: &mut dyn FnMut(Event),
) -> Result<Tally, SessionError> {
    let _ = (experiment, options, control, on_event);
    Err(SessionError::Plan("not built yet".to_owned()))
}
