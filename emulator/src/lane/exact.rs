//! Floating point by integer arithmetic: exact results first, then rounded
//! once, in any format and direction.
//!
//! Used where the host has no instruction: directed rounding, 16-bit formats,
//! conversions. A discarded remainder is kept as the lowest bit ("sticky"),
//! which lies far below every rounding position.

use std::cmp::Ordering;

use crate::program::{Float, Round};

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// All bits.
    pub(crate) bits: u32,
    /// Bits after the point.
    pub(crate) fraction: u32,
    /// The NaN that operations give.
    pub(crate) nan: u64,
}

impl Format {
    pub(crate) const F16: Self = Self { bits: 16, fraction: 10, nan: 0x7fff };
    pub(crate) const BF16: Self = Self { bits: 16, fraction: 7, nan: 0x7fff };
    pub(crate) const F32: Self = Self { bits: 32, fraction: 23, nan: 0x7fff_ffff };
    pub(crate) const F64: Self = Self { bits: 64, fraction: 52, nan: 0xfff8_0000_0000_0000 };

    /// The format of a type, or of each half of a pair.
    pub(crate) fn of(float: Float) -> Self {
        match float {
            Float::F16 | Float::F16x2 => Self::F16,
            Float::Bf16 | Float::Bf16x2 => Self::BF16,
            Float::F32 => Self::F32,
            Float::F64 => Self::F64,
        }
    }

    pub(crate) const fn sign(self) -> u64 {
        1 << (self.bits - 1)
    }

    pub(crate) const fn infinity(self) -> u64 {
        (self.sign() - 1) & !((1 << self.fraction) - 1)
    }

    pub(crate) const fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction
    }

    /// The smallest positive normal number.
    pub(crate) const fn smallest_normal(self) -> u64 {
        1 << self.fraction
    }

    pub(crate) const fn is_nan(self, value: u64) -> bool {
        value & (self.sign() - 1) > self.infinity()
    }

    const fn bias(self) -> i32 {
        (1 << (self.bits - self.fraction - 2)) - 1
    }
}

/// `magnitude * 2^exponent`, negative or not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) exponent: i32,
    /// Below 2^127.
    pub(crate) magnitude: u128,
}

/// What the bits of a format stand for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value {
    NotANumber,
    /// Whether it is the negative one.
    Infinite(bool),
    Finite(Exact),
}

impl Value {
    pub(crate) fn unpack(bits: u64, format: Format) -> Self {
        let negative = bits & format.sign() != 0;
        let magnitude = bits & (format.sign() - 1);
        if magnitude > format.infinity() {
            return Self::NotANumber;
        }
        if magnitude == format.infinity() {
            return Self::Infinite(negative);
        }
        let fraction = magnitude & ((1 << format.fraction) - 1);
        let biased = (magnitude >> format.fraction) as i32;
        // Subnormals have the exponent of the smallest normals, without their leading one.
        let leading = if biased == 0 { 0 } else { 1 << format.fraction };
        Self::Finite(Exact {
            negative,
            exponent: biased.max(1) - format.bias() - format.fraction as i32,
            magnitude: u128::from(fraction | leading),
        })
    }

    /// The nearest bits in `format`.
    pub(crate) fn pack(self, format: Format, round: Round) -> u64 {
        match self {
            Self::NotANumber => format.nan,
            Self::Infinite(negative) => sign(negative, format) | format.infinity(),
            Self::Finite(exact) => exact.pack(format, round),
        }
    }
}

fn sign(negative: bool, format: Format) -> u64 {
    if negative { format.sign() } else { 0 }
}

/// Whether rounding goes away from zero, by what is cut off.
fn goes_up(round: Round, negative: bool, odd: bool, rest: Ordering, inexact: bool) -> bool {
    match round {
        Round::Nearest => rest == Ordering::Greater || rest == Ordering::Equal && odd,
        Round::Away => rest != Ordering::Less,
        Round::Zero => false,
        Round::Down => negative && inexact,
        Round::Up => !negative && inexact,
    }
}

