//! Baselines of a speed-up: the time that every record is compared with.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::series::{all_but_variant, baseline_variants};
use super::{Choice, Time, XAxis};
use crate::analysis::compare::pairs::{self, NoBaseline};
use crate::results::record::Record;

/// A chosen baseline.
#[derive(Debug, Clone, PartialEq)]
pub enum Baseline {
    /// For every case, the one with this value in a field that agrees in all else:
    /// `variant=global`, `block=128`.
    Field {
        /// The field, as [`pairs::field`] knows it.
        key: String,
        /// Its value as text.
        value: String,
    },
    /// One curve: its point at the same x.
    Curve(Box<Curve>),
}

/// A curve, identified by one of its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Any of its records.
    pub of: Record,
    /// The stored run that it comes from.
    pub run: Option<Arc<str>>,
    /// Its label.
    pub label: String,
}

impl Curve {
    /// Whether a record lies on this curve: it agrees in all but x.
    pub fn has(&self, record: &Record, run: Option<&Arc<str>>, x: XAxis) -> bool {
        let of = &self.of;
        self.run.as_ref() == run
            && of.algorithm == record.algorithm
            && of.variant == record.variant
            && (x == XAxis::Block || of.block == record.block)
            && (x == XAxis::Coarsen || of.coarsen == record.coarsen)
            && (x == XAxis::N || of.n == record.n)
            && of.params == record.params
            && (of.dist, of.seed, of.provenance) == (record.dist, record.seed, record.provenance)
            && of.device.name == record.device.name
    }
}

/// The baseline's time for each record, and its name.
pub(super) struct Times {
    pub(super) of: Vec<Option<f64>>,
    pub(super) name: String,
}

impl Times {
    /// The times of `baseline`, or of the first variant of each algorithm.
    pub(super) fn of(
        records: &[Record],
        runs: &[Option<Arc<str>>],
        choice: Choice,
        baseline: Option<&Baseline>,
    ) -> Result<Self, NoBaseline> {
        let time = |index: usize| {
            let record = records.get(index)?;
            choice.time.of(record).filter(|_| record.outcome().is_result())
        };
        match baseline {
            None => Ok(first_variants(records, choice.time)),
            Some(Baseline::Field { key, value }) => {
                let pairs = pairs::against(records, key, value)?;
                let mut of = vec![None; records.len()];
                for (index, record) in records.iter().enumerate() {
                    if pairs::field(record, key).as_ref() == Some(value) {
                        of[index] = time(index);
                    }
                }
                for (baseline, other) in pairs.both {
                    of[other] = time(baseline);
                }
                let name = if key == "variant" { value.clone() } else { format!("{key} {value}") };
                Ok(Self { of, name })
            }
            Some(Baseline::Curve(curve)) => {
                let mut at: BTreeMap<u64, f64> = BTreeMap::new();
                for (index, record) in records.iter().enumerate() {
                    let run = runs.get(index).and_then(Option::as_ref);
                    if let Some(time) = time(index).filter(|_| curve.has(record, run, choice.x)) {
                        at.insert(place(record, choice.x), time);
                    }
                }
                let of = |record: &Record| at.get(&place(record, choice.x)).copied();
                Ok(Self { of: records.iter().map(of).collect(), name: curve.label.clone() })
            }
        }
    }
}

fn place(record: &Record, x: XAxis) -> u64 {
    match x {
        XAxis::N => record.n,
        XAxis::Block => record.block.into(),
        XAxis::Coarsen => record.coarsen.into(),
    }
}

/// Times of each algorithm's first variant, by all else that decides a case.
fn first_variants(records: &[Record], time: Time) -> Times {
    let baselines = baseline_variants(records);
    let is_baseline = |record: &&Record| {
        baselines
            .get(record.algorithm.as_str())
            .is_some_and(|first| first.variant == record.variant)
    };
    let times: BTreeMap<String, f64> = records
        .iter()
        .filter(is_baseline)
        .filter(|record| record.outcome().is_result())
        .filter_map(|record| Some((all_but_variant(record), time.of(record)?)))
        .collect();
    let mut names: Vec<_> = baselines.into_values().map(|record| record.variant.clone()).collect();
    names.dedup();
    let of = records.iter().map(|record| times.get(&all_but_variant(record)).copied()).collect();
    Times { of, name: names.join(", ") }
}
