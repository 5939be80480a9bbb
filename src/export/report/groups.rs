//! Cases that may stand in one chart: one algorithm (in a user's file, kernels with one reference),
//! one setting of its parameters, one kind of input. Variants, launches, sizes and devices differ.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use crate::analysis::compare;
use crate::experiment::ParamValue;
use crate::figure::Time;
use crate::results::record::{Provenance, Record};

/// Most groups of a page.
const MOST_GROUPS: usize = 24;

/// Most cases of a group that charts and tables are made of.
const MOST_CASES: usize = 2_000;

/// Most elements and operations of a case that is counted for the report.
const MOST_COUNTED: (u64, u64) = (1 << 22, 1 << 31);

/// Cases that compare.
#[derive(Debug)]
pub(super) struct Group {
    /// Of the section, as the page's anchors name it.
    pub(super) id: String,
    /// Name of the algorithm.
    pub(super) algorithm: String,
    /// Algorithm, and what tells the group from others of it.
    pub(super) heading: String,
    /// The cases; of very many the fastest launch of each variant, and all at one size.
    pub(super) records: Vec<Record>,
    /// How many cases `records` leaves out.
    pub(super) left_out: usize,
    /// Which time they compare by.
    pub(super) time: Time,
}

/// The groups of `records`, in the order in which they first occur, and how many more
/// there are than a page holds.
pub(super) fn of(records: &[Record]) -> (Vec<Group>, usize) {
    type Key<'a> = (&'a str, &'a BTreeMap<String, ParamValue>, String, Option<String>);
    let mut places: BTreeMap<Key, usize> = BTreeMap::new();
    let mut found: Vec<(Key, Vec<&Record>)> = Vec::new();
    // The task depends on the kernel alone.
    let mut tasks: HashMap<(&str, &str), Option<String>> = HashMap::new();
    for record in records {
        let kernel = (record.algorithm.as_str(), record.variant.as_str());
        let task = tasks.entry(kernel).or_insert_with(|| compare::task(record)).clone();
        let key = (kernel.0, &*record.params, record.dist.to_string(), task);
        let place = *places.entry(key.clone()).or_insert_with(|| {
            found.push((key, Vec::new()));
            found.len() - 1
        });
        if let Some((_, of_key)) = found.get_mut(place) {
            of_key.push(record);
        }
    }
    let more = found.len().saturating_sub(MOST_GROUPS);
    found.truncate(MOST_GROUPS);
    let keys: Vec<Key> = found.iter().map(|(key, _)| key.clone()).collect();
    let group = |(index, (key, records)): (usize, (Key, Vec<&Record>))| {
        let others: Vec<&Key> = keys.iter().filter(|other| other.0 == key.0).collect();
        let (algorithm, params, dist, task) = &key;
        let mut parts = vec![(*algorithm).to_owned()];
        if others.iter().any(|other| other.3 != *task) {
            parts.extend(task.clone());
        }
        for (name, value) in *params {
            if others.iter().any(|other| other.1.get(name) != Some(value)) {
                parts.push(format!("{name} {value}"));
            }
        }
        if others.iter().any(|other| other.2 != *dist) {
            parts.push(format!("input {dist}"));
        }
        let time = Time::fitting(records.iter().copied());
        let shown = shown(&records, time);
        Group {
            id: format!("group-{}", index + 1),
            algorithm: (*algorithm).to_owned(),
            heading: parts.join(", "),
            left_out: records.len() - shown.len(),
            records: shown,
            time,
        }
    };
    (found.into_iter().enumerate().map(group).collect(), more)
}

/// All of `records`; of too many each variant's fastest launch, and all at the size at
/// which they compare.
fn shown(records: &[&Record], time: Time) -> Vec<Record> {
    if records.len() <= MOST_CASES {
        return records.iter().map(|record| (*record).clone()).collect();
    }
    let timed = || timed(records.iter().copied(), time);
    let n = size_to_compare(timed());
    let fastest = n.map(|n| fastest(timed().filter(|(record, _)| record.n == n)));
    let launches: HashSet<_> =
        fastest.iter().flatten().map(|(it, _)| (&it.variant, it.block, it.coarsen)).collect();
    let keeps =
        |it: &&&Record| launches.contains(&(&it.variant, it.block, it.coarsen)) || n == Some(it.n);
    records.iter().filter(keeps).take(MOST_CASES).map(|record| (*record).clone()).collect()
}

