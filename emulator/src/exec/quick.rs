//! Carries out steps that stand for several ops.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "loops without branches vectorise; flags of lanes are combined, not tested in turn"
)]

mod parts;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use crate::exec::each::convert_half::joined;
use crate::exec::each::small;
use crate::exec::each::whole::{one, put, two};
use crate::exec::lanes;
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::lane::word::{self, SMALL};
use crate::machine::{BlockContext, Register, Warp};
use crate::program::{Carry, Int2, Integer, Slot, Step, Sum};

/// Carries out step `index` for the lanes of `mask`.
#[inline(always)]
pub(crate) fn step<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    index: u16,
    mask: u32,
) {
    let step = &context.kernel.quicks[usize::from(index)].step;
    if let Step::Video(video) = step {
        return parts::video::<N>(warp, video, mask);
    }
    let now = if matches!(step, Step::Clock { .. }) { context.tick() } else { 0 };
    run::<N>(warp, step, now, mask);
}

vectors! {
    /// Carries out a step for the lanes of `mask`; `now` is what a clock shows.
    run => run_body(warp: &mut Warp, step: &Step, now: u64, mask: u32)
}

#[inline(always)]
fn run_body<const N: usize>(warp: &mut Warp, step: &Step, now: u64, mask: u32) {
    let Warp { regs32: words, regs64: doubles, preds, .. } = warp;
    match *step {
        Step::Sum(sum) if sum.wide => add::<N, u64>(doubles, preds, sum, mask),
        Step::Sum(sum) => add::<N, u32>(words, preds, sum, mask),
        Step::Short { f, signed, d, a, b } => short::<N>(words, f, signed, [d, a, b], mask),
        Step::Insert { wide: false, d, a, b, start, length } => {
            let (a, b) = (&words[usize::from(a)], &words[usize::from(b)]);
            let (start, length) = (&words[usize::from(start)], &words[usize::from(length)]);
            let mut values = Register::default();
            for lane in 0..32 {
                let (start, length) = (start[lane] & 0xff, length[lane] & 0xff);
                let ones = if length >= 32 { u32::MAX } else { (1 << (length & 31)) - 1 };
                let field = if start >= 32 { 0 } else { ones << (start & 31) };
                values[lane] = b[lane] & !field | a[lane] << (start & 31) & field;
            }
            put::<N, _>(words, d, mask, &values);
        }
        Step::Insert { wide: true, d, a, b, start, length } => {
            let (a, b) = (&doubles[usize::from(a)], &doubles[usize::from(b)]);
            let (start, length) = (&words[usize::from(start)], &words[usize::from(length)]);
            let mut values = Register::default();
            for lane in 0..32 {
                let (start, length) = (u64::from(start[lane]), u64::from(length[lane]));
                let ones = if length >= 64 { u64::MAX } else { (1 << (length & 63)) - 1 };
                let field = if start >= 64 { 0 } else { ones << (start & 63) };
                values[lane] = b[lane] & !field | a[lane] << (start & 63) & field;
            }
            put::<N, _>(doubles, d, mask, &values);
        }
        Step::Halves { brain, round, flush, relu, d, low, high } => {
            let (low, high) = (&words[usize::from(low)], &words[usize::from(high)]);
            let values = joined::<N>([low, high], (brain, round), [flush, relu]);
            put::<N, _>(words, d, mask, &values);
        }
        Step::Bytes { to, relu, pair, d, low, high } => {
            let (low, high) = (&words[usize::from(low)], &words[usize::from(high)]);
            let Some(format) = small::Eight::of(to) else { return };
            let values = if pair {
                small::of_pairs::<N>(format, relu, low)
            } else {
                let low = small::of_floats(format, relu, low);
                let high = small::of_floats(format, relu, high);
                two(&low, &high, |low, high| low | high << 8)
            };
            put::<N, _>(words, d, mask, &values);
        }
        Step::FromBytes { from, relu, d, a } => {
            let a = &words[usize::from(a)];
            let Some(format) = small::Eight::of(from) else { return };
            let low = small::to_halves(format, relu, &one(a, |a| a & 0xff));
            let high = small::to_halves(format, relu, &one(a, |a| a >> 8 & 0xff));
            put::<N, _>(words, d, mask, &two(&low, &high, |low, high| low | high << 16));
        }
        Step::Pack { to, d, a, b, c } => pack::<N>(words, to, [d, a, b], c, mask),
        Step::Packed { f, width, d, a, b } => parts::packed::<N>(words, f, width, [d, a, b], mask),
        Step::Video(ref video) => parts::video::<N>(warp, video, mask),
        Step::Differ { parity, d, a, b } => {
            let found = if parity {
                let b = lanes::test::<N, _>(words, [b, b], |b, _| b & 1 != 0);
                b ^ lanes::test::<N, _>(doubles, [a, a], |a, _| a.cast_signed() < 0)
            } else {
                lanes::test::<N, _>(doubles, [a, b], |a, b| (a ^ b).cast_signed() < 0)
            };
            let d = &mut preds[usize::from(d)];
            *d = *d & !mask | found & mask;
        }
        Step::Clock { high, d } => {
            let now = if high { now >> 32 } else { now } as u32;
            put::<N, _>(words, d, mask, &[now; 32]);
        }
    }
}

