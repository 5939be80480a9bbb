//! Which records are compared with each other.

use std::collections::{BTreeSet, HashMap};

use crate::experiment::Distribution;
use crate::results::record::Record;

/// Pairs of records of two lists, by index.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pairs {
    /// Baseline and other.
    pub both: Vec<(usize, usize)>,
    /// Baselines without another.
    pub only_baseline: Vec<usize>,
    /// Others without a baseline.
    pub only_other: Vec<usize>,
}

/// The same cases in two lists, in the order of the first.
///
/// A case is its algorithm, variant, launch, parameters, input and seed. Where a list has it
/// more than once (several devices, or a changed kernel), records pair up that agree in
/// device and kernel, then in the device, then in its name, then in the case alone.
pub fn same_cases(baseline: &[Record], other: &[Record]) -> Pairs {
    let keys: [fn(&Record) -> String; 4] = [
        |record| record.identity().to_string(),
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

/// Why there is no baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoBaseline {
    /// No case has this field.
    #[error("no case has a field `{key}` to take as the baseline (there are: {known})")]
    NoField {
        /// As asked.
        key: String,
        /// What there is.
        known: String,
    },
    /// No case has this value.
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

/// Pairs every record with the one that has `value` in the field `key` and agrees in all
/// else. Indices of both are into `records`.
///
/// # Errors
/// If no record has the field or the value.
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
        let known: BTreeSet<String> = values.into_iter().flatten().collect();
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(NoBaseline::NoValue { key: key.to_owned(), value: value.to_owned(), known });
    }
    let mut pairs = Pairs::default();
    for (index, record) in records.iter().enumerate().filter(|(index, _)| !is_baseline(*index)) {
        match by_rest.get(&rest(record, key)) {
            Some(&baseline) => pairs.both.push((baseline, index)),
            None => pairs.only_other.push(index),
        }
    }
    let used: BTreeSet<usize> = pairs.both.iter().map(|(baseline, _)| *baseline).collect();
    let baselines: BTreeSet<usize> = by_rest.into_values().collect();
    pairs.only_baseline = baselines.difference(&used).copied().collect();
    Ok(pairs)
}

/// Fields of every record that can name a baseline.
const FIELDS: [&str; 7] = ["variant", "block", "coarsen", "dist", "seed", "backend", "device"];

fn fields(records: &[Record]) -> Vec<String> {
    let params: BTreeSet<&String> =
        records.iter().flat_map(|record| record.params.keys()).collect();
    FIELDS.into_iter().map(str::to_owned).chain(params.into_iter().cloned()).collect()
}

/// The value of a field as text.
pub fn field(record: &Record, key: &str) -> Option<String> {
    Some(match key {
        "variant" => record.variant.to_string(),
        "block" => record.block.to_string(),
        "coarsen" => record.coarsen.to_string(),
        "dist" => record.dist.to_string(),
        "seed" => record.seed.to_string(),
        "backend" => record.backend.to_string(),
        "device" => record.device.name.clone(),
        _ => return record.params.get(key).map(ToString::to_string),
    })
}

/// Everything but the field. The kernel's text may always differ, and the backend with the
/// device.
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
