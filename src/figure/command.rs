//! The command that reproduces the numbers of a figure.

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::algorithms;
use crate::experiment::{
    BackendChoice, Case, DEFAULT_SEED, Distribution, Experiment, ParamValue, SampleChoice,
};
use crate::results::record::{Provenance, Record};
use crate::units::Elements;

/// The command that runs `experiment`.
pub fn command(experiment: &Experiment) -> String {
    let backend = experiment.target.backend;
    Command {
        algorithm: &experiment.algorithm,
        variants: experiment.variants.clone(),
        blocks: experiment.blocks.iter().map(|block| block.get()).collect(),
        coarsenings: experiment.coarsenings.clone(),
        sizes: experiment.sizes.to_string(),
        params: experiment
            .params
            .iter()
            .map(|(name, values)| (name.as_str(), values.clone()))
            .collect(),
        dist: experiment.dist,
        seed: experiment.seed,
        backend: (backend != BackendChoice::Auto).then(|| backend.name()),
        gpu: experiment.target.gpu.as_deref(),
        sample: experiment.target.sample,
    }
    .text()
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
    let lines: Vec<String> = groups.iter().filter_map(|group| of_group(group)).collect();
    lines.join("\n")
}

/// The command that runs `case`, on the device of `record` if there is one.
pub fn command_of(case: &Case, record: Option<&Record>) -> String {
    let params = case.params.iter();
    Command {
        algorithm: &case.algorithm,
        variants: vec![case.variant.clone()],
        blocks: vec![case.block],
        coarsenings: vec![case.coarsen],
        sizes: Elements(case.n).to_string(),
        params: params.map(|(name, value)| (name.as_str(), vec![value.clone()])).collect(),
        dist: case.dist,
        seed: case.seed,
        sample: SampleChoice::Auto,
        backend: record.map(|record| record.backend.as_str()),
        gpu: record
            .filter(|record| record.backend == "emulator")
            .map(|record| record.device.name.as_str()),
    }
    .text()
}

fn of_group(records: &[&Record]) -> Option<String> {
    let first = records.first()?;
    let sizes: Vec<u64> = distinct(records.iter().map(|record| record.n));
    let names: Vec<&str> =
        distinct(records.iter().flat_map(|record| record.params.keys().map(String::as_str)));
    // The order of the registry reads better than the alphabet's.
    let mut variants = distinct(records.iter().map(|record| record.variant.clone()));
    if let Some(algorithm) = algorithms::find(&first.algorithm) {
        let place = |name: &String| algorithm.variants().iter().position(|v| v.name == name);
        variants.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    }
    let command = Command {
        algorithm: &first.algorithm,
        variants,
        blocks: distinct(records.iter().map(|record| record.block)),
        coarsenings: distinct(records.iter().map(|record| record.coarsen)),
        sizes: sizes_text(&sizes),
        params: names
            .into_iter()
            .map(|name| {
                let values = records.iter().filter_map(|record| record.params.get(name).cloned());
                (name, distinct(values))
            })
            .collect(),
        dist: first.dist,
        seed: first.seed,
        backend: Some(&first.backend),
        gpu: (first.backend == "emulator").then_some(first.device.name.as_str()),
        sample: SampleChoice::Auto,
    };
    Some(command.text())
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect::<BTreeSet<T>>().into_iter().collect()
}

/// The arguments of `warpscope sweep`.
struct Command<'a> {
    algorithm: &'a str,
    variants: Vec<String>,
    blocks: Vec<u32>,
    coarsenings: Vec<u32>,
    sizes: String,
    params: Vec<(&'a str, Vec<ParamValue>)>,
    dist: Distribution,
    seed: u64,
    backend: Option<&'a str>,
    gpu: Option<&'a str>,
    sample: SampleChoice,
}

