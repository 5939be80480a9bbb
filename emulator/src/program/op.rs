//! The compact form that warps execute: one [`Inst`] works on 32 lanes.
//!
//! Operands are slots of the warp's register files (32-bit words, 64-bit
//! words, predicates as 32-bit lane masks). Immediates, parameters and special
//! registers are slots too, filled before the block starts, so no op has to
//! tell an immediate from a register.

use crate::program::compute::{Compare, Count, Float2, Int1, Int2, Logic, Narrow, Wide};
use crate::program::function::{Bits, Function, Outcomes};

/// Index into one of a warp's register files.
pub(crate) type Slot = u16;

/// An op and the lanes it applies to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inst {
    pub(crate) guard: Guard,
    pub(crate) op: Op,
}

// Ops are fetched once per warp instruction; a cache line holds three.
const _: () = assert!(size_of::<Inst>() <= 20);

/// `@p`, `@!p`, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guard {
    Always,
    If(Slot),
    Unless(Slot),
}

impl Guard {
    /// The lanes of `mask` where it holds.
    #[inline(always)]
    pub(crate) fn lanes(self, preds: &[u32], mask: u32) -> u32 {
        match self {
            Self::Always => mask,
            Self::If(p) => mask & preds[usize::from(p)],
            Self::Unless(p) => mask & !preds[usize::from(p)],
        }
    }
}

/// What threads do at a barrier of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meet {
    /// Wait.
    Sync,
    /// Are counted, and go on.
    Arrive,
    /// Wait, and learn how many said yes.
    Count,
    /// Wait, and learn whether all said yes.
    All,
    /// Wait, and learn whether any said yes.
    Any,
    /// Of the cluster's barrier: are counted, and go on.
    ArriveInCluster,
    /// Of the cluster's barrier: wait until all threads of the cluster have been counted.
    WaitInCluster,
}

/// What one lane of a memory access reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    U8,
    S8,
    U16,
    S16,
    /// Into a 32-bit slot.
    B32,
    /// Into a 64-bit slot.
    B64,
}

impl Rmw {
    /// Whether it adds floats of 32 or 64 bits.
    pub(crate) fn is_float_sum(self) -> bool {
        matches!(self, Self::AddFloat | Self::AddFlushed)
    }

    /// Whether it works on the word of a barrier.
    pub(crate) fn is_arrival(self) -> bool {
        use Rmw::{Arrive, ArriveDrop, CompleteBytes, ExpectBytes};
        matches!(self, Arrive | ArriveDrop | ExpectBytes | CompleteBytes)
    }
}

impl Cell {
    /// Bytes per lane.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::B32 => 4,
            Self::B64 => 8,
        }
    }
}

/// The memory an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    Global,
    Shared,
    /// A thread's own memory.
    Local,
    /// The same, where a function is handed its parameters: not counted.
    Param,
    /// The constant bank, with the kernel's parameters.
    Const,
    /// Decided lane by lane from the address.
    Generic,
}

impl Window {
    /// Whether it is of what a thread has alone, or of what none may write.
    pub(crate) fn is_private(self) -> bool {
        matches!(self, Self::Local | Self::Param | Self::Const)
    }
}

/// Read-modify-write functions, on a cell of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rmw {
    Add,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    /// Add floats, whose subnormal values global memory flushes and shared
    /// memory does not.
    AddFloat,
    /// The same, flushing everywhere.
    AddFlushed,
    /// Functions of 16-bit floats; a 32-bit cell holds two.
    AddF16,
    MinF16,
    MaxF16,
    AddBf16,
    MinBf16,
    MaxBf16,
    /// Store, giving the old value.
    Exchange,
    /// Store `c` where the value equals `b`.
    CompareExchange,
    /// Add one, wrapping to 0 above `b`.
    Increment,
    /// Subtract one, wrapping to `b` at 0 or above `b`.
    Decrement,
    /// On the word of a barrier: `b` arrivals that expect `c` bytes.
    Arrive,
    /// The same, by threads that take no part from the next phase on.
    ArriveDrop,
    /// `b` more bytes are expected, or have come.
    ExpectBytes,
    CompleteBytes,
}

/// A load or store: `count` cells per lane, side by side, into or from consecutive
/// slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer {
    pub(crate) window: Window,
    pub(crate) cell: Cell,
    pub(crate) count: u8,
    /// Slot of the address.
    pub(crate) a: Slot,
    /// First slot of the values.
    pub(crate) slot: Slot,
    pub(crate) site: u16,
}

