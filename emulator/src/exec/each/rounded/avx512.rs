//! With AVX-512, instructions say how they round.

use std::arch::x86_64::{
    _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO,
    _mm256_storeu_ps, _mm512_add_round_pd, _mm512_add_round_ps, _mm512_cvt_roundepi64_pd,
    _mm512_cvt_roundepu64_pd, _mm512_cvt_roundpd_ps, _mm512_div_round_pd, _mm512_div_round_ps,
    _mm512_fmadd_round_pd, _mm512_fmadd_round_ps, _mm512_loadu_pd, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mul_round_pd, _mm512_mul_round_ps, _mm512_set1_pd, _mm512_set1_ps,
    _mm512_sqrt_round_pd, _mm512_sqrt_round_ps, _mm512_storeu_pd, _mm512_storeu_ps,
    _mm512_sub_round_pd, _mm512_sub_round_ps,
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

/// Defines conversions of 64-bit words, which are four vectors, as those above.
macro_rules! conversions {
    (
        $(#[$doc:meta])* $name:ident, $inner:ident, $out:ty, $load:ident, $convert:ident,
        $store:ident
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// The machine has AVX-512, and the caller is compiled for it.
        #[inline(always)]
        pub(super) unsafe fn $name(values: &Doubles, round: Round, out: &mut $out) -> bool {
            // SAFETY: as the caller promises.
            unsafe { by_direction!(round, $inner(values, out)) }
        }

        #[inline(always)]
        unsafe fn $inner<const R: i32>(values: &Doubles, out: &mut $out) -> bool {
            for at in [0, 8, 16, 24] {
                // SAFETY: the caller promises AVX-512; each part fills a vector.
                unsafe {
                    let words = $load(values[at..at + 8].as_ptr().cast());
                    $store(out[at..at + 8].as_mut_ptr().cast(), $convert::<R>(words));
                }
            }
            true
        }
    };
}

conversions! {
    /// As [`super::of_doubles`], of signed words.
    of_signed, of_signed_in, Doubles, _mm512_loadu_si512, _mm512_cvt_roundepi64_pd, _mm512_storeu_pd
}
conversions! {
    /// As [`super::of_doubles`], of unsigned words.
    of_unsigned, of_unsigned_in, Doubles, _mm512_loadu_si512, _mm512_cvt_roundepu64_pd,
    _mm512_storeu_pd
}
conversions! {
    /// As [`super::shortened`].
    shortened, shortened_in, Words, _mm512_loadu_pd, _mm512_cvt_roundpd_ps, _mm256_storeu_ps
}
