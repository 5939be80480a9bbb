//! The data that a module brings: constants, and variables in global memory.

/// Generic address of the start of shared memory.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000;

/// Bytes of the shared window that each block of a cluster has: far more than any block can
/// use. Block number `r` of a cluster has those from `r` times this on, as on an H200.
pub(crate) const SHARED_WINDOW_BYTES: u64 = 1 << 24;

/// Most blocks of a cluster.
pub(crate) const MOST_CLUSTER: u32 = 16;

/// Size of the shared window of a cluster.
pub(crate) const CLUSTER_WINDOW_BYTES: u64 = SHARED_WINDOW_BYTES * MOST_CLUSTER as u64;

/// Bytes between two allocations that belong to neither.
pub(crate) const GUARD: u64 = 1 << 16;

/// Generic address of the start of a thread's local memory.
pub(crate) const LOCAL_WINDOW: u64 = 0x0200_0000_0000;

/// Generic address of the start of the constant bank.
pub(crate) const CONST_WINDOW: u64 = 0x0300_0000_0000;

/// Size of each of these windows: far more than anything in them.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;

/// Offset of a kernel's parameters in the constant bank.
pub(crate) const PARAMS: u64 = 1 << 20;

/// Most bytes of constant variables: ten banks of 64 KiB.
pub(crate) const MOST_CONSTANT: u64 = 10 << 16;

/// Where the addresses of module-scope variables start.
const GLOBALS: u64 = 0x0400_0000_0000;

/// Where the addresses of functions start, 16 bytes apart.
pub(crate) const FUNCTIONS: u64 = 0x0f00_0000_0000;

/// A variable in global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// What it starts with; zeros follow.
    pub(crate) init: Vec<u8>,
}

/// All data of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Data {
    /// Tells modules apart, so that the kernels of one share its variables.
    pub(crate) module: u64,
    pub(crate) constants: Vec<u8>,
    /// By address.
    pub(crate) globals: Vec<Variable>,
}

impl Data {
    /// Where the next variable of global memory may start.
    pub(crate) fn next_address(&self, align: u64) -> u64 {
        let end = self.globals.last().map_or(GLOBALS, |last| last.address + last.bytes + GUARD);
        end.next_multiple_of(align.max(256))
    }
}
