//! Which records are held against each other.

use std::collections::HashMap;

use crate::experiment::Distribution;
use crate::results::record::Record;

/// Records of two lists that belong together, by index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairs {
    /// Baseline and other.
    pub both: Vec<(usize, usize)>,
    /// Of the baseline, those without another.
    pub only_baseline: Vec<usize>,
    /// Of the other, those without a baseline.
    pub only_other: Vec<usize>,
}

/// The same cases in two lists, in the order of the first.
///
/// A case is its algorithm, variant, launch, parameters, input and seed. Where a
/// list has it more than once (on several devices, or before and after a change
/// of the kernel), those belong together that agree in device and kernel; then
/// in the device; then in its name; what is left once on both sides does too.
pub fn same_cases(baseline: &[Record], other: &[Record]) -> Pairs {
    let keys: [fn(&Record) -> String; 4] = [
        Record::identity,
        |record| format!("{} on {} {}", case(record), record.backend, record.device.id),
        |record| format!("{} on {} {}", case(record), record.backend, record.device.name),
        case,
    ];
    let mut partner: Vec<Option<usize>> = vec![None; baseline.len()];
    let mut taken = vec![false; other.len()];
    for key in keys {
        let free = |index: &usize| partner[*index].is_none();
        let mine = once(baseline, (0..baseline.len()).filter(free), key);
        let yours = once(other, (0..other.len()).filter(|index| !taken[*index]), key);
        for (key, index) in mine {
            if let Some(&found) = yours.get(&key) {
                partner[index] = Some(found);
                taken[found] = true;
            }
        }
    }
    let of = |(index, found): (usize, &Option<usize>)| found.map(|found| (index, found));
    Pairs {
        both: partner.iter().enumerate().filter_map(of).collect(),
        only_baseline: (0..baseline.len()).filter(|index| partner[*index].is_none()).collect(),
        only_other: (0..other.len()).filter(|index| !taken[*index]).collect(),
    }
}

fn case(record: &Record) -> String {
    format!("{} seed={}", record.case(), record.seed)
}

/// The records among `indices` whose key no other has.
fn once(
    records: &[Record],
    indices: impl Iterator<Item = usize>,
    key: fn(&Record) -> String,
) -> HashMap<String, usize> {
    let mut found: HashMap<String, Option<usize>> = HashMap::new();
    for index in indices {
        let entry = found.entry(key(&records[index]));
        entry.and_modify(|seen| *seen = None).or_insert(Some(index));
    }
    found.into_iter().filter_map(|(key, index)| Some((key, index?))).collect()
}

/// Why records cannot be held against a baseline among them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoBaseline {
    /// Nothing has a field of this name.
    #[error("no case has a field `{key}` to take as the baseline (there are: {known})")]
    NoField {
        /// As asked.
        key: String,
        /// What there is.
        known: String,
    },
    /// Nothing has this value.
    #[error("no case has {key}={value} to be the baseline (there are: {known})")]
    NoValue {
        /// As asked.
        key: String,
        /// As asked.
        value: String,
        /// What there is.
        known: String,
    },
}

/// Holds every record against the one that agrees with it in everything but the
/// field `key`, in which it has `value`. Indices of both are into `records`.
pub fn against(records: &[Record], key: &str, value: &str) -> Result<Pairs, NoBaseline> {
    let values: Vec<Option<String>> = records.iter().map(|record| field(record, key)).collect();
    if values.iter().all(Option::is_none) {
        return Err(NoBaseline::NoField { key: key.to_owned(), known: fields(records).join(", ") });
    }
    let is_baseline = |index: usize| values[index].as_deref() == Some(value);
    let mut by_rest: HashMap<String, usize> = HashMap::new();
    for (index, record) in records.iter().enumerate().filter(|(index, _)| is_baseline(*index)) {
        by_rest.insert(rest(record, key), index);
    }
    if by_rest.is_empty() {
        let mut known: Vec<String> = values.into_iter().flatten().collect();
        known.sort_unstable();
        known.dedup();
        let (key, value, known) = (key.to_owned(), value.to_owned(), known.join(", "));
        return Err(NoBaseline::NoValue { key, value, known });
    }
    let mut pairs = Pairs::default();
    for (index, record) in records.iter().enumerate().filter(|(index, _)| !is_baseline(*index)) {
        match by_rest.get(&rest(record, key)) {
            Some(&baseline) => pairs.both.push((baseline, index)),
            None => pairs.only_other.push(index),
        }
    }
    let used: Vec<usize> = pairs.both.iter().map(|(baseline, _)| *baseline).collect();
    let mut unused: Vec<usize> =
        by_rest.into_values().filter(|index| !used.contains(index)).collect();
    unused.sort_unstable();
    pairs.only_baseline = unused;
    Ok(pairs)
}

/// Fields that every record has and that a baseline can be told by.
const FIELDS: [&str; 7] = ["variant", "block", "coarsen", "dist", "seed", "backend", "device"];

fn fields(records: &[Record]) -> Vec<String> {
    let mut params: Vec<&String> = records.iter().flat_map(|record| record.params.keys()).collect();
    params.sort_unstable();
    params.dedup();
    FIELDS.into_iter().map(str::to_owned).chain(params.into_iter().cloned()).collect()
}

/// The value of a field, in words.
pub fn field(record: &Record, key: &str) -> Option<String> {
    Some(match key {
        "variant" => record.variant.clone(),
        "block" => record.block.to_string(),
        "coarsen" => record.coarsen.to_string(),
        "dist" => record.dist.to_string(),
        "seed" => record.seed.to_string(),
        "backend" => record.backend.clone(),
        "device" => record.device.name.clone(),
        _ => return record.params.get(key).map(ToString::to_string),
    })
}

/// Everything but the field, and but what changes with it: the kernel's text
/// always may, and with the device goes the backend.
fn rest(record: &Record, key: &str) -> String {
    let mut case = record.case();
    let mut place = format!("{} {}", record.backend, record.device.id);
    match key {
        "variant" => case.variant.clear(),
        "block" => case.block = 0,
        "coarsen" => case.coarsen = 0,
        "dist" => case.dist = Distribution::default(),
        "seed" => case.seed = 0,
        "backend" | "device" => place.clear(),
        _ => _ = case.params.remove(key),
    }
    format!("{case} seed={} on {place}", case.seed)
}
