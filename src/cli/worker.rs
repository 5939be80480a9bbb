//! `warpscope worker`: a backend on standard input and output.

use std::num::NonZeroUsize;

use anyhow::Context;
use clap::Args;

use super::Exit;
use crate::runner::worker::{self, Binding};

/// Serve a backend over standard input and output.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Reads requests from standard input and writes replies to standard output, one \
JSON object per line, until its input closes. `run`, `sweep` and the terminal interface start a \
local worker; --worker starts others.

Examples:
  warpscope sweep histogram -o h.jsonl --worker \"ssh gpu01 warpscope worker\"
  warpscope sweep histogram -o h.jsonl --worker \"ssh gpu01 warpscope worker --device 1\"
  warpscope sweep histogram -o h.jsonl --worker \"srun --gres=gpu:1 warpscope worker\""
)]
pub struct Worker {
    /// CUDA device to serve; overrides requests for another
    #[arg(long, value_name = "N")]
    pub device: Option<u32>,
    /// CPU threads for the emulator and the references [default: all]
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
