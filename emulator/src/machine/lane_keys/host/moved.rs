//! Lanes whose key an earlier lane has, found by comparing a warp's keys with those keys moved
//! on by some lanes.

use std::arch::x86_64::{
    __m512i, _mm512_alignr_epi8, _mm512_alignr_epi32, _mm512_cmpeq_epi16_mask,
    _mm512_cmpgt_epu32_mask, _mm512_cmple_epu32_mask, _mm512_cmpneq_epu32_mask,
    _mm512_permutex2var_epi16, _mm512_permutexvar_epi16, _mm512_permutexvar_epi32,
    _mm512_set1_epi32, _mm512_setzero_si512, _mm512_xor_si512,
};

use super::Lanes;

#[inline]
#[target_feature(enable = "avx512f")]
fn of_both(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}

/// The lanes that are the first with their key, if no key is less than that of the lane before:
/// as of lanes that go through an array.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn ascending([low, high]: Lanes) -> Option<u32> {
    let before = [_mm512_alignr_epi32::<15>(low, low), _mm512_alignr_epi32::<15>(high, low)];
    let up = |lanes, before| _mm512_cmple_epu32_mask(before, lanes);
    if of_both(up(low, before[0]) | 1, up(high, before[1])) != u32::MAX {
        return None;
    }
    let differ = |lanes, before| _mm512_cmpneq_epu32_mask(before, lanes);
    Some(of_both(differ(low, before[0]) | 1, differ(high, before[1])))
}

/// Places of 16 bits: the lower halves of 32 words, and all lanes moved by one.
const LOWER: [u16; 32] = places(2, 0);
const NEXT: [u16; 32] = places(1, 1);

const fn places(step: u16, start: u16) -> [u16; 32] {
    let mut places = [0; 32];
    let mut at = 0;
    while at < 32 {
        places[at as usize] = (at * step + start) % (32 * step);
        at += 1;
    }
    places
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn halves([low, high]: Lanes, which: [u16; 32]) -> __m512i {
    _mm512_permutex2var_epi16(low, vector(which), high)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vector(places: [u16; 32]) -> __m512i {
    // SAFETY: both have one size, and any bits are a value of either.
    unsafe { std::mem::transmute::<[u16; 32], __m512i>(places) }
}

/// Runs `$body` for a number of lanes, from 1 to half of those of a group, with the lanes whose key
/// that many lanes further on has. A macro, as an array of what is found would go through memory.
macro_rules! each_moved {
    ($own:ident, $by:ident, $found:ident, $body:block, [$($number:literal: $moved:expr),* $(,)?]) => {
        $({
            let ($by, $found) = ($number, _mm512_cmpeq_epi16_mask($own, $moved));
            $body
        })*
    };
    (8, $own:ident, $by:ident, $found:ident, $body:block) => {
        each_moved!($own, $by, $found, $body, [
            1: _mm512_alignr_epi8::<2>($own, $own), 2: _mm512_alignr_epi8::<4>($own, $own),
            3: _mm512_alignr_epi8::<6>($own, $own), 4: _mm512_alignr_epi8::<8>($own, $own),
        ]);
    };
    (32, $own:ident, $by:ident, $found:ident, $body:block) => {
        let next = _mm512_permutexvar_epi16(vector(NEXT), $own);
        each_moved!($own, $by, $found, $body, [
            1: next, 2: _mm512_alignr_epi32::<1>($own, $own),
            3: _mm512_alignr_epi32::<1>(next, next), 4: _mm512_alignr_epi32::<2>($own, $own),
            5: _mm512_alignr_epi32::<2>(next, next), 6: _mm512_alignr_epi32::<3>($own, $own),
            7: _mm512_alignr_epi32::<3>(next, next), 8: _mm512_alignr_epi32::<4>($own, $own),
            9: _mm512_alignr_epi32::<4>(next, next), 10: _mm512_alignr_epi32::<5>($own, $own),
            11: _mm512_alignr_epi32::<5>(next, next), 12: _mm512_alignr_epi32::<6>($own, $own),
            13: _mm512_alignr_epi32::<6>(next, next), 14: _mm512_alignr_epi32::<7>($own, $own),
            15: _mm512_alignr_epi32::<7>(next, next), 16: _mm512_alignr_epi32::<8>($own, $own),
        ]);
    };
}

/// The lanes of `mask` that are the first of them with their key, in groups of `LANES` (8 or 32).
/// None if it takes more than the lowest 16 bits of the keys to tell.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn leaders<const LANES: u32>(keys: Lanes, mask: u32) -> Option<u32> {
    let own = halves(keys, LOWER);
    // How the groups' lanes are among a warp's.
    let groups: u32 = if LANES == 8 { 0x0101_0101 } else { 1 };
    let (mut equal, mut late) = (0, 0);
    macro_rules! find {
        ($lanes:tt) => {
            each_moved!($lanes, own, by, found, {
                equal |= found;
                // The lanes whose partner is further on in their group; of the others, it comes
                // first.
                let ahead = groups * (u32::MAX / groups >> by);
                let partners = mask >> by & ahead | mask << ($lanes - by) & !ahead;
                let found = found & mask & partners;
                late |= (found & ahead) << by | found & !ahead;
            });
        };
    }
    if LANES == 8 {
        find!(8);
    } else {
        find!(32);
    }
    if equal == 0 {
        return Some(mask);
    }
    let [low, high] = keys;
    let first = _mm512_permutexvar_epi32(_mm512_setzero_si512(), low);
    let half = _mm512_set1_epi32(0xffff);
    let far = |lanes| _mm512_cmpgt_epu32_mask(_mm512_xor_si512(lanes, first), half);
    (far(low) | far(high) == 0).then_some(mask & !late)
}
