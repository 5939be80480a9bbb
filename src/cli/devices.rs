//! `warpscope devices`.

use clap::Args;

/// List devices and profiles.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope devices
  warpscope run histogram --gpu \"RTX 4090\"     predict for a profile
  warpscope run histogram --device 1           measure on the second GPU")]
pub struct Devices {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}
