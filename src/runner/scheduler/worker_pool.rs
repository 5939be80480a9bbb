//! The workers of a sweep: waits for whichever of them has news.

use std::time::Instant;

use crossbeam_channel::{Receiver, Select};

use super::worker_state::{CaseLimits, Status, WorkerEvent, WorkerState};
use super::{SchedulerError, WorkerSpec};
use crate::experiment::Target;
use crate::runner::worker::WorkerError;
use crate::work::Device;

/// The workers of a sweep. Dropping the pool ends them.
#[derive(Debug)]
pub(super) struct WorkerPool(pub(super) Vec<WorkerState>);

impl WorkerPool {
    /// Workers that [`Self::next`] launches.
    pub(super) fn new(
        specs: &[WorkerSpec],
        target: &Target,
        limits: &CaseLimits,
    ) -> Result<Self, WorkerError> {
        let workers = specs.iter().map(|spec| WorkerState::new(spec, target, limits.clone()));
        workers.collect::<Result<_, _>>().map(Self)
    }

    /// Waits until a worker has events, `changes` receives, or `until`. Gives the index
    /// of the worker.
    pub(super) fn next(
        &mut self,
        changes: &Receiver<()>,
        until: Option<Instant>,
    ) -> Option<(usize, Vec<WorkerEvent>)> {
        if let Some(index) = self.0.iter().position(WorkerState::is_overdue) {
            return Some((index, self.0[index].time_out()));
        }
        let mut select = Select::new();
        select.recv(changes);
        let mut waiting = Vec::new();
        for (index, worker) in self.0.iter().enumerate() {
            if let Some(incoming) = worker.incoming() {
                select.recv(incoming);
                waiting.push(index);
            }
        }
        let ready = match self.0.iter().filter_map(WorkerState::deadline).chain(until).min() {
            Some(deadline) => select.ready_deadline(deadline).ok()?,
            None => select.ready(),
        };
        let Some(ready) = ready.checked_sub(1) else {
            let _ = changes.try_recv();
            return None;
        };
        let others = self.0.iter().filter(|worker| worker.status() != Status::Lost).count() > 1;
        Some((waiting[ready], self.0[waiting[ready]].receive(others)))
    }

    /// The devices that workers run on, or ran on last.
    pub(super) fn devices(&self) -> impl Iterator<Item = &Device> {
        self.0.iter().filter_map(WorkerState::device)
    }

    /// Whether a worker has this status.
    pub(super) fn any(&self, status: Status) -> bool {
        self.0.iter().any(|worker| worker.status() == status)
    }

    /// Refuses workers of different backends.
    pub(super) fn check_backends(&self) -> Result<(), SchedulerError> {
        let mut known = self.0.iter().filter_map(|worker| Some((worker.name(), worker.device()?)));
        let Some((first, device)) = known.next() else { return Ok(()) };
        match known.find(|(_, other)| other.backend != device.backend) {
            None => Ok(()),
            Some((second, other)) => Err(SchedulerError::Mixed {
                first: first.to_owned(),
                first_backend: device.backend.clone(),
                second: second.to_owned(),
                second_backend: other.backend.clone(),
            }),
        }
    }

    /// The error when no worker can run the remaining cases.
    pub(super) fn none_left(&mut self) -> SchedulerError {
        let workers = std::mem::take(&mut self.0);
        let alone = workers.len() == 1;
        let mut reasons = Vec::new();
        for worker in workers {
            let device = worker.device().map_or("", |device| &device.name);
            let cannot = format!("worker `{}`: {device} cannot run them", worker.name());
            match worker.into_error() {
                Some(error) if alone => return error.into(),
                Some(error) => reasons.push(error.to_string()),
                None => reasons.push(cannot),
            }
        }
        SchedulerError::NoneLeft(reasons)
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        std::thread::scope(|scope| {
            for worker in &mut self.0 {
                // If there is no thread for it, the worker ends when it is dropped.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || worker.end());
            }
        });
    }
}
