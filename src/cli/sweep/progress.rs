//! The progress of a sweep in words: a bar on a terminal, lines elsewhere.
//! Builds text only; the caller writes it.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::figure::Time;
use crate::results::record::{Outcome, Record};
use crate::runner::scheduler::Event;
use crate::units::Seconds;

/// How much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// One line that is rewritten.
    Bar {
        /// Columns of the terminal.
        width: usize,
    },
    /// A line per case.
    Lines,
    /// Wrong results only.
    Quiet,
}

/// How many cases ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// Cases in all.
    pub(super) cases: usize,
    /// Cases that ended, stored ones included.
    pub(super) done: usize,
    /// Outputs that equal the reference.
    pub(super) verified: usize,
    /// Outputs that were not compared.
    pub(super) unchecked: usize,
    /// Traps and wrong outputs.
    pub(super) wrong: usize,
    /// Cases that could not run.
    pub(super) skipped: usize,
    /// Cases that the store had.
    pub(super) stored: usize,
}

/// What a case costs apart from its elements, in elements: set-up, warm-up and
/// repeated samples weigh like this many.
const OVERHEAD: u64 = 1 << 18;

/// Follows a session.
pub(super) struct Progress {
    style: Style,
    counts: Counts,
    /// Cost of all cases, done cases and stored cases.
    cost: f64,
    done: f64,
    stored: f64,
    /// Average cost of a case.
    average: f64,
    running: String,
    /// Workers that answer, of how many.
    workers: BTreeSet<usize>,
    of: usize,
    drawn: bool,
    /// Which time is told.
    time: Time,
}

impl Progress {
    /// For a session over `sizes`.
    pub(super) fn new(sizes: &[u64], style: Style) -> Self {
        let total: f64 = sizes.iter().map(|n| (n + OVERHEAD) as f64).sum();
        Self {
            style,
            counts: Counts::default(),
            cost: 0.0,
            done: 0.0,
            stored: 0.0,
            average: total / sizes.len().max(1) as f64,
            running: String::new(),
            workers: BTreeSet::new(),
            of: 1,
            drawn: false,
            time: Time::default(),
        }
    }

    /// The same, telling this time.
    pub(super) fn telling(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// What happened so far.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// What to write about `event`, `elapsed` after the start.
    pub(super) fn on(&mut self, event: &Event, elapsed: Duration) -> String {
        let mut lines = String::new();
        match event {
            Event::Ready { worker, of, device } => {
                self.workers.insert(*worker);
                self.of = *of;
                let kind = if device.modelled { "modelled for" } else { "measured on" };
                let which = if *of > 1 {
                    format!("worker {} of {of}: ", worker + 1)
                } else {
                    String::new()
                };
                if self.style != Style::Quiet {
                    lines = format!("{which}times {kind} {} ({})\n", device.name, device.backend);
                }
            }
            Event::Lost { worker, of, reason } => {
                self.workers.remove(worker);
                self.of = *of;
                lines = format!(
                    "worker {} of {of} is lost, its cases go to the others: {reason}\n",
                    worker + 1
                );
            }
            Event::Planned { cases, .. } | Event::Replanned { cases, .. } => {
                self.counts.cases = *cases;
                self.cost = self.average * *cases as f64;
            }
            Event::Started(case) => self.running = case.to_string(),
            Event::Finished { record, from_store, .. } => {
                self.count(record, *from_store);
                lines = self.lines(record, *from_store);
            }
            Event::Paused(_) => {}
        }
        match self.style {
            Style::Bar { width } => {
                let bar = self.bar(width, elapsed);
                let clear = if self.drawn { "\r\x1b[2K" } else { "" };
                self.drawn = true;
                format!("{clear}{lines}{bar}")
            }
            Style::Lines | Style::Quiet => lines,
        }
    }

    /// What to write when the session is over: takes the bar away.
    pub(super) fn end(&mut self) -> &'static str {
        if std::mem::take(&mut self.drawn) { "\r\x1b[2K" } else { "" }
    }

    fn count(&mut self, record: &Record, from_store: bool) {
        let counts = &mut self.counts;
        counts.done += 1;
        counts.stored += usize::from(from_store);
        match record.outcome() {
            Outcome::Verified => counts.verified += 1,
            Outcome::Unchecked => counts.unchecked += 1,
            Outcome::Wrong => counts.wrong += 1,
            Outcome::Skipped => counts.skipped += 1,
        }
        let cost = (record.n + OVERHEAD) as f64;
        self.done += cost;
        if from_store || record.outcome() == Outcome::Skipped {
            self.stored += cost;
        }
    }

