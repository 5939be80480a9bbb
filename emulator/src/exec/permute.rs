//! The value of another lane, for every lane.

/// `values[from[lane] & 31]` in every lane.
#[inline(always)]
pub(crate) fn permuted<const N: usize>(values: &[u32; 32], from: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { permuted_avx512(values, from) };
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
        if std::arch::is_x86_feature_detected!("avx512f") {
            assert_eq!(permuted::<16>(&values, &from), expected);
        }
    }
}
