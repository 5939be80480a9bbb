//! The parent's side: keeps a worker running, and blames cases for its deaths.

use std::ffi::OsString;
use std::time::Duration;

use super::link::{self, Heard, Link};
use super::protocol::{PROTOCOL, Reply, Request};
use super::{Interrupt, WorkerError};
use crate::experiment::{Case, Stopping, Target};
use crate::launch::Device;
use crate::measure;
use crate::measurement::{PROGRAM, Record, View};

/// How long opening a device may take, and logging in to a remote machine.
const PATIENCE_TO_OPEN: Duration = Duration::from_secs(120);

/// How long a measured case may be silent beyond its own time limit: making a
/// large input and its reference is part of that.
const PATIENCE_TO_MEASURE: Duration = Duration::from_secs(120);

/// How long an emulated launch may take. The emulator ends runaway kernels by
/// itself; this is for the case that it does not.
const PATIENCE_TO_EMULATE: Duration = Duration::from_secs(3600);

/// Most lines that are ignored before `hello`.
const MOST_GREETINGS: usize = 200;

/// How much of a line that makes no sense is shown.
const SHOWN: usize = 200;

/// What happens while a group is measured. Indices count its cases.
#[derive(Debug)]
pub enum Progress {
    /// A case is about to run for the first time.
    Started(usize),
    /// A case has ended.
    Ended {
        /// The case.
        index: usize,
        /// The result.
        record: Box<Record>,
        /// What its output view draws.
        view: Option<View>,
    },
}

/// A worker that is started again when it dies.
#[derive(Debug)]
pub struct Supervisor {
    command: Vec<OsString>,
    target: Target,
    interrupt: Interrupt,
    device: Device,
    link: Option<Link>,
}

/// How one attempt at a group went.
enum Attempt {
    /// Every case has its record.
    Done,
    /// The worker is gone. The case at which it was, if any, is to blame, with
    /// the kind and the message of what happened.
    Gone { at: Option<usize>, kind: &'static str, message: String },
}

impl Supervisor {
    /// Starts a worker for `target`: `command`, or this program's own `worker`
    /// subcommand. `interrupt` ends this and any later wait.
    pub fn start(
        command: Option<&[String]>,
        target: &Target,
        interrupt: &Interrupt,
    ) -> Result<Self, WorkerError> {
        let command = match command {
            Some(command) => command.iter().map(OsString::from).collect(),
            None => own_command()?,
        };
        let (link, device) = connect(&command, target, interrupt)?;
        Ok(Self {
            command,
            target: target.clone(),
            interrupt: interrupt.clone(),
            device,
            link: Some(link),
        })
    }

    /// What the worker runs on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The record of a case that the device cannot run.
    pub fn skipped(&self, case: &Case, reason: &str) -> Box<Record> {
        measure::skipped(case, &self.device, reason)
    }

