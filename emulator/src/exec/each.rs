//! Carries out general functions. Most have a loop over the 32 lanes that vectorises, in
//! [`single`], [`double`], [`half`], [`convert`] and [`integer`]; the others, and the lanes
//! in which a loop cannot be sure of the last bit, are computed one by one.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "loops without branches vectorise; flags of lanes are combined, not tested in turn"
)]

mod convert;
pub(in crate::exec) mod convert_half;
mod dot;
mod double;
pub(crate) mod f16;
pub(in crate::exec) mod half;
#[cfg(target_arch = "x86_64")]
mod half_avx2;
#[cfg(target_arch = "x86_64")]
mod half_brain;
#[cfg(target_arch = "x86_64")]
mod half_host;
#[cfg(target_arch = "x86_64")]
mod half_native;
pub(in crate::exec) mod high;
mod integer;
mod nearest;
mod nth;
mod prmt;
#[cfg(target_arch = "x86_64")]
mod rounded;
mod single;
pub(in crate::exec) mod small;
#[cfg(test)]
mod tests;
pub(in crate::exec) mod whole;

use crate::lane::apply;
use crate::machine::{Warp, lanes};
use crate::program::{Arithmetic, Float, Function, Op, Slot, Wide};

/// Values of the operands, 32-bit ones zero-extended.
fn gather(warp: &Warp, wide: Wide, slots: [Slot; 3]) -> [[u64; 32]; 3] {
    let mut index = 0;
    slots.map(|slot| {
        index += 1;
        if wide.operand(index - 1) {
            warp.regs64[usize::from(slot)]
        } else {
            warp.regs32[usize::from(slot)].map(u64::from)
        }
    })
}

/// Carries out an `Op::Each` for the lanes of `mask`; of any other does nothing. Each family has
/// a function of its own, which has less to keep than one for all.
#[inline(always)]
pub(crate) fn each<const N: usize>(warp: &mut Warp, op: &Op, mask: u32) {
    use Arithmetic::{Absolute, Cos, Exp2, Log2, Negate, ReciprocalSqrt, Sin, Tanh};
    let Op::Each { f, .. } = op else { return };
    match f {
        Function::Arithmetic(Sin | Cos | Exp2 | Log2 | Tanh | ReciprocalSqrt, Float::F32, _) => {
            specials::<N>(warp, op, mask);
        }
        Function::Arithmetic(_, Float::F32, _) | Function::Extreme(_, Float::F32) => {
            single::singles::<N>(warp, op, mask);
        }
        Function::Arithmetic(_, Float::F64, _) | Function::Extreme(_, Float::F64) => {
            double::doubles::<N>(warp, op, mask);
        }
        Function::Arithmetic(Absolute | Negate, ..)
        | Function::Extreme(..)
        | Function::CompareHalves(..) => half::order::orders::<N>(warp, op, mask),
        Function::Arithmetic(..) => half::halves::<N>(warp, op, mask),
        Function::Bits(_) | Function::Join(_) | Function::Field(_) => {
            integer::integers::<N>(warp, op, mask);
        }
        _ => convert::conversions::<N>(warp, op, mask),
    }
}

