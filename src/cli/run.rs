//! `warpscope run`.

use clap::Args;

use super::axes::Axes;

/// Run one case.
#[derive(Debug, Clone, Args)]
#[command(after_help = "One value of each axis. Unless given: the first variant, and the block \
size, coarsening and largest size that `warpscope list` names for the algorithm.

Examples:
  warpscope run histogram --variant shared -n 2^24
  warpscope run histogram --variant global -n 1M --bins 256 --dist zipf:1.2
  warpscope run histogram --variant shared --gpu \"GTX 1070\" --json
  warpscope run reduce --variant sequential+final=cpu --set dtype=f32
  warpscope run histogram --variant global,shared --explain
  warpscope run matmul --variant tiled --block 64,256 --explain
  warpscope run radix-partition -n 2^16 --kernels")]
pub struct Run {
    /// The case.
    #[command(flatten)]
    pub axes: Axes,
    /// Print one line of JSON: the record as `sweep` stores it, and as `view`
    /// what is shown of the output
    #[arg(long)]
    pub json: bool,
    /// Say what holds the case back; or, where one axis has two values, why one
    /// of the two cases is the faster one. Needs the emulator's counters
    #[arg(long)]
    pub explain: bool,
    /// Take the case apart on the emulator, whatever the backend: each kernel's
    /// occupancy, counters and place under the roofline, what is bad about them in
    /// words, and the source lines that do most
    #[arg(long, conflicts_with = "explain")]
    pub kernels: bool,
}
