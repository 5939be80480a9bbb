//! Carries out functions that have no loop of their own, lane by lane.

use super::function::Function;
use super::lane;
use super::lane_bits::bits;
use super::lane_convert as convert;
use super::lane_float as float;
use super::lane_small as small;
use super::op::{Slot, Wide};
use super::warp::Warp;

/// One lane's result.
fn apply(f: Function, [a, b, c]: [u64; 3]) -> u64 {
    match f {
        Function::Arithmetic(f, ty, mode) => float::arithmetic(f, ty, mode, [a, b, c]),
        Function::Extreme(f, ty) => float::extreme(f, ty, a, b),
        Function::Class(f, ty) => u64::from(float::class(f, ty, a)),
        Function::Compare(f, ty, flush) => u64::from(float::compare(f, ty, flush, a, b)),
        Function::FloatToFloat { to, from, mode } => convert::float_to_float(to, from, mode, a),
        Function::ToSmall { to, from, mode } => small::to_small(to, from, mode, a),
        Function::FromSmall { from, relu } => small::from_small(from, relu, a),
        Function::FloatToInteger { to, from, round, flush } => {
            convert::float_to_integer(to, from, round, flush, a)
        }
        Function::IntegerToFloat { to, from, round, saturate } => {
            convert::integer_to_float(to, from, round, saturate, a)
        }
        Function::SaturateInteger { to, from } => convert::saturate_integer(to, from, a),
        Function::Field(f) => i64::from(lane::narrow(f, a as u32).cast_signed()).cast_unsigned(),
        Function::Bits(f) => bits(f, a, b, c),
        Function::Join(bits) => a & !(u64::MAX << bits) | b << bits,
    }
}

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

/// `d = f(a, b, c)` for the lanes of `mask`.
#[inline(never)]
pub(super) fn each(warp: &mut Warp, f: Function, wide: Wide, [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = gather(warp, wide, [a, b, c]);
    let result = |lane: usize| apply(f, [a[lane], b[lane], c[lane]]);
    if wide.result() {
        let d = &mut warp.regs64[usize::from(d)];
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            d[lane] = result(lane);
        }
    } else {
        let d = &mut warp.regs32[usize::from(d)];
        for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
            d[lane] = result(lane) as u32;
        }
    }
}

/// The lanes of `mask` for which `f(a, b)` is not zero.
#[inline(never)]
pub(super) fn test(warp: &Warp, f: Function, wide: Wide, [a, b]: [Slot; 2], mask: u32) -> u32 {
    let [a, b, _] = gather(warp, wide, [a, b, a]);
    (0..32)
        .filter(|lane| mask >> lane & 1 != 0 && apply(f, [a[*lane], b[*lane], 0]) != 0)
        .fold(0, |bits, lane| bits | 1 << lane)
}
