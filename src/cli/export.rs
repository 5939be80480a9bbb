//! `warpscope export`: stored results in another format.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::Exit;
use super::filter::{self, Filter};
use super::interrupt;
use super::output::{deliver, say, stream};
use crate::export::report;
use crate::export::report::html::Counted;
use crate::results::record::Record;
use crate::runner::scheduler::{self, Control};

/// Write stored results in another format.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope export h.jsonl --format csv -o h.csv
  warpscope export h.jsonl --format markdown --variant shared
  warpscope export mine.jsonl yours.jsonl --format html -o report.html
  warpscope export h200.jsonl --format html --no-counts -o quick.html
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
    /// Leave counters, remarks and explanations out of an HTML report: nothing is
    /// counted on the emulator
    #[arg(long)]
    pub no_counts: bool,
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
    /// A report for a browser in one file: charts, tables, counters, explanations
    Html,
}

pub(super) fn run(export: &Export, out: &mut impl Write) -> anyhow::Result<Exit> {
    let records = filter::read(&export.files, &export.filter)?;
    let file = export.output.as_deref();
    match export.format {
        Format::Csv => stream(file, out, |out| Ok(report::csv::write(&records, out)?))?,
        Format::Json => stream(file, out, |out| Ok(report::json::write(&records, out)?))?,
        Format::Markdown => deliver(&report::markdown::render(&records), file, out)?,
        Format::Html => {
            let sources: Vec<String> =
                export.files.iter().map(|file| file.display().to_string()).collect();
            let counted = if export.no_counts { Vec::new() } else { count(&records)? };
            deliver(&report::html::render(&records, &sources, &counted)?, file, out)?;
        }
    }
    Ok(Exit::Fine)
}

/// Counts the cases that the report explains. A case that cannot be counted is left out.
fn count(records: &[Record]) -> anyhow::Result<Vec<Counted>> {
    let control = Control::new();
    let listener = interrupt::cancels(&control)?;
    let mut counted = Vec::new();
    for record in report::html::to_count(records) {
        let case = record.case();
        say(&format!("counting on the emulator: {case}"));
        match scheduler::count(&record, &control) {
            Ok(Some(found)) => {
                let record = found.record;
                counted.extend(found.profile.map(|profile| Counted { record, profile }));
            }
            Ok(None) => bail!("interrupted; --no-counts writes the report without counters"),
            Err(error) => say(&format!("not counted: {case}: {error}")),
        }
    }
    drop(listener);
    Ok(counted)
}
