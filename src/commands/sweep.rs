//! `warpscope sweep`: every combination, stored case by case.

use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use super::progress::{Counts, Progress};
use super::{Exit, axes, interrupt, plot, workers};
use crate::cli::sweep::Sweep;
use crate::results::store::Store;
use crate::runner::scheduler::{self, Control, Ending};
use crate::units::Seconds;

pub(super) fn run(sweep: &Sweep) -> anyhow::Result<Exit> {
    let experiment = axes::experiment(&sweep.axes)?;
    let store = Store::open(&sweep.output)?;
    if let Some(torn) = store.torn() {
        say(&format!(
            "line {} of {} was cut off while it was written; that case runs again",
            torn.line,
            sweep.output.display()
        ));
    }
    // The session opens it again, for itself alone.
    drop(store);

    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let options = workers::options(&sweep.axes.workers, Some(sweep.output.clone()))?;
    let started = Instant::now();
    let mut progress =
        Progress::new(&experiment.sizes.values(), style(sweep)).telling(plot::time(sweep.time));
    let tally = scheduler::run(&experiment, &options, &control, &mut |event| {
        let text = progress.on(&event, started.elapsed());
        let _ = io::stderr().write_all(text.as_bytes());
    });
    let _ = io::stderr().write_all(progress.end().as_bytes());
    drop(listener);

    let (tally, counts) = (tally?, progress.counts());
    if !sweep.quiet {
        say(&summary(counts, tally.ending, started.elapsed().as_secs_f64(), sweep));
    }
    Ok(match tally.ending {
        Ending::Cancelled => Exit::Interrupted,
        Ending::Complete if counts.wrong > 0 => Exit::Wrong,
        Ending::Complete => Exit::Fine,
    })
}

fn style(sweep: &Sweep) -> super::progress::Style {
    use super::progress::Style;
    if sweep.quiet {
        Style::Quiet
    } else if io::stderr().is_terminal() {
        // Some terminals say that they have no columns at all.
        let width = crossterm::terminal::size().map_or(0, |(width, _)| usize::from(width));
        Style::Bar { width: if width == 0 { 80 } else { width } }
    } else {
        Style::Lines
    }
}

fn summary(counts: Counts, ending: Ending, seconds: f64, sweep: &Sweep) -> String {
    let file = sweep.output.display();
    let Counts { done, cases, verified, unchecked, wrong, skipped, stored } = counts;
    let mut parts = vec![format!("{verified} verified")];
    for (count, word) in [(unchecked, "unchecked"), (skipped, "skipped"), (wrong, "WRONG")] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    if stored > 0 {
        parts.push(format!("{stored} were there already"));
    }
    let parts = parts.join(", ");
    match ending {
        Ending::Complete => format!(
            "{done} cases in {}: {parts}; stored in {file}\n\
             draw them with: warpscope plot {file} -o {}",
            Seconds(seconds),
            sweep.output.with_extension("png").display()
        ),
        Ending::Cancelled => format!(
            "interrupted after {done} of {cases} cases: {parts}; what was measured is stored in \
             {file}, and the same command continues it"
        ),
    }
}

/// One line on standard error, if anybody reads it.
fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
