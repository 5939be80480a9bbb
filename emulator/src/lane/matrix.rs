//! Elements of matrix products: one row times one column, as tensor cores sum it.

use crate::lane::exact::{Exact, Format};
use crate::lane::{float, half};
use crate::program::{Arithmetic, Factor, Float, Mode, Round};

/// A factor: `significand * 2^exponent`, or a value that is not finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Term {
    pub(crate) significand: i32,
    /// Of the significand's leading bit, were it a normal number.
    pub(crate) exponent: i32,
    pub(crate) special: Special,
}

impl Term {
    /// The same with the other sign.
    pub(crate) fn negated(self) -> Self {
        let special = match self.special {
            Special::Infinite(negative) => Special::Infinite(!negative),
            other => other,
        };
        Self { significand: -self.significand, special, ..self }
    }
}

/// Whether a number is finite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Special {
    #[default]
    Finite,
    /// Whether it is the negative one.
    Infinite(bool),
    NotANumber,
}

/// Bits after the point of a significand of each kind, as a [`Term`] holds it.
pub(crate) fn fraction(factor: Factor) -> u32 {
    match factor {
        Factor::Bf16 => 7,
        // Floats of 8 bits become those of 16 first.
        Factor::F16 | Factor::Tf32 | Factor::E4m3 | Factor::E5m2 => 10,
    }
}

/// Takes a factor apart. `tf32` ignores the low 13 bits of its register.
pub(crate) fn term(factor: Factor, bits: u32) -> Term {
    // The exponent of `e4m3` has another zero.
    let half = || {
        let size = if bits & 0x7f == 0x7f { f32::NAN } else { f32::from_bits((bits & 0x7f) << 20) };
        half::narrowed(size * f32::from_bits((127 + 120) << 23)) | (bits & 0x80) << 8
    };
    match factor {
        Factor::F16 => unpack(bits, 16, 10),
        Factor::Bf16 => unpack(bits, 16, 7),
        Factor::Tf32 => unpack(bits >> 13, 19, 10),
        Factor::E4m3 => unpack(half(), 16, 10),
        Factor::E5m2 => unpack(bits << 8, 16, 10),
    }
}

/// Takes a factor of a product of a warpgroup apart, whose tensor cores multiply floats of 8 bits
/// as they are; with the bits after the point of its significand.
pub(crate) fn grouped_term(factor: Factor, bits: u32) -> (Term, u32) {
    match factor {
        Factor::E4m3 => {
            let (biased, part) = (bits >> 3 & 15, bits & 7);
            let magnitude = (part | u32::from(biased != 0) << 3).cast_signed();
            let nan = bits & 0x7f == 0x7f;
            let term = Term {
                significand: if bits & 0x80 != 0 { -magnitude } else { magnitude },
                exponent: biased.max(1).cast_signed() - 7,
                special: if nan { Special::NotANumber } else { Special::Finite },
            };
            (term, 3)
        }
        Factor::E5m2 => (unpack(bits, 8, 2), 2),
        _ => (term(factor, bits), fraction(factor)),
    }
}

/// A float of `width` bits, `fraction` of them after the point.
fn unpack(bits: u32, width: u32, fraction: u32) -> Term {
    let negative = bits >> (width - 1) & 1 != 0;
    let part = bits & ((1 << fraction) - 1);
    let highest = (1 << (width - 1 - fraction)) - 1;
    let biased = (bits >> fraction & highest).cast_signed();
    let bias = highest.cast_signed() >> 1;
    let special = match (biased == highest.cast_signed(), part) {
        (true, 0) => Special::Infinite(negative),
        (true, _) => Special::NotANumber,
        (false, _) => Special::Finite,
    };
    let leading = u32::from(biased != 0) << fraction;
    let magnitude = (part | leading).cast_signed();
    Term {
        significand: if negative { -magnitude } else { magnitude },
        exponent: biased.max(1) - bias,
        special,
    }
}

/// Bits after the leading one of the largest term that a tensor core keeps of each term of a
/// sum. From values recorded on an H200.
pub(crate) const KEPT: i32 = 25;

/// Products that it sums in one step.
pub(crate) const AT_ONCE: usize = 16;

/// The same of floats of 8 bits in products of a warpgroup: bits that are kept of each term and
/// of the sum, and products in one step.
pub(crate) const GROUPED_KEPT: i32 = 13;
pub(crate) const GROUPED_AT_ONCE: usize = 32;

