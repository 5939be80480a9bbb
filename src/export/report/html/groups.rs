//! Cases that may stand in one chart: one algorithm, one setting of its
//! parameters, one kind of input. Variants, launches, sizes and devices differ.

use std::collections::BTreeMap;

use crate::experiment::ParamValue;
use crate::figure::Time;
use crate::results::record::Record;

/// Cases that compare.
#[derive(Debug)]
pub(super) struct Group {
    /// Of the section, as the page's anchors name it.
    pub(super) id: String,
    /// Name of the algorithm.
    pub(super) algorithm: String,
    /// Algorithm, and what tells the group from others of it.
    pub(super) heading: String,
    /// The cases.
    pub(super) records: Vec<Record>,
    /// Which time they compare by.
    pub(super) time: Time,
}

/// The groups of `records`, in the order in which they first occur.
pub(super) fn of(records: &[Record]) -> Vec<Group> {
    type Key = (String, BTreeMap<String, ParamValue>, String);
    let mut found: Vec<(Key, Vec<Record>)> = Vec::new();
    for record in records {
        let key = (record.algorithm.clone(), record.params.clone(), record.dist.to_string());
        match found.iter_mut().find(|(known, _)| *known == key) {
            Some((_, of_key)) => of_key.push(record.clone()),
            None => found.push((key, vec![record.clone()])),
        }
    }
    let keys: Vec<Key> = found.iter().map(|(key, _)| key.clone()).collect();
    let alike = |key: &Key| keys.iter().filter(|other| other.0 == key.0).collect::<Vec<_>>();
    found
        .into_iter()
        .enumerate()
        .map(|(index, (key, records))| {
            let others = alike(&key);
            let (algorithm, params, dist) = &key;
            let mut parts = vec![algorithm.clone()];
            for (name, value) in params {
                if others.iter().any(|other| other.1.get(name) != Some(value)) {
                    parts.push(format!("{name} {value}"));
                }
            }
            if others.iter().any(|other| other.2 != *dist) {
                parts.push(format!("input {dist}"));
            }
            Group {
                id: format!("group-{}", index + 1),
                algorithm: algorithm.clone(),
                heading: parts.join(", "),
                time: Time::fitting(&records),
                records,
            }
        })
        .collect()
}

impl Group {
    /// Cases whose time counts, with it.
    pub(super) fn timed(&self) -> impl Iterator<Item = (&Record, f64)> {
        self.records.iter().filter_map(|record| {
            let right = record.outcome().is_result();
            self.time.of(record).filter(|_| right).map(|time| (record, time))
        })
    }

    /// Variants in the order of their first case.
    pub(super) fn variants(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for record in &self.records {
            if !names.contains(&record.variant.as_str()) {
                names.push(&record.variant);
            }
        }
        names
    }

    /// The largest size at which most variants have a time.
    pub(super) fn size_to_compare(&self) -> Option<u64> {
        let mut by_size: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for (record, _) in self.timed() {
            let there = by_size.entry(record.n).or_default();
            if !there.contains(&record.variant.as_str()) {
                there.push(&record.variant);
            }
        }
        by_size.iter().max_by_key(|(n, there)| (there.len(), **n)).map(|(n, _)| *n)
    }

    /// The fastest case at `n` of every variant on every device.
    pub(super) fn fastest(&self, n: u64) -> Vec<(&Record, f64)> {
        let mut best: Vec<(&Record, f64)> = Vec::new();
        for (record, time) in self.timed().filter(|(record, _)| record.n == n) {
            let same = |(known, _): &&mut (&Record, f64)| {
                known.variant == record.variant
                    && known.provenance == record.provenance
                    && known.device.name == record.device.name
            };
            match best.iter_mut().find(same) {
                Some(known) if known.1 > time => *known = (record, time),
                Some(_) => {}
                None => best.push((record, time)),
            }
        }
        best.sort_by(|a, b| a.1.total_cmp(&b.1));
        best
    }
}

/// Every value once, in the order of the first.
pub(super) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}
