//! `warpscope probe`.

use std::path::PathBuf;

use clap::Args;

/// Measure a GPU.
///
/// Runs small kernels that each isolate one thing a GPU does, some 400 of them in
/// about half a minute, and prints what follows: launch overhead, issue rates and latencies
/// of instructions, shared memory, barriers, caches, DRAM and atomics. With -o, the numbers
/// become a profile, for which the emulator predicts times on any machine.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope probe --list                        what is measured, and in which unit
  warpscope probe                               measure the first GPU
  warpscope probe --device 1 -o mine.toml       write a profile of the second
  warpscope run scan --backend emulator --gpu mine.toml")]
pub struct Probe {
    /// GPU to measure, as `warpscope devices` counts them
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub device: u32,
    /// Profile to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Name of the profile; the GPU's unless given
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Print what is measured, and measure nothing
    #[arg(long, conflicts_with_all = ["device", "output", "name"])]
    pub list: bool,
}
