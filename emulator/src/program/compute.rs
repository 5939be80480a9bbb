//! What ops compute: functions of one, two or three values that have loops of
//! their own, and where the operands of any other function lie.

/// Integer functions of two values, of either width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Int2 {
    Add,
    Sub,
    MulLow,
    MulHighU,
    MulHighS,
    DivU,
    DivS,
    RemU,
    RemS,
    MinU,
    MinS,
    MaxU,
    MaxS,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightU,
    ShiftRightS,
}

impl Int2 {
    /// Whether it is a division or a remainder.
    pub(crate) fn divides(self) -> bool {
        matches!(self, Self::DivU | Self::DivS | Self::RemU | Self::RemS)
    }
}

/// Integer functions of one value, of either width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Int1 {
    Not,
    Negate,
    Absolute,
    /// C's logical not: 1 for 0, else 0.
    IsZero,
    ReverseBits,
}

/// Functions of one value whose result has 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Count {
    Ones,
    LeadingZeros,
}

/// Integer comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compare {
    Equal,
    NotEqual,
    LessU,
    LessEqualU,
    LessS,
    LessEqualS,
}

/// Floating-point functions of two values that have loops of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Float2 {
    Add,
    Sub,
    Mul,
}

/// Which operands of a general function lie in 64-bit slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Wide(u8);

impl Wide {
    pub(crate) fn new(result: bool, operands: [bool; 3]) -> Self {
        let bit = |set, index| u8::from(set) << index;
        Self(bit(result, 3) | bit(operands[0], 0) | bit(operands[1], 1) | bit(operands[2], 2))
    }

    pub(crate) fn result(self) -> bool {
        self.0 & 8 != 0
    }

    /// Of the operand with this index.
    pub(crate) fn operand(self, index: u8) -> bool {
        self.0 >> index & 1 != 0
    }
}

/// Functions of two lane masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Logic {
    And,
    Or,
    Xor,
    /// `a & !b`.
    AndNot,
}

/// How many bits a 32-bit slot keeps, and what fills the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    U8,
    S8,
    U16,
    S16,
}
