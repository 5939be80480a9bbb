//! Floating-point arithmetic on one lane, in every type, rounding direction
//! and with every modifier.
//!
//! Rounding to nearest in 32 and 64 bits is the host's; everything else is
//! computed exactly and rounded once (`lane_exact`). Approximate functions are
//! evaluated in 64 bits and rounded, well within the errors that the PTX ISA
//! states, and the same on every host.

use crate::lane::exact;
use crate::lane::exact::{Format, Value};
use crate::program::{Arithmetic, Clamp, Class, Extreme, Float, Mode, Outcomes, Round};

/// Applies a function to each half of pairs.
pub(crate) fn halves([a, b, c]: [u64; 3], mut f: impl FnMut([u64; 3]) -> u64) -> u64 {
    let part = |shift: u32| [a, b, c].map(|value| value >> shift & 0xffff);
    f(part(0)) | f(part(16)) << 16
}

/// Subnormals become zeros of their sign.
pub(crate) fn flushed(value: u64, format: Format) -> u64 {
    let magnitude = value & (format.sign() - 1);
    if magnitude < format.smallest_normal() { value & format.sign() } else { value }
}

/// One NaN for all.
fn canonical(value: u64, format: Format) -> u64 {
    if format.is_nan(value) { format.nan } else { value }
}

/// The NaN that a 64-bit operation passes on, with its payload: measured on an
/// H200, b before c before a, but a divided by b prefers a. 32-bit and 16-bit
/// operations give one NaN for all.
fn passed_on(f: Arithmetic, [a, b, c]: [u64; 3]) -> Option<u64> {
    let order = if f == Arithmetic::Div { [a, b, c] } else { [b, c, a] };
    order.into_iter().find(|&value| Format::F64.is_nan(value)).map(quiet)
}

/// A 64-bit NaN as operations return it.
pub(crate) fn quiet(nan: u64) -> u64 {
    nan | 1 << (Format::F64.fraction - 1)
}

/// Finishes a result: flushes and clamps it as the mode says.
pub(crate) fn finish(value: u64, format: Format, mode: Mode) -> u64 {
    let value = if mode.flush { flushed(value, format) } else { value };
    let negative = value & format.sign() != 0;
    match mode.clamp {
        Clamp::None => value,
        Clamp::Unit if format.is_nan(value) || negative => 0,
        Clamp::Unit => value.min(format.one()),
        _ if format.is_nan(value) => value,
        Clamp::Relu | Clamp::FiniteRelu if negative => 0,
        Clamp::Relu => value,
        Clamp::Finite | Clamp::FiniteRelu => {
            let largest = format.infinity() - 1;
            value & format.sign() | (value & (format.sign() - 1)).min(largest)
        }
    }
}

/// `f` of up to three values.
pub(crate) fn arithmetic(f: Arithmetic, float: Float, mode: Mode, values: [u64; 3]) -> u64 {
    if let Some(half) = float.half() {
        return halves(values, |values| arithmetic(f, half, mode, values));
    }
    let format = Format::of(float);
    let values = if mode.flush { values.map(|value| flushed(value, format)) } else { values };
    if float == Float::F64
        && f != Arithmetic::CopySign
        && let Some(nan) = passed_on(f, values)
    {
        return finish(nan, format, mode);
    }
    let native = mode.round == Round::Nearest;
    let result = match float {
        Float::F32 if native => native32(f, values.map(|value| f32::from_bits(value as u32))),
        Float::F64 if native => native64(f, values.map(f64::from_bits)),
        _ => None,
    };
    let result = result.unwrap_or_else(|| exactly(f, format, mode.round, values));
    finish(result, format, mode)
}

/// What the host computes itself.
fn native32(f: Arithmetic, [a, b, c]: [f32; 3]) -> Option<u64> {
    let result = match f {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Fma => a.mul_add(b, c),
        Arithmetic::Div => a / b,
        Arithmetic::Sqrt | Arithmetic::SqrtApprox => a.sqrt(),
        Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => 1.0 / a,
        _ => return None,
    };
    Some(canonical(u64::from(result.to_bits()), Format::F32))
}

fn native64(f: Arithmetic, [a, b, c]: [f64; 3]) -> Option<u64> {
    let result = match f {
        Arithmetic::Add => a + b,
        Arithmetic::Sub => a - b,
        Arithmetic::Mul => a * b,
        Arithmetic::Fma => a.mul_add(b, c),
        Arithmetic::Div => a / b,
        Arithmetic::Sqrt => a.sqrt(),
        Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => 1.0 / a,
        _ => return None,
    };
    Some(canonical(result.to_bits(), Format::F64))
}

