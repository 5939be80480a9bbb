//! `warpscope worker`: a backend on standard input and output.

use std::num::NonZeroUsize;

use anyhow::Context;
use clap::Args;

use super::Exit;
use crate::runner::worker::{self, Binding};

/// Serve a backend; started by the other commands.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Requests come in on standard input and replies go out on standard output, \
one JSON object per line; it ends when its input closes. `run`, `sweep` and the terminal interface \
start one by themselves, and any number of others with --worker.

Examples:
  warpscope sweep histogram -o h.jsonl --worker \"ssh gpu01 warpscope worker\"
  warpscope sweep histogram -o h.jsonl --worker \"ssh gpu01 warpscope worker --device 1\"
  warpscope sweep histogram -o h.jsonl --worker \"srun --gres=gpu:1 warpscope worker\""
)]
pub struct Worker {
    /// Number of the CUDA device that it serves, whatever it is asked for
    #[arg(long, value_name = "N")]
    pub device: Option<u32>,
    /// CPU threads that the emulator and the references take [default: all]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<NonZeroUsize>,
}

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
