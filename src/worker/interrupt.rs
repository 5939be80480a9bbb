//! Lets one thread stop another that waits for a worker.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use super::link::Incoming;

/// A wish to stop, which also wakes whoever waits for a worker. Clones share
/// it. It cannot be taken back.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    raised: bool,
    waker: Option<Sender<Incoming>>,
}

impl Interrupt {
    /// Nothing to stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops what listens now, and what will listen later.
    pub fn raise(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.raised = true;
        if let Some(waker) = &state.waker {
            // A receiver that has gone has nothing left to stop.
            let _ = waker.send(Incoming::Interrupted);
        }
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).raised
    }

    /// Sends [`Incoming::Interrupted`] to `waker` when raised, or now if it was.
    pub(super) fn wakes(&self, waker: Sender<Incoming>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.raised {
            let _ = waker.send(Incoming::Interrupted);
        }
        state.waker = Some(waker);
    }
}
