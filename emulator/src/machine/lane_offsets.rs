//! What a warp's addresses have in common: how far they lie from a place, the least, the
//! greatest, and which low bits are set.

/// Offsets of 32 lanes, and what they have in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Offsets {
    pub(crate) lowest: u32,
    pub(crate) highest: u32,
    /// Every bit that is set in one of them.
    pub(crate) bits: u32,
    /// Whether each is below 4 GiB.
    pub(crate) near: bool,
}

/// Writes how far the lanes of `mask` lie above `origin`; lanes that take no part repeat the
/// first that does. `N` is 16 only where the machine has AVX-512.
#[inline(always)]
pub(crate) fn subtract<const N: usize>(
    offsets: &mut [u32; 32],
    addresses: &[u64; 32],
    origin: u64,
    mask: u32,
) -> Offsets {
    let first = addresses[mask.trailing_zeros() as usize & 31].wrapping_sub(origin);
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::subtract(offsets, addresses, origin, (mask, first)) };
    }
    subtract_plain(offsets, addresses, origin, (mask, first))
}

fn subtract_plain(
    offsets: &mut [u32; 32],
    addresses: &[u64; 32],
    origin: u64,
    (mask, first): (u32, u64),
) -> Offsets {
    let mut high = 0;
    for lane in 0..32 {
        let own = addresses[lane].wrapping_sub(origin);
        let offset = if mask >> lane & 1 != 0 { own } else { first };
        offsets[lane] = offset as u32;
        high |= offset >> 32;
    }
    let (mut lowest, mut highest, mut bits) = (u32::MAX, 0, 0);
    for &offset in &*offsets {
        lowest = lowest.min(offset);
        highest = highest.max(offset);
        bits |= offset;
    }
    Offsets { lowest, highest, bits, near: high == 0 }
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm512_castsi256_si512, _mm512_cvtepi64_epi32, _mm512_inserti64x4,
        _mm512_mask_sub_epi64, _mm512_max_epu32, _mm512_min_epu32, _mm512_or_si512,
        _mm512_reduce_max_epu32, _mm512_reduce_min_epu32, _mm512_reduce_or_epi32,
        _mm512_set1_epi64, _mm512_srli_epi64, _mm512_test_epi64_mask,
    };

    use super::Offsets;

    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) fn subtract(
        offsets: &mut [u32; 32],
        addresses: &[u64; 32],
        origin: u64,
        (mask, first): (u32, u64),
    ) -> Offsets {
        // SAFETY: an array of 32 addresses and four vectors of 8 have one size, and any bits
        // are a value of either.
        let groups = unsafe { std::mem::transmute::<[u64; 32], [__m512i; 4]>(*addresses) };
        let (first, origin) = (_mm512_set1_epi64(first as i64), _mm512_set1_epi64(origin as i64));
        let away = |group: usize| {
            let taking_part = (mask >> (8 * group)) as u8;
            _mm512_mask_sub_epi64(first, taking_part, groups[group], origin)
        };
        let (a, b, c, d) = (away(0), away(1), away(2), away(3));
        let any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
        let high = _mm512_srli_epi64::<32>(any);
        let low = join(_mm512_cvtepi64_epi32(a), _mm512_cvtepi64_epi32(b));
        let other = join(_mm512_cvtepi64_epi32(c), _mm512_cvtepi64_epi32(d));
        // SAFETY: as above.
        *offsets = unsafe { std::mem::transmute::<[__m512i; 2], [u32; 32]>([low, other]) };
        Offsets {
            lowest: _mm512_reduce_min_epu32(_mm512_min_epu32(low, other)),
            highest: _mm512_reduce_max_epu32(_mm512_max_epu32(low, other)),
            bits: _mm512_reduce_or_epi32(_mm512_or_si512(low, other)).cast_unsigned(),
            near: _mm512_test_epi64_mask(high, high) == 0,
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn join(low: __m256i, high: __m256i) -> __m512i {
        _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
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
            let mut plain = [0; 32];
            let expected = subtract::<4>(&mut plain, &addresses, origin, mask);
            let active = (0..32).filter(|lane| mask >> lane & 1 != 0);
            let offsets = active.map(|lane| addresses[lane].wrapping_sub(origin));
            assert_eq!(expected.near, offsets.clone().all(|offset| offset >> 32 == 0));
            assert_eq!(Some(expected.highest), offsets.clone().map(|offset| offset as u32).max());
            assert_eq!(Some(expected.lowest), offsets.map(|offset| offset as u32).min());
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512f") {
                let mut fast = [0; 32];
                let found = subtract::<16>(&mut fast, &addresses, origin, mask);
                assert_eq!((fast, format!("{found:?}")), (plain, format!("{expected:?}")));
            }
        }
    }
}
