//! What goes wrong in a warp, before the block and the kernel are added.

use crate::machine::trap::TrapKind;

/// Where a fault is in the program.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    /// An access, barrier or trap.
    Site(u16),
    /// Any other PTX instruction: its index in the kernel.
    Instruction(u32),
}

/// The access `word` of `size` bytes, in words for a message.
pub(crate) fn access_of(word: &str, size: impl Into<u64>) -> String {
    match size.into() {
        1 => format!("`{word}` of 1 byte"),
        size => format!("`{word}` of {size} bytes"),
    }
}

/// A fault of some lanes of one warp.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: TrapKind,
    pub(crate) at: At,
    /// Lanes of the warp, as a mask.
    pub(crate) lanes: u32,
    pub(crate) message: String,
}
