//! With AVX-512, instructions say how they round.

use std::arch::x86_64::{
    __m256, __m512, __m512d, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF,
    _MM_FROUND_TO_ZERO, _mm256_setzero_ps, _mm512_add_round_pd, _mm512_add_round_ps,
    _mm512_cvt_roundpd_ps, _mm512_div_round_pd, _mm512_div_round_ps, _mm512_fmadd_round_pd,
    _mm512_fmadd_round_ps, _mm512_mul_round_pd, _mm512_mul_round_ps, _mm512_set1_pd,
    _mm512_set1_ps, _mm512_sqrt_round_pd, _mm512_sqrt_round_ps, _mm512_sub_round_pd,
    _mm512_sub_round_ps,
};

use crate::program::{Arithmetic, Round};

type Words = [u32; 32];
type Doubles = [u64; 32];

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

/// As [`super::singles`].
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
                values[part] = $f(x[part], y[part], z[part]);
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

/// As [`super::doubles`].
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

/// As [`super::shortened`].
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
