//! How a few blocks of some work can stand for all.

use super::HostBuffer;

/// Makes what one block of one step reads, before it runs: parts of buffers.
/// Takes the index of the step and that of the block.
pub type Prepare = Box<dyn Fn(usize, u64) -> Vec<Part>>;

/// Whether and how work can be sampled.
pub enum Sampling {
    /// Not, and why.
    Refused(&'static str),
    /// Blocks stand alone: any of them may run without the others.
    Blocks(Prepare),
    /// Likewise, but what one finds in memory another may find otherwise: each runs
    /// right after it was made ready.
    Apart(Prepare),
    /// Blocks build on those before them: the first of each grid run, in order.
    Prefix(Prepare),
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

/// Consecutive elements of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// Index of the buffer in its work.
    pub buffer: usize,
    /// First element.
    pub first: u64,
    /// The elements.
    pub values: HostBuffer,
}
