//! `run --trace`: one block of a case, step by step.

use std::io::Write;
use std::sync::Arc;

use anyhow::bail;

use super::Run;
use crate::cli::Exit;
use crate::cli::launched::Watch;
use crate::cli::trace::{self, BlockWarp};
use crate::experiment::{BackendChoice, Experiment};
use crate::runner::plan;
use crate::runner::trace::{LaunchChoice, Request, launches, record_of};

/// Records a block of the only case of `experiment` and prints the steps of a warp.
pub(super) fn run(
    run: &Run,
    wanted: BlockWarp,
    experiment: &Experiment,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
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
    let exit = trace::print(&run.traced, wanted.warp, &mut traced?.trace, run.json, out);
    drop(listener);
    exit
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
