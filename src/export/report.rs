//! Records as tables for other programs and for reading: one format per file,
//! each a pure function from records to text. Every row says where its numbers
//! come from.

pub mod comparison;
pub mod csv;
pub mod html;
pub mod json;
pub mod markdown;

use crate::results::record::{Outcome, Record};

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the report: {0}")]
pub struct ReportError(String);

/// Names of all parameters that occur, in the order of columns.
fn param_names(records: &[Record]) -> Vec<&str> {
    let mut names: Vec<&str> =
        records.iter().flat_map(|record| record.params.keys().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The word for how a case ended.
fn outcome(record: &Record) -> &'static str {
    match record.outcome() {
        Outcome::Verified => "verified",
        Outcome::Unchecked => "unchecked",
        Outcome::Wrong => "WRONG",
        Outcome::Skipped => "skipped",
    }
}

/// Why a case has no time, in words; empty if it has one.
fn reason(record: &Record) -> String {
    match (&record.skip, &record.wrong) {
        (Some(skip), _) => skip.clone(),
        (None, Some(wrong)) if wrong.message.is_empty() => wrong.kind.clone(),
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
