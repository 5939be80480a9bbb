//! Carries out floating-point ops for 32 lanes as loops that vectorise: round
//! to nearest, nothing flushed or clamped.

use std::ops::{Add, Mul, Sub};

use super::function::Outcomes;
use super::op::{Float2, Slot};

/// A floating-point type of the host, and the bits that registers hold.
pub(super) trait Native:
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

/// Writes the lanes of `mask`.
#[inline(always)]
fn lanes<B: Copy>(d: &mut [B; 32], mask: u32, f: impl Fn(usize) -> B) {
    if mask == u32::MAX {
        for (lane, d) in d.iter_mut().enumerate() {
            *d = f(lane);
        }
    } else {
        for (lane, d) in d.iter_mut().enumerate() {
            let value = f(lane);
            *d = if mask >> lane & 1 != 0 { value } else { *d };
        }
    }
}

/// `d = a f b`.
#[inline(always)]
pub(super) fn binary<F: Native>(
    registers: &mut [[F::Bits; 32]],
    f: Float2,
    [d, a, b]: [Slot; 3],
    mask: u32,
) {
    let (a, b) = (registers[usize::from(a)], registers[usize::from(b)]);
    let d = &mut registers[usize::from(d)];
    match f {
        Float2::Add => pairs(d, a, b, mask, |a: F, b| a + b),
        Float2::Sub => pairs(d, a, b, mask, |a: F, b| a - b),
        Float2::Mul => pairs(d, a, b, mask, |a: F, b| a * b),
    }
}

#[inline(always)]
fn pairs<F: Native>(
    d: &mut [F::Bits; 32],
    a: [F::Bits; 32],
    b: [F::Bits; 32],
    mask: u32,
    f: impl Fn(F, F) -> F,
) {
    lanes(d, mask, |lane| {
        let (a, b) = (F::of(a[lane]), F::of(b[lane]));
        f(a, b).result([b, a, a])
    });
}

/// `d = a * b + c`, rounded once.
#[inline(always)]
pub(super) fn fma<F: Native>(registers: &mut [[F::Bits; 32]], [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = [a, b, c].map(|slot| registers[usize::from(slot)]);
    let d = &mut registers[usize::from(d)];
    lanes(d, mask, |lane| {
        let (a, b, c) = (F::of(a[lane]), F::of(b[lane]), F::of(c[lane]));
        a.fma(b, c).result([b, c, a])
    });
}

/// The lanes for which a comparison holds.
#[inline(always)]
pub(super) fn compare<F: Native>(
    registers: &[[F::Bits; 32]],
    f: Outcomes,
    [a, b]: [Slot; 2],
) -> u32 {
    let (a, b) = (&registers[usize::from(a)], &registers[usize::from(b)]);
    let (mut less, mut equal, mut greater) = (0, 0, 0);
    for lane in 0..32 {
        let (a, b) = (F::of(a[lane]), F::of(b[lane]));
        less |= u32::from(a < b) << lane;
        equal |= u32::from(a == b) << lane;
        greater |= u32::from(a > b) << lane;
    }
    let when = |outcome, lanes| if f.has(outcome) { lanes } else { 0 };
    when(Outcomes::LESS, less)
        | when(Outcomes::EQUAL, equal)
        | when(Outcomes::GREATER, greater)
        | when(Outcomes::UNORDERED, !(less | equal | greater))
}
