//! The launch vocabulary: what every backend is told, and what it answers.
//!
//! An algorithm turns a case into [`Work`] (a module, buffers, launches); a
//! backend carries it out and answers with times, buffers, or a [`Trap`].

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::Digest;

/// The size of a grid (in blocks) or of a block (in threads).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Dim3 {
    /// Extent along x, the fastest-running index.
    pub x: u32,
    /// Extent along y.
    pub y: u32,
    /// Extent along z.
    pub z: u32,
}

impl Dim3 {
    /// `x` by 1 by 1.
    pub fn linear(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }

    /// Blocks in the grid, or threads in the block.
    pub fn count(self) -> u64 {
        u64::from(self.x) * u64::from(self.y) * u64::from(self.z)
    }
}

/// PTX as shipped, with what the assembler said about its kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// Short name, such as `histogram`.
    pub name: &'static str,
    /// The path that errors name, such as `kernels/ptx/histogram.ptx`.
    pub path: &'static str,
    /// The PTX.
    pub ptx: &'static str,
    /// `kernels/ptx/NAME.csv`: registers, shared memory and spills of each
    /// kernel for each architecture.
    pub resources: &'static str,
}

impl Module {
    /// First 16 hex digits of the SHA-256 of the PTX, which stored records name.
    pub fn hash(&self) -> String {
        use std::fmt::Write as _;
        let mut hex = String::new();
        for byte in sha2::Sha256::digest(self.ptx).iter().take(8) {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }

    /// What `kernel` takes on a GPU of compute capability `cc` (as 90 for 9.0):
    /// the table's row for that architecture, else for the newest one below.
    pub fn resources(&self, kernel: &str, cc: u32) -> Option<Resources> {
        let mut best: Option<(u32, Resources)> = None;
        for line in self.resources.lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let [name, architecture, registers, shared, stack, ..] = fields[..] else {
                continue;
            };
            let Some(architecture) = architecture.strip_prefix("sm_").and_then(|a| a.parse().ok())
            else {
                continue;
            };
            if name != kernel || architecture > cc {
                continue;
            }
            if best.is_none_or(|(found, _)| architecture > found) {
                let number = |text: &str| text.parse().unwrap_or(0);
                best = Some((
                    architecture,
                    Resources {
                        registers: number(registers),
                        static_shared: number(shared),
                        stack: number(stack),
                    },
                ));
            }
        }
        best.map(|(_, resources)| resources)
    }
}

/// What one kernel takes on one architecture, as `ptxas -v` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// 32-bit registers per thread.
    pub registers: u32,
    /// Statically allocated shared memory per block, in bytes.
    pub static_shared: u32,
    /// Stack frame per thread, in bytes (local arrays and spills).
    pub stack: u32,
}

/// A typed buffer on the host. All integers and floats are little-endian in
/// device memory.
#[derive(Debug, Clone, PartialEq)]
pub enum HostBuffer {
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
    /// 32-bit floats.
    F32(Vec<f32>),
}

impl HostBuffer {
    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::U32(values) => values.len() as u64 * 4,
            Self::U64(values) => values.len() as u64 * 8,
            Self::F32(values) => values.len() as u64 * 4,
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F32(values) => values.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The 32-bit unsigned integers, if it holds such.
    pub fn as_u32(&self) -> Option<&[u32]> {
        match self {
            Self::U32(values) => Some(values),
            _ => None,
        }
    }

    /// A zeroed buffer of the same type and length.
    #[must_use]
    pub fn zeroed_like(&self) -> Self {
        match self {
            Self::U32(values) => Self::U32(vec![0; values.len()]),
            Self::U64(values) => Self::U64(vec![0; values.len()]),
            Self::F32(values) => Self::F32(vec![0.0; values.len()]),
        }
    }
}

/// A device buffer and what it holds before every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Name for messages, such as `values` or `bins`.
    pub name: &'static str,
    /// What it holds before the launches.
    pub init: Init,
    /// Whether the launches write to it, so that it is restored before every
    /// sample (untimed) and can be read back.
    pub written: bool,
}

/// What a buffer holds before the launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Init {
    /// The input with this index, which the caller hands over beside the work,
    /// so that planning needs no data.
    Input {
        /// Index into [`Inputs`].
        index: usize,
        /// Its size.
        bytes: u64,
    },
    /// This many zeroed 32-bit words.
    ZeroedU32(usize),
}

impl Init {
    /// Size in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Input { bytes, .. } => bytes,
            Self::ZeroedU32(words) => words as u64 * 4,
        }
    }
}

/// The input data of some work. Shared, so that several pieces of work on one
/// input upload it once (backends compare the pointers).
pub type Inputs = Vec<Arc<HostBuffer>>;

/// One kernel argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Arg {
    /// The address of the buffer with this index in [`Work::buffers`].
    Buffer(usize),
    /// A 32-bit unsigned integer.
    U32(u32),
    /// A 64-bit unsigned integer.
    U64(u64),
    /// A 32-bit float.
    F32(f32),
}

/// One kernel launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Entry point in the module.
    pub kernel: String,
    /// Grid in blocks, each extent at least 1.
    pub grid: Dim3,
    /// Block in threads, each extent at least 1.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Arguments in the kernel's order.
    pub args: Vec<Arg>,
}

/// All that a backend needs to run one case, the input data apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Work {
    /// Where the kernels come from.
    pub module: Module,
    /// Device buffers.
    pub buffers: Vec<Buffer>,
    /// Launches, one after the other. Each is a timed phase.
    pub launches: Vec<Launch>,
}

impl Work {
    /// Device memory that the buffers take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.init.bytes()).sum()
    }
}

/// What a device allows, as far as it decides whether a case can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Most threads per block.
    pub threads_per_block: u32,
    /// Most dynamic plus static shared memory per block, opted in, in bytes.
    pub shared_per_block: u32,
    /// 32-bit registers per multiprocessor, which one block may use up.
    pub registers_per_sm: u32,
    /// Memory that buffers may take together, in bytes.
    pub memory: u64,
}

/// What a backend runs on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// `cuda`, `emulator` or `scripted`.
    pub backend: String,
    /// Name of the GPU, real or modelled: `NVIDIA H200`, `H200 SXM`.
    pub name: String,
    /// Version of the driver, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Identity for resuming: the device's UUID, or a hash of its profile.
    pub id: String,
    /// Whether times are predicted from counts instead of measured.
    pub modelled: bool,
    /// Whether the predictions were checked against that GPU. True for
    /// measured times.
    pub validated: bool,
    /// What it allows.
    pub limits: Limits,
}

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
            Self::Trap => "trap",
            Self::LaunchFailed => "launch failed",
            Self::DeviceFault => "device fault",
            Self::WrongAnswer => "wrong answer",
        })
    }
}
