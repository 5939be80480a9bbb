//! Steers a running sweep or replay from another thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::Event;
use crate::experiment::Experiment;

/// Steers a running sweep or replay from another thread. Clones steer the same one.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    paused: bool,
    cancelled: bool,
    /// The new experiment, until the scheduler takes it.
    replanned: Option<Experiment>,
    /// Speed of a replay relative to the measurement; 0 is at once.
    speed: f64,
    /// Cases that a paused replay still reports.
    steps: usize,
    listeners: Vec<Sender<()>>,
}

impl Control {
    /// A handle for a sweep that has not started.
    pub fn new() -> Self {
        Self::default()
    }

    /// Pauses before the next group of cases, or continues.
    pub fn pause(&self, paused: bool) {
        self.change(|state| {
            state.paused = paused;
            state.steps = 0;
        });
    }

    /// Lets a paused replay report one more case.
    pub fn step(&self) {
        self.change(|state| state.steps += 1);
    }

    /// Cancels at once, even while paused: the running case is dropped and its
    /// worker ended. What starts later with this control ends at once too.
    pub fn cancel(&self) {
        self.change(|state| state.cancelled = true);
    }

    /// Replaces the cases that have not started with those of `experiment`. The
    /// target stays. An experiment with another algorithm is ignored.
    pub fn replan(&self, experiment: Experiment) {
        self.change(|state| state.replanned = Some(experiment));
    }

    /// Sets the speed of a replay relative to the measurement; 0 reports all cases at once.
    pub fn set_speed(&self, times: f64) {
        self.change(|state| state.speed = times);
    }

    /// Waits for `seconds` at the current speed: a replay that takes that long, see
    /// [`Control::set_speed`]. Returns at once when cancelled; a pause is waited for and
    /// reported.
    pub fn pace(&self, seconds: f64, on_event: &mut dyn FnMut(Event)) {
        super::replay::wait(seconds, self, &self.changes(), on_event);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.state().cancelled
    }

    pub(super) fn is_paused(&self) -> bool {
        self.state().paused
    }

    pub(super) fn speed(&self) -> f64 {
        self.state().speed
    }

    /// The new experiment, once after each [`Control::replan`].
    pub(super) fn take_replanned(&self) -> Option<Experiment> {
        self.state().replanned.take()
    }

    /// A channel that receives a message after every change from now on.
    pub(super) fn changes(&self) -> Receiver<()> {
        let (sender, receiver) = bounded(1);
        self.state().listeners.push(sender);
        receiver
    }

    /// Returns when the sweep is not paused, or is cancelled, or makes a single step; whether
    /// it makes one.
    pub(super) fn wait_while_paused(
        &self,
        changes: &Receiver<()>,
        on_event: &mut dyn FnMut(Event),
    ) -> bool {
        let must_wait = || {
            let state = self.state();
            state.paused && !state.cancelled && state.steps == 0
        };
        if must_wait() {
            on_event(Event::Paused(true));
            while must_wait() && changes.recv().is_ok() {}
            on_event(Event::Paused(false));
        }
        let mut state = self.state();
        let steps = state.paused && state.steps > 0;
        state.steps = state.steps.saturating_sub(1);
        steps
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        // A full channel wakes its listener too.
        state
            .listeners
            .retain(|listener| !listener.try_send(()).is_err_and(|error| error.is_disconnected()));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