/// `magnitude / 2^shift`, rounded to an integer.
pub(crate) fn shift_rounded(magnitude: u128, shift: u32, negative: bool, round: Round) -> u128 {
    if shift == 0 {
        return magnitude;
    }
    let (kept, rest, half) = if shift < 128 {
        (magnitude >> shift, magnitude & ((1 << shift) - 1), 1 << (shift - 1))
    } else {
        // The magnitude is below 2^127, so below half of the unit.
        (0, magnitude, u128::MAX)
    };
    kept + u128::from(goes_up(round, negative, kept & 1 != 0, rest.cmp(&half), rest != 0))
}

impl Exact {
    pub(crate) fn pack(self, format: Format, round: Round) -> u64 {
        let sign = sign(self.negative, format);
        if self.magnitude == 0 {
            return sign;
        }
        let fraction = format.fraction as i32;
        let top = self.exponent + 127 - self.magnitude.leading_zeros() as i32;
        // Exponent of the result's last bit.
        let mut unit = top.max(1 - format.bias()) - fraction;
        let mut kept = if unit <= self.exponent {
            self.magnitude << (self.exponent - unit)
        } else {
            shift_rounded(self.magnitude, (unit - self.exponent) as u32, self.negative, round)
        };
        if kept >> (fraction + 1) != 0 {
            kept >>= 1;
            unit += 1;
        }
        let kept = kept as u64;
        if kept >> fraction == 0 {
            return sign | kept;
        }
        let biased = unit + fraction + format.bias();
        if biased > 2 * format.bias() {
            let outwards = match round {
                Round::Nearest | Round::Away => true,
                Round::Zero => false,
                Round::Down => self.negative,
                Round::Up => !self.negative,
            };
            return sign | (format.infinity() - u64::from(!outwards));
        }
        sign | (biased as u64) << fraction | kept & (format.smallest_normal() - 1)
    }

    /// Whether its leading bit is above those of all finite numbers of `format`.
    pub(crate) fn exceeds(self, format: Format) -> bool {
        let top = self.exponent + 127 - self.magnitude.leading_zeros() as i32;
        self.magnitude != 0 && top > format.bias()
    }

    /// The same value with the leading one at bit 125.
    fn normalised(self) -> Self {
        let shift = self.magnitude.leading_zeros() as i32 - 2;
        Self { exponent: self.exponent - shift, magnitude: self.magnitude << shift, ..self }
    }

    fn product(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            exponent: self.exponent + other.exponent,
            magnitude: self.magnitude * other.magnitude,
        }
    }

    /// The sum; `round` decides the sign of a zero.
    fn sum(self, other: Self, round: Round) -> Self {
        let zero = |negative| Self { negative, exponent: 0, magnitude: 0 };
        match (self.magnitude == 0, other.magnitude == 0) {
            (true, true) if self.negative == other.negative => return zero(self.negative),
            (true, true) => return zero(round == Round::Down),
            (true, false) => return other,
            (false, true) => return self,
            (false, false) => {}
        }
        let (mut big, mut small) = (self.normalised(), other.normalised());
        if (big.exponent, big.magnitude) < (small.exponent, small.magnitude) {
            std::mem::swap(&mut big, &mut small);
        }
        let shift = (big.exponent - small.exponent) as u32;
        let shifted = if shift < 128 {
            let lost = small.magnitude & ((1 << shift) - 1) != 0;
            small.magnitude >> shift | u128::from(lost)
        } else {
            1
        };
        let magnitude = if big.negative == small.negative {
            big.magnitude + shifted
        } else {
            big.magnitude - shifted
        };
        if magnitude == 0 { zero(round == Round::Down) } else { Self { magnitude, ..big } }
    }
}

pub(crate) fn add(a: u64, b: u64, format: Format, round: Round) -> u64 {
    let (a, b) = (Value::unpack(a, format), Value::unpack(b, format));
    sum(a, b, round).pack(format, round)
}