/// A sum so far: `magnitude * 2^exponent` with its sign, or what is no number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sum {
    total: i64,
    /// Of the total's last bit.
    unit: i32,
    special: Special,
}

impl Sum {
    /// A 32-bit float, or a 16-bit one if `half`.
    pub(crate) fn unpack(bits: u32, half: bool) -> (Term, u32) {
        if half { (unpack(bits, 16, 10), 10) } else { (unpack(bits, 32, 23), 23) }
    }

    /// The sum with this number of bits after its leading one; the others are cut off.
    pub(crate) fn cut(self, bits: i32) -> Self {
        let magnitude = self.total.unsigned_abs();
        let beyond = (64 - magnitude.leading_zeros()).saturating_sub(bits.unsigned_abs() + 1);
        let cut = (magnitude >> beyond << beyond).cast_signed();
        Self { total: if self.total < 0 { -cut } else { cut }, ..self }
    }

    /// The sum as a 32-bit float, cut off, or as a 16-bit one, rounded to nearest.
    pub(crate) fn pack(self, half: bool) -> u32 {
        let (format, round) =
            if half { (Format::F16, Round::Nearest) } else { (Format::F32, Round::Zero) };
        let infinite = |negative| format.infinity() | if negative { format.sign() } else { 0 };
        let bits = match self.special {
            Special::NotANumber => format.nan,
            Special::Infinite(negative) => infinite(negative),
            Special::Finite => {
                let exact = Exact {
                    negative: self.total < 0,
                    exponent: self.unit,
                    magnitude: u128::from(self.total.unsigned_abs()),
                };
                let largest = format.infinity() - 1;
                match exact.pack(format, round) {
                    // Zeros are positive, and what is too large is infinite.
                    bits if bits == format.sign() => 0,
                    bits if bits & !format.sign() == largest && exact.exceeds(format) => {
                        infinite(exact.negative)
                    }
                    bits => bits,
                }
            }
        };
        bits as u32
    }
}

/// `significand * 2^shift`, cut off towards zero.
fn shifted(significand: i64, shift: i32) -> i64 {
    if shift >= 0 {
        return significand << shift.min(40);
    }
    let magnitude = significand.abs() >> (-shift).min(63);
    if significand < 0 { -magnitude } else { magnitude }
}

/// `c` plus the products of `a` and `b`, element by element, as one step of a tensor core:
/// every term is cut off `kept` bits below the leading bit of the largest, then all are
/// added exactly. `fractions` are the bits after the point of a product and of `c`.
pub(crate) fn step(c: Term, a: &[Term], b: &[Term], fractions: [u32; 2], kept: i32) -> Sum {
    let mut special = c.special;
    let mut highest = if c.significand == 0 { i32::MIN } else { c.exponent };
    let mut finite = c.special == Special::Finite;
    for (a, b) in a.iter().zip(b) {
        finite &= a.special == Special::Finite && b.special == Special::Finite;
        if a.significand != 0 && b.significand != 0 {
            highest = highest.max(a.exponent + b.exponent);
        }
    }
    if !finite {
        for (a, b) in a.iter().zip(b) {
            special = added(special, product_of(*a, *b));
        }
        return Sum { total: 0, unit: 0, special };
    }
    if highest == i32::MIN {
        return Sum { total: 0, unit: 0, special };
    }
    let unit = highest - kept;
    let [products, own] = fractions.map(u32::cast_signed);
    let mut total = match c.significand {
        0 => 0,
        significand => shifted(i64::from(significand), c.exponent - own - unit),
    };
    for (a, b) in a.iter().zip(b) {
        let significand = i64::from(a.significand) * i64::from(b.significand);
        if significand != 0 {
            total += shifted(significand, a.exponent + b.exponent - products - unit);
        }
    }
    Sum { total, unit, special }
}

/// What a product is, if not both factors are finite.
fn product_of(a: Term, b: Term) -> Special {
    use Special::{Finite, Infinite, NotANumber};
    match (a.special, b.special) {
        (Finite, Finite) => Finite,
        (Infinite(x), Infinite(y)) => Infinite(x != y),
        (Infinite(x), Finite) if b.significand != 0 => Infinite(x != (b.significand < 0)),
        (Finite, Infinite(x)) if a.significand != 0 => Infinite(x != (a.significand < 0)),
        _ => NotANumber,
    }
}

/// What a sum is.
fn added(a: Special, b: Special) -> Special {
    match (a, b) {
        (Special::Finite, other) | (other, Special::Finite) => other,
        (Special::Infinite(x), Special::Infinite(y)) if x == y => a,
        _ => Special::NotANumber,
    }
}

