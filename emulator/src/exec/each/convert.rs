//! Conversions. What the host rounds as asked is its own; all others are slow.

use super::f16::widened_all;
#[cfg(target_arch = "x86_64")]
use super::rounded;
use super::single::{flushed, nans};
use super::small;
use super::whole::{one, put};
use super::{convert_half, one_by_one};
use crate::exec::lanes;
use crate::exec::vectors::vectors;
use crate::lane::{apply, word};
use crate::machine::Register;
use crate::machine::Warp;
use crate::program::{Clamp, Float, Function, Integer, Mode, Op, Round, Slot, Small, Wide};

/// The NaN of 32 bits.
const NAN: u32 = 0x7fff_ffff;
const SIGN: u32 = 1 << 31;

/// `d = f(a)`; false if no loop here computes it.
#[inline(always)]
fn convert<const N: usize>(
    warp: &mut Warp,
    f: &Function,
    wide: Wide,
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    match *f {
        Function::FloatToFloat { to, from, mode } => {
            float_to_float::<N>(warp, (to, from, mode), [d, a], mask)
        }
        Function::FloatToInteger {
            to,
            from: from @ (Float::F32 | Float::F16 | Float::Bf16),
            round,
            flush,
        } => {
            let (words, mut own) = (&warp.regs32[usize::from(a)], Register::default());
            let x = if from == Float::F32 {
                flushed(words, flush, &mut own)
            } else {
                own = convert_half::widened::<N>(words, from == Float::Bf16);
                &*own
            };
            // A NaN is 0 here, but in 64 bits the highest alone.
            let nan = if to.bits == 64 { 1 << 63 } else { 0 };
            macro_rules! rounded {
                ($f:expr) => {{
                    if from == Float::F16
                        && to.bits == 64
                        && nans_and_infinities::<N>(x) & mask == 0
                    {
                        // 32 bits hold every finite `f16`.
                        let few = one(x, |bits| {
                            let x: f32 = $f(f32::from_bits(bits));
                            let inside = if x.abs() < 65536.0 { x } else { 0.0 };
                            // SAFETY: it lies inside of the range.
                            unsafe { inside.to_int_unchecked::<i32>() }
                        });
                        let kept = if to.signed { i64::MIN } else { 0 };
                        let values = one(&few, |few| i64::from(few).max(kept).cast_unsigned());
                        put::<N, _>(&mut warp.regs64, d, mask, &values);
                        return true;
                    }
                    let x = one(x, |bits| f64::from($f(f32::from_bits(bits))));
                    integers::<N>(warp, &x, (to, nan), d, mask);
                }};
            }
            match round {
                Round::Nearest => rounded!(f32::round_ties_even),
                Round::Zero => rounded!(|x: f32| x),
                Round::Down => rounded!(f32::floor),
                Round::Up => rounded!(f32::ceil),
                Round::Away => return false,
            }
            true
        }
        Function::FloatToInteger { to, from: Float::F64, round, .. } => {
            let x = &warp.regs64[usize::from(a)];
            let nan = 1 << (to.bits - 1);
            macro_rules! rounded {
                ($f:expr) => {{
                    let x = one(x, |bits| $f(f64::from_bits(bits)));
                    integers::<N>(warp, &x, (to, nan), d, mask);
                }};
            }
            match round {
                Round::Nearest => rounded!(f64::round_ties_even),
                Round::Zero => rounded!(|x: f64| x),
                Round::Down => rounded!(f64::floor),
                Round::Up => rounded!(f64::ceil),
                Round::Away => return false,
            }
            true
        }
        Function::IntegerToFloat {
            to: to @ (Float::F16 | Float::Bf16),
            from,
            round,
            saturate: false,
        } => convert_half::of_integers::<N>(warp, (to, from), round, [d, a], mask),
        Function::IntegerToFloat { to, from, round: Round::Nearest, saturate: false } => {
            integer_to_float::<N>(warp, to, from, [d, a], mask)
        }
        Function::IntegerToFloat { to, from, round, saturate: false } => {
            integer_in_direction::<N>(warp, (to, from), round, [d, a], mask)
        }
        Function::ToSmall { to: Small::Tf32, from: Float::F32, mode } => {
            if mode != (Mode { round: Round::Away, ..Mode::PLAIN }) {
                return false;
            }
            let values = one(&warp.regs32[usize::from(a)], |bits| {
                let rounded = bits.wrapping_add(0x1000) & !0x1fff;
                // A NaN is cut off.
                if bits & !SIGN > 0x7f80_0000 { bits & !0x1fff } else { rounded }
            });
            put::<N, _>(&mut warp.regs32, d, mask, &values);
            true
        }
        Function::ToSmall { to, from, mode } => {
            let finite = matches!(mode.clamp, Clamp::Finite | Clamp::FiniteRelu);
            if mode.round != Round::Nearest || mode.flush || !finite {
                return false;
            }
            let x = &warp.regs32[usize::from(a)];
            let relu = mode.clamp == Clamp::FiniteRelu;
            let Some(format) = small::Eight::of(to) else { return false };
            let values = match from {
                Float::F32 => small::of_floats(format, relu, x),
                Float::F16 => small::of_halves::<N>(format, relu, x),
                _ => return false,
            };
            put::<N, _>(&mut warp.regs32, d, mask, &values);
            true
        }
        Function::FromSmall { from, relu } => {
            let x = &warp.regs32[usize::from(a)];
            let Some(format) = small::Eight::of(from) else { return false };
            let values = small::to_halves(format, relu, x);
            put::<N, _>(&mut warp.regs32, d, mask, &values);
            true
        }
        Function::SaturateInteger { to, from } => {
            saturate::<N>(warp, (to, from), wide, [d, a], mask)
        }
        _ => false,
    }
}

