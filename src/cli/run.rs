//! `warpscope run`: one case, told in full.

mod describe;
mod kernels;

use std::io::Write;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::axes::Axes;
use super::{Exit, axes, interrupt, workers};
use crate::algorithms;
use crate::analysis::explain::{self, Explanation};
use crate::experiment::{Experiment, Sizes};
use crate::results::record::{Outcome, Record};
use crate::runner::scheduler::{self, Control, Ending, Event};
use crate::work::View;

/// Run one case.
#[derive(Debug, Clone, Args)]
#[command(after_help = "One value of each axis. Unless given: the first variant, and the block \
size, coarsening and largest size that `warpscope list` names for the algorithm.

Examples:
  warpscope run histogram --variant shared -n 2^24
  warpscope run histogram --variant global -n 1M --bins 256 --dist zipf:1.2
  warpscope run histogram --variant shared --gpu \"GTX 1070\" --json
  warpscope run reduce --variant sequential+final=cpu --set dtype=f32
  warpscope run histogram --variant global,shared --explain
  warpscope run matmul --variant tiled --block 64,256 --explain
  warpscope run radix-partition -n 2^16 --kernels")]
pub struct Run {
    /// The case.
    #[command(flatten)]
    pub axes: Axes,
    /// Print one line of JSON: the record as `sweep` stores it, and as `view`
    /// what is shown of the output
    #[arg(long)]
    pub json: bool,
    /// Say what holds the case back; or, where one axis has two values, why one
    /// of the two cases is the faster one. Needs the emulator's counters
    #[arg(long)]
    pub explain: bool,
    /// Take the case apart on the emulator, whatever the backend: each kernel's
    /// occupancy, counters and place under the roofline, what is bad about them in
    /// words, and the source lines that do most
    #[arg(long, conflicts_with = "explain")]
    pub kernels: bool,
}

/// A record as stored, and the view of its output beside its fields.
#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    record: &'a Record,
    view: Option<&'a View>,
}

/// Two cases and why one is the faster one.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    records: &'a [Box<Record>],
    explanation: Option<Explanation>,
    /// Why there is no explanation.
    silence: Option<String>,
}

pub(super) fn run(run: &Run, out: &mut impl Write) -> anyhow::Result<Exit> {
    let experiment = few_cases(run)?;
    if run.kernels {
        return kernels::run(&experiment, run.json, out);
    }
    let options = workers::options(&run.axes.workers, None)?;
    if run.explain && options.workers.len() > 1 {
        bail!("`run --explain` compares two cases on one device; name one worker");
    }
    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let (mut records, mut view) = (Vec::new(), None);
    let tally = scheduler::run(&experiment, &options, &control, &mut |event| {
        if let Event::Finished { record, view: seen, .. } = event {
            records.push(record);
            view = seen;
        }
    })?;
    drop(listener);
    let Some(record) = records.first() else {
        match tally.ending {
            Ending::Cancelled => return Ok(Exit::Interrupted),
            Ending::Complete => bail!("the case gave no result"),
        }
    };
    if run.explain {
        tell_why(&records, run.json, out)?;
    } else if run.json {
        let told = Told { record, view: view.as_ref() };
        serde_json::to_writer(&mut *out, &told)?;
        writeln!(out)?;
    } else {
        out.write_all(describe::describe(record, view.as_ref()).as_bytes())?;
    }
    let wrong = records.iter().any(|record| record.outcome() == Outcome::Wrong);
    Ok(if wrong { Exit::Wrong } else { Exit::Fine })
}

/// Says what holds one case back, or why one of two is the faster one.
fn tell_why(records: &[Box<Record>], json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let explanation = match records {
        [only] => explain::one(only),
        [a, b, ..] => explain::difference(a, b),
        [] => return Ok(()),
    };
    if json {
        let (explanation, silence) = match explanation {
            Ok(explanation) => (Some(explanation), None),
            Err(silence) => (None, Some(silence.to_string())),
        };
        serde_json::to_writer(&mut *out, &Explained { records, explanation, silence })?;
        writeln!(out)?;
        return Ok(());
    }
    out.write_all(describe::why(records, explanation.as_ref()).as_bytes())?;
    Ok(())
}

/// The experiment, if it is a single case, or two to be explained.
fn few_cases(run: &Run) -> anyhow::Result<Experiment> {
    let mut experiment = axes::experiment(&run.axes)?;
    let algorithm = algorithms::find(&experiment.algorithm).context("no such algorithm")?;
    if experiment.variants.is_empty() {
        experiment.variants =
            algorithm.variants().iter().take(1).map(|variant| variant.name.to_owned()).collect();
    }
    if run.axes.n.is_none() && run.axes.experiment.is_none() {
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
                "`run --explain` compares two cases that differ in one axis, and {name} has \
                 {values} values; `sweep` does every combination"
            );
        }
        if !run.explain && values > 1 {
            bail!("{name} has {values} values; `run` does one case, `sweep` does all of them");
        }
    }
    Ok(experiment)
}