/// `c` plus products of 64-bit floats, each added with one rounding, in order.
pub(crate) fn doubles(c: f64, products: impl Iterator<Item = (f64, f64)>) -> u64 {
    products.fold(c.to_bits(), |sum, (a, b)| {
        let next = a.mul_add(b, f64::from_bits(sum));
        if next.is_nan() {
            let operands = [a.to_bits(), b.to_bits(), sum];
            return float::arithmetic(Arithmetic::Fma, Float::F64, Mode::PLAIN, operands);
        }
        next.to_bits()
    })
}

/// The sum of two 32-bit floats.
pub(crate) fn added_32(a: u32, b: u32) -> u32 {
    let values = [u64::from(a), u64::from(b), 0];
    float::arithmetic(Arithmetic::Add, Float::F32, Mode::PLAIN, values) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A step on 16-bit floats with a 32-bit sum.
    fn halves(c: f32, a: &[u16], b: &[u16]) -> f32 {
        let terms = |values: &[u16]| -> Vec<Term> {
            values.iter().map(|&bits| term(Factor::F16, u32::from(bits))).collect()
        };
        let (c, own) = Sum::unpack(c.to_bits(), false);
        f32::from_bits(step(c, &terms(a), &terms(b), [20, own], KEPT).pack(false))
    }

    const ONE: u16 = 0x3c00;
    const INFINITE: u16 = 0x7c00;

    #[test]
    fn terms_are_cut_off_25_bits_below_the_largest() {
        // 3 * 2 + 0.5 * 1 + 1.
        assert_eq!(halves(1.0, &[0x4200, 0x3800], &[0x4000, ONE]).to_bits(), 7.5_f32.to_bits());
        // Eight terms of 2^-26 beside 1 are lost, of 2^-25 are not: their sum is 2^-22.
        let small = |exponent: u16| [(15 - exponent) << 10; 8];
        let beside = |first, second| halves(1.0, &small(first), &small(second)).to_bits();
        assert_eq!(beside(13, 13), 1.0_f32.to_bits());
        assert_eq!(beside(13, 12), (1.0 + 2.0_f32.powi(-22)).to_bits());
        // The result is cut off, not rounded.
        assert_eq!(halves(1.0, &small(13)[..1], &small(11)[..1]).to_bits(), 1.0_f32.to_bits());
    }

    #[test]
    fn infinities_and_zeros_follow_their_own_rules() {
        assert_eq!(halves(1.0, &[INFINITE], &[ONE]).to_bits(), f32::INFINITY.to_bits());
        assert_eq!(halves(1.0, &[INFINITE], &[0]).to_bits(), 0x7fff_ffff);
        assert_eq!(halves(f32::NEG_INFINITY, &[INFINITE], &[ONE]).to_bits(), 0x7fff_ffff);
        assert_eq!(halves(f32::MAX, &[0x7bff], &[0x7bff]).to_bits(), f32::MAX.to_bits());
        assert_eq!(halves(-0.0, &[0x8000], &[0]).to_bits(), 0);
    }

    proptest! {
        /// Each of up to 17 terms loses less than a unit 25 bits below the largest, and so does
        /// the result at 23 bits.
        #[test]
        fn a_step_is_near_the_exact_sum(
            c in -1000.0_f32..1000.0,
            pairs in proptest::collection::vec((0_u16..0x7bff, any::<bool>(), 0_u16..0x5000), 1..=16)
        ) {
            let (a, b): (Vec<u16>, Vec<u16>) = pairs
                .iter()
                .map(|&(a, negative, b)| (a | u16::from(negative) << 15, b))
                .unzip();
            let value = |bits: u16| {
                let term = term(Factor::F16, u32::from(bits));
                f64::from(term.significand) * f64::from(term.exponent - 10).exp2()
            };
            let products: Vec<f64> = a.iter().zip(&b).map(|(&a, &b)| value(a) * value(b)).collect();
            let exact: f64 = products.iter().sum::<f64>() + f64::from(c);
            let largest = products.iter().fold(f64::from(c).abs(), |most, x| most.max(x.abs()));
            let found = f64::from(halves(c, &a, &b));
            let bound = largest * 17.0 * 2.0_f64.powi(-25) + exact.abs() * 2.0_f64.powi(-23);
            prop_assert!((found - exact).abs() <= bound, "{found} {exact} {bound}");
        }
    }
}
