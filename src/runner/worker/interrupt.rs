//! Lets one thread stop others that wait.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A wish to stop, which also wakes whoever waits for a worker. Clones share
/// it. It cannot be taken back.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    raised: bool,
    next: u64,
    wakers: BTreeMap<u64, Box<dyn Fn() + Send>>,
}

impl Interrupt {
    /// Nothing to stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops what listens now, and what will listen later.
    pub fn raise(&self) {
        let mut state = self.state();
        state.raised = true;
        for wake in state.wakers.values() {
            wake();
        }
        drop(state);
        self.0.changed.notify_all();
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.state().raised
    }

    /// Calls `wake` when raised, or now if it was, until the answer is dropped.
    /// `wake` must not use this interrupt.
    pub(super) fn on_raise(&self, wake: impl Fn() + Send + 'static) -> Listening {
        let mut state = self.state();
        if state.raised {
            wake();
        }
        let id = state.next;
        state.next += 1;
        state.wakers.insert(id, Box::new(wake));
        Listening { interrupt: self.clone(), id }
    }

    /// Sleeps, or returns as soon as it is raised.
    pub(super) fn sleep(&self, time: Duration) {
        let start = Instant::now();
        let mut state = self.state();
        while !state.raised {
            let Some(left) = time.checked_sub(start.elapsed()).filter(|left| !left.is_zero())
            else {
                return;
            };
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interrupt").field("raised", &self.is_raised()).finish_non_exhaustive()
    }
}

/// Somebody who is woken by an [`Interrupt`], until dropped.
#[derive(Debug)]
pub(super) struct Listening {
    interrupt: Interrupt,
    id: u64,
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.interrupt.state().wakers.remove(&self.id);
    }
}
