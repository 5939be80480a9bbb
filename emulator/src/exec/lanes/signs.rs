//! For which lanes of a vector the highest bit of a word is set.

/// The highest bit of each word.
#[inline(always)]
pub(super) fn signs<const N: usize>(words: &[u32; N]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if N == 16
        && let Some(words) = words.first_chunk()
    {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::signs(words) };
    }
    let mut bits = [0; N];
    for lane in 0..N {
        bits[lane] = words[lane] >> 31 << lane;
    }
    bits.into_iter().fold(0, |all, bit| all | bit)
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{__m512i, _mm512_movepi32_mask};

    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn signs(words: &[u32; 16]) -> u32 {
        // SAFETY: both have one size, and any bits are a value of either.
        let words = unsafe { std::mem::transmute::<[u32; 16], __m512i>(*words) };
        u32::from(_mm512_movepi32_mask(words))
    }
}
