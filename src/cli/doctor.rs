//! `warpscope doctor`.

use clap::Args;

/// Check this machine.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope doctor")]
pub struct Doctor {}
