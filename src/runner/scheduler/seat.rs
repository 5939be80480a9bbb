//! A worker as the session sees it.

use super::{SessionError, Spec};
use crate::experiment::Case;
use crate::runner::worker::WorkerError;
use crate::work::Device;

/// A worker and what it does.
#[derive(Debug)]
pub(super) struct Seat {
    /// Its command, as messages name it.
    pub(super) name: String,
    /// What it runs on, or ran on last.
    pub(super) device: Option<Device>,
    pub(super) state: State,
}

/// What a worker does.
#[derive(Debug)]
pub(super) enum State {
    /// It starts, for the first time or again.
    Away,
    /// It waits for a group.
    Free,
    /// It measures a group.
    Busy(Vec<Case>),
    /// It is of no more use.
    Lost(WorkerError),
}

impl Seat {
    pub(super) fn new(spec: &Spec) -> Self {
        Self { name: spec.shown(), device: None, state: State::Away }
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self.state, State::Free)
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self.state, State::Busy(_))
    }

    pub(super) fn is_away(&self) -> bool {
        matches!(self.state, State::Away)
    }

    pub(super) fn is_lost(&self) -> bool {
        matches!(self.state, State::Lost(_))
    }

    /// The case of its group with this index.
    pub(super) fn case(&self, index: usize) -> Option<&Case> {
        match &self.state {
            State::Busy(cases) => cases.get(index),
            _ => None,
        }
    }
}

/// The devices that workers run on or ran on, one after the other.
pub(super) fn devices(seats: &[Seat]) -> impl Iterator<Item = &Device> {
    seats.iter().filter_map(|seat| seat.device.as_ref())
}

/// Refuses workers of different kinds.
pub(super) fn same_backend(seats: &[Seat]) -> Result<(), SessionError> {
    let mut known = seats.iter().filter_map(|seat| Some((seat, seat.device.as_ref()?)));
    let Some((first, device)) = known.next() else { return Ok(()) };
    match known.find(|(_, other)| other.backend != device.backend) {
        None => Ok(()),
        Some((second, other)) => Err(SessionError::Mixed {
            first: format!("`{}`", first.name),
            first_backend: device.backend.clone(),
            second: format!("`{}`", second.name),
            second_backend: other.backend.clone(),
        }),
    }
}

/// The end of a session that has cases left and no worker for them.
pub(super) fn none_left(seats: Vec<Seat>) -> SessionError {
    let mut reasons = Vec::new();
    let mut only = None;
    let alone = seats.len() == 1;
    for Seat { name, device, state } in seats {
        match state {
            State::Lost(error) if alone => only = Some(error),
            State::Lost(error) => reasons.push(told(&name, &error)),
            _ => {
                let device = device.map_or_else(String::new, |device| device.name);
                reasons.push(format!("the device of `{name}` ({device}) cannot run them"));
            }
        }
    }
    only.map_or(SessionError::NoneLeft(reasons), SessionError::Worker)
}

/// What became of a worker, with its command and what led to it.
pub(super) fn told(name: &str, error: &WorkerError) -> String {
    let mut text = match error {
        // What a worker says does not name it.
        WorkerError::Refused(message) => format!("`{name}`: {message}"),
        error => error.to_string(),
    };
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