impl Transfer {
    /// Bytes per lane.
    pub(crate) fn bytes(self) -> u32 {
        self.cell.bytes() * u32::from(self.count)
    }
}

/// An atomic: every cell at `a` becomes `f(old, b, c)`, for `count` cells from and
/// into consecutive slots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Update {
    pub(crate) window: Window,
    pub(crate) f: Rmw,
    pub(crate) cell: Cell,
    pub(crate) count: u8,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) c: Slot,
    pub(crate) site: u16,
}

impl Update {
    /// Bytes per lane.
    pub(crate) fn bytes(self) -> u32 {
        self.cell.bytes() * u32::from(self.count)
    }
}

/// One warp-wide operation. `d` is written, `a`, `b`, `c` are read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    Move32 { d: Slot, a: Slot },
    Move64 { d: Slot, a: Slot },
    MovePred { d: Slot, a: Slot },
    Binary32 { f: Int2, d: Slot, a: Slot, b: Slot },
    Binary64 { f: Int2, d: Slot, a: Slot, b: Slot },
    Unary32 { f: Int1, d: Slot, a: Slot },
    Unary64 { f: Int1, d: Slot, a: Slot },
    Count32 { f: Count, d: Slot, a: Slot },
    Count64 { f: Count, d: Slot, a: Slot },
    // `d = low half of a * b + c`.
    MulAdd32 { d: Slot, a: Slot, b: Slot, c: Slot },
    MulAdd64 { d: Slot, a: Slot, b: Slot, c: Slot },
    // 64-bit `d` = 32-bit `a` * 32-bit `b` + 64-bit `c`.
    WideMulAdd { signed: bool, d: Slot, a: Slot, b: Slot, c: Slot },
    // Bits `b` to `b + c - 1` of `a`.
    ExtractU32 { d: Slot, a: Slot, b: Slot, c: Slot },
    ExtractS32 { d: Slot, a: Slot, b: Slot, c: Slot },
    Compare32 { f: Compare, d: Slot, a: Slot, b: Slot },
    Compare64 { f: Compare, d: Slot, a: Slot, b: Slot },
    Logic { f: Logic, d: Slot, a: Slot, b: Slot },
    // Round to nearest, nothing flushed.
    FloatBinary32 { f: Float2, d: Slot, a: Slot, b: Slot },
    FloatBinary64 { f: Float2, d: Slot, a: Slot, b: Slot },
    // `d = a * b + c`, rounded once to nearest.
    Fma32 { d: Slot, a: Slot, b: Slot, c: Slot },
    Fma64 { d: Slot, a: Slot, b: Slot, c: Slot },
    FloatCompare32 { f: Outcomes, d: Slot, a: Slot, b: Slot },
    FloatCompare64 { f: Outcomes, d: Slot, a: Slot, b: Slot },
    // Any function: `d = f(a, b, c)`.
    Each { f: Function, wide: Wide, d: Slot, a: Slot, b: Slot, c: Slot },
    // Predicate `d` = whether `f(a, b)` is not zero.
    Test { f: Function, wide: Wide, d: Slot, a: Slot, b: Slot },
    // `d = p ? a : b`.
    Select32 { d: Slot, a: Slot, b: Slot, p: Slot },
    Select64 { d: Slot, a: Slot, b: Slot, p: Slot },
    Narrow { f: Narrow, d: Slot, a: Slot },
    // 32 to 64 bits.
    Widen { signed: bool, d: Slot, a: Slot },
    // 64 to 32 bits.
    Truncate { d: Slot, a: Slot },
    Load(Transfer),
    Store(Transfer),
    // `d` = the old values.
    Atomic { d: Slot, update: Update },
    // Like `Atomic`, if nothing reads the old values.
    Reduce(Update),
    // Comes to the barrier whose number is in slot `id`, and mostly waits there
    // until every thread of the block (or `threads` of them, from a slot, where not
    // [`ALL_THREADS`]) has come. A barrier that reduces reads predicate `a` and
    // writes `d`.
    Barrier { meet: Meet, id: Slot, threads: Slot, d: Slot, a: Slot, site: u16 },
    // An exchange among lanes: its index in `Kernel::collectives`.
    Collective { index: u16 },
    // A step that stands for so many ops: its index in `Kernel::quicks`. Only in `Kernel::steps`.
    Quick { index: u16, length: u16 },
    // A copy of many bytes: its index in `Kernel::bulks`.
    Bulk { index: u16 },
    // A copy of a box of a tensor: its index in `Kernel::tensors`.
    Tensor { index: u16 },
    // A fragment of a matrix in shared memory: its index in `Kernel::tiles`.
    Tile { index: u16 },
    // A call of a function of the driver: its index in `Kernel::services`.
    Service { index: u16 },
    Trap { site: u16 },
    // 64-bit `d` = a count that grows while the block runs.
    Clock { d: Slot },
}

