//! Functions of a lane's values beyond the integer basics: floating point,
//! conversions, bit fields. Data only; what they compute is in `lane_*`.

use crate::program::compute::Narrow;

/// How a result that lies between two representable values is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// To the nearest, ties to even: `.rn`, `.rni`.
    Nearest,
    /// To the nearest, ties away from zero: `.rna`.
    Away,
    /// Towards zero: `.rz`, `.rzi`.
    Zero,
    /// Towards negative infinity: `.rm`, `.rmi`.
    Down,
    /// Towards positive infinity: `.rp`, `.rpi`.
    Up,
}

/// What happens to a result outside a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clamp {
    None,
    /// `.sat` of floats: to 0 to 1, NaN to 0.
    Unit,
    /// `.relu`: negative to 0.
    Relu,
    /// `.satfinite`: infinities to the largest finite value.
    Finite,
    /// `.relu.satfinite`.
    FiniteRelu,
}

/// How a float result is finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mode {
    pub(crate) round: Round,
    /// `.ftz`: subnormal inputs and results become zero.
    pub(crate) flush: bool,
    pub(crate) clamp: Clamp,
}

impl Mode {
    /// Round to nearest, keep subnormals, no clamping.
    pub(crate) const PLAIN: Self = Self { round: Round::Nearest, flush: false, clamp: Clamp::None };
}

/// Floating-point types, alone or as a pair in 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Float {
    F16,
    Bf16,
    F32,
    F64,
    F16x2,
    Bf16x2,
}

impl Float {
    /// The type of each half, if it is a pair.
    pub(crate) fn half(self) -> Option<Self> {
        match self {
            Self::F16x2 => Some(Self::F16),
            Self::Bf16x2 => Some(Self::Bf16),
            _ => None,
        }
    }
}

/// Floating-point functions of up to three values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    /// `a * b + c`, rounded once.
    Fma,
    Div,
    /// `div.approx`: 0 where 1 / b is subnormal.
    DivApprox,
    Sqrt,
    /// `sqrt.approx`, which takes one instruction.
    SqrtApprox,
    /// `rcp.approx`, which takes one instruction.
    Reciprocal,
    /// The reciprocal rounded as asked: rare divisors take a branch.
    ReciprocalRounded,
    ReciprocalSqrt,
    /// `rcp.approx.ftz.f64`: only the upper half is significant.
    ReciprocalGross,
    /// `rsqrt.approx.ftz.f64`: only the upper half is significant.
    ReciprocalSqrtGross,
    Sin,
    Cos,
    /// Two to the power of.
    Exp2,
    Log2,
    Tanh,
    Negate,
    Absolute,
    /// The magnitude of b with the sign of a.
    CopySign,
    /// To an integral value.
    Integral,
}

/// Formats that only conversions know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Small {
    /// 32-bit floats with 10 bits of fraction.
    Tf32,
    /// 8 bits, 3 of them fraction; no infinities.
    E4m3,
    /// 8 bits, 2 of them fraction.
    E5m2,
}

/// `min` or `max` and its variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a modifier of the instruction")]
pub(crate) struct Extreme {
    pub(crate) max: bool,
    /// `.NaN`: NaN if either is, instead of the other.
    pub(crate) nan: bool,
    /// `.xorsign.abs`: of the magnitudes, with the product's sign.
    pub(crate) xorsign: bool,
    pub(crate) flush: bool,
}

/// What `testp` asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Finite,
    Infinite,
    Number,
    NotANumber,
    Normal,
    Subnormal,
}

/// Integer types as conversions tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) bits: u8,
    pub(crate) signed: bool,
}

/// For which outcomes a float comparison holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Outcomes(u8);

impl Outcomes {
    pub(crate) const LESS: u8 = 1;
    pub(crate) const EQUAL: u8 = 2;
    pub(crate) const GREATER: u8 = 4;
    pub(crate) const UNORDERED: u8 = 8;

    /// Of `lt`, `geu`, `nan`, …; `None` for anything else.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let ordered = |word: &str| {
            Some(match word {
                "eq" => Self::EQUAL,
                "ne" => Self::LESS | Self::GREATER,
                "lt" => Self::LESS,
                "le" => Self::LESS | Self::EQUAL,
                "gt" => Self::GREATER,
                "ge" => Self::GREATER | Self::EQUAL,
                "num" => Self::LESS | Self::EQUAL | Self::GREATER,
                _ => return None,
            })
        };
        if word == "nan" {
            return Some(Self(Self::UNORDERED));
        }
        if let Some(outcomes) = ordered(word) {
            return Some(Self(outcomes));
        }
        let base = word.strip_suffix('u').filter(|base| *base != "num")?;
        ordered(base).map(|outcomes| Self(outcomes | Self::UNORDERED))
    }

    pub(crate) fn has(self, outcome: u8) -> bool {
        self.0 & outcome != 0
    }
}

/// Modes of `prmt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permute {
    /// Each byte by its own selector.
    Select,
    /// `.f4e`
    Forward,
    /// `.b4e`
    Backward,
    /// `.rc8`
    Replicate,
    /// `.ecl`
    ClampLeft,
    /// `.ecr`
    ClampRight,
    /// `.rc16`
    ReplicateHalf,
}

/// Integer functions that have no loop of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bits {
    AddSaturating,
    SubSaturating,
    // The high half of `a * b`, plus c.
    MulHighAdd(Integer),
    // On signed 32 bits.
    MulHighAddSaturating,
    // Of the low 24 bits, plus c.
    Mul24 { signed: bool, high: bool, saturate: bool },
    // `sad`: c plus the absolute difference of a and b.
    SumDifference(Integer),
    Extract64 { signed: bool },
    // The low bits of a into b; c holds the start and, from bit 8, the length.
    Insert { width: u8 },
    // `bfind`, or how far to shift left.
    Find { ty: Integer, shift: bool },
    // `fns`
    FindNth,
    // `szext`
    Extend { signed: bool, wrap: bool },
    // `bmsk`
    Mask { wrap: bool },
    Lop3(u8),
    // `shf`
    Funnel { left: bool, wrap: bool },
    Permute(Permute),
    Dot4 { a_signed: bool, b_signed: bool },
    Dot2 { high: bool, a_signed: bool, b_signed: bool },
    // One of the equal parts that a is made of, from the lowest; perhaps with its
    // sign, as 64 bits.
    Part { width: u8, index: u8, signed: bool },
    // The arrivals that the word of a barrier waits for.
    Pending,
}

/// A function of up to three values, each in a 32-bit or a 64-bit slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Arithmetic(Arithmetic, Float, Mode),
    Extreme(Extreme, Float),
    // 1 or 0.
    Class(Class, Float),
    // 1 or 0.
    Compare(Outcomes, Float, bool),
    // All ones in the halves of a pair where it holds, else 0.
    CompareHalves(Outcomes, Float, bool),
    FloatToFloat { to: Float, from: Float, mode: Mode },
    ToSmall { to: Small, from: Float, mode: Mode },
    // To `f16`.
    FromSmall { from: Small, relu: bool },
    // Saturates at the ends of the range.
    FloatToInteger { to: Integer, from: Float, round: Round, flush: bool },
    IntegerToFloat { to: Float, from: Integer, round: Round, saturate: bool },
    // To the nearest value that `to` holds.
    SaturateInteger { to: Integer, from: Integer },
    // The low bits of a, the rest filled as they say.
    Field(Narrow),
    Bits(Bits),
    // The low bits of a, and above them those of b: as many as this says.
    Join(u8),
}
