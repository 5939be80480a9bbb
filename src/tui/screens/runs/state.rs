//! Stored runs: what the Runs screen lists, what is marked there, and what came
//! of a comparison.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::experiment::Experiment;
use crate::results::record::{Outcome, Provenance, Record};
use crate::results::store::files::Discarded;
use crate::tui::dialogs::state::TextLine;

/// The Runs screen.
#[derive(Debug, Clone, Default)]
pub struct Runs {
    /// Everything that is stored, newest first; recordings built in at the end.
    pub entries: Vec<Entry>,
    /// Folders that could not be read, and why.
    pub problems: Vec<String>,
    /// What can be brought back, what was discarded last at the end.
    pub discarded: Vec<Discarded>,
    /// The row that keys act on, among those shown.
    pub cursor: usize,
    /// The marked runs, at most two; the first is the baseline.
    pub marked: Vec<Source>,
    /// What narrows the list.
    pub find: TextLine,
    /// Whether it is being typed.
    pub finding: bool,
    /// Two runs held against each other.
    pub table: Option<Table>,
    /// Whether an answer is awaited.
    pub busy: bool,
}

/// Where a stored run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A recording built in, of this algorithm.
    BuiltIn(&'static str),
    /// A file.
    File(PathBuf),
    /// This sitting: results that no file has.
    Sitting,
}

/// A stored run.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Where it is.
    pub source: Source,
    /// What it is called.
    pub name: String,
    /// What it holds, or what is wrong with it.
    pub holds: Result<Box<Holds>, String>,
}

/// What a stored run holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holds {
    /// When its last case ended, in UTC: `2026-11-21 10:18`.
    pub date: String,
    /// The same to the fraction of a second, as it is stored: runs are listed by it.
    pub ended: String,
    /// Times by size of its longest curve, as a chart of one row.
    pub spark: String,
    /// Names of its devices.
    pub devices: Vec<String>,
    /// Where its times come from.
    pub provenances: Vec<Provenance>,
    /// Its algorithms.
    pub algorithms: Vec<String>,
    /// Its variants.
    pub variants: Vec<String>,
    /// Its block sizes.
    pub blocks: Vec<u32>,
    /// Its coarsenings.
    pub coarsenings: Vec<u32>,
    /// Its smallest and its largest n.
    pub sizes: Option<(u64, u64)>,
    /// All cases.
    pub cases: usize,
    /// Those whose output equals the reference.
    pub verified: usize,
    /// Those that went wrong.
    pub wrong: usize,
    /// Those whose attempt failed.
    pub failed: usize,
    /// Those that could not run.
    pub skipped: usize,
    /// Those that ran a sample only, without an output to compare.
    pub unchecked: usize,
    /// The line that was cut off while it was written, if one was.
    pub torn: Option<usize>,
    /// The first line beyond the limits of the schema, if there is one.
    pub invalid: Option<usize>,
}

impl Holds {
    /// Of these records.
    pub fn of(records: &[Record], torn: Option<usize>) -> Self {
        let count = |outcome| records.iter().filter(|record| record.outcome() == outcome).count();
        let date = records.iter().map(|record| record.time.as_str()).max().unwrap_or_default();
        let sizes = records.iter().map(|record| record.n);
        Self {
            date: date.get(..16).unwrap_or(date).replace('T', " "),
            ended: date.to_owned(),
            spark: spark(records),
            devices: distinct(records.iter().map(|record| record.device.name.clone())),
            provenances: distinct(records.iter().map(|record| record.provenance)),
            algorithms: distinct(records.iter().map(|record| record.algorithm.to_string())),
            variants: distinct(records.iter().map(|record| record.variant.to_string())),
            blocks: distinct(records.iter().map(|record| record.block)),
            coarsenings: distinct(records.iter().map(|record| record.coarsen)),
            sizes: sizes.clone().min().zip(sizes.max()),
            cases: records.len(),
            verified: count(Outcome::Verified),
            wrong: count(Outcome::Wrong),
            failed: count(Outcome::Failed),
            skipped: count(Outcome::Skipped),
            unchecked: count(Outcome::Unchecked),
            torn,
            invalid: None,
        }
    }

