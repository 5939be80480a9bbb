#![doc = include_str!("worker/protocol.md")]

mod interrupt;
mod link;
mod protocol;
mod serve;
mod supervisor;

pub use interrupt::Interrupt;
pub use protocol::{PROTOCOL, Reply, Request};
pub use serve::{serve, serve_stdio};
pub use supervisor::{Progress, Supervisor};

use std::io;

/// Most bytes of a view as JSON.
pub const MOST_VIEW_BYTES: usize = crate::measurement::view::MOST_BYTES;

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
    /// It refused what was asked.
    #[error("{0}")]
    Refused(String),
    /// It speaks another version of the protocol.
    #[error(
        "the worker `{command}` is {program} with protocol {protocol}, this is {} with protocol \
         {PROTOCOL}; install the same version on both sides",
        crate::measurement::PROGRAM
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
    /// It took too long to answer.
    #[error("the worker `{command}` was silent for {seconds} s")]
    Silent {
        /// The command.
        command: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// A fresh worker runs on another device than the one before.
    #[error("the worker started again on {now} after {before}; results would not belong together")]
    Changed {
        /// Device before.
        before: String,
        /// Device now.
        now: String,
    },
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
}