/// The lanes with a NaN or an infinity.
#[inline(always)]
fn nans_and_infinities<const N: usize>(bits: &[u32; 32]) -> u32 {
    lanes::those::<N>(|lane| bits[lane] & !SIGN >= 0x7f80_0000)
}

/// Writes the integers that floats are when cut off, the nearest that there is, and `nan` for
/// a NaN.
#[inline(always)]
fn integers<const N: usize>(
    warp: &mut Warp,
    x: &[f64; 32],
    (to, nan): (Integer, u64),
    d: Slot,
    mask: u32,
) {
    // Added to it, a smaller integer is the lower half of the bits.
    const MIDDLE: f64 = 6_755_399_441_055_744.0;
    if to.bits == 64 {
        let values = if N == 16 { whole_words(x, (to, nan)) } else { shifted_words(x, (to, nan)) };
        return put::<N, _>(&mut warp.regs64, d, mask, &values);
    }
    let span = (1_u64 << to.bits) as f64;
    let low = if to.signed { -span / 2.0 } else { 0.0 };
    let high = low + span - 1.0;
    let cut = u32::MAX >> (32 - u32::from(to.bits));
    let values = one(x, |x| {
        let above = if x > low { x } else { low };
        let inside = if above < high { above } else { high };
        let value = (inside.trunc() + MIDDLE).to_bits() as u32 & cut;
        if x.is_nan() { nan as u32 } else { value }
    });
    put::<N, _>(&mut warp.regs32, d, mask, &values);
}

/// [`integers`] of 64 bits, with the conversion instruction of the host.
#[inline(always)]
fn whole_words(x: &[f64; 32], (to, nan): (Integer, u64)) -> Register<u64> {
    const END: f64 = 18_446_744_073_709_551_616.0;
    const SIGNED_END: f64 = END / 2.0;
    if to.signed {
        return one(x, |x| {
            let inside = if (-SIGNED_END..SIGNED_END).contains(&x) { x } else { -SIGNED_END };
            // SAFETY: it lies inside of the range.
            let value = unsafe { inside.to_int_unchecked::<i64>() }.cast_unsigned();
            let value = if x >= SIGNED_END { i64::MAX.cast_unsigned() } else { value };
            if x.is_nan() { nan } else { value }
        });
    }
    one(x, |x| {
        let inside = if (0.0..END).contains(&x) { x } else { 0.0 };
        // SAFETY: it lies inside of the range.
        let value = unsafe { inside.to_int_unchecked::<u64>() };
        let value = if x >= END { u64::MAX } else { value };
        if x.is_nan() { nan } else { value }
    })
}

