//! `exec --trace`: one block of the launch, step by step.

use std::io::Write;

use super::{Exec, buffers, dim};
use crate::cli::Exit;
use crate::cli::launched::Watch;
use crate::cli::trace::{self, BlockWarp};
use crate::emulator::trace::{RecordError, Setup, record};
use crate::emulator::{Module, Options};
use crate::own::signature::parameters;

/// Records the block and prints the steps of the warp.
pub(super) fn run(
    exec: &Exec,
    wanted: BlockWarp,
    (text, path, kernel): (&str, &str, &str),
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let (grid, threads) = (dim(exec.grid), dim(exec.block));
    let block = wanted.find(grid, threads)?;
    let module = Module::load_file(text, path)?;
    let placed = buffers::place(exec)?;
    let (watch, listener) = Watch::start(grid.count())?;
    let setup = Setup {
        grid,
        block: threads,
        shared_bytes: exec.shared,
        args: placed.words,
        cluster: exec.cluster.map(dim),
        budget: exec.budget.unwrap_or(Options::default().budget),
        threads: exec.threads.map_or(0, usize::from),
        progress: Some(watch.shared()),
        stop: None,
    };
    let recorded = record(&module, kernel, setup, placed.memory, block);
    drop(watch);
    let mut trace = match recorded {
        Ok(trace) => trace,
        Err(RecordError::Load(error)) => return Err(super::way_out(error)),
        Err(RecordError::Before(trap)) => {
            writeln!(out, "a block before block {block} trapped: {trap}")?;
            return Ok(Exit::Trapped);
        }
        Err(error) => return Err(error.into()),
    };
    // Of PTX there is no source, and none of these names.
    let source = std::fs::read_to_string(&exec.file).unwrap_or_default();
    trace.name_parameters(&parameters(&source, kernel));
    let exit = trace::print(&exec.traced, wanted.warp, &mut trace, exec.json, out);
    drop(listener);
    exit
}
