//! The reads themselves, in assembly.

use std::arch::asm;
use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_setzero_si128, _mm256_castsi128_si256, _mm256_inserti128_si256,
    _mm512_castsi256_si512, _mm512_inserti64x4,
};

use crate::machine::host_vectors::HostVectors;

/// Reads values of four places into a vector at the elements given.
macro_rules! insert {
    ($insert:literal, $vector:expr, $start:expr, $offsets:expr, [$a:literal, $b:literal, $c:literal, $d:literal]) => {{
        let at = |lane: usize| -> u64 { $offsets[lane].into() };
        let mut vector: __m128i = $vector;
        // SAFETY: the caller promises the places, and that they are aligned.
        unsafe {
            asm!(
                concat!($insert, " {v}, {v}, [{s} + {a}], ", $a),
                concat!($insert, " {v}, {v}, [{s} + {b}], ", $b),
                concat!($insert, " {v}, {v}, [{s} + {c}], ", $c),
                concat!($insert, " {v}, {v}, [{s} + {d}], ", $d),
                v = inout(xmm_reg) vector, s = in(reg) $start, a = in(reg) at($a),
                b = in(reg) at($b), c = in(reg) at($c), d = in(reg) at($d),
                options(nostack, readonly, preserves_flags)
            );
        }
        vector
    }};
}

/// Reads values of eight places, which lie in a vector.
macro_rules! gather {
    ($gather:literal, $width:literal, $vector:ty, $start:expr, $offsets:expr) => {{
        let vector: $vector;
        // SAFETY: the caller promises the places, and that they are aligned.
        unsafe {
            asm!(
                "kxnorw {k}, {k}, {k}",
                "vpxord {v:y}, {v:y}, {v:y}",
                concat!($gather, " {v:", $width, "}{{{k}}}, [{s} + {o}]"),
                k = out(kreg) _, v = out(zmm_reg) vector, s = in(reg) $start,
                o = in(zmm_reg) $offsets,
                options(nostack, readonly, preserves_flags, pure)
            );
        }
        vector
    }};
}

#[inline]
#[target_feature(enable = "avx2")]
fn pair(low: __m128i, high: __m128i) -> __m256i {
    _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high)
}

#[inline]
#[target_feature(enable = "avx512f,avx2")]
fn four(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(pair(a, b)), pair(c, d))
}

/// Eight of the offsets, as 64 bits.
#[inline]
#[target_feature(enable = "avx512f")]
fn eight<O: Copy + Into<u64>>(offsets: &[O; 32], first: usize) -> __m512i {
    let mut eight = [0; 8];
    for lane in 0..8 {
        eight[lane] = offsets[first + lane].into();
    }
    // SAFETY: both have one size, and any bits are a value of either.
    unsafe { std::mem::transmute::<[u64; 8], __m512i>(eight) }
}

/// 16 bytes from as many places.
///
/// # Safety
/// Bytes can be read at the places.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn some_bytes<O: Copy + Into<u64>>(start: *const u8, offsets: &[O]) -> __m128i {
    let v = insert!("vpinsrb", _mm_setzero_si128(), start, offsets, [0, 1, 2, 3]);
    let v = insert!("vpinsrb", v, start, offsets, [4, 5, 6, 7]);
    let v = insert!("vpinsrb", v, start, offsets, [8, 9, 10, 11]);
    insert!("vpinsrb", v, start, offsets, [12, 13, 14, 15])
}

/// 8 halves of words.
///
/// # Safety
/// They can be read at the places, which are aligned.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn some_halves<O: Copy + Into<u64>>(start: *const u8, offsets: &[O]) -> __m128i {
    let v = insert!("vpinsrw", _mm_setzero_si128(), start, offsets, [0, 1, 2, 3]);
    insert!("vpinsrw", v, start, offsets, [4, 5, 6, 7])
}

/// 4 words.
///
/// # Safety
/// As for [`some_halves`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn some_words<O: Copy + Into<u64>>(start: *const u8, offsets: &[O]) -> __m128i {
    insert!("vpinsrd", _mm_setzero_si128(), start, offsets, [0, 1, 2, 3])
}

/// 2 double words.
///
/// # Safety
/// As for [`some_halves`].
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn some_doubles<O: Copy + Into<u64>>(start: *const u8, offsets: &[O]) -> __m128i {
    let at = |lane: usize| -> u64 { offsets[lane].into() };
    let vector: __m128i;
    // SAFETY: the caller promises the places, and that they are aligned.
    unsafe {
        asm!(
            "vmovq {v}, [{s} + {a}]", "vpinsrq {v}, {v}, [{s} + {b}], 1",
            v = out(xmm_reg) vector, s = in(reg) start, a = in(reg) at(0), b = in(reg) at(1),
            options(nostack, readonly, preserves_flags)
        );
    }
    vector
}

