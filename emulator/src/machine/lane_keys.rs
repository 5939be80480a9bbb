//! Which lanes of a warp have the same key: each is compared with all others, which takes
//! vectors fewer instructions than any table.

#![allow(clippy::needless_range_loop, reason = "loops over 32 lanes vectorise as they stand")]

/// For each lane, the earlier ones with its key.
#[inline(always)]
pub(crate) fn earlier(keys: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if host::can() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::earlier(keys) };
    }
    let mut found = alike_plain(keys);
    for (lane, found) in found.iter_mut().enumerate() {
        *found &= (1 << lane) - 1;
    }
    found
}

/// For each lane, those with its key.
#[inline(always)]
pub(crate) fn alike(keys: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if host::can() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::alike(keys) };
    }
    alike_plain(keys)
}

/// How many different keys there are.
#[inline(always)]
pub(crate) fn distinct(keys: &[u32; 32]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if host::can() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::distinct(keys) };
    }
    leaders(&earlier(keys), u32::MAX).count_ones()
}

/// The most different keys that fall on one bank, of the lanes of `mask`.
#[inline(always)]
pub(crate) fn most_per_bank(keys: &[u32; 32], banks: &[u32; 32], mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if host::can_count() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_per_bank(keys, banks, mask) };
    }
    most_per_bank_plain(keys, banks, mask)
}

fn most_per_bank_plain(keys: &[u32; 32], banks: &[u32; 32], mask: u32) -> u32 {
    let counted = leaders(&earlier(keys), mask);
    let before = earlier(banks);
    let mut most = 0;
    for lane in 0..32 {
        let rank = (before[lane] & counted).count_ones() + 1;
        most = if counted >> lane & 1 != 0 && rank > most { rank } else { most };
    }
    most
}

/// The lanes of `mask` that are the first with their key.
#[inline(always)]
pub(crate) fn leaders(earlier: &[u32; 32], mask: u32) -> u32 {
    let mut leaders = 0;
    for lane in 0..32 {
        leaders |= if earlier[lane] & mask == 0 { 1 << lane } else { 0 };
    }
    leaders & mask
}

