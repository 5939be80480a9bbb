//! `warpscope list`.

use clap::Args;

/// List algorithms.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope list
  warpscope list --json")]
pub struct List {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
