//! One worker: its process, what it does now, and how it recovers from failures.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, bounded};

use super::WorkerSpec;
use super::group::Group;
use crate::experiment::{Case, Stopping, Target};
use crate::own::OwnFile;
use crate::results::record::Record;
use crate::runner::measure;
use crate::runner::worker::{
    Incoming, Launcher, Reply, Request, WorkerError, WorkerFailure, WorkerProcess, hello,
};
use crate::work::{Device, Done, View};

/// How often in a row a worker restarts without a result in between.
const MOST_RESTARTS: u32 = 5;

/// Delay before the second restart in a row. It doubles with every further one.
const BACKOFF: Duration = Duration::from_millis(250);
const MOST_BACKOFF: Duration = Duration::from_secs(10);

/// How many cases in a row may end with their worker while other workers are left.
/// Then the worker is the cause, not the cases.
const MOST_DEATHS: u32 = 3;

/// How long a measured case may be silent beyond its own time limit: it makes a
/// large input and its reference first.
const MEASURE_PATIENCE: Duration = Duration::from_mins(2);

/// How long an emulated launch may be silent. The emulator ends runaway kernels by itself.
const EMULATE_PATIENCE: Duration = Duration::from_hours(1);

/// Hashes of each variant's PTX, and of the user's file that it comes from.
pub(super) type Hashes = HashMap<&'static str, (String, &'static str)>;

/// Number of messages that are read after a deadline: as many as a pipe holds, for this
/// program may have been stopped while its worker went on.
const MOST_LATE: u32 = 4096;

/// Messages about a case beside one for each sample: its start, repeated samples, its end.
const MOST_OTHERS: u32 = 64;

/// How long cases may take, and what their results are checked against.
#[derive(Debug, Clone)]
pub(super) struct CaseLimits {
    /// When a case has enough samples.
    pub(super) stopping: Stopping,
    /// Time limit of a case, after which its worker is ended.
    pub(super) case: Option<Duration>,
    /// Time limit for a worker to start and open its device.
    pub(super) start: Duration,
    pub(super) hashes: Arc<Hashes>,
    /// The user's file that the cases are of.
    pub(super) file: Option<&'static OwnFile>,
}

/// What a worker reports.
#[derive(Debug)]
pub(super) enum WorkerEvent {
    /// It runs on a device, for the first time or after the device changed.
    Ready(Device),
    /// A case starts.
    Started(Case),
    /// How far the launch of its current case has come.
    Progress(Done),
    /// A case has ended, maybe with its worker.
    Ended(Box<Record>, Option<View>),
    /// These cases have no result yet; any worker may run them.
    Returned(Vec<Case>),
    /// It cannot be used any more.
    Lost,
}

/// A worker and its state.
#[derive(Debug)]
pub(super) struct WorkerState {
    launcher: Launcher,
    limits: CaseLimits,
    device: Option<Device>,
    activity: Activity,
    /// The time of its launch, its last request or its last reply.
    active: Instant,
    /// Messages received since its deadline passed.
    late: u32,
    /// Restarts since the last result.
    restarts: u32,
    /// Cases that ended with the worker since the last result.
    deaths: u32,
}

/// What the scheduler needs to know about a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    /// It is about to be idle or lost.
    Starting,
    /// It can take a group.
    Idle,
    /// It must be launched before it can take a group.
    Stopped,
    /// It has a group.
    Busy,
    Lost,
}

/// What a worker does.
#[derive(Debug)]
enum Activity {
    /// Its process starts.
    Starting(WorkerProcess),
    /// Its process waits for a group of cases.
    Idle(WorkerProcess),
    /// Its process measures a group.
    Measuring(WorkerProcess, Group),
    /// A thread ends its process, and then sends the failure. The group lost its worker.
    Ending(Receiver<Incoming>, Option<Group>),
    /// It is launched at this time.
    Waiting(Instant),
    /// A case ended its process. It is launched for the next group.
    Stopped,
    /// It cannot be used any more.
    Lost(WorkerError),
}

impl WorkerState {
    /// A worker to be launched at once.
    pub(super) fn new(
        spec: &WorkerSpec,
        target: &Target,
        limits: CaseLimits,
    ) -> Result<Self, WorkerError> {
        let now = Instant::now();
        Ok(Self {
            launcher: Launcher::new(spec, target, limits.file, limits.start)?,
            limits,
            device: None,
            activity: Activity::Waiting(now),
            active: now,
            late: 0,
            restarts: 0,
            deaths: 0,
        })
    }

    /// Its command in messages.
    pub(super) fn name(&self) -> &str {
        self.launcher.name()
    }

    /// The device that it runs on, or ran on last.
    pub(super) fn device(&self) -> Option<&Device> {
        self.device.as_ref()
    }

    pub(super) fn status(&self) -> Status {
        match &self.activity {
            Activity::Idle(_) => Status::Idle,
            Activity::Stopped => Status::Stopped,
            Activity::Measuring(..) | Activity::Ending(_, Some(_)) => Status::Busy,
            Activity::Starting(_) | Activity::Waiting(_) | Activity::Ending(_, None) => {
                Status::Starting
            }
            Activity::Lost(_) => Status::Lost,
        }
    }

