//! When rounded quotients and roots leave the quick way of their machine code, and what that
//! costs, as measured (`benches/data/h200/chains.csv`).

use crate::machine::{Warp, lanes};
use crate::program::{Arithmetic, Float, Function, Op, Slot};

/// The way that a warp takes where the quick one does not do for all of its lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlowWay {
    /// Steps that depend on each other, in those of the quick way.
    pub(super) waits: f32,
    /// Machine instructions, by `ptxas` for `sm_90`.
    pub(super) instructions: u64,
}

const QUOTIENT: SlowWay = SlowWay { waits: 13.0, instructions: 42 };
const ROOT: SlowWay = SlowWay { waits: 11.0, instructions: 25 };
/// Of zero, infinity, negative numbers and those that are none.
const ROOT_AT_ONCE: SlowWay = SlowWay { waits: 6.0, instructions: 12 };
const RECIPROCAL: SlowWay = SlowWay { waits: 9.0, instructions: 20 };

/// Those of 64 bits, after the quick way was tried.
const QUOTIENT_64: SlowWay = SlowWay { waits: 74.0, instructions: 60 };
const ROOT_64: SlowWay = SlowWay { waits: 67.0, instructions: 25 };
const ROOT_64_AT_ONCE: SlowWay = SlowWay { waits: 44.0, instructions: 16 };
const RECIPROCAL_64: SlowWay = SlowWay { waits: 43.0, instructions: 14 };

/// The slow way that some lane's operands need in a rounded quotient, root or reciprocal: zero,
/// subnormal, infinite or no number, or too far from 1 or each other for the quick one. The
/// bounds are those of machine code.
pub(super) fn slow_way(op: &Op, warp: &Warp, mask: u32) -> Option<SlowWay> {
    let Op::Each { f: Function::Arithmetic(what, float, _), a, b, .. } = *op else {
        return None;
    };
    match float {
        Float::F32 => of_words(what, a, b, warp, mask),
        Float::F64 => of_doubles(what, a, b, warp, mask),
        _ => None,
    }
}

fn of_words(what: Arithmetic, a: Slot, b: Slot, warp: &Warp, mask: u32) -> Option<SlowWay> {
    let bits = |slot: Slot, lane: usize| warp.regs32[usize::from(slot)][lane];
    let exponent = |slot: Slot, lane: usize| bits(slot, lane) >> 23 & 255;
    let some = |test: &dyn Fn(usize) -> bool| lanes(mask).any(test);
    match what {
        Arithmetic::Div => {
            let far = |lane| {
                let (a, b) = (exponent(a, lane), exponent(b, lane));
                let edge = |exponent| matches!(exponent, 0 | 255);
                edge(a) || edge(b) || b > 252 || a > b + 125 || b > a + 125
            };
            some(&far).then_some(QUOTIENT)
        }
        Arithmetic::Sqrt
            if some(&|lane| matches!(bits(a, lane) >> 23, 1..26) || is_small(bits(a, lane))) =>
        {
            Some(ROOT)
        }
        Arithmetic::Sqrt => {
            some(&|lane| !(26..255).contains(&(bits(a, lane) >> 23))).then_some(ROOT_AT_ONCE)
        }
        Arithmetic::ReciprocalRounded => {
            some(&|lane| !(1..253).contains(&exponent(a, lane))).then_some(RECIPROCAL)
        }
        _ => None,
    }
}

/// Machine code looks at the upper words, as floats of 32 bits.
fn of_doubles(what: Arithmetic, a: Slot, b: Slot, warp: &Warp, mask: u32) -> Option<SlowWay> {
    let bits = |slot: Slot, lane: usize| warp.regs64[usize::from(slot)][lane];
    let upper = |bits: u64| (bits >> 32) as u32;
    let size = |bits: u64| upper(bits) & 0x7fff_ffff;
    let some = |test: &dyn Fn(usize) -> bool| lanes(mask).any(test);
    match what {
        Arithmetic::Div => {
            let far = |lane| {
                let (a, b) = (bits(a, lane), bits(b, lane));
                let quotient = (f64::from_bits(a) / f64::from_bits(b)).to_bits();
                size(a) < 0x0360_0000
                    || size(b) >= 0x7f80_0000
                    || !(0x0010_0001..=0x7f80_0000).contains(&size(quotient))
            };
            some(&far).then_some(QUOTIENT_64)
        }
        Arithmetic::Sqrt => {
            let far = |lane| upper(bits(a, lane)).wrapping_sub(0x0350_0000) >= 0x7ca0_0000;
            let small = |lane| (1..0x0350_0000 << 32).contains(&bits(a, lane));
            let way = if some(&small) { ROOT_64 } else { ROOT_64_AT_ONCE };
            some(&far).then_some(way)
        }
        Arithmetic::ReciprocalRounded => {
            let far =
                |lane| upper(bits(a, lane)).wrapping_add(0x0030_0402) & 0x7fff_ffff < 0x0040_0402;
            some(&far).then_some(RECIPROCAL_64)
        }
        _ => None,
    }
}

/// Whether a float is positive and subnormal.
fn is_small(bits: u32) -> bool {
    matches!(bits, 1..0x0080_0000)
}
