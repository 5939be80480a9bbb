//! Parts of words: the video instructions.

use crate::exec::each::whole::put;
use crate::exec::lanes;
use crate::exec::vectors::vectors;
use crate::lane::Word;
#[cfg(target_arch = "x86_64")]
use crate::machine::Register;
use crate::machine::Warp;
use crate::program::{Int2, Parts, Slot, Then, Video};

#[cfg(target_arch = "x86_64")]
mod host;
mod in_place;

type Lanes = [u32; 32];

/// Sums or differences of all parts of two words, each modulo its width: the highest bit of
/// each part is kept out of the carries and added without one.
#[inline(always)]
pub(super) fn packed<const N: usize>(
    words: &mut [Lanes],
    f: Int2,
    width: u8,
    [d, a, b]: [Slot; 3],
    mask: u32,
) {
    let high: u32 = if width == 8 { 0x8080_8080 } else { 0x8000_8000 };
    if f == Int2::Add {
        lanes::map2::<N, _>(words, [d, a, b], mask, |a, b| {
            (a & !high).wrapping_add(b & !high) ^ (a ^ b) & high
        });
    } else {
        lanes::map2::<N, _>(words, [d, a, b], mask, |a, b| {
            (a | high).wrapping_sub(b & !high) ^ !(a ^ b) & high
        });
    }
}

vectors! {
    /// A function of parts, part by part.
    video => video_body(warp: &mut Warp, video: &Video, mask: u32)
}

/// In 64 bits, which hold every result, or in 32 where parts are small.
#[inline(always)]
fn video_body<const N: usize>(warp: &mut Warp, video: &Video, mask: u32) {
    let words = &mut warp.regs32;
    if let Some(values) = in_place::in_place(words, video) {
        return put::<N, _>(words, video.d, mask, &values);
    }
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        let mut values = Register::default();
        // SAFETY: the machine has these features, as `N` says.
        if unsafe { host::video(words, video, &mut values.0) } {
            return put::<N, _>(words, video.d, mask, &values.0);
        }
    }
    let shifts = matches!(video.f, Parts::ShiftLeft { .. } | Parts::ShiftRight { .. });
    // Sums that wrap do not need the higher bits.
    let wraps = matches!(video.f, Parts::Plain(Int2::Add | Int2::Sub)) && video.clamp.is_none();
    if shifts || !wraps && video.widths.iter().any(|&width| width > 16) {
        wide::video::<N>(words, video, mask);
    } else {
        narrow::video::<N>(words, video, mask);
    }
}

