//! Functions of parts that all stay in their places, as vectors of numbers of their width.

use crate::exec::each::whole::one;
use crate::exec::quick::parts::{Lanes, combined};
use crate::machine::Register;
use crate::program::{Compare, Int2, Parts, Then, Video};

/// The results, if none needs more bits than a part has.
#[inline(always)]
pub(super) fn in_place(words: &[Lanes], video: &Video) -> Option<Register<u32>> {
    let [a, b] = video.in_place?.map(|slot| &words[usize::from(slot)]);
    let ([width, other], [signed, too]) = (video.widths, video.signed);
    let shifts = matches!(video.f, Parts::ShiftLeft { .. } | Parts::ShiftRight { .. });
    if width != other || signed != too && !shifts {
        return None;
    }
    // Neither gives more than a part has: without a sign, what is negative becomes 0.
    let extreme = matches!(video.f, Parts::Plain(Int2::MinS | Int2::MaxS));
    let (saturates, relu) = match video.clamp {
        None => (false, false),
        Some(to) if to.signed == signed && to.bits == width => (true, false),
        Some(to) if extreme && signed && to.bits == width && width == 16 => (false, true),
        _ => return None,
    };
    let so_far = &words[usize::from(video.c)];
    match (video.then, width) {
        (then, 32) => {
            let values = whole(video, [a, b], saturates)?;
            Some(Register(combined::<32>(then, 0, values.0, *so_far)))
        }
        (Then::Combine(Int2::Add), _) if !saturates => summed(video, [a, b], so_far),
        (Then::Combine(_), _) => None,
        _ if relu => {
            let values = halves(video, [a, b], false)?;
            Some(one(&values, |halves| {
                let negative = halves >> 15 & 0x0001_0001;
                halves & !(negative << 16).wrapping_sub(negative)
            }))
        }
        (_, 8) => bytes(video, [a, b], saturates),
        _ => halves(video, [a, b], saturates),
    }
}

/// The sums of all results of a lane, added to what there is.
#[inline(always)]
fn summed(video: &Video, [a, b]: [&Lanes; 2], so_far: &Lanes) -> Option<Register<u32>> {
    let (width, signed) = (video.widths[0], video.signed[0]);
    let mut values = Register(*so_far);
    if let Parts::Plain(f @ (Int2::Add | Int2::Sub)) = video.f {
        // Sums of sums: with 128, say, added to each part none is negative.
        let top = if width == 8 { 0x8080_8080 } else { 0x8000_8000 };
        let (top, too_much) = match (signed, width) {
            (false, _) => (0, 0),
            (true, 8) => (top, 4 << 7),
            (true, _) => (top, 2 << 15),
        };
        for lane in 0..32 {
            let [a, b] = [a, b].map(|words| total(words[lane] ^ top, width) - too_much);
            let more = if f == Int2::Add { a + b } else { a - b };
            values.0[lane] = values.0[lane].wrapping_add_signed(more);
        }
        return Some(values);
    }
    if !matches!(video.f, Parts::Difference | Parts::Compare { .. }) {
        return None;
    }
    let parts = if width == 8 { bytes(video, [a, b], false) } else { halves(video, [a, b], false) };
    let parts = parts?;
    for lane in 0..32 {
        let more = total(parts.0[lane], width);
        values.0[lane] = values.0[lane].wrapping_add_signed(more);
    }
    Some(values)
}

/// The sum of a word's parts, as numbers without a sign.
#[inline(always)]
fn total(word: u32, width: u8) -> i32 {
    let pairs = if width == 8 { (word & 0x00ff_00ff) + (word >> 8 & 0x00ff_00ff) } else { word };
    ((pairs & 0xffff) + (pairs >> 16)).cast_signed()
}

/// The functions, for parts of one width.
macro_rules! of_width {
    ($name:ident, $signed:ident, $unsigned:ident) => {
        #[allow(
            clippy::cast_lossless,
            clippy::useless_transmute,
            reason = "the same for numbers of every width, and for comparisons"
        )]
        #[inline(always)]
        fn $name(video: &Video, [a, b]: [&Lanes; 2], saturates: bool) -> Option<Register<u32>> {
            const COUNT: usize = 128 / size_of::<$unsigned>();
            type Numbers<N> = [N; COUNT];
            let swap = matches!(video.f, Parts::Compare { swap: true, .. });
            let [a, b] = if swap { [b, a] } else { [a, b] };
            macro_rules! each {
                ($number:ident, $f:expr) => {{
                    // SAFETY: both are 128 bytes of integers.
                    let [a, b] = unsafe {
                        std::mem::transmute::<[Lanes; 2], [Numbers<$number>; 2]>([*a, *b])
                    };
                    let mut values = a;
                    for part in 0..COUNT {
                        values[part] = $f(a[part], b[part]) as $number;
                    }
                    // SAFETY: as above.
                    unsafe { std::mem::transmute::<Numbers<$number>, Register<u32>>(values) }
                }};
            }
            macro_rules! either {
                ($f:ident) => {
                    if video.signed[0] {
                        each!($signed, $signed::$f)
                    } else {
                        each!($unsigned, $unsigned::$f)
                    }
                };
            }
            macro_rules! compared {
                ($f:ident) => {
                    if video.signed[0] {
                        each!($signed, |a: $signed, b: $signed| a.$f(&b))
                    } else {
                        each!($unsigned, |a: $unsigned, b: $unsigned| a.$f(&b))
                    }
                };
            }
            if saturates {
                return Some(match video.f {
                    Parts::Plain(Int2::Add) => either!(saturating_add),
                    Parts::Plain(Int2::Sub) => either!(saturating_sub),
                    _ => return None,
                });
            }
            Some(match video.f {
                Parts::Plain(Int2::Add) => either!(wrapping_add),
                Parts::Plain(Int2::Sub) => either!(wrapping_sub),
                Parts::Plain(Int2::MinS) => either!(min),
                Parts::Plain(Int2::MaxS) => either!(max),
                Parts::Plain(_) => return None,
                Parts::Difference => either!(abs_diff),
                Parts::Average if video.signed[0] => each!($signed, |a: $signed, b: $signed| {
                    let down = (a & b) + ((a ^ b) >> 1);
                    if down >= 0 { (a | b) - ((a ^ b) >> 1) } else { down }
                }),
                Parts::Average => {
                    each!($unsigned, |a: $unsigned, b: $unsigned| (a | b) - ((a ^ b) >> 1))
                }
                Parts::Compare { f, .. } => match f {
                    Compare::Equal => compared!(eq),
                    Compare::NotEqual => compared!(ne),
                    Compare::LessS => compared!(lt),
                    _ => compared!(le),
                },
                // Only of whole words.
                Parts::ShiftLeft { wrap } => each!($unsigned, |a: $unsigned, b: $unsigned| {
                    let away = b & 31;
                    if wrap || b == away { a.wrapping_shl(u32::from(away)) } else { 0 }
                }),
                Parts::ShiftRight { wrap } if video.signed[0] => {
                    each!($signed, |a: $signed, b: $signed| {
                        let b = b.cast_unsigned();
                        a.wrapping_shr(u32::from(if wrap { b & 31 } else { b.min(31) }))
                    })
                }
                Parts::ShiftRight { wrap } => each!($unsigned, |a: $unsigned, b: $unsigned| {
                    let away = b & 31;
                    if wrap || b == away { a.wrapping_shr(u32::from(away)) } else { 0 }
                }),
            })
        }
    };
}

of_width!(bytes, i8, u8);
of_width!(halves, i16, u16);
of_width!(whole, i32, u32);
