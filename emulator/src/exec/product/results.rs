//! From sums to floats.

use super::{COLUMNS, ROWS, Sums};
use crate::lane::half;
use crate::lane::matrix::KEPT;

/// `2^exponent`.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52)
}

/// The sums as 32-bit floats, cut off, or as 16-bit ones, rounded to nearest.
#[inline(always)]
pub(super) fn packed<const HALF: bool, const KEEP: i32>(sums: &Sums) -> [[u32; COLUMNS]; ROWS] {
    /// The first power of two beyond the finite floats.
    const END: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    let mut all = [[0; COLUMNS]; ROWS];
    let [one, other] = &sums.totals;
    let totals = one.as_flattened().iter().zip(other.as_flattened());
    let sums = totals.zip(sums.exponents.as_flattened());
    for (bits, ((&one, &other), exponent)) in all.as_flattened_mut().iter_mut().zip(sums) {
        let sum = (f64::from(one) + f64::from(other)) * power(exponent - KEEP);
        let sum = if KEEP == KEPT {
            sum
        } else {
            // As many bits are kept of the sum.
            f64::from_bits(sum.to_bits() >> (52 - KEEP) << (52 - KEEP))
        };
        let near = sum as f32;
        let beyond = f64::from(near).abs() > sum.abs();
        let cut = near.to_bits().wrapping_sub(u32::from(beyond));
        *bits = if HALF {
            // The lowest bit says that something was cut off, so that rounding again is right.
            let inexact = f64::from(f32::from_bits(cut)).to_bits() != sum.to_bits();
            half::narrowed(f32::from_bits(cut | u32::from(inexact)))
        } else if sum.abs() >= END {
            0x7f80_0000 | cut & 1 << 31
        } else {
            cut
        };
        // Zeros are positive.
        let magnitude = if HALF { 0x7fff } else { 0x7fff_ffff };
        *bits = if *bits & magnitude == 0 { 0 } else { *bits };
    }
    all
}
