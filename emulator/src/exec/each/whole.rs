//! Loops over all 32 lanes: what they compute is written where the mask says so.

use std::ops::BitOr;

use crate::machine::{self, Register};
use crate::program::Slot;

/// `f(a)` in every lane.
#[inline(always)]
pub(in crate::exec) fn one<A: Copy, D: Copy + Default>(
    a: &[A; 32],
    f: impl Fn(A) -> D,
) -> Register<D> {
    let mut values = Register::default();
    for lane in 0..32 {
        values[lane] = f(a[lane]);
    }
    values
}

/// `f(a, b)` in every lane.
#[inline(always)]
pub(in crate::exec) fn two<A: Copy, B: Copy, D: Copy + Default>(
    a: &[A; 32],
    b: &[B; 32],
    f: impl Fn(A, B) -> D,
) -> Register<D> {
    let mut values = Register::default();
    for lane in 0..32 {
        values[lane] = f(a[lane], b[lane]);
    }
    values
}

/// `f(a, b, c)` in every lane.
#[inline(always)]
pub(in crate::exec) fn three<A: Copy, B: Copy, C: Copy, D: Copy + Default>(
    a: &[A; 32],
    b: &[B; 32],
    c: &[C; 32],
    f: impl Fn(A, B, C) -> D,
) -> Register<D> {
    let mut values = Register::default();
    for lane in 0..32 {
        values[lane] = f(a[lane], b[lane], c[lane]);
    }
    values
}

/// The values, in whole vectors: where many ways follow, the compiler would take some lanes out of
/// them before, and load the others one by one after.
#[inline(always)]
pub(in crate::exec) fn in_vectors<T>(values: &T) -> &T {
    std::hint::black_box(values)
}

/// The lanes whose flag is not zero: mostly none.
#[inline(always)]
pub(in crate::exec) fn flagged<W: Copy + PartialEq + Default + BitOr<Output = W>>(
    flags: &[W; 32],
) -> u32 {
    let mut any = W::default();
    for lane in 0..32 {
        any = any | flags[lane];
    }
    if any == W::default() { 0 } else { each_flagged(flags) }
}

#[inline(never)]
fn each_flagged<W: Copy + PartialEq + Default>(flags: &[W; 32]) -> u32 {
    let mut found = 0;
    for lane in 0..32 {
        found |= if flags[lane] == W::default() { 0 } else { 1 << lane };
    }
    found
}

/// Writes the lanes of `mask`.
#[inline(always)]
pub(in crate::exec) fn put<const N: usize, D: Copy>(
    file: &mut [[D; 32]],
    d: Slot,
    mask: u32,
    values: &[D; 32],
) {
    machine::put::<N, D>(&mut file[usize::from(d)], mask, values);
}
