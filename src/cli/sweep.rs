//! `warpscope sweep`: every combination, stored case by case.

mod progress;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::axes::Axes;
use super::{Exit, axes, interrupt, workers};
use crate::figure::Time;
use crate::results::store::Store;
use crate::runner::scheduler::{self, Control, Ending};
use crate::units::Seconds;
use progress::{Counts, Progress, Style};

/// Run every combination.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Lists give every combination. A file that exists is continued: cases that \
it already has are not run again. Every case is stored as it ends, so an interrupted sweep loses \
nothing.

Examples:
  warpscope sweep histogram -o h.jsonl
  warpscope sweep histogram --block 32,128,1024 --coarsen 1,4,16 -n 2^10..2^28:x4 -o h.jsonl
  warpscope sweep histogram --bins 8,256 --set binning=range --backend emulator -o h.jsonl
  warpscope sweep --experiment class.json -o class.jsonl"
)]
pub struct Sweep {
    /// The cases.
    #[command(flatten)]
    pub axes: Axes,
    /// File to append to; made if it does not exist
    #[arg(short, long, value_name = "FILE.jsonl")]
    pub output: PathBuf,
    /// Which time the progress tells; stored are both
    #[arg(long, value_enum, default_value = "kernels")]
    pub time: Time,
    /// Print nothing but errors and wrong results
    #[arg(short, long)]
    pub quiet: bool,
}

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
    let mut progress = Progress::new(&experiment.sizes.values(), style(sweep)).telling(sweep.time);
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

fn style(sweep: &Sweep) -> Style {
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
