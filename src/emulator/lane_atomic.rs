//! Float additions in memory, on the bits that a slot holds.

/// Adds floats that are held as bits. `flush` adds as global memory does: it
/// treats subnormal `f32` values as zeros of their sign (PTX ISA, "atom").
pub(super) trait FloatSum {
    fn float_sum(self, other: Self, flush: bool) -> Self;
}

impl FloatSum for u32 {
    fn float_sum(self, other: Self, flush: bool) -> Self {
        let settle = |value: f32| {
            if flush && value.is_subnormal() { 0.0_f32.copysign(value) } else { value }
        };
        let sum = settle(settle(f32::from_bits(self)) + settle(f32::from_bits(other)));
        // The one NaN that hardware gives.
        if sum.is_nan() { 0x7fff_ffff } else { sum.to_bits() }
    }
}

impl FloatSum for u64 {
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
}
