//! The algorithms: one file each, one trait, one registry.
//!
//! Adding one means a file beside `histogram.rs`, its `.cu` and PTX under
//! `kernels/`, and one word in [`ALL`].

use std::fmt;

use crate::experiment::{Case, Distribution, Experiment, ParamValue, Sizes};
use crate::units::BlockSize;
use crate::work::View;
use crate::work::{Dim3, HostBuffer, Inputs, Module, Sampling, Work};

pub mod compare;
pub mod distance_histogram;
pub mod dominant_peaks;
pub mod histogram;
pub mod inputs;
pub mod matmul;
pub mod merge_sort;
pub mod radix_partition;
pub mod reduce;
pub mod sampling;
pub mod scan;

/// Every algorithm, in the order lists show them.
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

/// The algorithm registered as `name`.
pub fn find(name: &str) -> Option<&'static dyn Algorithm> {
    ALL.iter().copied().find(|algorithm| algorithm.name() == name)
}

/// Everything the program knows about one algorithm.
pub trait Algorithm: Sync {
    /// Registered name, as typed on the command line.
    fn name(&self) -> &'static str;

    /// One sentence.
    fn summary(&self) -> &'static str;

    /// Ways to compute it, in the order lists show them.
    fn variants(&self) -> &'static [Variant];

    /// Its own parameters.
    fn params(&self) -> &'static [Param];

    /// Those of [`Algorithm::params`] that have a command-line option of their own, as
    /// in `--bins 8` for `--set bins=8`. Commands always print them.
    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    /// What a size counts, and how large it may be.
    fn size(&self) -> Size;

    /// Where a user begins who says nothing else.
    fn defaults(&self) -> Defaults;

    /// The kinds of distribution that its inputs can be drawn from; their
    /// parameters do not matter. A case with another kind is skipped.
    fn distributions(&self) -> &'static [Distribution] {
        &Distribution::ALL
    }

    /// The PTX that holds the kernels of a variant.
    fn module(&self, variant: &str) -> Module;

    /// Why a case cannot run on any device, in the user's words. Asked before
    /// [`Algorithm::work`].
    fn obstacle(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Reads the file at `path` as the value of the parameter `name`, which is of
    /// kind [`ParamKind::File`], or says in the user's words why not.
    fn file(&self, name: &str, path: &str) -> Result<ParamValue, String> {
        Err(format!("parameter {name} of {} takes no file, not even {path}", self.name()))
    }

    /// What keeps this machine from making the input of a case, in the user's
    /// words: a file that is not there. Asked before [`Algorithm::inputs`].
    fn missing_input(&self, _case: &Case) -> Option<String> {
        None
    }

    /// Buffers and steps of a case. The case has a known variant, all
    /// parameters within range, block and coarsening of at least 1, no
    /// [`Algorithm::obstacle`], and a size of at most [`Size::most`].
    fn work(&self, case: &Case) -> Work;

    /// How a few blocks of [`Algorithm::work`] can stand for all, so that counts and
    /// time of a large case are had without running it; the output then is none.
    fn sampling(&self, _case: &Case) -> Sampling {
        Sampling::Refused("it does not say what single blocks need")
    }

    /// Two cases with the same key have the same input.
    fn input_key(&self, case: &Case) -> String;

    /// The input data, in the order that [`crate::work::Init::Input`] counts.
    fn inputs(&self, case: &Case) -> Inputs;

    /// Two cases with the same key have the same reference.
    fn reference_key(&self, case: &Case) -> String;

    /// The right answer, computed on the CPU in the plainest way: what
    /// [`Algorithm::verify`] compares the outputs with. Floats are computed with
    /// 64 bits.
    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer>;

    /// Indices in [`Work::buffers`] of what is read back after the steps.
    fn outputs(&self, case: &Case) -> Vec<usize>;

    /// Compares the outputs with the reference: [`compare`] has the ways to.
    fn verify(
        &self,
        case: &Case,
        inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch>;

    /// Fewest bytes that any implementation must move through DRAM, and
    /// floating-point operations that it must do.
    fn traffic(&self, case: &Case) -> Traffic;

    /// Roughly how many elementary operations a case takes the emulator, which decides
    /// whether it is sampled where that is left to the program. A value that is read,
    /// added or compared is one; the emulator takes some ten instructions for it.
    fn operations(&self, case: &Case) -> u64 {
        let traffic = self.traffic(case);
        case.n.max(traffic.bytes / 4).max(traffic.flops / 2)
    }

    /// What the output view draws. The screen also asks for a view of the
    /// reference, before anything ran.
    fn view(&self, case: &Case, inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View>;
}

/// Blocks in x for `units` of work, one for each thread times the coarsening, and
/// at least one: a grid of no blocks is a failed launch.
fn grid(case: &Case, units: u64) -> Dim3 {
    let per_block = u64::from(case.block) * u64::from(case.coarsen);
    Dim3::linear(units.div_ceil(per_block.max(1)).max(1) as u32)
}

/// The experiment that an algorithm opens on: every variant at its defaults.
pub fn opening(algorithm: &dyn Algorithm) -> Experiment {
    let Defaults { sizes, block, coarsen } = algorithm.defaults();
    Experiment {
        algorithm: algorithm.name().to_owned(),
        blocks: BlockSize::new(block).into_iter().collect(),
        coarsenings: vec![coarsen],
        sizes,
        dist: algorithm.distributions().first().copied().unwrap_or_default(),
        ..Experiment::default()
    }
}

/// The value of a parameter that a user means: a file is read where one is
/// named.
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

/// What the size of a case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// In the plural, as it stands on axes: `elements`, `atoms`; or `order`, of
    /// a matrix.
    pub noun: &'static str,
    /// The largest that the kernels take.
    pub most: u64,
}

/// Where an algorithm begins.
#[derive(Debug, Clone, PartialEq)]
pub struct Defaults {
    /// Sizes of a sweep: all variants together take the emulator a second or
    /// two. A single run takes the largest.
    pub sizes: Sizes,
    /// Threads per block.
    pub block: u32,
    /// Work units per thread.
    pub coarsen: u32,
}

/// One way to compute an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Name, as typed.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Whether coarsening other than 1 makes sense.
    pub coarsens: bool,
}

