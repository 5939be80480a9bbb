//! Comma-separated values: one row per case, one column per quantity, in base units and
//! full precision. A quantity that a case lacks is an empty field.

use std::io::Write;

use rayon::prelude::*;

use super::{ReportError, flags, outcome, param_names, reason, value};
use crate::results::record::{Record, Summary};
use crate::units::text::lines;

/// A column: its heading, and the cell of a record.
type Column = (&'static str, fn(&Record) -> String);

/// The columns before those of the parameters.
const CASE: &[Column] = &[
    ("algorithm", |it| it.algorithm.to_string()),
    ("variant", |it| it.variant.to_string()),
    ("block", |it| it.block.to_string()),
    ("coarsen", |it| it.coarsen.to_string()),
    ("n", |it| it.n.to_string()),
];

/// The columns after those of the parameters.
const RESULT: &[Column] = &[
    ("dist", |it| it.dist.to_string()),
    ("seed", |it| it.seed.to_string()),
    ("backend", |it| it.backend.to_string()),
    ("provenance", |it| it.provenance.to_string()),
    ("device", |it| it.device.name.clone()),
    ("driver", |it| text(it.device.driver.as_ref())),
    ("flags", |it| flags(it, " ")),
    ("median_seconds", |it| text(it.median())),
    ("q1_seconds", |it| text(it.seconds.as_ref().and_then(|seconds| seconds.q1))),
    ("q3_seconds", |it| text(it.seconds.as_ref().and_then(|seconds| seconds.q3))),
    ("samples", |it| text(it.seconds.as_ref().map(Summary::count))),
    ("outliers_low", |it| text(it.outliers.as_ref().map(|outliers| outliers.low))),
    ("outliers_high", |it| text(it.outliers.as_ref().map(|outliers| outliers.high))),
    ("outliers_far", |it| text(it.outliers.as_ref().map(|outliers| outliers.far))),
    ("stop_reason", |it| text(it.stop_reason)),
    ("discards", |it| text(it.seconds.as_ref().map(|_| it.discards))),
    ("clock_mhz", |it| text(it.clock.as_ref().map(|clock| clock.median))),
    ("first_launch_seconds", |it| text(it.first_launch)),
    ("bytes", |it| it.bytes.to_string()),
    ("flops", |it| it.flops.to_string()),
    ("bytes_per_second", |it| text(it.per_second(it.bytes))),
    ("elements_per_second", |it| text(it.per_second(it.n))),
    ("share_of_copy", |it| text(it.share_of_copy())),
    ("end_to_end_seconds", |it| text(it.end_to_end())),
    ("outcome", |it| outcome(it).to_owned()),
    ("reason", reason),
    ("occupancy", |it| text(it.model.as_ref().map(|model| model.occupancy))),
    ("bound_by", |it| text(it.model.as_ref().map(|model| model.bound_by.as_str()))),
    ("ptx", |it| it.ptx.to_string()),
    ("time", |it| it.time.to_string()),
    ("program", |it| it.program.to_string()),
];

fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Rows that are made at a time, on all cores.
const BATCH: usize = 1 << 16;

/// Rows that one core makes at a time.
const PIECE: usize = 1 << 10;

/// Writes the table with a header row. Each parameter has a column.
pub fn write(records: &[Record], out: &mut dyn Write) -> Result<(), ReportError> {
    let params = param_names(records);
    let names = |columns: &'static [Column]| columns.iter().map(|(name, _)| *name);
    let header: Vec<&str> =
        names(CASE).chain(params.iter().copied()).chain(names(RESULT)).collect();
    let row = |record: &Record| -> Vec<String> {
        let cells = |columns: &'static [Column]| columns.iter().map(|(_, cell)| cell(record));
        let values = params.iter().map(|name| value(record, name));
        cells(CASE).chain(values).chain(cells(RESULT)).collect()
    };
    out.write_all(&rows(std::iter::once(header))?)?;
    for batch in records.chunks(BATCH) {
        let pieces = batch.par_chunks(PIECE).map(|piece| rows(piece.iter().map(row)));
        for piece in pieces.collect::<Result<Vec<_>, _>>()? {
            out.write_all(&piece)?;
        }
    }
    Ok(())
}

/// A cell without control characters that no spreadsheet takes for a formula: one that begins
/// as a formula does gets an apostrophe before it.
fn harmless(cell: &str) -> String {
    let cell = lines(cell);
    let formula = cell.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let quote = if formula && cell.parse::<f64>().is_err() { "'" } else { "" };
    format!("{quote}{cell}")
}

/// A table as text.
pub(super) fn table(
    header: &[&str],
    body: impl Iterator<Item = Vec<String>>,
) -> Result<String, ReportError> {
    let mut bytes = rows(std::iter::once(header))?;
    bytes.extend(rows(body)?);
    String::from_utf8(bytes).map_err(|error| ReportError::Failed(error.to_string()))
}

fn rows<R>(rows: impl Iterator<Item = R>) -> Result<Vec<u8>, ReportError>
where
    R: IntoIterator<Item: AsRef<str>>,
{
    let mut table = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for row in rows {
        let cells = row.into_iter().map(|cell| harmless(cell.as_ref()));
        table.write_record(cells).map_err(|error| ReportError::Failed(error.to_string()))?;
    }
    table.into_inner().map_err(|error| ReportError::Failed(error.to_string()))
}
