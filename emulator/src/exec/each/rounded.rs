//! Arithmetic and conversions that the host rounds in a direction itself: with AVX-512,
//! instructions say how they round.

use std::arch::x86_64::{
    __m256, __m512, __m512d, __m512i, _CMP_UNORD_Q, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEG_INF,
    _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO, _mm256_setzero_ps, _mm512_add_round_pd,
    _mm512_add_round_ps, _mm512_cmp_ps_mask, _mm512_cvt_roundepi32_ps, _mm512_cvt_roundepi64_pd,
    _mm512_cvt_roundepi64_ps, _mm512_cvt_roundepu32_ps, _mm512_cvt_roundepu64_pd,
    _mm512_cvt_roundepu64_ps, _mm512_cvt_roundpd_ps, _mm512_div_round_pd, _mm512_div_round_ps,
    _mm512_fmadd_round_pd, _mm512_fmadd_round_ps, _mm512_mask_mov_ps, _mm512_mul_round_pd,
    _mm512_mul_round_ps, _mm512_set1_pd, _mm512_set1_ps, _mm512_sqrt_round_pd,
    _mm512_sqrt_round_ps, _mm512_sub_round_pd, _mm512_sub_round_ps,
};

use crate::program::{Arithmetic, Round};

type Words = [u32; 32];
type Doubles = [u64; 32];

const NAN: i32 = 0x7fff_ffff;
const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;

/// Calls `$f::<…>($args)` for the direction that `$round` is.
macro_rules! by_direction {
    ($round:expr, $f:ident($($arg:expr),*)) => {
        match $round {
            Round::Zero => $f::<ZERO>($($arg),*),
            Round::Down => $f::<DOWN>($($arg),*),
            Round::Up => $f::<UP>($($arg),*),
            Round::Nearest | Round::Away => false,
        }
    };
}

/// `f` of 32-bit floats, with one NaN for all; false if nothing here computes it.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn singles(f: Arithmetic, round: Round, operands: [&Words; 3], out: &mut Words) -> bool {
    by_direction!(round, singles_in(f, operands, out))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn singles_in<const R: i32>(f: Arithmetic, operands: [&Words; 3], out: &mut Words) -> bool {
    let [x, y, z] = operands;
    // SAFETY: arrays of 32 words and pairs of vectors of 16 words have one size, and any bits
    // are a value of either.
    let [x, y, z] = unsafe {
        [
            std::mem::transmute::<Words, [__m512; 2]>(*x),
            std::mem::transmute::<Words, [__m512; 2]>(*y),
            std::mem::transmute::<Words, [__m512; 2]>(*z),
        ]
    };
    let mut values = [_mm512_set1_ps(0.0); 2];
    macro_rules! each {
        ($f:expr) => {
            for part in 0..2 {
                let value = $f(x[part], y[part], z[part]);
                let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(value, value);
                let canonical = _mm512_set1_ps(f32::from_bits(NAN.cast_unsigned()));
                values[part] = _mm512_mask_mov_ps(value, nan, canonical);
            }
        };
    }
    match f {
        Arithmetic::Add => each!(|x, y, _| _mm512_add_round_ps::<R>(x, y)),
        Arithmetic::Sub => each!(|x, y, _| _mm512_sub_round_ps::<R>(x, y)),
        Arithmetic::Mul => each!(|x, y, _| _mm512_mul_round_ps::<R>(x, y)),
        Arithmetic::Fma => each!(|x, y, z| _mm512_fmadd_round_ps::<R>(x, y, z)),
        Arithmetic::Div => each!(|x, y, _| _mm512_div_round_ps::<R>(x, y)),
        Arithmetic::Sqrt => each!(|x, _, _| _mm512_sqrt_round_ps::<R>(x)),
        Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => {
            each!(|x, _, _| _mm512_div_round_ps::<R>(_mm512_set1_ps(1.0), x));
        }
        _ => return false,
    }
    // SAFETY: as above.
    *out = unsafe { std::mem::transmute::<[__m512; 2], Words>(values) };
    true
}

