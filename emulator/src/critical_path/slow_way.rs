//! When rounded quotients and roots leave the quick way of their machine code, and what that
//! costs (`benches/data/h200/chains.csv`).

use crate::machine::{Warp, lanes};
use crate::program::{Arithmetic, Float, Function, Op, Slot};

/// The way that a warp takes where the quick one does not do for all of its lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SlowWay {
    /// Slow steps that depend on each other.
    pub(super) waits: f32,
    /// Machine instructions, by `ptxas` for `sm_90`.
    pub(super) instructions: u64,
}

const QUOTIENT: SlowWay = SlowWay { waits: 13.0, instructions: 42 };
const ROOT: SlowWay = SlowWay { waits: 11.0, instructions: 25 };
/// Of zero, infinity, negative numbers and those that are none.
const ROOT_AT_ONCE: SlowWay = SlowWay { waits: 6.0, instructions: 12 };
const RECIPROCAL: SlowWay = SlowWay { waits: 9.0, instructions: 20 };

/// The slow way that some lane's operands need in a rounded quotient, root or reciprocal of
/// 32-bit floats: zero, subnormal, infinite or no number, or too far from 1 or each other for
/// the quick one. The bounds are those of machine code.
pub(super) fn slow_way(op: Op, warp: &Warp, mask: u32) -> Option<SlowWay> {
    let Op::Each { f: Function::Arithmetic(what, Float::F32, _), a, b, .. } = op else {
        return None;
    };
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

/// Whether a float is positive and subnormal.
fn is_small(bits: u32) -> bool {
    matches!(bits, 1..0x0080_0000)
}
