//! Exact values as fractions of big integers, and their nearest bits in a
//! format, found by bisection over all values of the format. No bit is cut off
//! before that, and nothing is shifted into place, so that mistakes of the
//! emulator have no counterpart here.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

/// A binary interchange format.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) bits: u32,
    /// Bits after the point.
    pub(crate) fraction: u32,
}

pub(crate) const F16: Format = Format { bits: 16, fraction: 10 };
pub(crate) const BF16: Format = Format { bits: 16, fraction: 7 };
pub(crate) const F32: Format = Format { bits: 32, fraction: 23 };
pub(crate) const F64: Format = Format { bits: 64, fraction: 52 };

impl Format {
    pub(crate) fn sign(&self) -> u64 {
        1 << (self.bits - 1)
    }

    pub(crate) fn infinity(&self) -> u64 {
        (self.sign() - 1) >> self.fraction << self.fraction
    }

    /// The bits of 1.0: its exponent field is the bias, and there is no other.
    pub(crate) fn one(&self) -> u64 {
        self.infinity() >> 1 & self.infinity()
    }

    pub(crate) fn is_nan(&self, bits: u64) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// The value of bits without a sign. Those of infinity stand for the number
    /// that would come next.
    fn magnitude(&self, bits: u64) -> Fraction {
        let (exponent, fraction) = (bits >> self.fraction, bits & ((1 << self.fraction) - 1));
        let whole = if exponent == 0 { fraction } else { fraction | 1 << self.fraction };
        let bias = (self.one() >> self.fraction).cast_signed();
        let power = exponent.max(1).cast_signed() - bias - i64::from(self.fraction);
        Fraction { numerator: whole.into(), denominator: 1.into(), power }
    }
}

/// A rounding direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    Nearest,
    Zero,
    Down,
    Up,
}

impl Round {
    /// Whether a magnitude between two neighbours becomes the greater of them:
    /// `half` is how it compares with their mean, `odd` tells of the lesser.
    fn outwards(self, negative: bool, half: Ordering, odd: bool) -> bool {
        match self {
            Self::Nearest => half == Ordering::Greater || half == Ordering::Equal && odd,
            Self::Zero => false,
            Self::Down => negative,
            Self::Up => !negative,
        }
    }
}

/// `numerator / denominator * 2^power`, not reduced; the denominator is positive.
#[derive(Debug, Clone)]
pub(crate) struct Fraction {
    numerator: BigInt,
    denominator: BigInt,
    power: i64,
}

impl Fraction {
    pub(crate) fn new(numerator: i64, denominator: i64, power: i64) -> Self {
        Self { numerator: numerator.into(), denominator: denominator.into(), power }
    }

    fn is_zero(&self) -> bool {
        self.numerator.sign() == Sign::NoSign
    }

    /// Both numerators over one denominator and power, which come after them.
    fn alike(&self, other: &Self) -> (BigInt, BigInt, BigInt, i64) {
        let power = self.power.min(other.power);
        let a = (&self.numerator * &other.denominator) << (self.power - power);
        let b = (&other.numerator * &self.denominator) << (other.power - power);
        (a, b, &self.denominator * &other.denominator, power)
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, ..) = self.alike(other);
        a.cmp(&b)
    }

    fn plus(&self, other: &Self) -> Self {
        let (a, b, denominator, power) = self.alike(other);
        Self { numerator: a + b, denominator, power }
    }

    fn times(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
            power: self.power + other.power,
        }
    }

    /// The quotient by a positive fraction.
    fn over(&self, other: &Self) -> Self {
        Self {
            numerator: &self.numerator * &other.denominator,
            denominator: &self.denominator * &other.numerator,
            power: self.power - other.power,
        }
    }

    /// Of a magnitude and its sign.
    fn signed(&self, negative: bool) -> Self {
        let fraction = self.clone();
        if negative { Self { numerator: -fraction.numerator, ..fraction } } else { fraction }
    }
}

/// What bits stand for, or what an operation gives before it is rounded.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    NotANumber,
    /// Whether it is the negative one.
    Infinite(bool),
    /// A magnitude; zeros have a sign too.
    Finite {
        size: Fraction,
        negative: bool,
    },
}

