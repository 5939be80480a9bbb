//! Contents of the input buffers of a user's kernels.
//!
//! Integers are the words of [`inputs`]: narrow types take the highest bits of each word,
//! 64-bit integers the word in both halves. `constant`, `iota`, `ones` and `zipf` count,
//! so their numbers stay as they are, modulo the range of the type. Integers with bounds are taken
//! modulo the number of integers between them. `sorted` and `reversed` keep their order in signed types and below a bound.
//! Floats of `normal` have mean 0 and deviation 1; those of the other distributions lie in [0, 1).

use rayon::prelude::*;

use super::args::INDEX;
use super::expr::{Expr, ExprError};
use crate::algorithms::inputs;
use crate::experiment::Distribution;
use crate::work::{Element, HostBuffer};

/// Whole numbers from the first on, as many as the second says.
pub(super) type Range = (i128, u64);

/// `len` elements of a distribution, integers of a range if there is one.
pub(super) fn drawn(
    element: Element,
    dist: Distribution,
    range: Option<Range>,
    seed: u64,
    len: usize,
) -> HostBuffer {
    let words = inputs::generate(dist, seed, len);
    let counts = matches!(
        dist,
        Distribution::Constant | Distribution::Iota | Distribution::Ones | Distribution::Zipf(_)
    );
    let ordered = matches!(dist, Distribution::Sorted | Distribution::Reversed);
    let bounded = |value: u64, word: u32, (least, count): Range| {
        let scaled = (u128::from(word) * u128::from(count)) >> 32;
        least + i128::from(if ordered { scaled as u64 } else { value % count })
    };
    let signed = matches!(element, Element::I8 | Element::I16 | Element::I32 | Element::I64);
    // The smallest word becomes the smallest number.
    let flip = if ordered && signed { 1 << 31 } else { 0 };
    // `zipf` and `normal` have a rank in both halves of a word.
    let number = |word: u32| if matches!(dist, Distribution::Zipf(_)) { word >> 16 } else { word };
    let float = |word: u32| match dist {
        _ if counts => f64::from(number(word)),
        Distribution::Normal => (f64::from(word >> 16) - 32_768.0) / 8_192.0,
        // 24 bits, which a 32-bit float holds exactly.
        _ => f64::from(word >> 8) / f64::from(1 << 24),
    };
    macro_rules! narrow {
        ($ty:ty, $shift:expr) => {
            words
                .into_par_iter()
                .map(|word| match range {
                    Some(range) => bounded(number(word).into(), word, range) as $ty,
                    None if counts => number(word) as $ty,
                    None => ((word ^ flip) >> $shift) as $ty,
                })
                .collect()
        };
    }
    let wide = |word: u32| {
        let wide = u64::from(word ^ flip) << 32 | u64::from(word);
        let value = if counts { u64::from(number(word)) } else { wide };
        range.map_or(value, |range| bounded(value, word, range) as u64)
    };
    match element {
        Element::U8 => HostBuffer::U8(narrow!(u8, 24)),
        Element::I8 => HostBuffer::I8(narrow!(i8, 24)),
        Element::U16 => HostBuffer::U16(narrow!(u16, 16)),
        Element::I16 => HostBuffer::I16(narrow!(i16, 16)),
        Element::U32 => HostBuffer::U32(narrow!(u32, 0)),
        Element::I32 => HostBuffer::I32(narrow!(i32, 0)),
        Element::U64 => HostBuffer::U64(words.into_par_iter().map(wide).collect()),
        Element::I64 => {
            HostBuffer::I64(words.into_par_iter().map(|word| wide(word).cast_signed()).collect())
        }
        Element::F32 => {
            HostBuffer::F32(words.into_par_iter().map(|word| float(word) as f32).collect())
        }
        Element::F64 => HostBuffer::F64(words.into_par_iter().map(float).collect()),
    }
}

/// Running sums of whole numbers: each element is the sum of those before it, the first 0. They wrap
/// around.
pub(super) fn summed(numbers: HostBuffer) -> HostBuffer {
    macro_rules! each {
        ($($kind:ident),*) => {
            match numbers {
                $(HostBuffer::$kind(mut numbers) => {
                    let mut sum = 0;
                    for number in &mut numbers {
                        let next = number.wrapping_add(sum);
                        *number = std::mem::replace(&mut sum, next);
                    }
                    HostBuffer::$kind(numbers)
                })*
                floats => floats,
            }
        };
    }
    each!(U8, I8, U16, I16, U32, I32, U64, I64)
}

/// The first index between the smallest and the largest for which an expression has no
/// value, and the reason.
pub(super) fn fault(
    expr: &Expr,
    names: &(dyn Fn(&str) -> Option<i128> + Sync),
    len: u64,
) -> Option<(u64, ExprError)> {
    if !expr.may_fail_within(INDEX) {
        return None;
    }
    (0..len).into_par_iter().find_map_first(|index| {
        let value = expr.value(&|name| {
            if name == INDEX { Some(index.into()) } else { names(name) }
        });
        value.err().map(|error| (index, error))
    })
}

/// The value of an expression for each index, with `names` for the other names. A value
/// that does not fit the type wraps around; see [`fault`] for an index without a value.
pub(super) fn each(
    element: Element,
    expr: &Expr,
    names: &(dyn Fn(&str) -> Option<i128> + Sync),
    len: usize,
) -> HostBuffer {
    let at = |index: usize| {
        let names = |name: &str| {
            if name == INDEX { Some(index as i128) } else { names(name) }
        };
        expr.value(&names).unwrap_or_else(|_| 0.into())
    };
    macro_rules! integers {
        ($ty:ty) => {
            (0..len).into_par_iter().map(|index| at(index).floor() as $ty).collect()
        };
    }
    match element {
        Element::U8 => HostBuffer::U8(integers!(u8)),
        Element::I8 => HostBuffer::I8(integers!(i8)),
        Element::U16 => HostBuffer::U16(integers!(u16)),
        Element::I16 => HostBuffer::I16(integers!(i16)),
        Element::U32 => HostBuffer::U32(integers!(u32)),
        Element::I32 => HostBuffer::I32(integers!(i32)),
        Element::U64 => HostBuffer::U64(integers!(u64)),
        Element::I64 => HostBuffer::I64(integers!(i64)),
        Element::F32 => {
            HostBuffer::F32((0..len).into_par_iter().map(|it| at(it).to_f64() as f32).collect())
        }
        Element::F64 => {
            HostBuffer::F64((0..len).into_par_iter().map(|it| at(it).to_f64()).collect())
        }
    }
}
