//! Carries out floating-point ops for 32 lanes as loops that vectorise: round
//! to nearest, nothing flushed or clamped.

use std::ops::{Add, Mul, Sub};

use crate::exec::lanes;
use crate::program::{Float2, Outcomes, Slot};

/// A floating-point type of the host, and the bits that registers hold.
pub(crate) trait Native:
    Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    type Bits: Copy;
    fn of(bits: Self::Bits) -> Self;
    /// The bits of a result. A NaN is the one that 32-bit operations give, or
    /// for 64 bits the first of the operands that is one.
    fn result(self, operands: [Self; 3]) -> Self::Bits;
    fn fma(self, b: Self, c: Self) -> Self;
}

impl Native for f32 {
    type Bits = u32;

    #[inline(always)]
    fn of(bits: u32) -> Self {
        Self::from_bits(bits)
    }

    #[inline(always)]
    fn result(self, _: [Self; 3]) -> u32 {
        if self.is_nan() { 0x7fff_ffff } else { self.to_bits() }
    }

    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

impl Native for f64 {
    type Bits = u64;

    #[inline(always)]
    fn of(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    #[inline(always)]
    fn result(self, [a, b, c]: [Self; 3]) -> u64 {
        const QUIET: u64 = 1 << 51;
        let bits = if c.is_nan() { c.to_bits() | QUIET } else { 0xfff8_0000_0000_0000 };
        let bits = if b.is_nan() { b.to_bits() | QUIET } else { bits };
        let bits = if a.is_nan() { a.to_bits() | QUIET } else { bits };
        if self.is_nan() { bits } else { self.to_bits() }
    }

    #[inline(always)]
    fn fma(self, b: Self, c: Self) -> Self {
        self.mul_add(b, c)
    }
}

/// `d = a f b`.
#[inline(always)]
pub(crate) fn binary<const N: usize, F: Native>(
    file: &mut [[F::Bits; 32]],
    f: Float2,
    slots: [Slot; 3],
    mask: u32,
) {
    match f {
        Float2::Add => pairs::<N, F>(file, slots, mask, |a, b| a + b),
        Float2::Sub => pairs::<N, F>(file, slots, mask, |a, b| a - b),
        Float2::Mul => pairs::<N, F>(file, slots, mask, |a, b| a * b),
    }
}

#[inline(always)]
fn pairs<const N: usize, F: Native>(
    file: &mut [[F::Bits; 32]],
    slots: [Slot; 3],
    mask: u32,
    f: impl Fn(F, F) -> F,
) {
    lanes::map2::<N, _>(file, slots, mask, |a, b| {
        let (a, b) = (F::of(a), F::of(b));
        f(a, b).result([b, a, a])
    });
}

/// `d = a * b + c`, rounded once.
#[inline(always)]
pub(crate) fn fma<const N: usize, F: Native>(
    file: &mut [[F::Bits; 32]],
    slots: [Slot; 4],
    mask: u32,
) {
    lanes::map3::<N, _>(file, slots, mask, |a, b, c| {
        let (a, b, c) = (F::of(a), F::of(b), F::of(c));
        a.fma(b, c).result([b, c, a])
    });
}

/// The lanes for which a comparison holds.
#[inline(always)]
pub(crate) fn compare<const N: usize, F: Native>(
    file: &[[F::Bits; 32]],
    f: Outcomes,
    slots: [Slot; 2],
) -> u32 {
    compare_by::<N, _, F>(file, f, slots, F::of)
}

/// The same of what `key` makes of the bits.
#[inline(always)]
pub(crate) fn compare_by<const N: usize, B: Copy, F: Native>(
    file: &[[B; 32]],
    f: Outcomes,
    slots: [Slot; 2],
    key: impl Fn(B) -> F,
) -> u32 {
    let (more, equal, less) =
        (f.has(Outcomes::GREATER), f.has(Outcomes::EQUAL), f.has(Outcomes::LESS));
    // What holds for unordered values too is what its opposite, which does not, leaves.
    let unordered = f.has(Outcomes::UNORDERED);
    let number = |value: F| value.partial_cmp(&value).is_some();
    macro_rules! when {
        ($holds:expr) => {
            lanes::test::<N, _>(file, slots, |a, b| $holds(key(a), key(b)))
        };
    }
    let found = match (less != unordered, equal != unordered, more != unordered) {
        (false, false, false) => 0,
        (true, false, false) => when!(|a: F, b: F| a < b),
        (false, true, false) => when!(|a: F, b: F| a == b),
        (false, false, true) => when!(|a: F, b: F| a > b),
        (true, true, false) => when!(|a: F, b: F| a <= b),
        (false, true, true) => when!(|a: F, b: F| a >= b),
        (true, false, true) => when!(|a: F, b: F| number(a) && number(b) && a != b),
        (true, true, true) => when!(|a: F, b: F| number(a) & number(b)),
    };
    if unordered { !found } else { found }
}
