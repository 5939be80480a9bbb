//! Functions of floats in memory, on the bits that a cell holds.

use crate::lane::float;
use crate::program::{Arithmetic, Extreme, Float, Mode, Rmw};

/// Floats that are held as bits.
pub(crate) trait Floats {
    /// Their sum. `flush` adds as global memory does: it treats subnormal `f32`
    /// values as zeros of their sign (PTX ISA, "atom").
    fn float_sum(self, other: Self, flush: bool) -> Self;

    /// `f` of every pair of 16-bit floats in them.
    fn halves(self, f: Rmw, other: Self) -> Self;
}

impl Floats for u32 {
    fn float_sum(self, other: Self, flush: bool) -> Self {
        let settle = |value: f32| {
            if flush && value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
        };
        let sum = settle(settle(f32::from_bits(self)) + settle(f32::from_bits(other)));
        // The one NaN that hardware gives.
        if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
    }

    #[inline(never)]
    fn halves(self, f: Rmw, other: Self) -> Self {
        let [a, b] = [self, other].map(u64::from);
        let extreme = |max, float| {
            let f = Extreme { max, nan: false, xorsign: false, flush: false };
            float::extreme(f, float, a, b)
        };
        let sum = |float| float::arithmetic(Arithmetic::Add, float, Mode::PLAIN, [a, b, 0]);
        let result = match f {
            Rmw::AddF16 => sum(Float::F16x2),
            Rmw::AddBf16 => sum(Float::Bf16x2),
            Rmw::MinF16 | Rmw::MaxF16 => extreme(f == Rmw::MaxF16, Float::F16x2),
            _ => extreme(f == Rmw::MaxBf16, Float::Bf16x2),
        };
        result as u32
    }
}

impl Floats for u64 {
    fn float_sum(self, other: Self, flush: bool) -> Self {
        let (a, b) = (f64::from_bits(self), f64::from_bits(other));
        let sum = a + b;
        let quiet = if flush { 0 } else { 1 << 51 };
        match (a.is_nan(), b.is_nan()) {
            _ if !sum.is_nan() => sum.to_bits(),
            // A NaN goes on; global memory, as measured, leaves it as it is.
            // Of two, global memory keeps the one that is added.
            (true, false) => self | quiet,
            (true, true) if !flush => self | quiet,
            (_, true) => other | quiet,
            _ => 0xfff8 << 48,
        }
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
