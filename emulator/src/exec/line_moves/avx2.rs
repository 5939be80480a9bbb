//! Reads and writes of one cell of the lanes in a line, with the vectors of AVX2.

use std::arch::asm;
use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_cmpeq_epi64,
    _mm256_loadu_si256, _mm256_permute4x64_epi64, _mm256_permutevar8x32_epi32, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_setr_epi64x, _mm256_shuffle_epi8,
};

use crate::machine::Register;

/// Defines reading and writing for cells that a vector instruction chooses by a mask.
macro_rules! moves {
    (
        $cell:ty, $lanes:literal, $instruction:literal, $chosen:ident, $read:ident, $write:ident
    ) => {
        /// Reads the cells of the lanes of `mask`; those of others are 0.
        ///
        /// # Safety
        /// The lanes of `mask` can be read, and are aligned.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $read(from: *const u8, mask: u32) -> Register<$cell> {
            let mut values = Register([0; 32]);
            for (index, part) in values.as_chunks_mut::<$lanes>().0.iter_mut().enumerate() {
                let (from, on) = (from.wrapping_add(32 * index), $chosen(mask >> ($lanes * index)));
                let vector: __m256i;
                // SAFETY: the caller promises the lanes, and no others are read. Every cell is
                // aligned, so each is read in one piece.
                unsafe {
                    asm!(
                        concat!($instruction, " {vector}, {on}, [{from}]"),
                        vector = out(ymm_reg) vector, on = in(ymm_reg) on, from = in(reg) from,
                        options(nostack, readonly, preserves_flags)
                    );
                    *part = std::mem::transmute::<__m256i, [$cell; $lanes]>(vector);
                }
            }
            values
        }

        /// Writes them.
        ///
        /// # Safety
        /// The lanes of `mask` can be written, and are aligned.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $write(to: *mut u8, mask: u32, values: &[$cell; 32]) {
            for (index, part) in values.as_chunks::<$lanes>().0.iter().enumerate() {
                let (to, ones) = (to.wrapping_add(32 * index), (1 << $lanes) - 1);
                let mask = mask >> ($lanes * index) & ones;
                // SAFETY: the caller promises the lanes, and no others are written: `mask` has no
                // more bits than there are cells in `part`. Every cell is aligned, so each is
                // written in one piece.
                unsafe {
                    let vector = _mm256_loadu_si256(part.as_ptr().cast());
                    if mask == ones {
                        asm!(
                            "vmovdqu [{to}], {vector}",
                            vector = in(ymm_reg) vector, to = in(reg) to,
                            options(nostack, preserves_flags)
                        );
                    } else {
                        asm!(
                            concat!($instruction, " [{to}], {on}, {vector}"),
                            vector = in(ymm_reg) vector, on = in(ymm_reg) $chosen(mask),
                            to = in(reg) to, options(nostack, preserves_flags)
                        );
                    }
                }
            }
        }
    };
}

moves!(u32, 8, "vpmaskmovd", words, read_words, write_words);
moves!(u64, 4, "vpmaskmovq", doubles, read_doubles, write_doubles);

/// All ones in the words of the lowest eight lanes that take part.
#[inline]
#[target_feature(enable = "avx2")]
fn words(mask: u32) -> __m256i {
    let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(mask.cast_signed()), bits), bits)
}

/// The same of four lanes of 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn doubles(mask: u32) -> __m256i {
    let bits = _mm256_setr_epi64x(1, 2, 4, 8);
    _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask.into()), bits), bits)
}

/// Defines reading and writing of narrower cells, of all lanes: eight cells are `$bytes` bytes.
macro_rules! narrow {
    ($widen:literal, $store:literal, $bytes:literal, $low:expr, $read:ident, $write:ident) => {
        /// Reads the cells of all lanes, zero-extended.
        ///
        /// # Safety
        /// All lanes can be read, and are aligned.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $read(from: *const u8) -> Register<u32> {
            let mut values = Register([0; 32]);
            for (index, part) in values.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                let vector: __m256i;
                // SAFETY: the caller promises the lanes. Every cell is aligned, so each is read
                // in one piece.
                unsafe {
                    asm!(
                        concat!($widen, " [{from}]"),
                        vector = out(ymm_reg) vector, from = in(reg) from.wrapping_add($bytes * index),
                        options(nostack, readonly, preserves_flags)
                    );
                    *part = std::mem::transmute::<__m256i, [u32; 8]>(vector);
                }
            }
            values
        }

        /// Writes their low bits.
        ///
        /// # Safety
        /// All lanes can be written, and are aligned.
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $write(to: *mut u8, values: &[u32; 32]) {
            let (a, b, c, d) = $low;
            let low = _mm256_setr_epi32(a, b, c, d, a, b, c, d);
            for (index, part) in values.as_chunks::<8>().0.iter().enumerate() {
                // SAFETY: the caller promises the lanes. Every cell is aligned, so each is
                // written in one piece.
                unsafe {
                    let vector = std::mem::transmute::<[u32; 8], __m256i>(*part);
                    // Of each half, the cells side by side; then both halves.
                    let cells = _mm256_shuffle_epi8(vector, low);
                    let both = _mm256_setr_epi32(0, 4, 0, 4, 0, 4, 0, 4);
                    let vector = if $bytes == 8 {
                        _mm256_permutevar8x32_epi32(cells, both)
                    } else {
                        _mm256_permute4x64_epi64::<0b00_00_10_00>(cells)
                    };
                    asm!(
                        concat!($store, " [{to}], {vector}"),
                        vector = in(xmm_reg) _mm256_castsi256_si128(vector),
                        to = in(reg) to.wrapping_add($bytes * index),
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    };
}

narrow!(
    "vpmovzxbd {vector}, qword ptr",
    "vmovq",
    8,
    (0x0c08_0400, -1, -1, -1),
    read_bytes,
    write_bytes
);
narrow!(
    "vpmovzxwd {vector}, xmmword ptr",
    "vmovdqu",
    16,
    (0x0504_0100, 0x0d0c_0908, -1, -1),
    read_halves,
    write_halves
);