/// The same by shifting the fraction, for hosts whose vectors have no such conversion.
#[inline(always)]
fn shifted_words(x: &[f64; 32], (to, nan): (Integer, u64)) -> Register<u64> {
    const SIGN: u64 = 1 << 63;
    const ONE: u64 = 1 << 52;
    // A mask for negative results, the lowest and highest integer, and the first float above the range.
    let (kept, lowest, highest, beyond) = if to.signed {
        (u64::MAX, SIGN, SIGN - 1, 0x43e0 << 48)
    } else {
        (0, 0, u64::MAX, 0x43f0 << 48)
    };
    one(x, |x| {
        let bits = x.to_bits();
        let (size, negative) = (bits & !SIGN, bits.cast_signed() < 0);
        let fraction = size & (ONE - 1) | ONE;
        // At most one of the two shifts is below 64, unless both are 0.
        let left = (size >> 52).wrapping_sub(1075);
        let right = left.wrapping_neg();
        let up = if left < 64 { fraction << left } else { 0 };
        let down = if right < 64 { fraction >> right } else { 0 };
        let value = up | down;
        let value = if negative { value.wrapping_neg() & kept } else { value };
        let end = if negative { lowest } else { highest };
        let value = if size.cast_signed() >= beyond { end } else { value };
        if size.cast_signed() > 0x7ff << 52 { nan } else { value }
    })
}

/// Among floats, where one of them has 32 bits.
#[inline(always)]
fn float_to_float<const N: usize>(
    warp: &mut Warp,
    (to, from, mode): (Float, Float, Mode),
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    let Mode { round, flush, clamp } = mode;
    match (to, from) {
        (Float::F16 | Float::Bf16, Float::F32 | Float::F64) => {
            return convert_half::of_floats::<N>(warp, (to, from, mode), [d, a], mask);
        }
        (Float::F64, Float::F16 | Float::Bf16) if clamp == Clamp::None => {
            convert_half::to_doubles::<N>(warp, (from, mode), [d, a], mask);
            return true;
        }
        _ => {}
    }
    #[cfg(target_arch = "x86_64")]
    if N >= 8 && matches!((to, from, clamp), (Float::F32, Float::F64, Clamp::None)) {
        let (x, mut values) = (&warp.regs64[usize::from(a)], Register::default());
        if rounded::shortened::<N>(x, round, &mut values) {
            put_singles::<N>(warp, values, mode, [d, a], mask);
            return true;
        }
    }
    if round != Round::Nearest || !matches!(clamp, Clamp::None | Clamp::Unit | Clamp::Relu) {
        return false;
    }
    if clamp != Clamp::None && (to, from) != (Float::F32, Float::F32) {
        return false;
    }
    // Of 64 bits, NaNs keep their payload.
    match (to, from) {
        (Float::F64, Float::F32) => {
            let mut own = Register::default();
            let x = flushed(&warp.regs32[usize::from(a)], flush, &mut own);
            let mut values = one(x, |x| f64::from(f32::from_bits(x)).to_bits());
            let f = Function::FloatToFloat { to, from, mode };
            lanes::each(nans::<N>(x) & mask, |lane| {
                values[lane] = apply(f, [u64::from(x[lane]), 0, 0]);
            });
            put::<N, _>(&mut warp.regs64, d, mask, &values);
        }
        (Float::F32, Float::F64) => {
            let values =
                one(&warp.regs64[usize::from(a)], |x| (f64::from_bits(x) as f32).to_bits());
            put_singles::<N>(warp, values, mode, [d, a], mask);
        }
        (Float::F32, Float::F32) if clamp != Clamp::Relu => {
            let mut own = Register::default();
            let x = flushed(&warp.regs32[usize::from(a)], flush, &mut own);
            let values = if clamp == Clamp::Unit {
                // Negative numbers and NaNs have larger bits than infinity.
                one(x, |bits| if bits > 0x7f80_0000 { 0 } else { bits.min(0x3f80_0000) })
            } else {
                one(x, |bits| if bits & !SIGN > 0x7f80_0000 { NAN } else { bits })
            };
            put::<N, _>(&mut warp.regs32, d, mask, &values);
        }
        (Float::F32, Float::F16) => {
            let values = widened_all::<N>(&warp.regs32[usize::from(a)]);
            let values = one(&values, |value| if value.is_nan() { NAN } else { value.to_bits() });
            let mut own = Register::default();
            put::<N, _>(&mut warp.regs32, d, mask, flushed(&values, flush, &mut own));
        }
        (Float::F32, Float::Bf16) if !flush => {
            let values = one(&warp.regs32[usize::from(a)], |bits| bits << 16);
            put::<N, _>(&mut warp.regs32, d, mask, &values);
        }
        _ => return false,
    }
    true
}

