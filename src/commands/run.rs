//! `warpscope run`: one case, told in full.

use std::io::Write;

use anyhow::{Context, bail};
use serde::Serialize;

use super::{Exit, axes, describe, interrupt};
use crate::algorithms;
use crate::cli::run::Run;
use crate::experiment::{Experiment, Sizes};
use crate::measurement::{Outcome, Record, View};
use crate::session::{self, Control, Ending, Event, Options};

/// A record as stored, and the view of its output beside its fields.
#[derive(Debug, Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    record: &'a Record,
    view: Option<&'a View>,
}

pub(super) fn run(run: &Run, out: &mut impl Write) -> anyhow::Result<Exit> {
    let experiment = one_case(run)?;
    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let mut result = None;
    let tally = session::run(&experiment, &Options::default(), &control, &mut |event| {
        if let Event::Finished { record, view, .. } = event {
            result = Some((record, view));
        }
    })?;
    drop(listener);
    let (record, view) = match (result, tally.ending) {
        (Some(result), _) => result,
        (None, Ending::Cancelled) => return Ok(Exit::Interrupted),
        (None, Ending::Complete) => bail!("the case gave no result"),
    };
    if run.json {
        let told = Told { record: &record, view: view.as_ref() };
        serde_json::to_writer(&mut *out, &told)?;
        writeln!(out)?;
    } else {
        out.write_all(describe::describe(&record, view.as_ref()).as_bytes())?;
    }
    Ok(if record.outcome() == Outcome::Wrong { Exit::Wrong } else { Exit::Fine })
}

/// The experiment, if it is a single case.
fn one_case(run: &Run) -> anyhow::Result<Experiment> {
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
    for (name, values) in axes.into_iter().chain(params) {
        if values > 1 {
            bail!("{name} has {values} values; `run` does one case, `sweep` does all of them");
        }
    }
    Ok(experiment)
}