fn alike_plain(keys: &[u32; 32]) -> [u32; 32] {
    let mut found = [0; 32];
    for (other, &key) in keys.iter().enumerate() {
        for lane in 0..32 {
            found[lane] |= if keys[lane] == key { 1 << other } else { 0 };
        }
    }
    found
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m512i, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_conflict_epi32,
        _mm512_mask_or_epi32, _mm512_maskz_add_epi32, _mm512_max_epu32, _mm512_or_si512,
        _mm512_popcnt_epi32, _mm512_reduce_max_epu32, _mm512_set1_epi32, _mm512_setzero_si512,
        _mm512_slli_epi32, _mm512_testn_epi32_mask,
    };

    /// Whether the machine has what the functions here need.
    #[inline(always)]
    pub(super) fn can() -> bool {
        use std::arch::is_x86_feature_detected as has;
        has!("avx512f") && has!("avx512cd") && has!("popcnt")
    }

    /// The same for [`most_per_bank`].
    #[inline(always)]
    pub(super) fn can_count() -> bool {
        can() && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
    }

    #[inline(always)]
    fn vectors(keys: &[u32; 32]) -> [__m512i; 2] {
        // SAFETY: an array of 32 words and a pair of vectors of 16 words have one size, and
        // any bits are a value of either.
        unsafe { std::mem::transmute(*keys) }
    }

    #[inline(always)]
    fn words(vectors: [__m512i; 2]) -> [u32; 32] {
        // SAFETY: as in `vectors`.
        unsafe { std::mem::transmute(vectors) }
    }

    /// For each of 16 lanes, those of 16 others whose key is its own, a bit each.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn among(lanes: __m512i, others: &[u32]) -> __m512i {
        let mut found = _mm512_setzero_si512();
        for (other, &key) in others.iter().enumerate() {
            let same = _mm512_cmpeq_epi32_mask(lanes, _mm512_set1_epi32(key as i32));
            let bit = _mm512_set1_epi32(1 << other);
            found = _mm512_mask_or_epi32(found, same, found, bit);
        }
        found
    }

    /// As [`super::earlier`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd")]
    fn before(keys: &[u32; 32]) -> [__m512i; 2] {
        let [low, high] = vectors(keys);
        let own = _mm512_slli_epi32::<16>(_mm512_conflict_epi32(high));
        [_mm512_conflict_epi32(low), _mm512_or_si512(own, among(high, &keys[..16]))]
    }

    #[target_feature(enable = "avx512f,avx512cd")]
    pub(super) fn earlier(keys: &[u32; 32]) -> [u32; 32] {
        words(before(keys))
    }

    #[target_feature(enable = "avx512f,avx512cd,avx512vpopcntdq,popcnt")]
    pub(super) fn most_per_bank(keys: &[u32; 32], banks: &[u32; 32], mask: u32) -> u32 {
        let [low, high] = before(keys);
        let all = _mm512_set1_epi32(mask.cast_signed());
        let counted = [
            _mm512_testn_epi32_mask(low, all) & mask as u16,
            _mm512_testn_epi32_mask(high, all) & (mask >> 16) as u16,
        ];
        let both = u32::from(counted[0]) | u32::from(counted[1]) << 16;
        let [low, high] = before(banks);
        let all = _mm512_set1_epi32(both.cast_signed());
        // Lanes that do not count are 0, others one more than those before them.
        let one = _mm512_set1_epi32(1);
        let rank = |counted, before| {
            let before = _mm512_popcnt_epi32(_mm512_and_si512(before, all));
            _mm512_maskz_add_epi32(counted, before, one)
        };
        let most = _mm512_max_epu32(rank(counted[0], low), rank(counted[1], high));
        _mm512_reduce_max_epu32(most)
    }

    #[target_feature(enable = "avx512f")]
    pub(super) fn alike(keys: &[u32; 32]) -> [u32; 32] {
        let [low, high] = vectors(keys);
        let all = |lanes| {
            let later = _mm512_slli_epi32::<16>(among(lanes, &keys[16..]));
            _mm512_or_si512(among(lanes, &keys[..16]), later)
        };
        words([all(low), all(high)])
    }

    #[target_feature(enable = "avx512f,avx512cd,popcnt")]
    pub(super) fn distinct(keys: &[u32; 32]) -> u32 {
        let [low, high] = vectors(keys);
        let mut known = 0;
        for &key in &keys[..16] {
            known |= _mm512_cmpeq_epi32_mask(high, _mm512_set1_epi32(key as i32));
        }
        let first = |lanes| {
            let before = _mm512_conflict_epi32(lanes);
            _mm512_testn_epi32_mask(before, before)
        };
        first(low).count_ones() + (first(high) & !known).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        alike, alike_plain, distinct, earlier, leaders, most_per_bank, most_per_bank_plain,
    };

    #[test]
    fn lanes_with_one_key_find_each_other() {
        for keys in [1, 2, 7, 16, 30, 1000] {
            let of = |lane: u32| lane.wrapping_mul(2_654_435_761).rotate_left(lane) % keys * 77;
            let all: [u32; 32] = std::array::from_fn(|lane| of(lane as u32));
            let same = |lane: usize, other: usize| u32::from(all[lane] == all[other]) << other;
            let expected =
                std::array::from_fn(|lane| (0..32).map(|other| same(lane, other)).sum::<u32>());
            assert_eq!(alike(&all), expected);
            assert_eq!(alike_plain(&all), expected);
            let before = earlier(&all);
            assert!((0..32).all(|lane| before[lane] == expected[lane] & ((1 << lane) - 1)));
            let number = all.iter().collect::<BTreeSet<_>>().len() as u32;
            assert_eq!((distinct(&all), leaders(&before, u32::MAX).count_ones()), (number, number));
            assert_eq!(leaders(&before, 1 << 31), 1 << 31);
            let banks = all.map(|key| key / 77 % 8);
            for mask in [u32::MAX, 0x0f0f_1234, 1 << 31, 0] {
                let on = |bank: u32| {
                    let lanes =
                        (0..32).filter(|&lane| mask >> lane & 1 != 0 && banks[lane] == bank);
                    lanes.map(|lane| all[lane]).collect::<BTreeSet<_>>().len() as u32
                };
                let expected = (0..8).map(on).max().unwrap_or_default();
                assert_eq!(most_per_bank(&all, &banks, mask), expected);
                assert_eq!(most_per_bank_plain(&all, &banks, mask), expected);
            }
        }
    }
}
