//! 32-bit floats: what the host computes itself, with `.ftz` and `.sat`; directed rounding
//! by the sign of the error; approximate functions in 64 bits.

use super::nearest;
#[cfg(target_arch = "x86_64")]
use super::rounded;
use super::whole::{flagged, one, put, three, two};
use super::{classes, family};
use crate::exec::{float, lanes};
use crate::lane::apply;
use crate::lane::approximate::{self, Approximate, Exp2, Log2, ReciprocalSqrt, Tanh, Wave};
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Extreme, Float, Function, Mode, Outcomes, Round, Slot};

const SIGN: u32 = 1 << 31;
const INFINITY: u32 = 0x7f80_0000;
const SMALLEST_NORMAL: u32 = 0x0080_0000;
/// Reciprocals of what lies beyond are subnormal: 2^126.
const REACH: f32 = f32::from_bits(0x7e80_0000);
/// The NaN that operations give.
const NAN: u32 = 0x7fff_ffff;

type Lanes = [u32; 32];
type File<'f> = &'f mut [Lanes];

/// Bits of a result.
#[inline(always)]
fn bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// The words; if `flush`, those without subnormal floats, which it writes to `own`. The compiler
/// would copy a value that comes from one of two loops in pieces, so this gives a place.
#[inline(always)]
pub(super) fn flushed<'a>(bits: &'a Lanes, flush: bool, own: &'a mut Lanes) -> &'a Lanes {
    if !flush {
        return bits;
    }
    *own = *normal(bits);
    own
}

/// What is subnormal as zeros of its sign.
#[inline(always)]
fn normal(bits: &Lanes) -> Register<u32> {
    one(bits, |bits| cut(bits, SMALLEST_NORMAL))
}

/// The lanes that have a NaN.
#[inline(always)]
pub(super) fn nans<const N: usize>(bits: &Lanes) -> u32 {
    lanes::those::<N>(|lane| bits[lane] & !SIGN > INFINITY)
}

/// What is smaller than `least` as a zero of its sign.
#[inline(always)]
fn cut(bits: u32, least: u32) -> u32 {
    let size = bits & !SIGN;
    // Sizes are positive: vectors compare signed integers in one instruction.
    let gone = if size.cast_signed() < least.cast_signed() { !SIGN } else { 0 };
    bits & !gone
}

/// An operand, flushed as the mode says.
#[inline(always)]
fn operand<const N: usize>(file: &[Lanes], slot: Slot, mode: Mode) -> Register<u32> {
    let values = &file[usize::from(slot)];
    if mode.flush { normal(values) } else { Register(*values) }
}

/// Flushes and clamps results as the mode says, and writes them.
#[inline(always)]
fn finish<const N: usize>(file: File, d: Slot, mode: Mode, mask: u32, mut values: Register<u32>) {
    if mode.flush {
        values = normal(&values);
    }
    if mode.clamp == Clamp::Unit {
        values = one(&values, |bits| {
            let clamped = bits.min(1.0_f32.to_bits());
            if bits & SIGN != 0 || bits > INFINITY { 0 } else { clamped }
        });
    }
    put::<N, _>(file, d, mask, &values);
}

