//! One launch of a kernel that the user brings, on a GPU: buffers of plain
//! bytes in, the same buffers out.

use super::Failure;
use crate::launch::Dim3;

/// A kernel, its arguments and how many threads run it.
#[derive(Debug, Clone, PartialEq)]
pub struct Once<'a> {
    /// The PTX.
    pub ptx: &'a str,
    /// What messages call it.
    pub path: &'a str,
    /// Entry point.
    pub kernel: &'a str,
    /// Blocks.
    pub grid: Dim3,
    /// Threads per block.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Arguments in the kernel's order.
    pub args: Vec<OnceArg>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub enum OnceArg {
    /// The bits of a number, in the low bytes.
    Bits(u64),
    /// A buffer of this many bytes, and what it holds unless left unwritten.
    Buffer {
        /// Its size.
        bytes: u64,
        /// Its contents.
        contents: Option<Vec<u8>>,
    },
}

/// What a launch left behind.
#[derive(Debug, Clone, PartialEq)]
pub struct RanOnce {
    /// The device that ran it.
    pub device: String,
    /// Kernel time in seconds, by the device's event timer; the kernel ran
    /// once, cold.
    pub seconds: f64,
    /// For each argument that is a buffer, what it holds now.
    pub buffers: Vec<Option<Vec<u8>>>,
}

/// Runs it on the first CUDA device.
///
/// # Errors
/// No device, PTX that does not load, or a fault of the kernel.
pub fn run_on_cuda(once: &Once) -> Result<RanOnce, Failure> {
    #[cfg(target_os = "linux")]
    return super::cuda::once::run(once);
    #[cfg(not(target_os = "linux"))]
    return Err(Failure::Load(format!("{once:?} needs CUDA, and {}", super::NOT_LINUX)));
}