/// # Safety
/// Bytes can be read at the places.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(super) unsafe fn bytes<O: Copy + Into<u64>>(start: *const u8, offsets: &[O; 32]) -> [u8; 32] {
    // SAFETY: the caller promises the places.
    unsafe { avx2::bytes(start, offsets) }
}

/// # Safety
/// Halves of words can be read at the places, which are aligned.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(super) unsafe fn halves<O: Copy + Into<u64>>(start: *const u8, offsets: &[O; 32]) -> [u16; 32] {
    let [a, b, c, d] = [0, 8, 16, 24];
    // SAFETY: the caller promises the places. An array and a vector have one size, and any
    // bits are a value of either.
    unsafe {
        let part = |first: usize| some_halves(start, &offsets[first..first + 8]);
        std::mem::transmute(four(part(a), part(b), part(c), part(d)))
    }
}

/// # Safety
/// Words can be read at the places, which are aligned.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(super) unsafe fn words<O: Copy + Into<u64>>(start: *const u8, offsets: &[O; 32]) -> [u32; 32] {
    let vectors = if HostVectors::amd() {
        // SAFETY: the caller promises the places.
        let part = |first: usize| unsafe { some_words(start, &offsets[first..first + 4]) };
        [four(part(0), part(4), part(8), part(12)), four(part(16), part(20), part(24), part(28))]
    } else {
        let part = |first| gather!("vpgatherqd", "y", __m256i, start, eight(offsets, first));
        // Whole vectors: what reads one waits for halves that were written apart.
        let join = |a, b| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), b);
        [join(part(0), part(8)), join(part(16), part(24))]
    };
    // SAFETY: both have one size, and any bits are a value of either.
    unsafe { std::mem::transmute(vectors) }
}

/// # Safety
/// Double words can be read at the places, which are aligned.
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(super) unsafe fn doubles<O: Copy + Into<u64>>(
    start: *const u8,
    offsets: &[O; 32],
) -> [u64; 32] {
    let vectors = if HostVectors::amd() {
        // SAFETY: the caller promises the places.
        let part = |first: usize| unsafe { some_doubles(start, &offsets[first..first + 2]) };
        let group =
            |first: usize| four(part(first), part(first + 2), part(first + 4), part(first + 6));
        [group(0), group(8), group(16), group(24)]
    } else {
        let part = |first| gather!("vpgatherqq", "z", __m512i, start, eight(offsets, first));
        [part(0), part(8), part(16), part(24)]
    };
    // SAFETY: both have one size, and any bits are a value of either.
    unsafe { std::mem::transmute(vectors) }
}

/// The same without AVX-512.
pub(super) mod avx2 {
    use std::arch::x86_64::__m256i;

    use super::{pair, some_bytes, some_doubles, some_halves, some_words};

    macro_rules! read {
        ($name:ident, $some:ident, $ty:ty, $count:literal) => {
            /// # Safety
            /// Values can be read at the places, which are aligned.
            #[inline]
            #[target_feature(enable = "avx2")]
            pub(in crate::machine::gather) unsafe fn $name<O: Copy + Into<u64>>(
                start: *const u8,
                offsets: &[O; 32],
            ) -> [$ty; 32] {
                const PART: usize = 32 / $count;
                let mut all = [[0; 2 * PART]; $count / 2];
                for (offsets, all) in offsets.chunks_exact(2 * PART).zip(&mut all) {
                    // SAFETY: the caller promises the places. An array and a vector have one
                    // size, and any bits are a value of either.
                    *all = unsafe {
                        let low = $some(start, &offsets[..PART]);
                        std::mem::transmute::<__m256i, [$ty; 2 * PART]>(pair(
                            low,
                            $some(start, &offsets[PART..]),
                        ))
                    };
                }
                // SAFETY: as above.
                unsafe { std::mem::transmute::<[[$ty; 2 * PART]; $count / 2], [$ty; 32]>(all) }
            }
        };
    }

    read!(bytes, some_bytes, u8, 2);
    read!(halves, some_halves, u16, 4);
    read!(words, some_words, u32, 8);
    read!(doubles, some_doubles, u64, 16);
}
