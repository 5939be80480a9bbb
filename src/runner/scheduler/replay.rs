//! Reports stored records as if they were measured now.

use std::time::{Duration, Instant};

use crossbeam_channel::Receiver;

use super::{Control, Ending, Event, Tally};
use crate::results::record::Record;

/// Longest duration of a case in seconds: a replay does not wait for a break in the sweep.
const LONGEST: f64 = 10.0;

/// Reports the `wanted` records in the order of their file, each after the time that
/// it took when it was measured, divided by the speed ([`Control::set_speed`]).
/// Measured times are reported as recorded.
pub fn replay(
    records: &[Record],
    wanted: &dyn Fn(&Record) -> bool,
    control: &Control,
    on_event: &mut dyn FnMut(Event),
) -> Tally {
    let changes = control.changes();
    let mut tally = Tally::default();
    let durations = durations(records);
    let shown: Vec<(&Record, f64)> =
        records.iter().zip(durations).filter(|(record, _)| wanted(record)).collect();
    let skipped = shown.iter().filter(|(record, _)| record.skip.is_some()).count();
    on_event(Event::Planned { cases: shown.len(), stored: shown.len(), skipped });
    for (record, seconds) in shown {
        if record.skip.is_none() {
            on_event(Event::Started(record.case()));
            wait(seconds, control, &changes, on_event);
        }
        if control.is_cancelled() {
            tally.ending = Ending::Cancelled;
            break;
        }
        tally.add(record);
        tally.from_store += 1;
        let record = Box::new(record.clone());
        on_event(Event::Finished { record, view: None, from_store: true });
    }
    tally
}

/// Waits until `seconds` of the recording have passed at the current speed.
pub(super) fn wait(
    mut seconds: f64,
    control: &Control,
    changes: &Receiver<()>,
    on_event: &mut dyn FnMut(Event),
) {
    loop {
        if control.wait_while_paused(changes, on_event) {
            return;
        }
        let speed = control.speed();
        let Some(pause) = pause(seconds, speed).filter(|_| !control.is_cancelled()) else {
            return;
        };
        let began = Instant::now();
        // A change of the speed ends the wait.
        let _ = changes.recv_timeout(pause);
        seconds -= began.elapsed().as_secs_f64() * speed;
    }
}

/// Time to wait for `seconds` of a recording. At speed 0 nothing is waited for.
fn pause(seconds: f64, speed: f64) -> Option<Duration> {
    (speed > 0.0 && seconds > 0.0).then(|| Duration::from_secs_f64(seconds / speed))
}

/// Duration of each record's case in seconds: the time from the end of the case before
/// to its end. Times are stored in whole seconds, so cases of one second share it evenly.
fn durations(records: &[Record]) -> Vec<f64> {
    let ended: Vec<Option<i64>> = records
        .iter()
        .map(|record| record.time.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second))
        .collect();
    let mut durations = vec![0.0; records.len()];
    let mut at = 0;
    let mut before: Option<i64> = None;
    while at < ended.len() {
        let alike = ended[at..].iter().take_while(|it| **it == ended[at]).count();
        // The start of the first cases is unknown; take one second.
        let lasted = ended[at].map_or(0, |now| before.map_or(1, |before| now - before));
        let each = (lasted.max(0) as f64 / alike as f64).min(LONGEST);
        durations[at..at + alike].fill(each);
        before = ended[at].or(before);
        at += alike;
    }
    durations
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::{Case, Distribution};
    use crate::results::record::{DeviceRecord, Provenance};

    fn record(n: u64, time: &str) -> Record {
        let case = Case {
            algorithm: "histogram".to_owned(),
            variant: "global".to_owned(),
            block: 128,
            coarsen: 4,
            n,
            params: std::collections::BTreeMap::new(),
            dist: Distribution::Uniform,
            seed: 7,
        };
        let device = DeviceRecord { name: "X".to_owned(), driver: None, id: String::new() };
        let mut record = Record::new(&case, device, "cuda", Provenance::Recorded);
        time.clone_into(&mut record.time);
        record
    }

    fn played(speed: f64, control: &Control) -> (Vec<u64>, Tally) {
        let records = [
            record(1, "2026-11-21T10:00:00Z"),
            record(2, "2026-11-21T10:00:01Z"),
            record(3, "2026-11-21T10:00:02Z"),
        ];
        control.set_speed(speed);
        let mut seen = Vec::new();
        let tally = replay(&records, &|record| record.n != 2, control, &mut |event| {
            if let Event::Finished { record, from_store, .. } = event {
                assert!(from_store);
                seen.push(record.n);
            }
        });
        (seen, tally)
    }

    #[test]
    fn cases_of_one_second_share_it_and_long_breaks_are_cut() {
        let times = ["10:00:00Z", "10:00:00Z", "10:00:03Z", "10:00:02Z", "11:00:00Z"];
        let mut records: Vec<Record> =
            times.iter().map(|time| record(1, &format!("2026-11-21T{time}"))).collect();
        records.push(record(1, "yesterday"));
        assert_eq!(durations(&records), [0.5, 0.5, 3.0, 0.0, LONGEST, 0.0]);
    }

    #[test]
    fn a_replay_takes_as_long_as_its_speed_says_and_all_of_it_comes() {
        let (seen, tally) = played(10.0, &Control::new());
        assert_eq!((seen, tally.from_store), (vec![1, 3], 2));
        assert_eq!(tally.ending, Ending::Complete);
        assert_eq!(played(0.0, &Control::new()).0, [1, 3]);
        // Two seconds, ten times as fast, then as fast as possible.
        assert_eq!(pause(2.0, 10.0), Some(Duration::from_millis(200)));
        assert_eq!((pause(2.0, 0.0), pause(0.0, 1.0)), (None, None));
    }

    #[test]
    fn a_paused_replay_goes_on_case_by_case() {
        let control = Control::new();
        control.pause(true);
        let records: Vec<Record> = (1..=4).map(|n| record(n, "2026-11-21T10:00:00Z")).collect();
        let (sender, seen) = std::sync::mpsc::channel();
        let steered = control.clone();
        // Slow enough that no case comes by itself.
        control.set_speed(1e-6);
        let thread = std::thread::spawn(move || {
            replay(&records, &|_| true, &steered, &mut |event| {
                if let Event::Finished { record, .. } = event {
                    sender.send(record.n).unwrap();
                }
            })
        });
        control.step();
        assert_eq!(seen.recv().unwrap(), 1);
        control.step();
        control.step();
        assert_eq!([seen.recv().unwrap(), seen.recv().unwrap()], [2, 3]);
        assert!(seen.try_recv().is_err());
        control.cancel();
        assert_eq!(thread.join().unwrap().ending, Ending::Cancelled);
    }

    #[test]
    fn a_cancelled_replay_ends_at_once() {
        let control = Control::new();
        control.cancel();
        let (seen, tally) = played(1.0, &control);
        assert!(seen.is_empty());
        assert_eq!(tally.ending, Ending::Cancelled);
    }
}
