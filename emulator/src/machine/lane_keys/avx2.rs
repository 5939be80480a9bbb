//! The same with AVX2, where a vector has a quarter of a warp, or half of it in 16 bits: keys are
//! compared with those of earlier lanes, block by block of eight.

use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_add_epi32, _mm256_alignr_epi8, _mm256_and_si256,
    _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_cmpeq_epi16,
    _mm256_cmpeq_epi32, _mm256_max_epu32, _mm256_min_epu16, _mm256_movemask_epi8,
    _mm256_movemask_ps, _mm256_mullo_epi32, _mm256_or_si256, _mm256_packs_epi16,
    _mm256_packus_epi32, _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_setr_epi16, _mm256_setr_epi32, _mm256_setzero_si256,
    _mm256_shuffle_ps, _mm256_sll_epi32, _mm256_slli_epi32, _mm256_srl_epi32, _mm256_srli_epi32,
    _mm256_testz_si256, _mm256_xor_si256,
};

use super::alike_plain;

type Lanes = [__m256i; 4];

/// The keys without their lowest bits.
#[inline]
#[target_feature(enable = "avx2")]
fn shifted(keys: &[u32; 32], low: u32) -> Lanes {
    // SAFETY: an array of 32 words and four vectors of 8 words have one size, and any bits are a
    // value of either.
    let [a, b, c, d] = unsafe { std::mem::transmute::<[u32; 32], Lanes>(*keys) };
    let low = _mm_cvtsi32_si128(low.cast_signed());
    let down = |keys| _mm256_srl_epi32(keys, low);
    [down(a), down(b), down(c), down(d)]
}

/// A bit for each lane: the highest of its word.
#[inline]
#[target_feature(enable = "avx2")]
fn signs([a, b, c, d]: Lanes) -> u32 {
    let signs = |words| _mm256_movemask_ps(_mm256_castsi256_ps(words)).cast_unsigned();
    signs(a) | signs(b) << 8 | signs(c) << 16 | signs(d) << 24
}

/// A bit for each lane: whether its half-word is zero.
#[inline]
#[target_feature(enable = "avx2")]
fn zeros(low: __m256i, high: __m256i) -> u32 {
    let zero = |halves| _mm256_cmpeq_epi16(halves, _mm256_setzero_si256());
    let bytes = _mm256_packs_epi16(zero(low), zero(high));
    _mm256_movemask_epi8(_mm256_permute4x64_epi64::<0b11_01_10_00>(bytes)).cast_unsigned()
}

/// The lower halves of all words.
#[inline]
#[target_feature(enable = "avx2")]
fn halves([a, b, c, d]: Lanes) -> [__m256i; 2] {
    let half = _mm256_set1_epi32(0xffff);
    let pack = |low, high| {
        let both = _mm256_packus_epi32(_mm256_and_si256(low, half), _mm256_and_si256(high, half));
        _mm256_permute4x64_epi64::<0b11_01_10_00>(both)
    };
    [pack(a, b), pack(c, d)]
}

/// Whether the upper halves of all words are one.
#[inline]
#[target_feature(enable = "avx2")]
fn near([a, b, c, d]: Lanes, first: u32) -> bool {
    let first = _mm256_set1_epi32(first.cast_signed());
    let away = |words| _mm256_xor_si256(words, first);
    let all = _mm256_or_si256(_mm256_or_si256(away(a), away(b)), _mm256_or_si256(away(c), away(d)));
    let far = _mm256_srli_epi32::<16>(all);
    _mm256_testz_si256(far, far) == 1
}

/// As [`super::those_with`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn those_with(keys: &[u32; 32], low: u32, key: u32) -> u32 {
    let key = _mm256_set1_epi32((key >> low).cast_signed());
    let [a, b, c, d] = shifted(keys, low);
    let same = |keys| _mm256_cmpeq_epi32(keys, key);
    signs([same(a), same(b), same(c), same(d)])
}

/// The first of each run of lanes with one key, if no key is less than that of the lane before.
#[inline]
#[target_feature(enable = "avx2")]
fn ascending([a, b, c, d]: Lanes) -> Option<u32> {
    // The lanes before: each vector with the last word of that before it in front.
    let before = |last, words| {
        _mm256_alignr_epi8::<12>(words, _mm256_permute2x128_si256::<0x21>(last, words))
    };
    let before = [before(a, a), before(a, b), before(b, c), before(c, d)];
    let up = |words, before| _mm256_cmpeq_epi32(_mm256_max_epu32(words, before), words);
    if signs([up(a, before[0]), up(b, before[1]), up(c, before[2]), up(d, before[3])]) | 1
        != u32::MAX
    {
        return None;
    }
    let same = |words, before| _mm256_cmpeq_epi32(words, before);
    Some(
        !signs([same(a, before[0]), same(b, before[1]), same(c, before[2]), same(d, before[3])])
            | 1,
    )
}

