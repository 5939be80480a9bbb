//! Ops in a row that compute one thing, as one step. Costs, counters and all who follow single
//! ops know the ops; only a warp that nobody watches takes the step instead.

use crate::program::compute::{Compare, Int2};
use crate::program::function::{Integer, Round, Small};
use crate::program::op::Slot;

/// A step, and the ops that it stands for.
#[derive(Debug, Clone)]
pub(crate) struct Quick {
    /// The first of them, in `Kernel::insts`.
    pub(crate) first: u32,
    /// How many there are.
    pub(crate) length: u16,
    pub(crate) step: Step,
}

/// What a step computes.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Sum(Sum),
    /// `f` of integers of 16 bits, which slots hold zero-extended.
    Short {
        f: Int2,
        signed: bool,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// `bfi`: the low bits of a into b.
    Insert {
        wide: bool,
        d: Slot,
        a: Slot,
        b: Slot,
        start: Slot,
        length: Slot,
    },
    /// 32-bit floats as a pair of 16 bits.
    Halves {
        brain: bool,
        round: Round,
        flush: bool,
        relu: bool,
        d: Slot,
        low: Slot,
        high: Slot,
    },
    /// Floats as a pair of 8 bits, to nearest and finite: of 32 bits in two slots, or of 16 in
    /// one.
    Bytes {
        to: Small,
        relu: bool,
        pair: bool,
        d: Slot,
        low: Slot,
        high: Slot,
    },
    /// A pair of 8-bit floats as one of 16 bits.
    FromBytes {
        from: Small,
        relu: bool,
        d: Slot,
        a: Slot,
    },
    /// `cvt.pack`: saturated integers next to each other, b lowest, above both c.
    Pack {
        to: Integer,
        d: Slot,
        a: Slot,
        b: Slot,
        c: Option<Slot>,
    },
    /// Sums or differences of all parts of a word.
    Packed {
        f: Int2,
        width: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Video(Video),
    /// Predicate `d`: whether the highest bits of a and b differ; or that of a and the lowest of
    /// 32-bit b.
    Differ {
        parity: bool,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// A half of what a clock shows.
    Clock {
        high: bool,
        d: Slot,
    },
}

/// `d = a + b + carry`, or `a + !b + carry`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sum {
    pub(crate) wide: bool,
    pub(crate) complement: bool,
    pub(crate) d: Slot,
    pub(crate) a: Slot,
    pub(crate) b: Slot,
    pub(crate) carry: Carry,
    /// The predicate that gets the carry.
    pub(crate) out: Option<Slot>,
}

/// What a sum takes in beside its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carry {
    /// One where true.
    Known(bool),
    /// The predicate's.
    Slot(Slot),
}

/// A function of parts of words.
#[derive(Debug, Clone)]
pub(crate) struct Video {
    pub(crate) f: Parts,
    /// Of each operand.
    pub(crate) signed: [bool; 2],
    /// Bits of a part of each.
    pub(crate) widths: [u8; 2],
    pub(crate) clamp: Option<Integer>,
    pub(crate) pairs: Vec<Pair>,
    /// The two registers whose parts all go to their own places.
    pub(crate) in_place: Option<[Slot; 2]>,
    pub(crate) then: Then,
    pub(crate) d: Slot,
    /// What results are put into, or combined with.
    pub(crate) c: Slot,
}

impl Pair {
    /// The two registers, if these pairs are all their parts of `width` bits and each result lies
    /// where its parts do.
    pub(crate) fn in_place(pairs: &[Self], width: u8) -> Option<[Slot; 2]> {
        let first = pairs.first()?;
        let (a, b) = (first.a.0, first.b.0);
        let own = |place: u8| (place, (a, place), (b, place));
        let places = (0..32).step_by(usize::from(width)).map(own);
        places.eq(pairs.iter().map(|pair| (pair.place, pair.a, pair.b))).then_some([a, b])
    }
}

/// What a function of parts takes: for each operand, a register and the part's first bit.
/// The result's first bit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) a: (Slot, u8),
    pub(crate) b: (Slot, u8),
    pub(crate) place: u8,
}

/// What is computed of two parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts {
    Plain(Int2),
    Difference,
    /// Halves go away from zero.
    Average,
    ShiftLeft {
        wrap: bool,
    },
    ShiftRight {
        wrap: bool,
    },
    /// 1 where it holds; with the operands the other way round if `swap`.
    Compare {
        f: Compare,
        swap: bool,
    },
}

/// What is done with a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// So many of its low bits take their place in c.
    Merge(u8),
    /// It is the low half of all there is.
    Keep,
    Combine(Int2),
}
