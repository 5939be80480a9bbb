//! `run --trace`: one block of a case, step by step.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};

use super::Run;
use crate::cli::Exit;
use crate::cli::launched::Watch;
use crate::cli::trace::{self, BlockWarp};
use crate::experiment::{BackendChoice, Experiment};
use crate::export::image;
use crate::runner::plan;
use crate::runner::trace::{LaunchChoice, Request, Traced, launches, record_of};
use crate::tui::screens::step::recorded::Recorded;
use crate::tui::screens::step::state::{Text, Wanted};

/// Records a block of the only case of `experiment` and prints the steps of a warp.
pub(super) fn run(
    run: &Run,
    wanted: BlockWarp,
    experiment: &Experiment,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    if let Some(path) = &run.output {
        image::Format::of(path)?;
    }
    if experiment.target.backend == BackendChoice::Cuda {
        bail!("--trace runs on the emulator: leave out --backend cuda");
    }
    let case = super::profile::only(experiment)?;
    let algorithm = plan::algorithm(&case.algorithm)?;
    if let Some(reason) = algorithm.obstacle(&case) {
        bail!("{case}: {reason}");
    }
    let (all, main) = launches(&algorithm.work(&case));
    let launch = match &run.launch {
        Some(name) => find(&all, name)?,
        None => main,
    };
    let Some(LaunchChoice { grid, block, .. }) = all.get(launch) else {
        bail!("{case} launches no kernel");
    };
    let block = wanted.find(*grid, *block)?;
    let (watch, listener) = Watch::start(grid.count())?;
    let gpu = experiment.target.gpu.clone();
    let request = Request { case, gpu, launch: Some(launch), block };
    let traced = record_of(algorithm, &request, &watch.shared(), &Arc::default());
    drop(watch);
    let exit = match &run.output {
        Some(path) => draw(run, path, wanted.warp, request, traced?),
        None => trace::print(&run.traced, wanted.warp, &mut traced?.trace, run.json, out),
    };
    drop(listener);
    exit
}

/// Draws the first of the steps that are asked for.
fn draw(
    run: &Run,
    path: &Path,
    warp: usize,
    request: Request,
    traced: Traced,
) -> anyhow::Result<Exit> {
    let (recorded, at) = (Recorded::new(traced), run.traced.first());
    let step = match recorded.nth(warp, at) {
        Ok(step) => step,
        Err(known) => bail!(trace::no_steps(at, at + 1, known)),
    };
    let shown = recorded.show(step, &[]).context("the step cannot be shown")?;
    let Request { case, gpu, launch, block } = request;
    let wanted = Wanted { case, gpu, launch, block };
    let picture = recorded.picture(&wanted, &shown, Text::Source).into();
    image::write(&picture, run.size, run.style, path)?;
    Ok(trace::exit(&recorded.ending))
}

/// The launch with this number, or the first of this phase or kernel.
fn find(all: &[LaunchChoice], name: &str) -> anyhow::Result<usize> {
    let by_number = name.parse().ok().filter(|&number: &usize| number < all.len());
    let by_name = || all.iter().position(|it| it.phase == name || it.kernel == name);
    if let Some(found) = by_number.or_else(by_name) {
        return Ok(found);
    }
    let known: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(number, launch)| format!("{number} ({}: {})", launch.phase, launch.kernel))
        .collect();
    bail!("--launch {name}: the launches of this case are {}", known.join(", "))
}