/// Half-words of ones in the first `$by` lanes of each block of eight.
macro_rules! around {
    ($by:literal) => {{
        let off = |lane: i16| if lane < $by { -1 } else { 0 };
        let [a, b, c, d] = [off(0), off(1), off(2), off(3)];
        let [e, f, g, h] = [off(4), off(5), off(6), off(7)];
        _mm256_setr_epi16(a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h)
    }};
}

/// Runs `$body` for 1 to 7 lanes, with a function that moves half-words so far on in their blocks,
/// and ones where they come round from the end.
macro_rules! each_moved {
    ($moved:ident, $outside:ident, $body:block) => {
        each_moved!($moved, $outside, $body, 1 14, 2 12, 3 10, 4 8, 5 6, 6 4, 7 2);
    };
    ($moved:ident, $outside:ident, $body:block, $($by:literal $bytes:literal),*) => {
        $({
            let $moved = |halves| _mm256_alignr_epi8::<$bytes>(halves, halves);
            let $outside = around!($by);
            $body
        })*
    };
}

/// The lanes of `mask` that are the first of them with their key; none if it takes more than the
/// lowest 16 bits of the keys to tell.
///
/// Equal keys are marked by zero half-words, because the compiler packs and unpacks vectors of
/// booleans.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn leaders(keys: &[u32; 32], low: u32, mask: u32) -> Option<u32> {
    let mut words = shifted(keys, low);
    let lane = mask.trailing_zeros() as usize & 31;
    let first = keys[lane].wrapping_shr(low);
    if mask == u32::MAX {
        if let Some(leaders) = ascending(words) {
            return Some(leaders);
        }
    } else {
        // The others repeat the first that takes part, so that they are first with no other key.
        let first = _mm256_set1_epi32(first.cast_signed());
        for (part, words) in words.iter_mut().enumerate() {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let on = _mm256_set1_epi32((mask >> (8 * part)).cast_signed());
            let on = _mm256_cmpeq_epi32(_mm256_and_si256(on, bits), bits);
            *words = _mm256_blendv_epi8(first, *words, on);
        }
    }
    // Blocks 0 and 1, 2 and 3; between them 1 and 2; for what is left, 3 with 2 and 0.
    let [a, b] = halves(words);
    let between = _mm256_permute2x128_si256::<0x21>(a, b);
    let (last, left) =
        (_mm256_permute2x128_si256::<0x11>(b, b), _mm256_permute2x128_si256::<0x02>(a, b));
    let apart = |a, b| _mm256_xor_si256(a, b);
    let least = |a, b| _mm256_min_epu16(a, b);
    let ones = _mm256_set1_epi16(-1);
    let (mut own, mut next) = ([ones; 2], apart(between, a));
    let (mut second, mut third) = (apart(b, a), apart(last, left));
    each_moved!(moved, outside, {
        let (a_moved, b_moved) = (moved(a), moved(b));
        own[0] = least(own[0], _mm256_or_si256(apart(a, a_moved), outside));
        own[1] = least(own[1], _mm256_or_si256(apart(b, b_moved), outside));
        next = least(next, apart(between, a_moved));
        second = least(second, apart(b, a_moved));
        third = least(third, apart(last, moved(left)));
    });
    third = least(third, _mm256_permute4x64_epi64::<0b01_00_11_10>(third));
    // No block comes before block 0.
    let low = least(own[0], _mm256_permute2x128_si256::<0x02>(next, ones));
    let high = least(least(own[1], second), _mm256_permute2x128_si256::<0x21>(next, third));
    let late = zeros(low, high);
    let known = late == 0 || near(words, first);
    known.then_some(mask & !late | mask & 1 << lane)
}

/// The same, of each eight lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn leaders_by_eights(keys: &[u32; 32], low: u32, mask: u32) -> Option<u32> {
    let words = shifted(keys, low);
    let [a, b] = halves(words);
    let off = |lanes: u32| {
        let bits = _mm256_setr_epi16(
            1,
            2,
            4,
            8,
            16,
            32,
            64,
            128,
            256,
            512,
            1024,
            2048,
            4096,
            8192,
            16384,
            i16::MIN,
        );
        let lanes = _mm256_and_si256(_mm256_set1_epi16(lanes as i16), bits);
        _mm256_cmpeq_epi16(lanes, _mm256_setzero_si256())
    };
    let (a_off, b_off) = (off(mask), off(mask >> 16));
    let (mut a_least, mut b_least) = (_mm256_set1_epi16(-1), _mm256_set1_epi16(-1));
    each_moved!(moved, outside, {
        let away = |halves, off| {
            let apart = _mm256_xor_si256(halves, moved(halves));
            _mm256_or_si256(apart, _mm256_or_si256(outside, moved(off)))
        };
        a_least = _mm256_min_epu16(a_least, away(a, a_off));
        b_least = _mm256_min_epu16(b_least, away(b, b_off));
    });
    let late = zeros(a_least, b_least);
    (late == 0 || near(words, keys[0].wrapping_shr(low))).then_some(mask & !late)
}

