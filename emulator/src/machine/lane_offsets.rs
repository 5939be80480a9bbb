//! How far a warp's addresses lie from a place, and whether all of them lie where they should.

/// Writes how far the lanes of `mask` lie above `origin`; lanes that take no part repeat the
/// first that does. Gives whether none is further than `last`, and none has one of the bits
/// `low`. `N` is 16 only where the machine has AVX-512, and 8 where it has AVX2.
#[inline(always)]
pub(crate) fn subtract<const N: usize>(
    offsets: &mut [u32; 32],
    addresses: &[u64; 32],
    origin: u64,
    mask: u32,
    (last, low): (u32, u32),
) -> bool {
    let first = addresses[mask.trailing_zeros() as usize & 31].wrapping_sub(origin);
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::subtract(offsets, addresses, origin, (mask, first), (last, low)) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { avx2::subtract(offsets, addresses, origin, (mask, first), (last, low)) };
    }
    let mut bits = 0;
    for lane in 0..32 {
        let own = addresses[lane].wrapping_sub(origin);
        let offset = if mask >> lane & 1 != 0 { own } else { first };
        offsets[lane] = offset as u32;
        bits |= offset;
    }
    let furthest = offsets.iter().fold(0, |furthest, &offset| offset.max(furthest));
    bits >> 32 == 0 && furthest <= last && bits as u32 & low == 0
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m512i, _mm512_cmpgt_epu64_mask, _mm512_mask_sub_epi64, _mm512_max_epu64, _mm512_or_si512,
        _mm512_permutex2var_epi32, _mm512_set1_epi64, _mm512_setr_epi32, _mm512_test_epi64_mask,
    };

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn subtract(
        offsets: &mut [u32; 32],
        addresses: &[u64; 32],
        origin: u64,
        (mask, first): (u32, u64),
        (last, low): (u32, u32),
    ) -> bool {
        // SAFETY: an array of 32 addresses and four vectors of 8 have one size, and any bits
        // are a value of either.
        let groups = unsafe { std::mem::transmute::<[u64; 32], [__m512i; 4]>(*addresses) };
        let all = |value: u64| _mm512_set1_epi64(value.cast_signed());
        let (first, origin) = (all(first), all(origin));
        let away = |group: usize| {
            let taking_part = (mask >> (8 * group)) as u8;
            _mm512_mask_sub_epi64(first, taking_part, groups[group], origin)
        };
        let (a, b, c, d) = (away(0), away(1), away(2), away(3));
        let evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let words = |a, b| _mm512_permutex2var_epi32(a, evens, b);
        // SAFETY: as above.
        *offsets =
            unsafe { std::mem::transmute::<[__m512i; 2], [u32; 32]>([words(a, b), words(c, d)]) };
        let furthest = _mm512_max_epu64(_mm512_max_epu64(a, b), _mm512_max_epu64(c, d));
        let bits = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
        let beyond = _mm512_cmpgt_epu64_mask(furthest, all(last.into()));
        beyond | _mm512_test_epi64_mask(bits, all(low.into())) == 0
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps,
        _mm256_cmpeq_epi32, _mm256_cmpeq_epi64, _mm256_max_epu32, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set1_epi64x,
        _mm256_setr_epi64x, _mm256_setzero_si256, _mm256_shuffle_ps, _mm256_sub_epi64,
        _mm256_testz_si256,
    };

    /// As in [`super::host`]. In loops, the compiler would compare lane after lane.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn subtract(
        offsets: &mut [u32; 32],
        addresses: &[u64; 32],
        origin: u64,
        (mask, first): (u32, u64),
        (last, low): (u32, u32),
    ) -> bool {
        let all = |value: u64| _mm256_set1_epi64x(value.cast_signed());
        let (mut furthest, mut bits) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        let away = |group: usize| {
            // SAFETY: four addresses and a vector have one size, and any bits are a value of either.
            let own = unsafe {
                std::mem::transmute::<[u64; 4], __m256i>(addresses.as_chunks::<4>().0[group])
            };
            let own = _mm256_sub_epi64(own, all(origin));
            if mask == u32::MAX {
                return own;
            }
            let lanes = _mm256_setr_epi64x(1, 2, 4, 8);
            let on = _mm256_and_si256(all(u64::from(mask >> (4 * group))), lanes);
            _mm256_blendv_epi8(all(first), own, _mm256_cmpeq_epi64(on, lanes))
        };
        for (group, words) in offsets.as_chunks_mut::<8>().0.iter_mut().enumerate() {
            let (a, b) = (away(2 * group), away(2 * group + 1));
            bits = _mm256_or_si256(bits, _mm256_or_si256(a, b));
            let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
            let evens = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(a, b));
            let evens = _mm256_permute4x64_epi64::<0b11_01_10_00>(evens);
            furthest = _mm256_max_epu32(furthest, evens);
            // SAFETY: as above, of eight words.
            *words = unsafe { std::mem::transmute::<__m256i, [u32; 8]>(evens) };
        }
        let last = _mm256_set1_epi32(last.cast_signed());
        let inside = _mm256_cmpeq_epi32(_mm256_max_epu32(furthest, last), last);
        let wrong = all(u64::from(u32::MAX) << 32 | u64::from(low));
        _mm256_movemask_epi8(inside) == -1 && _mm256_testz_si256(bits, wrong) == 1
    }
}

#[cfg(test)]
mod tests {
    use super::subtract;

    #[test]
    fn every_width_finds_the_same() {
        let addresses = std::array::from_fn(|lane| 0x7000_0000_1000 + (lane as u64 * 37 % 32) * 12);
        for (origin, mask) in
            [(0x7000_0000_1000, u32::MAX), (0x7000_0000_1010, 0x00ff_f0f8), (0x1000, 1 << 31)]
        {
            let active = (0..32).filter(|lane| mask >> lane & 1 != 0);
            let away = active.map(|lane| addresses[lane].wrapping_sub(origin));
            for last in [372, 371, 356, u32::MAX] {
                for low in [0, 3, 7] {
                    let fits =
                        |offset: u64| offset <= u64::from(last) && offset & u64::from(low) == 0;
                    let expected = away.clone().all(fits);
                    let mut plain = [0; 32];
                    let fit = subtract::<4>(&mut plain, &addresses, origin, mask, (last, low));
                    assert_eq!(fit, expected);
                    #[cfg(target_arch = "x86_64")]
                    if std::arch::is_x86_feature_detected!("avx2") {
                        let mut narrow = [0; 32];
                        let fit = subtract::<8>(&mut narrow, &addresses, origin, mask, (last, low));
                        assert_eq!((narrow, fit), (plain, expected));
                    }
                    #[cfg(target_arch = "x86_64")]
                    if std::arch::is_x86_feature_detected!("avx512f") {
                        let mut fast = [0; 32];
                        let fit = subtract::<16>(&mut fast, &addresses, origin, mask, (last, low));
                        assert_eq!((fast, fit), (plain, expected));
                    }
                }
            }
        }
    }
}
