//! The algorithms: one file each, one trait, one registry.
//!
//! Adding one means a file beside `histogram.rs`, its `.cu` and PTX under
//! `kernels/`, and one word in [`ALL`].

use std::fmt;

use crate::experiment::{Case, ParamValue};
use crate::launch::{HostBuffer, Inputs, Module, Work};
use crate::measurement::View;

pub mod compare;
pub mod histogram;
pub mod inputs;

/// Every algorithm, in the order lists show them.
pub static ALL: &[&dyn Algorithm] = &[&histogram::Histogram];

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

    /// The PTX that holds its kernels.
    fn module(&self) -> Module;

    /// Buffers and launches of a case. The case has a known variant, all
    /// parameters within range, and block and coarsening of at least 1.
    fn work(&self, case: &Case) -> Work;

    /// Two cases with the same key have the same input.
    fn input_key(&self, case: &Case) -> String;

    /// The input data, in the order that [`crate::launch::Init::Input`] counts.
    fn inputs(&self, case: &Case) -> Inputs;

    /// Two cases with the same key have the same reference.
    fn reference_key(&self, case: &Case) -> String;

    /// The right answer, computed on the CPU in the plainest way: the contents
    /// of the output buffer.
    fn reference(&self, case: &Case, inputs: &Inputs) -> HostBuffer;

    /// Index of the output buffer in [`Work::buffers`].
    fn output(&self, case: &Case) -> usize;

    /// Compares an output with the reference.
    fn verify(
        &self,
        case: &Case,
        reference: &HostBuffer,
        output: &HostBuffer,
    ) -> Result<(), Mismatch>;

    /// Fewest bytes that any implementation must move through DRAM, and
    /// floating-point operations that it must do.
    fn traffic(&self, case: &Case) -> Traffic;

    /// What the output view draws.
    fn view(&self, case: &Case, output: &HostBuffer) -> Option<View>;
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
}

impl Param {
    /// The value unless another is given.
    pub fn default(&self) -> ParamValue {
        match self.kind {
            ParamKind::Int { default, .. } => ParamValue::Int(default),
            ParamKind::Word(words) => {
                ParamValue::Word(words.first().copied().unwrap_or_default().to_owned())
            }
        }
    }

    /// Whether `value` is allowed.
    pub fn allows(&self, value: &ParamValue) -> bool {
        match (self.kind, value) {
            (ParamKind::Int { low, high, .. }, ParamValue::Int(value)) => {
                (low..=high).contains(value)
            }
            (ParamKind::Word(words), ParamValue::Word(word)) => words.contains(&word.as_str()),
            _ => false,
        }
    }

    /// The allowed values in words: `2..=65536`, `modulo | range`.
    pub fn allowed(&self) -> String {
        match self.kind {
            ParamKind::Int { low, high, .. } => format!("{low}..={high}"),
            ParamKind::Word(words) => words.join(" | "),
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
    /// Element of the output.
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
        write!(
            f,
            "output[{}] is {}, the reference has {} ({} elements differ)",
            self.index, self.got, self.expected, self.differing
        )
    }
}