    /// Why it cannot be used any more; `None` while it can.
    pub(super) fn error(&self) -> Option<&WorkerError> {
        match &self.activity {
            Activity::Lost(error) => Some(error),
            _ => None,
        }
    }

    /// [`Self::error`] by value.
    pub(super) fn into_error(self) -> Option<WorkerError> {
        match self.activity {
            Activity::Lost(error) => Some(error),
            _ => None,
        }
    }

    /// The channel that it is waiting for.
    pub(super) fn incoming(&self) -> Option<&Receiver<Incoming>> {
        match &self.activity {
            Activity::Starting(process) | Activity::Measuring(process, _) => {
                Some(process.replies())
            }
            Activity::Ending(failure, _) => Some(failure),
            _ => None,
        }
    }

    /// When [`Self::time_out`] is due, unless something arrives first.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match &self.activity {
            Activity::Waiting(until) => Some(*until),
            Activity::Starting(_) => self.active.checked_add(self.launcher.patience),
            Activity::Measuring(_, group) => {
                let silence = self.active.checked_add(self.patience());
                let limit = self.limits.case.and_then(|limit| group.deadline(limit));
                silence.into_iter().chain(limit).min()
            }
            _ => None,
        }
    }

    /// Whether its deadline has passed and nothing has arrived that it sent before.
    pub(super) fn is_overdue(&self) -> bool {
        self.is_late() && (self.late >= MOST_LATE || self.incoming().is_none_or(Receiver::is_empty))
    }

    fn is_late(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= Instant::now())
    }

    /// Launches its process.
    pub(super) fn launch(&mut self) -> Vec<WorkerEvent> {
        match self.launcher.launch() {
            Ok(process) => {
                self.active = Instant::now();
                self.activity = Activity::Starting(process);
                Vec::new()
            }
            Err(failure) => self.relaunch(failure),
        }
    }

    /// Lets an idle worker measure a group.
    pub(super) fn measure(&mut self, cases: Vec<Case>) {
        if let Activity::Idle(mut process) = self.replace(Activity::Stopped) {
            let stopping = self.limits.stopping;
            let (cases_sent, progress) = (cases.clone(), true);
            process.ask(&Request::Measure { cases: cases_sent, stopping, progress });
            self.active = Instant::now();
            self.late = 0;
            let most = stopping.most_samples.saturating_add(MOST_OTHERS);
            self.activity = Activity::Measuring(process, Group::new(cases, most));
        }
    }

    /// Ends its process, and returns when it has ended.
    pub(super) fn end(&mut self) {
        if let Activity::Ending(failure, _) = self.replace(Activity::Stopped) {
            // It fails if the thread could not start.
            let _ = failure.recv();
        }
    }

    /// Acts on a deadline that has passed.
    pub(super) fn time_out(&mut self) -> Vec<WorkerEvent> {
        let failure = match (&self.activity, self.limits.case) {
            (Activity::Waiting(_), _) => return self.launch(),
            (Activity::Starting(_), _) => {
                WorkerFailure::NoHello(self.launcher.patience.as_secs_f64())
            }
            (Activity::Measuring(_, group), Some(limit))
                if group.deadline(limit).is_some_and(|deadline| deadline <= Instant::now()) =>
            {
                WorkerFailure::OverLimit(limit.as_secs_f64())
            }
            _ => WorkerFailure::Silent(self.patience().as_secs()),
        };
        self.fail(failure);
        Vec::new()
    }

    /// Acts on what has arrived. `others` says whether other workers are left.
    pub(super) fn receive(&mut self, others: bool) -> Vec<WorkerEvent> {
        // Judged before the message moves the deadline.
        self.late = if self.is_late() { self.late + 1 } else { 0 };
        let Some(incoming) = self.incoming() else { return Vec::new() };
        let incoming =
            incoming.try_recv().unwrap_or_else(|_| Err(WorkerFailure::Ended(String::new())));
        self.active = Instant::now();
        let result = match (self.replace(Activity::Stopped), incoming) {
            (Activity::Ending(_, None), Err(failure)) => return self.relaunch(failure),
            (Activity::Ending(_, Some(group)), Err(failure)) => {
                return self.recover(group, failure, others);
            }
            (activity, incoming) => {
                self.activity = activity;
                incoming.and_then(|reply| self.reply(reply))
            }
        };
        result.unwrap_or_else(|failure| {
            self.fail(failure);
            Vec::new()
        })
    }

    fn reply(&mut self, reply: Reply) -> Result<Vec<WorkerEvent>, WorkerFailure> {
        match &mut self.activity {
            Activity::Starting(_) => {
                let device = hello(reply)?;
                let Activity::Starting(process) = self.replace(Activity::Stopped) else {
                    return Ok(Vec::new());
                };
                Ok(self.ready(process, device))
            }
            Activity::Measuring(_, group) => {
                let Some(device) = &self.device else {
                    return Err(WorkerFailure::unexpected(&reply));
                };
                if !matches!(reply, Reply::Done) || !group.is_done() {
                    let event = group.reply(reply, device, &self.limits.hashes)?;
                    return Ok(event.into_iter().collect());
                }
                if let Activity::Measuring(process, _) = self.replace(Activity::Stopped) {
                    (self.restarts, self.deaths) = (0, 0);
                    self.activity = Activity::Idle(process);
                }
                Ok(Vec::new())
            }
            _ => Err(WorkerFailure::unexpected(&reply)),
        }
    }

    /// The process runs on `device`.
    fn ready(&mut self, process: WorkerProcess, device: Device) -> Vec<WorkerEvent> {
        let before = self.device.replace(device.clone());
        if let Some(before) = before.as_ref().filter(|before| before.backend != device.backend) {
            let shown = |device: &Device| format!("{} ({})", device.name, device.backend);
            let (before, now) = (shown(before), shown(&device));
            return self.lose(WorkerFailure::BackendChanged { before, now });
        }
        self.activity = Activity::Idle(process);
        if before.is_some_and(|before| before.id == device.id) {
            return Vec::new();
        }
        vec![WorkerEvent::Ready(device)]
    }

    /// Ends the process on a thread of its own, which may take seconds.
    fn fail(&mut self, failure: WorkerFailure) {
        let (process, group) = match self.replace(Activity::Stopped) {
            Activity::Starting(process) => (process, None),
            Activity::Measuring(process, group) => (process, Some(group)),
            other => {
                self.activity = other;
                return;
            }
        };
        let (sender, receiver) = bounded(1);
        // If there is no thread for it, the process ends here and now.
        let _ = std::thread::Builder::new().name("worker end".to_owned()).spawn(move || {
            let _ = sender.send(Err(process.end(failure)));
        });
        self.activity = Activity::Ending(receiver, group);
    }

    /// The process has ended with a group: the current case fails, the others are returned.
    fn recover(&mut self, group: Group, failure: WorkerFailure, others: bool) -> Vec<WorkerEvent> {
        let (has_results, current, mut left) = group.into_parts();
        if has_results {
            (self.restarts, self.deaths) = (0, 0);
        }
        let refused = matches!(failure, WorkerFailure::Refused(_));
        let device_lost = matches!(failure, WorkerFailure::DeviceLost(_));
        let by_case = current.is_some() || has_results && device_lost;
        let mut events = Vec::new();
        if let (Some(index), Some(device), false) = (current, &self.device, refused) {
            let case = left.remove(index);
            let record = measure::blamed(&case, device, failure.kind(), failure.to_string());
            events.push(WorkerEvent::Ended(record, None));
            self.deaths += 1;
        }
        events.push(WorkerEvent::Returned(left));
        events.extend(if refused {
            self.lose(failure)
        } else if !by_case {
            self.relaunch(failure)
        } else if self.deaths >= MOST_DEATHS && others {
            let (deaths, last) = (self.deaths, Box::new(failure));
            self.lose(WorkerFailure::Unreliable { deaths, last })
        } else {
            self.activity = Activity::Stopped;
            Vec::new()
        });
        events
    }

    /// Launches it again later, unless it was never ready or was restarted too often.
    fn relaunch(&mut self, failure: WorkerFailure) -> Vec<WorkerEvent> {
        if self.device.is_none() {
            return self.lose(failure);
        }
        let restarts = self.restarts;
        if restarts >= MOST_RESTARTS {
            return self.lose(WorkerFailure::GaveUp { restarts, last: Box::new(failure) });
        }
        self.activity = Activity::Waiting(Instant::now() + backoff(restarts));
        self.restarts += 1;
        Vec::new()
    }

    fn lose(&mut self, failure: WorkerFailure) -> Vec<WorkerEvent> {
        self.activity = Activity::Lost(self.launcher.error(failure));
        vec![WorkerEvent::Lost]
    }

    fn replace(&mut self, activity: Activity) -> Activity {
        std::mem::replace(&mut self.activity, activity)
    }

    /// How long it may be silent over a case.
    fn patience(&self) -> Duration {
        if self.device.as_ref().is_some_and(|device| device.modelled) {
            return EMULATE_PATIENCE;
        }
        let own = Duration::try_from_secs_f64(self.limits.stopping.limit_seconds);
        MEASURE_PATIENCE.saturating_add(own.unwrap_or_default())
    }
}

/// Delay before the next restart after so many in a row; none before the first.
fn backoff(restarts: u32) -> Duration {
    let Some(doublings) = restarts.checked_sub(1) else { return Duration::ZERO };
    BACKOFF.saturating_mul(1 << doublings.min(16)).min(MOST_BACKOFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_wait_longer_each_time_up_to_a_limit() {
        let waits: Vec<u128> = (0..10).map(|restarts| backoff(restarts).as_millis()).collect();
        assert_eq!(waits, [0, 250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
        assert_eq!(backoff(u32::MAX), MOST_BACKOFF);
    }
}