/// `f` of 64-bit floats; which NaN it gives is open.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn doubles(
    f: Arithmetic,
    round: Round,
    operands: [&Doubles; 3],
    out: &mut Doubles,
) -> bool {
    by_direction!(round, doubles_in(f, operands, out))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn doubles_in<const R: i32>(f: Arithmetic, operands: [&Doubles; 3], out: &mut Doubles) -> bool {
    let [x, y, z] = operands;
    // SAFETY: arrays of 32 words of 64 bits and four vectors of 8 have one size, and any bits
    // are a value of either.
    let [x, y, z] = unsafe {
        [
            std::mem::transmute::<Doubles, [__m512d; 4]>(*x),
            std::mem::transmute::<Doubles, [__m512d; 4]>(*y),
            std::mem::transmute::<Doubles, [__m512d; 4]>(*z),
        ]
    };
    let mut values = [_mm512_set1_pd(0.0); 4];
    macro_rules! each {
        ($f:expr) => {
            for part in 0..4 {
                values[part] = $f(x[part], y[part], z[part]);
            }
        };
    }
    match f {
        Arithmetic::Add => each!(|x, y, _| _mm512_add_round_pd::<R>(x, y)),
        Arithmetic::Sub => each!(|x, y, _| _mm512_sub_round_pd::<R>(x, y)),
        Arithmetic::Mul => each!(|x, y, _| _mm512_mul_round_pd::<R>(x, y)),
        Arithmetic::Fma => each!(|x, y, z| _mm512_fmadd_round_pd::<R>(x, y, z)),
        Arithmetic::Div => each!(|x, y, _| _mm512_div_round_pd::<R>(x, y)),
        Arithmetic::Sqrt => each!(|x, _, _| _mm512_sqrt_round_pd::<R>(x)),
        Arithmetic::ReciprocalRounded => {
            each!(|x, _, _| _mm512_div_round_pd::<R>(_mm512_set1_pd(1.0), x));
        }
        _ => return false,
    }
    // SAFETY: as above.
    *out = unsafe { std::mem::transmute::<[__m512d; 4], Doubles>(values) };
    true
}

/// 64-bit floats as ones of 32 bits; which NaN that gives is open.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn shortened(values: &Doubles, round: Round, out: &mut Words) -> bool {
    by_direction!(round, shortened_in(values, out))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn shortened_in<const R: i32>(values: &Doubles, out: &mut Words) -> bool {
    // SAFETY: as in `doubles_in`.
    let parts = unsafe { std::mem::transmute::<Doubles, [__m512d; 4]>(*values) };
    let mut all = [_mm256_setzero_ps(); 4];
    for part in 0..4 {
        all[part] = _mm512_cvt_roundpd_ps::<R>(parts[part]);
    }
    // SAFETY: four vectors of 8 words and 32 words have one size, and any bits are a value.
    *out = unsafe { std::mem::transmute::<[__m256; 4], Words>(all) };
    true
}

/// Words, signed or not, as floats of 32 bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn of_words(values: &Words, signed: bool, round: Round, out: &mut Words) -> bool {
    by_direction!(round, of_words_in(values, signed, out))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn of_words_in<const R: i32>(values: &Words, signed: bool, out: &mut Words) -> bool {
    // SAFETY: as in `singles_in`.
    let parts = unsafe { std::mem::transmute::<Words, [__m512i; 2]>(*values) };
    let mut all = [_mm512_set1_ps(0.0); 2];
    for part in 0..2 {
        all[part] = if signed {
            _mm512_cvt_roundepi32_ps::<R>(parts[part])
        } else {
            _mm512_cvt_roundepu32_ps::<R>(parts[part])
        };
    }
    // SAFETY: as above.
    *out = unsafe { std::mem::transmute::<[__m512; 2], Words>(all) };
    true
}

/// Words of 64 bits, signed or not, as floats of 32 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn of_doubles(values: &Doubles, signed: bool, round: Round, out: &mut Words) -> bool {
    by_direction!(round, of_doubles_in(values, signed, out))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn of_doubles_in<const R: i32>(values: &Doubles, signed: bool, out: &mut Words) -> bool {
    // SAFETY: as in `doubles_in`.
    let parts = unsafe { std::mem::transmute::<Doubles, [__m512i; 4]>(*values) };
    let mut all = [_mm256_setzero_ps(); 4];
    for part in 0..4 {
        all[part] = if signed {
            _mm512_cvt_roundepi64_ps::<R>(parts[part])
        } else {
            _mm512_cvt_roundepu64_ps::<R>(parts[part])
        };
    }
    // SAFETY: as in `shortened_in`.
    *out = unsafe { std::mem::transmute::<[__m256; 4], Words>(all) };
    true
}

/// The same, as floats of 64 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn wide_of_doubles(
    values: &Doubles,
    signed: bool,
    round: Round,
    out: &mut Doubles,
) -> bool {
    by_direction!(round, wide_of_doubles_in(values, signed, out))
}

#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn wide_of_doubles_in<const R: i32>(values: &Doubles, signed: bool, out: &mut Doubles) -> bool {
    // SAFETY: as in `doubles_in`.
    let parts = unsafe { std::mem::transmute::<Doubles, [__m512i; 4]>(*values) };
    let mut all = [_mm512_set1_pd(0.0); 4];
    for part in 0..4 {
        all[part] = if signed {
            _mm512_cvt_roundepi64_pd::<R>(parts[part])
        } else {
            _mm512_cvt_roundepu64_pd::<R>(parts[part])
        };
    }
    // SAFETY: as above.
    *out = unsafe { std::mem::transmute::<[__m512d; 4], Doubles>(all) };
    true
}
