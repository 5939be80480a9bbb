//! The same with AVX-512. One instruction finds the equal words of a vector, which holds half a
//! warp. To compare both halves, vectors are filled with a quarter of each.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_cmpeq_epi32_mask, _mm512_conflict_epi32,
    _mm512_gf2p8affine_epi64_epi8, _mm512_mask_blend_epi32, _mm512_mask_reduce_max_epu32,
    _mm512_max_epu32, _mm512_or_si512, _mm512_permutex2var_epi8, _mm512_permutex2var_epi32,
    _mm512_popcnt_epi32, _mm512_reduce_max_epu32, _mm512_set1_epi32, _mm512_set1_epi64,
    _mm512_setr_epi32, _mm512_shuffle_i64x2, _mm512_slli_epi32, _mm512_sllv_epi32,
    _mm512_srli_epi32, _mm512_srlv_epi32, _mm512_testn_epi32_mask,
};

use crate::machine::host_vectors::HostVectors;
use crate::machine::lane_keys::ByBank;

mod alike;
mod moved;

type Lanes = [__m512i; 2];

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

#[inline(always)]
fn vectors(keys: &[u32; 32]) -> Lanes {
    // SAFETY: an array of 32 words and a pair of vectors of 16 words have one size, and
    // any bits are a value of either.
    unsafe { std::mem::transmute(*keys) }
}

#[inline(always)]
fn words(vectors: Lanes) -> [u32; 32] {
    // SAFETY: as in `vectors`.
    unsafe { std::mem::transmute(vectors) }
}

/// As [`super::earlier`].
#[inline]
#[target_feature(enable = "avx512f,avx512cd")]
fn before([low, high]: Lanes) -> Lanes {
    // Quarters A and B, C and D: of each pair from both halves, the latter half of what is found
    // tells with which lanes of the former each of C and D has its key.
    let ac = _mm512_conflict_epi32(_mm512_shuffle_i64x2::<0b01_00_01_00>(low, high));
    let ad = _mm512_conflict_epi32(_mm512_mask_blend_epi32(0xff00, low, high));
    let bc = _mm512_conflict_epi32(_mm512_shuffle_i64x2::<0b01_00_11_10>(low, high));
    let bd = _mm512_conflict_epi32(_mm512_shuffle_i64x2::<0b11_10_11_10>(low, high));
    let eight = _mm512_set1_epi32(0xff);
    let latter = |c, d| _mm512_and_si512(_mm512_shuffle_i64x2::<0b11_10_11_10>(c, d), eight);
    let first = _mm512_or_si512(latter(ac, ad), _mm512_slli_epi32::<8>(latter(bc, bd)));
    let own = _mm512_slli_epi32::<16>(_mm512_conflict_epi32(high));
    [_mm512_conflict_epi32(low), _mm512_or_si512(first, own)]
}

/// The lanes without any of these bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn without([low, high]: Lanes, bits: u32) -> u32 {
    let bits = _mm512_set1_epi32(bits.cast_signed());
    let [low, high] = [low, high].map(|lanes| u32::from(_mm512_testn_epi32_mask(lanes, bits)));
    low | high << 16
}

/// The keys without their lowest bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn shifted(keys: &[u32; 32], low: u32) -> Lanes {
    let ([a, b], low) = (vectors(keys), _mm512_set1_epi32(low.cast_signed()));
    [_mm512_srlv_epi32(a, low), _mm512_srlv_epi32(b, low)]
}

/// As [`super::those_with`].
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn those_with(keys: &[u32; 32], low: u32, key: u32) -> u32 {
    let key = _mm512_set1_epi32((key >> low).cast_signed());
    let [low, high] = shifted(keys, low).map(|keys| _mm512_cmpeq_epi32_mask(keys, key));
    u32::from(low) | u32::from(high) << 16
}

#[inline]
#[target_feature(enable = "avx512f,avx512cd")]
pub(super) fn earlier(keys: &[u32; 32]) -> [u32; 32] {
    words(before(vectors(keys)))
}

