//! Reads and writes of lanes in a line, with the vectors of AVX-512.

use std::arch::asm;
use std::arch::x86_64::{
    __m256i, __m512i, _mm256_castsi128_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
    _mm256_inserti128_si256, _mm512_castsi256_si512, _mm512_castsi512_si256, _mm512_cvtepi32_epi8,
    _mm512_cvtepi32_epi16, _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32, _mm512_extracti64x4_epi64,
    _mm512_inserti64x4, _mm512_loadu_si512, _mm512_permutex2var_epi32, _mm512_permutex2var_epi64,
    _mm512_setr_epi32, _mm512_setr_epi64, _mm512_setzero_si512, _pdep_u32,
};

use crate::machine::Register;

/// Which of the 16 words of vector `index` belong to lanes of `mask`, of `words` each.
#[inline]
#[target_feature(enable = "bmi2")]
fn chosen(mask: u32, words: usize, index: usize) -> u16 {
    match words {
        1 => (mask >> (16 * index)) as u16,
        2 => _pdep_u32(mask >> (8 * index), 0x5555) as u16 * 3,
        _ => _pdep_u32(mask >> (4 * index), 0x1111) as u16 * 15,
    }
}

/// Reads the words of the lanes of `mask` into `VECTORS` vectors, half as many words a lane. The
/// words of other lanes are 0. `WHOLE` where all lanes take part.
///
/// # Safety
/// The lanes of `mask` can be read, and are aligned.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub(super) unsafe fn read<const WHOLE: bool, const VECTORS: usize>(
    from: *const u8,
    mask: u32,
) -> [__m512i; VECTORS] {
    let mut vectors = [_mm512_setzero_si512(); VECTORS];
    for (index, vector) in vectors.iter_mut().enumerate() {
        let from = from.wrapping_add(64 * index);
        // SAFETY: the caller promises the lanes, and no others are read. Every cell is
        // aligned, so each is read in one piece.
        unsafe {
            if WHOLE {
                asm!(
                    "vmovdqu32 {vector}, [{from}]", vector = out(zmm_reg) *vector,
                    from = in(reg) from, options(nostack, readonly, preserves_flags)
                );
            } else {
                asm!(
                    "vmovdqu32 {vector}{{{mask}}}{{z}}, [{from}]", vector = out(zmm_reg) *vector,
                    mask = in(kreg) chosen(mask, VECTORS / 2, index), from = in(reg) from,
                    options(nostack, readonly, preserves_flags)
                );
            }
        }
    }
    vectors
}

/// Writes them.
///
/// # Safety
/// The lanes of `mask` can be written, and are aligned.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub(super) unsafe fn write<const WHOLE: bool, const VECTORS: usize>(
    to: *mut u8,
    mask: u32,
    vectors: [__m512i; VECTORS],
) {
    for (index, vector) in vectors.into_iter().enumerate() {
        let to = to.wrapping_add(64 * index);
        // SAFETY: the caller promises the lanes, and no others are written. Every cell is
        // aligned, so each is written in one piece.
        unsafe {
            if WHOLE {
                asm!(
                    "vmovdqu32 [{to}], {vector}", vector = in(zmm_reg) vector,
                    to = in(reg) to, options(nostack, preserves_flags)
                );
            } else {
                asm!(
                    "vmovdqu32 [{to}]{{{mask}}}, {vector}", vector = in(zmm_reg) vector,
                    mask = in(kreg) chosen(mask, VECTORS / 2, index), to = in(reg) to,
                    options(nostack, preserves_flags)
                );
            }
        }
    }
}

/// The words of two vectors at even places, and those at odd ones.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn apart(a: __m512i, b: __m512i) -> [__m512i; 2] {
    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    [_mm512_permutex2var_epi32(a, even, b), _mm512_permutex2var_epi32(a, odd, b)]
}

/// The words of two vectors in turn: what [`apart`] took apart.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn in_turn(a: __m512i, b: __m512i) -> [__m512i; 2] {
    let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    [_mm512_permutex2var_epi32(a, low, b), _mm512_permutex2var_epi32(a, high, b)]
}

/// As [`apart`], of 8 bytes each.
#[inline]
#[target_feature(enable = "avx512f")]
fn doubles_apart(a: __m512i, b: __m512i) -> [__m512i; 2] {
    let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    [_mm512_permutex2var_epi64(a, even, b), _mm512_permutex2var_epi64(a, odd, b)]
}

