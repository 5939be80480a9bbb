//! How a few blocks of some work can stand for all.

use super::{HostBuffer, Work};

/// Makes what one block of one step reads, before it runs: parts of buffers.
/// Takes the index of the step and that of the block.
pub type Prepare = Box<dyn Fn(usize, u64) -> Vec<Part>>;

/// Makes the smaller work that stands for a step, from its index; none for a step whose
/// own blocks can run.
pub type Smaller = Box<dyn Fn(usize) -> Vec<StandIn>>;

/// Whether and how work can be sampled.
pub enum Sampling {
    /// Not, and why.
    Refused(&'static str),
    /// Blocks stand alone: any of them may run without the others.
    Blocks(Prepare),
    /// Likewise, and so many between the first and the last of a step tell enough.
    Few(Prepare, u64),
    /// As `Blocks`, but what one finds in memory another may find otherwise: each runs
    /// right after it was made ready.
    Apart(Prepare),
    /// Blocks build on those before them: the first of each grid run, in order.
    Prefix(Prepare),
    /// Blocks of some steps take too long to run even a few. What they count grows evenly
    /// with quantities of the case, and is told from smaller work. The other steps are
    /// sampled as said.
    Smaller(Smaller, Box<Self>),
}

/// Work of one launch that, with others, stands for a larger launch of the same kernel in
/// as large blocks: what they count, times their weights, adds up to what that counts.
pub struct StandIn {
    /// The smaller work. Its buffers are those of the larger, in the same order.
    pub work: Work,
    /// How it is sampled in turn.
    pub sampling: Sampling,
    /// Weight of what its blocks do on average in what those of the larger do.
    pub mean: f64,
    /// The same of blocks that have no less to do than any other.
    pub longest: f64,
    /// Weight of what its blocks do with atomics in global memory on average, where
    /// that does not grow as all else does.
    pub atomics: f64,
    /// Of its buffers, L1 holds at least one part in so many, however little it holds of
    /// the larger work's: what a warp goes over at a time should fit in both.
    pub cached: u64,
}

impl StandIn {
    /// Work all of whose blocks weigh the same, in all that they do.
    pub fn weighing(weight: f64, work: Work, sampling: Sampling) -> Self {
        Self { work, sampling, mean: weight, longest: weight, atomics: weight, cached: 4 }
    }
}

impl Sampling {
    /// Blocks that stand alone, and whose counts depend on no value: zeros do.
    pub fn blind() -> Self {
        Self::Blocks(Box::new(|_, _| Vec::new()))
    }

    /// Likewise, of blocks that build on those before them.
    pub fn blind_prefix() -> Self {
        Self::Prefix(Box::new(|_, _| Vec::new()))
    }
}

/// Elements of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Index of the buffer in its work.
    pub buffer: usize,
    /// Where they go.
    pub places: Places,
    /// The elements.
    pub values: HostBuffer,
}

/// Where elements of a buffer are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// One after the other, from this index on.
    From(u64),
    /// Each at its index.
    Each(Vec<u64>),
}

impl Part {
    /// Consecutive elements from index `first` on.
    pub fn new(buffer: usize, first: u64, values: HostBuffer) -> Self {
        Self { buffer, places: Places::From(first), values }
    }
}