/// The lanes of `mask` that are the first of them with their key.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd")]
fn leaders(keys: Lanes, mask: u32) -> u32 {
    if mask == u32::MAX
        && let Some(leaders) = moved::ascending(keys)
    {
        return leaders;
    }
    if !HostVectors::amd()
        && let Some(leaders) = moved::leaders::<32>(keys, mask)
    {
        return leaders;
    }
    without(before(keys), mask) & mask
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd")]
pub(super) fn firsts(keys: &[u32; 32], low: u32) -> u32 {
    leaders(shifted(keys, low), u32::MAX)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,popcnt")]
pub(super) fn distinct_by_eights(keys: &[u32; 32], low: u32, mask: u32) -> u32 {
    let keys = shifted(keys, low);
    if !HostVectors::amd()
        && let Some(leaders) = moved::leaders::<8>(keys, mask)
    {
        return leaders.count_ones();
    }
    // Of what is found among 16 lanes, those of a lane's own eight count.
    let [former, latter] = [0xff, 0xff00].map(|bits| _mm512_set1_epi32(bits));
    let own = _mm512_mask_blend_epi32(0xff00, former, latter);
    let firsts = |keys, lanes: u32| {
        let before = _mm512_and_si512(_mm512_conflict_epi32(keys), own);
        let lanes_of = _mm512_set1_epi32(lanes.cast_signed());
        u32::from(_mm512_testn_epi32_mask(before, lanes_of)) & lanes
    };
    let [a, b] = keys;
    firsts(a, mask & 0xffff).count_ones() + firsts(b, mask >> 16).count_ones()
}

/// A word for each bit of 32 words: its bits in all of them.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
fn turned(words: Lanes) -> Lanes {
    let moved = |[a, b]: Lanes, table: &[[u8; 64]; 2]| {
        table.map(|part| {
            // SAFETY: 64 bytes and a vector have one size, and any bits are a value.
            let part = unsafe { std::mem::transmute::<[u8; 64], __m512i>(part) };
            _mm512_permutex2var_epi8(a, part, b)
        })
    };
    // The product of the unit matrix and another's transpose.
    let unit = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
    let turned =
        moved(words, &GROUPED).map(|matrices| _mm512_gf2p8affine_epi64_epi8::<0>(unit, matrices));
    moved(turned, &JOINED)
}

#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
pub(super) fn lanes_by_bank(keys: &[u32; 32], low: u32, halves: bool, mask: u32) -> ByBank {
    let (one, half) = (_mm512_set1_epi32(1), _mm512_set1_epi32(16));
    let last = _mm512_set1_epi32(if halves { 15 } else { 31 });
    let [a, b] = shifted(keys, low).map(|key| _mm512_and_si512(key, last));
    let banks = [a, if halves { _mm512_or_si512(b, half) } else { b }];
    let lanes = turned(banks.map(|bank| _mm512_sllv_epi32(one, bank)));
    let on = _mm512_set1_epi32(mask.cast_signed());
    // SAFETY: both are 128 bytes, and any bits are a value.
    unsafe { std::mem::transmute(lanes.map(|lanes| _mm512_and_si512(lanes, on))) }
}

/// How many lanes of `mask` are on each of 32 banks.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,avx512vpopcntdq,gfni")]
fn on_each(banks: Lanes, mask: u32) -> Lanes {
    let (one, mask) = (_mm512_set1_epi32(1), _mm512_set1_epi32(mask.cast_signed()));
    let [low, high] = turned(banks.map(|bank| _mm512_sllv_epi32(one, bank)));
    [low, high].map(|lanes| _mm512_popcnt_epi32(_mm512_and_si512(lanes, mask)))
}

/// The most lanes of `mask` on one of the banks.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,avx512vpopcntdq,gfni")]
fn most_on_one(keys: Lanes, banks: u32, mask: u32) -> u32 {
    let last = _mm512_set1_epi32((banks - 1).cast_signed());
    let [low, high] = on_each(keys.map(|key| _mm512_and_si512(key, last)), mask);
    _mm512_reduce_max_epu32(_mm512_max_epu32(low, high))
}

#[target_feature(enable = "avx512f,avx512vbmi,avx512vpopcntdq,gfni")]
pub(super) fn most_lanes(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    most_on_one(shifted(keys, low), banks, mask)
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi,avx512vpopcntdq,gfni")]
pub(super) fn most_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    let keys = shifted(keys, low);
    most_on_one(keys, banks, leaders(keys, mask))
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi,avx512vpopcntdq,gfni")]
pub(super) fn most_by_groups(keys: &[u32; 32], low: u32, banks: u32, lanes: u32, mask: u32) -> u32 {
    let keys = shifted(keys, low);
    let last = _mm512_set1_epi32((banks - 1).cast_signed());
    // Each group has as many banks of its own as it has lanes.
    let first = _mm512_set1_epi32(lanes.wrapping_neg().cast_signed());
    let number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let number = [number, _mm512_or_si512(number, _mm512_set1_epi32(16))];
    let group = number.map(|lane| _mm512_and_si512(lane, first));
    let (mut apart, mut bank) = (keys, keys);
    for half in 0..2 {
        let own = _mm512_srli_epi32::<3>(group[half]);
        apart[half] = _mm512_or_si512(_mm512_slli_epi32::<2>(keys[half]), own);
        bank[half] = _mm512_or_si512(_mm512_and_si512(keys[half], last), group[half]);
    }
    let [low, high] = on_each(bank, leaders(apart, mask));
    let of = |lanes: u16, counts| _mm512_mask_reduce_max_epu32(lanes, counts);
    match lanes {
        32 => _mm512_reduce_max_epu32(_mm512_max_epu32(low, high)),
        16 => _mm512_reduce_max_epu32(low) + _mm512_reduce_max_epu32(high),
        _ => of(0xff, low) + of(0xff00, low) + of(0xff, high) + of(0xff00, high),
    }
}

/// For each lane, those with its key, from the earlier ones.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
fn both_ways(earlier: Lanes) -> Lanes {
    let later = turned(earlier);
    let lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let own = _mm512_sllv_epi32(_mm512_set1_epi32(1), lanes);
    let all = |half: usize, own| _mm512_or_si512(_mm512_or_si512(earlier[half], later[half]), own);
    [all(0, own), all(1, _mm512_slli_epi32::<16>(own))]
}

/// Of the lanes found, those of `group`.
#[inline]
#[target_feature(enable = "avx512f")]
fn within(group: u32, [low, high]: Lanes) -> [u32; 32] {
    let group = _mm512_set1_epi32(group.cast_signed());
    words([_mm512_and_si512(low, group), _mm512_and_si512(high, group)])
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi,gfni")]
pub(super) fn alike(keys: &[u32; 32], group: u32, found: &mut [u32; 32]) {
    let keys = vectors(keys);
    if HostVectors::amd() || !alike::words(keys, group, found) {
        *found = within(group, both_ways(before(keys)));
    }
}

/// The lower and the upper words of 32 keys of 64 bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn halves_of(keys: [__m512i; 4]) -> [Lanes; 2] {
    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    let half = |which| {
        [
            _mm512_permutex2var_epi32(keys[0], which, keys[1]),
            _mm512_permutex2var_epi32(keys[2], which, keys[3]),
        ]
    };
    [half(even), half(odd)]
}

#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512vbmi,gfni")]
pub(super) fn alike_doubles(keys: &[u64; 32], group: u32, found: &mut [u32; 32]) {
    // SAFETY: an array of 32 keys and four vectors of 8 have one size, and any bits are a value
    // of either.
    let keys = unsafe { std::mem::transmute::<[u64; 32], [__m512i; 4]>(*keys) };
    if HostVectors::amd() || !alike::doubles(keys, group, found) {
        let [low, high] = halves_of(keys);
        let (low, high) = (before(low), before(high));
        let both =
            both_ways([_mm512_and_si512(low[0], high[0]), _mm512_and_si512(low[1], high[1])]);
        *found = within(group, both);
    }
}
