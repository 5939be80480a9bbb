//! A worker that answers one request at a time.

use std::time::Duration;

use crossbeam_channel::select;

use super::{Control, SchedulerError, WorkerSpec};
use crate::experiment::Target;
use crate::own::Version;
use crate::runner::worker::{
    Launcher, Reply, Request, START_LIMIT, WorkerFailure, WorkerProcess, hello,
};
use crate::work::Device;

/// This program's own worker on one target. Dropping it ends the process.
pub(super) struct Single<'a> {
    launcher: Launcher,
    control: &'a Control,
    running: Option<(WorkerProcess, Device)>,
    /// Whether a process has opened the target.
    ready: bool,
}

impl<'a> Single<'a> {
    /// A worker for `target` and cases of a version of a user's file, or of built-in
    /// algorithms. The first request starts it.
    pub(super) fn new(
        target: &Target,
        version: Option<Version>,
        control: &'a Control,
    ) -> Result<Self, SchedulerError> {
        let file = version.map(|version| version.file);
        let launcher = Launcher::new(&WorkerSpec::default(), target, file, START_LIMIT)?;
        Ok(Self { launcher, control, running: None, ready: false })
    }

    /// The reply to `request`, and the device that it comes from; `None` if `control`
    /// cancels. After a failure the next request starts a new process.
    pub(super) fn ask(
        &mut self,
        request: &Request,
        patience: Duration,
    ) -> Result<Option<(Reply, Device)>, SchedulerError> {
        let asked = self.exchange(request, patience);
        asked.map_err(|failure| {
            let failure = match self.running.take() {
                Some((process, _)) => process.end(failure),
                None => failure,
            };
            self.error(failure)
        })
    }

    /// Whether a process has opened the target, so that a failure is that of a request.
    pub(super) fn was_ready(&self) -> bool {
        self.ready
    }

    /// `failure` with the name of the worker. It does not end the process.
    pub(super) fn error(&self, failure: WorkerFailure) -> SchedulerError {
        self.launcher.error(failure).into()
    }

    fn exchange(
        &mut self,
        request: &Request,
        patience: Duration,
    ) -> Result<Option<(Reply, Device)>, WorkerFailure> {
        let control = self.control;
        if self.running.is_none() {
            let process = self.launcher.launch()?;
            match next(&process, control, self.launcher.patience)
                .and_then(|reply| reply.map(hello).transpose())
            {
                Ok(Some(device)) => {
                    self.ready = true;
                    self.running = Some((process, device));
                }
                Ok(None) => return Ok(None),
                Err(failure) => return Err(process.end(failure)),
            }
        }
        let Some((process, device)) = &mut self.running else { return Ok(None) };
        process.ask(request);
        let reply = next(process, control, patience)?;
        Ok(reply.map(|reply| (reply, device.clone())))
    }
}

/// Waits for a reply; `None` if `control` cancels.
fn next(
    process: &WorkerProcess,
    control: &Control,
    patience: Duration,
) -> Result<Option<Reply>, WorkerFailure> {
    let changes = control.changes();
    while !control.is_cancelled() {
        select! {
            recv(process.replies()) -> reply => {
                return reply.unwrap_or_else(|_| Err(WorkerFailure::Ended(String::new()))).map(Some);
            }
            recv(changes) -> _ => {}
            default(patience) => return Err(WorkerFailure::Silent(patience.as_secs())),
        }
    }
    Ok(None)
}
