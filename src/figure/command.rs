//! The commands that reproduce a figure: `sweep` makes its numbers, `plot` draws them.

mod draw;
mod points;
mod shell;

use std::fmt::Display;

use crate::algorithms;
use crate::experiment::{
    BackendChoice, Case, DEFAULT_SEED, Distribution, Experiment, SampleChoice, Target,
};
use crate::own;
use crate::results::record::Record;

pub(super) use draw::{View, drawing, of_chart};
pub use points::command_for;
use shell::quoted;
pub use shell::wrapped;

/// Up to this many variants are named even if they are all that there are.
const FEW_VARIANTS: usize = 4;

/// The command that runs `experiment`. Defaults are left out, except for block size,
/// coarsening and the parameters that have an option of their own: those are what a
/// reader asks for first.
pub fn command(experiment: &Experiment) -> String {
    format!(
        "{} -o {}",
        case_of("sweep", experiment),
        quoted(&format!("{}.jsonl", experiment.algorithm))
    )
}

/// A subcommand with the options that name the cases of `experiment`.
fn case_of(subcommand: &str, experiment: &Experiment) -> String {
    let algorithm = algorithms::find(&experiment.algorithm);
    let options = algorithm.map_or(&[][..], |algorithm| algorithm.options());
    let params = algorithm.map_or(&[][..], |algorithm| algorithm.params());
    let mut text = format!("warpscope {subcommand} {}", quoted(&experiment.algorithm));
    let mut option = |name: &str, value: &str| text.extend([" ", name, " ", &quoted(value)]);
    // What the file does not say itself.
    let own = own::current(&experiment.algorithm);
    if let Some(like) = own.and_then(|version| version.file.like.as_deref()) {
        option("--like", like);
    }
    let known = algorithm.map_or(&[][..], |algorithm| algorithm.variants());
    if known.len() > FEW_VARIANTS
        && known.iter().all(|variant| experiment.variants.iter().any(|it| it == variant.name))
    {
        option("--variant", "all");
    } else if !experiment.variants.is_empty() {
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
    let opening = algorithm.map_or_else(Distribution::default, |it| algorithms::opening(it).dist);
    if experiment.dist != opening {
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
    text
}

/// The command that runs `case`, on the device of `record` if there is one.
pub fn command_of(case: &Case, record: Option<&Record>) -> String {
    let target = record.map(points::target).unwrap_or_default();
    command(&points::experiment(case.clone(), &[&points::Point::of(case)], target))
}

/// The command that runs `case` alone, with the limits of a GPU.
pub(in crate::figure) fn run_of(case: &Case, gpu: Option<&str>) -> String {
    let target = Target { gpu: gpu.map(str::to_owned), ..Target::default() };
    case_of("run", &points::experiment(case.clone(), &[&points::Point::of(case)], target))
}

fn list<T: Display>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
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
