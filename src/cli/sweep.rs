//! `warpscope sweep`: every combination of the axes, stored case by case.

mod progress;

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;

use super::axes::Axes;
use super::output::say;
use super::{Exit, filter, interrupt, own, workers};
use crate::figure::Time;
use crate::results::store::Store;
use crate::runner::scheduler::{self, Control, Ending};
use crate::units::Seconds;
use progress::{Counts, Progress, Style};

/// Run every combination of the axes.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "An existing file is continued: cases that it holds do not run again. Each case \
is stored when it ends, so an interrupted sweep loses nothing.

Examples:
  warpscope sweep histogram -o h.jsonl
  warpscope sweep histogram --block 32,128,1024 --coarsen 1,4,16 -n 2^10..2^28:x4 -o h.jsonl
  warpscope sweep histogram --bins 8,256 --set binning=range --backend emulator -o h.jsonl
  warpscope sweep my.cu --block 64,256 -o my.jsonl
  warpscope sweep my.cu --like histogram -o my.jsonl
  warpscope sweep --experiment class.json -o class.jsonl"
)]
pub struct Sweep {
    /// File to write or to continue
    #[arg(short, long, value_name = "FILE.jsonl")]
    pub output: PathBuf,
    /// Time shown in progress; the file stores both
    #[arg(long, value_enum, default_value = "kernels")]
    pub time: Time,
    /// Print only errors and wrong results
    #[arg(short, long)]
    pub quiet: bool,
    /// The cases.
    #[command(flatten)]
    pub axes: Axes,
}

pub(super) fn run(sweep: &Sweep) -> anyhow::Result<Exit> {
    let experiment = sweep.axes.experiment()?;
    let store = Store::open(&sweep.output)?;
    let mut told = filter::LeftOutLines::default();
    store.left_out().for_each(|line| told.say(&sweep.output, line));
    told.end();
    // The session opens it again, for itself alone.
    drop(store);

    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let checked = own::check(experiment, sweep.axes.no_check, &control)?;
    let Some(experiment) = checked.experiment else { return Ok(checked.exit) };
    let options = workers::options(&sweep.axes.workers, Some(sweep.output.clone()))?;
    let started = Instant::now();
    let style = Style::of(sweep.quiet);
    let mut progress = Progress::new(&experiment.sizes.values(), style, sweep.time);
    let tally = scheduler::run(&experiment, &options, &control, &mut |event| {
        progress.on(&event);
    });
    let unfinished = progress.unfinished();
    let counts = progress.end();
    drop(listener);

    let ending = tally?.ending;
    if !sweep.quiet {
        say(&summary(counts, ending, started.elapsed().as_secs_f64(), sweep));
        if let (Ending::Cancelled, Some(unfinished)) = (ending, unfinished) {
            say(&format!("not finished: {unfinished}"));
        }
    }
    Ok(match ending {
        Ending::Cancelled => Exit::Interrupted,
        Ending::Complete if counts.wrong + counts.failed > 0 => Exit::Wrong,
        Ending::Complete => checked.exit,
    })
}

fn summary(counts: Counts, ending: Ending, seconds: f64, sweep: &Sweep) -> String {
    let file = sweep.output.display();
    let Counts { done, cases, verified, unchecked, wrong, failed, skipped, stored } = counts;
    let mut parts = vec![format!("{verified} verified")];
    for (count, word) in [
        (unchecked, "unchecked"),
        (skipped, "skipped"),
        (wrong, "WRONG"),
        (failed, "FAILED"),
        (stored, "already stored"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let parts = parts.join(", ");
    match ending {
        Ending::Complete => format!(
            "{done} {} in {}: {parts}; stored in {file}\n\
             to draw them: warpscope plot {file} -o {}",
            if done == 1 { "case" } else { "cases" },
            Seconds(seconds),
            sweep.output.with_extension("png").display()
        ),
        Ending::Cancelled => format!(
            "interrupted after {done} of {cases} cases: {parts}; finished cases are stored in \
             {file}; the same command continues"
        ),
    }
}
