//! Conversions from and to floats of 16 bits, in every direction of rounding.

use super::f16::{narrowed_all, widened_all};
#[cfg(target_arch = "x86_64")]
use super::half_avx2;
use super::single::{flushed, nans};
use super::small;
use super::whole::{one, put, two};
use crate::exec::lanes;
use crate::lane::apply;
use crate::lane::half::NAN;
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

/// The same for `f16` rounded to nearest. The bits that 32 bits cannot hold are joined into a sticky
/// bit. Values outside the range of `f16` round to zero or infinity anyway.
#[inline(always)]
fn with_rest(values: &[u64; 32]) -> Register<f32> {
    const CUT: u64 = (1 << 29) - 1;
    one(values, |bits| {
        let rest = if bits & CUT == 0 { 0 } else { 1 << 29 };
        f64::from_bits(bits & !CUT | rest) as f32
    })
}

/// The bits of 32-bit floats that 16-bit ones are.
#[inline(always)]
pub(super) fn widened<const N: usize>(halves: &Lanes, brain: bool) -> Register<u32> {
    if brain {
        one(halves, |bits| bits << 16)
    } else {
        one(&widened_all::<N>(halves), f32::to_bits)
    }
}

/// 16-bit floats of the bits of 32-bit ones, in any direction but away from zero.
#[inline(always)]
fn rounded<const N: usize>(bits: &Lanes, brain: bool, round: Round) -> Register<u32> {
    if brain && round == Round::Zero {
        let cut = |bits: u32| if bits & !SIGN > INFINITY { NAN } else { bits >> 16 };
        return one(bits, cut);
    }
    let nearest = small::halves_of::<N>(bits, brain, false);
    if matches!(round, Round::Nearest | Round::Away) {
        return nearest;
    }
    let near = widened::<N>(&nearest, brain);
    let floats = |bits: &Lanes| one(bits, f32::from_bits);
    let (near, exact) = (floats(&near), floats(bits));
    // How far the size of each has to move.
    let moved = match round {
        Round::Up => two(&near, &exact, |near, exact| {
            let step = if near.is_sign_negative() { u32::MAX } else { 1 };
            if near < exact { step } else { 0 }
        }),
        Round::Down => two(&near, &exact, |near, exact| {
            let step = if near.is_sign_negative() { 1 } else { u32::MAX };
            if near > exact { step } else { 0 }
        }),
        _ => two(&near, &exact, |near, exact| if near.abs() > exact.abs() { u32::MAX } else { 0 }),
    };
    two(&nearest, &moved, u32::wrapping_add)
}

/// The same, where with `flush` subnormal floats of 32 bits count as 0.
#[inline(always)]
fn of_singles<const N: usize>(
    bits: &Lanes,
    (brain, round): (bool, Round),
    flush: bool,
) -> Register<u32> {
    if round == Round::Nearest {
        return small::halves_of::<N>(bits, brain, flush);
    }
    rounded::<N>(flushed(bits, flush, &mut Register::default()), brain, round)
}

/// The 16-bit floats of two registers in the lower and the upper halves of words. With `flush`,
/// subnormal numbers count as 0 before; with `relu`, negative ones do after.
#[inline(always)]
pub(in crate::exec) fn joined<const N: usize>(
    [low, high]: [&Lanes; 2],
    (brain, round): (bool, Round),
    [flush, relu]: [bool; 2],
) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 8 && round == Round::Nearest {
        // SAFETY: the machine has AVX2 and F16C, as `N` says.
        return unsafe {
            if brain {
                half_avx2::joined::<true>([low, high], [flush, relu])
            } else {
                half_avx2::joined::<false>([low, high], [flush, relu])
            }
        };
    }
    let low = of_singles::<N>(low, (brain, round), flush);
    let high = of_singles::<N>(high, (brain, round), flush);
    let clear = |half: u32| if relu & (half & 0x8000 != 0) { 0 } else { half };
    two(&low, &high, |low, high| clear(low) | clear(high) << 16)
}

