//! What an algorithm says of itself: constant data that every room reads.

use crate::experiment::{Distribution, ParamValue, Sizes};
use crate::work::Module;

/// The constant data of an algorithm.
#[derive(Debug)]
pub struct Spec {
    /// Registered name, as typed on the command line.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Ways to compute it, in the order lists show them.
    pub variants: &'static [Variant],
    /// Its own parameters.
    pub params: &'static [Param],
    /// Parameters with a command-line option of their own, such as `--bins 8` for
    /// `--set bins=8`. Commands always print them.
    pub options: &'static [&'static str],
    /// What a size counts, and the largest one.
    pub size: Size,
    /// The experiment that it opens on.
    pub defaults: Defaults,
    /// The kinds of distribution of its inputs, without their parameters. A case with
    /// another kind is skipped.
    pub distributions: &'static [Distribution],
    /// The PTX with the kernels of its variants.
    pub module: Module,
    /// The records that the screen shows before anything ran, as the store writes them;
    /// empty where there are none.
    pub recording: &'static [u8],
}

/// What the size of a case counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// In the plural, as on axes: `elements`, `atoms`; or `order`, of a matrix.
    pub noun: &'static str,
    /// The largest that the kernels take.
    pub most: u64,
}

/// The experiment that an algorithm opens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defaults {
    /// First and last size of a sweep that doubles it: all variants together take the
    /// emulator a second or two. A single run takes the last.
    pub sizes: (u64, u64),
    /// Threads per block.
    pub block: u32,
    /// Work units per thread.
    pub coarsen: u32,
}

impl Defaults {
    /// The sizes of a sweep.
    pub fn sizes(&self) -> Sizes {
        Sizes::range(self.sizes.0, self.sizes.1, 2)
    }
}

/// One way to compute an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Name, as typed.
    pub name: &'static str,
    /// Name where there is little room: at most [`Variant::MOST_SHORT`] characters, and no
    /// other variant of the algorithm has it.
    pub short: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What it does that slower ones do not, in at most [`Variant::MOST_IDEA`] characters: the
    /// label of its rung on the ladder. Empty for a kernel of the user.
    pub idea: &'static str,
    /// Whether coarsening other than 1 makes sense.
    pub coarsens: bool,
    /// Whether it multiplies on tensor cores, in TF32: that has a peak of its own.
    pub tensor: bool,
}

impl Variant {
    /// Most characters of a short name: they fit into the form and the legend of the smallest
    /// screen.
    pub const MOST_SHORT: usize = 15;

    /// Most characters of an idea: it fits beside a factor on the smallest screen.
    pub const MOST_IDEA: usize = 36;

    /// A variant that coarsens, with a name that needs no shorter one.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, short: name, summary, idea: "", coarsens: true, tensor: false }
    }

    /// The same variant with a shorter name.
    pub const fn short(self, short: &'static str) -> Self {
        Self { short, ..self }
    }

    /// The same variant on tensor cores.
    pub const fn tensor(self) -> Self {
        Self { tensor: true, ..self }
    }

    /// The same variant with its idea: `private bins in shared memory`.
    pub const fn idea(self, idea: &'static str) -> Self {
        Self { idea, ..self }
    }
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
    /// Whether a larger value spreads atomics over more addresses.
    pub spreads_atomics: bool,
    /// What 0 stands for on the screen, where that is no number: `= n`.
    pub zero: Option<&'static str>,
}

/// The values of a parameter.
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
    /// A file of this kind, such as `PNG`; [`NO_FILE`] unless given.
    File(&'static str),
}

/// The word for no file.
pub const NO_FILE: &str = "none";

impl Param {
    /// A parameter of this kind.
    pub const fn new(name: &'static str, summary: &'static str, kind: ParamKind) -> Self {
        Self { name, summary, kind, spreads_atomics: false, zero: None }
    }

    /// A number from `range.0` to `range.1`, with values to step through.
    pub const fn int(
        name: &'static str,
        summary: &'static str,
        range: (u64, u64),
        default: u64,
        steps: &'static [u64],
    ) -> Self {
        Self::new(name, summary, ParamKind::Int { low: range.0, high: range.1, default, steps })
    }

    /// One of these words.
    pub const fn word(
        name: &'static str,
        summary: &'static str,
        words: &'static [&'static str],
    ) -> Self {
        Self::new(name, summary, ParamKind::Word(words))
    }

    /// The same, where 0 stands for something else.
    pub const fn zero(mut self, means: &'static str) -> Self {
        self.zero = Some(means);
        self
    }

    /// A value as the screen shows it.
    pub fn shown(&self, value: &ParamValue) -> String {
        match (self.zero, value) {
            (Some(means), ParamValue::Int(0)) => means.to_owned(),
            _ => value.to_string(),
        }
    }

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

/// The PTX, source and resources of `kernels/NAME.cu`.
macro_rules! module {
    ($name:literal) => {
        crate::work::Module {
            name: $name,
            path: concat!("kernels/ptx/", $name, ".ptx"),
            ptx: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/ptx/", $name, ".ptx")),
            source: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/", $name, ".cu")),
            resources: include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/ptx/",
                $name,
                ".csv"
            )),
        }
    };
}

/// The built-in recording of a system on an H200; `assets/recordings/README.md` has the
/// command.
macro_rules! recording {
    ($name:literal) => {
        include_bytes!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/assets/recordings/",
            $name,
            "_h200.jsonl"
        ))
    };
}

pub(super) use {module, recording};
