//! Steers a running session from another thread.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use std::time::Duration;

use super::Event;
use crate::experiment::Experiment;
use crate::runner::worker::Interrupt;

/// Steers a running session from another thread. Clones steer the same session.
#[derive(Debug, Clone, Default)]
pub struct Control {
    shared: Arc<Shared>,
    interrupt: Interrupt,
}

#[derive(Debug, Default)]
struct Shared {
    paused: Mutex<bool>,
    changed: Condvar,
    /// What is to run from now on, if that was changed.
    replanned: Mutex<Option<Experiment>>,
    /// How many times as fast as it was measured a replay goes; 0 at once.
    speed: AtomicU32,
}

impl Control {
    /// A handle for a session that has not started.
    pub fn new() -> Self {
        Self::default()
    }

    /// Pauses before the next group of cases, or goes on.
    pub fn pause(&self, paused: bool) {
        *self.paused() = paused;
        self.shared.changed.notify_all();
    }

    /// Ends the session at once, paused or not: the running case is dropped,
    /// its worker killed. A session that starts later ends at once too.
    pub fn cancel(&self) {
        // Held meanwhile, so that nobody begins to wait between the two.
        let paused = self.paused();
        self.interrupt.raise();
        self.shared.changed.notify_all();
        drop(paused);
    }

    /// Lets the session run this from now on: of its cases those that have not
    /// ended yet. Algorithm and target stay those that it was started with;
    /// another algorithm's experiment changes nothing.
    pub fn replan(&self, experiment: Experiment) {
        *self.replanned() = Some(experiment);
    }

    /// How many times as fast as they were measured a replay reports its cases;
    /// 0 reports them at once.
    pub fn set_speed(&self, times: u32) {
        self.shared.speed.store(times, Ordering::SeqCst);
    }

    /// The speed of a replay.
    pub(super) fn speed(&self) -> u32 {
        self.shared.speed.load(Ordering::SeqCst)
    }

    /// What to run from now on, once after each change.
    pub(super) fn take_replanned(&self) -> Option<Experiment> {
        self.replanned().take()
    }

    fn replanned(&self) -> MutexGuard<'_, Option<Experiment>> {
        self.shared.replanned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until the session is paused, goes on or is cancelled.
    pub(super) fn sleep(&self, most: Duration) {
        let paused = self.paused();
        if !*paused && !self.is_cancelled() {
            let waited = self.shared.changed.wait_timeout(paused, most);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Whether the session was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Whether it was asked to pause.
    pub(super) fn is_paused(&self) -> bool {
        *self.paused()
    }

    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Returns once the session may go on, or was cancelled.
    pub(super) fn wait_while_paused(&self, on_event: &mut dyn FnMut(Event)) {
        if !self.must_wait(&self.paused()) {
            return;
        }
        on_event(Event::Paused(true));
        let mut paused = self.paused();
        while self.must_wait(&paused) {
            paused = self.shared.changed.wait(paused).unwrap_or_else(PoisonError::into_inner);
        }
        drop(paused);
        on_event(Event::Paused(false));
    }

    fn must_wait(&self, paused: &MutexGuard<bool>) -> bool {
        **paused && !self.is_cancelled()
    }

    fn paused(&self) -> MutexGuard<'_, bool> {
        self.shared.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