/// As [`in_turn`], of 8 bytes each.
#[inline]
#[target_feature(enable = "avx512f")]
fn doubles_in_turn(a: __m512i, b: __m512i) -> [__m512i; 2] {
    let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    [_mm512_permutex2var_epi64(a, low, b), _mm512_permutex2var_epi64(a, high, b)]
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn words(vectors: [__m512i; 2]) -> Register<u32> {
    // SAFETY: a pair of vectors of 16 words and a register have one size, and any bits are
    // a value of either.
    unsafe { std::mem::transmute(vectors) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn vectors(words: &[u32; 32]) -> [__m512i; 2] {
    // By the vector: the compiler copies arrays in pieces.
    // SAFETY: there are 32 words.
    let load = |part: &[u32]| unsafe { _mm512_loadu_si512(part.as_ptr().cast()) };
    [load(&words[..16]), load(&words[16..])]
}

/// As [`super::read_words`], of lanes in a row.
///
/// # Safety
/// The lanes of `mask` can be read, and are aligned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(super) unsafe fn read_words<const WHOLE: bool, const SIZE: usize, const WORDS: usize>(
    from: *const u8,
    mask: u32,
) -> [Register<u32>; WORDS] {
    let mut all = [Register::default(); WORDS];
    match SIZE {
        1 => {
            let bytes: __m256i;
            // SAFETY: the caller promises the lanes, and no others are read.
            unsafe {
                if WHOLE {
                    asm!(
                        "vmovdqu {bytes}, [{from}]", bytes = out(ymm_reg) bytes,
                        from = in(reg) from, options(nostack, readonly, preserves_flags)
                    );
                } else {
                    asm!(
                        "vmovdqu8 {bytes}{{{mask}}}{{z}}, [{from}]", bytes = out(ymm_reg) bytes,
                        mask = in(kreg) mask, from = in(reg) from,
                        options(nostack, readonly, preserves_flags)
                    );
                }
            }
            all[0] = words([
                _mm512_cvtepu8_epi32(_mm256_castsi256_si128(bytes)),
                _mm512_cvtepu8_epi32(_mm256_extracti128_si256::<1>(bytes)),
            ]);
        }
        2 => {
            let halves: __m512i;
            // SAFETY: as above; every cell is aligned, so each is read in one piece.
            unsafe {
                if WHOLE {
                    asm!(
                        "vmovdqu32 {halves}, [{from}]", halves = out(zmm_reg) halves,
                        from = in(reg) from, options(nostack, readonly, preserves_flags)
                    );
                } else {
                    asm!(
                        "vmovdqu16 {halves}{{{mask}}}{{z}}, [{from}]", halves = out(zmm_reg) halves,
                        mask = in(kreg) mask, from = in(reg) from,
                        options(nostack, readonly, preserves_flags)
                    );
                }
            }
            all[0] = words([
                _mm512_cvtepu16_epi32(_mm512_castsi512_si256(halves)),
                _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(halves)),
            ]);
        }
        4 => {
            // SAFETY: as the caller promises.
            all[0] = words(unsafe { read::<WHOLE, 2>(from, mask) });
        }
        8 => {
            // SAFETY: as the caller promises.
            let [a, b, c, d] = unsafe { read::<WHOLE, 4>(from, mask) };
            let (low, high) = (apart(a, b), apart(c, d));
            for index in 0..WORDS {
                all[index] = words([low[index], high[index]]);
            }
        }
        _ => {
            // SAFETY: as the caller promises.
            let [a, b, c, d, e, f, g, h] = unsafe { read::<WHOLE, 8>(from, mask) };
            // Words 0 and 2 of eight lanes in turn, and words 1 and 3.
            let eights = [apart(a, b), apart(c, d), apart(e, f), apart(g, h)];
            for odd in 0..2 {
                let low = apart(eights[0][odd], eights[1][odd]);
                let high = apart(eights[2][odd], eights[3][odd]);
                for half in 0..WORDS / 2 {
                    all[2 * half + odd] = words([low[half], high[half]]);
                }
            }
        }
    }
    all
}

/// As [`super::write_words`], of lanes in a row.
///
/// # Safety
/// The lanes of `mask` can be written, and are aligned.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
pub(super) unsafe fn write_words<const WHOLE: bool, const SIZE: usize, const WORDS: usize>(
    to: *mut u8,
    mask: u32,
    all: &[&[u32; 32]; WORDS],
) {
    let [low, high] = vectors(all[0]);
    match SIZE {
        1 => {
            let [low, high] = [_mm512_cvtepi32_epi8(low), _mm512_cvtepi32_epi8(high)];
            let bytes = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
            // SAFETY: the caller promises the lanes, and no others are written.
            unsafe {
                if WHOLE {
                    asm!(
                        "vmovdqu [{to}], {bytes}", bytes = in(ymm_reg) bytes,
                        to = in(reg) to, options(nostack, preserves_flags)
                    );
                } else {
                    asm!(
                        "vmovdqu8 [{to}]{{{mask}}}, {bytes}", bytes = in(ymm_reg) bytes,
                        mask = in(kreg) mask, to = in(reg) to, options(nostack, preserves_flags)
                    );
                }
            }
        }
        2 => {
            let [low, high] = [_mm512_cvtepi32_epi16(low), _mm512_cvtepi32_epi16(high)];
            let halves = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
            // SAFETY: as above; every cell is aligned, so each is written in one piece.
            unsafe {
                if WHOLE {
                    asm!(
                        "vmovdqu32 [{to}], {halves}", halves = in(zmm_reg) halves,
                        to = in(reg) to, options(nostack, preserves_flags)
                    );
                } else {
                    asm!(
                        "vmovdqu16 [{to}]{{{mask}}}, {halves}", halves = in(zmm_reg) halves,
                        mask = in(kreg) mask, to = in(reg) to, options(nostack, preserves_flags)
                    );
                }
            }
        }
        // SAFETY: as the caller promises.
        4 => unsafe { write::<WHOLE, _>(to, mask, [low, high]) },
        8 => {
            let [other_low, other_high] = vectors(all[1 % WORDS]);
            let ([a, b], [c, d]) = (in_turn(low, other_low), in_turn(high, other_high));
            // SAFETY: as the caller promises.
            unsafe { write::<WHOLE, _>(to, mask, [a, b, c, d]) };
        }
        _ => {
            let [b_low, b_high] = vectors(all[1 % WORDS]);
            let [c_low, c_high] = vectors(all[2 % WORDS]);
            let [d_low, d_high] = vectors(all[3 % WORDS]);
            let (even, odd) = (in_turn(low, c_low), in_turn(b_low, d_low));
            let ([a, b], [c, d]) = (in_turn(even[0], odd[0]), in_turn(even[1], odd[1]));
            let (even, odd) = (in_turn(high, c_high), in_turn(b_high, d_high));
            let ([e, f], [g, h]) = (in_turn(even[0], odd[0]), in_turn(even[1], odd[1]));
            // SAFETY: as the caller promises.
            unsafe { write::<WHOLE, _>(to, mask, [a, b, c, d, e, f, g, h]) };
        }
    }
}

/// As [`super::read_doubles`], of lanes in a row.
///
/// # Safety
/// The lanes of `mask` can be read, and are aligned.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub(super) unsafe fn read_doubles<const WHOLE: bool, const COUNT: usize>(
    from: *const u8,
    mask: u32,
) -> [Register<u64>; COUNT] {
    let mut all = [Register::default(); COUNT];
    if COUNT == 1 {
        // SAFETY: as the caller promises.
        all[0] = doubles(unsafe { read::<WHOLE, 4>(from, mask) });
    } else {
        // SAFETY: as the caller promises.
        let [a, b, c, d, e, f, g, h] = unsafe { read::<WHOLE, 8>(from, mask) };
        let (a, b, c, d) =
            (doubles_apart(a, b), doubles_apart(c, d), doubles_apart(e, f), doubles_apart(g, h));
        for index in 0..COUNT {
            let half = index % 2;
            all[index] = doubles([a[half], b[half], c[half], d[half]]);
        }
    }
    all
}

