//! With AVX-512, instructions say how they round.

use std::arch::x86_64::{
    __m256, __m512d, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF,
    _MM_FROUND_TO_ZERO, _mm256_setzero_ps, _mm512_add_round_pd, _mm512_add_round_ps,
    _mm512_cvt_roundepi64_pd, _mm512_cvt_roundepu64_pd, _mm512_cvt_roundpd_ps, _mm512_div_round_pd,
    _mm512_div_round_ps, _mm512_fmadd_round_pd, _mm512_fmadd_round_ps, _mm512_loadu_pd,
    _mm512_loadu_ps, _mm512_mul_round_pd, _mm512_mul_round_ps, _mm512_set1_pd, _mm512_set1_ps,
    _mm512_setzero_pd, _mm512_sqrt_round_pd, _mm512_sqrt_round_ps, _mm512_storeu_pd,
    _mm512_storeu_ps, _mm512_sub_round_pd, _mm512_sub_round_ps,
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

/// Defines arithmetic of 32 floats, which are `$count` vectors. The functions have no features of
/// their own: so they are inlined whatever their size, and nothing goes through memory.
macro_rules! arithmetic {
    (
        $(#[$doc:meta])* $name:ident, $inner:ident, [$lane:ty; 32], $count:literal, $load:ident,
        $store:ident, $one:expr, $add:ident, $sub:ident, $mul:ident, $fma:ident, $div:ident,
        $sqrt:ident
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The machine has AVX-512, and the caller is compiled for it.
        #[inline(always)]
        pub(super) unsafe fn $name(
            f: Arithmetic,
            round: Round,
            operands: [&[$lane; 32]; 3],
            out: &mut [$lane; 32],
        ) -> bool {
            // SAFETY: as the caller promises.
            unsafe { by_direction!(round, $inner(f, operands, out)) }
        }

        #[inline(always)]
        unsafe fn $inner<const R: i32>(
            f: Arithmetic,
            [x, y, z]: [&[$lane; 32]; 3],
            out: &mut [$lane; 32],
        ) -> bool {
            macro_rules! each {
                (|$x:ident, $y:ident, $z:ident| $result:expr) => {
                    for part in 0..$count {
                        const LANES: usize = 32 / $count;
                        let at = LANES * part;
                        // SAFETY: the caller promises AVX-512; each part fills a vector.
                        unsafe {
                            let $x = $load(x[at..at + LANES].as_ptr().cast());
                            let $y = $load(y[at..at + LANES].as_ptr().cast());
                            let $z = $load(z[at..at + LANES].as_ptr().cast());
                            $store(out[at..at + LANES].as_mut_ptr().cast(), $result);
                        }
                    }
                };
            }
            match f {
                Arithmetic::Add => each!(|x, y, _z| $add::<R>(x, y)),
                Arithmetic::Sub => each!(|x, y, _z| $sub::<R>(x, y)),
                Arithmetic::Mul => each!(|x, y, _z| $mul::<R>(x, y)),
                Arithmetic::Fma => each!(|x, y, z| $fma::<R>(x, y, z)),
                Arithmetic::Div => each!(|x, y, _z| $div::<R>(x, y)),
                Arithmetic::Sqrt => each!(|x, _y, _z| $sqrt::<R>(x)),
                Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => {
                    each!(|x, _y, _z| $div::<R>($one, x));
                }
                _ => return false,
            }
            true
        }
    };
}

arithmetic! {
    /// As [`super::singles`].
    singles, singles_in, [u32; 32], 2, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps(1.0),
    _mm512_add_round_ps, _mm512_sub_round_ps, _mm512_mul_round_ps, _mm512_fmadd_round_ps,
    _mm512_div_round_ps, _mm512_sqrt_round_ps
}
arithmetic! {
    /// As [`super::doubles`].
    doubles, doubles_in, [u64; 32], 4, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd(1.0),
    _mm512_add_round_pd, _mm512_sub_round_pd, _mm512_mul_round_pd, _mm512_fmadd_round_pd,
    _mm512_div_round_pd, _mm512_sqrt_round_pd
}

/// As [`super::of_doubles`].
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn of_doubles(values: &Doubles, signed: bool, round: Round, out: &mut Doubles) -> bool {
    if signed {
        by_direction!(round, of_signed(values, out))
    } else {
        by_direction!(round, of_unsigned(values, out))
    }
}

/// Defines conversions of words of 64 bits to floats.
macro_rules! of_words {
    ($name:ident, $convert:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512dq")]
        fn $name<const R: i32>(values: &Doubles, out: &mut Doubles) -> bool {
            // SAFETY: arrays of 32 words of 64 bits and four vectors of 8 have one size, and any
            // bits are a value of either.
            let words = unsafe { std::mem::transmute::<Doubles, [__m512i; 4]>(*values) };
            let mut floats = [_mm512_setzero_pd(); 4];
            for part in 0..4 {
                floats[part] = $convert::<R>(words[part]);
            }
            // SAFETY: as above.
            *out = unsafe { std::mem::transmute::<[__m512d; 4], Doubles>(floats) };
            true
        }
    };
}

of_words!(of_signed, _mm512_cvt_roundepi64_pd);
of_words!(of_unsigned, _mm512_cvt_roundepu64_pd);

/// As [`super::shortened`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn shortened(values: &Doubles, round: Round, out: &mut Words) -> bool {
    by_direction!(round, shortened_in(values, out))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn shortened_in<const R: i32>(values: &Doubles, out: &mut Words) -> bool {
    // SAFETY: arrays of 32 words of 64 bits and four vectors of 8 have one size, and any bits
    // are a value of either.
    let parts = unsafe { std::mem::transmute::<Doubles, [__m512d; 4]>(*values) };
    let mut all = [_mm256_setzero_ps(); 4];
    for part in 0..4 {
        all[part] = _mm512_cvt_roundpd_ps::<R>(parts[part]);
    }
    // SAFETY: four vectors of 8 words and 32 words have one size, and any bits are a value.
    *out = unsafe { std::mem::transmute::<[__m256; 4], Words>(all) };
    true
}
