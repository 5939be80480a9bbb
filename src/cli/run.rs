//! `warpscope run`: one case in full.

mod explain;
mod profile;
mod text;
mod traced;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::axes::Axes;
use super::launched::Line;
use super::output::say;
use super::trace::TraceOptions;
use super::{Exit, interrupt, own, workers};
use crate::algorithms;
use crate::experiment::{Experiment, Sizes};
use crate::export::image;
use crate::results::record::{Outcome, Record};
use crate::runner::scheduler::{self, Control, Ending, Event};
use crate::work::View;

/// Run one case.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Each axis has one value. Defaults: the first variant (of a file: its first \
kernel), and block size, coarsening and the largest size from `warpscope list`.

Examples:
  warpscope run histogram --variant shared -n 2^24
  warpscope run histogram --variant global -n 1M --bins 256 --dist zipf:1.2
  warpscope run histogram --variant shared --gpu \"GTX 1070\" --json
  warpscope run reduce --variant sequential+final=cpu --set dtype=f32
  warpscope run histogram --variant global,shared --explain
  warpscope run matmul --variant tiled --block 64,256 --explain
  warpscope run radix-partition -n 2^16 --kernels
  warpscope run reduce --variant sequential+final=cpu -n 4096 --trace 0:1
  warpscope run reduce --variant naive -n 4096 --trace 0:1 --steps 40.. -o step.png
  warpscope run my.cu --like histogram --variant mine -n 2^20"
)]
pub struct Run {
    /// Print one line of JSON: the stored record, and the output view as `view`
    #[arg(long)]
    pub json: bool,
    /// Explain what limits the case, or, with two values on one axis, why one case
    /// is faster. Needs emulator counters
    #[arg(long)]
    pub explain: bool,
    /// Profile each kernel on the emulator: occupancy, counters, roofline, problems,
    /// and the source lines with the most work
    #[arg(long, conflicts_with = "explain")]
    pub kernels: bool,
    /// The trace.
    #[command(flatten)]
    pub traced: TraceOptions,
    /// Launch to trace: its number from 0, its phase or its kernel [default: the one with
    /// the most threads]
    #[arg(long, value_name = "LAUNCH", requires = "trace")]
    pub launch: Option<String>,
    /// Draw the first of the steps as a picture, .png or .svg, instead of listing them
    #[arg(short, long, value_name = "P.png|P.svg", requires = "trace", conflicts_with = "json")]
    pub output: Option<PathBuf>,
    /// Width and height of the picture, as for `warpscope plot`
    #[arg(long, value_name = "WxH|NAME", default_value = "1600x1000", requires = "output")]
    pub size: image::Size,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light", requires = "output")]
    pub style: image::Style,
    /// The case.
    #[command(flatten)]
    pub axes: Axes,
}

/// A record as stored, and the view of its output beside its fields.
#[derive(Debug, Serialize)]
struct WithView<'a> {
    #[serde(flatten)]
    record: &'a Record,
    view: Option<&'a View>,
}

pub(super) fn run(run: &Run, out: &mut impl Write) -> anyhow::Result<Exit> {
    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let checked = own::check(few_cases(run)?, run.axes.no_check, &control)?;
    let Some(experiment) = checked.experiment else { return Ok(checked.exit) };
    if let Some(wanted) = run.traced.trace {
        drop(listener);
        return traced::run(run, wanted, &experiment, out);
    }
    if run.kernels {
        drop(listener);
        return profile::run(&experiment, run.json, out);
    }
    let options = workers::options(&run.axes.workers, None)?;
    if run.explain && options.workers.len() > 1 {
        bail!("`run --explain` compares two cases on one device: use one worker");
    }
    let (mut records, mut view) = (Vec::new(), None);
    let mut line = Line::new();
    let tally = scheduler::run(&experiment, &options, &control, &mut |event| match event {
        Event::Finished { record, view: seen, .. } => {
            records.push(record);
            view = seen;
        }
        Event::Progress(done) => line.show(&done),
        _ => {}
    })?;
    let interrupted = line.end();
    let Some(record) = records.first() else {
        match tally.ending {
            Ending::Cancelled => {
                say(&interrupted);
                return Ok(Exit::Interrupted);
            }
            Ending::Complete => bail!("the case has no result"),
        }
    };
    if run.explain {
        explain::print(&records, &experiment, &control, run.json, out)?;
    } else if run.json {
        serde_json::to_writer(&mut *out, &WithView { record, view: view.as_ref() })?;
        writeln!(out)?;
    } else {
        out.write_all(text::record(record, view.as_ref()).as_bytes())?;
    }
    drop(listener);
    let wrong =
        records.iter().any(|record| matches!(record.outcome(), Outcome::Wrong | Outcome::Failed));
    Ok(if wrong { Exit::Wrong } else { checked.exit })
}

/// The experiment, if it is one case, or two to explain.
fn few_cases(run: &Run) -> anyhow::Result<Experiment> {
    let mut experiment = run.axes.experiment()?;
    let algorithm = algorithms::find(&experiment.algorithm).context("no such algorithm")?;
    if experiment.variants.is_empty() {
        // The first kernel of a user's file, else the first variant.
        let names = || algorithm.variants().iter().map(|variant| variant.name);
        let own = names().find(|name| own::is_own(algorithm.name(), name));
        experiment.variants = own.or(names().next()).map(str::to_owned).into_iter().collect();
    }
    if run.axes.values.n.is_none() && run.axes.experiment.is_none() {
        let largest = experiment.sizes.values().last().copied().unwrap_or_default();
        experiment.sizes = Sizes::range(largest, largest, 2);
    }
    let axes = [
        ("--variant", experiment.variants.len()),
        ("--block", experiment.blocks.len()),
        ("--coarsen", experiment.coarsenings.len()),
        ("-n", experiment.sizes.values().len()),
    ];
    let params = experiment.params.iter().map(|(name, values)| (name.as_str(), values.len()));
    let mut pairs = 0;
    for (name, values) in axes.into_iter().chain(params) {
        pairs += usize::from(values == 2);
        if run.explain && (values > 2 || pairs > 1) {
            bail!(
                "{name} has {values} values: `run --explain` compares two cases that differ in one \
                 axis; use `sweep` for all combinations"
            );
        }
        if !run.explain && values > 1 {
            let pair = if values == 2 { "add --explain to compare the two, or " } else { "" };
            bail!("{name} has {values} values: `run` does one case; {pair}use `sweep` for all");
        }
    }
    Ok(experiment)
}