/// A parameter of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Name, as in `--set NAME=…`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Allowed values and the default.
    pub kind: ParamKind,
}

/// What values a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// A whole number.
    Int {
        /// Lowest allowed.
        low: u64,
        /// Highest allowed.
        high: u64,
        /// Unless given.
        default: u64,
        /// Values to step through on the screen.
        steps: &'static [u64],
    },
    /// One of these words; the first unless given.
    Word(&'static [&'static str]),
    /// A file of this kind, such as `PNG`, or [`NO_FILE`], which it is unless given.
    File(&'static str),
}

/// The word that stands for no file.
pub const NO_FILE: &str = "none";

impl Param {
    /// The value unless another is given.
    pub fn default(&self) -> ParamValue {
        match self.kind {
            ParamKind::Int { default, .. } => ParamValue::Int(default),
            ParamKind::Word(words) => {
                ParamValue::Word(words.first().copied().unwrap_or_default().to_owned())
            }
            ParamKind::File(_) => ParamValue::Word(NO_FILE.to_owned()),
        }
    }

    /// Whether `value` is allowed.
    pub fn allows(&self, value: &ParamValue) -> bool {
        match (self.kind, value) {
            (ParamKind::Int { low, high, .. }, ParamValue::Int(value)) => {
                (low..=high).contains(value)
            }
            (ParamKind::Word(words), ParamValue::Word(word)) => words.contains(&word.as_str()),
            (ParamKind::File(_), ParamValue::Word(word)) => word == NO_FILE,
            (ParamKind::File(_), ParamValue::File { .. }) => true,
            _ => false,
        }
    }

    /// The allowed values in words: `2 to 65536`, `modulo | range`.
    pub fn allowed(&self) -> String {
        match self.kind {
            ParamKind::Int { low, high, .. } => format!("{low} to {high}"),
            ParamKind::Word(words) => words.join(" | "),
            ParamKind::File(kind) => format!("the name of a {kind} file | {NO_FILE}"),
        }
    }
}

/// The least work that a case needs.
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
    /// Elements that differ in all.
    pub differing: u64,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The first output is the answer; most algorithms have no other.
        let which = if self.output == 0 { String::new() } else { format!(" {}", self.output) };
        write!(
            f,
            "output{which}[{}] is {}, the reference has {} ({} elements differ)",
            self.index, self.got, self.expected, self.differing
        )
    }
}
