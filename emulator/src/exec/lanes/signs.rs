//! For which lanes of a vector the highest bit of a word is set.

/// The highest bit of each word. `N` is 16 only where the machine has AVX-512, and 8 where it has
/// AVX2.
#[inline(always)]
pub(super) fn signs<const N: usize>(words: &[u32; N]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if N == 16
        && let Some(words) = words.first_chunk()
    {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::sixteen(words) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8
        && let Some(words) = words.first_chunk()
    {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { host::eight(words) };
    }
    let mut bits = [0; N];
    for lane in 0..N {
        bits[lane] = words[lane] >> 31 << lane;
    }
    bits.into_iter().fold(0, |all, bit| all | bit)
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{__m256, __m512i, _mm256_movemask_ps, _mm512_movepi32_mask};

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn sixteen(words: &[u32; 16]) -> u32 {
        // SAFETY: both have one size, and any bits are a value of either.
        let words = unsafe { std::mem::transmute::<[u32; 16], __m512i>(*words) };
        u32::from(_mm512_movepi32_mask(words))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn eight(words: &[u32; 8]) -> u32 {
        // SAFETY: both have one size, and any bits are a value of either.
        let words = unsafe { std::mem::transmute::<[u32; 8], __m256>(*words) };
        _mm256_movemask_ps(words).cast_unsigned()
    }
}
