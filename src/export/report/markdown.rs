//! A Markdown table for reading: what all cases share stands above it, what
//! differs in its columns, the command that makes the numbers again below.

use super::{Column, case_columns, groups, ladder, outcome, param_names, reason};
use crate::figure;
use crate::figure::ladder::Ladder;
use crate::results::record::Record;
use crate::units::{BytesPerSecond, Elements, Seconds, significant};

/// The table with a heading.
pub fn render(records: &[Record]) -> String {
    let Some(first) = records.first() else {
        return "No cases.\n".to_owned();
    };
    let (columns, shared) = columns(records, first);

    let mut text = String::from("# Results\n\n");
    let facts = shared.iter().map(|(name, cell)| format!("{name} {}", cell(first)));
    text.push_str(&facts.collect::<Vec<_>>().join(", ").replace('<', "&lt;"));
    text.push_str(".\nBandwidth is the bytes that the algorithm has to move, over the median.\n\n");
    row(&mut text, columns.iter().map(|(name, _)| (*name).to_owned()));
    row(
        &mut text,
        columns.iter().map(|(name, _)| if numeric(name) { "--:" } else { "---" }.to_owned()),
    );
    for record in records {
        row(&mut text, columns.iter().map(|(_, cell)| cell(record)));
    }
    for group in groups::of(records).0 {
        if let Some(ladder) = ladder::of(&group.records, group.time) {
            let what = ladder.title.split_once(": ").map_or(&*ladder.title, |(_, what)| what);
            text.push_str(&format!("\n## {}: {}\n\n", inert(&group.heading), inert(what)));
            rungs(&mut text, &ladder);
        }
    }
    text.push_str("\n```\n");
    text.push_str(&figure::command_for(records));
    text.push_str("\n```\n");
    crate::units::text::lines(&text).into_owned()
}

/// The ladder as a table, with what its scale is.
fn rungs(text: &mut String, ladder: &Ladder) {
    row(text, ladder::columns().map(|(name, _)| name.to_owned()));
    let marks = ladder::columns().map(|(_, number)| if number { "--:" } else { "---" }.to_owned());
    row(text, marks);
    for cells in ladder::rows(ladder) {
        row(text, cells.into_iter());
    }
    let facts = [&ladder.subtitle, &ladder.caption, &ladder::scale(ladder)].map(|it| inert(it));
    text.push_str(&format!("\n{}. {}. {}\n", facts[0], facts[1], facts[2]));
}

/// Text in which no tag is obeyed.
fn inert(text: &str) -> String {
    text.replace('<', "&lt;")
}

/// Whether a column holds numbers.
pub(super) fn numeric(name: &str) -> bool {
    !matches!(name, "algorithm" | "variant" | "input" | "result" | "provenance")
}

/// The columns of a table of `records`, and those in which all agree with `first`.
pub(super) fn columns<'a>(
    records: &'a [Record],
    first: &'a Record,
) -> (Vec<Column<'a>>, Vec<Column<'a>>) {
    let (mut columns, shared): (Vec<Column>, Vec<Column>) = case_columns(param_names(records))
        .into_iter()
        .partition(|(_, cell)| records.iter().any(|record| cell(record) != cell(first)));
    let results: [Column; 6] = [
        ("n", Box::new(|record| Elements(record.n).to_string())),
        ("median", Box::new(median)),
        ("interquartile range", Box::new(spread)),
        ("bandwidth", Box::new(bandwidth)),
        ("result", Box::new(result)),
        ("provenance", Box::new(Record::provenance_label)),
    ];
    columns.extend(results);
    (columns, shared)
}

pub(super) fn row(text: &mut String, cells: impl Iterator<Item = String>) {
    text.push('|');
    for cell in cells {
        // A bar or a line end would end the cell, and a tag is obeyed.
        let cell = cell.replace('|', "\\|").replace(['\n', '\r'], " ").replace('<', "&lt;");
        text.extend([" ", &cell, " |"]);
    }
    text.push('\n');
}

fn median(record: &Record) -> String {
    record.median().map_or_else(|| "–".to_owned(), |time| Seconds(time).to_string())
}

/// `−1.2 % +3.4 %`: the quartiles, seen from the median.
fn spread(record: &Record) -> String {
    let quartiles = record.seconds.as_ref().filter(|seconds| seconds.median > 0.0);
    let spread = quartiles.and_then(|seconds| {
        let percent = |value: f64| significant(100.0 * (value / seconds.median - 1.0).abs());
        Some(format!("−{} % +{} %", percent(seconds.q1?), percent(seconds.q3?)))
    });
    spread.unwrap_or_else(|| "–".to_owned())
}

fn bandwidth(record: &Record) -> String {
    let rate = record.per_second(record.bytes);
    rate.map_or_else(|| "–".to_owned(), |rate| BytesPerSecond(rate).to_string())
}

fn result(record: &Record) -> String {
    match reason(record) {
        reason if reason.is_empty() => outcome(record).to_owned(),
        reason => format!("{}: {reason}", outcome(record)),
    }
}
