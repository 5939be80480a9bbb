//! Approximate functions in 64 bits, as loops over lanes compute them: polynomials with a
//! known error, and whether a result is so near a rounding boundary of 32 bits that only
//! the slow way ([`crate::lane::float`]) can tell how it rounds.
//!
//! Both ways give the same bits: the slow one is off by less than a unit of 64 bits, these
//! by less than 2^-40 of the result. So wherever a result lies farther than 2^-39 from
//! every boundary, both round to the same neighbour.

use std::f64::consts::{FRAC_1_PI, LN_2, LOG2_E};

/// Adding and subtracting it rounds to an integer, whose bits are the lowest of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// The first 33 bits of pi, and the next 53.
const PI: [f64; 2] = [f64::from_bits(0x4009_21fb_5440_0000), 1.215_420_101_301_238_5e-10];

/// Arguments of sine and cosine up to here are reduced exactly enough.
const FARTHEST: f64 = 1e6;

/// What an argument must at least be, reduced, for each multiple that it is less: each is off
/// by 2^-85.
const NEAREST: f64 = 1e-12;

/// `a * b + c`; rounded once where `FUSED`, which is quick only where the host has it.
#[inline(always)]
fn fma<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// `sum of terms[k] * x^k`: of even and odd powers apart, as neither has to wait for the other.
#[inline(always)]
fn polynomial<const FUSED: bool, const K: usize>(x: f64, terms: [f64; K]) -> f64 {
    let square = x * x;
    let mut sums = [0.0; 2];
    sums[(K - 1) % 2] = terms[K - 1];
    sums[K % 2] = terms[K - 2];
    for k in (0..K - 2).rev() {
        sums[k % 2] = fma::<FUSED>(sums[k % 2], square, terms[k]);
    }
    fma::<FUSED>(sums[1], x, sums[0])
}

// The polynomials of least relative error, by Remez's exchange algorithm: of sin(x) / x in x^2 to
// |x| = pi/2 (error 2^-43.8), of (e^x - 1) / x to ln(2)/2 (2^-43.5), of
// artanh(s) / s in s^2 to sqrt(2) = (1 + s) / (1 - s) (2^-45.1).
const SINE: [f64; 7] = [
    0.999_999_999_999_937_6,
    -0.166_666_666_664_323_28,
    0.008_333_333_318_765_367,
    -0.000_198_412_664_115_944_82,
    2.755_693_192_425_745_5e-6,
    -2.502_951_877_510_021e-8,
    1.540_116_906_348_549_7e-10,
];
const EXPONENTIAL: [f64; 9] = [
    0.999_999_999_999_989,
    0.499_999_999_998_002_2,
    0.166_666_666_669_407_5,
    0.041_666_666_889_432_664,
    0.008_333_333_231_743_083,
    0.001_388_882_193_137_036_2,
    0.000_198_413_714_442_636_11,
    2.487_604_334_613_034e-5,
    2.755_731_781_517_177_3e-6,
];
const LOGARITHM: [f64; 6] = [
    0.999_999_999_999_973_4,
    0.333_333_333_398_257_66,
    0.199_999_974_360_748_82,
    0.142_860_840_103_809_92,
    0.110_870_885_185_754_94,
    0.098_045_433_989_196_36,
];

/// A function in two steps. Loops over lanes do one and then the other: a step for all lanes
/// keeps a host busy, where both for one lane wait for each other longer than it looks ahead.
pub(crate) trait Approximate {
    /// The argument of the polynomial, the value that [`Self::join`] takes beside it, and a word
    /// whose highest bit is set if `x` is out of range. (Vectors of booleans would be packed.)
    fn reduce<const FUSED: bool>(x: f64) -> (f64, f64, u64);
    /// The result, from the first two.
    fn join<const FUSED: bool>(rest: f64, with: f64) -> f64;

    /// Both steps.
    #[inline(always)]
    fn of<const FUSED: bool>(x: f64) -> f64 {
        let (rest, with, _) = Self::reduce::<FUSED>(x);
        Self::join::<FUSED>(rest, with)
    }
}

/// A power of two, for exponents of normal numbers: `sum` is the exponent plus [`ROUNDER`].
#[inline(always)]
fn power_of_two(sum: f64) -> f64 {
    f64::from_bits(sum.to_bits().wrapping_add(1023) << 52)
}

/// 2 to the power of `x`: joined with its whole part.
pub(crate) struct Exp2;

impl Approximate for Exp2 {
    #[inline(always)]
    fn reduce<const FUSED: bool>(x: f64) -> (f64, f64, u64) {
        // Beyond, the result has overflowed or vanished in 32 bits anyway.
        let bounded = x.clamp(-400.0, 400.0);
        let sum = bounded + ROUNDER;
        ((bounded - (sum - ROUNDER)) * LN_2, power_of_two(sum), 0)
    }