    /// What deserves a line of its own.
    fn lines(&self, record: &Record, from_store: bool) -> String {
        let outcome = record.outcome();
        let told = match self.style {
            Style::Lines => true,
            Style::Bar { .. } => {
                outcome == Outcome::Wrong || outcome == Outcome::Skipped && !from_store
            }
            Style::Quiet => outcome == Outcome::Wrong,
        };
        if !told {
            return String::new();
        }
        let Counts { done, cases, .. } = self.counts;
        let there = if from_store { " (was there already)" } else { "" };
        format!("[{done}/{cases}] {}: {}{there}\n", record.case(), ending(record, self.time))
    }

    /// `[████░░░░] 12/26 · 12 verified · 3 s left · histogram shared …`
    fn bar(&self, width: usize, elapsed: Duration) -> String {
        let Counts { cases, done, verified, wrong, .. } = self.counts;
        let part = if self.cost > 0.0 { (self.done / self.cost).clamp(0.0, 1.0) } else { 0.0 };
        let filled = (part * 20.0) as usize;
        let mut text = format!(
            "[{}{}] {done}/{cases} · {verified} verified",
            "█".repeat(filled),
            "░".repeat(20 - filled)
        );
        if wrong > 0 {
            text.extend([format!(" · {wrong} WRONG")]);
        }
        if self.of > 1 {
            text.extend([format!(" · {} of {} workers", self.workers.len(), self.of)]);
        }
        if let Some(left) = self.left(elapsed) {
            text.extend([format!(" · {} left", minutes(left))]);
        }
        if !self.running.is_empty() {
            text.extend([" · ", &self.running]);
        }
        text.chars().take(width.saturating_sub(1)).collect()
    }

    /// Seconds left, once a case has run.
    fn left(&self, elapsed: Duration) -> Option<f64> {
        let ran = self.done - self.stored;
        let rest = (self.cost - self.done).max(0.0);
        (ran > 0.0).then(|| elapsed.as_secs_f64() * rest / ran)
    }
}

/// How a case ended, in words.
fn ending(record: &Record, time: Time) -> String {
    match (record.outcome(), time.of(record)) {
        (Outcome::Skipped, _) => {
            format!("skipped: {}", record.skip.as_deref().unwrap_or("no reason given"))
        }
        (Outcome::Wrong, _) => match &record.wrong {
            Some(wrong) if !wrong.message.is_empty() => format!("WRONG: {}", wrong.message),
            Some(wrong) => format!("WRONG: {}", wrong.kind),
            None => "WRONG".to_owned(),
        },
        (outcome, median) => {
            let whole = if time == Time::EndToEnd { " end to end" } else { "" };
            let told =
                median.map_or_else(|| "no time".to_owned(), |m| format!("{}{whole}", Seconds(m)));
            let checked = if outcome == Outcome::Verified { "verified" } else { "unchecked" };
            format!("{told}, {checked} ({})", record.provenance_label())
        }
    }
}