/// Defines such a function, and its body: `$done` says whether a loop has computed the op. In
/// the file of the loops, so that the compiler sees both at once.
macro_rules! family {
    (
        $(#[$doc:meta])*
        $name:ident, $body:ident, |$warp:ident, $f:ident, $wide:ident, $slots:ident, $mask:ident|
        $done:expr
    ) => {
        crate::exec::vectors::vectors! {
            $(#[$doc])*
            $name => $body(warp: &mut crate::machine::Warp, op: &crate::program::Op, mask: u32)
        }

        #[inline(always)]
        fn $body<const N: usize>(
            $warp: &mut crate::machine::Warp,
            op: &crate::program::Op,
            $mask: u32,
        ) {
            let crate::program::Op::Each { f: $f, wide: $wide, d, a, b, c } = *op else { return };
            let $slots = [d, a, b, c];
            if !$done {
                crate::exec::each::one_by_one($warp, $f, $wide, $slots, $mask);
            }
        }
    };
}

/// Defines `testp` of floats of a width, in the file of their loops and constants.
macro_rules! classes {
    ($word:ty) => {
        /// `testp`.
        #[inline(always)]
        pub(super) fn class<const N: usize>(
            file: &[[$word; 32]],
            f: crate::program::Class,
            a: crate::program::Slot,
        ) -> u32 {
            use crate::program::Class;
            // What lies between these two, both inclusive, as magnitudes.
            let (least, most, outside) = match f {
                Class::Finite => (0, INFINITY - 1, false),
                Class::Infinite => (INFINITY, INFINITY, false),
                Class::Number => (0, INFINITY, false),
                Class::NotANumber => (0, INFINITY, true),
                // Zeros count as normal.
                Class::Normal => (SMALLEST_NORMAL, INFINITY - 1, false),
                Class::Subnormal => (1, SMALLEST_NORMAL - 1, false),
            };
            let zero = f == Class::Normal;
            let found = crate::exec::lanes::test::<N, _>(file, [a, a], |bits, _| {
                let size = bits & !SIGN;
                size.wrapping_sub(least) <= most - least || zero && size == 0
            });
            if outside { !found } else { found }
        }
    };
}

use {classes, family};

family! {
    /// Approximate functions of 32-bit floats.
    specials, specials_body, |warp, f, wide, slots, mask| match f {
        Function::Arithmetic(f, _, mode) => {
            single::special::<N>(&mut warp.regs32, f, mode, slots, mask)
        }
        _ => false,
    }
}

/// As [`each`], for what no loop computes.
#[inline(never)]
fn one_by_one(warp: &mut Warp, f: Function, wide: Wide, [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = gather(warp, wide, [a, b, c]);
    let result = |lane: usize| apply(f, [a[lane], b[lane], c[lane]]);
    if wide.result() {
        let d = &mut warp.regs64[usize::from(d)];
        for lane in lanes(mask) {
            d[lane] = result(lane);
        }
    } else {
        let d = &mut warp.regs32[usize::from(d)];
        for lane in lanes(mask) {
            d[lane] = result(lane) as u32;
        }
    }
}

/// The lanes of `mask` for which `f(a, b)` is not zero.
#[inline(always)]
pub(crate) fn test<const N: usize>(
    warp: &Warp,
    f: Function,
    wide: Wide,
    slots: [Slot; 2],
    mask: u32,
) -> u32 {
    let found = match f {
        Function::Compare(f, Float::F32, flush) => {
            Some(single::compare::<N>(&warp.regs32, f, flush, slots))
        }
        Function::Compare(
            f,
            float @ (Float::F16 | Float::Bf16 | Float::F16x2 | Float::Bf16x2),
            flush,
        ) => Some(half::compare::<N>(&warp.regs32, f, slots, float, flush)),
        Function::Class(f, Float::F32) => Some(single::class::<N>(&warp.regs32, f, slots[0])),
        Function::Class(f, Float::F64) => Some(double::class::<N>(&warp.regs64, f, slots[0])),
        _ => None,
    };
    found.unwrap_or_else(|| test_one_by_one(warp, f, wide, slots, mask))
}

/// As [`test`], for what no loop computes.
#[inline(never)]
fn test_one_by_one(warp: &Warp, f: Function, wide: Wide, [a, b]: [Slot; 2], mask: u32) -> u32 {
    let [a, b, _] = gather(warp, wide, [a, b, a]);
    (0..32)
        .filter(|lane| mask >> lane & 1 != 0 && apply(f, [a[*lane], b[*lane], 0]) != 0)
        .fold(0, |bits, lane| bits | 1 << lane)
}
