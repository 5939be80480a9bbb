//! What the lanes of a warp exchange: shuffles, votes, matches, reductions, and the
//! barrier of a warp. Data only.

use crate::program::op::Slot;

/// One such instruction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collective {
    pub(crate) exchange: Exchange,
    /// Slot that holds the mask of the named lanes; `None` for the forms from
    /// before `.sync`, in which the lanes that happen to be active take part.
    pub(crate) members: Option<Slot>,
    pub(crate) site: u16,
}

/// What the lanes exchange.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exchange {
    /// `d` = `a` of another lane, chosen by `b` within the bounds of `c`; `p`
    /// whether that lane was within them.
    Shuffle { from: From, d: Slot, p: Option<Slot>, a: Slot, b: Slot, c: Slot },
    /// Predicate `d` = what holds for predicate `a` of the group.
    Vote { f: Vote, d: Slot, a: Slot },
    /// `d` = the lanes where predicate `a` is true.
    Ballot { d: Slot, a: Slot },
    /// `d` = the lanes whose `a` equals this one's.
    MatchAny { wide: bool, d: Slot, a: Slot },
    /// `d` = the group if all agree on `a`, else 0; `p` whether they do.
    MatchAll { wide: bool, d: Slot, p: Option<Slot>, a: Slot },
    /// `d` = all `a` of the group combined.
    Reduce { f: Combine, d: Slot, a: Slot },
    /// `p` is true in the lowest lane of the group, `d` is its number.
    Elect { d: Option<Slot>, p: Slot },
    /// `d` = the lanes that run this together.
    Active { d: Slot },
    /// Matrices spread over the lanes: their index in `Kernel::matrices`.
    Matrix { index: u16 },
    /// Waits only, and orders memory.
    Barrier,
    /// Waits only.
    Align,
    /// No exchange: what the lanes stored before is seen by other blocks from here on.
    Fence,
    /// No exchange: the copies that the lanes have started since the last such instruction are
    /// a group.
    Group,
    /// No exchange: waits for all groups of copies but the last `left`.
    Groups { left: u8 },
    /// No exchange: a barrier waits for all copies.
    Copies,
}

/// How a shuffle's `b` names a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What a vote asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    /// Whether all agree, on either answer.
    Uniform,
}

/// How `redux` combines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    /// Of 32-bit floats, or of their absolute values. A NaN counts only if `nan`.
    Float {
        max: bool,
        abs: bool,
        nan: bool,
    },
}
