//! The data that a module brings: constants, and variables in global memory.

use super::memory::{Allocation, Bytes, GUARD};

/// Generic address of the start of a thread's local memory.
pub(super) const LOCAL_WINDOW: u64 = 0x0200_0000_0000;

/// Generic address of the start of the constant bank.
pub(super) const CONST_WINDOW: u64 = 0x0300_0000_0000;

/// Size of each of these windows: far more than anything in them.
pub(super) const WINDOW_BYTES: u64 = 1 << 32;

/// Offset of a kernel's parameters in the constant bank.
pub(super) const PARAMS: u64 = 1 << 20;

/// Most bytes of constant variables: ten banks of 64 KiB.
pub(super) const MOST_CONSTANT: u64 = 10 << 16;

/// Where the addresses of module-scope variables start.
const GLOBALS: u64 = 0x0400_0000_0000;

/// Where the addresses of functions start, 16 bytes apart.
pub(super) const FUNCTIONS: u64 = 0x0f00_0000_0000;

/// A variable in global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// What it starts with; zeros follow.
    pub(super) init: Vec<u8>,
}

/// All data of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Data {
    /// Tells modules apart, so that the kernels of one share its variables.
    pub(super) module: u64,
    pub(super) constants: Vec<u8>,
    /// By address.
    pub(super) globals: Vec<Variable>,
}

impl Data {
    /// Where the next variable of global memory may start.
    pub(super) fn next_address(&self, align: u64) -> u64 {
        let end = self.globals.last().map_or(GLOBALS, |last| last.address + last.bytes + GUARD);
        end.next_multiple_of(align.max(256))
    }

    /// Memory for the variables, with their initial values.
    pub(super) fn allocate(&self) -> Vec<Allocation> {
        let allocate = |variable: &Variable| {
            let bytes = Bytes::zeroed(variable.bytes);
            for (at, &byte) in variable.init.iter().enumerate() {
                bytes.store(at as u64, byte);
            }
            Allocation { base: variable.address, bytes }
        };
        self.globals.iter().map(allocate).collect()
    }
}
