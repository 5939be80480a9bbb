//! Times by block size and coarsening, at one size: a heat map with its best
//! cell. The screen and the pictures take ranking, words and shades from here.

use std::collections::BTreeMap;

use super::picture::{shared, sources};
use super::{Time, command_for};
use crate::results::record::{Outcome, Record};
use crate::units::{Elements, Seconds, significant};

/// Slowest over fastest below which the shades do not spread: a difference
/// that hardly counts shall not look like one that does.
const LEAST_SPREAD: f64 = 1.25;

/// Slowest over fastest below which there is no best to speak of.
const EVEN: f64 = 1.02;

/// Block size and coarsening.
pub type Place = (u32, u32);

/// The map of one variant at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Tune {
    /// Algorithm and what is mapped.
    pub title: String,
    /// The variant.
    pub variant: String,
    /// Variant, size, parameters, input, device.
    pub subtitle: String,
    /// Provenance, then the best cell and its margin.
    pub caption: String,
    /// The command that fills the map.
    pub command: String,
    /// Columns: block sizes, ascending.
    pub blocks: Vec<u32>,
    /// Rows: coarsenings, ascending.
    pub coarsenings: Vec<u32>,
    /// What is known, by block size and coarsening.
    pub cells: BTreeMap<Place, Cell>,
    /// Cells with a time, the fastest first.
    pub ranking: Vec<(Place, f64)>,
}

/// One cell of the map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell {
    /// Its time in seconds.
    Time(f64),
    /// It cannot run.
    Skipped,
    /// It ran and was wrong.
    Wrong,
}

impl Tune {
    /// The map of `records`, which are of one variant at one size; of several for
    /// one cell the last counts. Nothing without records.
    pub fn of(records: &[Record], time: Time) -> Option<Self> {
        let first = records.first()?;
        let mut cells: BTreeMap<Place, Cell> = BTreeMap::new();
        for record in records {
            let cell = match (record.outcome(), time.of(record)) {
                (Outcome::Verified | Outcome::Unchecked, Some(time)) => Cell::Time(time),
                (Outcome::Wrong, _) => Cell::Wrong,
                _ => Cell::Skipped,
            };
            cells.insert((record.block, record.coarsen), cell);
        }
        let mut ranking: Vec<(Place, f64)> = cells
            .iter()
            .filter_map(|(place, cell)| match cell {
                Cell::Time(time) => Some((*place, *time)),
                _ => None,
            })
            .collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut blocks: Vec<u32> = cells.keys().map(|(block, _)| *block).collect();
        let mut coarsenings: Vec<u32> = cells.keys().map(|(_, coarsen)| *coarsen).collect();
        for values in [&mut blocks, &mut coarsenings] {
            values.sort_unstable();
            values.dedup();
        }
        let all: Vec<&Record> = records.iter().collect();
        let best = margin(&ranking).map_or_else(String::new, |words| format!("; best: {words}"));
        Some(Self {
            title: format!("{}: {} by block size and coarsening", first.algorithm, time.name()),
            subtitle: format!("{} · n = {} · {}", first.variant, Elements(first.n), shared(first)),
            caption: format!("{}{best}", sources(&all)),
            variant: first.variant.clone(),
            command: command_for(records),
            blocks,
            coarsenings,
            cells,
            ranking,
        })
    }

    /// From 0 for the slowest to 1 for the fastest.
    pub fn shade(&self, time: f64) -> f64 {
        match (self.ranking.first(), self.ranking.last()) {
            (Some((_, best)), Some((_, worst))) => shade(time, *best, *worst),
            _ => 1.0,
        }
    }

    /// The time that the lowest shade stands for: the slowest, or where all are
    /// nearly alike one slower than that.
    pub fn darkest(&self) -> Option<f64> {
        let ((_, best), (_, worst)) = self.ranking.first().zip(self.ranking.last())?;
        Some(worst.max(best * LEAST_SPREAD))
    }

    /// The fastest cell, where one stands out or not.
    pub fn best(&self) -> Option<Place> {
        self.ranking.first().map(|(place, _)| *place)
    }

    /// Every cell in words.
    pub(super) fn in_words(&self) -> String {
        let cells = self.cells.iter().map(|((block, coarsen), cell)| {
            let what = match cell {
                Cell::Time(time) => Seconds(*time).to_string(),
                Cell::Skipped => "skipped".to_owned(),
                Cell::Wrong => "wrong".to_owned(),
            };
            format!("block {block} coarsening {coarsen}: {what}")
        });
        format!("{}.", cells.collect::<Vec<_>>().join(", "))
    }
}

/// Of `records` those that make the best map: one variant at one size, with one
/// setting of everything but block size and coarsening; the most cells, then
/// the largest size, then the fastest. Nothing where no two cells have a time.
pub fn select(records: &[Record], time: Time) -> Option<Vec<Record>> {
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    for record in records {
        let same = |group: &&mut Vec<&Record>| {
            group.first().is_some_and(|first| {
                first.algorithm == record.algorithm
                    && first.variant == record.variant
                    && first.n == record.n
                    && first.params == record.params
                    && first.dist == record.dist
                    && first.device == record.device
                    && first.provenance == record.provenance
            })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    let timed = |group: &[&Record]| {
        let mut places: Vec<Place> = group
            .iter()
            .filter(|record| time.of(record).is_some())
            .map(|record| (record.block, record.coarsen))
            .collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    };
    let fastest = |group: &[&Record]| {
        group.iter().filter_map(|record| time.of(record)).fold(f64::INFINITY, f64::min)
    };
    let size = |group: &[&Record]| group.first().map_or(0, |first| first.n);
    let best = groups.iter().filter(|group| timed(group) > 1).max_by(|a, b| {
        (timed(a), size(a)).cmp(&(timed(b), size(b))).then(fastest(b).total_cmp(&fastest(a)))
    })?;
    Some(best.iter().map(|record| (*record).clone()).collect())
}

/// From 0 for the slowest to 1 for the fastest, by the logarithm, as every
/// factor counts alike.
pub fn shade(time: f64, best: f64, worst: f64) -> f64 {
    let spread = (worst / best).max(LEAST_SPREAD).ln();
    1.0 - (time / best).ln() / spread
}

/// The best cell of a ranking and by how much; nothing without a time.
pub fn margin(ranking: &[(Place, f64)]) -> Option<String> {
    let name = |(block, coarsen): Place| format!("block {block} ×{coarsen}");
    Some(match ranking {
        [] => return None,
        [(only, time)] => format!("{}: {}", name(*only), Seconds(*time)),
        [(first, time), (second, next), ..] => {
            let worst = ranking.last().map_or(1.0, |(_, worst)| worst / time);
            if worst < EVEN {
                return Some(format!(
                    "{}: {}, but all {} take the same within {:.1} %: neither block size nor \
                     coarsening matters here",
                    name(*first),
                    Seconds(*time),
                    ranking.len(),
                    100.0 * (worst - 1.0)
                ));
            }
            let less = 100.0 * (1.0 - time / next);
            format!(
                "{}: {}, {less:.1} % less than {}; the slowest takes {}× as long",
                name(*first),
                Seconds(*time),
                name(*second),
                significant(worst)
            )
        }
    })
}
