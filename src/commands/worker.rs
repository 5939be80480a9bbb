//! `warpscope worker`: a backend on standard input and output.

use anyhow::Context;

use super::Exit;
use crate::cli::worker::Worker;
use crate::runner::worker::{self, Binding};

pub(super) fn run(worker: &Worker) -> anyhow::Result<Exit> {
    if let Some(threads) = worker.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .build_global()
            .context("cannot set the number of threads")?;
    }
    worker::serve_stdio(Binding { device: worker.device })?;
    Ok(Exit::Fine)
}
