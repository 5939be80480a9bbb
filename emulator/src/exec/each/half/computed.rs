//! What the host has no instructions for.

use super::super::family;
use super::super::whole::{flagged, one, put, three, two};
use super::{File, Floats, Format, Lanes, tables};
use crate::exec::lanes;
use crate::lane::apply;
use crate::lane::approximate::{Approximate, Exp2, Tanh};
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Float, Function, Mode, Round, Slot};

family! {
    /// Arithmetic of 16-bit floats by that of 32 bits, or by tables.
    computed, computed_body, |warp, f, wide, slots, mask| match f {
        Function::Arithmetic(f, float, mode) => {
            arithmetic::<N>(&mut warp.regs32, f, (float, mode), slots, mask)
        }
        _ => false,
    }
}

/// `d = f(a, b, c)`; false if no loop here computes it.
#[inline(always)]
fn arithmetic<const N: usize>(
    file: File,
    f: Arithmetic,
    (float, mode): (Float, Mode),
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    let Some((format, pair)) = Format::of(float) else { return false };
    let known = matches!(mode.clamp, Clamp::None | Clamp::Unit | Clamp::Relu);
    let integral = f == Arithmetic::Integral;
    if !known || mode.round != Round::Nearest && !integral {
        return false;
    }
    if matches!(f, Arithmetic::Exp2 | Arithmetic::Tanh)
        && mode.clamp == Clamp::None
        && let Some(table) = tables::of(f, format.brain, mode.flush)
    {
        let mut values = Register::default();
        let a = &file[usize::from(a)];
        for lane in 0..32 {
            // Lane by lane: to take them out of vectors would take longer than to look them up.
            std::hint::black_box(());
            let (low, high) = (a[lane] & 0xffff, a[lane] >> 16);
            let high = if pair { u32::from(table[high as usize]) << 16 } else { 0 };
            values[lane] = u32::from(table[low as usize]) | high;
        }
        put::<N, _>(file, d, mask, &values);
        return true;
    }
    in_singles::<N>(file, f, (float, mode), [d, a, b, c], mask)
}

/// By arithmetic of 32 bits.
#[inline(always)]
pub(super) fn in_singles<const N: usize>(
    file: File,
    f: Arithmetic,
    (float, mode): (Float, Mode),
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    let Some((format, pair)) = Format::of(float) else { return false };
    let (a, b, c) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    let mut all = Register::default();
    let mut doubts = Register::default();
    for shift in if pair { &[0_u32, 16][..] } else { &[0][..] } {
        let x = format.operand::<N>(a, *shift, mode);
        let y = format.floats::<N>(&format.operand::<N>(b, *shift, mode));
        let z = match f {
            Arithmetic::Fma => format.floats::<N>(&format.operand::<N>(c, *shift, mode)),
            _ => Register::default(),
        };
        let x = format.floats::<N>(&x);
        let mut values = Register::default();
        if !compute::<N>(f, mode.round, format, [&x, &y, &z], (&mut values, &mut doubts)) {
            return false;
        }
        let values = format.finish::<N>(format.bits::<N>(&values), mode);
        all = two(&all, &values, |all, bits| all | bits << shift);
    }
    let in_doubt = flagged(&doubts) & mask;
    if in_doubt != 0 {
        let f = Function::Arithmetic(f, float, mode);
        lanes::each(in_doubt, |lane| {
            let operands = [u64::from(a[lane]), u64::from(b[lane]), u64::from(c[lane])];
            all[lane] = apply(f, operands) as u32;
        });
    }
    put::<N, _>(file, d, mask, &all);
    true
}

/// Results that a second rounding, to 16 bits, makes right; false if no loop here computes them.
#[inline(always)]
fn compute<const N: usize>(
    f: Arithmetic,
    round: Round,
    format: Format,
    [x, y, z]: [&Floats; 3],
    (values, doubts): (&mut Register<f32>, &mut Lanes),
) -> bool {
    // Products of `bf16` that are subnormal in 32 bits would be rounded there.
    macro_rules! check {
        ($least:expr, $most:expr) => {
            if format.brain {
                let odd = two(x, y, |x, y| {
                    let size = (x * y).abs();
                    u32::from((size < $least) & (x != 0.0) & (y != 0.0) | (size > $most))
                });
                *doubts = *two(doubts, &odd, |doubt, odd| doubt | odd);
            }
        };
    }
    *values = match f {
        Arithmetic::Add => two(x, y, |x, y| x + y),
        Arithmetic::Sub => two(x, y, |x, y| x - y),
        Arithmetic::Mul => {
            check!(2.0 * f32::MIN_POSITIVE, f32::INFINITY);
            two(x, y, |x, y| x * y)
        }
        Arithmetic::Fma => {
            // Beyond the range of 32 bits the sum may still be inside.
            check!(2.0 * f32::MIN_POSITIVE, f32::MAX / 4.0);
            three(x, y, z, |x, y, z| sticky_sum(x * y, z))
        }
        Arithmetic::Integral => match round {
            Round::Nearest => one(x, f32::round_ties_even),
            Round::Zero => one(x, f32::trunc),
            Round::Down => one(x, f32::floor),
            Round::Up => one(x, f32::ceil),
            Round::Away => return false,
        },
        Arithmetic::Exp2 | Arithmetic::Tanh => {
            let mut values = Register::default();
            // Bits below the place of rounding.
            let below = if format.brain { 16 } else { 13 };
            let least = if format.brain { f32::MIN_POSITIVE } else { 1.0 / 16384.0 };
            for lane in 0..32 {
                let argument = f64::from(x[lane]);
                let value = match (f == Arithmetic::Tanh, N >= 8) {
                    (true, true) => Tanh::of::<true>(argument),
                    (true, false) => Tanh::of::<false>(argument),
                    (false, true) => Exp2::of::<true>(argument),
                    (false, false) => Exp2::of::<false>(argument),
                } as f32;
                let low = value.to_bits() & ((1 << below) - 1);
                let between = low.wrapping_sub((1 << (below - 1)) - 1) <= 2;
                let small = value.abs() < least && value != 0.0;
                values[lane] = if argument.is_nan() { f32::NAN } else { value };
                doubts[lane] |= u32::from(between | small);
            }
            values
        }
        _ => return false,
    };
    true
}

/// `x + y` with the lowest bit set if something is cut off below it.
#[inline(always)]
fn sticky_sum(x: f32, y: f32) -> f32 {
    let sum = x + y;
    let part = sum - x;
    let error = (x - (sum - part)) + (y - part);
    let bits = sum.to_bits();
    let closer = (error < 0.0) != (sum < 0.0);
    let odd = if closer { bits.wrapping_sub(1) } else { bits };
    let lost = error != 0.0 && error.abs() < f32::INFINITY && bits & 1 == 0;
    f32::from_bits(if lost { odd | 1 } else { bits })
}
