//! Arithmetic and conversions that the host rounds in a direction itself. `N` is 16 only where
//! the machine has AVX-512, and 8 where it has AVX2.

mod avx2;
mod avx512;

use super::whole::one;
use crate::program::{Arithmetic, Round};

type Words = [u32; 32];
type Doubles = [u64; 32];

/// Defines a function that both have.
macro_rules! by_width {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*)) => {
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name<const N: usize>($($arg: $ty),*) -> bool {
            match N {
                // SAFETY: the machine has these features, as `N` says.
                16 => unsafe { avx512::$name($($arg),*) },
                // SAFETY: the machine has these features, as `N` says.
                8 => unsafe { avx2::$name($($arg),*) },
                _ => false,
            }
        }
    };
}

by_width! {
    /// `f` of 32-bit floats; which NaN it gives is open. False if nothing here computes it.
    singles(f: Arithmetic, round: Round, operands: [&Words; 3], out: &mut Words)
}
by_width! {
    /// The same of 64-bit floats.
    doubles(f: Arithmetic, round: Round, operands: [&Doubles; 3], out: &mut Doubles)
}
by_width! {
    /// 64-bit floats as ones of 32 bits; which NaN that gives is open.
    shortened(values: &Doubles, round: Round, out: &mut Words)
}

/// Converts 64-bit integers to floats: the upper and the lower half are the last bits of two large
/// floats, whose sum is rounded once.
#[inline(always)]
pub(super) fn of_doubles<const N: usize>(
    values: &Doubles,
    signed: bool,
    round: Round,
    out: &mut Doubles,
) -> bool {
    // 2^84 and 2^52: their last bits hold the upper and the lower half.
    const UPPER: f64 = 19_342_813_113_834_066_795_298_816.0;
    const LOWER: f64 = 4_503_599_627_370_496.0;
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe {
            if signed {
                avx512::of_signed(values, round, out)
            } else {
                avx512::of_unsigned(values, round, out)
            }
        };
    }
    // 2^63 added makes signed numbers positive; it is subtracted again below.
    let (turn, half) = if signed { (1 << 31, 9_223_372_036_854_775_808.0) } else { (0, 0.0) };
    let upper = one(values, |value| {
        let upper = f64::from_bits((value >> 32 ^ turn) | UPPER.to_bits());
        (upper - (UPPER + half + LOWER)).to_bits()
    });
    let lower = one(values, |value| value & 0xffff_ffff | LOWER.to_bits());
    let known = doubles::<N>(Arithmetic::Add, round, [&upper, &lower, &lower], out);
    if round == Round::Down {
        // Rounded down, x - x is -0.
        for lane in 0..32 {
            out[lane] = if values[lane] == 0 { 0 } else { out[lane] };
        }
    }
    known
}