    #[inline(always)]
    fn join<const FUSED: bool>(rest: f64, power: f64) -> f64 {
        fma::<FUSED>(polynomial::<FUSED, _>(rest, EXPONENTIAL), rest, 1.0) * power
    }
}

/// The logarithm to base 2: joined with that of the nearest power of two.
pub(crate) struct Log2;

impl Approximate for Log2 {
    #[inline(always)]
    fn reduce<const FUSED: bool>(x: f64) -> (f64, f64, u64) {
        // A normal number in 64 bits: arguments have 32.
        let bits = x.to_bits();
        // Exponent of the nearest power of two, so that the rest lies about 1.
        let away = bits.wrapping_sub(0x3fe6_a09e_667f_3bcd);
        let exponent = (away.cast_signed() >> 52) as i32;
        let rest = f64::from_bits(bits.wrapping_sub((away >> 52) << 52));
        let outside = (x - f64::MIN_POSITIVE).to_bits() | (f64::MAX - x).to_bits();
        ((rest - 1.0) / (rest + 1.0), f64::from(exponent), outside)
    }

    #[inline(always)]
    fn join<const FUSED: bool>(s: f64, exponent: f64) -> f64 {
        let series = polynomial::<FUSED, _>(s * s, LOGARITHM) * (2.0 * LOG2_E);
        fma::<FUSED>(s, series, exponent)
    }
}

/// Sine, or where `TURNED` cosine: of the argument less the nearest multiple of pi (of cosines,
/// multiple and a half), where its sine is 0, joined with that multiple's number plus [`ROUNDER`].
pub(crate) struct Wave<const TURNED: bool>;

impl<const TURNED: bool> Approximate for Wave<TURNED> {
    #[inline(always)]
    fn reduce<const FUSED: bool>(x: f64) -> (f64, f64, u64) {
        let half = if TURNED { 0.5 } else { 0.0 };
        let sum = fma::<FUSED>(x, FRAC_1_PI, -half) + ROUNDER;
        let turns = sum - ROUNDER + half;
        let rest = (x - turns * PI[0]) - turns * PI[1];
        let outside =
            (rest.abs() - turns.abs() * NEAREST).to_bits() | (FARTHEST - x.abs()).to_bits();
        (rest, sum, outside)
    }

    #[inline(always)]
    fn join<const FUSED: bool>(rest: f64, sum: f64) -> f64 {
        let sine = polynomial::<FUSED, _>(rest * rest, SINE) * rest;
        // From one half turn to the next the sign changes.
        let odd = sum.to_bits().wrapping_add(u64::from(TURNED)) << 63;
        f64::from_bits(sine.to_bits() ^ odd)
    }
}

/// The hyperbolic tangent, by `e^2x - 1`: joined with the power of two, of the sign of `x`.
pub(crate) struct Tanh;

impl Approximate for Tanh {
    #[inline(always)]
    fn reduce<const FUSED: bool>(x: f64) -> (f64, f64, u64) {
        let bounded = x.clamp(-30.0, 30.0);
        let sum = bounded * (2.0 * LOG2_E) + ROUNDER;
        // Away from 0, `2 x` less a multiple of ln 2 has an error of 2^-53 of that multiple.
        let rest = fma::<FUSED>(bounded, 2.0, (ROUNDER - sum) * LN_2);
        (rest, power_of_two(sum).copysign(x), 0)
    }

    #[inline(always)]
    fn join<const FUSED: bool>(rest: f64, signed: f64) -> f64 {
        let power = signed.abs();
        let below = polynomial::<FUSED, _>(rest, EXPONENTIAL) * rest;
        let less_one = fma::<FUSED>(below, power, power - 1.0);
        (less_one / (less_one + 2.0)).copysign(signed)
    }
}

/// 1 over the square root: that in 32 bits, joined with what it leaves of 1 in a step of third
/// order, as roots and quotients of 64 bits take vectors several times as long.
pub(crate) struct ReciprocalSqrt;

impl Approximate for ReciprocalSqrt {
    #[inline(always)]
    fn reduce<const FUSED: bool>(x: f64) -> (f64, f64, u64) {
        let near = f64::from(1.0 / (x as f32).sqrt());
        (near, fma::<FUSED>(-x * near, near, 1.0), 0)
    }

    #[inline(always)]
    fn join<const FUSED: bool>(near: f64, left: f64) -> f64 {
        let value = fma::<FUSED>(near * left, fma::<FUSED>(left, 0.375, 0.5), near);
        // Of zeros and infinities the first is the result.
        if left.is_nan() { near } else { value }
    }
}