/// `0:07`, `12:30`, `3:04:05`.
fn minutes(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::{Case, Distribution};
    use crate::results::record::{DeviceRecord, Provenance, Summary, Wrong};

    fn record(n: u64) -> Record {
        let case = Case {
            algorithm: "histogram".to_owned(),
            variant: "shared".to_owned(),
            block: 128,
            coarsen: 4,
            n,
            params: std::collections::BTreeMap::new(),
            dist: Distribution::Uniform,
            seed: 7,
        };
        let device = DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: String::new() };
        let mut record = Record::new(&case, device, "emulator", Provenance::Modelled);
        record.seconds =
            Some(Summary { median: 1.24e-5, q1: None, q3: None, samples: Vec::new(), taken: None });
        record.verified = Some(true);
        record
    }

    fn finished(record: Record, from_store: bool) -> Event {
        Event::Finished { record: Box::new(record), view: None, from_store }
    }

    fn wrong() -> Record {
        let mut record = record(1024);
        record.seconds = None;
        record.verified = Some(false);
        record.wrong = Some(Wrong {
            kind: "wrong-answer".to_owned(),
            kernel: None,
            file: None,
            line: None,
            block: None,
            lanes: Vec::new(),
            index: None,
            expected: None,
            got: None,
            message: "output[3] is 4".to_owned(),
        });
        record
    }

    const START: Event = Event::Planned { cases: 2, stored: 0, skipped: 0 };

    #[test]
    fn elsewhere_every_case_has_a_line() {
        let mut progress = Progress::new(&[1024], Style::Lines);
        let second = Duration::from_secs(1);
        assert_eq!(progress.on(&START, second), "");
        assert_eq!(
            progress.on(&finished(record(1024), false), second),
            "[1/2] histogram shared n=2^10 block=128 coarsen=4 uniform: \
             12.4 µs, verified (modelled · H200 SXM)\n"
        );
        let mut skipped = record(1024);
        skipped.skip = Some("too large".to_owned());
        let text = progress.on(&finished(skipped, true), second);
        assert!(text.ends_with("skipped: too large (was there already)\n"), "{text}");
        assert_eq!(progress.end(), "");
    }

    #[test]
    fn a_bar_shows_the_part_done_and_the_time_left_and_fits_its_terminal() {
        let mut progress = Progress::new(&[1024], Style::Bar { width: 200 });
        progress.on(&START, Duration::ZERO);
        let text = progress.on(&finished(record(1024), false), Duration::from_secs(7));
        let half = format!("[{}{}] 1/2 · 1 verified · 0:07 left", "█".repeat(10), "░".repeat(10));
        assert!(text.contains(&half), "{text}");
        assert!(text.starts_with("\r\x1b[2K"), "the old bar is taken away");
        assert!(!progress.end().is_empty());
        assert_eq!(progress.end(), "", "once");
        for width in [0, 1, 10, 40] {
            assert!(progress.bar(width, Duration::ZERO).chars().count() <= width);
        }
    }

    #[test]
    fn several_workers_are_told_apart_and_counted() {
        let device = crate::work::Device {
            backend: "cuda".to_owned(),
            name: "NVIDIA H200".to_owned(),
            driver: None,
            id: "GPU-1".to_owned(),
            modelled: false,
            validated: true,
            limits: crate::work::Limits {
                compute_capability: 90,
                threads_per_block: 1024,
                shared_per_block: 227 << 10,
                registers_per_sm: 1 << 16,
                memory: 1 << 30,
            },
        };
        let mut progress = Progress::new(&[1024], Style::Bar { width: 200 });
        let mut told = String::new();
        for worker in 0..2 {
            let ready = Event::Ready { worker, of: 3, device: device.clone() };
            told.push_str(&progress.on(&ready, Duration::ZERO));
        }
        assert!(told.contains("worker 2 of 3: times measured on NVIDIA H200 (cuda)"), "{told}");
        assert!(told.contains("2 of 3 workers"), "{told}");
        let lost = Event::Lost { worker: 0, of: 3, reason: "`ssh a` died".to_owned() };
        let told = progress.on(&lost, Duration::ZERO);
        assert!(told.contains("worker 1 of 3 is lost") && told.contains("`ssh a` died"), "{told}");
        assert!(told.contains("1 of 3 workers"), "{told}");
    }

    #[test]
    fn stored_cases_do_not_count_as_fast_ones() {
        let mut progress = Progress::new(&[1024], Style::Bar { width: 80 });
        progress.on(&Event::Planned { cases: 3, stored: 1, skipped: 0 }, Duration::ZERO);
        progress.on(&finished(record(1024), true), Duration::ZERO);
        assert_eq!(progress.left(Duration::from_secs(1)), None);
        progress.on(&finished(record(1024), false), Duration::from_secs(5));
        assert!((progress.left(Duration::from_secs(5)).unwrap() - 5.0).abs() < 1e-9);
    }

    #[test]
    fn wrong_results_are_told_in_every_style() {
        for style in [Style::Lines, Style::Bar { width: 80 }, Style::Quiet] {
            let mut progress = Progress::new(&[1024], style);
            progress.on(&START, Duration::ZERO);
            let text = progress.on(&finished(wrong(), false), Duration::ZERO);
            assert!(text.contains("WRONG: output[3] is 4"), "{text}");
            assert_eq!(progress.counts().wrong, 1);
        }
    }

    #[test]
    fn times_left_are_written_as_clocks_do() {
        for (seconds, text) in
            [(0.0, "0:00"), (6.2, "0:07"), (750.0, "12:30"), (11_045.0, "3:04:05")]
        {
            assert_eq!(minutes(seconds), text);
        }
    }
}
