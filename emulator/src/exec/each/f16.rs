//! Between 16-bit and 32-bit floats, all lanes at once: with the host's instructions where
//! it has them.

use super::whole::one;
use crate::lane::half::{narrowed, widened};
use crate::machine::Register;

/// The values of `f16` bits, in the lower halves of words.
#[inline(always)]
pub(crate) fn widened_all<const N: usize>(bits: &[u32; 32]) -> Register<f32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::widened(bits) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says, and F16C beside it.
        return unsafe { avx2::widened(bits) };
    }
    one(bits, |bits| widened(bits & 0xffff))
}

/// The `f16` nearest to each value.
#[inline(always)]
pub(crate) fn narrowed_all<const N: usize>(values: &[f32; 32]) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::narrowed(values) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: as above.
        return unsafe { avx2::narrowed(values) };
    }
    one(values, narrowed)
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m512, __m512i, _CMP_UNORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm512_cmp_ps_mask,
        _mm512_cvtepi32_epi16, _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_cvtps_ph,
        _mm512_mask_mov_epi32, _mm512_set1_epi32,
    };

    use crate::machine::Register;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn widened(bits: &[u32; 32]) -> Register<f32> {
        // SAFETY: arrays of 32 words and pairs of vectors of 16 words have one size, and any
        // bits are a value of either.
        let [low, high] = unsafe { std::mem::transmute::<[u32; 32], [__m512i; 2]>(*bits) };
        let values = [
            _mm512_cvtph_ps(_mm512_cvtepi32_epi16(low)),
            _mm512_cvtph_ps(_mm512_cvtepi32_epi16(high)),
        ];
        // SAFETY: as above.
        unsafe { std::mem::transmute::<[__m512; 2], Register<f32>>(values) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn narrowed(values: &[f32; 32]) -> Register<u32> {
        // SAFETY: as in `widened`.
        let [low, high] = unsafe { std::mem::transmute::<[f32; 32], [__m512; 2]>(*values) };
        let bits = [half(low), half(high)];
        // SAFETY: as in `widened`.
        unsafe { std::mem::transmute::<[__m512i; 2], Register<u32>>(bits) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn half(values: __m512) -> __m512i {
        let bits = _mm512_cvtepu16_epi32(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(values));
        let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(values, values);
        _mm512_mask_mov_epi32(bits, nan, _mm512_set1_epi32(crate::lane::half::NAN as i32))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_UNORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm256_and_si256,
        _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_si128, _mm256_cmp_ps,
        _mm256_cvtepu16_epi32, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_extracti128_si256,
        _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi32,
    };

    use crate::machine::Register;

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn widened(bits: &[u32; 32]) -> Register<f32> {
        // SAFETY: an array of 32 words and four vectors of 8 words have one size, and any bits
        // are a value of either.
        let [a, b, c, d] = unsafe { std::mem::transmute::<[u32; 32], [__m256i; 4]>(*bits) };
        let lower = |words| _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
        let halves = |low, high| {
            let halves = _mm256_packus_epi32(lower(low), lower(high));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(halves)
        };
        let (low, high) = (halves(a, b), halves(c, d));
        let first = |halves| _mm256_cvtph_ps(_mm256_castsi256_si128(halves));
        let second = |halves| _mm256_cvtph_ps(_mm256_extracti128_si256::<1>(halves));
        let values = [first(low), second(low), first(high), second(high)];
        // SAFETY: as above.
        unsafe { std::mem::transmute::<[__m256; 4], Register<f32>>(values) }
    }

    #[inline]
    #[target_feature(enable = "avx2,f16c")]
    pub(super) fn narrowed(values: &[f32; 32]) -> Register<u32> {
        // SAFETY: as in `widened`.
        let [a, b, c, d] = unsafe { std::mem::transmute::<[f32; 32], [__m256; 4]>(*values) };
        let half = |values| {
            let bits = _mm256_cvtepu16_epi32(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(values));
            let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(values, values));
            _mm256_blendv_epi8(bits, _mm256_set1_epi32(crate::lane::half::NAN.cast_signed()), nan)
        };
        // SAFETY: as in `widened`.
        unsafe {
            std::mem::transmute::<[__m256i; 4], Register<u32>>([half(a), half(b), half(c), half(d)])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{narrowed, narrowed_all, widened, widened_all};
    #[cfg(target_arch = "x86_64")]
    use crate::machine::HostVectors;

    /// Every 16-bit float, and 32-bit floats at and beside the middles of them.
    fn check<const N: usize>() {
        for start in (0..0x1_0000).step_by(32) {
            let bits: [u32; 32] = std::array::from_fn(|lane| start + lane as u32);
            let upper = bits.map(|bits| bits | bits << 16);
            let (plain, fast) = (bits.map(widened), widened_all::<N>(&upper));
            let nan = |value: &f32| value.is_nan();
            assert!((0..32).all(|lane| {
                plain[lane].to_bits() == fast[lane].to_bits()
                    || nan(&plain[lane]) && nan(&fast[lane])
            }));
            for away in [0_u32, 1, 0xfff, 0x1000, 0x1001, 0x1fff] {
                let near = plain.map(|value| f32::from_bits(value.to_bits().wrapping_add(away)));
                assert_eq!(*narrowed_all::<N>(&near), near.map(narrowed));
            }
        }
        let odd = std::array::from_fn(|lane| f32::from_bits(0x3300_0000 - 16 + lane as u32));
        assert_eq!(*narrowed_all::<N>(&odd), odd.map(narrowed));
    }

    #[test]
    fn the_host_converts_as_the_plain_way() {
        check::<4>();
        #[cfg(target_arch = "x86_64")]
        if HostVectors::here() >= HostVectors::Avx2 {
            check::<8>();
        }
        #[cfg(target_arch = "x86_64")]
        if HostVectors::here() >= HostVectors::Avx512 {
            check::<16>();
        }
    }
}
