//! What the sanitizer reports.

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// An access outside every allocation, or past the end of its own.
    OutOfBounds,
    /// An address that is not a multiple of the access's size.
    Misaligned,
    /// An access through one argument that lands in another's buffer.
    WrongAllocation,
    /// A read of uninitialised memory.
    Uninitialised,
    /// Unordered accesses of two threads, at least one of them a write.
    Race,
    /// A barrier that not all threads reach together.
    DivergentBarrier,
    /// An exchange that names lanes that cannot take part.
    LaneMask,
    /// Lanes that wait for other lanes of their warp, on a target that does not
    /// guarantee progress.
    Progress,
}

impl FindingKind {
    /// The word for it in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::Misaligned => "misaligned",
            Self::WrongAllocation => "wrong-allocation",
            Self::Uninitialised => "uninitialised",
            Self::Race => "race",
            Self::DivergentBarrier => "divergent-barrier",
            Self::LaneMask => "lane-mask",
            Self::Progress => "progress",
        }
    }
}

/// An error, reported once per kind and source line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Source file, or the PTX where no `.loc` names one.
    pub file: String,
    /// Line in it.
    pub line: u32,
    /// Line in the PTX.
    pub ptx_line: u32,
    /// Block of the first occurrence.
    pub block: [u32; 3],
    /// Its threads within the block.
    pub lanes: Vec<u32>,
    /// Threads concerned in all occurrences.
    pub count: u64,
    /// The other access of a race.
    pub other: Option<(String, u32)>,
    /// The details of the first occurrence, in words.
    pub message: String,
}