/// `d = f(a, b, c)`; false if no loop here computes it.
#[inline(always)]
fn arithmetic<const N: usize>(
    file: File,
    f: Arithmetic,
    mode: Mode,
    slots: [Slot; 4],
    mask: u32,
) -> bool {
    if !matches!(mode.clamp, Clamp::None | Clamp::Unit) {
        return false;
    }
    match f {
        Arithmetic::Integral => return integral::<N>(file, mode, slots, mask),
        Arithmetic::Add
        | Arithmetic::Sub
        | Arithmetic::Mul
        | Arithmetic::Fma
        | Arithmetic::Div
        | Arithmetic::Sqrt
        | Arithmetic::Reciprocal
        | Arithmetic::ReciprocalRounded
            if mode.round != Round::Nearest =>
        {
            return directed::<N>(file, f, mode, slots, mask);
        }
        _ => {}
    }
    let [d, a, b, c] = slots;
    let (x, y, z) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    // In the same loop, flushed or not.
    let least = if mode.flush { SMALLEST_NORMAL } else { 0 };
    let number = |bits| f32::from_bits(cut(bits, least));
    let bits = |value| cut(bits(value), least);
    macro_rules! binary {
        ($f:expr) => {
            two(x, y, |x, y| bits($f(number(x), number(y))))
        };
    }
    let values = match f {
        Arithmetic::Add => binary!(|x: f32, y: f32| x + y),
        Arithmetic::Sub => binary!(|x: f32, y: f32| x - y),
        Arithmetic::Mul => binary!(|x: f32, y: f32| x * y),
        Arithmetic::Div => binary!(|x: f32, y: f32| x / y),
        // 0 where the reciprocal would be subnormal.
        Arithmetic::DivApprox => binary!(|x: f32, y: f32| {
            let huge = y.abs() > REACH && y.abs() < f32::INFINITY;
            let zero = x * 0.0_f32.copysign(y);
            if huge { zero } else { x / y }
        }),
        Arithmetic::Fma => three(x, y, z, |x, y, z| bits(number(x).mul_add(number(y), number(z)))),
        Arithmetic::Sqrt | Arithmetic::SqrtApprox => one(x, |x| bits(number(x).sqrt())),
        Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => one(x, |x| bits(1.0 / number(x))),
        Arithmetic::Negate => one(x, |x| bits(-number(x))),
        Arithmetic::Absolute => one(x, |x| bits(number(x).abs())),
        Arithmetic::CopySign => two(x, y, |x, y| cut(x & SIGN | y & !SIGN, least)),
        _ => return false,
    };
    finish::<N>(file, d, Mode { flush: false, ..mode }, mask, values);
    true
}

/// To an integral value.
#[inline(always)]
fn integral<const N: usize>(file: File, mode: Mode, [d, a, ..]: [Slot; 4], mask: u32) -> bool {
    let x = operand::<N>(file, a, mode);
    let number = f32::from_bits;
    let values = match mode.round {
        Round::Nearest => one(&x, |x| bits(number(x).round_ties_even())),
        Round::Zero => one(&x, |x| bits(number(x).trunc())),
        Round::Down => one(&x, |x| bits(number(x).floor())),
        Round::Up => one(&x, |x| bits(number(x).ceil())),
        Round::Away => return false,
    };
    finish::<N>(file, d, mode, mask, values);
    true
}

/// Finds the lanes in doubt, given arguments, results and whether subnormals are flushed.
type Doubts = fn(&Lanes, &[f64; 32], bool) -> u32;

/// The lanes in doubt. Seldom called: about one warp in 500 has one.
#[inline(never)]
fn doubts<F: Approximate, const FUSED: bool>(x: &Lanes, exact: &[f64; 32], flush: bool) -> u32 {
    let mut found = 0;
    for lane in 0..32 {
        let (_, _, outside) = F::reduce::<FUSED>(argument(x[lane]));
        let odd = outside >> 63 != 0 || approximate::round(exact[lane], flush).1;
        found |= u32::from(odd) << lane;
    }
    found
}

