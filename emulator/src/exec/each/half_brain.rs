//! Brain floats with AVX-512. They are the upper halves of floats of 32 bits, so that nothing has to
//! be converted: those of pairs are computed where they are in their words.

use std::arch::x86_64::{
    __m512, __m512i, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512, _mm512_castps_si512,
    _mm512_castsi512_ps, _mm512_cmpgt_epu32_mask, _mm512_fixupimm_ps, _mm512_fmadd_round_ps,
    _mm512_mask_mov_epi16, _mm512_mask_mov_epi32, _mm512_max_epi32, _mm512_min_epu32,
    _mm512_mul_round_ps, _mm512_roundscale_ps, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_slli_epi32, _mm512_srli_epi32, _mm512_sub_ps,
};

use super::half_host::{DOWN, Lanes, NEAREST, UP, ZERO, flushed_words, odd, put_words, words};
use crate::program::{Arithmetic, Clamp, Mode, Round};

const NAN: i32 = 0x7fff_0000;
const INFINITY: i32 = 0x7f80_0000;
const ONE: i32 = 0x3f80_0000;

/// `out = f(a, b, c)`, by [`Mode::PLAIN`] where `PLAIN`; as [`super::half_host::arithmetic`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn arithmetic<const PLAIN: bool, const PAIR: bool>(
    f: Arithmetic,
    mode: Mode,
    operands: [&Lanes; 3],
    out: &mut Lanes,
) -> bool {
    let mode = if PLAIN { Mode::PLAIN } else { mode };
    macro_rules! each {
        ($f:expr) => {{
            for half in 0..2 {
                // One by one: closures that arrays map over are not inlined here.
                let [x, y, z] =
                    [words(operands[0], half), words(operands[1], half), words(operands[2], half)];
                let low = $f(lower(x, mode), lower(y, mode), lower(z, mode));
                let mut bits = _mm512_srli_epi32::<16>(finished(low, mode));
                if PAIR {
                    let high = $f(upper(x, mode), upper(y, mode), upper(z, mode));
                    bits = _mm512_mask_mov_epi16(bits, 0xaaaa_aaaa, finished(high, mode));
                }
                put_words(out, half, bits);
            }
        }};
    }
    match f {
        Arithmetic::Add => each!(|x, y, _| _mm512_add_ps(x, y)),
        Arithmetic::Sub => each!(|x, y, _| _mm512_sub_ps(x, y)),
        // Exact, unless the product is subnormal in 32 bits.
        Arithmetic::Mul => {
            each!(|x, y, _| odd(
                _mm512_mul_round_ps::<DOWN>(x, y),
                _mm512_mul_round_ps::<UP>(x, y)
            ));
        }
        Arithmetic::Fma => each!(|x, y, z| odd(
            _mm512_fmadd_round_ps::<DOWN>(x, y, z),
            _mm512_fmadd_round_ps::<UP>(x, y, z)
        )),
        Arithmetic::Integral => match mode.round {
            Round::Nearest => each!(|x, _, _| _mm512_roundscale_ps::<NEAREST>(x)),
            Round::Zero => each!(|x, _, _| _mm512_roundscale_ps::<ZERO>(x)),
            Round::Down => each!(|x, _, _| _mm512_roundscale_ps::<DOWN>(x)),
            Round::Up => each!(|x, _, _| _mm512_roundscale_ps::<UP>(x)),
            Round::Away => return false,
        },
        _ => return false,
    }
    true
}

#[inline]
#[target_feature(enable = "avx512f")]
fn lower(words: __m512i, mode: Mode) -> __m512 {
    operand(_mm512_slli_epi32::<16>(words), mode)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn upper(words: __m512i, mode: Mode) -> __m512 {
    operand(_mm512_and_si512(words, _mm512_set1_epi32(-1 << 16)), mode)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn operand(bits: __m512i, mode: Mode) -> __m512 {
    let value = _mm512_castsi512_ps(bits);
    if mode.flush { flushed_words(value) } else { value }
}

/// The nearest, in the upper halves of words with any lower ones; one NaN for all.
#[inline]
#[target_feature(enable = "avx512f")]
fn finished(values: __m512, mode: Mode) -> __m512i {
    // For both kinds of NaN the first operand, for all other kinds of numbers the second.
    let kinds = _mm512_set1_epi32(0x1111_1100);
    let nan = _mm512_castsi512_ps(_mm512_set1_epi32(NAN));
    let bits = _mm512_castps_si512(_mm512_fixupimm_ps::<0>(nan, values, kinds));
    let last = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
    let most = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
    let mut bits = _mm512_add_epi32(bits, most);
    if mode.flush {
        bits = _mm512_castps_si512(flushed_words(_mm512_castsi512_ps(bits)));
    }
    match mode.clamp {
        Clamp::Unit => {
            // Negative ones count as larger than all others here.
            let bad = _mm512_cmpgt_epu32_mask(bits, _mm512_set1_epi32(INFINITY | 0xffff));
            let inside = _mm512_min_epu32(bits, _mm512_set1_epi32(ONE));
            _mm512_mask_mov_epi32(inside, bad, _mm512_setzero_si512())
        }
        Clamp::Relu => _mm512_max_epi32(bits, _mm512_setzero_si512()),
        _ => bits,
    }
}