fn sum(a: Value, b: Value, round: Round) -> Value {
    match (a, b) {
        (Value::Finite(a), Value::Finite(b)) => Value::Finite(a.sum(b, round)),
        (Value::NotANumber, _) | (_, Value::NotANumber) => Value::NotANumber,
        (Value::Infinite(a), Value::Infinite(b)) if a != b => Value::NotANumber,
        (Value::Infinite(negative), _) | (_, Value::Infinite(negative)) => {
            Value::Infinite(negative)
        }
    }
}

pub(crate) fn mul(a: u64, b: u64, format: Format, round: Round) -> u64 {
    product(Value::unpack(a, format), Value::unpack(b, format)).pack(format, round)
}

fn product(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Finite(a), Value::Finite(b)) => Value::Finite(a.product(b)),
        (Value::NotANumber, _) | (_, Value::NotANumber) => Value::NotANumber,
        (Value::Infinite(a), Value::Infinite(b)) => Value::Infinite(a != b),
        (Value::Infinite(negative), Value::Finite(finite))
        | (Value::Finite(finite), Value::Infinite(negative)) => {
            if finite.magnitude == 0 {
                Value::NotANumber
            } else {
                Value::Infinite(negative != finite.negative)
            }
        }
    }
}

pub(crate) fn fma(a: u64, b: u64, c: u64, format: Format, round: Round) -> u64 {
    let [a, b, c] = [a, b, c].map(|bits| Value::unpack(bits, format));
    sum(product(a, b), c, round).pack(format, round)
}

pub(crate) fn div(a: u64, b: u64, format: Format, round: Round) -> u64 {
    let value = match (Value::unpack(a, format), Value::unpack(b, format)) {
        (Value::NotANumber, _)
        | (_, Value::NotANumber)
        | (Value::Infinite(_), Value::Infinite(_)) => Value::NotANumber,
        (Value::Infinite(negative), Value::Finite(b)) => Value::Infinite(negative != b.negative),
        (Value::Finite(a), Value::Infinite(negative)) => {
            Value::Finite(Exact { negative: a.negative != negative, exponent: 0, magnitude: 0 })
        }
        (Value::Finite(a), Value::Finite(b)) => match (a.magnitude, b.magnitude) {
            (0, 0) => Value::NotANumber,
            (_, 0) => Value::Infinite(a.negative != b.negative),
            (0, _) => Value::Finite(Exact { negative: a.negative != b.negative, ..a }),
            _ => {
                let a = a.normalised();
                let quotient = a.magnitude / b.magnitude;
                let rest = a.magnitude % b.magnitude;
                Value::Finite(Exact {
                    negative: a.negative != b.negative,
                    exponent: a.exponent - b.exponent,
                    magnitude: quotient | u128::from(rest != 0),
                })
            }
        },
    };
    value.pack(format, round)
}

pub(crate) fn sqrt(a: u64, format: Format, round: Round) -> u64 {
    let value = match Value::unpack(a, format) {
        Value::Finite(a) if a.magnitude == 0 => Value::Finite(a),
        Value::Finite(a) if !a.negative => {
            let mut a = a.normalised();
            if a.exponent & 1 != 0 {
                a.magnitude >>= 1;
                a.exponent += 1;
            }
            let root = a.magnitude.isqrt();
            let inexact = root * root != a.magnitude;
            Value::Finite(Exact {
                negative: false,
                exponent: a.exponent / 2 - 1,
                // One more bit, for what the root leaves.
                magnitude: root << 1 | u128::from(inexact),
            })
        }
        Value::Infinite(false) => Value::Infinite(false),
        _ => Value::NotANumber,
    };
    value.pack(format, round)
}

/// To an integral value of the same format.
pub(crate) fn integral(a: u64, format: Format, round: Round) -> u64 {
    match Value::unpack(a, format) {
        Value::Finite(exact) if exact.exponent < 0 => {
            let shift = exact.exponent.unsigned_abs();
            let magnitude = shift_rounded(exact.magnitude, shift, exact.negative, round);
            Exact { exponent: 0, magnitude, ..exact }.pack(format, round)
        }
        other => other.pack(format, round),
    }
}