impl Command<'_> {
    /// Defaults are left out, except for block size, coarsening and the parameters
    /// that have an option of their own: those are what a reader asks for first.
    fn text(&self) -> String {
        let algorithm = algorithms::find(self.algorithm);
        let options = algorithm.map_or(&[][..], |algorithm| algorithm.options());
        let mut text = format!("warpscope sweep {}", quoted(self.algorithm));
        let mut option = |name: &str, value: &str| {
            text.extend([" ", name, " ", &quoted(value)]);
        };
        if !self.variants.is_empty() {
            option("--variant", &list(&self.variants));
        }
        option("--block", &list(&self.blocks));
        option("--coarsen", &list(&self.coarsenings));
        option("-n", &self.sizes);
        for (name, values) in &self.params {
            if options.contains(name) {
                option(&format!("--{name}"), &list(values));
            } else if !self.is_default(name, values) {
                option("--set", &format!("{name}={}", list(values)));
            }
        }
        if self.dist != Distribution::default() {
            option("--dist", &self.dist.to_string());
        }
        if self.seed != DEFAULT_SEED {
            option("--seed", &self.seed.to_string());
        }
        if let Some(backend) = self.backend {
            option("--backend", backend);
        }
        if let Some(gpu) = self.gpu {
            option("--gpu", gpu);
        }
        if self.sample != SampleChoice::Auto {
            option("--sample", self.sample.name());
        }
        option("-o", &format!("{}.jsonl", self.algorithm));
        text
    }

    fn is_default(&self, name: &str, values: &[ParamValue]) -> bool {
        let param = algorithms::find(self.algorithm)
            .and_then(|algorithm| algorithm.params().iter().find(|param| param.name == name));
        param.is_some_and(|param| *values == [param.default()])
    }
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

/// Ascending sizes as they are typed: geometric runs as `2^10..2^22` or
/// `2^10..2^22:x4`, the rest one by one.
fn sizes_text(sizes: &[u64]) -> String {
    let mut parts = Vec::new();
    let mut rest = sizes;
    while let [first, tail @ ..] = rest {
        let factor = tail.first().map_or(0, |next| if *first > 0 { next / first } else { 0 });
        let grows = |pair: &&[u64]| factor > 1 && pair[0].checked_mul(factor) == Some(pair[1]);
        let run = 1 + rest.windows(2).take_while(grows).count();
        match rest.get(run - 1) {
            Some(last) if run > 2 => {
                let step = if factor == 2 { String::new() } else { format!(":x{factor}") };
                parts.push(format!("{}..{}{step}", Elements(*first), Elements(*last)));
                rest = rest.get(run..).unwrap_or_default();
            }
            _ => {
                parts.push(Elements(*first).to_string());
                rest = tail;
            }
        }
    }
    parts.join(",")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::Sizes;
    use proptest::prelude::*;

    #[test]
    fn runs_of_sizes_are_written_as_ranges() {
        for (sizes, text) in [
            (vec![], ""),
            (vec![0, 1, 33], "0,1,33"),
            (vec![1024, 2048, 4096], "2^10..2^12"),
            (vec![1024, 4096, 16384, 17000], "2^10..2^14:x4,17k"),
            (vec![1000, 5000, 1_000_000], "1000,5000,1M"),
            (vec![3, 1024, 2048, 4096], "3,2^10..2^12"),
        ] {
            assert_eq!(sizes_text(&sizes), text);
        }
    }

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

    proptest! {
        #[test]
        fn written_sizes_read_back(sizes in proptest::collection::btree_set(0u64..1 << 31, 1..12)) {
            let sizes: Vec<u64> = sizes.into_iter().filter(|n| *n < 1 << 31).collect();
            let read: Sizes = sizes_text(&sizes).parse().unwrap();
            prop_assert_eq!(read.values(), sizes);
        }

        #[test]
        fn written_runs_read_back(from in 1u64..9, factor in 2u64..5, count in 1u32..8, odd in 0u64..40) {
            let mut sizes: BTreeSet<u64> = (0..count).map(|i| from * factor.pow(i)).collect();
            sizes.insert(odd);
            let sizes: Vec<u64> = sizes.into_iter().collect();
            let read: Sizes = sizes_text(&sizes).parse().unwrap();
            prop_assert_eq!(read.values(), sizes);
        }
    }
}
