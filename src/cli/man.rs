//! `warpscope man`.

use clap::Args;

/// Print a manual page in roff.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope man | man -l -
  warpscope man sweep > warpscope-sweep.1")]
pub struct Man {
    /// The subcommand; the program itself unless given
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}
