//! A kernel that went wrong, and the ways in which it can.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kernel went wrong. A result, not a failure of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
pub struct Trap {
    /// What happened.
    pub kind: TrapKind,
    /// The kernel.
    pub kernel: String,
    /// Source file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Index of the block (x, y, z), if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Linear thread indices within the block that are concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lanes: Vec<u32>,
    /// The details in words.
    pub message: String,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in kernel {}", self.kind, self.kernel)?;
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            write!(f, " at {file}:{line}")?;
        }
        if let Some([x, y, z]) = self.block {
            write!(f, ", block ({x}, {y}, {z})")?;
        }
        if let Some(first) = self.lanes.first() {
            let more = self.lanes.len() - 1;
            write!(f, ", thread {first}")?;
            if more > 0 {
                write!(f, " and {more} more of its warp")?;
            }
        }
        write!(f, ": {}", self.message)
    }
}

/// The ways in which a kernel can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrapKind {
    /// An access outside every allocation, or past the end of its own.
    OutOfBounds,
    /// An access whose address is not a multiple of its size.
    Misaligned,
    /// Threads of a block wait at a barrier that the others can never reach.
    DivergentBarrier,
    /// More instructions than the budget allows.
    RunawayLoop,
    /// Every block that runs repeats its state while nothing changes memory.
    Livelock,
    /// The kernel executed `trap`.
    Trap,
    /// The launch was refused: too many threads, registers or shared memory.
    LaunchFailed,
    /// The GPU reported a fault after the launch.
    DeviceFault,
    /// The kernel finished, but its output differs from the reference.
    WrongAnswer,
}

impl TrapKind {
    /// The word for it in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::Misaligned => "misaligned",
            Self::DivergentBarrier => "divergent-barrier",
            Self::RunawayLoop => "runaway-loop",
            Self::Livelock => "livelock",
            Self::Trap => "trap",
            Self::LaunchFailed => "launch-failed",
            Self::DeviceFault => "device-fault",
            Self::WrongAnswer => "wrong-answer",
        }
    }
}

impl fmt::Display for TrapKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::OutOfBounds => "access out of bounds",
            Self::Misaligned => "misaligned access",
            Self::DivergentBarrier => "divergent barrier",
            Self::RunawayLoop => "runaway loop",
            Self::Livelock => "livelock",
            Self::Trap => "trap",
            Self::LaunchFailed => "launch failed",
            Self::DeviceFault => "device fault",
            Self::WrongAnswer => "wrong answer",
        })
    }
}
