//! `warpscope run`.

use clap::Args;

use super::axes::Axes;

/// Run one case.
#[derive(Debug, Clone, Args)]
#[command(after_help = "One value of each axis: the first variant, n = 2^20, block 128 and \
coarsening 4 unless given.

Examples:
  warpscope run histogram --variant shared -n 2^24
  warpscope run histogram --variant global -n 1M --bins 256 --dist zipf:1.2
  warpscope run histogram --variant shared --gpu \"GTX 1070\" --json")]
pub struct Run {
    /// The case.
    #[command(flatten)]
    pub axes: Axes,
    /// Print the record as one line of JSON, as `sweep` stores it
    #[arg(long)]
    pub json: bool,
}
