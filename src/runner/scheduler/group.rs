//! The cases that a worker measures together, and their progress.

use std::time::{Duration, Instant};

use super::worker_state::WorkerEvent;
use crate::experiment::Case;
use crate::runner::worker::{Reply, WorkerFailure};

/// A group of cases on a worker.
#[derive(Debug)]
pub(super) struct Group {
    cases: Vec<Progress>,
    /// The case that runs now, and since when.
    current: Option<(usize, Instant)>,
}

#[derive(Debug)]
struct Progress {
    case: Case,
    started: bool,
    ended: bool,
    /// Time in earlier turns.
    taken: Duration,
}

impl Group {
    pub(super) fn new(cases: Vec<Case>) -> Self {
        let progress =
            |case| Progress { case, started: false, ended: false, taken: Duration::ZERO };
        Self { cases: cases.into_iter().map(progress).collect(), current: None }
    }

    /// Whether every case has its record.
    pub(super) fn is_done(&self) -> bool {
        self.cases.iter().all(|progress| progress.ended)
    }

    /// When the current case reaches its time limit.
    pub(super) fn deadline(&self, limit: Duration) -> Option<Instant> {
        let (index, since) = self.current?;
        since.checked_add(limit.saturating_sub(self.cases[index].taken))
    }

    /// Takes a reply of a worker on the device with this id.
    pub(super) fn reply(
        &mut self,
        reply: Reply,
        device: &str,
    ) -> Result<Option<WorkerEvent>, WorkerFailure> {
        let running = |case: usize| self.cases.get(case).filter(|progress| !progress.ended);
        match reply {
            Reply::At { case } if running(case).is_some() => {
                self.turn(Some(case));
                let progress = &mut self.cases[case];
                let first = !std::mem::replace(&mut progress.started, true);
                Ok(first.then(|| WorkerEvent::Started(progress.case.clone())))
            }
            Reply::Record { case, record, view }
                if running(case).is_some_and(|progress| record.case() == progress.case)
                    && record.device.id == device =>
            {
                self.turn(None);
                self.cases[case].ended = true;
                Ok(Some(WorkerEvent::Ended(record, view)))
            }
            Reply::Lost { message } => Err(WorkerFailure::DeviceLost(message)),
            Reply::Refused { message } => Err(WorkerFailure::Refused(message)),
            reply => Err(WorkerFailure::unexpected(&reply)),
        }
    }

    /// Whether a case has ended, the cases that have not, and which of these runs now.
    pub(super) fn into_parts(self) -> (bool, Option<usize>, Vec<Case>) {
        let ended = |progress: &&Progress| progress.ended;
        let before = |index: usize| self.cases[..index].iter().filter(ended).count();
        let current = self.current.map(|(index, _)| index - before(index));
        let has_results = self.cases.iter().any(|progress| progress.ended);
        let left = self.cases.into_iter().filter(|progress| !progress.ended);
        (has_results, current, left.map(|progress| progress.case).collect())
    }

    /// Gives the turn to a case, or to none.
    fn turn(&mut self, case: Option<usize>) {
        if let Some((before, since)) = self.current {
            self.cases[before].taken += since.elapsed();
        }
        self.current = case.map(|case| (case, Instant::now()));
    }
}
