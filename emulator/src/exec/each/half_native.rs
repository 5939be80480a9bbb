//! 16-bit floats on hosts that compute with them.

use std::arch::x86_64::{
    __m512h, __m512i, _CMP_UNORD_Q, _mm512_add_epi16, _mm512_add_ph, _mm512_and_si512,
    _mm512_castph_si512, _mm512_castsi512_ph, _mm512_cmp_ph_mask, _mm512_cmpgt_epu16_mask,
    _mm512_cmplt_epu16_mask, _mm512_cvtepi16_epi8, _mm512_cvtepu16_epi32, _mm512_fmadd_ph,
    _mm512_fpclass_ph_mask, _mm512_mask_mov_epi16, _mm512_max_epi16, _mm512_min_epu16,
    _mm512_movepi16_mask, _mm512_mul_ph, _mm512_or_si512, _mm512_roundscale_ph, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi16, _mm512_sub_epi16, _mm512_sub_ph,
};

use super::half_host::{
    DOWN, INFINITY, Lanes, NAN, NEAREST, ONE, SIGN, UP, ZERO, put_words, words,
};
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Mode, Round};

/// `out = f(a, b, c)`, by [`Mode::PLAIN`] where `PLAIN`; as [`super::half_host::arithmetic`].
#[inline]
#[target_feature(enable = "avx512fp16,avx512bw,avx512vl")]
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
                let value = $f(operand(x, mode), operand(y, mode), operand(z, mode));
                let mut bits = finished(value, mode);
                if !PAIR {
                    bits = _mm512_and_si512(bits, _mm512_set1_epi32(0xffff));
                }
                put_words(out, half, bits);
            }
        }};
    }
    match f {
        Arithmetic::Add => each!(|x, y, _| _mm512_add_ph(x, y)),
        Arithmetic::Sub => each!(|x, y, _| _mm512_sub_ph(x, y)),
        Arithmetic::Mul => each!(|x, y, _| _mm512_mul_ph(x, y)),
        Arithmetic::Fma => each!(|x, y, z| _mm512_fmadd_ph(x, y, z)),
        Arithmetic::Integral => match mode.round {
            Round::Nearest => each!(|x, _, _| _mm512_roundscale_ph::<NEAREST>(x)),
            Round::Zero => each!(|x, _, _| _mm512_roundscale_ph::<ZERO>(x)),
            Round::Down => each!(|x, _, _| _mm512_roundscale_ph::<DOWN>(x)),
            Round::Up => each!(|x, _, _| _mm512_roundscale_ph::<UP>(x)),
            Round::Away => return false,
        },
        _ => return false,
    }
    true
}

#[inline]
#[target_feature(enable = "avx512fp16,avx512bw,avx512vl")]
fn operand(words: __m512i, mode: Mode) -> __m512h {
    _mm512_castsi512_ph(if mode.flush { flushed(words) } else { words })
}

/// With 0 of its sign for subnormal values.
#[inline]
#[target_feature(enable = "avx512fp16,avx512bw,avx512vl")]
fn flushed(bits: __m512i) -> __m512i {
    const SUBNORMAL: i32 = 0x20;
    let small = _mm512_fpclass_ph_mask::<SUBNORMAL>(_mm512_castsi512_ph(bits));
    _mm512_mask_mov_epi16(bits, small, _mm512_and_si512(bits, _mm512_set1_epi16(SIGN)))
}

/// One NaN for all, flushed and clamped.
#[inline]
#[target_feature(enable = "avx512fp16,avx512bw,avx512vl")]
fn finished(values: __m512h, mode: Mode) -> __m512i {
    let nan = _mm512_cmp_ph_mask::<_CMP_UNORD_Q>(values, values);
    let bits = _mm512_castph_si512(values);
    let bits = _mm512_mask_mov_epi16(bits, nan, _mm512_set1_epi16(NAN));
    let bits = if mode.flush { flushed(bits) } else { bits };
    match mode.clamp {
        Clamp::Unit => {
            // Negative ones count as larger than all others here.
            let bad = _mm512_cmpgt_epu16_mask(bits, _mm512_set1_epi16(INFINITY));
            let inside = _mm512_min_epu16(bits, _mm512_set1_epi16(ONE));
            _mm512_mask_mov_epi16(inside, bad, _mm512_setzero_si512())
        }
        Clamp::Relu => _mm512_max_epi16(bits, _mm512_setzero_si512()),
        _ => bits,
    }
}

/// The nearest finite E4M3 bytes of the halves of words, in their lower two bytes; negative ones are
/// 0 if `relu`.
#[inline]
#[target_feature(enable = "avx512fp16,avx512bw,avx512vl")]
pub(super) fn bytes(relu: bool, pairs: &Lanes) -> Register<u32> {
    let mut out = Register::<u32>::default();
    for half in 0..2 {
        let halves = words(pairs, half);
        let size = _mm512_and_si512(halves, _mm512_set1_epi16(NAN));
        // The unit of subnormal numbers is the last place of 2, where adding it rounds.
        let two = _mm512_set1_epi16(0x4000);
        let small = _mm512_add_ph(_mm512_castsi512_ph(size), _mm512_castsi512_ph(two));
        let small = _mm512_sub_epi16(_mm512_castph_si512(small), two);
        let last = _mm512_and_si512(_mm512_srli_epi16::<7>(size), _mm512_set1_epi16(1));
        let middle = _mm512_set1_epi16(0x3f - (8 << 10));
        let normal = _mm512_add_epi16(_mm512_add_epi16(size, middle), last);
        let subnormal = _mm512_cmplt_epu16_mask(size, _mm512_set1_epi16(9 << 10));
        let code = _mm512_mask_mov_epi16(_mm512_srli_epi16::<7>(normal), subnormal, small);
        let code = _mm512_min_epu16(code, _mm512_set1_epi16(0x7e));
        let sign = _mm512_and_si512(_mm512_srli_epi16::<8>(halves), _mm512_set1_epi16(0x80));
        let mut code = _mm512_or_si512(code, sign);
        if relu {
            let negative = _mm512_movepi16_mask(halves);
            code = _mm512_mask_mov_epi16(code, negative, _mm512_setzero_si512());
        }
        let nan = _mm512_cmpgt_epu16_mask(size, _mm512_set1_epi16(INFINITY));
        let code = _mm512_mask_mov_epi16(code, nan, _mm512_set1_epi16(0x7f));
        put_words(&mut out, half, _mm512_cvtepu16_epi32(_mm512_cvtepi16_epi8(code)));
    }
    out
}
