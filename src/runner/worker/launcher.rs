//! How a worker is started: its command, its device and the `open` request.

use std::ffi::OsString;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::process::WorkerProcess;
use super::protocol::{PROTOCOL, Reply, Request};
use super::{WorkerError, WorkerFailure, check};
use crate::experiment::{BackendChoice, Target};
use crate::own::{self, OwnFile};
use crate::results::record::PROGRAM;
use crate::units::text;
use crate::work::Device;

/// Time limit for a worker to start and open its device, unless another is set.
pub(in crate::runner) const START_LIMIT: Duration = Duration::from_secs(20);

/// One worker to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkerSpec {
    /// Command that starts it, a program and its arguments; `None` is this
    /// program's own `worker` subcommand.
    pub command: Option<Vec<String>>,
    /// Number of its CUDA device; overrides the device of the target.
    pub device: Option<u32>,
}

impl WorkerSpec {
    /// A worker started by this command.
    pub fn command<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self { command: Some(words.into_iter().map(Into::into).collect()), device: None }
    }

    /// The command as a shell reads it, and the device if one is set.
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

/// Starts a worker process, as often as needed.
#[derive(Debug)]
pub(in crate::runner) struct Launcher {
    name: String,
    command: Vec<OsString>,
    target: Target,
    /// The user's file that its cases are of.
    file: Option<&'static OwnFile>,
    /// Time limit for its `hello`.
    pub(in crate::runner) patience: Duration,
}

impl Launcher {
    /// A launcher for `spec`; `target` gives what `spec` leaves open. Each process gets
    /// `file` before its first case.
    pub(in crate::runner) fn new(
        spec: &WorkerSpec,
        target: &Target,
        file: Option<&'static OwnFile>,
        patience: Duration,
    ) -> Result<Self, WorkerError> {
        let (name, mut target) = (spec.shown(), target.clone());
        let command = match &spec.command {
            Some(words) => words.iter().map(OsString::from).collect(),
            None => match std::env::current_exe() {
                Ok(program) => vec![program.into(), "worker".into()],
                Err(error) => {
                    let failure = WorkerFailure::NoProgram(error);
                    return Err(WorkerError { command: name, failure });
                }
            },
        };
        if target.backend != BackendChoice::Emulator {
            target.device = spec.device.or(target.device);
        }
        Ok(Self { name, command, target, file, patience })
    }

    /// The command and the device in messages.
    pub(in crate::runner) fn name(&self) -> &str {
        &self.name
    }

    /// Starts a process and asks it to open the target. Its first reply goes to [`hello`].
    pub(in crate::runner) fn launch(&self) -> Result<WorkerProcess, WorkerFailure> {
        let mut process = WorkerProcess::start(&self.command)?;
        process.ask(&Request::Open {
            protocol: PROTOCOL,
            program: PROGRAM.to_owned(),
            target: self.target.clone(),
        });
        if let Some(file) = self.file {
            let cubin = own::cubin(&file.hash()).map(|cubin| STANDARD.encode(cubin));
            process.ask(&Request::System { file: Box::new(file.clone()), cubin });
        }
        Ok(process)
    }

    /// `failure` with the name of this worker.
    pub(in crate::runner) fn error(&self, failure: WorkerFailure) -> WorkerError {
        WorkerError { command: self.name.clone(), failure }
    }
}

/// The device in the first reply of a worker.
pub(in crate::runner) fn hello(reply: Reply) -> Result<Device, WorkerFailure> {
    match reply {
        Reply::Hello { protocol, device, .. } if protocol == PROTOCOL => check::device(device),
        Reply::Hello { protocol, program, .. } => {
            let program = text::excerpt(&program, text::SHOWN);
            Err(WorkerFailure::Version { program, protocol })
        }
        Reply::Refused { message } => Err(WorkerFailure::refused(&message)),
        reply => Err(WorkerFailure::unexpected(&reply)),
    }
}
