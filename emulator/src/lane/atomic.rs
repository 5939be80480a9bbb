//! Functions of floats in memory, on the bits that a cell holds.

use crate::lane::{float, half};
use crate::program::{Extreme, Float, Rmw};

/// Floats that are held as bits.
pub(crate) trait Floats {
    /// Their sum. `flush` adds as global memory does: it treats subnormal `f32`
    /// values as zeros of their sign (PTX ISA, "atom").
    fn float_sum(self, other: Self, flush: bool) -> Self;

    /// The same of the numbers of the lanes of `mask`, one after the other; none if it is a NaN
    /// or if something has to be flushed. To add `-0.0` changes nothing.
    fn float_total(self, numbers: &[Self; 32], mask: u32, flush: bool) -> Option<Self>
    where
        Self: Sized;

    /// `f` of every pair of 16-bit floats in them.
    fn halves(self, f: Rmw, other: Self) -> Self;
}

const SIGN: u32 = 1 << 31;
const EXPONENT: u32 = 0x7f80_0000;

impl Floats for u32 {
    #[inline(always)]
    fn float_sum(self, other: Self, flush: bool) -> Self {
        // Zeros and subnormal values have no exponent.
        let settle = |bits: u32| {
            f32::from_bits(if flush && bits & EXPONENT == 0 { bits & SIGN } else { bits })
        };
        let sum = settle((settle(self) + settle(other)).to_bits());
        // The one NaN that hardware gives.
        if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
    }

    fn float_total(self, numbers: &[Self; 32], mask: u32, flush: bool) -> Option<Self> {
        let mut sum = f32::from_bits(self);
        let mut tiny = sum.is_subnormal();
        for (lane, &number) in numbers.iter().enumerate() {
            let number = if mask >> lane & 1 != 0 { f32::from_bits(number) } else { -0.0 };
            sum += number;
            tiny |= number.is_subnormal() | sum.is_subnormal();
        }
        (!(sum.is_nan() || flush && tiny)).then_some(sum.to_bits())
    }

    #[inline(always)]
    fn halves(self, f: Rmw, other: Self) -> Self {
        let half = |brain, shift: u32| {
            half::sum(brain, self >> shift & 0xffff, other >> shift & 0xffff) << shift
        };
        match f {
            Rmw::AddF16 => half(false, 0) | half(false, 16),
            Rmw::AddBf16 => half(true, 0) | half(true, 16),
            _ => extremes(f, self, other),
        }
    }
}

/// The smaller or larger of both pairs of 16-bit floats.
#[inline(never)]
fn extremes(f: Rmw, a: u32, b: u32) -> u32 {
    let max = matches!(f, Rmw::MaxF16 | Rmw::MaxBf16);
    let brain = matches!(f, Rmw::MinBf16 | Rmw::MaxBf16);
    let f = Extreme { max, nan: false, xorsign: false, flush: false };
    let float = if brain { Float::Bf16x2 } else { Float::F16x2 };
    float::extreme(f, float, u64::from(a), u64::from(b)) as u32
}

impl Floats for u64 {
    #[inline(always)]
    fn float_sum(self, other: Self, flush: bool) -> Self {
        let (a, b) = (f64::from_bits(self), f64::from_bits(other));
        let sum = a + b;
        let quiet = if flush { 0 } else { 1 << 51 };
        // A NaN goes on; global memory, as measured, leaves it as it is.
        // Of two, global memory keeps the one that is added.
        let first = a.is_nan() & !(flush & b.is_nan());
        let kept = if first { self } else { other } | quiet;
        let nan = if a.is_nan() | b.is_nan() { kept } else { 0xfff8 << 48 };
        if sum.is_nan() { nan } else { sum.to_bits() }
    }

    fn float_total(self, numbers: &[Self; 32], mask: u32, _: bool) -> Option<Self> {
        let mut sum = f64::from_bits(self);
        for (lane, &number) in numbers.iter().enumerate() {
            sum += if mask >> lane & 1 != 0 { f64::from_bits(number) } else { -0.0 };
        }
        (!sum.is_nan()).then_some(sum.to_bits())
    }

    fn halves(self, f: Rmw, other: Self) -> Self {
        let half =
            |shift: u32| u64::from(((self >> shift) as u32).halves(f, (other >> shift) as u32));
        half(0) | half(32) << 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subnormal_values_are_flushed_where_asked() {
        let (small, one) = (1_u32, 1.0_f32.to_bits());
        assert_eq!(small.float_sum(small, false), 2);
        assert_eq!(small.float_sum(1 << 31 | small, true), 0);
        assert_eq!(one.float_sum(one, true), 2.0_f32.to_bits());
        assert_eq!(
            f32::INFINITY.to_bits().float_sum(f32::NEG_INFINITY.to_bits(), false),
            0x7fff_ffff
        );
        assert_eq!(1.5_f64.to_bits().float_sum(2.25_f64.to_bits(), false), 3.75_f64.to_bits());
    }

    #[test]
    fn halves_are_apart() {
        // 1 and 2, plus 2 and -2.
        assert_eq!(0x3c00_4000_u32.halves(Rmw::AddF16, 0x4000_c000), 0x4200_0000);
        assert_eq!(0x3c00_4000_u32.halves(Rmw::MinF16, 0x4000_c000), 0x3c00_c000);
        assert_eq!(0x3f80_4000_u32.halves(Rmw::MaxBf16, 0x4000_c000), 0x4000_4000);
        assert_eq!(
            0x3f80_0000_3f80_4000_u64.halves(Rmw::AddBf16, 0x3f80 << 48),
            0x4000_0000_3f80_4000
        );
    }
}
