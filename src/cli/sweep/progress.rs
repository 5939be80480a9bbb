//! The progress of a sweep on standard error: a bar on a terminal, lines elsewhere.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use crate::cli::launched;
use crate::figure::Time;
use crate::results::record::{Outcome, Record};
use crate::runner::scheduler::Event;
use crate::units::{Seconds, text};
use crate::work::Done;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// A bar, and a line for each wrong or skipped case.
    Bar,
    /// A line for each case.
    Lines,
    /// Wrong results only.
    Quiet,
}

impl Style {
    /// What standard error can show.
    pub(super) fn of(quiet: bool) -> Self {
        match ProgressBar::new(0).is_hidden() {
            _ if quiet => Self::Quiet,
            true => Self::Lines,
            false => Self::Bar,
        }
    }
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
    /// Attempts that failed, such as by the death of the worker.
    pub(super) failed: usize,
    /// Cases that could not run.
    pub(super) skipped: usize,
    /// Cases that the store had.
    pub(super) stored: usize,
}

/// Fixed cost of a case, in elements: set-up, warm-up and repeated samples weigh
/// like this many.
const OVERHEAD: u64 = 1 << 18;

/// Follows a session. The bar counts the cost of the cases that run, in elements, so
/// that stored and skipped cases do not shorten the time left.
pub(super) struct Progress {
    style: Style,
    time: Time,
    counts: Counts,
    /// Average cost of a case.
    average: u64,
    /// Workers that answer, of how many.
    workers: BTreeSet<usize>,
    of: usize,
    /// The case that started last, and how far its launch has come, if it is long.
    case: String,
    launch: Option<Done>,
    bar: ProgressBar,
}

