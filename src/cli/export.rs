//! `warpscope export`: stored results in another format.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Exit;
use super::filter::{self, Filter};
use super::output::deliver;
use crate::export::report;

/// Write stored results in another format.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope export h.jsonl --format csv -o h.csv
  warpscope export h.jsonl --format markdown --variant shared
  warpscope export mine.jsonl yours.jsonl --format html -o report.html
  warpscope export a.jsonl b.jsonl --format json | jq '.[].seconds.median'")]
pub struct Export {
    /// Files written by `warpscope sweep`; later files replace cases of earlier ones
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Format to write
    #[arg(long, value_enum)]
    pub format: Format,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Which cases to use.
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
    /// A Markdown table
    Markdown,
    /// A report for a browser: charts, tables and method in one file
    Html,
}

pub(super) fn run(export: &Export, out: &mut impl Write) -> anyhow::Result<Exit> {
    let records = filter::read(&export.files, &export.filter)?;
    let text = match export.format {
        Format::Csv => report::csv::render(&records)?,
        Format::Json => report::json::render(&records)?,
        Format::Markdown => report::markdown::render(&records),
        Format::Html => {
            let sources: Vec<String> =
                export.files.iter().map(|file| file.display().to_string()).collect();
            report::html::render(&records, &sources)?
        }
    };
    deliver(&text, export.output.as_deref(), out)?;
    Ok(Exit::Fine)
}
