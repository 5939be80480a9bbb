//! The algorithms: one folder each, one trait, one registry.
//!
//! A new one takes a file beside `reduce.rs`, its `.cu` and PTX under `kernels/`, and
//! one word in [`ALL`].

use std::fmt;
use std::sync::Arc;

use crate::experiment::{Case, Distribution, Experiment, ParamValue, Sizes};
use crate::units::BlockSize;
use crate::work::{Dim3, HostBuffer, Inputs, Module, Sampling, View, Work};

pub mod compare;
pub mod contract;
pub mod distance_histogram;
pub mod dominant_peaks;
pub mod histogram;
pub mod inputs;
pub mod matmul;
pub mod merge_sort;
pub mod radix_partition;
pub mod reduce;
mod registry;
pub mod sampling;
pub mod scan;
mod spec;
#[cfg(test)]
mod tests;

pub use contract::Contract;
pub use registry::{all, find, register};
pub use spec::{Defaults, NO_FILE, Param, ParamKind, Size, Spec, Variant};

/// Every built-in algorithm, in the order lists show them; [`all`] adds those of the
/// user's files.
pub static ALL: &[&dyn Algorithm] = &[
    &histogram::Histogram,
    &reduce::Reduce,
    &scan::Scan,
    &matmul::Matmul,
    &radix_partition::RadixPartition,
    &merge_sort::MergeSort,
    &dominant_peaks::DominantPeaks,
    &distance_histogram::DistanceHistogram,
];

/// A parameter of an algorithm with its value, as the screen shows it: `bins 256`, `m = n`.
pub fn with_value(algorithm: &str, name: &str, value: &ParamValue) -> String {
    let params = find(algorithm).map_or(&[][..], |it| it.params());
    let known = params.iter().find(|param| param.name == name);
    format!("{name} {}", known.map_or_else(|| value.to_string(), |param| param.shown(value)))
}

/// The short name of a variant; the name itself where it is not registered.
pub fn short_name<'a>(algorithm: &str, variant: &'a str) -> &'a str {
    let known = find(algorithm).into_iter().flat_map(Algorithm::variants);
    known.into_iter().find(|it| it.name == variant).map_or(variant, |it| it.short)
}

/// An input that another kernel produces.
#[derive(Debug, Clone, PartialEq)]
pub struct Produced {
    /// Its index among the inputs.
    pub input: usize,
    /// The case that produces it.
    pub case: Case,
    /// Index of the buffer in that case's work.
    pub buffer: usize,
}

/// Everything the program knows about one algorithm.
pub trait Algorithm: Sync {
    /// Its constant data.
    fn spec(&self) -> &'static Spec;

    /// Registered name, as typed on the command line.
    fn name(&self) -> &'static str {
        self.spec().name
    }

    /// One sentence.
    fn summary(&self) -> &'static str {
        self.spec().summary
    }

    /// Ways to compute it, in the order lists show them.
    fn variants(&self) -> &'static [Variant] {
        self.spec().variants
    }

    /// Its own parameters.
    fn params(&self) -> &'static [Param] {
        self.spec().params
    }

    /// Those of [`Algorithm::params`] with a command-line option of their own.
    fn options(&self) -> &'static [&'static str] {
        self.spec().options
    }

    /// What a size counts, and the largest one.
    fn size(&self) -> Size {
        self.spec().size
    }

    /// The experiment that it opens on.
    fn defaults(&self) -> Defaults {
        self.spec().defaults
    }

    /// The sizes of the sweep that it opens on.
    fn sizes(&self) -> Sizes {
        self.defaults().sizes()
    }

    /// The kinds of distribution of its inputs.
    fn distributions(&self) -> &'static [Distribution] {
        self.spec().distributions
    }

    /// The PTX with the kernels of a variant.
    fn module(&self, _variant: &str) -> Module {
        self.spec().module
    }

    /// The only block size that a variant runs with; `None` if it runs with any.
    fn own_block(&self, _variant: &str) -> Option<u32> {
        None
    }

    /// Why a case cannot run on any device. Asked before [`Algorithm::work`].
    fn obstacle(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Reads the file at `path` as the value of the parameter `name`, of kind
    /// [`ParamKind::File`].
    ///
    /// # Errors
    /// In words, where the file cannot be the value.
    fn file(&self, name: &str, path: &str) -> Result<ParamValue, String> {
        Err(format!("parameter {name} of {} takes no file, not even {path}", self.name()))
    }

    /// Why this machine cannot make the input of a case, such as a missing file. Asked
    /// before [`Algorithm::inputs`].
    fn missing_input(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Buffers and steps of a case. The case has a known variant, all
    /// parameters within range, block and coarsening of at least 1, no
    /// [`Algorithm::obstacle`], and a size of at most [`Size::most`].
    fn work(&self, case: &Case) -> Work;

    /// How a sample of [`Algorithm::work`] predicts counts and time of a large case. A
    /// sample has no output.
    fn sampling(&self, _case: &Case) -> Sampling {
        Sampling::Refused("it does not say what single blocks need")
    }

    /// Two cases with the same key have the same input.
    fn input_key(&self, case: &Case) -> String {
        format!("u32 {} seed={} n={}", case.dist, case.seed, case.n)
    }

    /// The input data, in the order of [`crate::work::Init::Input`]; by default `n` words.
    fn inputs(&self, case: &Case) -> Inputs {
        let words = inputs::generate(case.dist, case.seed, case.n as usize);
        vec![Arc::new(HostBuffer::U32(words))]
    }

    /// The inputs that other kernels produce. [`Algorithm::inputs`] has empty buffers in their
    /// places. There are no circular dependencies.
    fn produced_inputs(&self, _case: &Case) -> Vec<Produced> {
        Vec::new()
    }

    /// Two cases with the same key have the same reference.
    fn reference_key(&self, case: &Case) -> String {
        let params = case.params.iter().map(|(name, value)| format!(" {name}={value}"));
        format!("{}{}", self.input_key(case), params.collect::<String>())
    }

    /// The case whose output is the reference of `case`, where a kernel computes it: it
    /// runs on the same backend and replaces [`Algorithm::reference`]. It has the input of
    /// `case`.
    fn reference_case(&self, _case: &Case) -> Option<Case> {
        None
    }

    /// What a user's kernel has to accept to join the variants of this algorithm.
    fn contract(&self) -> Option<&'static Contract> {
        None
    }

    /// The right answer, computed on the CPU in the plainest way. Floats are computed
    /// with 64 bits.
    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer>;

    /// Indices in [`Work::buffers`] of what is read back after the steps.
    fn outputs(&self, case: &Case) -> Vec<usize>;

    /// Compares the outputs with the reference, by default exactly; [`compare`] has
    /// other ways.
    ///
    /// # Errors
    /// The first difference.
    fn verify(
        &self,
        _case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        compare::exactly(reference, outputs)
    }

    /// Fewest bytes that any implementation must move through DRAM, and
    /// floating-point operations that it must do.
    fn traffic(&self, case: &Case) -> Traffic;

    /// Elementary operations of a case, roughly: values that are read, added or compared.
    /// The emulator takes some ten instructions for each. This number decides whether
    /// `--sample auto` samples the case.
    fn operations(&self, case: &Case) -> u64 {
        let traffic = self.traffic(case);
        case.n.max(traffic.bytes / 4).max(traffic.flops / 2)
    }

    /// What the output view draws. The screen also asks for a view of the
    /// reference, before anything ran.
    fn view(&self, case: &Case, inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View>;
}

/// The algorithm of a case whose names and values exist. A stored case may have been written
/// by anyone: memory and time of its input grow with its values.
pub fn sound(case: &Case) -> Option<&'static dyn Algorithm> {
    let algorithm = find(&case.algorithm)?;
    let variant = |name: &str| algorithm.variants().iter().any(|variant| variant.name == name);
    let allowed =
        |param: &Param| case.params.get(param.name).is_some_and(|value| param.allows(value));
    let sound = (case.variant.is_empty() || variant(&case.variant))
        && case.n <= algorithm.size().most
        && BlockSize::new(case.block).is_ok()
        && case.coarsen > 0
        && algorithm.params().iter().all(allowed)
        && algorithm.distributions().iter().any(|dist| dist.is_like(case.dist))
        && algorithm.obstacle(case).is_none();
    sound.then_some(algorithm)
}

