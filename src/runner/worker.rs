#![doc = include_str!("worker/protocol.md")]

pub(super) mod check;
mod launcher;
mod lines;
mod process;
mod protocol;
mod serve;

pub use launcher::WorkerSpec;
pub(super) use launcher::{Launcher, START_LIMIT, hello};
pub(super) use process::{Incoming, WorkerProcess};
pub use protocol::{PROTOCOL, ProfiledCase, Reply, Request};
pub use serve::{Binding, serve, serve_stdio};

use std::io;

use crate::results::record::{FailureKind, PROGRAM};
use crate::units::text;

/// Maximum size of a view as JSON, in bytes.
pub const MOST_VIEW_BYTES: usize = crate::work::view::MOST_BYTES;

/// Maximum size of a request, in bytes: a user's file with its PTX.
pub const MOST_REQUEST_BYTES: usize = 32 << 20;

/// Maximum size of a reply, in bytes.
pub const MOST_REPLY_BYTES: usize = 16 << 20;

/// A worker that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("worker `{command}`: {failure}")]
pub struct WorkerError {
    /// The command that starts it, and its device if one is set.
    pub command: String,
    /// The reason.
    pub failure: WorkerFailure,
}

/// Why a worker failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkerFailure {
    /// There is no command to start.
    #[error("the command is empty; give a program and its arguments")]
    NoCommand,
    /// The path of this program is unknown, so it cannot start itself.
    #[error("cannot find this program's own file to start the worker: {0}")]
    NoProgram(io::Error),
    /// The system could not start the command.
    #[error("cannot start the worker: {0}")]
    Start(io::Error),
    /// The process ended: its status and its last lines on standard error.
    #[error("the worker process ended ({0})")]
    Ended(String),
    /// It refused the request.
    #[error("{0}")]
    Refused(String),
    /// It has another version of the protocol.
    #[error(
        "the worker is {program} with protocol {protocol}, this is {PROGRAM} with protocol \
         {PROTOCOL}; install the same version on both sides"
    )]
    Version {
        /// Its program.
        program: String,
        /// Its protocol.
        protocol: u32,
    },
    /// It sent a reply that does not fit: what is wrong with it.
    #[error("the worker sent a reply that does not fit: {0}")]
    Unfit(String),
    /// It sent more than this number of messages about one case.
    #[error("the worker sent more than {0} messages about one case")]
    TooMany(u32),
    /// It sent a line that is not a reply: the start of the line.
    #[error("the worker sent a line that is not a reply: {0}")]
    InvalidReply(String),
    /// It sent a line longer than [`MOST_REPLY_BYTES`]: the start of the line.
    #[error(
        "the worker sent a line of more than {most} MiB, which starts with: {0}",
        most = MOST_REPLY_BYTES >> 20
    )]
    TooLong(String),
    /// It sent no `hello` within this number of seconds.
    #[error(
        "the worker did not answer within {0} s of its start; --start-limit sets how long to wait \
         (a cluster may queue it); a command cannot ask for a password, so set up a key (for ssh, \
         -o BatchMode=yes shows what is missing)"
    )]
    NoHello(f64),
    /// It sent nothing for this number of seconds.
    #[error("the worker sent no reply for {0} s")]
    Silent(u64),
    /// A case ran for more seconds than `--limit` allows.
    #[error("the case took longer than the {0} s limit")]
    OverLimit(f64),
    /// The device no longer answers: the reason.
    #[error("{0}")]
    DeviceLost(String),
    /// It restarted with another backend.
    #[error("the worker restarted on {now} after {before}; their results cannot be mixed")]
    BackendChanged {
        /// Device before.
        before: String,
        /// Device now.
        now: String,
    },
    /// It failed after every restart.
    #[error("the worker failed again after {restarts} restarts; the last failure: {last}")]
    GaveUp {
        /// Number of restarts.
        restarts: u32,
        /// The last failure.
        last: Box<Self>,
    },
    /// Several cases in a row ended it while other workers were left.
    #[error(
        "the worker failed in {deaths} cases in a row and gets no more; the last failure: {last}"
    )]
    Unreliable {
        /// Number of cases.
        deaths: u32,
        /// The last failure.
        last: Box<Self>,
    },
}

impl WorkerFailure {
    /// The `kind` in the record of a case that failed with its worker. A record of these
    /// kinds does not settle the case ([`crate::results::record::Record::settles`]).
    pub(super) fn kind(&self) -> FailureKind {
        match self {
            Self::Ended(_) => FailureKind::WorkerDied,
            Self::Silent(_) | Self::OverLimit(_) => FailureKind::TimedOut,
            Self::DeviceLost(_) => FailureKind::DeviceLost,
            _ => FailureKind::GarbledReply,
        }
    }

    /// The refusal with this message.
    pub(super) fn refused(message: &str) -> Self {
        Self::Refused(text::excerpt(message, text::SHOWN))
    }

    /// The loss of the device with this message.
    pub(super) fn device_lost(message: &str) -> Self {
        Self::DeviceLost(text::excerpt(message, text::SHOWN))
    }

    /// The failure for a reply that answers nothing that was asked.
    pub(super) fn unexpected(reply: &Reply) -> Self {
        Self::Unfit(format!("`{}` answers nothing that was asked", reply.name()))
    }
}
