//! Writes some lanes of a register. In assembly, because the compiler turns load, blend and store into
//! a masked store, which is ten times slower on some of AMD's processors, or puts vectors together
//! from pieces.

use std::arch::asm;
use std::arch::x86_64::{
    __m256i, __mmask16, _mm256_and_si256, _mm256_cmpeq_epi32, _mm256_cmpeq_epi64,
    _mm256_loadu_si256, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32,
    _mm256_setr_epi64x, _mm512_loadu_si512,
};

/// # Safety
/// Both have sixteen words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn sixteen_words(to: *mut u8, from: *const u8, mask: u32) {
    // SAFETY: the caller promises the words.
    unsafe {
        let new = _mm512_loadu_si512(from.cast());
        asm!(
            "vmovdqu32 {new}{{{off}}}, [{to}]",
            "vmovdqu32 [{to}], {new}",
            to = in(reg) to,
            new = inout(zmm_reg) new => _,
            off = in(kreg) !mask as __mmask16,
            options(nostack, preserves_flags)
        );
    }
}

/// # Safety
/// Both have sixteen values.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn sixteen_doubles(to: *mut u8, from: *const u8, mask: u32) {
    for half in 0..2 {
        // SAFETY: the caller promises the values.
        unsafe {
            let new = _mm512_loadu_si512(from.add(64 * half).cast());
            asm!(
                "vmovdqu64 {new}{{{off}}}, [{to}]",
                "vmovdqu64 [{to}], {new}",
                to = in(reg) to.wrapping_add(64 * half),
                new = inout(zmm_reg) new => _,
                off = in(kreg) (!mask >> (8 * half)) as __mmask16,
                options(nostack, preserves_flags)
            );
        }
    }
}

/// Writes the lanes in which `on` is all ones.
///
/// # Safety
/// There are 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn store(to: *mut u8, new: __m256i, on: __m256i) {
    // SAFETY: the caller promises the bytes.
    unsafe {
        asm!(
            "vmovdqu {old}, [{to}]",
            "vpblendvb {old}, {old}, {new}, {on}",
            "vmovdqu [{to}], {old}",
            to = in(reg) to,
            new = in(ymm_reg) new,
            on = in(ymm_reg) on,
            old = out(ymm_reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// # Safety
/// Both have eight words.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn eight_words(to: *mut u8, from: *const u8, mask: u32) {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    let lanes = _mm256_set1_epi32(mask.cast_signed());
    let on = _mm256_cmpeq_epi32(_mm256_and_si256(lanes, bits), bits);
    // SAFETY: the caller promises the words.
    unsafe { store(to, _mm256_loadu_si256(from.cast()), on) };
}

/// # Safety
/// Both have eight values.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn eight_doubles(to: *mut u8, from: *const u8, mask: u32) {
    let lanes = _mm256_set1_epi64x(i64::from(mask));
    for (half, bits) in [_mm256_setr_epi64x(1, 2, 4, 8), _mm256_setr_epi64x(16, 32, 64, 128)]
        .into_iter()
        .enumerate()
    {
        let on = _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bits), bits);
        // SAFETY: the caller promises the values.
        unsafe {
            store(to.wrapping_add(32 * half), _mm256_loadu_si256(from.add(32 * half).cast()), on);
        };
    }
}
