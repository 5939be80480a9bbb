//! Signs and the order of 16-bit floats: `neg`, `abs`, `min`, `max` and comparisons of pairs.

use super::super::family;
use super::super::whole::{one, put};
use super::{File, Format, Lanes, SIGN};
use crate::lane::half::NAN;
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Extreme, Float, Function, Mode, Outcomes, Slot};

family! {
    /// Those of halves, and of pairs of them.
    orders, orders_body, |warp, f, wide, slots, mask| match f {
        Function::Arithmetic(f, float, mode) => {
            turned::<N>(&mut warp.regs32, f, (float, mode), slots, mask)
        }
        Function::Extreme(f, float) => extreme::<N>(&mut warp.regs32, f, float, slots, mask),
        Function::CompareHalves(f, float, flush) => {
            let [d, a, b, _] = slots;
            held::<N>(&mut warp.regs32, f, (float, flush), [d, a, b], mask)
        }
        _ => false,
    }
}

/// `min` and `max`.
#[inline(always)]
fn extreme<const N: usize>(
    file: File,
    f: Extreme,
    float: Float,
    [d, a, b, _]: [Slot; 4],
    mask: u32,
) -> bool {
    let Some((format, pair)) = Format::of(float) else { return false };
    let (a, b) = (split(&file[usize::from(a)]), split(&file[usize::from(b)]));
    let values = if largest(&a).max(largest(&b)) > format.infinity as u16 {
        extremes::<true>(f, format, [&a, &b])
    } else {
        extremes::<false>(f, format, [&a, &b])
    };
    put::<N, _>(file, d, mask, &words(&values, pair));
    true
}

/// The same of all halves; `NANS` where there may be NaNs.
#[inline(always)]
fn extremes<const NANS: bool>(f: Extreme, format: Format, [a, b]: [&[u16; 64]; 2]) -> [u16; 64] {
    let (clear, keep_nan) = (if f.xorsign { SIGN as u16 } else { 0 }, f.nan);
    let (infinity, least) = (format.infinity as u16, format.smallest_normal as u16);
    let least = if f.flush { least } else { 0 };
    let turn = if f.max { 0 } else { -1 };
    // Integers in the order of the floats, with -0 below +0; and back.
    let ordered = |bits: i16| bits ^ (bits >> 15) & 0x7fff;
    let mut values = [0; 64];
    for at in 0..64 {
        let flushed = |bits: u16| if bits & 0x7fff < least { bits & 0x8000 } else { bits };
        let (x, y) = (flushed(a[at]), flushed(b[at]));
        let sign = (x ^ y) & clear;
        let (x, y) = (x & !clear, y & !clear);
        let place = |bits: u16| ordered(bits.cast_signed()) ^ turn;
        let chosen = ordered(place(x).max(place(y)) ^ turn).cast_unsigned();
        values[at] = chosen | sign;
        if NANS {
            let (x_nan, y_nan) = (x & 0x7fff > infinity, y & 0x7fff > infinity);
            let one_nan = if x_nan { y } else { x };
            let number = if x_nan | y_nan { one_nan } else { chosen };
            let nan = x_nan & y_nan | keep_nan & (x_nan | y_nan);
            values[at] = if nan { NAN as u16 } else { number | sign };
        }
    }
    values
}

/// The largest of the magnitudes.
#[inline(always)]
fn largest(halves: &[u16; 64]) -> u16 {
    let mut largest = 0;
    for at in 0..64 {
        largest = (halves[at] & 0x7fff).max(largest);
    }
    largest
}

/// All ones in the halves for which a comparison of pairs holds.
#[inline(always)]
fn held<const N: usize>(
    file: File,
    f: Outcomes,
    (float, flush): (Float, bool),
    [d, a, b]: [Slot; 3],
    mask: u32,
) -> bool {
    let Some((format, _)) = Format::of(float) else { return false };
    let (a, b) = (split(&file[usize::from(a)]), split(&file[usize::from(b)]));
    let values = if largest(&a).max(largest(&b)) > format.infinity as u16 {
        all_held::<true>(f, format, flush, [&a, &b])
    } else {
        all_held::<false>(f, format, flush, [&a, &b])
    };
    put::<N, _>(file, d, mask, &words(&values, true));
    true
}

/// The same of all halves; `NANS` where there may be NaNs.
#[inline(always)]
fn all_held<const NANS: bool>(
    f: Outcomes,
    format: Format,
    flush: bool,
    [a, b]: [&[u16; 64]; 2],
) -> [u16; 64] {
    let infinity = format.infinity as u16;
    let least = if flush { format.smallest_normal as u16 } else { 0 };
    let when = |outcome| if f.has(outcome) { u16::MAX } else { 0 };
    let (less, equal) = (when(Outcomes::LESS), when(Outcomes::EQUAL));
    let (greater, unordered) = (when(Outcomes::GREATER), when(Outcomes::UNORDERED));
    // Numbers in the order of the floats; both zeros are 0.
    let ordered = |bits: u16| {
        let size = bits & 0x7fff;
        let size = if size < least { 0 } else { size.cast_signed() };
        if bits & 0x8000 != 0 { -size } else { size }
    };
    let mut values = [0; 64];
    for at in 0..64 {
        let (x, y) = (ordered(a[at]), ordered(b[at]));
        let unequal = if x < y { less } else { greater };
        let held = if x == y { equal } else { unequal };
        let nan = NANS && (a[at] & 0x7fff > infinity || b[at] & 0x7fff > infinity);
        values[at] = if nan { unordered } else { held };
    }
    values
}

/// `neg` and `abs`.
#[inline(always)]
fn turned<const N: usize>(
    file: File,
    f: Arithmetic,
    (float, mode): (Float, Mode),
    [d, a, ..]: [Slot; 4],
    mask: u32,
) -> bool {
    let Some((format, pair)) = Format::of(float) else { return false };
    let a = split(&file[usize::from(a)]);
    let (keep, turn) = if f == Arithmetic::Negate { (0xffff, 0x8000) } else { (0x7fff, 0) };
    let (infinity, one_bits) = (format.infinity as u16, format.one as u16);
    let least = if mode.flush { format.smallest_normal as u16 } else { 0 };
    let mut values = [0; 64];
    for at in 0..64 {
        let (bits, size) = (a[at], a[at] & 0x7fff);
        let kept = if size < least { bits & 0x8000 } else { bits };
        let turned = kept & keep ^ turn;
        values[at] = if size > infinity { NAN as u16 } else { turned };
    }
    match mode.clamp {
        Clamp::Unit => {
            for value in &mut values {
                *value = if *value > infinity { 0 } else { (*value).min(one_bits) };
            }
        }
        Clamp::Relu => {
            for value in &mut values {
                *value = if *value & 0x8000 != 0 { 0 } else { *value };
            }
        }
        _ => {}
    }
    put::<N, _>(file, d, mask, &words(&values, pair));
    true
}

/// Both halves of each word.
#[inline(always)]
fn split(words: &Lanes) -> [u16; 64] {
    // SAFETY: 32 words and 64 halves have one size, and any bits are a value.
    unsafe { std::mem::transmute::<Lanes, [u16; 64]>(*words) }
}

/// Words of such halves; of the lower ones alone where they are no pairs.
#[inline(always)]
fn words(halves: &[u16; 64], pair: bool) -> Register<u32> {
    // SAFETY: as in `split`.
    let words = unsafe { std::mem::transmute::<[u16; 64], Register<u32>>(*halves) };
    let kept = if pair { u32::MAX } else { 0xffff };
    one(&words, |word| word & kept)
}
