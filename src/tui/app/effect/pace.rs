//! The pace at which results appear in a lesson: one after the other, however fast they are
//! computed. Only their order on the screen takes time; the times in them are as they are.

use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::runner::scheduler::{Control, Event, Tally};

/// Seconds between two results at speed 1.
const BEAT: f64 = 0.3;

/// Seconds that all results of a run take at most at speed 1.
const WHOLE: f64 = 6.0;

/// Does `work` and reports its events at the pace of `control`; returns after the last one.
pub(super) fn paced(
    control: &Control,
    report: &(impl Fn(Event) + Sync),
    work: impl FnOnce(&mut dyn FnMut(Event)) -> Result<Tally, String>,
) -> Result<Tally, String> {
    let (sender, events) = channel();
    thread::scope(|scope| {
        scope.spawn(move || pass_on(control, &events, report));
        // The sender goes with the work, which ends the other thread.
        let sender = sender;
        work(&mut |event| match event {
            // Nobody waits behind results to hear that the run is paused.
            Event::Paused(_) => report(event),
            event => drop(sender.send(event)),
        })
    })
}

fn pass_on(control: &Control, events: &Receiver<Event>, report: &impl Fn(Event)) {
    let mut beat = BEAT;
    for event in events {
        match &event {
            Event::Planned { cases, .. } => beat = BEAT.min(WHOLE / (*cases).max(1) as f64),
            Event::Finished { .. } => control.pace(beat, &mut |event| report(event)),
            _ => {}
        }
        report(event);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::tui::fixture;

    #[test]
    fn results_arrive_in_order_and_a_cancelled_run_waits_for_none() {
        let control = Control::new();
        control.set_speed(1e-9);
        let seen = Mutex::new(Vec::new());
        let report = |event| {
            if let Event::Finished { record, .. } = event {
                seen.lock().unwrap().push(record.n);
            }
        };
        let tally = paced(&control, &report, |send| {
            send(Event::Planned { cases: 3, stored: 0, skipped: 0 });
            for n in [1, 2, 3] {
                let record = Box::new(fixture::modelled("global", n));
                send(Event::Finished { record, view: None, from_store: false });
            }
            // At this speed the first result would wait for years.
            control.cancel();
            Ok(Tally::default())
        });
        assert!(tally.is_ok());
        assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    }
}
