//! One step of a trace: what is kept of every instruction of every warp.

use serde::{Deserialize, Serialize};

/// One PTX instruction of one warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Index of the instruction in the kernel.
    pub instruction: u32,
    /// The lanes that came to it together, as a mask. Its own guard may leave some out.
    pub active: u32,
    /// The warp of the block.
    pub warp: u8,
    /// Calls that it is inside of, up to 255.
    pub depth: u8,
    /// What stands out.
    pub marks: Marks,
}

// A million steps take 12 MB.
const _: () = assert!(size_of::<Step>() == 12);

/// What stands out of a step, to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "Vec<String>", from = "Vec<String>")]
pub struct Marks(pub(crate) u8);

/// The marks of a step by name, in files.
const NAMES: [(Marks, &str); 7] = [
    (Marks::DIVERGES, "diverges"),
    (Marks::CONFLICT, "conflict"),
    (Marks::SCATTERED, "scattered"),
    (Marks::SERIAL, "serial"),
    (Marks::BARRIER, "barrier"),
    (Marks::TRAP, "trap"),
    (Marks::MEMORY, "memory"),
];

impl From<Marks> for Vec<String> {
    fn from(marks: Marks) -> Self {
        marks.names().map(str::to_owned).collect()
    }
}

impl From<Vec<String>> for Marks {
    fn from(names: Vec<String>) -> Self {
        let mut marks = Self::default();
        for (mark, _) in NAMES.iter().filter(|(_, name)| names.iter().any(|it| it == name)) {
            marks.add(*mark);
        }
        marks
    }
}

impl Marks {
    /// A branch at which active lanes part.
    pub const DIVERGES: Self = Self(1);
    /// A load or store of shared memory that needs more passes than its width does.
    pub const CONFLICT: Self = Self(1 << 1);
    /// An access to global memory that fetches more sectors than its bytes fill, beyond the
    /// one that a misaligned start costs.
    pub const SCATTERED: Self = Self(1 << 2);
    /// An atomic whose lanes meet on an address, or in a bank.
    pub const SERIAL: Self = Self(1 << 3);
    /// Waits at a barrier of the block or the cluster.
    pub const BARRIER: Self = Self(1 << 4);
    /// The instruction that trapped.
    pub const TRAP: Self = Self(1 << 5);
    /// An access to memory.
    pub const MEMORY: Self = Self(1 << 6);
    /// The first step of a turn of a warp.
    pub(crate) const TURN: Self = Self(1 << 7);

    /// Whether it has all marks of `other`.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These but for those of `other`.
    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Adds the marks of `other`.
    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// The marks by name, for files: `diverges`, `conflict`, `scattered`, `serial`, `barrier`,
    /// `trap`, `memory`.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().filter(move |(mark, _)| self.has(*mark)).map(|(_, name)| *name)
    }
}
