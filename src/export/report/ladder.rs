//! The ladder of a report: each variant at its best, what it does that slower ones do not, and
//! what that brings.

use crate::figure::Time;
use crate::figure::ladder::{self, Ladder, Step};
use crate::results::record::Record;
use crate::units::{Seconds, significant};

/// A column: its heading, whether it holds numbers, and the cell of a rung.
type Column = (&'static str, bool, fn(&Ladder, &Step) -> String);

const COLUMNS: [Column; 7] = [
    ("variant", false, |_, step| step.rung.variant.clone()),
    ("idea", false, |_, step| step.rung.idea.clone()),
    ("block", true, |_, step| step.rung.block.to_string()),
    ("coarsening", true, |_, step| step.rung.coarsen.to_string()),
    ("time", true, |_, step| Seconds(step.rung.seconds).to_string()),
    ("factor", true, |_, step| {
        step.factor.map_or_else(|| "–".to_owned(), |factor| format!("{}×", significant(factor)))
    }),
    ("share of the scale", true, |ladder, step| ladder.share(step.rung.rate)),
];

/// The ladder of records of one system, where it has two rungs.
pub(super) fn of(records: &[Record], time: Time) -> Option<Ladder> {
    let all: Vec<&Record> = records.iter().collect();
    let ladder = Ladder::of(&ladder::select(&all, time)?, time)?;
    (ladder.rungs.len() > 1).then_some(ladder)
}

/// The headings of its table, and whether each column holds numbers.
pub(super) fn columns() -> impl Iterator<Item = (&'static str, bool)> {
    COLUMNS.into_iter().map(|(name, number, _)| (name, number))
}

/// Its table, the slowest variant first.
pub(super) fn rows(ladder: &Ladder) -> Vec<Vec<String>> {
    let steps = ladder.steps(usize::MAX);
    let row = |step: &Step| COLUMNS.iter().map(|(.., cell)| cell(ladder, step)).collect();
    steps.iter().map(row).collect()
}

/// What the scale is, and the other rates on it: `The scale ends at DRAM 4.64 TB/s.`
pub(super) fn scale(ladder: &Ladder) -> String {
    let mark = |mark: &ladder::Mark| format!(" {} is at {}.", mark.label, ladder.share(mark.rate));
    let marks: String = ladder.marks.iter().map(mark).collect();
    format!("The scale ({}) ends at {}.{marks}", ladder.x.label, ladder.end_label)
}
