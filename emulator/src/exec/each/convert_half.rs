//! Conversions from and to floats of 16 bits, in every direction of rounding.

use super::f16::widened_all;
use super::small;
use super::whole::{flagged, one, put, two};
use crate::exec::lanes;
use crate::lane::apply;
use crate::machine::{Register, Warp};
use crate::program::{Clamp, Float, Function, Integer, Mode, Round, Slot};

type Lanes = [u32; 32];

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;

/// The bits of 32-bit floats that 64-bit ones are when rounded to odd: of the two neighbours of
/// a value the odd one keeps on which side of all shorter floats it lies.
#[inline(always)]
fn odd(values: &[f64; 32]) -> Register<u32> {
    one(values, |value| {
        let near = value as f32;
        let (bits, back) = (near.to_bits(), f64::from(near));
        let step = if back.abs() > value.abs() { u32::MAX } else { 1 };
        let lost = (back < value) | (back > value);
        if lost & (bits & 1 == 0) { bits.wrapping_add(step) } else { bits }
    })
}

/// The bits of 32-bit floats that 16-bit ones are.
#[inline(always)]
pub(super) fn widened<const N: usize>(halves: &Lanes, brain: bool) -> Register<u32> {
    if brain {
        one(halves, |bits| bits << 16)
    } else {
        one(&widened_all::<N>(&one(halves, |bits| bits & 0xffff)), f32::to_bits)
    }
}

/// 16-bit floats of the bits of 32-bit ones.
#[inline(always)]
fn rounded<const N: usize>(bits: &Lanes, brain: bool, round: Round) -> Option<Register<u32>> {
    let nearest = small::halves_of::<N>(bits, brain, false);
    if round == Round::Nearest {
        return Some(nearest);
    }
    let near = widened::<N>(&nearest, brain);
    let floats = |bits: &Lanes| one(bits, |bits| f32::from_bits(bits));
    let (near, exact) = (floats(&near), floats(bits));
    // How far the size of each has to move.
    let moved = match round {
        Round::Zero => {
            two(&near, &exact, |near, exact| if near.abs() > exact.abs() { u32::MAX } else { 0 })
        }
        Round::Up => two(&near, &exact, |near, exact| {
            let step = if near.is_sign_negative() { u32::MAX } else { 1 };
            if near < exact { step } else { 0 }
        }),
        Round::Down => two(&near, &exact, |near, exact| {
            let step = if near.is_sign_negative() { 1 } else { u32::MAX };
            if near > exact { step } else { 0 }
        }),
        Round::Nearest | Round::Away => return None,
    };
    Some(two(&nearest, &moved, |nearest, moved| nearest.wrapping_add(moved)))
}

/// From floats of 32 or 64 bits; false if no loop here computes it.
#[inline(always)]
pub(super) fn of_floats<const N: usize>(
    warp: &mut Warp,
    (to, from, mode): (Float, Float, Mode),
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    if !matches!(mode.clamp, Clamp::None | Clamp::Relu) {
        return false;
    }
    let brain = to == Float::Bf16;
    let is_nan = |bits: u32| u32::from(bits & !SIGN > INFINITY);
    let (bits, nans) = if from == Float::F64 {
        let values = one(&warp.regs64[usize::from(a)], |bits| f64::from_bits(bits));
        let bits = odd(&values);
        // These keep their payload.
        let nans = flagged(&one(&bits, is_nan));
        (bits, nans)
    } else {
        let x = &warp.regs32[usize::from(a)];
        let least = if mode.flush { 0x0080_0000 } else { 0 };
        (one(x, |bits| if bits & !SIGN < least { bits & SIGN } else { bits }), 0)
    };
    let Some(mut values) = rounded::<N>(&bits, brain, mode.round) else { return false };
    if mode.clamp == Clamp::Relu {
        values = one(&values, |bits| if bits & 0x8000 != 0 { 0 } else { bits });
    }
    let f = Function::FloatToFloat { to, from, mode };
    lanes::each(nans & mask, |lane| {
        let x = warp.regs64[usize::from(a)][lane];
        values[lane] = apply(f, [x, 0, 0]) as u32;
    });
    put::<N, _>(&mut warp.regs32, d, mask, &values);
    true
}

/// To floats of 64 bits.
#[inline(always)]
pub(super) fn to_doubles<const N: usize>(
    warp: &mut Warp,
    (from, mode): (Float, Mode),
    [d, a]: [Slot; 2],
    mask: u32,
) {
    let x = warp.regs32[usize::from(a)];
    let bits = widened::<N>(&x, from == Float::Bf16);
    let mut values = one(&bits, |bits| f64::from(f32::from_bits(bits)).to_bits());
    let nans = flagged(&one(&bits, |bits| u32::from(bits & !SIGN > INFINITY)));
    let f = Function::FloatToFloat { to: Float::F64, from, mode };
    lanes::each(nans & mask, |lane| values[lane] = apply(f, [u64::from(x[lane]), 0, 0]));
    put::<N, _>(&mut warp.regs64, d, mask, &values);
}

/// From integers; false if no loop here computes it.
#[inline(always)]
pub(super) fn of_integers<const N: usize>(
    warp: &mut Warp,
    (to, from): (Float, Integer),
    round: Round,
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    let brain = to == Float::Bf16;
    let unused = 64 - u32::from(from.bits);
    // Beyond the range of `f16`, where all come to the same, and inside of the 53 bits that 64
    // hold.
    const END: i64 = 1 << 17;
    let float = |x: u64| {
        let value = if from.signed {
            (x << unused).cast_signed() >> unused
        } else {
            (x << unused >> unused).min(i64::MAX.cast_unsigned()).cast_signed()
        };
        if brain { value as f64 } else { value.clamp(-END, END) as f64 }
    };
    let values = if from.bits == 64 {
        if brain {
            return false;
        }
        one(&warp.regs64[usize::from(a)], float)
    } else {
        one(&warp.regs32[usize::from(a)], |x| float(u64::from(x)))
    };
    let Some(values) = rounded::<N>(&odd(&values), brain, round) else { return false };
    put::<N, _>(&mut warp.regs32, d, mask, &values);
    true
}
