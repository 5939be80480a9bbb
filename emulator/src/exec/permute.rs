//! The value of another lane, for every lane.

/// `values[from[lane] & 31]` in every lane. `N` is 16 only where the machine has AVX-512, and 8
/// where it has AVX2.
#[inline(always)]
pub(crate) fn permuted<const N: usize>(values: &[u32; 32], from: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { permuted_avx512(values, from) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { permuted_avx2(values, from) };
    }
    let mut permuted = [0; 32];
    for lane in 0..32 {
        permuted[lane] = values[from[lane] as usize & 31];
    }
    permuted
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f")]
fn permuted_avx512(values: &[u32; 32], from: &[u32; 32]) -> [u32; 32] {
    use std::arch::x86_64::{__m512i, _mm512_permutex2var_epi32};
    // SAFETY: arrays of 32 words and pairs of vectors of 16 words have one size, and any bits
    // are a value of either.
    let ([low, high], [first, second]) = unsafe {
        (
            std::mem::transmute::<[u32; 32], [__m512i; 2]>(*values),
            std::mem::transmute::<[u32; 32], [__m512i; 2]>(*from),
        )
    };
    let all =
        [_mm512_permutex2var_epi32(low, first, high), _mm512_permutex2var_epi32(low, second, high)];
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[__m512i; 2], [u32; 32]>(all) }
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn permuted_avx2(values: &[u32; 32], from: &[u32; 32]) -> [u32; 32] {
    use std::arch::x86_64::{
        __m256, __m256i, _mm256_blendv_ps, _mm256_castsi256_ps, _mm256_permutevar8x32_ps,
        _mm256_slli_epi32,
    };
    // SAFETY: arrays of 32 words and four vectors of 8 words have one size, and any bits are a
    // value of either.
    let (quarters, from) = unsafe {
        (
            std::mem::transmute::<[u32; 32], [__m256; 4]>(*values),
            std::mem::transmute::<[u32; 32], [__m256i; 4]>(*from),
        )
    };
    let mut all = quarters;
    for (from, value) in from.into_iter().zip(&mut all) {
        // Of each quarter the lane that the lowest three bits name; the next two name a quarter.
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|quarter| _mm256_permutevar8x32_ps(quarters[quarter], from));
        let odd = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(from));
        let upper = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(from));
        let (low, high) = (_mm256_blendv_ps(a, b, odd), _mm256_blendv_ps(c, d, odd));
        *value = _mm256_blendv_ps(low, high, upper);
    }
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[__m256; 4], [u32; 32]>(all) }
}

#[cfg(test)]
mod tests {
    use super::permuted;

    #[test]
    fn every_lane_gets_the_one_that_it_names() {
        let values = std::array::from_fn(|lane| lane as u32 * 3 + 1);
        let from = std::array::from_fn(|lane| lane as u32 * 7 + 37);
        let expected = std::array::from_fn(|lane| (lane as u32 * 7 + 37) % 32 * 3 + 1);
        assert_eq!(permuted::<4>(&values, &from), expected);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            assert_eq!(permuted::<8>(&values, &from), expected);
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512f") {
            assert_eq!(permuted::<16>(&values, &from), expected);
        }
    }
}
