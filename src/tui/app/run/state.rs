//! A run in progress, and how the last one ended.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::experiment::{Case, Experiment};
use crate::results::record::{Record, Shared};
use crate::runner::scheduler::{Ending, Tally};
use crate::work::{Device, Done};

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phase {
    /// The worker starts.
    #[default]
    Opening,
    /// Cases run.
    Running,
    /// Asked to pause; the running case ends first.
    Pausing,
    /// Nothing runs until it goes on.
    Paused,
    /// Asked to end.
    Cancelling,
}

/// A run in progress.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// What runs.
    pub experiment: Experiment,
    /// How far it is.
    pub phase: Phase,
    /// What its workers run on, those that answer.
    pub devices: BTreeMap<usize, Device>,
    /// How many workers it has.
    pub workers: usize,
    /// Cases in all, once planned.
    pub cases: Option<usize>,
    /// Cases that ended.
    pub done: usize,
    /// … and equal the reference,
    pub verified: usize,
    /// … or trapped or gave a wrong answer,
    pub wrong: usize,
    /// … or whose attempt failed,
    pub failed: usize,
    /// … or could not run.
    pub skipped: usize,
    /// Cases that ran here (neither skipped nor found in a file).
    pub ran: usize,
    /// The cases that run now, the one that started last at the end.
    pub current: Vec<Case>,
    /// How far the launch of a long case has come.
    pub launch: Option<Done>,
    /// Work of the cases that ran, and of all cases: see [`work`].
    pub work_done: f64,
    /// Work of all cases.
    pub work_all: f64,
    /// When the first case started.
    pub began: Option<Duration>,
    /// Time spent paused since then.
    pub paused: Duration,
    /// Since when it is paused.
    pub paused_at: Option<Duration>,
    /// The file that its results go to.
    pub file: Option<PathBuf>,
    /// What it replays; nothing is measured then.
    pub replay: Option<Replay>,
    /// The size of a run of the Tune screen.
    pub map_at: Option<u64>,
}

/// A stored run that is shown as if it were measured now.
#[derive(Debug, Clone)]
pub struct Replay {
    /// What it is called.
    pub name: String,
    /// All of it.
    pub records: Shared<Vec<Record>>,
    /// Whether it is the recording built in.
    pub built_in: bool,
    /// What has been shown of it.
    pub arrived: Vec<Record>,
}

/// How fast replays go: the place in `SPEEDS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed(usize);

/// Factors over the speed of the measurement (0: at once), as shown.
const SPEEDS: [(f64, &str); 5] =
    [(0.1, "×0.1"), (1.0, "×1"), (10.0, "×10"), (100.0, "×100"), (0.0, "instant")];

impl Speed {
    /// The next one, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        Self((self.0 + 1) % SPEEDS.len())
    }

    /// The next slower one; the slowest stays.
    #[must_use]
    pub fn slower(self) -> Self {
        Self(self.0.saturating_sub(1))
    }

    /// The next faster one; the fastest stays.
    #[must_use]
    pub fn faster(self) -> Self {
        Self((self.0 + 1).min(SPEEDS.len() - 1))
    }

    /// The speed of this factor; ten for an unknown factor.
    pub fn of(factor: Option<f64>) -> Self {
        let known = factor
            .and_then(|factor| SPEEDS.iter().position(|(times, _)| (times - factor).abs() < 1e-9));
        Self(known.unwrap_or(2))
    }

    /// The factor; 0 at once.
    pub fn times(self) -> f64 {
        SPEEDS[self.0].0
    }

    /// As shown: `×10`.
    pub fn text(self) -> &'static str {
        SPEEDS[self.0].1
    }
}

impl Default for Speed {
    fn default() -> Self {
        Self::of(None)
    }
}

/// How much longer a case of `n` elements takes than a tiny one, roughly: the
/// fixed cost of a case is that of 2^16 elements. Only for the time left.
pub fn work(n: u64) -> f64 {
    n as f64 + f64::from(1u32 << 16)
}

impl Run {
    /// A run that was just asked for.
    pub fn new(experiment: Experiment) -> Self {
        let sizes = experiment.sizes.values();
        let per_size = sizes.iter().copied().map(work).sum::<f64>();
        let variants = match (
            experiment.variants.len(),
            crate::algorithms::find(&experiment.algorithm).map(|a| a.variants().len()),
        ) {
            (0, all) => all.unwrap_or(1),
            (some, _) => some,
        };
        let values: usize = experiment.params.values().map(|values| values.len().max(1)).product();
        let combinations =
            variants * values * experiment.blocks.len() * experiment.coarsenings.len();
        let work_all = per_size * combinations as f64;
        Self { experiment, workers: 1, work_all, ..Self::default() }
    }

    /// Time spent running, pauses left out.
    pub fn elapsed(&self, now: Duration) -> Duration {
        let Some(began) = self.began else { return Duration::ZERO };
        self.paused_at.unwrap_or(now).saturating_sub(began).saturating_sub(self.paused)
    }

    /// Seconds left, once enough has run to tell.
    pub fn left(&self, now: Duration) -> Option<f64> {
        let elapsed = self.elapsed(now).as_secs_f64();
        (self.ran >= 2 && elapsed > 0.05 && self.work_done > 0.0)
            .then(|| elapsed * ((self.work_all - self.work_done) / self.work_done).max(0.0))
    }

    /// Cases per second.
    pub fn rate(&self, now: Duration) -> Option<f64> {
        let elapsed = self.elapsed(now).as_secs_f64();
        (self.ran > 0 && elapsed > 0.05).then(|| self.ran as f64 / elapsed)
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The run as it was at its end.
    pub run: Run,
    /// Counts, or why it failed.
    pub tally: Result<Tally, String>,
    /// When it ended.
    pub at: Duration,
    /// Whether it was a replay.
    pub replay: bool,
}

impl Finished {
    /// Whether it ran to its end.
    pub fn complete(&self) -> bool {
        matches!(&self.tally, Ok(tally) if tally.ending == Ending::Complete)
    }
}
