//! `warpscope worker`.

use clap::Args;

/// Serve a backend; started by the other commands.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Requests come in on standard input and replies go out on standard output, \
one JSON object per line.

Examples:
  ssh gpu01 warpscope worker"
)]
pub struct Worker {}