/// As [`super::bank_bits`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bank_bits(keys: &[u32; 32], low: u32, banks: u32) -> [u32; 5] {
    // SAFETY: as in `shifted`.
    let words = unsafe { std::mem::transmute::<[u32; 32], Lanes>(*keys) };
    let mut bits = [0; 5];
    // Of the bits that tell banks apart.
    for (bit, lanes) in bits.iter_mut().enumerate().take(banks.trailing_zeros() as usize) {
        let up = _mm_cvtsi32_si128(31 - (low.cast_signed() + bit as i32));
        let [a, b, c, d] = words;
        let moved = |words| _mm256_sll_epi32(words, up);
        *lanes = signs([moved(a), moved(b), moved(c), moved(d)]);
    }
    bits
}

/// As [`super::alike`].
#[target_feature(enable = "avx2")]
pub(super) fn alike(keys: &[u32; 32], group: u32, found: &mut [u32; 32]) {
    let words = shifted(keys, 0);
    if near(words, keys[0]) {
        return with_halves(words, group, found);
    }
    with_halves(digests(words), group, found);
    if !one_each(keys, group, found) {
        alike_plain(keys, group, found);
    }
}

/// As [`super::alike_doubles`].
#[target_feature(enable = "avx2")]
pub(super) fn alike_doubles(keys: &[u64; 32], group: u32, found: &mut [u32; 32]) {
    // SAFETY: an array of 32 keys and eight vectors of 4 have one size, and any bits are a value
    // of either.
    let doubles = unsafe { std::mem::transmute::<[u64; 32], [__m256i; 8]>(*keys) };
    let mut words = [_mm256_setzero_si256(); 4];
    for part in 0..4 {
        let (a, b) = (doubles[2 * part], doubles[2 * part + 1]);
        let first = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x20>(a, b));
        let second = _mm256_castsi256_ps(_mm256_permute2x128_si256::<0x31>(a, b));
        let low = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(first, second));
        let high = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(first, second));
        let odd = _mm256_set1_epi32(0x85eb_ca6b_u32.cast_signed());
        words[part] = _mm256_add_epi32(low, _mm256_mullo_epi32(high, odd));
    }
    with_halves(digests(words), group, found);
    if !one_each(keys, group, found) {
        alike_plain(keys, group, found);
    }
}

/// Whether the lanes found together, all of `group`, have one key.
#[inline]
#[target_feature(enable = "avx2")]
fn one_each<T: Copy + PartialEq>(keys: &[T; 32], group: u32, found: &[u32; 32]) -> bool {
    const BEFORE: [u32; 32] = {
        let (mut masks, mut lane) = ([0; 32], 0);
        while lane < 32 {
            masks[lane] = (1 << lane) - 1;
            lane += 1;
        }
        masks
    };
    let ([a, b, c, d], [e, f, g, h]) = (shifted(found, 0), shifted(&BEFORE, 0));
    let first =
        |found, before| _mm256_cmpeq_epi32(_mm256_and_si256(found, before), _mm256_setzero_si256());
    let mut later = group & !signs([first(a, e), first(b, f), first(c, g), first(d, h)]);
    while later != 0 {
        let lane = later.trailing_zeros() as usize & 31;
        if keys[lane] != keys[found[lane].trailing_zeros() as usize & 31] {
            return false;
        }
        later &= later - 1;
    }
    true
}

/// Hashes whose lower halves seldom collide.
#[inline]
#[target_feature(enable = "avx2")]
fn digests(words: Lanes) -> Lanes {
    // The upper bits of a product depend on all bits of its factors.
    let odd = _mm256_set1_epi32(0x9e37_79b1_u32.cast_signed());
    words.map(|words| _mm256_srli_epi32::<16>(_mm256_mullo_epi32(words, odd)))
}

/// For each lane, the lanes of `group` with the same lower half.
#[inline]
#[target_feature(enable = "avx2")]
fn with_halves([a, b, c, d]: Lanes, group: u32, found: &mut [u32; 32]) {
    let low = |words| _mm256_and_si256(words, _mm256_set1_epi32(0xffff));
    let [a, b, c, d] = [low(a), low(b), low(c), low(d)];
    let twice = |words| _mm256_or_si256(words, _mm256_slli_epi32::<16>(words));
    // SAFETY: as in `shifted`.
    let twice = unsafe {
        std::mem::transmute::<Lanes, [i32; 32]>([twice(a), twice(b), twice(c), twice(d)])
    };
    // Packing works within 128 bits: this order gives one byte per lane in the order of the lanes.
    let quarters = |low, high| {
        _mm256_packus_epi32(
            _mm256_permute2x128_si256::<0x20>(low, high),
            _mm256_permute2x128_si256::<0x31>(low, high),
        )
    };
    let (first, second) = (quarters(a, c), quarters(b, d));
    for lane in 0..32 {
        let key = _mm256_set1_epi32(twice[lane]);
        let same = |halves| _mm256_cmpeq_epi16(halves, key);
        let bytes = _mm256_packs_epi16(same(first), same(second));
        found[lane] = _mm256_movemask_epi8(bytes).cast_unsigned() & group;
    }
}