/// Results closer than this to the middle of two 32-bit neighbours are in doubt, in units of the
/// last place of 64 bits.
pub(crate) const DOUBT: u32 = 1 << 14;
/// The highest of the bits that 32 bits drop.
pub(crate) const HALF: u32 = 1 << 28;
/// The smallest normal number of 32 bits.
pub(crate) const SMALLEST: f64 = f32::MIN_POSITIVE as f64;

/// Results between this and [`SMALLEST`] are in doubt, because subnormal neighbours lie farther
/// apart. Smaller ones round to 0; with `flush` all subnormal ones do.
#[inline(always)]
pub(crate) fn least(flush: bool) -> f64 {
    const NOTHING: f64 = SMALLEST / (1 << 25) as f64;
    if flush { SMALLEST * (1.0 - 1.0 / f64::from(1 << 22)) } else { NOTHING }
}

/// `value` rounded to 32 bits, and whether the rounding is in doubt: near the middle of two
/// neighbours, or subnormal. With `flush` subnormal results become 0 anyway.
#[inline(always)]
pub(crate) fn round(value: f64, flush: bool) -> (f32, bool) {
    let low = value.to_bits() as u32 & (2 * HALF - 1);
    let between = low.wrapping_sub(HALF - DOUBT) < 2 * DOUBT;
    let size = value.abs();
    let subnormal = (size < SMALLEST) & (size > least(flush));
    (value as f32, between | subnormal)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A result and whether it is in doubt.
    type Guarded = (f64, bool);

    fn both<F: Approximate, const FUSED: bool>(x: f64) -> Guarded {
        let (rest, with, outside) = F::reduce::<FUSED>(x);
        (F::join::<FUSED>(rest, with), outside >> 63 != 0)
    }

    /// The largest relative error over floats of all sizes; what is in doubt is left out.
    fn error(f: fn(f64) -> Guarded, exact: fn(f64) -> f64) -> f64 {
        let arguments = (0..u32::MAX).step_by(104_729).map(|bits| f64::from(f32::from_bits(bits)));
        arguments
            .filter(|x| x.is_finite())
            .filter_map(|x| {
                let (value, doubt) = f(x);
                let wanted = exact(x);
                let in_range = wanted.abs() > 1e-38 && wanted.abs() < 1e39;
                (!doubt && in_range).then(|| ((value - wanted) / wanted).abs())
            })
            .fold(0.0, f64::max)
    }

    fn check<F: Approximate>(name: &str, exact: fn(f64) -> f64) {
        for f in [both::<F, false> as fn(f64) -> Guarded, both::<F, true>] {
            let error = error(f, exact);
            assert!(error < (2.0_f64).powi(-40), "{name}: {error:e}");
        }
    }

    #[test]
    fn errors_stay_far_below_the_doubt() {
        check::<Exp2>("exp2", libm::exp2);
        check::<Log2>("log2", libm::log2);
        check::<Wave<false>>("sin", libm::sin);
        check::<Wave<true>>("cos", libm::cos);
        check::<Tanh>("tanh", libm::tanh);
        check::<ReciprocalSqrt>("rsqrt", |x| 1.0 / x.sqrt());
    }

    /// Next to their zeros, as angles of an eighth or a quarter of a turn are.
    #[test]
    fn waves_are_exact_next_to_zeros() {
        for turns in (1..636_000).step_by(7) {
            let nearest = (f64::from(turns) * std::f64::consts::FRAC_PI_2) as f32;
            for x in [nearest.next_down(), nearest, -nearest, nearest.next_up()].map(f64::from) {
                for (f, exact) in [
                    (both::<Wave<false>, true> as fn(f64) -> Guarded, libm::sin as fn(f64) -> f64),
                    (both::<Wave<true>, true>, libm::cos),
                    (both::<Wave<false>, false>, libm::sin),
                    (both::<Wave<true>, false>, libm::cos),
                ] {
                    let ((value, doubt), wanted) = (f(x), exact(x));
                    let error = ((value - wanted) / wanted).abs();
                    assert!(doubt || error < (2.0_f64).powi(-40), "{x}: {error:e}");
                    assert!(!doubt || turns > 1000, "{x} is in doubt");
                }
            }
        }
    }

    #[test]
    fn boundaries_are_in_doubt() {
        let middle = 1.0 + f64::from(f32::EPSILON) / 2.0;
        assert!(round(middle, false).1 && round(middle * (1.0 + 1e-12), false).1);
        assert!(!round(middle * (1.0 + 1e-11), false).1);
        assert!(round(1e-39, false).1 && !round(1e-39, true).1 && !round(1e-60, false).1);
        assert_eq!(round(0.1, false), (0.1, false));
    }
}
