#![doc = include_str!("worker/protocol.md")]

mod attempt;
mod crew;
mod dissect;
mod ending;
mod hand;
mod interrupt;
mod lines;
mod link;
mod open;
mod protocol;
mod serve;

pub use crew::{Crew, News};
pub use dissect::dissect;
pub use interrupt::Interrupt;
pub use open::Spec;
pub use protocol::{Dissected, PROTOCOL, Reply, Request};
pub use serve::{Binding, serve, serve_stdio};

use std::io;

use crate::experiment::Case;
use crate::results::record::Record;
use crate::work::Device;

/// Most bytes of a view as JSON.
pub const MOST_VIEW_BYTES: usize = crate::work::view::MOST_BYTES;

/// Most bytes of a reply.
pub const MOST_REPLY_BYTES: usize = 16 << 20;

/// Kinds of the records of cases that ended with their worker; none of them
/// settles a case ([`Record::settles`]).
const DIED: &str = "worker-died";
const TIMED_OUT: &str = "timed-out";
const LOST: &str = "device-lost";
const GARBLED: &str = "garbled-reply";

/// The record of a case that a device cannot run.
pub fn skipped(case: &Case, device: &Device, reason: &str) -> Box<Record> {
    crate::runner::measure::skipped(case, device, reason)
}

/// Why a worker could not be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// There is no command to start.
    #[error("the command that starts the worker is empty; give a program and its arguments")]
    NoCommand,
    /// This program does not know where it lies, so cannot start itself.
    #[error("cannot find this program's own file to start the worker")]
    NoProgram(#[source] io::Error),
    /// The command could not be started.
    #[error("cannot start the worker `{command}`")]
    Start {
        /// The command.
        command: String,
        /// What the system said.
        source: io::Error,
    },
    /// It ended before it said hello.
    #[error("the worker `{command}` ended before it was ready ({how})")]
    Early {
        /// The command.
        command: String,
        /// How it ended, and what it last said on standard error.
        how: String,
    },
    /// It ended while it took a case apart.
    #[error("the worker `{command}` died of this case ({how})")]
    Died {
        /// The command.
        command: String,
        /// How it ended, and what it last said on standard error.
        how: String,
    },
    /// It refused what was asked.
    #[error("{0}")]
    Refused(String),
    /// It speaks another version of the protocol.
    #[error(
        "the worker `{command}` is {program} with protocol {protocol}, this is {} with protocol \
         {PROTOCOL}; install the same version on both sides",
        crate::results::record::PROGRAM
    )]
    Version {
        /// The command.
        command: String,
        /// Its program.
        program: String,
        /// Its protocol.
        protocol: u32,
    },
    /// It said something that is not in the protocol.
    #[error("the worker `{command}` said something that is not a reply: {line}")]
    Garbled {
        /// The command.
        command: String,
        /// The start of what it said.
        line: String,
    },
    /// It said more than any reply takes.
    #[error(
        "the worker `{command}` said a line of more than {} MiB, which begins with: {line}",
        MOST_REPLY_BYTES >> 20
    )]
    TooLong {
        /// The command.
        command: String,
        /// The start of what it said.
        line: String,
    },
    /// It took too long to answer.
    #[error(
        "the worker `{command}` was silent for {seconds} s; a command that asks for a password or a \
         passphrase is not answered, so give it a key (for ssh: -o BatchMode=yes shows it)"
    )]
    Silent {
        /// The command.
        command: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// A fresh worker has another kind of backend than the one before.
    #[error("the worker started again on {now} after {before}; results would not belong together")]
    Changed {
        /// Device before.
        before: String,
        /// Device now.
        now: String,
    },
    /// It died again and again.
    #[error("the worker `{command}` was started again {restarts} times in vain")]
    GaveUp {
        /// The command.
        command: String,
        /// How often.
        restarts: u32,
        /// How it went the last time.
        source: Box<WorkerError>,
    },
    /// It died of one case after the other, while there were other workers.
    #[error("the worker `{command}` died of several cases in a row and gets no more ({how})")]
    Unreliable {
        /// The command.
        command: String,
        /// How it died the last time.
        how: String,
    },
    /// The system has no thread to look after it.
    #[error("cannot start a thread for the worker")]
    NoThread(#[source] io::Error),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}