impl Value {
    pub(crate) fn of(bits: u64, format: &Format) -> Self {
        let negative = bits & format.sign() != 0;
        let magnitude = bits & (format.sign() - 1);
        match magnitude.cmp(&format.infinity()) {
            Ordering::Greater => Self::NotANumber,
            Ordering::Equal => Self::Infinite(negative),
            Ordering::Less => Self::Finite { size: format.magnitude(magnitude), negative },
        }
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Self::NotANumber => Self::NotANumber,
            Self::Infinite(negative) => Self::Infinite(!negative),
            Self::Finite { size, negative } => Self::Finite { size, negative: !negative },
        }
    }

    /// `round` decides the sign of a sum that cancels.
    pub(crate) fn sum(&self, other: &Self, round: Round) -> Self {
        match (self, other) {
            (Self::NotANumber, _) | (_, Self::NotANumber) => Self::NotANumber,
            (Self::Infinite(a), Self::Infinite(b)) if a != b => Self::NotANumber,
            (Self::Infinite(sign), _) | (_, Self::Infinite(sign)) => Self::Infinite(*sign),
            (
                Self::Finite { size: a, negative: a_sign },
                Self::Finite { size: b, negative: b_sign },
            ) => {
                let sum = a.signed(*a_sign).plus(&b.signed(*b_sign));
                let negative = match sum.numerator.sign() {
                    Sign::Minus => true,
                    Sign::Plus => false,
                    Sign::NoSign if a_sign == b_sign => *a_sign,
                    Sign::NoSign => round == Round::Down,
                };
                Self::Finite { size: sum.signed(negative), negative }
            }
        }
    }

    pub(crate) fn product(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::NotANumber, _) | (_, Self::NotANumber) => Self::NotANumber,
            (Self::Infinite(a), Self::Infinite(b)) => Self::Infinite(a != b),
            (Self::Infinite(sign), Self::Finite { size, negative })
            | (Self::Finite { size, negative }, Self::Infinite(sign)) => {
                if size.is_zero() {
                    Self::NotANumber
                } else {
                    Self::Infinite(sign != negative)
                }
            }
            (
                Self::Finite { size: a, negative: a_sign },
                Self::Finite { size: b, negative: b_sign },
            ) => Self::Finite { size: a.times(b), negative: a_sign != b_sign },
        }
    }

    pub(crate) fn quotient(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::NotANumber, _)
            | (_, Self::NotANumber)
            | (Self::Infinite(_), Self::Infinite(_)) => Self::NotANumber,
            (Self::Infinite(sign), Self::Finite { negative, .. }) => {
                Self::Infinite(sign != negative)
            }
            (Self::Finite { negative, .. }, Self::Infinite(sign)) => {
                Self::Finite { size: Fraction::new(0, 1, 0), negative: sign != negative }
            }
            (
                Self::Finite { size: a, negative: a_sign },
                Self::Finite { size: b, negative: b_sign },
            ) => match (a.is_zero(), b.is_zero()) {
                (true, true) => Self::NotANumber,
                (false, true) => Self::Infinite(a_sign != b_sign),
                (_, false) => Self::Finite { size: a.over(b), negative: a_sign != b_sign },
            },
        }
    }

    /// An integer, which may lie outside of the format.
    pub(crate) fn integral(self, round: Round) -> Self {
        match self {
            Self::Finite { size, negative } if size.power < 0 => {
                let unit = size.denominator << -size.power;
                let (down, rest) = (&size.numerator / &unit, size.numerator % &unit);
                let odd = down.bit(0);
                let up = rest.sign() != Sign::NoSign
                    && round.outwards(negative, (rest << 1_u32).cmp(&unit), odd);
                let size = Fraction { numerator: down + u32::from(up), ..Fraction::new(0, 1, 0) };
                Self::Finite { size, negative }
            }
            // The values of a format have no denominators.
            other => other,
        }
    }

    /// The bits of the value; `None` for any NaN.
    pub(crate) fn rounded(&self, format: &Format, round: Round) -> Option<u64> {
        let sign = |negative: bool| if negative { format.sign() } else { 0 };
        match self {
            Self::NotANumber => None,
            Self::Infinite(negative) => Some(sign(*negative) | format.infinity()),
            Self::Finite { size, negative } => {
                let bits = nearest(format, round, *negative, |candidate| candidate.cmp(size));
                Some(sign(*negative) | bits)
            }
        }
    }

    /// The bits of its square root; `None` for any NaN. Squares are compared,
    /// as roots are no fractions.
    pub(crate) fn root_rounded(&self, format: &Format, round: Round) -> Option<u64> {
        match self {
            Self::Finite { size, negative: false } => {
                Some(nearest(format, round, false, |root| root.times(root).cmp(size)))
            }
            Self::Finite { size, .. } if size.is_zero() => Some(format.sign()),
            Self::Infinite(false) => Some(format.infinity()),
            _ => None,
        }
    }
}

/// The bits for a magnitude, by how candidates compare with it.
fn nearest(
    format: &Format,
    round: Round,
    negative: bool,
    compare: impl Fn(&Fraction) -> Ordering,
) -> u64 {
    let (mut low, mut high) = (0, format.infinity());
    if compare(&format.magnitude(high)) != Ordering::Greater {
        return if round.outwards(negative, Ordering::Greater, true) { high } else { high - 1 };
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match compare(&format.magnitude(middle)) {
            Ordering::Greater => high = middle,
            Ordering::Equal | Ordering::Less => low = middle,
        }
    }
    let below = format.magnitude(low);
    if compare(&below) == Ordering::Equal {
        return low;
    }
    let twice = below.plus(&format.magnitude(high));
    let mean = Fraction { power: twice.power - 1, ..twice };
    let half = compare(&mean).reverse();
    if round.outwards(negative, half, low & 1 != 0) { high } else { low }
}