/// Sums with a carry in and out.
#[inline(always)]
fn add<const N: usize, W: Word>(file: &mut [[W; 32]], preds: &mut [u32], sum: Sum, mask: u32) {
    let Sum { complement, d, a, b, carry, out, .. } = sum;
    let carries = match carry {
        Carry::Known(false) => 0,
        Carry::Known(true) => u32::MAX,
        Carry::Slot(p) => preds[usize::from(p)],
    };
    let lost = if !complement && carry == Carry::Known(false) {
        lanes::carried::<N, W>(file, [d, a, b], 0, mask, |a, b, _| {
            let all = W::int2(Int2::Add, a, b);
            (all, all < b)
        })
    } else {
        let turn = if complement { W::ONES } else { W::default() };
        lanes::carried::<N, W>(file, [d, a, b], carries, mask, |a, b, one| {
            let b = W::int2(Int2::Xor, b, turn);
            let plain = W::int2(Int2::Add, a, b);
            let all = W::int2(Int2::Add, plain, W::from_bit(one));
            (all, (plain < b) | (all < plain))
        })
    };
    if let Some(out) = out {
        let out = &mut preds[usize::from(out)];
        *out = *out & !mask | lost & mask;
    }
}

/// Integers of 16 bits.
#[inline(always)]
fn short<const N: usize>(
    file: &mut [[u32; 32]],
    f: Int2,
    signed: bool,
    slots: [Slot; 3],
    mask: u32,
) {
    // They are small enough to be divided as floats.
    let value = |f: Int2, x, y| {
        let value = if f.divides() {
            let (size, divisor) = (word::size(f, x), word::size(f, y));
            let quotient = u32::quotient::<N, SMALL>(size, divisor, word::leaves(f));
            u32::defined(y, u32::with_sign(f, x, y, quotient))
        } else {
            u32::int2(f, x, y)
        };
        value & 0xffff
    };
    macro_rules! each {
        ($($name:ident),*) => {
            match f {
                $(Int2::$name if signed => lanes::map2::<N, u32>(file, slots, mask, |x, y| {
                    let extended = |x: u32| ((x << 16).cast_signed() >> 16).cast_unsigned();
                    value(Int2::$name, extended(x), extended(y))
                }),
                Int2::$name => lanes::map2::<N, u32>(file, slots, mask, |x, y| {
                    value(Int2::$name, x, y)
                }),)*
                _ => {}
            }
        };
    }
    each!(Add, Sub, MulLow, MinS, MinU, MaxS, MaxU, And, Or, Xor, DivS, DivU, RemS, RemU);
}

/// `cvt.pack`.
#[inline(always)]
fn pack<const N: usize>(
    words: &mut [[u32; 32]],
    to: Integer,
    [d, a, b]: [Slot; 3],
    c: Option<Slot>,
    mask: u32,
) {
    let bits = u32::from(to.bits);
    let (low, high) = if to.signed {
        (-1_i32 << (bits - 1), (1_i32 << (bits - 1)) - 1)
    } else {
        (0, (1_i32 << bits) - 1)
    };
    let keep = (1_u32 << bits) - 1;
    let cut = |x: u32| x.cast_signed().max(low).min(high).cast_unsigned() & keep;
    let (a, b) = (&words[usize::from(a)], &words[usize::from(b)]);
    let mut values = two(a, b, |a, b| cut(b) | cut(a) << bits);
    if let Some(c) = c {
        values = two(&values, &words[usize::from(c)], |pair, c| pair | c << (2 * bits));
    }
    put::<N, _>(words, d, mask, &values);
}
