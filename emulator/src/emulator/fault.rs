//! What goes wrong in a warp, before the block and the kernel are added.

use super::trap::TrapKind;

/// A fault of some lanes of one warp.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) kind: TrapKind,
    /// The access, barrier or trap, if the fault has one.
    pub(super) site: Option<u16>,
    /// Lanes of the warp, as a mask.
    pub(super) lanes: u32,
    pub(super) message: String,
}