#[inline(always)]
fn argument(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// Approximate functions; lanes in doubt go the slow way.
#[inline(always)]
pub(super) fn special<const N: usize>(
    file: File,
    f: Arithmetic,
    mode: Mode,
    [d, a, ..]: [Slot; 4],
    mask: u32,
) -> bool {
    if !matches!(mode.clamp, Clamp::None | Clamp::Unit) {
        return false;
    }
    let x = operand::<N>(file, a, mode);
    let exact;
    let in_doubt: Doubts;
    let mut outside = 0;
    macro_rules! compute {
        ($f:ty, $fused:literal) => {{
            let (mut rests, mut withs) = (Register::default(), Register::default());
            for lane in 0..32 {
                let (rest, with, odd) = <$f>::reduce::<$fused>(argument(x[lane]));
                (rests[lane], withs[lane]) = (rest, with);
                outside |= odd;
            }
            exact = two(&rests, &withs, <$f>::join::<$fused>);
            in_doubt = doubts::<$f, $fused>;
        }};
    }
    macro_rules! each {
        ($fused:literal) => {
            match f {
                Arithmetic::Sin => compute!(Wave<false>, $fused),
                Arithmetic::Cos => compute!(Wave<true>, $fused),
                Arithmetic::Exp2 => compute!(Exp2, $fused),
                Arithmetic::Log2 => compute!(Log2, $fused),
                Arithmetic::Tanh => compute!(Tanh, $fused),
                _ => compute!(ReciprocalSqrt, $fused),
            }
        };
    }
    if N >= 8 {
        each!(true);
    } else {
        each!(false);
    }
    let mut values = Register::default();
    let known = nearest::nearest::<N>(&exact, mode.flush, &mut values);
    values = two(&values, &x, |value, argument| {
        if f32::from_bits(argument).is_nan() { NAN } else { bits(f32::from_bits(value)) }
    });
    if !known || outside >> 63 != 0 {
        lanes::each(in_doubt(&x, &exact, mode.flush) & mask, |lane| {
            let f = Function::Arithmetic(f, Float::F32, Mode { clamp: Clamp::None, ..mode });
            values[lane] = apply(f, [u64::from(x[lane]); 3]) as u32;
        });
    }
    finish::<N>(file, d, mode, mask, values);
    true
}

/// Rounds `near`, next to an exact result that is larger or smaller as the sign of `error`
/// says, in a direction. Also whether it lies where that takes more than a step.
#[inline(always)]
fn step(near: f32, error: f64, round: Round) -> (u32, bool) {
    let bits = near.to_bits();
    let negative = bits & SIGN != 0;
    let (above, below) = (error > 0.0, error < 0.0);
    let (up, down) = match round {
        Round::Up => (above, false),
        Round::Down => (false, below),
        _ => (above & negative, below & !negative),
    };
    let away = bits.wrapping_add(1);
    let closer = bits.wrapping_sub(1);
    let stepped = if up == negative { closer } else { away };
    let size = bits & !SIGN;
    let odd = size <= SMALLEST_NORMAL || size >= f32::MAX.to_bits();
    (if up | down { stepped } else { bits }, odd)
}

/// Arithmetic in a direction: to nearest, then a step by the sign of the error.
#[inline(always)]
fn directed<const N: usize>(
    file: File,
    f: Arithmetic,
    mode: Mode,
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    let [x, y, z] = &mut [Register::default(); 3];
    let x = flushed(&file[usize::from(a)], mode.flush, x);
    let y = flushed(&file[usize::from(b)], mode.flush, y);
    let z = flushed(&file[usize::from(c)], mode.flush, z);
    let mut values = Register::default();
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        let known = rounded::singles::<N>(f, mode.round, [x, y, z], &mut values);
        if known {
            let values = one(&values, |value| bits(f32::from_bits(value)));
            finish::<N>(file, d, mode, mask, values);
        }
        return known;
    }
    let mut doubts = Register::<u32>::default();
    macro_rules! compute {
        ($round:expr, $f:expr) => {
            for lane in 0..32 {
                let (near, error): (f32, f64) = $f(
                    f64::from(f32::from_bits(x[lane])),
                    f64::from(f32::from_bits(y[lane])),
                    f64::from(f32::from_bits(z[lane])),
                );
                let (value, odd) = step(near, error, $round);
                values[lane] = value;
                doubts[lane] = u32::from(odd);
            }
        };
    }
    // Products of two floats are exact in 64 bits; of a sum, the error is too.
    let sum = |x: f64, y: f64| {
        let sum = x + y;
        let part = sum - x;
        let error = (x - (sum - part)) + (y - part);
        let near = sum as f32;
        let rest = sum - f64::from(near);
        (near, if rest == 0.0 { error } else { rest })
    };
    let quotient = |x: f64, y: f64| {
        let near = (x as f32) / (y as f32);
        let rest = x - f64::from(near) * y;
        (near, if y < 0.0 { -rest } else { rest })
    };
    macro_rules! rounded {
        ($round:expr) => {
            match f {
                Arithmetic::Add => compute!($round, |x, y, _| sum(x, y)),
                Arithmetic::Sub => compute!($round, |x, y: f64, _| sum(x, -y)),
                Arithmetic::Mul => compute!($round, |x, y, _| sum(x * y, 0.0)),
                Arithmetic::Fma => compute!($round, |x, y, z| sum(x * y, z)),
                Arithmetic::Div => compute!($round, |x, y, _| quotient(x, y)),
                Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => {
                    compute!($round, |x, _, _| quotient(1.0, x))
                }
                Arithmetic::Sqrt => compute!($round, |x: f64, _, _| {
                    let near = (x as f32).sqrt();
                    (near, x - f64::from(near) * f64::from(near))
                }),
                _ => return false,
            }
        };
    }
    match mode.round {
        Round::Zero => rounded!(Round::Zero),
        Round::Down => rounded!(Round::Down),
        Round::Up => rounded!(Round::Up),
        _ => return false,
    }
    let in_doubt = flagged(&doubts) & mask;
    if in_doubt != 0 {
        let f = Function::Arithmetic(f, Float::F32, Mode { clamp: Clamp::None, ..mode });
        lanes::each(in_doubt, |lane| {
            let operands = [u64::from(x[lane]), u64::from(y[lane]), u64::from(z[lane])];
            values[lane] = apply(f, operands) as u32;
        });
    }
    finish::<N>(file, d, mode, mask, values);
    true
}

