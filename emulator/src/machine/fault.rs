//! What goes wrong in a warp, before the block and the kernel are added.

use crate::machine::trap::TrapKind;

/// A fault of some lanes of one warp.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: TrapKind,
    /// The access, barrier or trap, if the fault has one.
    pub(crate) site: Option<u16>,
    /// Lanes of the warp, as a mask.
    pub(crate) lanes: u32,
    pub(crate) message: String,
}
