//! Conversions of one lane's value among integer and floating-point types.

use crate::lane::exact::{Exact, Format, Value, shift_rounded};
use crate::lane::float::{finish, flushed};
use crate::program::{Clamp, Float, Integer, Mode, Round};

/// Among floating-point types. Subnormals are flushed only on the side that
/// has 32 bits; `.ftz` says nothing about the others.
pub(crate) fn float_to_float(to: Float, from: Float, mode: Mode, a: u64) -> u64 {
    let (target, source) = (Format::of(to), Format::of(from));
    let a = if mode.flush && from == Float::F32 { flushed(a, source) } else { a };
    if source.is_nan(a) && mode.clamp == Clamp::None {
        return converted_nan(to, from, mode, a);
    }
    let result = Value::unpack(a, source).pack(target, mode.round);
    finish(result, target, Mode { flush: mode.flush && to == Float::F32, ..mode })
}

/// NaNs keep sign and payload where 64 bits are involved, and where 16 bits
/// only have to be shifted into place; the others are all alike. (Measured on
/// an H200.)
fn converted_nan(to: Float, from: Float, mode: Mode, a: u64) -> u64 {
    let (target, source) = (Format::of(to), Format::of(from));
    let payload = |a: u64| {
        let sign = if a & source.sign() != 0 { target.sign() } else { 0 };
        let field = a & (source.smallest_normal() - 1);
        let field = if target.fraction > source.fraction {
            field << (target.fraction - source.fraction)
        } else {
            field >> (source.fraction - target.fraction)
        };
        sign | target.infinity() | field | 1 << (target.fraction - 1)
    };
    match (to, from) {
        (Float::F32, Float::Bf16) => a << 16,
        (Float::F64, Float::F32) if mode.flush => payload(source.nan),
        (Float::F64, _) | (_, Float::F64) => payload(a),
        _ => target.nan,
    }
}

impl Integer {
    /// The value of the type's bits, as a sign and a magnitude.
    fn parts(self, bits: u64) -> (bool, u64) {
        let unused = 64 - u32::from(self.bits);
        let extended = (bits << unused).cast_signed() >> unused;
        if self.signed {
            (extended < 0, extended.unsigned_abs())
        } else {
            (false, bits << unused >> unused)
        }
    }

    /// The bits of the value nearest to `magnitude` with this sign.
    fn saturated(self, negative: bool, magnitude: u128) -> u64 {
        let bits = u32::from(self.bits);
        let (lowest, highest) = if self.signed {
            (1_u128 << (bits - 1), (1_u128 << (bits - 1)) - 1)
        } else {
            (0, (1_u128 << bits) - 1)
        };
        let limit = if negative { lowest } else { highest };
        let value = magnitude.min(limit) as u64;
        let value = if negative { value.wrapping_neg() } else { value };
        value & (u64::MAX >> (64 - bits))
    }
}

/// To an integer; what does not fit becomes the nearest that does.
pub(crate) fn float_to_integer(to: Integer, from: Float, round: Round, flush: bool, a: u64) -> u64 {
    let format = Format::of(from);
    let a = if flush && from == Float::F32 { flushed(a, format) } else { a };
    match Value::unpack(a, format) {
        Value::NotANumber if from != Float::F64 && to.bits != 64 => 0,
        Value::NotANumber => 1 << (to.bits - 1),
        Value::Infinite(negative) => to.saturated(negative, u128::MAX),
        Value::Finite(Exact { negative, exponent, magnitude }) => {
            let magnitude = if exponent <= 0 {
                shift_rounded(magnitude, exponent.unsigned_abs(), negative, round)
            } else if magnitude == 0 || exponent < 64 {
                magnitude << (exponent & 63)
            } else {
                u128::MAX
            };
            to.saturated(negative, magnitude)
        }
    }
}

/// To a float.
pub(crate) fn integer_to_float(
    to: Float,
    from: Integer,
    round: Round,
    saturate: bool,
    a: u64,
) -> u64 {
    let format = Format::of(to);
    let (negative, magnitude) = from.parts(a);
    let exact = Exact { negative, exponent: 0, magnitude: u128::from(magnitude) };
    let clamp = if saturate { Clamp::Unit } else { Clamp::None };
    finish(exact.pack(format, round), format, Mode { round, flush: false, clamp })
}

/// `cvt.sat` among integers.
pub(crate) fn saturate_integer(to: Integer, from: Integer, a: u64) -> u64 {
    let (negative, magnitude) = from.parts(a);
    to.saturated(negative, u128::from(magnitude))
}
