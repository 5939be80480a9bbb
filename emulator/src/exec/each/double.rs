//! 64-bit floats, as [`super::single`]. A NaN goes on with its payload, which the slow way
//! does.

#[cfg(target_arch = "x86_64")]
use super::rounded;
use super::whole::{flagged, one, put, two};
use super::{classes, family};
use crate::exec::lanes;
use crate::lane::apply;
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Extreme, Float, Function, Mode, Round, Slot};

const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;
const SMALLEST_NORMAL: u64 = 1 << 52;
/// What the rough functions read and write.
const UPPER: u64 = !0xffff_ffff;

/// Between these sizes, errors of results are numbers.
const SMALL: f64 = f64::from_bits(0x1000_0000_0000_0000);
const LARGE: f64 = f64::from_bits(0x6fff_ffff_ffff_ffff);

type Lanes = [u64; 32];
type File<'f> = &'f mut [Lanes];

/// `d = f(a, b, c)`; false if no loop here computes it.
#[inline(always)]
fn arithmetic<const N: usize>(
    file: File,
    f: Arithmetic,
    mode: Mode,
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    let rough = matches!(f, Arithmetic::ReciprocalGross | Arithmetic::ReciprocalSqrtGross);
    if mode.clamp != Clamp::None || mode.flush && !rough {
        return false;
    }
    let (x, y, z) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    let number = f64::from_bits;
    let near = mode.round == Round::Nearest;
    let mut doubts = 0;
    let mut values = match f {
        Arithmetic::Div if near => two(x, y, |x, y| (number(x) / number(y)).to_bits()),
        Arithmetic::Sqrt if near => one(x, |x| number(x).sqrt().to_bits()),
        Arithmetic::ReciprocalRounded if near => one(x, |x| (1.0 / number(x)).to_bits()),
        Arithmetic::ReciprocalSqrt => one(x, |x| (1.0 / number(x).sqrt()).to_bits()),
        Arithmetic::Negate => one(x, |x| x ^ SIGN),
        Arithmetic::Absolute => one(x, |x| x & !SIGN),
        Arithmetic::CopySign => two(x, y, |x, y| x & SIGN | y & !SIGN),
        Arithmetic::ReciprocalGross => one(x, |x| rough_result(1.0 / rough_operand(x))),
        Arithmetic::ReciprocalSqrtGross => one(x, |x| rough_result(1.0 / rough_operand(x).sqrt())),
        Arithmetic::Integral => match mode.round {
            Round::Nearest => one(x, |x| number(x).round_ties_even().to_bits()),
            Round::Zero => one(x, |x| number(x).trunc().to_bits()),
            Round::Down => one(x, |x| number(x).floor().to_bits()),
            Round::Up => one(x, |x| number(x).ceil().to_bits()),
            Round::Away => return false,
        },
        _ => {
            let mut values = Register::default();
            if !directed::<N>(f, mode.round, [x, y, z], (&mut values, &mut doubts)) {
                return false;
            }
            values
        }
    };
    let nan = lanes::those::<N>(|lane| number(values[lane]).is_nan());
    let in_doubt = (doubts | nan) & mask;
    if in_doubt != 0 {
        let f = Function::Arithmetic(f, Float::F64, mode);
        lanes::each(in_doubt, |lane| values[lane] = apply(f, [x[lane], y[lane], z[lane]]));
    }
    put::<N, _>(file, d, mask, &values);
    true
}

/// The upper half; subnormal values are zeros of their sign.
#[inline(always)]
fn rough_operand(bits: u64) -> f64 {
    let tiny = bits & !SIGN < 1 << 52;
    f64::from_bits(if tiny { bits & SIGN } else { bits & UPPER })
}

/// The upper half of a result, flushed.
#[inline(always)]
fn rough_result(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & !SIGN < 1 << 52 { bits & SIGN } else { bits & UPPER }
}