/// Writes what floats of 64 bits are in 32, flushed as the mode says, and finds its NaNs.
#[inline(always)]
fn put_singles<const N: usize>(
    warp: &mut Warp,
    mut values: Register<u32>,
    mode: Mode,
    [d, a]: [Slot; 2],
    mask: u32,
) {
    let x = &warp.regs64[usize::from(a)];
    let f = Function::FloatToFloat { to: Float::F32, from: Float::F64, mode };
    lanes::each(nans::<N>(&values) & mask, |lane| values[lane] = apply(f, [x[lane]; 3]) as u32);
    let mut own = Register::default();
    put::<N, _>(&mut warp.regs32, d, mask, flushed(&values, mode.flush, &mut own));
}

/// From an integer, rounded to nearest.
#[inline(always)]
fn integer_to_float<const N: usize>(
    warp: &mut Warp,
    to: Float,
    from: Integer,
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    const LOW: u64 = (1 << 11) - 1;
    let unused = 32_u32.saturating_sub(u32::from(from.bits));
    let signed = |x: u32| (x << unused).cast_signed() >> unused;
    let unsigned = |x: u32| x << unused >> unused;
    let (words, doubles) = (warp.regs32.get(usize::from(a)), warp.regs64.get(usize::from(a)));
    match to {
        Float::F32 => {
            let values = match (from.bits, from.signed, words, doubles) {
                (64, true, _, Some(x)) => one(x, |x| (x.cast_signed() as f32).to_bits()),
                (64, false, _, Some(x)) if N == 8 => one(x, |x| {
                    // A double holds 53 bits. Of more, the lowest become a sticky bit.
                    let rest = (x & LOW) + LOW;
                    let joined = if x >> 53 == 0 { x } else { (x | rest) & !LOW };
                    (word::float_of(joined) as f32).to_bits()
                }),
                (64, false, _, Some(x)) => one(x, |x| (x as f32).to_bits()),
                (_, true, Some(x), _) => one(x, |x| (signed(x) as f32).to_bits()),
                (_, false, Some(x), _) => one(x, |x| (unsigned(x) as f32).to_bits()),
                _ => return false,
            };
            put::<N, _>(&mut warp.regs32, d, mask, &values);
        }
        Float::F64 => {
            let values = match (from.bits, from.signed, words, doubles) {
                (64, true, _, Some(x)) => one(x, |x| (x.cast_signed() as f64).to_bits()),
                (64, false, _, Some(x)) => one(x, |x| (x as f64).to_bits()),
                (_, true, Some(x), _) => one(x, |x| f64::from(signed(x)).to_bits()),
                (_, false, Some(x), _) => one(x, |x| f64::from(unsigned(x)).to_bits()),
                _ => return false,
            };
            put::<N, _>(&mut warp.regs64, d, mask, &values);
        }
        _ => return false,
    }
    true
}