impl Progress {
    /// For a session over `sizes`, showing `time`.
    pub(super) fn new(sizes: &[u64], style: Style, time: Time) -> Self {
        let bar = if style == Style::Bar { ProgressBar::new(0) } else { ProgressBar::hidden() };
        // The time left is known once a case has run.
        let left = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            let _ = match state.pos() {
                0 => Ok(()),
                _ => write!(text, " · {:#} left", HumanDuration(state.eta())),
            };
        };
        if let Ok(style) = ProgressStyle::with_template("[{bar:20}] {prefix}{left}{wide_msg}") {
            bar.set_style(style.progress_chars("█░").with_key("left", left));
        }
        let total: u64 = sizes.iter().map(|n| n + OVERHEAD).sum();
        Self {
            style,
            time,
            counts: Counts::default(),
            average: total / sizes.len().max(1) as u64,
            workers: BTreeSet::new(),
            of: 1,
            case: String::new(),
            launch: None,
            bar,
        }
    }

    /// Shows `event`.
    pub(super) fn on(&mut self, event: &Event) {
        let lines = self.follow(event);
        if !lines.is_empty() {
            self.bar.suspend(|| {
                let _ = io::stderr().write_all(lines.as_bytes());
            });
        }
    }

    /// How far the launch of the case has come that runs, if it is long.
    pub(super) fn unfinished(&self) -> Option<String> {
        let done = self.launch?;
        Some(format!("{}: {}", self.case, launched::words(&done, done.of)))
    }

    /// Takes the bar away; gives what happened.
    pub(super) fn end(self) -> Counts {
        self.bar.finish_and_clear();
        self.counts
    }

    /// Updates the bar; gives the lines to write above it.
    fn follow(&mut self, event: &Event) -> String {
        let mut lines = String::new();
        match event {
            Event::Ready { worker, of, device } => {
                self.workers.insert(*worker);
                self.of = *of;
                let kind = if device.modelled { "modelled for" } else { "measured on" };
                let which = match of {
                    1 => String::new(),
                    of => format!("worker {} of {of}: ", worker + 1),
                };
                if self.style != Style::Quiet {
                    let (name, backend) = (&device.name, &device.backend);
                    lines = one_line(&format!("{which}times {kind} {name} ({backend})"));
                }
            }
            Event::Lost { worker, of, reason } => {
                self.workers.remove(worker);
                self.of = *of;
                let which = worker + 1;
                lines = one_line(&format!(
                    "worker {which} of {of} is lost; the others run its cases: {reason}"
                ));
            }
            Event::Planned { cases, .. } => {
                self.counts.cases = *cases;
                self.bar.set_length(self.average * *cases as u64);
                self.bar.enable_steady_tick(Duration::from_millis(250));
            }
            Event::Started(case) => {
                self.case = case.to_string();
                self.launch = None;
                self.bar.set_message(text::line(&format!(" · {case}")).into_owned());
            }
            Event::Progress(done) => {
                self.launch = Some(*done);
                let message = format!(" · {} of {} blocks · {}", done.blocks, done.of, self.case);
                self.bar.set_message(text::line(&message).into_owned());
            }
            Event::Finished { record, from_store, .. } => {
                self.count(record, *from_store);
                lines = self.line(record, *from_store);
            }
            // Only the terminal interface plans anew or pauses.
            Event::Replanned { .. } | Event::Paused(_) => {}
        }
        let Counts { cases, done, verified, wrong, failed, .. } = self.counts;
        let mut counts = format!("{done}/{cases} · {verified} verified");
        if wrong > 0 {
            counts.push_str(&format!(" · {wrong} WRONG"));
        }
        if failed > 0 {
            counts.push_str(&format!(" · {failed} FAILED"));
        }
        if self.of > 1 {
            counts.push_str(&format!(" · {} of {} workers", self.workers.len(), self.of));
        }
        self.bar.set_prefix(counts);
        lines
    }

    fn count(&mut self, record: &Record, from_store: bool) {
        let (counts, outcome) = (&mut self.counts, record.outcome());
        counts.done += 1;
        self.launch = None;
        counts.stored += usize::from(from_store);
        match outcome {
            Outcome::Verified => counts.verified += 1,
            Outcome::Unchecked => counts.unchecked += 1,
            Outcome::Wrong => counts.wrong += 1,
            Outcome::Failed => counts.failed += 1,
            Outcome::Skipped => counts.skipped += 1,
        }
        let cost = record.n + OVERHEAD;
        if from_store || outcome == Outcome::Skipped {
            self.bar.dec_length(cost);
        } else {
            self.bar.inc(cost);
        }
    }

    /// The line of a case, if it gets one.
    fn line(&self, record: &Record, from_store: bool) -> String {
        let outcome = record.outcome();
        let bad = matches!(outcome, Outcome::Wrong | Outcome::Failed);
        let shown = match self.style {
            Style::Lines => true,
            Style::Bar => bad || outcome == Outcome::Skipped && !from_store,
            Style::Quiet => bad,
        };
        if !shown {
            return String::new();
        }
        let Counts { done, cases, .. } = self.counts;
        let stored = if from_store { " (already stored)" } else { "" };
        let ending = ending(record, self.time);
        one_line(&format!("[{done}/{cases}] {}: {ending}{stored}", record.case()))
    }
}

/// A line of its own, whatever the text holds.
fn one_line(text: &str) -> String {
    format!("{}\n", text::line(text))
}

/// The start of a message that may be long.
fn excerpt(message: &str) -> String {
    text::excerpt(message, text::SHOWN)
}