/// The functions, computed in signed numbers of a type.
macro_rules! computed {
    ($module:ident, $number:ident) => {
        mod $module {
            use super::{Lanes, combined};
            use crate::exec::each::whole::{one, put, two};
            use crate::lane::word;
            use crate::machine::Register;
            use crate::program::{Compare, Int2, Pair, Parts, Video};

            type Number = $number;

            #[inline(always)]
            pub(super) fn video<const N: usize>(words: &mut [Lanes], video: &Video, mask: u32) {
                let (low, high) = match video.clamp {
                    Some(to) if to.signed => {
                        (-1_i64 << (to.bits - 1), (1_i64 << (to.bits - 1)) - 1)
                    }
                    Some(to) => (0, (1_i64 << to.bits) - 1),
                    None => (i64::MIN, i64::MAX),
                };
                let low = low.max(Number::MIN.into()) as Number;
                let high = high.min(Number::MAX.into()) as Number;
                let ([a_width, b_width], [a_signed, b_signed]) = (video.widths, video.signed);
                let mut so_far = words[usize::from(video.c)];
                for &Pair { a, b, place } in &video.pairs {
                    let a = fields(&words[usize::from(a.0)], (a.1, a_width), a_signed);
                    let b = fields(&words[usize::from(b.0)], (b.1, b_width), b_signed);
                    let values = computed(video.f, &a, &b);
                    let values = one(&values, |value: Number| value.max(low).min(high) as u32);
                    so_far = combined::<32>(video.then, place, values.0, so_far);
                }
                put::<N, _>(words, video.d, mask, &so_far);
            }

            #[inline(always)]
            fn computed(f: Parts, a: &[Number; 32], b: &[Number; 32]) -> Register<Number> {
                let amount = |wrap: bool, b: Number| {
                    if wrap { b & 31 } else { b.cast_unsigned().min(32).cast_signed() }
                };
                match f {
                    Parts::Plain(Int2::Add) => two(a, b, |a: Number, b| a.wrapping_add(b)),
                    Parts::Plain(Int2::Sub) => two(a, b, |a: Number, b| a.wrapping_sub(b)),
                    Parts::Plain(Int2::MinS) => two(a, b, |a: Number, b: Number| a.min(b)),
                    Parts::Plain(_) => two(a, b, |a: Number, b: Number| a.max(b)),
                    Parts::Difference => two(a, b, |a: Number, b: Number| (a - b).wrapping_abs()),
                    Parts::Average => {
                        two(a, b, |a: Number, b: Number| (a + b + Number::from(a + b >= 0)) >> 1)
                    }
                    Parts::ShiftLeft { wrap } => {
                        two(a, b, |a: Number, b| a.wrapping_shl(amount(wrap, b) as u32))
                    }
                    Parts::ShiftRight { wrap } => {
                        two(a, b, |a: Number, b| a.wrapping_shr(amount(wrap, b) as u32))
                    }
                    Parts::Compare { f, swap } => {
                        let (a, b) = if swap { (b, a) } else { (a, b) };
                        macro_rules! compared {
                            ($compare:expr) => {
                                two(a, b, |a: Number, b: Number| {
                                    let (a, b) = (a.cast_unsigned(), b.cast_unsigned());
                                    Number::from(word::compare($compare, a, b))
                                })
                            };
                        }
                        match f {
                            Compare::Equal => compared!(Compare::Equal),
                            Compare::NotEqual => compared!(Compare::NotEqual),
                            Compare::LessS => compared!(Compare::LessS),
                            _ => compared!(Compare::LessEqualS),
                        }
                    }
                }
            }

            /// A part of each word, extended.
            #[inline(always)]
            fn fields(words: &Lanes, (start, width): (u8, u8), signed: bool) -> Register<Number> {
                let down = 32 - u32::from(width);
                let up = down - u32::from(start);
                if signed {
                    one(words, |word| Number::from((word << up).cast_signed() >> down))
                } else {
                    // A whole word without a sign comes only where numbers have 64 bits, or wrap.
                    one(words, |word| i64::from(word << up >> down) as Number)
                }
            }
        }
    };
}

computed!(narrow, i32);
computed!(wide, i64);

/// What becomes of results.
#[inline(always)]
fn combined<const N: usize>(
    then: Then,
    place: u8,
    mut values: [u32; N],
    so_far: [u32; N],
) -> [u32; N] {
    macro_rules! each {
        ($f:expr) => {
            for lane in 0..N {
                values[lane] = $f(values[lane], so_far[lane]);
            }
        };
    }
    match then {
        Then::Keep => {}
        Then::Merge(bits) => {
            let field = u32::MAX >> (32 - u32::from(bits)) << place;
            each!(|value, so_far| so_far & !field | value << place & field);
        }
        Then::Combine(Int2::Add) => each!(u32::wrapping_add),
        Then::Combine(Int2::MinS) => each!(|a, b| u32::int2(Int2::MinS, a, b)),
        Then::Combine(Int2::MaxS) => each!(|a, b| u32::int2(Int2::MaxS, a, b)),
        Then::Combine(Int2::MinU) => each!(|a: u32, b: u32| a.min(b)),
        Then::Combine(_) => each!(|a: u32, b: u32| a.max(b)),
    }
    values
}
