//! `warpscope export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::filter::Filter;

/// Write stored results in another format.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope export h.jsonl --format csv -o h.csv
  warpscope export h.jsonl --format markdown --variant shared
  warpscope export mine.jsonl yours.jsonl --format html -o report.html
  warpscope export a.jsonl b.jsonl --format json | jq '.[].seconds.median'")]
pub struct Export {
    /// Files that `warpscope sweep` wrote; the same case in a later file counts
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Format to write
    #[arg(long, value_enum)]
    pub format: Format,
    /// File to write; standard output unless given
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which cases to write.
    #[command(flatten)]
    pub filter: Filter,
}

/// Export formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Comma-separated values, one row per case
    Csv,
    /// An array of records
    Json,
    /// A table for reading
    Markdown,
    /// A report for a browser: charts, tables and method in one file
    Html,
}
