//! PTX's fundamental types, as far as ops tell them apart.

use crate::program::{Cell, Narrow};

/// A fundamental type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) kind: Kind,
    /// Size in bits; 1 for a predicate.
    pub(crate) bits: u32,
}

/// What the bits mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Unsigned,
    Signed,
    Bits,
    Float,
    Pred,
}

impl Type {
    pub(crate) const B16: Self = Self { kind: Kind::Bits, bits: 16 };
    pub(crate) const B32: Self = Self { kind: Kind::Bits, bits: 32 };
    pub(crate) const B64: Self = Self { kind: Kind::Bits, bits: 64 };

    /// `s32`, `b64`, `pred`, …; `None` for anything else.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        if word == "pred" {
            return Some(Self { kind: Kind::Pred, bits: 1 });
        }
        let kind = match word.as_bytes().first()? {
            b'u' => Kind::Unsigned,
            b's' => Kind::Signed,
            b'b' => Kind::Bits,
            b'f' => Kind::Float,
            _ => return None,
        };
        let bits = match &word[1..] {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        };
        Some(Self { kind, bits })
    }

    pub(crate) fn bytes(self) -> u32 {
        self.bits.div_ceil(8)
    }

    pub(crate) fn wide(self) -> bool {
        self.bits == 64
    }

    pub(crate) fn signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// How memory holds one.
    pub(crate) fn cell(self) -> Option<Cell> {
        Some(match (self.bits, self.signed()) {
            (8, true) => Cell::S8,
            (8, false) => Cell::U8,
            (16, true) => Cell::S16,
            (16, false) => Cell::U16,
            (32, _) => Cell::B32,
            (64, _) => Cell::B64,
            _ => return None,
        })
    }

    /// How a 32-bit slot holds one, if it is narrower than the slot.
    pub(crate) fn narrow(self) -> Option<Narrow> {
        Some(match (self.bits, self.signed()) {
            (8, true) => Narrow::S8,
            (8, false) => Narrow::U8,
            (16, true) => Narrow::S16,
            (16, false) => Narrow::U16,
            _ => return None,
        })
    }
}
