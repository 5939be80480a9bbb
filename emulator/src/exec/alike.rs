//! Which lanes have the same value, for `match`.

use crate::machine::lane_keys;

/// For each lane, those with its value.
#[inline(always)]
pub(crate) fn alike<const N: usize>(values: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has these features, as `N` says.
        return unsafe { host::alike(values) };
    }
    lane_keys::alike(values)
}

/// The same of 64 bits.
#[inline(always)]
pub(crate) fn alike_doubles<const N: usize>(values: &[u64; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has these features, as `N` says.
        return unsafe { host::alike_doubles(values) };
    }
    let (mut low, mut high) = ([0; 32], [0; 32]);
    for lane in 0..32 {
        low[lane] = values[lane] as u32;
        high[lane] = (values[lane] >> 32) as u32;
    }
    let (low, high) = (lane_keys::alike(&low), lane_keys::alike(&high));
    let mut both = [0; 32];
    for lane in 0..32 {
        both[lane] = low[lane] & high[lane];
    }
    both
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_cmpeq_epi8_mask, _mm256_set1_epi8, _mm512_cmpeq_epi32_mask,
        _mm512_cvtepi32_epi8, _mm512_kunpackw, _mm512_or_si512, _mm512_permutex2var_epi32,
        _mm512_set_epi32, _mm512_set1_epi32, _mm512_test_epi32_mask, _mm512_xor_si512,
    };

    /// The lanes' values, as two vectors.
    type Values = [__m512i; 2];

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn alike(values: &[u32; 32]) -> [u32; 32] {
        // SAFETY: arrays of 32 words and pairs of vectors of 16 words have one size, and any
        // bits are a value of either.
        among(unsafe { std::mem::transmute::<[u32; 32], Values>(*values) }, values)
    }

    /// Whether all values are one in the bits of `mask`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn is_one([low, high]: Values, first: u32, mask: i32) -> bool {
        let first = _mm512_set1_epi32(first.cast_signed());
        let apart = _mm512_or_si512(_mm512_xor_si512(low, first), _mm512_xor_si512(high, first));
        _mm512_test_epi32_mask(apart, _mm512_set1_epi32(mask)) == 0
    }

    /// For each value of `each`, those of `values` that are it. Of small numbers, and others
    /// that differ in their lowest bytes alone, those are compared: 32 bytes take one
    /// instruction.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn among(values: Values, each: &[u32; 32]) -> [u32; 32] {
        let mut found = [0; 32];
        if is_one(values, each[0], !0xff) {
            let bytes = [_mm512_cvtepi32_epi8(values[0]), _mm512_cvtepi32_epi8(values[1])];
            // SAFETY: two vectors of 16 bytes are as large as one of 32.
            let all: __m256i = unsafe { std::mem::transmute(bytes) };
            for lane in 0..32 {
                let own = _mm256_set1_epi8(each[lane] as i8);
                found[lane] = _mm256_cmpeq_epi8_mask(all, own);
            }
            return found;
        }
        for lane in 0..32 {
            found[lane] = equal(values, each[lane]);
        }
        found
    }

    /// The lanes with this value.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn equal([low, high]: Values, value: u32) -> u32 {
        let value = _mm512_set1_epi32(value.cast_signed());
        let (low, high) =
            (_mm512_cmpeq_epi32_mask(low, value), _mm512_cmpeq_epi32_mask(high, value));
        _mm512_kunpackw(u32::from(high), u32::from(low))
    }

    /// Of 64 bits: the upper words only matter where lower ones are the same.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn alike_doubles(values: &[u64; 32]) -> [u32; 32] {
        // SAFETY: arrays of 32 words of 64 bits and four vectors of 8 have one size, and any
        // bits are a value of either.
        let parts = unsafe { std::mem::transmute::<[u64; 32], [__m512i; 4]>(*values) };
        // Every second word, from the first or the second on.
        let even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
        let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
        let pick = |which| {
            [
                _mm512_permutex2var_epi32(parts[0], which, parts[1]),
                _mm512_permutex2var_epi32(parts[2], which, parts[3]),
            ]
        };
        let (low, high) = (pick(even), pick(odd));
        // SAFETY: as in `alike`.
        let words = unsafe { std::mem::transmute::<Values, [u32; 32]>(low) };
        let mut found = among(low, &words);
        if is_one(high, (values[0] >> 32) as u32, -1) {
            return found;
        }
        let mut shared = 0;
        for lane in 0..32 {
            shared |= u32::from(found[lane] != 1 << lane) << lane;
        }
        while shared != 0 {
            let lane = shared.trailing_zeros() as usize & 31;
            shared &= shared - 1;
            found[lane] &= equal(high, (values[lane] >> 32) as u32);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{alike, alike_doubles};

    fn check<const N: usize>() {
        for keys in [1_u64, 2, 5, 16, 29, 300, 70_000] {
            for shift in [0, 4, 20, 32, 50] {
                let of = |lane: usize| ((lane as u64 * 0x9e37_79b9) >> 7) % keys;
                let wide: [u64; 32] = std::array::from_fn(|lane| of(lane) << shift | 3);
                let narrow = wide.map(|value| value as u32);
                let same = |lane: usize, other: usize| u32::from(wide[lane] == wide[other]);
                let expected = std::array::from_fn(|lane| {
                    (0..32).map(|other| same(lane, other) << other).sum::<u32>()
                });
                assert_eq!(alike_doubles::<N>(&wide), expected, "{keys} {shift}");
                let same = |lane: usize, other: usize| u32::from(narrow[lane] == narrow[other]);
                let expected = std::array::from_fn(|lane| {
                    (0..32).map(|other| same(lane, other) << other).sum::<u32>()
                });
                assert_eq!(alike::<N>(&narrow), expected, "{keys} {shift}");
            }
        }
    }

    #[test]
    fn lanes_with_one_value_find_each_other() {
        check::<4>();
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
                check::<16>();
            }
        }
    }
}