/// `min` and `max`.
#[inline(always)]
fn extreme<const N: usize>(file: File, f: Extreme, [d, a, b, _]: [Slot; 4], mask: u32) -> bool {
    let mode = Mode { flush: f.flush, ..Mode::PLAIN };
    let (x, y) = (operand::<N>(file, a, mode), operand::<N>(file, b, mode));
    // Integers in the order of the floats, with -0 below +0.
    let ordered = |bits: u32| {
        let value = bits.cast_signed();
        value ^ (value >> 31) & i32::MAX
    };
    let (clear, keep_nan) = (if f.xorsign { SIGN } else { 0 }, f.nan);
    let turn = if f.max { -1 } else { 0 };
    let values = two(&x, &y, |x, y| {
        let sign = (x ^ y) & clear;
        let (x, y) = (x & !clear, y & !clear);
        let (x_nan, y_nan) = (x & !SIGN > INFINITY, y & !SIGN > INFINITY);
        let chosen = if (ordered(x) ^ turn) < (ordered(y) ^ turn) { x } else { y };
        let one_nan = if x_nan { y } else { x };
        let number = if x_nan | y_nan { one_nan } else { chosen };
        let nan = x_nan & y_nan | keep_nan & (x_nan | y_nan);
        (if nan { NAN } else { number }) | if nan { 0 } else { sign }
    });
    put::<N, _>(file, d, mask, &values);
    true
}

/// The lanes for which a comparison holds.
#[inline(always)]
pub(super) fn compare<const N: usize>(
    file: &[Lanes],
    f: Outcomes,
    flush: bool,
    slots: [Slot; 2],
) -> u32 {
    let least = if flush { SMALLEST_NORMAL } else { 0 };
    float::compare_by::<N, u32, f32>(file, f, slots, |bits| {
        f32::from_bits(if bits & !SIGN < least { bits & SIGN } else { bits })
    })
}

classes!(u32);

family! {
    /// Functions of 32-bit floats.
    singles, singles_body, |warp, f, wide, slots, mask| match f {
        Function::Arithmetic(f, _, mode) => {
            arithmetic::<N>(&mut warp.regs32, f, mode, slots, mask)
        }
        Function::Extreme(f, _) => extreme::<N>(&mut warp.regs32, f, slots, mask),
        _ => false,
    }
}
