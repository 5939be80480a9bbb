//! Arithmetic and conversions that the host rounds in a direction itself. `N` is 16 only where
//! the machine has AVX-512, and 8 where it has AVX2.

mod avx2;
mod avx512;

use super::whole::one;
use crate::program::{Arithmetic, Round};

type Words = [u32; 32];
type Doubles = [u64; 32];

/// `f` of 32-bit floats; which NaN it gives is open. False if nothing here computes it.
#[inline(always)]
pub(super) fn singles<const N: usize>(
    f: Arithmetic,
    round: Round,
    operands: [&Words; 3],
    out: &mut Words,
) -> bool {
    match N {
        // SAFETY: the machine has these features, as `N` says.
        16 => unsafe { avx512::singles(f, round, operands, out) },
        // SAFETY: the machine has these features, as `N` says.
        8 => unsafe { avx2::singles(f, round, operands, out) },
        _ => false,
    }
}

/// The same of 64-bit floats.
#[inline(always)]
pub(super) fn doubles<const N: usize>(
    f: Arithmetic,
    round: Round,
    operands: [&Doubles; 3],
    out: &mut Doubles,
) -> bool {
    match N {
        // SAFETY: the machine has these features, as `N` says.
        16 => unsafe { avx512::doubles(f, round, operands, out) },
        // SAFETY: the machine has these features, as `N` says.
        8 => unsafe { avx2::doubles(f, round, operands, out) },
        _ => false,
    }
}

/// 64-bit floats as ones of 32 bits; which NaN that gives is open.
#[inline(always)]
pub(super) fn shortened<const N: usize>(values: &Doubles, round: Round, out: &mut Words) -> bool {
    match N {
        // SAFETY: the machine has these features, as `N` says.
        16 => unsafe { avx512::shortened(values, round, out) },
        // SAFETY: the machine has these features, as `N` says.
        8 => unsafe { avx2::shortened(values, round, out) },
        _ => false,
    }
}

/// Words of 64 bits, signed or not, as floats of 64 bits: the sum of their halves, which are
/// floats.
#[inline(always)]
pub(super) fn of_doubles<const N: usize>(
    values: &Doubles,
    signed: bool,
    round: Round,
    out: &mut Doubles,
) -> bool {
    const UPPER: f64 = 4_294_967_296.0;
    let lower = one(values, |value| f64::from(value as u32).to_bits());
    let upper = if signed {
        one(values, |value| (f64::from((value >> 32) as i32) * UPPER).to_bits())
    } else {
        one(values, |value| (f64::from((value >> 32) as u32) * UPPER).to_bits())
    };
    doubles::<N>(Arithmetic::Add, round, [&upper, &lower, &lower], out)
}
