//! `warpscope show`.

use std::path::PathBuf;

use clap::Args;

use super::filter::Filter;

/// Show stored results.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope show h.jsonl
  warpscope show laptop.jsonl h200.jsonl --bins 256")]
pub struct Show {
    /// Files that `warpscope sweep` wrote
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Which cases to show.
    #[command(flatten)]
    pub filter: Filter,
}
