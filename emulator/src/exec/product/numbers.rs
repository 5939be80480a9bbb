//! Floats of words, and their exponents.

use super::{NOTHING, Words};
use crate::exec::each::f16::widened_all;
use crate::exec::each::small::{self, Eight};
use crate::exec::each::whole::{one, two};
use crate::machine::Register;

/// Floats of which words hold one or two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    F16,
    /// As those of 16 bits, which hold all of them.
    E4m3,
    Bf16,
    Tf32,
    F32,
}

/// Flags of numbers.
pub(super) const NOT_FINITE: u32 = 1;
const NOT_NEAR: u32 = 2;

/// Of each word two of the four floats of 8 bits as floats of 16 bits: the first or the last ones.
#[inline(always)]
pub(super) fn halves<const N: usize>(from: Eight, words: &Words, last: bool) -> Words {
    let down = 16 * u32::from(last);
    let low = small::to_halves(from, false, &one(words, |word| word >> down & 0xff));
    let high = small::to_halves(from, false, &one(words, |word| word >> (down + 8) & 0xff));
    two(&low, &high, |low, high| low | high << 16).0
}

/// The floats in a part of each word.
#[inline(always)]
pub(super) fn floats<const N: usize>(kind: Kind, words: &Words, part: usize) -> Register<f32> {
    let mut bits = Register::default();
    for lane in 0..32 {
        bits[lane] = match kind {
            Kind::F16 | Kind::E4m3 => words[lane] >> (16 * part),
            Kind::Bf16 => words[lane] >> (16 * part) << 16,
            // Its low bits do not count.
            Kind::Tf32 => words[lane] & !0x1fff,
            Kind::F32 => words[lane],
        };
    }
    if matches!(kind, Kind::F16 | Kind::E4m3) {
        return widened_all::<N>(&bits);
    }
    let mut floats = Register::default();
    for lane in 0..32 {
        floats[lane] = f32::from_bits(bits[lane]);
    }
    floats
}

/// `2^exponent`, of a normal number.
#[inline(always)]
pub(super) fn power_32(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) << 23).cast_unsigned())
}

/// A number and its exponent: a float as it is, or what it is in units of `2^exponent` if `WIDE`,
/// so that nothing overflows. Adds flags of numbers that are not finite or not `near`.
#[inline(always)]
pub(super) fn number<const WIDE: bool>(
    kind: Kind,
    float: f32,
    near: [i32; 2],
    odd: &mut u32,
) -> (f32, i32) {
    let size = float.to_bits() & 0x7fff_ffff;
    // Subnormals have the least exponent.
    let least = match kind {
        Kind::F16 => -14,
        Kind::E4m3 => -6,
        Kind::Bf16 | Kind::Tf32 | Kind::F32 => -126,
    };
    let own = (size >> 23).cast_signed() - 127;
    let own = if own < least { least } else { own };
    // Without branches, so that loops of it vectorise. Floats of 16 bits or fewer are never far.
    let far = if matches!(kind, Kind::F16 | Kind::E4m3) {
        0
    } else {
        u32::from(own < near[0]) | u32::from(own > near[1])
    };
    let infinite = size >= 0x7f80_0000;
    *odd |= u32::from(infinite) * NOT_FINITE;
    *odd |= (far & u32::from(size != 0)) * NOT_NEAR;
    let exponent = if size == 0 { NOTHING } else { own };
    if WIDE {
        // In two steps, as neither overflows.
        let first = own >> 1;
        (float * power_32(-first) * power_32(first - own), exponent)
    } else {
        (float, exponent)
    }
}
