//! Any function of up to three values, in one lane.

use crate::lane::bits::bits;
use crate::lane::{convert, float, small, word};
use crate::program::Function;

/// One lane's result.
pub(crate) fn apply(f: Function, [a, b, c]: [u64; 3]) -> u64 {
    match f {
        Function::Arithmetic(f, ty, mode) => float::arithmetic(f, ty, mode, [a, b, c]),
        Function::Extreme(f, ty) => float::extreme(f, ty, a, b),
        Function::Class(f, ty) => u64::from(float::class(f, ty, a)),
        Function::Compare(f, ty, flush) => u64::from(float::compare(f, ty, flush, a, b)),
        Function::CompareHalves(f, ty, flush) => {
            let half = ty.half().unwrap_or(ty);
            let held = |at: u32| float::compare(f, half, flush, a >> at, b >> at);
            [0, 16].iter().filter(|&&at| held(at)).map(|at| 0xffff << at).sum()
        }
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
        Function::Field(f) => i64::from(word::narrow(f, a as u32).cast_signed()).cast_unsigned(),
        Function::Bits(f) => bits(f, a, b, c),
        Function::Join(bits) => a & !(u64::MAX << bits) | b << bits,
    }
}
