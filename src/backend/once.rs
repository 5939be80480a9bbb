//! One launch of a kernel that the user brings, on a GPU: buffers of plain
//! bytes in, the same buffers out.

use super::Failure;
use crate::work::Dim3;

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
pub struct OnceArg {
    /// The bytes that the kernel gets; those of pointers do not matter.
    pub bytes: Vec<u8>,
    /// Where in them a pointer to a buffer goes, and the buffer.
    pub buffers: Vec<(usize, OnceBuffer)>,
}

/// A buffer in device memory.
#[derive(Debug, Clone, PartialEq)]
pub struct OnceBuffer {
    /// Its size.
    pub bytes: u64,
    /// Its contents, unless left unwritten.
    pub contents: Option<Vec<u8>>,
}

impl OnceArg {
    /// The bytes as words, with the addresses of the buffers in their places.
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

/// What a launch left behind.
#[derive(Debug, Clone, PartialEq)]
pub struct RanOnce {
    /// The device that ran it.
    pub device: String,
    /// Kernel time in seconds, by the device's event timer; the kernel ran
    /// once, cold.
    pub seconds: f64,
    /// For each argument, what its buffers hold now.
    pub buffers: Vec<Vec<Vec<u8>>>,
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
