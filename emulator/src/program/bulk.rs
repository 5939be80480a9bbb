//! Copies of many bytes by one thread (`cp.async.bulk`). Data only.

use crate::program::op::{Cell, Rmw, Slot, Window};

/// One such copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bulk {
    pub(crate) to: End,
    pub(crate) from: End,
    /// 32-bit slot of the number of bytes.
    pub(crate) bytes: Slot,
    /// The barrier that learns how many bytes have come.
    pub(crate) barrier: Option<End>,
    /// Slot of the blocks of the cluster that get the bytes, as a mask of 16 bits; each at the
    /// same place of its shared memory, with its own barrier.
    pub(crate) blocks: Option<Slot>,
    /// What every cell of the target becomes, if not a copy.
    pub(crate) change: Option<(Rmw, Cell)>,
}

/// One end of a copy: the start of its bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct End {
    pub(crate) window: Window,
    /// Slot of the address.
    pub(crate) a: Slot,
    pub(crate) site: u16,
}
