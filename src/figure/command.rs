//! The command that reproduces the numbers of a figure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use crate::algorithms;
use crate::experiment::{
    BackendChoice, Case, DEFAULT_SEED, Distribution, Experiment, ParamValue, SampleChoice, Sizes,
    Target,
};
use crate::results::record::{Provenance, Record};
use crate::units::BlockSize;

/// The command that runs `experiment`. Defaults are left out, except for block size,
/// coarsening and the parameters that have an option of their own: those are what a
/// reader asks for first.
pub fn command(experiment: &Experiment) -> String {
    let algorithm = algorithms::find(&experiment.algorithm);
    let options = algorithm.map_or(&[][..], |algorithm| algorithm.options());
    let params = algorithm.map_or(&[][..], |algorithm| algorithm.params());
    let mut text = format!("warpscope sweep {}", quoted(&experiment.algorithm));
    let mut option = |name: &str, value: &str| text.extend([" ", name, " ", &quoted(value)]);
    if !experiment.variants.is_empty() {
        option("--variant", &list(&experiment.variants));
    }
    option("--block", &list(&experiment.blocks));
    option("--coarsen", &list(&experiment.coarsenings));
    option("-n", &experiment.sizes.to_string());
    for (name, values) in &experiment.params {
        let default =
            params.iter().find(|param| param.name == name).map(algorithms::Param::default);
        if options.contains(&name.as_str()) {
            option(&format!("--{name}"), &list(values));
        } else if default.is_none_or(|default| *values != [default]) {
            option("--set", &format!("{name}={}", list(values)));
        }
    }
    if experiment.dist != Distribution::default() {
        option("--dist", &experiment.dist.to_string());
    }
    if experiment.seed != DEFAULT_SEED {
        option("--seed", &experiment.seed.to_string());
    }
    let Target { backend, gpu, sample, .. } = &experiment.target;
    if *backend != BackendChoice::Auto {
        option("--backend", backend.name());
    }
    if let Some(gpu) = gpu {
        option("--gpu", gpu);
    }
    if *sample != SampleChoice::Auto {
        option("--sample", sample.name());
    }
    option("-o", &format!("{}.jsonl", experiment.algorithm));
    text
}

/// The commands that reproduce `records`, one per line: one for each algorithm,
/// distribution, seed and device. A command runs every combination of the values that
/// occur.
pub fn command_for(records: &[Record]) -> String {
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    // No command reproduces a published time.
    let own = records.iter().filter(|record| record.provenance != Provenance::Reported);
    for record in own {
        let same = |group: &&mut Vec<&Record>| {
            group.first().is_some_and(|first| {
                first.algorithm == record.algorithm
                    && first.dist == record.dist
                    && first.seed == record.seed
                    && first.backend == record.backend
                    && (record.backend != "emulator" || first.device.name == record.device.name)
            })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    let line = |group: &Vec<&Record>| {
        let (first, points) = (group.first()?, group.iter().map(|record| Point::from(*record)));
        Some(command(&experiment(first.case(), &points.collect::<Vec<_>>(), target(first))))
    };
    groups.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The command that runs `case`, on the device of `record` if there is one.
pub fn command_of(case: &Case, record: Option<&Record>) -> String {
    let point = Point {
        variant: &case.variant,
        block: case.block,
        coarsen: case.coarsen,
        n: case.n,
        params: &case.params,
    };
    command(&experiment(case.clone(), &[point], record.map(target).unwrap_or_default()))
}

/// Where a case lies on the axes of its experiment.
struct Point<'a> {
    variant: &'a str,
    block: u32,
    coarsen: u32,
    n: u64,
    params: &'a BTreeMap<String, ParamValue>,
}

impl<'a> From<&'a Record> for Point<'a> {
    fn from(record: &'a Record) -> Self {
        let Record { variant, block, coarsen, n, params, .. } = record;
        Self { variant, block: *block, coarsen: *coarsen, n: *n, params }
    }
}

/// The backend of a record, and the GPU of a prediction.
fn target(record: &Record) -> Target {
    let backend = record.backend.parse().unwrap_or_default();
    let gpu = (backend == BackendChoice::Emulator).then(|| record.device.name.clone());
    Target { backend, gpu, ..Target::default() }
}

/// The experiment with every combination of the values in `points`, and all else as in
/// `case`.
fn experiment(case: Case, points: &[Point], target: Target) -> Experiment {
    let mut variants = distinct(points.iter().map(|point| point.variant));
    // The order of the registry reads better than the alphabet's.
    if let Some(algorithm) = algorithms::find(&case.algorithm) {
        let place = |name: &&str| algorithm.variants().iter().position(|v| v.name == *name);
        variants.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    }
    let mut params: BTreeMap<&str, BTreeSet<&ParamValue>> = BTreeMap::new();
    for (name, value) in points.iter().flat_map(|point| point.params) {
        params.entry(name).or_default().insert(value);
    }
    let owned = |(name, values): (&str, BTreeSet<&ParamValue>)| {
        (name.to_owned(), values.into_iter().cloned().collect())
    };
    Experiment {
        algorithm: case.algorithm,
        variants: variants.into_iter().map(str::to_owned).collect(),
        blocks: distinct(points.iter().filter_map(|point| BlockSize::new(point.block).ok())),
        coarsenings: distinct(points.iter().map(|point| point.coarsen)),
        sizes: Sizes::of(&distinct(points.iter().map(|point| point.n))),
        params: params.into_iter().map(owned).collect(),
        dist: case.dist,
        seed: case.seed,
        target,
        ..Experiment::default()
    }
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect::<BTreeSet<T>>().into_iter().collect()
}

fn list<T: Display>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// `text` as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=^/+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        if "\"\\$`".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ParamValue;

    #[test]
    fn the_default_experiment_reads_like_the_documentation() {
        assert_eq!(
            command(&Experiment::default()),
            "warpscope sweep histogram --block 128 --coarsen 4 -n 2^10..2^22 -o histogram.jsonl"
        );
        let mut experiment = Experiment::default();
        experiment.target.backend = BackendChoice::Emulator;
        experiment.target.gpu = Some("GTX 745 (OEM)".to_owned());
        experiment.dist = Distribution::Zipf(1.5);
        experiment.params.insert("binning".to_owned(), vec![ParamValue::Word("range".to_owned())]);
        let text = command(&experiment);
        let tail = "--set binning=range --dist zipf:1.5 --backend emulator --gpu \"GTX 745 (OEM)\" -o histogram.jsonl";
        assert!(text.ends_with(tail), "{text}");
    }
}
