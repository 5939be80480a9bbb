//! Carries out general functions. Most have a loop over the 32 lanes that vectorises, in
//! [`single`], [`double`], [`half`], [`convert`] and [`integer`]; the others, and the lanes
//! in which a loop cannot be sure of the last bit, are computed one by one.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "loops without branches vectorise; flags of lanes are combined, not tested in turn"
)]

mod convert;
mod dot;
mod double;
pub(crate) mod f16;
mod half;
mod integer;
mod single;
#[cfg(test)]
mod tests;
mod whole;

use crate::exec::vectors::vectors;
use crate::lane::apply;
use crate::machine::{Warp, lanes};
use crate::program::{Float, Function, Op, Slot, Wide};

/// Values of the operands, 32-bit ones zero-extended.
fn gather(warp: &Warp, wide: Wide, slots: [Slot; 3]) -> [[u64; 32]; 3] {
    let mut index = 0;
    slots.map(|slot| {
        index += 1;
        if wide.operand(index - 1) {
            warp.regs64[usize::from(slot)]
        } else {
            warp.regs32[usize::from(slot)].map(u64::from)
        }
    })
}

vectors! {
    /// Carries out an `Op::Each` for the lanes of `mask`; of any other does nothing.
    each => each_body(warp: &mut Warp, op: &Op, mask: u32)
}

#[inline(always)]
fn each_body<const N: usize>(warp: &mut Warp, op: &Op, mask: u32) {
    let Op::Each { f, wide, d, a, b, c } = *op else { return };
    let slots = [d, a, b, c];
    let done = match f {
        Function::Arithmetic(f, Float::F32, mode) => {
            single::arithmetic::<N>(&mut warp.regs32, f, mode, slots, mask)
        }
        Function::Arithmetic(f, Float::F64, mode) => {
            double::arithmetic::<N>(&mut warp.regs64, f, mode, slots, mask)
        }
        Function::Arithmetic(f, float, mode) => {
            half::arithmetic::<N>(&mut warp.regs32, f, (float, mode), slots, mask)
        }
        Function::Extreme(f, Float::F64) => double::extreme::<N>(&mut warp.regs64, f, slots, mask),
        Function::Extreme(f, Float::F32) => single::extreme::<N>(&mut warp.regs32, f, slots, mask),
        Function::Extreme(f, float) => half::extreme::<N>(&mut warp.regs32, f, float, slots, mask),
        Function::Bits(f) => integer::bits::<N>(warp, f, wide, slots, mask),
        Function::Join(width) => integer::join::<N>(warp, width, wide, slots, mask),
        Function::Field(f) => integer::field::<N>(warp, f, slots, mask),
        _ => convert::convert::<N>(warp, f, wide, slots, mask),
    };
    if !done {
        one_by_one(warp, f, wide, slots, mask);
    }
}

/// As [`each`], for what no loop computes.
#[inline(never)]
fn one_by_one(warp: &mut Warp, f: Function, wide: Wide, [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = gather(warp, wide, [a, b, c]);
    let result = |lane: usize| apply(f, [a[lane], b[lane], c[lane]]);
    if wide.result() {
        let d = &mut warp.regs64[usize::from(d)];
        for lane in lanes(mask) {
            d[lane] = result(lane);
        }
    } else {
        let d = &mut warp.regs32[usize::from(d)];
        for lane in lanes(mask) {
            d[lane] = result(lane) as u32;
        }
    }
}

/// The lanes of `mask` for which `f(a, b)` is not zero.
#[inline(always)]
pub(crate) fn test<const N: usize>(
    warp: &Warp,
    f: Function,
    wide: Wide,
    slots: [Slot; 2],
    mask: u32,
) -> u32 {
    let found = match f {
        Function::Compare(f, Float::F32, flush) => {
            Some(single::compare::<N>(&warp.regs32, f, flush, slots))
        }
        Function::Compare(f, Float::F16, false) => {
            Some(half::compare::<N>(&warp.regs32, f, slots, false))
        }
        Function::Compare(f, Float::Bf16, false) => {
            Some(half::compare::<N>(&warp.regs32, f, slots, true))
        }
        Function::Class(f, Float::F32) => Some(single::class::<N>(&warp.regs32, f, slots[0])),
        _ => None,
    };
    found.unwrap_or_else(|| test_one_by_one(warp, f, wide, slots, mask))
}

/// As [`test`], for what no loop computes.
#[inline(never)]
fn test_one_by_one(warp: &Warp, f: Function, wide: Wide, [a, b]: [Slot; 2], mask: u32) -> u32 {
    let [a, b, _] = gather(warp, wide, [a, b, a]);
    (0..32)
        .filter(|lane| mask >> lane & 1 != 0 && apply(f, [a[*lane], b[*lane], 0]) != 0)
        .fold(0, |bits, lane| bits | 1 << lane)
}