    /// Measures a group in turns. Every case ends with a record, if only to say
    /// that the worker died of it; the rest then runs in a fresh worker. An
    /// interrupt kills the worker.
    pub fn measure(
        &mut self,
        cases: &[Case],
        stopping: &Stopping,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<(), WorkerError> {
        let mut left: Vec<usize> = (0..cases.len()).collect();
        let mut started = vec![false; cases.len()];
        let mut unblamed_deaths = 0;
        while !left.is_empty() {
            let group: Vec<Case> = left.iter().map(|&index| cases[index].clone()).collect();
            let places = left.clone();
            let attempt = self.attempt(&group, stopping, &mut |progress| match progress {
                Progress::Started(place) => {
                    if !std::mem::replace(&mut started[places[place]], true) {
                        on_progress(Progress::Started(places[place]));
                    }
                }
                Progress::Ended { index: place, record, view } => {
                    left.retain(|&index| index != places[place]);
                    on_progress(Progress::Ended { index: places[place], record, view });
                }
            })?;
            let Attempt::Gone { at, kind, message } = attempt else { break };
            self.link = None;
            unblamed_deaths += usize::from(at.is_none());
            let blamed = match at {
                Some(place) => Some(places[place]),
                // It may have been killed while it was idle; twice is no chance.
                None if unblamed_deaths > 1 => left.first().copied(),
                None => None,
            };
            if let Some(index) = blamed.filter(|index| left.contains(index)) {
                left.retain(|&other| other != index);
                let record = measure::blamed(&cases[index], &self.device, kind, message);
                on_progress(Progress::Ended { index, record, view: None });
            }
        }
        Ok(())
    }

    /// Sends the group to the worker, a fresh one if need be, and listens until
    /// the group is done or the worker gone.
    fn attempt(
        &mut self,
        group: &[Case],
        stopping: &Stopping,
        on_progress: &mut dyn FnMut(Progress),
    ) -> Result<Attempt, WorkerError> {
        let patience = self.patience(stopping);
        let mut link = self.link()?;
        link.ask(&Request::Measure { cases: group.to_vec(), stopping: *stopping });
        let mut ended = vec![false; group.len()];
        let mut at = None;
        let garbled = |line: &str| WorkerError::Garbled {
            command: link::shown(&self.command),
            line: line.chars().take(SHOWN).collect(),
        };
        loop {
            let reply = match link.hear(patience) {
                Heard::Reply(reply) => reply,
                Heard::Other(line) => return Err(garbled(&line)),
                Heard::Interrupted => return Err(WorkerError::Interrupted),
                Heard::Silence => {
                    let message = format!(
                        "the worker was silent for {} s over this case and was ended",
                        patience.as_secs()
                    );
                    return Ok(Attempt::Gone { at, kind: "timed-out", message });
                }
                Heard::Ended => {
                    let message = format!("the worker died of this case ({})", link.how_it_ended());
                    return Ok(Attempt::Gone { at, kind: "worker-died", message });
                }
            };
            match reply {
                Reply::At { case } if case < group.len() => {
                    at = Some(case);
                    on_progress(Progress::Started(case));
                }
                Reply::Record { case, record, view } if case < group.len() => {
                    at = None;
                    ended[case] = true;
                    on_progress(Progress::Ended { index: case, record, view });
                }
                Reply::Done if ended.iter().all(|ended| *ended) => {
                    self.link = Some(link);
                    return Ok(Attempt::Done);
                }
                // The case that lost the device has its record.
                Reply::Lost { message } => {
                    return Ok(Attempt::Gone { at, kind: "device-lost", message });
                }
                Reply::Refused { message } => return Err(WorkerError::Refused(message)),
                reply @ (Reply::Hello { .. }
                | Reply::At { .. }
                | Reply::Record { .. }
                | Reply::Done) => return Err(garbled(&format!("{reply:?}"))),
            }
        }
    }

    /// The worker, started again if it is gone.
    fn link(&mut self) -> Result<Link, WorkerError> {
        if let Some(link) = self.link.take() {
            return Ok(link);
        }
        let (link, device) = connect(&self.command, &self.target, &self.interrupt)?;
        if (&device.id, &device.backend) != (&self.device.id, &self.device.backend) {
            return Err(WorkerError::Changed {
                before: format!("{} ({})", self.device.name, self.device.backend),
                now: format!("{} ({})", device.name, device.backend),
            });
        }
        Ok(link)
    }

    fn patience(&self, stopping: &Stopping) -> Duration {
        if self.device.modelled {
            return PATIENCE_TO_EMULATE;
        }
        let own = Duration::try_from_secs_f64(stopping.limit_seconds).unwrap_or_default();
        PATIENCE_TO_MEASURE.saturating_add(own)
    }
}

/// `warpscope worker`, by the path of the running program.
fn own_command() -> Result<Vec<OsString>, WorkerError> {
    let program = std::env::current_exe().map_err(WorkerError::NoProgram)?;
    Ok(vec![program.into(), "worker".into()])
}

/// Starts a worker and opens its backend.
fn connect(
    command: &[OsString],
    target: &Target,
    interrupt: &Interrupt,
) -> Result<(Link, Device), WorkerError> {
    let mut link = Link::start(command)?;
    interrupt.wakes(link.waker());
    link.ask(&Request::Open {
        protocol: PROTOCOL,
        program: PROGRAM.to_owned(),
        target: target.clone(),
    });
    let name = || link::shown(command);
    let garbled = |line: &str| WorkerError::Garbled {
        command: name(),
        line: line.chars().take(SHOWN).collect(),
    };
    for _ in 0..MOST_GREETINGS {
        match link.hear(PATIENCE_TO_OPEN) {
            Heard::Reply(Reply::Hello { protocol, device, .. }) if protocol == PROTOCOL => {
                return Ok((link, device));
            }
            Heard::Reply(Reply::Hello { protocol, program, .. }) => {
                return Err(WorkerError::Version { command: name(), program, protocol });
            }
            Heard::Reply(Reply::Refused { message }) => return Err(WorkerError::Refused(message)),
            Heard::Reply(reply) => return Err(garbled(&format!("{reply:?}"))),
            Heard::Other(line) if line.starts_with('{') => return Err(garbled(&line)),
            Heard::Other(_) => {}
            Heard::Interrupted => return Err(WorkerError::Interrupted),
            Heard::Ended => {
                return Err(WorkerError::Early { command: name(), how: link.how_it_ended() });
            }
            Heard::Silence => {
                let seconds = PATIENCE_TO_OPEN.as_secs();
                return Err(WorkerError::Silent { command: name(), seconds });
            }
        }
    }
    Err(garbled("nothing but greetings"))
}
