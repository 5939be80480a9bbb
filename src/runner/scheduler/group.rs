//! The cases that a worker measures together, and their progress.

use std::time::{Duration, Instant};

use super::worker_state::{Hashes, WorkerEvent};
use crate::experiment::Case;
use crate::runner::worker::{Reply, WorkerFailure, check};
use crate::work::Device;

/// How long making the input and the reference of a case may take beyond its limit.
const MAKE_PATIENCE: Duration = Duration::from_mins(2);

/// Messages about the progress of a group's launches: this many, and more with the time.
const MOST_TICKS: u64 = 64;
const TICKS_A_SECOND: u64 = 16;

/// A group of cases on a worker.
#[derive(Debug)]
pub(super) struct Group {
    cases: Vec<Progress>,
    /// The case that a worker is at.
    current: Option<Current>,
    most_messages: u32,
    /// When it began, and messages about the progress of its launches since.
    began: Instant,
    ticks: u32,
}

#[derive(Debug)]
struct Current {
    case: usize,
    since: Instant,
    /// Whether its input and reference are made, which does not count.
    making: bool,
}

#[derive(Debug)]
struct Progress {
    case: Case,
    started: bool,
    ended: bool,
    /// Number of `at` messages.
    messages: u32,
    /// Time in earlier turns.
    taken: Duration,
    /// Time for making input and reference before this turn.
    made: Duration,
}

impl Group {
    /// `most_messages` is the largest number of `at` messages about one case.
    pub(super) fn new(cases: Vec<Case>, most_messages: u32) -> Self {
        let progress = |case| Progress {
            case,
            started: false,
            ended: false,
            messages: 0,
            taken: Duration::ZERO,
            made: Duration::ZERO,
        };
        let cases = cases.into_iter().map(progress).collect();
        Self { cases, current: None, most_messages, began: Instant::now(), ticks: 0 }
    }

    /// Whether every case has its record.
    pub(super) fn is_done(&self) -> bool {
        self.cases.iter().all(|progress| progress.ended)
    }

    /// When the current case reaches its time limit. Making its input and reference does not
    /// count, but takes at most [`MAKE_PATIENCE`] longer.
    pub(super) fn deadline(&self, limit: Duration) -> Option<Instant> {
        let current = self.current.as_ref()?;
        let progress = &self.cases[current.case];
        let left = if current.making {
            limit.saturating_add(MAKE_PATIENCE).saturating_sub(progress.made)
        } else {
            limit.saturating_sub(progress.taken)
        };
        current.since.checked_add(left)
    }

    /// Takes a reply of a worker on this device; `hashes` has the PTX of each variant.
    pub(super) fn reply(
        &mut self,
        reply: Reply,
        device: &Device,
        hashes: &Hashes,
    ) -> Result<Option<WorkerEvent>, WorkerFailure> {
        match reply {
            Reply::At { case, making } => {
                let progress = self.running("at", case)?;
                progress.messages += 1;
                let (messages, first) = (progress.messages, !progress.started);
                progress.started = true;
                let started = first.then(|| WorkerEvent::Started(progress.case.clone()));
                if messages > self.most_messages {
                    return Err(WorkerFailure::TooMany(self.most_messages));
                }
                self.turn(Some((case, making)));
                Ok(started)
            }
            Reply::Record { case, record, view } => {
                let progress = self.running("record", case)?;
                let hashes = hashes.get(progress.case.variant.as_str());
                let (ptx, source) = hashes.map_or(("", ""), |(ptx, source)| (ptx, source));
                let record = check::record(record, &progress.case, device, (ptx, source))?;
                progress.ended = true;
                self.turn(None);
                Ok(Some(WorkerEvent::Ended(record, view.filter(check::view))))
            }
            Reply::Progress(done) => {
                self.ticks += 1;
                let most =
                    MOST_TICKS.saturating_add(self.began.elapsed().as_secs() * TICKS_A_SECOND);
                if u64::from(self.ticks) > most {
                    return Err(WorkerFailure::TooMany(self.ticks));
                }
                // It may cross the end of its case.
                Ok(self.current.as_ref().map(|_| WorkerEvent::Progress(done)))
            }
            Reply::Lost { message } => Err(WorkerFailure::device_lost(&message)),
            Reply::Refused { message } => Err(WorkerFailure::refused(&message)),
            Reply::Done => {
                let left = self.cases.iter().filter(|progress| !progress.ended).count();
                Err(WorkerFailure::Unfit(format!("`done`, and {left} cases have no record")))
            }
            reply => Err(WorkerFailure::unexpected(&reply)),
        }
    }

    /// The case with this index, which has no record yet.
    fn running(&mut self, reply: &str, case: usize) -> Result<&mut Progress, WorkerFailure> {
        let cases = self.cases.len();
        let unfit =
            |reason| Err(WorkerFailure::Unfit(format!("`{reply}` for case {case}, {reason}")));
        match self.cases.get_mut(case) {
            None => unfit(format!("and the group has {cases} cases")),
            Some(progress) if progress.ended => unfit("which has its record".to_owned()),
            Some(progress) => Ok(progress),
        }
    }

    /// Whether a case has ended, the cases that have not, and which of these runs now.
    pub(super) fn into_parts(self) -> (bool, Option<usize>, Vec<Case>) {
        let ended = |progress: &&Progress| progress.ended;
        let before = |index: usize| self.cases[..index].iter().filter(ended).count();
        let current = self.current.as_ref().map(|it| it.case - before(it.case));
        let has_results = self.cases.iter().any(|progress| progress.ended);
        let left = self.cases.into_iter().filter(|progress| !progress.ended);
        (has_results, current, left.map(|progress| progress.case).collect())
    }

    /// Gives the turn to a case, or to none.
    fn turn(&mut self, next: Option<(usize, bool)>) {
        let now = Instant::now();
        if let Some(Current { case, since, making }) = self.current {
            let progress = &mut self.cases[case];
            *(if making { &mut progress.made } else { &mut progress.taken }) += now - since;
        }
        self.current = next.map(|(case, making)| Current { case, since: now, making });
    }
}
