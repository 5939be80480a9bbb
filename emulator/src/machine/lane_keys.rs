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

/// The lanes that are the first with their key, without its lowest `low` bits.
#[inline(always)]
pub(crate) fn firsts(keys: &[u32; 32], low: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if host::can() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::firsts(keys, low) };
    }
    leaders(&earlier(&shifted(keys, low)), u32::MAX)
}

/// How many different keys there are, without their lowest `low` bits.
#[inline(always)]
pub(crate) fn distinct(keys: &[u32; 32], low: u32) -> u32 {
    firsts(keys, low).count_ones()
}

/// How many different keys the lanes of `mask` have, where lanes of the two half-warps never
/// have the same.
#[inline(always)]
pub(crate) fn distinct_by_halves(keys: &[u32; 32], mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if host::can() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::distinct_by_halves(keys, mask) };
    }
    leaders(&earlier(keys), mask).count_ones()
}

/// The most different keys, without their lowest `low` bits, that fall on one of `banks` banks
/// (32 at most, a power of two), of the lanes of `mask`.
#[inline(always)]
pub(crate) fn most_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if host::can_count() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_per_bank(keys, low, banks, mask) };
    }
    let keys = shifted(keys, low);
    most_lanes_plain(&keys, banks, leaders(&earlier(&keys), mask))
}

/// The most lanes of `mask` on one bank: as [`most_per_bank`], whether keys differ or not.
#[inline(always)]
pub(crate) fn most_lanes_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if host::can_count() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_lanes(keys, low, banks, mask) };
    }
    most_lanes_plain(&shifted(keys, low), banks, mask)
}

fn shifted(keys: &[u32; 32], low: u32) -> [u32; 32] {
    keys.map(|key| key >> low)
}