/// Ops that come in two widths: `wide` picks the one of 64 bits.
impl Op {
    pub(crate) fn mov(wide: bool, [d, a]: [Slot; 2]) -> Self {
        if wide { Self::Move64 { d, a } } else { Self::Move32 { d, a } }
    }

    pub(crate) fn unary(wide: bool, f: Int1, [d, a]: [Slot; 2]) -> Self {
        if wide { Self::Unary64 { f, d, a } } else { Self::Unary32 { f, d, a } }
    }

    pub(crate) fn count(wide: bool, f: Count, [d, a]: [Slot; 2]) -> Self {
        if wide { Self::Count64 { f, d, a } } else { Self::Count32 { f, d, a } }
    }

    pub(crate) fn binary(wide: bool, f: Int2, [d, a, b]: [Slot; 3]) -> Self {
        if wide { Self::Binary64 { f, d, a, b } } else { Self::Binary32 { f, d, a, b } }
    }

    pub(crate) fn compare(wide: bool, f: Compare, [d, a, b]: [Slot; 3]) -> Self {
        if wide { Self::Compare64 { f, d, a, b } } else { Self::Compare32 { f, d, a, b } }
    }

    pub(crate) fn float_binary(wide: bool, f: Float2, [d, a, b]: [Slot; 3]) -> Self {
        if wide { Self::FloatBinary64 { f, d, a, b } } else { Self::FloatBinary32 { f, d, a, b } }
    }

    pub(crate) fn mul_add(wide: bool, [d, a, b, c]: [Slot; 4]) -> Self {
        if wide { Self::MulAdd64 { d, a, b, c } } else { Self::MulAdd32 { d, a, b, c } }
    }

    /// `d = f(operands)`, each a slot and whether it has 64 bits.
    pub(crate) fn each(f: Function, (d, wide): (Slot, bool), operands: &[(Slot, bool)]) -> Self {
        // Operands that `f` does not have repeat the first.
        let at = |index: usize| operands.get(index).copied().unwrap_or(operands[0]);
        let [a, b, c] = [at(0), at(1), at(2)];
        match (f, wide, a) {
            (Function::Bits(Bits::Part { width: 32, index: 0, .. }), false, (a, true)) => {
                return Self::Truncate { d, a };
            }
            (Function::Bits(Bits::Part { width: 16, index: 0, signed }), false, (a, false)) => {
                let f = if signed { Narrow::S16 } else { Narrow::U16 };
                return Self::Narrow { f, d, a };
            }
            _ => {}
        }
        Self::Each { f, wide: Wide::new(wide, [a.1, b.1, c.1]), d, a: a.0, b: b.0, c: c.0 }
    }

    pub(crate) fn select(wide: bool, [d, a, b, p]: [Slot; 4]) -> Self {
        if wide { Self::Select64 { d, a, b, p } } else { Self::Select32 { d, a, b, p } }
    }
}

/// The offset of a barrier's site is the barrier's number, or this one if a register says it.
pub(crate) const ANY_BARRIER: i64 = -1;

/// In [`Op::Barrier`]: the whole block takes part.
pub(crate) const ALL_THREADS: Slot = Slot::MAX;

/// How a basic block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminator {
    /// Go on at this block.
    Jump(u32),
    /// Lanes where the predicate is `when` go to `taken`, the others to `other`.
    Branch {
        p: Slot,
        when: bool,
        taken: u32,
        other: u32,
        /// Where the two ways meet again; [`NOWHERE`] if lanes only meet at the end.
        reconverge: u32,
    },
    /// Through a call, by its index in `Kernel::calls`.
    Call(u16),
    /// Back to the caller.
    Return,
    /// To the target that a register picks out of `Kernel::tables`.
    Pick(u16),
    /// The lanes are done.
    Exit,
}

/// In [`Terminator::Branch`]: the two ways never meet.
pub(crate) const NOWHERE: u32 = u32::MAX;