    /// `recorded`, or `measured, modelled`.
    pub fn provenance(&self) -> String {
        self.provenances.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect::<BTreeSet<T>>().into_iter().collect()
}

/// Columns of a chart of one row.
const SPARK: usize = 12;

/// Eighths of a cell, the lowest first.
const EIGHTHS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The times by size of the curve with the most points, as bars on a logarithmic scale;
/// of many sizes some. Empty where no curve has two.
fn spark(records: &[Record]) -> String {
    let mut curves: BTreeMap<String, BTreeMap<u64, f64>> = BTreeMap::new();
    for record in records {
        let Some(time) = record.median().filter(|time| *time > 0.0) else { continue };
        let Record { algorithm, variant, block, coarsen, params, dist, .. } = record;
        let curve = format!("{algorithm} {variant} {block} {coarsen} {params:?} {dist}");
        curves.entry(curve).or_default().insert(record.n, time);
    }
    let Some(longest) = curves.into_values().max_by_key(BTreeMap::len) else {
        return String::new();
    };
    let times: Vec<f64> = longest.into_values().map(f64::ln).collect();
    if times.len() < 2 {
        return String::new();
    }
    let low = times.iter().copied().fold(f64::INFINITY, f64::min);
    let high = times.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let many = times.len().min(SPARK);
    let bar = |at: usize| {
        let time = times.get(at * (times.len() - 1) / (many - 1)).copied().unwrap_or(low);
        let share = if high > low { (time - low) / (high - low) } else { 0.0 };
        EIGHTHS[((share * 7.0).round() as usize).min(7)]
    };
    (0..many).map(bar).collect()
}

/// A stored run that lies over the chart.
#[derive(Debug, Clone)]
pub struct Overlaid {
    /// What its curves are called by.
    pub name: Arc<str>,
    /// Where it is.
    pub source: Source,
    /// All of it.
    pub records: Vec<Record>,
}

/// Two runs held against each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Which is held against which.
    pub title: String,
    /// What all cases share.
    pub shared: String,
    /// Cells of every pair, the headings first.
    pub rows: Vec<Vec<String>>,
    /// How many are faster, slower and so on.
    pub summary: String,
    /// The first pair that is shown.
    pub scroll: usize,
}

/// What a stored run is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To be what the chart shows.
    Load,
    /// To lie over the chart.
    Overlay,
    /// To be shown as if it were measured now.
    Replay,
}

/// A stored run that has results for the form's settings, where nothing else has.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The run.
    pub entry: Entry,
    /// When it ended, in UTC: `04:07`, with the day where that is not today.
    pub when: String,
    /// What it has results for.
    pub experiment: Experiment,
}

/// What is asked about stored runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// What there is.
    List,
    /// What a run holds.
    Read(Purpose, Entry),
    /// The newest run with results for an experiment.
    Fit(Box<Experiment>),
    /// Two runs, the baseline first, with those records that are in no file.
    Compare(Box<[Entry; 2]>, Vec<Record>),
    /// Move a file to the trash.
    Discard(PathBuf),
    /// Bring it back.
    Restore(Discarded),
}

/// What was found out.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// What there is.
    Listed {
        /// The runs.
        entries: Vec<Entry>,
        /// What is in the trash.
        discarded: Vec<Discarded>,
        /// Folders that could not be read, and why.
        problems: Vec<String>,
    },
    /// How much of a large run is read.
    Reading {
        /// Its name.
        name: String,
        /// Bytes read so far.
        bytes: u64,
        /// Bytes in total.
        of: u64,
    },
    /// What a run holds, or why it cannot be read.
    Read(Purpose, Entry, Result<Vec<Record>, String>),
    /// A run with results for an experiment.
    Fits(Box<Offer>),
    /// Two runs held against each other.
    Compared(Result<Table, String>),
    /// A file is in the trash.
    Discarded(Result<Discarded, String>),
    /// A file is back.
    Restored(Result<PathBuf, String>),
}

impl Runs {
    /// The rows that are shown: those that hold what was typed, in any order.
    pub fn shown(&self) -> Vec<&Entry> {
        let words = self.find.text().to_lowercase();
        let wanted: Vec<&str> = words.split_whitespace().collect();
        let fits = |entry: &&Entry| {
            let text = entry.text();
            wanted.iter().all(|word| text.contains(word))
        };
        self.entries.iter().filter(fits).collect()
    }

    /// The row that keys act on.
    pub fn chosen(&self) -> Option<&Entry> {
        let shown = self.shown();
        shown.get(self.cursor.min(shown.len().saturating_sub(1))).copied()
    }

    /// Moves to the row `by` places on, stopping at the ends.
    pub fn go(&mut self, by: isize) {
        let last = self.shown().len().saturating_sub(1);
        self.cursor = self.cursor.min(last).saturating_add_signed(by).min(last);
    }

    /// Which of the marked ones this is: 1 is the baseline.
    pub fn mark_of(&self, source: &Source) -> Option<usize> {
        self.marked.iter().position(|marked| marked == source).map(|at| at + 1)
    }
}

impl Entry {
    /// Everything that can be found by typing it.
    fn text(&self) -> String {
        let holds = match &self.holds {
            Ok(holds) => format!(
                "{} {} {} {} {}",
                holds.date,
                holds.provenance(),
                holds.devices.join(" "),
                holds.algorithms.join(" "),
                holds.variants.join(" ")
            ),
            Err(reason) => reason.clone(),
        };
        format!("{} {holds}", self.name).to_lowercase()
    }
}