/// From floats of 32 or 64 bits; false if no loop here computes it.
#[inline(always)]
pub(super) fn of_floats<const N: usize>(
    warp: &mut Warp,
    (to, from, mode): (Float, Float, Mode),
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    if !matches!(mode.clamp, Clamp::None | Clamp::Relu) || mode.round == Round::Away {
        return false;
    }
    let (brain, relu) = (to == Float::Bf16, mode.clamp == Clamp::Relu);
    if from == Float::F64 {
        let x = &warp.regs64[usize::from(a)];
        let (bits, mut values);
        if brain || mode.round != Round::Nearest {
            bits = odd(&one(x, f64::from_bits));
            values = rounded::<N>(&bits, brain, mode.round);
        } else {
            let floats = with_rest(x);
            bits = one(&floats, f32::to_bits);
            values = narrowed_all::<N>(&floats);
        }
        if relu {
            values = cleared(&values);
        }
        // NaNs keep their payload.
        let f = Function::FloatToFloat { to, from, mode };
        lanes::each(nans::<N>(&bits) & mask, |lane| {
            let x = warp.regs64[usize::from(a)][lane];
            values[lane] = apply(f, [x, 0, 0]) as u32;
        });
        put::<N, _>(&mut warp.regs32, d, mask, &values);
        return true;
    }
    let x = &warp.regs32[usize::from(a)];
    let mut values = of_singles::<N>(x, (brain, mode.round), mode.flush);
    if relu {
        values = cleared(&values);
    }
    put::<N, _>(&mut warp.regs32, d, mask, &values);
    true
}

/// The same with 0 for negative 16-bit floats.
#[inline(always)]
fn cleared(halves: &Lanes) -> Register<u32> {
    one(halves, |bits| if bits & 0x8000 != 0 { 0 } else { bits })
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
    let f = Function::FloatToFloat { to: Float::F64, from, mode };
    lanes::each(nans::<N>(&bits) & mask, |lane| {
        values[lane] = apply(f, [u64::from(x[lane]), 0, 0]);
    });
    put::<N, _>(&mut warp.regs64, d, mask, &values);
}

/// Joins the lowest 8 bits into bit 8 as a sticky bit, so that a float holds the integer exactly and
/// still rounds to the right `bf16`.
#[inline(always)]
fn shorter(x: u32) -> u32 {
    (x | ((x & 0xff) + 0xff)) & !0xff
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
    if brain && from.bits == 64 || round == Round::Away {
        return false;
    }
    let unused = 32_u32.saturating_sub(u32::from(from.bits));
    // Beyond the range of `f16`, where all come to the same, and inside of what 32 bits hold.
    let most = 1 << 17;
    let of_signed = |x: i32| (x.clamp(-most, most) as f32).to_bits();
    let of_unsigned = |x: u32| (x.min(1 << 17).cast_signed() as f32).to_bits();
    let words = &warp.regs32;
    let floats = match from.bits {
        64 if from.signed => one(&warp.regs64[usize::from(a)], |x| {
            of_signed(x.cast_signed().clamp(-i64::from(most), i64::from(most)) as i32)
        }),
        64 => one(&warp.regs64[usize::from(a)], |x| of_unsigned(x.min(1 << 17) as u32)),
        32 if brain && from.signed => one(&words[usize::from(a)], |x| {
            let few = x.wrapping_add(1 << 24) < 1 << 25;
            (if few { x } else { shorter(x) }.cast_signed() as f32).to_bits()
        }),
        32 if brain => one(&words[usize::from(a)], |x| {
            (if x < 1 << 24 { x } else { shorter(x) } as f32).to_bits()
        }),
        _ if from.signed => {
            one(&words[usize::from(a)], |x| of_signed((x << unused).cast_signed() >> unused))
        }
        _ => one(&words[usize::from(a)], |x| of_unsigned(x << unused >> unused)),
    };
    let values = rounded::<N>(&floats, brain, round);
    put::<N, _>(&mut warp.regs32, d, mask, &values);
    true
}
