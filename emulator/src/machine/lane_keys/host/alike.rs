//! For each lane of a warp, the lanes with its key, found by comparing 16 bits of every key with
//! those of all lanes at once.

use std::arch::x86_64::{
    __m512i, _mm512_broadcastd_epi32, _mm512_broadcastq_epi64, _mm512_castsi512_si128,
    _mm512_cmpneq_epu32_mask, _mm512_lzcnt_epi32, _mm512_mask_blend_epi16, _mm512_mask_blend_epi32,
    _mm512_mask_cmpeq_epi16_mask, _mm512_or_si512, _mm512_permutex2var_epi32,
    _mm512_permutexvar_epi16, _mm512_rol_epi32, _mm512_rol_epi64, _mm512_set1_epi32,
    _mm512_set1_epi64, _mm512_setzero_si512, _mm512_sub_epi32, _mm512_test_epi32_mask,
    _mm512_test_epi64_mask, _mm512_xor_si512,
};
use std::hint::black_box;

use super::{Lanes, vectors};

/// Where the 16 bits of each lane are when vectors of words, or of doubles, have been blended.
const OF_WORDS: [u16; 32] = places(&[0, 1]);
const OF_DOUBLES: [u16; 32] = places(&[0, 2, 1, 3]);

const fn places(starts: &[u16]) -> [u16; 32] {
    let (mut places, of_each) = ([0; 32], 32 / starts.len());
    let mut at = 0;
    while at < 32 {
        places[at] = (at % of_each * starts.len()) as u16 + starts[at / of_each];
        at += 1;
    }
    places
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn ordered(blended: __m512i, places: [u16; 32]) -> __m512i {
    // SAFETY: both have one size, and any bits are a value of either.
    let places = unsafe { std::mem::transmute::<[u16; 32], __m512i>(places) };
    _mm512_permutexvar_epi16(places, blended)
}

/// For each lane, those of `group` whose 16 bits in `own` are the same. Each of `folded` starts with
/// those of a lane, twice.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn compared<const STEP: usize>(
    own: __m512i,
    folded: &[[u32; STEP]; 32],
    group: u32,
    found: &mut [u32; 32],
) {
    // Read from memory: a vector's words are moved by the port that compares, and a load is free.
    let folded = black_box(folded);
    for lane in 0..32 {
        let key = _mm512_set1_epi32(folded[lane][0].cast_signed());
        found[lane] = _mm512_mask_cmpeq_epi16_mask(group, own, key);
    }
}

/// Whether all keys have the bits of `upper` that `first` has: then 16 bits tell them apart.
#[inline]
#[target_feature(enable = "avx512f")]
fn same<const VECTORS: usize>(keys: [__m512i; VECTORS], first: __m512i, upper: __m512i) -> bool {
    let mut differ = _mm512_setzero_si512();
    for keys in keys {
        differ = _mm512_or_si512(differ, _mm512_xor_si512(keys, first));
    }
    _mm512_test_epi64_mask(differ, upper) == 0
}

/// Whether each lane with others in `found` has the key of the last of them.
#[inline]
#[target_feature(enable = "avx512f,avx512cd")]
fn agree<const WORDS: usize>(found: &[u32; 32], keys: [Lanes; WORDS]) -> bool {
    let found = vectors(found);
    let last = |found| _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(found));
    let last = [last(found[0]), last(found[1])];
    let mut differ = 0;
    for [low, high] in keys {
        let of_last = |half: usize| _mm512_permutex2var_epi32(low, last[half], high);
        let apart =
            [_mm512_cmpneq_epu32_mask(low, of_last(0)), _mm512_cmpneq_epu32_mask(high, of_last(1))];
        differ |= u32::from(apart[0]) | u32::from(apart[1]) << 16;
    }
    // The last of no lane is any.
    let some = |half: usize| u32::from(_mm512_test_epi32_mask(found[half], found[half]));
    differ == 0 || differ & (some(0) | some(1) << 16) == 0
}

/// For each lane, those of `group` with its key; false if that is not found quickly.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd")]
pub(super) fn words(keys: Lanes, group: u32, found: &mut [u32; 32]) -> bool {
    let fold = |keys| _mm512_xor_si512(keys, _mm512_rol_epi32::<16>(keys));
    let folds = [fold(keys[0]), fold(keys[1])];
    let own = ordered(_mm512_mask_blend_epi16(0xaaaa_aaaa, folds[0], folds[1]), OF_WORDS);
    // SAFETY: 32 words fill two vectors, and any bits are a value of either.
    let folded = unsafe { std::mem::transmute::<Lanes, [[u32; 1]; 32]>(folds) };
    compared(own, &folded, group, found);
    let first = _mm512_broadcastd_epi32(_mm512_castsi512_si128(keys[0]));
    same(keys, first, _mm512_set1_epi32(!0xffff)) || agree(found, [keys])
}

/// The same of 64 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512cd")]
pub(super) fn doubles(keys: [__m512i; 4], group: u32, found: &mut [u32; 32]) -> bool {
    let fold = |keys| {
        let words = _mm512_xor_si512(keys, _mm512_rol_epi64::<32>(keys));
        _mm512_xor_si512(words, _mm512_rol_epi32::<16>(words))
    };
    let folds = [fold(keys[0]), fold(keys[1]), fold(keys[2]), fold(keys[3])];
    let even = _mm512_mask_blend_epi32(0xaaaa, folds[0], folds[1]);
    let odd = _mm512_mask_blend_epi32(0xaaaa, folds[2], folds[3]);
    let own = ordered(_mm512_mask_blend_epi16(0xaaaa_aaaa, even, odd), OF_DOUBLES);
    // SAFETY: 32 keys fill four vectors, and any bits are a value of either.
    let folded = unsafe { std::mem::transmute::<[__m512i; 4], [[u32; 2]; 32]>(folds) };
    compared(own, &folded, group, found);
    let first = _mm512_broadcastq_epi64(_mm512_castsi512_si128(keys[0]));
    same(keys, first, _mm512_set1_epi64(!0xffff)) || agree(found, super::halves_of(keys))
}