fn exactly(f: Arithmetic, format: Format, round: Round, [a, b, c]: [u64; 3]) -> u64 {
    match f {
        Arithmetic::Add => exact::add(a, b, format, round),
        Arithmetic::Sub => exact::add(a, b ^ format.sign(), format, round),
        Arithmetic::Mul => exact::mul(a, b, format, round),
        Arithmetic::Fma => exact::fma(a, b, c, format, round),
        Arithmetic::Div => exact::div(a, b, format, round),
        Arithmetic::DivApprox => divided_roughly(a, b),
        Arithmetic::Sqrt => exact::sqrt(a, format, round),
        Arithmetic::SqrtApprox => exact::sqrt(a, format, Round::Nearest),
        Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => {
            exact::div(format.one(), a, format, round)
        }
        Arithmetic::Integral => exact::integral(a, format, round),
        Arithmetic::Negate => canonical(a ^ format.sign(), format),
        Arithmetic::Absolute => canonical(a & (format.sign() - 1), format),
        Arithmetic::CopySign => a & format.sign() | b & (format.sign() - 1),
        Arithmetic::ReciprocalGross => gross(a, |x| 1.0 / x),
        Arithmetic::ReciprocalSqrtGross => gross(a, |x| 1.0 / x.sqrt()),
        Arithmetic::ReciprocalSqrt => approximate(a, format, |x| 1.0 / x.sqrt()),
        Arithmetic::Sin => approximate(a, format, libm::sin),
        Arithmetic::Cos => approximate(a, format, libm::cos),
        Arithmetic::Exp2 => approximate(a, format, libm::exp2),
        Arithmetic::Log2 => approximate(a, format, libm::log2),
        Arithmetic::Tanh => approximate(a, format, libm::tanh),
    }
}

/// `a / b` in 32 bits as `a * (1 / b)`, where 1 / b is not subnormal.
fn divided_roughly(a: u64, b: u64) -> u64 {
    let format = Format::F32;
    let huge = u64::from((f32::MAX / 4.0).to_bits() + 1);
    let magnitude = b & (format.sign() - 1);
    if magnitude <= huge || magnitude >= format.infinity() {
        return exact::div(a, b, format, Round::Nearest);
    }
    exact::mul(a, b & format.sign(), format, Round::Nearest)
}

/// A function evaluated in 64 bits.
fn approximate(a: u64, format: Format, f: impl Fn(f64) -> f64) -> u64 {
    let wide = Value::unpack(a, format).pack(Format::F64, Round::Nearest);
    let result = f(f64::from_bits(wide));
    Value::unpack(result.to_bits(), Format::F64).pack(format, Round::Nearest)
}

/// The 64-bit approximations read and write upper halves only.
fn gross(a: u64, f: impl Fn(f64) -> f64) -> u64 {
    const UPPER: u64 = !0xffff_ffff;
    let result = f(f64::from_bits(a & UPPER)).to_bits();
    if Format::F64.is_nan(result) {
        return Format::F64.nan;
    }
    flushed(result & UPPER, Format::F64)
}

/// Integers in the order of the floats, with -0 below +0.
fn ordered(value: u64, format: Format) -> i64 {
    let magnitude = (value & (format.sign() - 1)).cast_signed();
    if value & format.sign() != 0 { -1 - magnitude } else { magnitude }
}

/// `min` and `max`.
pub(crate) fn extreme(f: Extreme, float: Float, a: u64, b: u64) -> u64 {
    if let Some(half) = float.half() {
        return halves([a, b, 0], |[a, b, _]| extreme(f, half, a, b));
    }
    let format = Format::of(float);
    let [a, b] = [a, b].map(|value| if f.flush { flushed(value, format) } else { value });
    let sign = if f.xorsign { (a ^ b) & format.sign() } else { 0 };
    let [a, b] = [a, b].map(|value| if f.xorsign { value & (format.sign() - 1) } else { value });
    let result = match (format.is_nan(a), format.is_nan(b)) {
        (true, true) if float == Float::F64 => return quiet(b),
        (true, true) => return format.nan,
        (true, _) | (_, true) if f.nan => return format.nan,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            let a_is_less = ordered(a, format) < ordered(b, format);
            if a_is_less == f.max { b } else { a }
        }
    };
    result | sign
}

/// `testp`.
pub(crate) fn class(f: Class, float: Float, a: u64) -> bool {
    let format = Format::of(float);
    let magnitude = a & (format.sign() - 1);
    let subnormal = magnitude != 0 && magnitude < format.smallest_normal();
    match f {
        Class::Finite => magnitude < format.infinity(),
        Class::Infinite => magnitude == format.infinity(),
        Class::Number => magnitude <= format.infinity(),
        Class::NotANumber => magnitude > format.infinity(),
        // Zeros count as normal.
        Class::Normal => magnitude < format.infinity() && !subnormal,
        Class::Subnormal => subnormal,
    }
}

/// `setp` and `set`; of pairs, the upper halves.
pub(crate) fn compare(f: Outcomes, float: Float, flush: bool, a: u64, b: u64) -> bool {
    let format = Format::of(float);
    let start = if float.half().is_some() { 16 } else { 0 };
    // The lower half of a pair comes with the upper.
    let bits = u64::MAX >> (64 - format.bits);
    let [a, b] = [a, b].map(|value| value >> start & bits);
    let [a, b] = [a, b].map(|value| if flush { flushed(value, format) } else { value });
    let zero = |value: u64| value & (format.sign() - 1) == 0;
    let outcome = if format.is_nan(a) || format.is_nan(b) {
        Outcomes::UNORDERED
    } else if a == b || zero(a) && zero(b) {
        Outcomes::EQUAL
    } else if ordered(a, format) < ordered(b, format) {
        Outcomes::LESS
    } else {
        Outcomes::GREATER
    };
    f.has(outcome)
}
