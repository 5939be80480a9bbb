//! Atomics on rows of 8 bytes with the vectors of AVX-512. A warp fills four of them, so that to
//! store anything in between would take as long as all the rest.

use std::arch::asm;
use std::arch::x86_64::{
    __m512i, _CMP_UNORD_Q, _mm512_add_epi64, _mm512_add_pd, _mm512_and_si512, _mm512_castpd_si512,
    _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_cmpeq_epi64_mask, _mm512_mask_mov_epi64,
    _mm512_max_epi64, _mm512_max_epu64, _mm512_min_epi64, _mm512_min_epu64, _mm512_or_si512,
    _mm512_xor_si512,
};

use crate::program::Rmw;

/// As [`super::change_doubles`], of the 32 values at `cells`.
///
/// # Safety
/// The cells are valid and aligned. The machine has AVX-512.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn change(
    f: Rmw,
    cells: *mut u8,
    registers: &mut [[u64; 32]],
    (b, c, d): (usize, usize, Option<usize>),
) -> Option<u32> {
    // SAFETY: as the caller promises.
    let old = [0, 64, 128, 192].map(|at| unsafe { read(cells.wrapping_add(at)) });
    let (b, c) = (vectors(&registers[b]), vectors(&registers[c]));
    macro_rules! each {
        (|$old:ident, $b:ident, $c:ident| $new:expr) => {{
            let one = |$old: __m512i, $b: __m512i, $c: __m512i| $new;
            [
                one(old[0], b[0], c[0]),
                one(old[1], b[1], c[1]),
                one(old[2], b[2], c[2]),
                one(old[3], b[3], c[3]),
            ]
        }};
    }
    let sum =
        |a, b| _mm512_castpd_si512(_mm512_add_pd(_mm512_castsi512_pd(a), _mm512_castsi512_pd(b)));
    let new = match f {
        Rmw::Add => each!(|old, b, _c| _mm512_add_epi64(old, b)),
        Rmw::AddFloat | Rmw::AddFlushed => each!(|old, b, _c| sum(old, b)),
        Rmw::MinU => each!(|old, b, _c| _mm512_min_epu64(old, b)),
        Rmw::MinS => each!(|old, b, _c| _mm512_min_epi64(old, b)),
        Rmw::MaxU => each!(|old, b, _c| _mm512_max_epu64(old, b)),
        Rmw::MaxS => each!(|old, b, _c| _mm512_max_epi64(old, b)),
        Rmw::And => each!(|old, b, _c| _mm512_and_si512(old, b)),
        Rmw::Or => each!(|old, b, _c| _mm512_or_si512(old, b)),
        Rmw::Xor => each!(|old, b, _c| _mm512_xor_si512(old, b)),
        Rmw::Exchange => b,
        Rmw::CompareExchange => {
            each!(|old, b, c| _mm512_mask_mov_epi64(old, _mm512_cmpeq_epi64_mask(old, b), c))
        }
        _ => return None,
    };
    let mut kept = 0;
    match f {
        Rmw::AddFloat | Rmw::AddFlushed => {
            let odd = |new| {
                let new = _mm512_castsi512_pd(new);
                _mm512_cmp_pd_mask::<_CMP_UNORD_Q>(new, new)
            };
            if odd(new[0]) | odd(new[1]) | odd(new[2]) | odd(new[3]) != 0 {
                return None;
            }
        }
        Rmw::MinU | Rmw::MinS | Rmw::MaxU | Rmw::MaxS => {
            let same = |part: usize| u32::from(_mm512_cmpeq_epi64_mask(old[part], new[part]));
            kept = same(0) | same(1) << 8 | same(2) << 16 | same(3) << 24;
        }
        _ => {}
    }
    for part in 0..4 {
        // SAFETY: as the caller promises.
        unsafe { write(cells.wrapping_add(64 * part), new[part]) };
    }
    if let Some(d) = d {
        // SAFETY: four vectors and a register have one size, and any bits are a value of either.
        registers[d] = unsafe { std::mem::transmute::<[__m512i; 4], [u64; 32]>(old) };
    }
    Some(kept)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn vectors(register: &[u64; 32]) -> [__m512i; 4] {
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[u64; 32], [__m512i; 4]>(*register) }
}

/// # Safety
/// Eight values can be read there, and are aligned: each is read in one piece.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn read(from: *const u8) -> __m512i {
    let vector: __m512i;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "vmovdqu64 {vector}, [{from}]", vector = out(zmm_reg) vector,
            from = in(reg) from, options(nostack, readonly, preserves_flags)
        );
    }
    vector
}

/// # Safety
/// Eight values can be written there, and are aligned.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn write(to: *mut u8, vector: __m512i) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "vmovdqu64 [{to}], {vector}", vector = in(zmm_reg) vector,
            to = in(reg) to, options(nostack, preserves_flags)
        );
    }
}