/// Blocks in x for `units` of work, one for each thread times the coarsening, and
/// at least one: a grid of no blocks is a failed launch.
fn grid(case: &Case, units: u64) -> Dim3 {
    let per_block = u64::from(case.block) * u64::from(case.coarsen);
    Dim3::linear(units.div_ceil(per_block.max(1)).max(1) as u32)
}

/// Why no kernel of a variant holds as many values in the registers of a thread as the
/// coarsening says: there is one kernel for each number in `held`.
fn held(values: &str, case: &Case, held: &[u32]) -> Option<String> {
    if held.contains(&case.coarsen) {
        return None;
    }
    let numbers: Vec<String> = held.iter().map(ToString::to_string).collect();
    let numbers = numbers.join(", ");
    Some(format!(
        "a thread of `{}` holds its {values} in registers, and there are kernels for {numbers} of \
         them, not for {}; set the coarsening to one of these",
        case.variant, case.coarsen
    ))
}

/// The experiment that an algorithm opens on: every variant at its defaults.
pub fn opening(algorithm: &dyn Algorithm) -> Experiment {
    let defaults = algorithm.defaults();
    Experiment {
        algorithm: algorithm.name().to_owned(),
        blocks: BlockSize::new(defaults.block).into_iter().collect(),
        coarsenings: vec![defaults.coarsen],
        sizes: algorithm.sizes(),
        dist: algorithm.distributions().first().copied().unwrap_or_default(),
        ..Experiment::default()
    }
}

/// The value of a parameter that a user gives: a file is read where one is named.
///
/// # Errors
/// In words, where the file cannot be the value.
pub fn meant(
    algorithm: &dyn Algorithm,
    param: &Param,
    given: &ParamValue,
) -> Result<ParamValue, String> {
    match (param.kind, given) {
        (ParamKind::File(_), ParamValue::Word(_) | ParamValue::Int(_)) if !param.allows(given) => {
            algorithm.file(param.name, &given.to_string())
        }
        _ => Ok(given.clone()),
    }
}

/// The least work of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Bytes through DRAM.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
}

/// The first difference between an output and its reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Which of [`Algorithm::outputs`].
    pub output: usize,
    /// Element of that output.
    pub index: u64,
    /// What the reference has.
    pub expected: String,
    /// What the kernel has.
    pub got: String,
    /// Number of elements that differ.
    pub differing: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The first output is the answer; most algorithms have no other.
        let which = if self.output == 0 { String::new() } else { format!(" {}", self.output) };
        write!(
            f,
            "output{which}[{}] is {}, the reference has {} ",
            self.index, self.got, self.expected
        )?;
        match self.differing {
            1 => f.write_str("(1 element differs)"),
            several => write!(f, "({several} elements differ)"),
        }
    }
}