#[inline]
#[target_feature(enable = "avx512f")]
fn doubles(vectors: [__m512i; 4]) -> Register<u64> {
    // SAFETY: four vectors of 8 and a register have one size, and any bits are a value of
    // either.
    unsafe { std::mem::transmute(vectors) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(doubles: &[u64; 32]) -> [__m512i; 4] {
    // SAFETY: there are 32 values.
    let load = |part: &[u64]| unsafe { _mm512_loadu_si512(part.as_ptr().cast()) };
    [load(&doubles[..8]), load(&doubles[8..16]), load(&doubles[16..24]), load(&doubles[24..])]
}

/// As [`super::write_doubles`], of lanes in a row.
///
/// # Safety
/// The lanes of `mask` can be written, and are aligned.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub(super) unsafe fn write_doubles<const WHOLE: bool, const COUNT: usize>(
    to: *mut u8,
    mask: u32,
    doubles: &[&[u64; 32]; COUNT],
) {
    let [a, b, c, d] = quarters(doubles[0]);
    if COUNT == 1 {
        // SAFETY: as the caller promises.
        return unsafe { write::<WHOLE, _>(to, mask, [a, b, c, d]) };
    }
    let [e, f, g, h] = quarters(doubles[1 % COUNT]);
    let ([a, e], [b, f]) = (doubles_in_turn(a, e), doubles_in_turn(b, f));
    let ([c, g], [d, h]) = (doubles_in_turn(c, g), doubles_in_turn(d, h));
    // SAFETY: as the caller promises.
    unsafe { write::<WHOLE, _>(to, mask, [a, e, b, f, c, g, d, h]) };
}
