//! How a worker is started: its command, its device, and the first words.

use std::ffi::OsString;
use std::time::Duration;

use super::link::{self, Heard, Link};
use super::protocol::{PROTOCOL, Reply, Request};
use super::{Interrupt, WorkerError};
use crate::experiment::{BackendChoice, Target};
use crate::results::record::PROGRAM;
use crate::work::Device;

/// How long this program's own worker may take to open its device.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a command may take: it may have to wait for a scheduler.
const PATIENCE_WITH_COMMAND: Duration = Duration::from_secs(600);

/// Most lines that are ignored before `hello`.
const MOST_GREETINGS: usize = 200;

/// How much of a line that makes no sense is shown.
const SHOWN: usize = 200;

/// One worker to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spec {
    /// Command that starts it, a program and its arguments; `None` is this
    /// program's own `worker` subcommand.
    pub command: Option<Vec<String>>,
    /// Number of the CUDA device that it is to use, in place of the target's.
    pub device: Option<u32>,
}

impl Spec {
    /// A worker started by this command.
    pub fn command<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { command: Some(words.into_iter().map(Into::into).collect()), device: None }
    }

    /// Its command as a shell would read it, and its device if it names one:
    /// what tells workers apart.
    pub fn shown(&self) -> String {
        let command = match &self.command {
            Some(words) => shell_words::join(words),
            None => "warpscope worker".to_owned(),
        };
        match self.device {
            Some(device) => format!("{command}, device {device}"),
            None => command,
        }
    }
}

/// A worker's command and what it is to open.
#[derive(Debug)]
pub(super) struct Post {
    command: Vec<OsString>,
    target: Target,
    patience: Duration,
}

impl Post {
    /// What `spec` asks for, with `target` for what it leaves open.
    pub(super) fn new(spec: &Spec, target: &Target) -> Result<Self, WorkerError> {
        let (command, patience) = match &spec.command {
            Some(words) => (words.iter().map(OsString::from).collect(), PATIENCE_WITH_COMMAND),
            None => (own_command()?, PATIENCE),
        };
        let mut target = target.clone();
        if target.backend != BackendChoice::Emulator {
            target.device = spec.device.or(target.device);
        }
        Ok(Self { command, target, patience })
    }

    /// The command as messages name it.
    pub(super) fn name(&self) -> String {
        link::shown(&self.command)
    }

    /// The error for something that is no reply.
    pub(super) fn garbled(&self, line: &str) -> WorkerError {
        WorkerError::Garbled { command: self.name(), line: start_of(line) }
    }

    /// Starts the worker and opens its backend.
    pub(super) fn connect(&self, interrupt: &Interrupt) -> Result<(Link, Device), WorkerError> {
        let mut link = Link::start(&self.command, interrupt)?;
        link.ask(&Request::Open {
            protocol: PROTOCOL,
            program: PROGRAM.to_owned(),
            target: self.target.clone(),
        });
        for _ in 0..MOST_GREETINGS {
            match link.hear(self.patience) {
                Heard::Reply(Reply::Hello { protocol, device, .. }) if protocol == PROTOCOL => {
                    return Ok((link, device));
                }
                Heard::Reply(Reply::Hello { protocol, program, .. }) => {
                    return Err(WorkerError::Version { command: self.name(), program, protocol });
                }
                Heard::Reply(Reply::Refused { message }) => {
                    return Err(WorkerError::Refused(message));
                }
                Heard::Reply(reply) => return Err(self.garbled(&format!("{reply:?}"))),
                Heard::Other(line) if line.starts_with('{') => return Err(self.garbled(&line)),
                Heard::Other(_) => {}
                Heard::TooLong(line) => {
                    return Err(WorkerError::TooLong {
                        command: self.name(),
                        line: start_of(&line),
                    });
                }
                Heard::Interrupted => return Err(WorkerError::Interrupted),
                Heard::Ended => {
                    let how = link.how_it_ended();
                    return Err(WorkerError::Early { command: self.name(), how });
                }
                Heard::Silence => {
                    let seconds = self.patience.as_secs();
                    return Err(WorkerError::Silent { command: self.name(), seconds });
                }
            }
        }
        Err(self.garbled("nothing but greetings"))
    }
}

/// The start of a line that makes no sense.
pub(super) fn start_of(line: &str) -> String {
    line.chars().take(SHOWN).collect()
}

/// `warpscope worker`, by the path of the running program.
fn own_command() -> Result<Vec<OsString>, WorkerError> {
    let program = std::env::current_exe().map_err(WorkerError::NoProgram)?;
    Ok(vec![program.into(), "worker".into()])
}
