//! Atomics on rows of 8 bytes with the vectors of AVX-512. A warp fills four of them, so that to
//! store anything in between would take as long as all the rest.

use std::arch::x86_64::{
    __m512i, _CMP_UNORD_Q, _mm512_add_epi64, _mm512_add_pd, _mm512_add_ps, _mm512_and_si512,
    _mm512_castpd_si512, _mm512_castps_si512, _mm512_castsi512_pd, _mm512_castsi512_ps,
    _mm512_cmp_pd_mask, _mm512_cmpeq_epi64_mask, _mm512_fpclass_ps_mask, _mm512_mask_mov_epi64,
    _mm512_max_epi64, _mm512_max_epu64, _mm512_min_epi64, _mm512_min_epu64, _mm512_or_si512,
    _mm512_xor_si512,
};

use super::host::{apart, in_turn, read, vectors, words, write};
use crate::program::Rmw;

/// Numbers of these kinds take a way of their own: what is subnormal is flushed, and a NaN is made
/// the one of the hardware. As `vfpclassps` numbers them: subnormal; NaN as well.
const SUBNORMAL: i32 = 0x20;
const ODD: i32 = SUBNORMAL | 0x81;

/// As [`super::change_doubles`], of the 32 values at `cells`.
///
/// # Safety
/// The cells are valid and aligned. The machine has AVX-512.
#[inline]
#[target_feature(enable = "avx512f,bmi2")]
pub(super) unsafe fn change(
    f: Rmw,
    cells: *mut u8,
    registers: &mut [[u64; 32]],
    (b, c, d): (usize, usize, Option<usize>),
) -> Option<u32> {
    // SAFETY: as the caller promises.
    let old = unsafe { read::<true, 4>(cells, u32::MAX) };
    let (b, c) = (doubles(&registers[b]), doubles(&registers[c]));
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
    // SAFETY: as the caller promises.
    unsafe { write::<true, 4>(cells, u32::MAX, new) };
    if let Some(d) = d {
        // SAFETY: four vectors and a register have one size, and any bits are a value of either.
        registers[d] = unsafe { std::mem::transmute::<[__m512i; 4], [u64; 32]>(old) };
    }
    Some(kept)
}

/// As [`super::add_pairs`], to the 32 pairs at `cells`.
///
/// # Safety
/// The cells are valid and aligned. The machine has AVX-512.
#[inline]
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,bmi2")]
pub(super) unsafe fn add_pairs(
    cells: *mut u8,
    registers: &mut [[u32; 32]],
    (b, d): (usize, Option<usize>),
) -> bool {
    // SAFETY: as the caller promises.
    let old = unsafe { read::<true, 4>(cells, u32::MAX) };
    let (first, second) = (vectors(&registers[b]), vectors(&registers[b + 1]));
    let ([b0, b1], [b2, b3]) = (in_turn(first[0], second[0]), in_turn(first[1], second[1]));
    let sum = |a, b| {
        let sum = _mm512_add_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
        let odd = _mm512_fpclass_ps_mask::<ODD>(sum)
            | _mm512_fpclass_ps_mask::<SUBNORMAL>(_mm512_castsi512_ps(a))
            | _mm512_fpclass_ps_mask::<SUBNORMAL>(_mm512_castsi512_ps(b));
        (_mm512_castps_si512(sum), odd)
    };
    let new = [sum(old[0], b0), sum(old[1], b1), sum(old[2], b2), sum(old[3], b3)];
    if new[0].1 | new[1].1 | new[2].1 | new[3].1 != 0 {
        return false;
    }
    // SAFETY: as the caller promises.
    unsafe { write::<true, 4>(cells, u32::MAX, [new[0].0, new[1].0, new[2].0, new[3].0]) };
    if let Some(d) = d {
        let (low, high) = (apart(old[0], old[1]), apart(old[2], old[3]));
        for index in 0..2 {
            registers[d + index] = words([low[index], high[index]]).0;
        }
    }
    true
}

#[inline]
#[target_feature(enable = "avx512f")]
fn doubles(register: &[u64; 32]) -> [__m512i; 4] {
    // SAFETY: as above.
    unsafe { std::mem::transmute::<[u64; 32], [__m512i; 4]>(*register) }
}