/// From an integer, rounded in a direction: where the host does that.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no such host"))]
#[inline(always)]
fn integer_in_direction<const N: usize>(
    warp: &mut Warp,
    (to, from): (Float, Integer),
    round: Round,
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    // 64 bits hold all of 32.
    if to == Float::F64 && from.bits <= 32 {
        return integer_to_float::<N>(warp, to, from, [d, a], mask);
    }
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        let mut doubles = Register::default();
        if from.bits == 64 {
            let x = &warp.regs64[usize::from(a)];
            if !rounded::of_doubles::<N>(x, from.signed, round, &mut doubles) {
                return false;
            }
        } else {
            let unused = 32 - u32::from(from.bits);
            let x = &warp.regs32[usize::from(a)];
            doubles = if from.signed {
                one(x, |x| f64::from((x << unused).cast_signed() >> unused).to_bits())
            } else {
                one(x, |x| f64::from(x << unused >> unused).to_bits())
            };
        }
        if to == Float::F64 {
            put::<N, _>(&mut warp.regs64, d, mask, &doubles);
            return true;
        }
        // Rounded twice in a direction is rounded once.
        let mut singles = Register::default();
        if !rounded::shortened::<N>(&doubles, round, &mut singles) {
            return false;
        }
        put::<N, _>(&mut warp.regs32, d, mask, &singles);
        return true;
    }
    false
}

/// The nearest value that an integer type of up to 32 bits holds.
#[inline(always)]
fn saturate<const N: usize>(
    warp: &mut Warp,
    (to, from): (Integer, Integer),
    wide: Wide,
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    if to.bits > 32 || from.bits == 64 && !from.signed {
        return false;
    }
    let unused = 64 - u32::from(from.bits);
    let (low, high) = if to.signed {
        (-1_i64 << (to.bits - 1), (1_i64 << (to.bits - 1)) - 1)
    } else {
        (0, (1_i64 << to.bits) - 1)
    };
    if from.bits <= 32 && !wide.result() && !wide.operand(0) {
        return saturate_words::<N>(warp, (to, from), (low, high), [d, a], mask);
    }
    let keep = u64::MAX >> (64 - u32::from(to.bits));
    let signed = from.signed;
    let clamped = |x: u64| {
        let value = (x << unused).cast_signed() >> unused;
        let value = if signed { value } else { (x << unused >> unused).cast_signed() };
        value.max(low).min(high).cast_unsigned() & keep
    };
    let values = if wide.operand(0) {
        one(&warp.regs64[usize::from(a)], clamped)
    } else {
        one(&warp.regs32[usize::from(a)], |x| clamped(u64::from(x)))
    };
    if wide.result() {
        put::<N, _>(&mut warp.regs64, d, mask, &values);
    } else {
        put::<N, _>(&mut warp.regs32, d, mask, &one(&values, |value| value as u32));
    }
    true
}

/// The same of 32 bits to as many.
#[inline(always)]
fn saturate_words<const N: usize>(
    warp: &mut Warp,
    (to, from): (Integer, Integer),
    (low, high): (i64, i64),
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    let (unused, keep) = (32 - u32::from(from.bits), u32::MAX >> (32 - u32::from(to.bits)));
    if from.signed {
        let low = low.max(i64::from(i32::MIN)) as i32;
        let high = high.min(i64::from(i32::MAX)) as i32;
        lanes::map1::<N, _>(&mut warp.regs32, [d, a], mask, |x| {
            let value = (x << unused).cast_signed() >> unused;
            value.max(low).min(high).cast_unsigned() & keep
        });
    } else {
        let high = high as u32;
        lanes::map1::<N, _>(&mut warp.regs32, [d, a], mask, |x| (x << unused >> unused).min(high));
    }
    true
}

vectors! {
    /// Conversions.
    conversions => conversions_body(warp: &mut Warp, op: &Op, mask: u32)
}

#[inline(always)]
fn conversions_body<const N: usize>(warp: &mut Warp, op: &Op, mask: u32) {
    // By reference: of a function that is copied as a whole, each field is taken out of words by
    // shifts.
    let Op::Each { ref f, wide, d, a, b, c } = *op else { return };
    if !convert::<N>(warp, f, wide, [d, a], mask) {
        one_by_one(warp, *f, wide, [d, a, b, c], mask);
    }
}
