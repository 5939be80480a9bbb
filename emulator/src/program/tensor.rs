//! Copies of boxes of tensors (`cp.async.bulk.tensor`). Data only.

use crate::program::bulk::End;
use crate::program::op::Slot;

/// One such copy.
#[derive(Debug, Clone)]
pub(crate) struct Tensor {
    /// Whether it goes from the tensor to shared memory.
    pub(crate) loads: bool,
    /// Slot of the map's generic address.
    pub(crate) map: Slot,
    /// Bytes added to that address.
    pub(crate) offset: i64,
    /// Slots of the first element of the box, along each dimension.
    pub(crate) at: Vec<Slot>,
    pub(crate) shared: End,
    /// Site of the tensor.
    pub(crate) site: u16,
    /// The barrier that learns how many bytes have come.
    pub(crate) barrier: Option<End>,
    /// Slot of the blocks of the cluster that get the bytes, as in [`Bulk`](super::Bulk).
    pub(crate) blocks: Option<Slot>,
    /// What every element of the tensor becomes, if not a copy.
    pub(crate) change: Option<Change>,
}

/// How a reduction changes an element, by the type of the tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Min,
    Max,
    Increment,
    Decrement,
    And,
    Or,
    Xor,
}
