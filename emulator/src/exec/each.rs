//! Carries out general functions. Most have a loop over the 32 lanes that vectorises, in
//! [`single`], [`double`], [`half`], [`convert`] and [`integer`]; the others, and the lanes
//! in which a loop cannot be sure of the last bit, are computed one by one.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "loops without branches vectorise; flags of lanes are combined, not tested in turn"
)]

mod convert;
mod double;
mod half;
mod integer;
mod single;
#[cfg(test)]
mod tests;
mod whole;

use crate::lane::apply;
use crate::machine::{Warp, lanes};
use crate::program::{Float, Function, Slot, Wide};

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

/// `d = f(a, b, c)` for the lanes of `mask`. `N` is 8 or more only where the machine has
/// AVX2, and 16 only where it has AVX-512, which [`crate::exec::run`] knows.
#[inline(always)]
pub(crate) fn each<const N: usize>(
    warp: &mut Warp,
    f: Function,
    wide: Wide,
    slots: [Slot; 4],
    mask: u32,
) {
    #[cfg(target_arch = "x86_64")]
    match N {
        // SAFETY: the machine has these features, as `N` says.
        16 => return unsafe { each_avx512(warp, f, wide, slots, mask) },
        // SAFETY: the machine has these features, as `N` says.
        8 => return unsafe { each_avx2(warp, f, wide, slots, mask) },
        _ => {}
    }
    each_plain(warp, f, wide, slots, mask);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn each_avx512(warp: &mut Warp, f: Function, wide: Wide, slots: [Slot; 4], mask: u32) {
    each_body::<16>(warp, f, wide, slots, mask);
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
fn each_avx2(warp: &mut Warp, f: Function, wide: Wide, slots: [Slot; 4], mask: u32) {
    each_body::<8>(warp, f, wide, slots, mask);
}

#[inline(never)]
fn each_plain(warp: &mut Warp, f: Function, wide: Wide, slots: [Slot; 4], mask: u32) {
    each_body::<4>(warp, f, wide, slots, mask);
}

#[inline(always)]
fn each_body<const N: usize>(
    warp: &mut Warp,
    f: Function,
    wide: Wide,
    slots: [Slot; 4],
    mask: u32,
) {
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
            Some(half::compare::<N>(&warp.regs32, f, slots, half::widened))
        }
        Function::Compare(f, Float::Bf16, false) => {
            Some(half::compare::<N>(&warp.regs32, f, slots, |bits| f32::from_bits(bits << 16)))
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
