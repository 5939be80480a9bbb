//! Vectors of halves and of the floats that they are.

use std::arch::x86_64::{
    __m256, __m256i, _CMP_GT_OQ, _CMP_LT_OQ, _CMP_NEQ_OQ, _CMP_UNORD_Q, _MM_FROUND_TO_NEAREST_INT,
    _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps, _mm256_and_si256, _mm256_andnot_ps,
    _mm256_andnot_si256, _mm256_blend_epi16, _mm256_blendv_epi8, _mm256_blendv_ps,
    _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmp_ps,
    _mm256_cmpeq_epi16, _mm256_cmpgt_epi16, _mm256_cmpgt_epi32, _mm256_cvtph_ps, _mm256_cvtps_ph,
    _mm256_extracti128_si256, _mm256_max_epi16, _mm256_min_epu16, _mm256_movemask_epi8,
    _mm256_movemask_ps, _mm256_or_ps, _mm256_or_si256, _mm256_set_m128i, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_slli_epi32,
    _mm256_srai_epi16, _mm256_srai_epi32, _mm256_srli_epi32, _mm256_sub_epi16, _mm256_sub_ps,
    _mm256_xor_ps,
};

use super::Lanes;
use crate::exec::each::half::Format;
use crate::program::{Clamp, Mode};

/// Sixteen halves: of eight words both, or of two times eight words the lower ones, in turn.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn load<const PAIR: bool>(register: &Lanes, part: usize) -> __m256i {
    if PAIR {
        return eight(register, part);
    }
    let upper = _mm256_slli_epi32::<16>(eight(register, 2 * part + 1));
    _mm256_blend_epi16::<0xaa>(eight(register, 2 * part), upper)
}

/// The other way.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn store<const PAIR: bool>(register: &mut Lanes, part: usize, halves: __m256i) {
    if PAIR {
        return put_eight(register, part, halves);
    }
    put_eight(register, 2 * part, _mm256_and_si256(halves, _mm256_set1_epi32(0xffff)));
    put_eight(register, 2 * part + 1, _mm256_srli_epi32::<16>(halves));
}

/// Eight words of a register.
#[inline(always)]
pub(super) fn eight(register: &Lanes, part: usize) -> __m256i {
    let words = &register[8 * (part & 3)..][..8];
    // SAFETY: eight words and a vector of eight have one size, and any bits are a value of it.
    unsafe { words.as_ptr().cast::<__m256i>().read_unaligned() }
}

#[inline(always)]
pub(super) fn put_eight(register: &mut Lanes, part: usize, words: __m256i) {
    let to = &mut register[8 * (part & 3)..][..8];
    // SAFETY: as in `eight`.
    unsafe { to.as_mut_ptr().cast::<__m256i>().write_unaligned(words) }
}

/// The halves of words, in two vectors: of `bf16` the lower halves and the upper ones.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn widened<const BRAIN: bool>(
    words: __m256i,
    format: Format,
    mode: Mode,
) -> [__m256; 2] {
    let words = if mode.flush { flushed(words, format) } else { words };
    if BRAIN {
        let high = _mm256_and_si256(words, _mm256_set1_epi32(0xffff_0000_u32.cast_signed()));
        [_mm256_castsi256_ps(_mm256_slli_epi32::<16>(words)), _mm256_castsi256_ps(high)]
    } else {
        let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        [_mm256_cvtph_ps(low), _mm256_cvtph_ps(high)]
    }
}

/// The other way: the nearest; one NaN for all.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn narrowed<const BRAIN: bool>([low, high]: [__m256; 2]) -> __m256i {
    if BRAIN {
        let (low, high) = (rounded(with_one_nan(low)), rounded(with_one_nan(high)));
        let high = _mm256_and_si256(high, _mm256_set1_epi32(0xffff_0000_u32.cast_signed()));
        _mm256_or_si256(_mm256_srli_epi32::<16>(low), high)
    } else {
        let halves = _mm256_set_m128i(
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(high),
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(low),
        );
        one_nan(halves)
    }
}

/// Halves whose NaNs become that of the GPU.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn one_nan(halves: __m256i) -> __m256i {
    let sizes = _mm256_and_si256(halves, _mm256_set1_epi16(i16::MAX));
    let nan = _mm256_cmpgt_epi16(sizes, _mm256_set1_epi16(Format::F16.infinity as i16));
    _mm256_blendv_epi8(halves, _mm256_set1_epi16(i16::MAX), nan)
}

/// The bits of a float with those of the nearest `bf16` in the upper half.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn rounded(value: __m256) -> __m256i {
    let bits = _mm256_castps_si256(value);
    let last = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
    _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), last)
}

/// Values whose NaNs become that of the GPU.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn with_one_nan(values: __m256) -> __m256 {
    let nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fff_0000));
    _mm256_blendv_ps(values, nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(values, values))
}