/// How a case ended, in words.
fn ending(record: &Record, time: Time) -> String {
    match (record.outcome(), time.of(record)) {
        (Outcome::Skipped, _) => {
            format!(
                "skipped: {}",
                excerpt(record.skip.as_ref().map_or("no reason given", |skip| skip))
            )
        }
        (Outcome::Wrong | Outcome::Failed, _) => {
            let word = if record.outcome() == Outcome::Wrong { "WRONG" } else { "FAILED" };
            match &record.wrong {
                Some(wrong) if !wrong.message.is_empty() => {
                    format!("{word}: {}", excerpt(&wrong.message))
                }
                Some(wrong) => format!("{word}: {}", wrong.kind),
                None => word.to_owned(),
            }
        }
        (outcome, median) => {
            let whole = if time == Time::EndToEnd { " end to end" } else { "" };
            let shown =
                median.map_or_else(|| "no time".to_owned(), |m| format!("{}{whole}", Seconds(m)));
            let checked = if outcome == Outcome::Verified { "verified" } else { "unchecked" };
            format!("{shown}, {checked} ({})", record.provenance_label())
        }
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
        record.seconds = Some(Summary {
            median: 1.24e-5,
            q1: None,
            q3: None,
            samples: Box::default(),
            taken: None,
        });
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
        record.wrong = Some(Box::new(Wrong {
            kind: "wrong-answer".into(),
            kernel: None,
            file: None,
            line: None,
            block: None,
            lanes: Vec::new(),
            index: None,
            expected: None,
            got: None,
            message: "output[3] is 4".to_owned(),
        }));
        record
    }

    const START: Event = Event::Planned { cases: 2, stored: 0, skipped: 0 };

    #[test]
    fn elsewhere_every_case_has_a_line() {
        let mut progress = Progress::new(&[1024], Style::Lines, Time::Kernels);
        assert_eq!(progress.follow(&START), "");
        assert_eq!(
            progress.follow(&finished(record(1024), false)),
            "[1/2] histogram shared n=2^10 block=128 coarsen=4 uniform: \
             12.4 µs, verified (modelled · H200 SXM)\n"
        );
        let mut skipped = record(1024);
        skipped.skip = Some("too large".into());
        let text = progress.follow(&finished(skipped, true));
        assert!(text.ends_with("skipped: too large (already stored)\n"), "{text}");
    }

    /// On a terminal that is not there.
    fn with_bar() -> Progress {
        let progress = Progress::new(&[1024], Style::Bar, Time::Kernels);
        progress.bar.set_draw_target(indicatif::ProgressDrawTarget::hidden());
        progress
    }

    #[test]
    fn a_bar_shows_the_part_done() {
        let mut progress = with_bar();
        progress.follow(&START);
        assert_eq!(progress.follow(&finished(record(1024), false)), "", "no line for a fine case");
        assert_eq!(progress.bar.length(), Some(2 * progress.bar.position()));
        assert_eq!(progress.bar.prefix(), "1/2 · 1 verified");
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
                cuda: None,
            },
        };
        let mut progress = with_bar();
        let mut text = String::new();
        for worker in 0..2 {
            let ready = Event::Ready { worker, of: 3, device: device.clone() };
            text.push_str(&progress.follow(&ready));
        }
        assert!(text.contains("worker 2 of 3: times measured on NVIDIA H200 (cuda)"), "{text}");
        assert!(progress.bar.prefix().ends_with("2 of 3 workers"));
        let lost = Event::Lost { worker: 0, of: 3, reason: "`ssh a` died".to_owned() };
        let text = progress.follow(&lost);
        assert!(text.contains("worker 1 of 3 is lost") && text.contains("`ssh a` died"), "{text}");
        assert!(progress.bar.prefix().ends_with("1 of 3 workers"));
    }

    #[test]
    fn stored_cases_do_not_count_as_fast_ones() {
        let mut progress = with_bar();
        progress.follow(&Event::Planned { cases: 3, stored: 1, skipped: 0 });
        progress.follow(&finished(record(1024), true));
        assert_eq!(progress.bar.position(), 0, "no time left is shown");
        progress.follow(&finished(record(1024), false));
        assert_eq!(progress.bar.length(), Some(2 * progress.bar.position()), "one of two");
    }

    #[test]
    fn wrong_results_are_told_in_every_style() {
        for style in [Style::Lines, Style::Bar, Style::Quiet] {
            let mut progress = Progress { style, ..with_bar() };
            progress.follow(&START);
            let text = progress.follow(&finished(wrong(), false));
            assert!(text.contains("WRONG: output[3] is 4"), "{text}");
            assert_eq!(progress.counts.wrong, 1);
        }
    }
}
