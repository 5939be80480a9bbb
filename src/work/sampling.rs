//! How large work is sampled: by some of its blocks, or by smaller work.

use super::{Inputs, Step, Work};

/// Whether and how work can be sampled.
pub enum Sampling {
    /// It cannot, for this reason.
    Refused(&'static str),
    /// Some blocks of each launch run, in any order. Their buffers hold these inputs, or
    /// zeros where counts depend on no value.
    Blocks(Inputs),
    /// The same for a user's kernels, on the inputs of the case. The backend checks first that no block
    /// uses data of others.
    Unknown(Inputs),
    /// Smaller work runs in full, and its counts are extrapolated. Launches without terms
    /// are sampled by blocks that read zeros.
    Extrapolate(Box<dyn Fn() -> Vec<Smaller>>),
}

/// Smaller work, which runs in full.
pub struct Smaller {
    /// The smaller work. Its buffers are those of the larger work, in the same order.
    pub work: Work,
    /// Its inputs; none where zeros do.
    pub inputs: Inputs,
    /// The larger launches that its launches are terms of.
    pub terms: Vec<Term>,
    /// L1 holds at least one part in `cached` of its buffers, however little it holds
    /// of the larger work's.
    pub cached: u64,
}

/// One launch of smaller work as a term of a larger launch of the same kernel: the
/// weighted sum of all terms is what the larger launch counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// Index of the step in the smaller work.
    pub from: usize,
    /// Index of the step in the larger work.
    pub to: usize,
    /// Weight of its average block in the larger launch's average block.
    pub mean: f64,
    /// Weight of its longest block in the larger launch's longest block.
    pub longest: f64,
    /// As `mean`, for atomics in global memory.
    pub atomics: f64,
}

impl Term {
    /// Step `from` as a term of step `to`, with one weight for all that it counts.
    pub fn new(from: usize, to: usize, weight: f64) -> Self {
        Self { from, to, mean: weight, longest: weight, atomics: weight }
    }
}

impl Smaller {
    /// Smaller work with its terms.
    pub fn new(work: Work, inputs: Inputs, terms: Vec<Term>) -> Self {
        Self { work, inputs, terms, cached: 4 }
    }

    /// Work that is small enough to run as it is.
    pub fn itself(work: Work, inputs: Inputs) -> Self {
        let launches = (0..).zip(&work.steps).filter(|(_, step)| matches!(step, Step::Launch(_)));
        let terms = launches.map(|(index, _)| Term::new(index, index, 1.0)).collect();
        Self::new(work, inputs, terms)
    }
}
