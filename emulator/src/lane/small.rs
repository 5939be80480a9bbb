//! Conversions of one lane's value to and from formats that only conversions
//! know: `tf32`, and floats of 8 bits.

use crate::lane::exact::{Exact, Format, Value};
use crate::lane::float::{finish, flushed};
use crate::program::{Clamp, Float, Mode, Round, Small};

/// `tf32` without the low 13 bits that its register keeps as zeros.
const TF32: Format = Format { bits: 19, fraction: 10, nan: 0x3_ffff };

/// Bits of a `tf32` register below the value.
const TF32_SHIFT: u32 = 13;

/// As if it had infinities: [`e4m3`] knows better.
const E4M3: Format = Format { bits: 8, fraction: 3, nan: 0x7f };

const E5M2: Format = Format { bits: 8, fraction: 2, nan: 0x7f };

/// The largest finite value of `e4m3`, which is 448.
const E4M3_LARGEST: u64 = 0x7e;

/// From 32 or 16 bits.
pub(crate) fn to_small(to: Small, from: Float, mode: Mode, a: u64) -> u64 {
    let source = Format::of(from);
    let a = if mode.flush { flushed(a, source) } else { a };
    let value = Value::unpack(a, source);
    let relu = matches!(mode.clamp, Clamp::Relu | Clamp::FiniteRelu);
    match to {
        Small::Tf32 if source.is_nan(a) && mode.round == Round::Away => tf32_nan(a, mode.clamp),
        Small::Tf32 => finish(value.pack(TF32, mode.round), TF32, mode) << TF32_SHIFT,
        Small::E5m2 => finish(value.pack(E5M2, mode.round), E5M2, mode),
        Small::E4m3 => e4m3(value, mode.round, relu),
    }
}

/// Rounding away does not tell a NaN from a number (measured on an H200): it is
/// cut off, and what saturates takes one off the lowest bit that is kept.
fn tf32_nan(a: u64, clamp: Clamp) -> u64 {
    const UNIT: u64 = 1 << TF32_SHIFT;
    if clamp == Clamp::Finite { ((a + UNIT / 2) & !(UNIT - 1)) - UNIT } else { a & !(UNIT - 1) }
}

/// To `e4m3`, which has no infinities: its highest exponent holds numbers, and
/// what lies beyond them becomes the largest.
fn e4m3(value: Value, round: Round, relu: bool) -> u64 {
    let (negative, magnitude) = match value {
        Value::NotANumber => return E4M3.nan,
        Value::Infinite(negative) => (negative, E4M3_LARGEST),
        Value::Finite(exact) => {
            let positive = Exact { negative: false, ..exact };
            let bits = positive.pack(E4M3, round);
            let bits = if bits < E4M3.infinity() {
                bits
            } else {
                // With half the size it is in range, unless it is far beyond.
                let half = Exact { exponent: exact.exponent - 1, ..positive };
                (half.pack(E4M3, round) + E4M3.smallest_normal()).min(E4M3_LARGEST)
            };
            (exact.negative, bits)
        }
    };
    match negative {
        true if relu => 0,
        true => magnitude | E4M3.sign(),
        false => magnitude,
    }
}

/// To 16 bits, which hold every value.
pub(crate) fn from_small(from: Small, relu: bool, a: u64) -> u64 {
    let (format, magnitude) = match from {
        Small::Tf32 => (TF32, a & (TF32.sign() - 1)),
        Small::E4m3 => (E4M3, a & (E4M3.sign() - 1)),
        Small::E5m2 => (E5M2, a & (E5M2.sign() - 1)),
    };
    let value = if from == Small::E4m3 && (E4M3.infinity()..=E4M3_LARGEST).contains(&magnitude) {
        match Value::unpack(a - E4M3.smallest_normal(), E4M3) {
            Value::Finite(half) => Value::Finite(Exact { exponent: half.exponent + 1, ..half }),
            other => other,
        }
    } else {
        Value::unpack(a, format)
    };
    let clamp = if relu { Clamp::Relu } else { Clamp::None };
    let mode = Mode { clamp, ..Mode::PLAIN };
    finish(value.pack(Format::F16, Round::Nearest), Format::F16, mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(small: Small, value: f32) -> u64 {
        let mode = Mode { clamp: Clamp::Finite, ..Mode::PLAIN };
        to_small(small, Float::F32, mode, u64::from(value.to_bits()))
    }

    #[test]
    fn the_highest_exponent_of_e4m3_holds_numbers() {
        assert_eq!(to(Small::E4m3, 1.0), 0x38);
        assert_eq!(to(Small::E4m3, 240.0), 0x77);
        assert_eq!(to(Small::E4m3, 256.0), 0x78);
        // Halfway between 240 and 256, and between 416 and 448.
        assert_eq!(to(Small::E4m3, 248.0), 0x78);
        assert_eq!(to(Small::E4m3, 432.0), 0x7e);
        assert_eq!(to(Small::E4m3, -1e30), 0xfe);
        assert_eq!(to(Small::E4m3, f32::INFINITY), 0x7e);
        assert_eq!(to(Small::E5m2, 1e30), 0x7b);
    }

    #[test]
    fn eight_bits_go_to_sixteen_and_back() {
        for small in [Small::E4m3, Small::E5m2] {
            let numbers = if small == Small::E4m3 { 0x7f } else { 0x7c };
            for bits in (0..numbers).chain(0x80..0x80 + numbers) {
                let half = from_small(small, false, bits);
                let mode = Mode { clamp: Clamp::Finite, ..Mode::PLAIN };
                assert_eq!(to_small(small, Float::F16, mode, half), bits, "{small:?}");
            }
        }
    }
}