/// Arithmetic in a direction: to nearest, then a step by the sign of the error. Where
/// errors may be too small for a number, it is in doubt.
#[inline(always)]
fn directed<const N: usize>(
    f: Arithmetic,
    round: Round,
    [x, y, z]: [&Lanes; 3],
    (values, doubts): (&mut Register<u64>, &mut u32),
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        return rounded::doubles::<N>(f, round, [x, y, z], values);
    }
    let _ = z;
    // Without instructions for it, `mul_add` is slow.
    let fused = matches!(
        f,
        Arithmetic::Mul | Arithmetic::Div | Arithmetic::ReciprocalRounded | Arithmetic::Sqrt
    );
    let known =
        fused && cfg!(target_arch = "aarch64") || matches!(f, Arithmetic::Add | Arithmetic::Sub);
    if !known || !matches!(round, Round::Zero | Round::Down | Round::Up) {
        return false;
    }
    let mut odds = Register::default();
    macro_rules! compute {
        ($f:expr) => {
            for lane in 0..32 {
                let (x, y) = (f64::from_bits(x[lane]), f64::from_bits(y[lane]));
                let (near, error): (f64, f64) = $f(x, y);
                let (value, odd) = step(near, error, round);
                values[lane] = value;
                odds[lane] = u64::from(odd);
            }
        };
    }
    let sum = |x: f64, y: f64| {
        let sum = x + y;
        let part = sum - x;
        (sum, (x - (sum - part)) + (y - part))
    };
    // The error of what is smaller may be too small for a number: it is in doubt.
    let known = |x: f64, error: f64| if x.abs() < SMALL { f64::NAN } else { error };
    let quotient = |x: f64, y: f64| {
        let near = x / y;
        let rest = (-near).mul_add(y, x);
        (near, known(x, if y < 0.0 { -rest } else { rest }))
    };
    match f {
        Arithmetic::Add => compute!(sum),
        Arithmetic::Sub => compute!(|x, y: f64| sum(x, -y)),
        Arithmetic::Mul => compute!(|x: f64, y: f64| (x * y, x.mul_add(y, -(x * y)))),
        Arithmetic::Div => compute!(quotient),
        Arithmetic::ReciprocalRounded => compute!(|x, _| quotient(1.0, x)),
        Arithmetic::Sqrt => compute!(|x: f64, _| {
            let near = x.sqrt();
            (near, known(x, (-near).mul_add(near, x)))
        }),
        _ => return false,
    }
    *doubts = flagged(&odds);
    true
}

/// As in [`super::single`]. Far from the ends of the range, no error is lost.
#[inline(always)]
fn step(near: f64, error: f64, round: Round) -> (u64, bool) {
    let bits = near.to_bits();
    let negative = bits & SIGN != 0;
    let (above, below) = (error > 0.0, error < 0.0);
    let (up, down) = match round {
        Round::Up => (above, false),
        Round::Down => (false, below),
        _ => (above & negative, below & !negative),
    };
    let stepped = if up == negative { bits.wrapping_sub(1) } else { bits.wrapping_add(1) };
    let size = near.abs();
    (if up | down { stepped } else { bits }, !(SMALL..=LARGE).contains(&size) || error.is_nan())
}

/// `min` and `max`.
#[inline(always)]
fn extreme<const N: usize>(file: File, f: Extreme, [d, a, b, _]: [Slot; 4], mask: u32) -> bool {
    if f.xorsign || f.flush {
        return false;
    }
    let (x, y) = (&file[usize::from(a)], &file[usize::from(b)]);
    let ordered = |bits: u64| {
        let value = bits.cast_signed();
        value ^ (value >> 63) & i64::MAX
    };
    let turn = if f.max { -1 } else { 0 };
    let is_nan = |bits: u64| f64::from_bits(bits).is_nan();
    let mut values =
        two(x, y, |x, y| if (ordered(x) ^ turn) < (ordered(y) ^ turn) { x } else { y });
    let in_doubt = lanes::those::<N>(|lane| is_nan(x[lane]) | is_nan(y[lane])) & mask;
    if in_doubt != 0 {
        let f = Function::Extreme(f, Float::F64);
        lanes::each(in_doubt, |lane| values[lane] = apply(f, [x[lane], y[lane], 0]));
    }
    put::<N, _>(file, d, mask, &values);
    true
}

classes!(u64);

family! {
    /// Functions of 64-bit floats.
    doubles, doubles_body, |warp, f, wide, slots, mask| match f {
        Function::Arithmetic(f, _, mode) => {
            arithmetic::<N>(&mut warp.regs64, f, mode, slots, mask)
        }
        Function::Extreme(f, _) => extreme::<N>(&mut warp.regs64, f, slots, mask),
        _ => false,
    }
}
