//! Rounds results from 64 to 32 bits and tells whether any is in doubt: see [`approximate::round`].

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256d, _mm256_and_si256, _mm256_castpd_ps, _mm256_castps_si256, _mm256_cmpeq_epi32,
    _mm256_cvtpd_ps, _mm256_loadu_pd, _mm256_max_epu32, _mm256_min_epu32, _mm256_movemask_epi8,
    _mm256_set_m128, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_shuffle_ps, _mm256_storeu_ps,
    _mm256_sub_epi32,
};

use crate::lane::approximate;
#[cfg(target_arch = "x86_64")]
use crate::lane::approximate::{DOUBT, HALF, SMALLEST, least};

/// Writes the bits of the rounded floats. Returns whether none is in doubt.
#[inline(always)]
pub(super) fn nearest<const N: usize>(exact: &[f64; 32], flush: bool, out: &mut [u32; 32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { eights(exact, flush, out) };
    }
    let mut doubt = false;
    for lane in 0..32 {
        let (value, odd) = approximate::round(exact[lane], flush);
        out[lane] = value.to_bits();
        doubt |= odd;
    }
    !doubt
}

/// The same with AVX2. Lanes in doubt are marked by zero words, because the compiler packs and
/// unpacks vectors of booleans.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn eights(exact: &[f64; 32], flush: bool, out: &mut [u32; 32]) -> bool {
    let upper = |value: f64| ((value.to_bits() >> 32) as u32).cast_signed();
    let words = |word: i32| _mm256_set1_epi32(word);
    let first = upper(least(flush));
    let span = upper(SMALLEST) - first - 1;
    let ones = words(-1);
    let mut all = ones;
    let parts = exact.as_chunks::<8>().0.iter().zip(out.as_chunks_mut::<8>().0);
    for (values, out) in parts {
        // SAFETY: there are eight values and eight words.
        let [low, high]: [__m256d; 2] =
            unsafe { [_mm256_loadu_pd(values.as_ptr()), _mm256_loadu_pd(values.as_ptr().add(4))] };
        let rounded = _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low));
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(out.as_mut_ptr().cast(), rounded) };
        let (low, high) = (_mm256_castpd_ps(low), _mm256_castpd_ps(high));
        let lower = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(low, high));
        let upper = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(low, high));
        let away = _mm256_sub_epi32(lower, words((HALF - DOUBT).cast_signed()));
        let between =
            _mm256_and_si256(away, words(((2 * HALF - 1) & !(2 * DOUBT - 1)).cast_signed()));
        let size = _mm256_and_si256(upper, words(i32::MAX));
        let above = _mm256_sub_epi32(size, words(first));
        let subnormal = _mm256_sub_epi32(_mm256_max_epu32(above, words(span)), words(span));
        all = _mm256_min_epu32(all, _mm256_min_epu32(between, subnormal));
    }
    _mm256_movemask_epi8(_mm256_cmpeq_epi32(all, _mm256_setzero_si256())) == 0
}
