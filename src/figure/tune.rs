//! Times by block size and coarsening at one size: a heat map with its best cell.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::picture::{shared, sources};
use super::{Time, command, command_for};
use crate::results::record::{Outcome, Record};
use crate::units::{Elements, Seconds, significant};

/// The shades span at least this ratio of slowest to fastest, so that a small difference
/// looks small.
pub const LEAST_SPREAD: f64 = 1.25;

/// Below this ratio of slowest to fastest, no cell counts as the best.
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
    /// The commands that fill the map and draw it, one per line.
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
    /// The map of `records` of one variant at one size; the last record of a cell counts.
    /// `None` without records.
    pub fn of(records: &[Record], time: Time) -> Option<Self> {
        let first = records.first()?;
        let mut cells: BTreeMap<Place, Cell> = BTreeMap::new();
        for record in records {
            let cell = match (record.outcome(), time.of(record)) {
                (outcome, Some(time)) if outcome.is_result() => Cell::Time(time),
                (Outcome::Wrong, _) => Cell::Wrong,
                _ => Cell::Skipped,
            };
            cells.insert((record.block, record.coarsen), cell);
        }
        let time_of = |(place, cell): (&Place, &Cell)| match cell {
            Cell::Time(time) => Some((*place, *time)),
            _ => None,
        };
        let mut ranking: Vec<(Place, f64)> = cells.iter().filter_map(time_of).collect();
        ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
        let blocks: BTreeSet<u32> = cells.keys().map(|(block, _)| *block).collect();
        let coarsenings: BTreeSet<u32> = cells.keys().map(|(_, coarsen)| *coarsen).collect();
        let all: Vec<&Record> = records.iter().collect();
        let best = margin(&ranking).map_or_else(String::new, |words| format!("; best: {words}"));
        Some(Self {
            title: format!("{}: {} by block size and coarsening", first.algorithm, time.name()),
            subtitle: format!("{} · n = {} · {}", first.variant, Elements(first.n), shared(first)),
            caption: format!("{}{best}", sources(&all)),
            variant: first.variant.to_string(),
            command: command::drawing(
                &command_for(records),
                &first.algorithm,
                command::View::Tune,
                Some(time).filter(|time| *time != Time::fitting(records)),
            ),
            blocks: blocks.into_iter().collect(),
            coarsenings: coarsenings.into_iter().collect(),
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

    /// The time of the lowest shade.
    pub fn darkest(&self) -> Option<f64> {
        let ((_, best), (_, worst)) = self.ranking.first().zip(self.ranking.last())?;
        Some(worst.max(best * LEAST_SPREAD))
    }

    /// The fastest cell.
    pub fn best(&self) -> Option<Place> {
        self.ranking.first().map(|(place, _)| *place)
    }

    /// Every cell as text.
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

/// The records of the best map: those that agree in all but block size and coarsening, with
/// the most cells, then the largest size, then the fastest. `None` where no two cells have
/// a time.
pub fn select(records: &[Record], time: Time) -> Option<Vec<Record>> {
    let mut places = HashMap::new();
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    for it in records {
        let names = (&it.algorithm, &it.variant, &it.params, &it.device);
        let setting = (names, it.n, it.dist.to_string(), it.provenance);
        let place = *places.entry(setting).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(it),
            None => groups.push(vec![it]),
        }
    }
    let timed = |group: &[&Record]| {
        let timed = group.iter().filter(|record| time.of(record).is_some());
        timed.map(|record| (record.block, record.coarsen)).collect::<BTreeSet<Place>>().len()
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

/// From 0 for the slowest to 1 for the fastest, on a logarithmic scale.
pub fn shade(time: f64, best: f64, worst: f64) -> f64 {
    let spread = (worst / best).max(LEAST_SPREAD).ln();
    1.0 - (time / best).ln() / spread
}

/// The best cell of a ranking and its margin; `None` without a time.
pub fn margin(ranking: &[(Place, f64)]) -> Option<String> {
    let name = |(block, coarsen): Place| format!("block {block} ×{coarsen}");
    Some(match ranking {
        [] => return None,
        [(only, time)] => format!("{}: {}", name(*only), Seconds(*time)),
        [(first, time), (second, next), ..] => {
            let worst = ranking.last().map_or(1.0, |(_, worst)| worst / time);
            if worst < EVEN {
                return Some(format!(
                    "{}: {}, but all {} are equal within {:.1} %: block size and coarsening do not \
                     matter here",
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