/// Cases whose time counts, with it.
fn timed<'a>(
    records: impl Iterator<Item = &'a Record>,
    time: Time,
) -> impl Iterator<Item = (&'a Record, f64)> {
    records.filter_map(move |record| {
        let right = record.outcome().is_result();
        time.of(record).filter(|_| right).map(|time| (record, time))
    })
}

/// The largest size at which most variants have a time.
fn size_to_compare<'a>(timed: impl Iterator<Item = (&'a Record, f64)>) -> Option<u64> {
    let mut by_size: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    for (record, _) in timed {
        by_size.entry(record.n).or_default().insert(&record.variant);
    }
    by_size.iter().max_by_key(|(n, there)| (there.len(), **n)).map(|(n, _)| *n)
}

/// The fastest case of every variant on every device, the fastest first.
fn fastest<'a>(timed: impl Iterator<Item = (&'a Record, f64)>) -> Vec<(&'a Record, f64)> {
    let mut places: HashMap<(&str, Provenance, &str), usize> = HashMap::new();
    let mut best: Vec<(&Record, f64)> = Vec::new();
    for (record, time) in timed {
        let key = (record.variant.as_str(), record.provenance, record.device.name.as_str());
        let place = *places.entry(key).or_insert(best.len());
        match best.get_mut(place) {
            Some(known) if known.1 > time => *known = (record, time),
            Some(_) => {}
            None => best.push((record, time)),
        }
    }
    best.sort_by(|a, b| a.1.total_cmp(&b.1));
    best
}

impl Group {
    /// Cases whose time counts, with it.
    pub(super) fn timed(&self) -> impl Iterator<Item = (&Record, f64)> {
        timed(self.records.iter(), self.time)
    }

    /// Variants in the order of their first case.
    pub(super) fn variants(&self) -> Vec<&str> {
        distinct(self.records.iter().map(|record| record.variant.as_str()))
    }

    /// The largest size at which most variants have a time.
    pub(super) fn size_to_compare(&self) -> Option<u64> {
        size_to_compare(self.timed())
    }

    /// The fastest case at `n` of every variant on every device.
    pub(super) fn fastest(&self, n: u64) -> Vec<(&Record, f64)> {
        fastest(self.timed().filter(|(record, _)| record.n == n))
    }

    /// What the group is about, at the largest size that the emulator counts in seconds:
    /// the variants with the launch and device of the fastest case, the slowest first and
    /// the fastest last. Published times have no part.
    pub(super) fn rivals(&self) -> Vec<&Record> {
        let own = |(record, _): &(&Record, f64)| {
            record.provenance != Provenance::Reported
                && record.n <= MOST_COUNTED.0
                && record.flops <= MOST_COUNTED.1
        };
        let Some(n) = size_to_compare(self.timed().filter(own)) else { return Vec::new() };
        let at = fastest(self.timed().filter(own).filter(|(record, _)| record.n == n));
        let Some((first, _)) = at.first().copied() else { return Vec::new() };
        let alike = |(record, _): &(&Record, f64)| {
            record.variant != first.variant
                && (record.n, record.block, record.coarsen) == (n, first.block, first.coarsen)
                && record.provenance == first.provenance
                && record.device.name == first.device.name
        };
        let same_launch = fastest(self.timed().filter(own).filter(alike));
        let others = if same_launch.is_empty() { at[1..].to_vec() } else { same_launch };
        others.into_iter().rev().map(|(record, _)| record).chain([first]).collect()
    }
}

/// Every value once, in the order of the first.
pub(super) fn distinct<T: Eq + Hash + Clone>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    values.filter(|value| known.insert(value.clone())).collect()
}
