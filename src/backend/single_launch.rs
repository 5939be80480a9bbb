//! One launch of the user's own kernel on a GPU, with buffers of plain bytes.

use super::Failure;
use crate::work::Dim3;

/// A kernel, its arguments and its launch shape.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleLaunch<'a> {
    /// The PTX.
    pub ptx: &'a str,
    /// The path of the PTX in messages.
    pub path: &'a str,
    /// Entry point.
    pub kernel: &'a str,
    /// Number of blocks.
    pub grid: Dim3,
    /// Threads per block.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Arguments in the kernel's order.
    pub args: Vec<LaunchArgument>,
}

/// One argument.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchArgument {
    /// The bytes of the argument. Pointers to buffers are filled in later.
    pub bytes: Vec<u8>,
    /// The offset of each pointer to a buffer, and the buffer.
    pub buffers: Vec<(usize, LaunchBuffer)>,
}

/// A buffer in device memory.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchBuffer {
    /// Size in bytes.
    pub bytes: u64,
    /// Its contents; `None` leaves it uninitialized.
    pub contents: Option<Vec<u8>>,
}

impl LaunchArgument {
    /// The bytes as words, with the addresses of the buffers filled in.
    pub fn words(&self, addresses: &[u64]) -> Vec<u64> {
        let mut bytes = self.bytes.clone();
        for ((at, _), address) in self.buffers.iter().zip(addresses) {
            if let Some(place) = bytes.get_mut(*at..*at + 8) {
                place.copy_from_slice(&address.to_le_bytes());
            }
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let (words, _) = bytes.as_chunks::<8>();
        words.iter().map(|word| u64::from_le_bytes(*word)).collect()
    }
}

/// The result of a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The device that ran it.
    pub device: String,
    /// Kernel time in seconds by the device's event timer. The kernel ran once, cold.
    pub seconds: f64,
    /// For each argument, the contents of its buffers.
    pub buffers: Vec<Vec<Vec<u8>>>,
}

/// Runs `launch` on the first CUDA device. Beside the outcome it returns what the kernel
/// printed, unescaped and up to 1 MiB.
///
/// # Errors
/// The outcome is an error if there is no device, the PTX does not load, or the kernel
/// faults.
pub fn run_on_cuda(launch: &SingleLaunch) -> (Result<Outcome, Failure>, Vec<u8>) {
    #[cfg(target_os = "linux")]
    return super::cuda::single_launch::run(launch);
    #[cfg(not(target_os = "linux"))]
    return (
        Err(Failure::Load(format!("{launch:?} needs CUDA, and {}", super::NOT_LINUX))),
        Vec::new(),
    );
}
