//! `warpscope sweep`.

use std::path::PathBuf;

use clap::Args;

use super::axes::Axes;
use super::plot::Time;

/// Run every combination.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "Lists give every combination. A file that exists is continued: cases that \
it already has are not run again. Every case is stored as it ends, so an interrupted sweep loses \
nothing.

Examples:
  warpscope sweep histogram -o h.jsonl
  warpscope sweep histogram --block 32,128,1024 --coarsen 1,4,16 -n 2^10..2^28:x4 -o h.jsonl
  warpscope sweep histogram --bins 8,256 --set binning=range --backend emulator -o h.jsonl
  warpscope sweep --experiment class.json -o class.jsonl"
)]
pub struct Sweep {
    /// The cases.
    #[command(flatten)]
    pub axes: Axes,
    /// File to append to; made if it does not exist
    #[arg(short, long, value_name = "FILE.jsonl")]
    pub output: PathBuf,
    /// Which time the progress tells; stored are both
    #[arg(long, value_enum, default_value_t = Time::Kernels)]
    pub time: Time,
    /// Print nothing but errors and wrong results
    #[arg(short, long)]
    pub quiet: bool,
}