/// The bits of a float without its sign.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn size(value: __m256) -> __m256i {
    _mm256_and_si256(_mm256_castps_si256(value), _mm256_set1_epi32(i32::MAX))
}

/// Whether any `f16` is subnormal, or was before it was rounded: it lost more bits than others. A
/// sum that became 0 lost none before, as it is a multiple of 2^-48.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn any_subnormal(halves: &Lanes) -> bool {
    let mut least = _mm256_set1_epi16(-1);
    for part in 0..4 {
        let size = _mm256_and_si256(eight(halves, part), _mm256_set1_epi16(i16::MAX));
        least = _mm256_min_epu16(least, _mm256_sub_epi16(size, _mm256_set1_epi16(1)));
    }
    let normal = _mm256_set1_epi16(Format::F16.smallest_normal as i16);
    let small = _mm256_cmpgt_epi16(normal, least);
    _mm256_movemask_epi8(_mm256_andnot_si256(_mm256_srai_epi16::<15>(least), small)) != 0
}

/// `x + y` with the lowest bit set if something is cut off below it.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn sticky_sum(x: __m256, y: __m256) -> __m256 {
    let sum = _mm256_add_ps(x, y);
    let part = _mm256_sub_ps(sum, x);
    let of_x = _mm256_sub_ps(x, _mm256_sub_ps(sum, part));
    let error = _mm256_add_ps(of_x, _mm256_sub_ps(y, part));
    // One up or down, in the order of sizes; not where the lowest bit is set already.
    let bits = _mm256_castps_si256(sum);
    let apart = _mm256_castps_si256(_mm256_xor_ps(sum, error));
    let step = _mm256_or_si256(_mm256_srai_epi32::<31>(apart), _mm256_set1_epi32(1));
    let inexact = _mm256_cmp_ps::<_CMP_NEQ_OQ>(error, _mm256_setzero_ps());
    let odd = _mm256_srai_epi32::<31>(_mm256_slli_epi32::<31>(bits));
    let step = _mm256_and_si256(_mm256_andnot_si256(odd, step), _mm256_castps_si256(inexact));
    _mm256_castsi256_ps(_mm256_add_epi32(bits, step))
}

/// Whether a product of `x` and `y` is one that 32 bits do not hold, or beyond `most`.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn beyond(x: __m256, y: __m256, product: __m256, most: f32) -> i32 {
    let size = _mm256_andnot_ps(_mm256_set1_ps(-0.0), product);
    let small = _mm256_cmp_ps::<_CMP_LT_OQ>(size, _mm256_set1_ps(2.0 * f32::MIN_POSITIVE));
    let zero = _mm256_setzero_ps();
    let some =
        _mm256_and_ps(_mm256_cmp_ps::<_CMP_NEQ_OQ>(x, zero), _mm256_cmp_ps::<_CMP_NEQ_OQ>(y, zero));
    let large = _mm256_cmp_ps::<_CMP_GT_OQ>(size, _mm256_set1_ps(most));
    _mm256_movemask_ps(_mm256_or_ps(_mm256_and_ps(small, some), large))
}

/// The same of halves.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn flushed(halves: __m256i, format: Format) -> __m256i {
    let sizes = _mm256_set1_epi16(i16::MAX);
    let least = _mm256_set1_epi16(format.smallest_normal as i16);
    let small = _mm256_cmpgt_epi16(least, _mm256_and_si256(halves, sizes));
    _mm256_andnot_si256(_mm256_and_si256(small, sizes), halves)
}

/// Floats of 32 bits with 0 of its sign for what is subnormal.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn flushed_words(words: __m256i) -> __m256i {
    let sizes = _mm256_set1_epi32(i32::MAX);
    let least = _mm256_set1_epi32(f32::MIN_POSITIVE.to_bits().cast_signed());
    let small = _mm256_cmpgt_epi32(least, _mm256_and_si256(words, sizes));
    _mm256_andnot_si256(_mm256_and_si256(small, sizes), words)
}

/// Flushes and clamps results.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn finished(halves: __m256i, format: Format, mode: Mode) -> __m256i {
    let halves = if mode.flush { flushed(halves, format) } else { halves };
    match mode.clamp {
        Clamp::Unit => {
            // Negative ones count as larger than all others here.
            let most = _mm256_min_epu16(halves, _mm256_set1_epi16(format.infinity as i16));
            let good = _mm256_cmpeq_epi16(most, halves);
            _mm256_and_si256(good, _mm256_min_epu16(halves, _mm256_set1_epi16(format.one as i16)))
        }
        Clamp::Relu => _mm256_max_epi16(halves, _mm256_setzero_si256()),
        _ => halves,
    }
}