fn most_lanes_plain(keys: &[u32; 32], banks: u32, mask: u32) -> u32 {
    let mut lanes = [0_u32; 32];
    for lane in 0..32 {
        lanes[(keys[lane] & (banks - 1)) as usize & 31] |= mask & 1 << lane;
    }
    lanes.iter().map(|lanes| lanes.count_ones()).max().unwrap_or_default()
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
        _mm512_gf2p8affine_epi64_epi8, _mm512_mask_or_epi32, _mm512_max_epu32, _mm512_min_epu32,
        _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_popcnt_epi32, _mm512_reduce_max_epu32,
        _mm512_set1_epi32, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_slli_epi32,
        _mm512_sllv_epi32, _mm512_srlv_epi32, _mm512_test_epi32_mask, _mm512_testn_epi32_mask,
        _mm512_xor_si512,
    };

    /// Where the bytes go of 32 words of 32 bits that are turned into words of their bits:
    /// first, of groups of 8 words, those of one place side by side, the last word first.
    const GROUPED: [[u8; 64]; 2] = bytes(true);

    /// Then, when the bits of each such 8 bytes have been turned, those of one word.
    const JOINED: [[u8; 64]; 2] = bytes(false);

    const fn bytes(grouped: bool) -> [[u8; 64]; 2] {
        let mut table = [[0; 64]; 2];
        let mut at = 0;
        while at < 128 {
            let from = if grouped {
                let (place, group, word) = (at / 32, at / 8 % 4, 7 - at % 8);
                4 * (8 * group + word) + place
            } else {
                let (word, group) = (at / 4, at % 4);
                8 * (word / 8 * 4 + group) + word % 8
            };
            table[at / 64][at % 64] = from as u8;
            at += 1;
        }
        table
    }

    /// Whether the machine has what the functions here need.
    #[inline(always)]
    pub(super) fn can() -> bool {
        use std::arch::is_x86_feature_detected as has;
        has!("avx512f") && has!("avx512cd") && has!("popcnt")
    }

    /// The same for [`most_per_bank`] and [`most_lanes`].
    #[inline(always)]
    pub(super) fn can_count() -> bool {
        use std::arch::is_x86_feature_detected as has;
        can() && has!("avx512vbmi") && has!("avx512vpopcntdq") && has!("gfni")
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

    #[target_feature(enable = "avx512f,avx512cd,popcnt")]
    pub(super) fn distinct_by_halves(keys: &[u32; 32], mask: u32) -> u32 {
        let [low, high] = vectors(keys);
        let firsts = |keys, lanes: u32| {
            let before = _mm512_conflict_epi32(keys);
            let taking_part = _mm512_set1_epi32(lanes.cast_signed());
            u32::from(_mm512_testn_epi32_mask(before, taking_part)) & lanes
        };
        firsts(low, mask & 0xffff).count_ones() + firsts(high, mask >> 16).count_ones()
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

    /// The lanes on each of 32 banks: a bit per lane and bank, turned from a word for each lane
    /// into one for each bank.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vbmi,gfni")]
    fn by_bank([low, high]: [__m512i; 2], banks: u32) -> [__m512i; 2] {
        let (one, last) = (_mm512_set1_epi32(1), _mm512_set1_epi32((banks - 1).cast_signed()));
        let bit = |key| _mm512_sllv_epi32(one, _mm512_and_si512(key, last));
        let bits = [bit(low), bit(high)];
        let moved = |[a, b]: [__m512i; 2], table: &[[u8; 64]; 2]| {
            table.map(|part| {
                // SAFETY: 64 bytes and a vector have one size, and any bits are a value.
                let part = unsafe { std::mem::transmute::<[u8; 64], __m512i>(part) };
                _mm512_permutex2var_epi8(a, part, b)
            })
        };
        // The product of the unit matrix and another's transpose.
        let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
        let turned = moved(bits, &GROUPED)
            .map(|matrices| _mm512_gf2p8affine_epi64_epi8::<0>(unit, matrices));
        moved(turned, &JOINED)
    }

    /// The most lanes of `mask` on one bank.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vpopcntdq")]
    fn most_of([low, high]: [__m512i; 2], mask: u32) -> u32 {
        let mask = _mm512_set1_epi32(mask.cast_signed());
        let count = |lanes| _mm512_popcnt_epi32(_mm512_and_si512(lanes, mask));
        _mm512_reduce_max_epu32(_mm512_max_epu32(count(low), count(high)))
    }

    #[target_feature(enable = "avx512f,avx512vbmi,avx512vpopcntdq,gfni")]
    pub(super) fn most_lanes(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
        most_of(by_bank(shifted(keys, low), banks), mask)
    }

    /// The keys without their lowest bits.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn shifted(keys: &[u32; 32], low: u32) -> [__m512i; 2] {
        let ([a, b], low) = (vectors(keys), _mm512_set1_epi32(low.cast_signed()));
        [_mm512_srlv_epi32(a, low), _mm512_srlv_epi32(b, low)]
    }

    #[target_feature(enable = "avx512f,avx512cd,avx512vbmi,avx512vpopcntdq,gfni,popcnt")]
    pub(super) fn most_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
        // A lane counts if none before it that takes part has its key.
        let firsts = if mask == u32::MAX {
            first_with_key(keys, low)
        } else {
            let all = _mm512_set1_epi32(mask.cast_signed());
            // SAFETY: two vectors of 16 words and an array of 32 have one size.
            let keys =
                unsafe { std::mem::transmute::<[__m512i; 2], [u32; 32]>(shifted(keys, low)) };
            let [low, high] = before(&keys);
            let first = |before| _mm512_testn_epi32_mask(before, all);
            u32::from(first(low)) | u32::from(first(high)) << 16
        };
        most_of(by_bank(shifted(keys, low), banks), firsts & mask)
    }

    #[target_feature(enable = "avx512f,avx512cd")]
    pub(super) fn firsts(keys: &[u32; 32], low: u32) -> u32 {
        first_with_key(keys, low)
    }

    /// The lanes that are the first with their key.
    #[inline]
    #[target_feature(enable = "avx512f,avx512cd")]
    fn first_with_key(keys: &[u32; 32], low_bits: u32) -> u32 {
        let [_, high] = vectors(keys);
        // What each of the second half differs in from the one of the first half that is
        // closest: nothing, if that has its key. In turn, so that none waits for the one before.
        let mut apart = [_mm512_set1_epi32(-1); 4];
        for (lane, &key) in keys[..16].iter().enumerate() {
            let odd = _mm512_xor_si512(high, _mm512_set1_epi32(key.cast_signed()));
            apart[lane % 4] = _mm512_min_epu32(apart[lane % 4], odd);
        }
        let [a, b, c, d] = apart;
        let apart = _mm512_min_epu32(_mm512_min_epu32(a, b), _mm512_min_epu32(c, d));
        // Shifted, what differs least does so still.
        let apart = _mm512_srlv_epi32(apart, _mm512_set1_epi32(low_bits.cast_signed()));
        let new = _mm512_test_epi32_mask(apart, apart);
        let [low, high] = shifted(keys, low_bits);
        let first = |lanes| {
            let before = _mm512_conflict_epi32(lanes);
            _mm512_testn_epi32_mask(before, before)
        };
        u32::from(first(low)) | u32::from(first(high) & new) << 16
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
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{
        alike, alike_plain, distinct, distinct_by_halves, earlier, leaders, most_lanes_per_bank,
        most_lanes_plain, most_per_bank,
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
            assert_eq!(
                (distinct(&all, 0), leaders(&before, u32::MAX).count_ones()),
                (number, number)
            );
            let coarse = all.iter().map(|key| key >> 5).collect::<BTreeSet<_>>().len() as u32;
            assert_eq!(distinct(&all, 5), coarse);
            assert_eq!(leaders(&before, 1 << 31), 1 << 31);
            let halves: [u32; 32] =
                std::array::from_fn(|lane| (all[lane] << 1) | (lane as u32 / 16));
            for mask in [u32::MAX, 0x0f0f_1234, 1 << 31, 0] {
                let number = leaders(&earlier(&halves), mask).count_ones();
                assert_eq!(distinct_by_halves(&halves, mask), number);
            }
            for (low, banks) in [(0, 32), (2, 32), (3, 16), (4, 8)] {
                let keys = all.map(|key| key >> low);
                for mask in [u32::MAX, 0x0f0f_1234, 1 << 31, 0] {
                    let on = |bank| {
                        let on =
                            |&lane: &usize| mask >> lane & 1 != 0 && keys[lane] % banks == bank;
                        let lanes = (0..32).filter(on).map(|lane| keys[lane]);
                        (lanes.clone().collect::<BTreeSet<_>>().len() as u32, lanes.count() as u32)
                    };
                    let different = (0..banks).map(|bank| on(bank).0).max().unwrap_or_default();
                    let lanes = (0..banks).map(|bank| on(bank).1).max().unwrap_or_default();
                    let firsts = leaders(&earlier(&keys), mask);
                    assert_eq!(most_per_bank(&all, low, banks, mask), different);
                    assert_eq!(most_lanes_plain(&keys, banks, firsts), different);
                    assert_eq!(most_lanes_per_bank(&all, low, banks, mask), lanes);
                    assert_eq!(most_lanes_plain(&keys, banks, mask), lanes);
                }
            }
        }
    }
}
