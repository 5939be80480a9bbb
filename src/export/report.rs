//! Records as tables: one format per file, each a pure function from records to text.
//! Every row states the provenance of its numbers.

pub mod comparison;
pub mod csv;
mod groups;
pub mod html;
pub mod json;
mod ladder;
pub mod markdown;

use std::collections::BTreeSet;
use std::io;

use crate::results::record::{Metric, Outcome, Record};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// It cannot be made.
    #[error("cannot write the report: {0}")]
    Failed(String),
    /// It has no place to go to.
    #[error("cannot write the report")]
    Write(#[from] io::Error),
}

/// Names of all parameters that occur, in the order of columns.
fn param_names<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<&'a str> {
    let names = records.into_iter().flat_map(|record| record.params.keys().map(String::as_str));
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A column: its heading, and the cell of a record.
type Column<'a> = (&'a str, Box<dyn Fn(&Record) -> String + 'a>);

/// The columns of a case, without its size.
fn case_columns(params: Vec<&str>) -> Vec<Column<'_>> {
    let mut columns: Vec<Column> = vec![
        ("algorithm", Box::new(|record| record.algorithm.to_string())),
        ("variant", Box::new(|record| record.variant.to_string())),
        ("block", Box::new(|record| record.block.to_string())),
        ("coarsening", Box::new(|record| record.coarsen.to_string())),
    ];
    for name in params {
        columns.push((name, Box::new(move |record| value(record, name))));
    }
    columns.push(("input", Box::new(|record| record.dist.to_string())));
    columns.push(("seed", Box::new(|record| record.seed.to_string())));
    columns
}

/// The value of a parameter; empty where the record does not have it.
fn value(record: &Record, param: &str) -> String {
    record.params.get(param).map(ToString::to_string).unwrap_or_default()
}

/// The word for how a case ended.
fn outcome(record: &Record) -> &'static str {
    match record.outcome() {
        Outcome::Verified => "verified",
        Outcome::Unchecked => "unchecked",
        Outcome::Wrong => "WRONG",
        Outcome::Failed => "FAILED",
        Outcome::Skipped => "skipped",
    }
}

/// Why a case has no time, in words; empty if it has one.
fn reason(record: &Record) -> String {
    match (&record.skip, &record.wrong) {
        (Some(skip), _) => skip.to_string(),
        (None, Some(wrong)) if wrong.message.is_empty() => wrong.kind.to_string(),
        (None, Some(wrong)) => format!("{}: {}", wrong.kind, wrong.message),
        (None, None) => String::new(),
    }
}

/// Flags by name, separated by `separator`.
fn flags(record: &Record, separator: &str) -> String {
    record.flags.iter().map(|flag| flag.name()).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests;
