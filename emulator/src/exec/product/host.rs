//! The same with AVX2.

use std::arch::x86_64::{
    __m256, __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_castsi256_ps, _mm256_cvttps_epi32,
    _mm256_madd_epi16, _mm256_max_epi16, _mm256_max_epi32, _mm256_mul_ps, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srai_epi32,
    _mm256_sub_epi32,
};

use super::integers::Pairs;
use super::{LOWEST, NOTHING, Operands, ROWS, Row, Sums};
use crate::program::Product;

/// Eight words from an array of 32 on: those at `at`, or four each of two arrays.
#[inline(always)]
fn vector<T: Copy>(words: &[T; 32], at: usize) -> __m256i {
    const { assert!(size_of::<T>() == 4) };
    let words = &words[at & 0x18..][..8];
    // SAFETY: eight words and a vector of eight have one size, and any bits are a value of it.
    unsafe { words.as_ptr().cast::<__m256i>().read_unaligned() }
}

#[inline(always)]
fn vector_of_two<T: Copy>([low, high]: [&[T; 32]; 2], at: usize) -> __m256i {
    const { assert!(size_of::<T>() == 4) };
    let (low, high) = (&low[at & 0x1c..][..4], &high[at & 0x1c..][..4]);
    // SAFETY: as in `vector`, with two times four words.
    unsafe {
        let both = [low.as_ptr().cast::<[u32; 4]>(), high.as_ptr().cast::<[u32; 4]>()];
        std::mem::transmute::<[[u32; 4]; 2], __m256i>([
            both[0].read_unaligned(),
            both[1].read_unaligned(),
        ])
    }
}

#[inline(always)]
fn set(row: &mut Row, vector: __m256i) {
    // SAFETY: as in `vector`.
    *row = unsafe { std::mem::transmute::<__m256i, Row>(vector) };
}

/// Exponents of the first or second part, from words that hold both.
#[inline]
#[target_feature(enable = "avx2")]
fn unpacked(pairs: __m256i, part: usize) -> __m256i {
    let high = if part == 0 { _mm256_slli_epi32::<16>(pairs) } else { pairs };
    _mm256_srai_epi32::<16>(high)
}

/// `2^(biased - 127)`, or zero where that is too small.
#[inline]
#[target_feature(enable = "avx2")]
fn power(biased: __m256i) -> __m256 {
    let biased = _mm256_max_epi32(biased, _mm256_setzero_si256());
    _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
}

/// As [`super::add_products`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add_products<
    const P: usize,
    const WIDE: bool,
    const A: usize,
    const B: usize,
    const KEEP: i32,
>(
    operands: &Operands<A, B>,
    registers: usize,
    sums: &mut Sums,
) {
    let Operands { a, a_exponents, b, b_exponents, c, c_exponents } = operands;
    for row in 0..ROWS {
        let (half, first) = (row / 8, row % 8 * 4);
        let own = vector_of_two([&c_exponents[half][0], &c_exponents[half][1]], first);
        let exponents = |register: usize, lane: usize| {
            let of_a = a_exponents[(2 * register + half) % A][first + lane];
            let of_b = vector(&b_exponents[register % B], 8 * lane);
            _mm256_add_epi16(_mm256_set1_epi32(of_a.cast_signed()), of_b)
        };
        let mut pairs = _mm256_set1_epi16(NOTHING as i16);
        for register in 0..registers {
            for lane in 0..4 {
                pairs = _mm256_max_epi16(pairs, exponents(register, lane));
            }
        }
        let highest = _mm256_max_epi32(unpacked(pairs, 0), unpacked(pairs, 1));
        let lowest = _mm256_set1_epi32(LOWEST[usize::from(WIDE)]);
        let highest = _mm256_max_epi32(_mm256_max_epi32(highest, own), lowest);
        let up = _mm256_sub_epi32(_mm256_set1_epi32(KEEP + 127), highest);
        let scaled = |number: __m256, exponent: __m256i| {
            let up = if WIDE { _mm256_add_epi32(up, exponent) } else { up };
            _mm256_cvttps_epi32(_mm256_mul_ps(number, power(up)))
        };
        let c = vector_of_two([&c[half][0], &c[half][1]], first);
        let mut total = scaled(_mm256_castsi256_ps(c), own);
        for register in 0..registers {
            for lane in 0..4 {
                let pairs = exponents(register, lane);
                for part in 0..P {
                    let a = a[(2 * register + half) % A][part][first + lane];
                    let b = _mm256_castsi256_ps(vector(&b[register % B][part], 8 * lane));
                    let product = _mm256_mul_ps(_mm256_set1_ps(a), b);
                    total = _mm256_add_epi32(total, scaled(product, unpacked(pairs, part)));
                }
            }
            if B > 2 {
                // Short terms, which fit in one sum.
                set(&mut sums.totals[0][row], total);
            } else {
                set(&mut sums.totals[register & 1][row], total);
                total = _mm256_setzero_si256();
            }
        }
        set(&mut sums.exponents[row], highest);
    }
}

/// Adds products of pairs of 16-bit numbers, `P` of them in a register.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add_pairs<const P: usize>(pairs: &Pairs, product: &Product, sums: &mut [Row; ROWS]) {
    let halves = product.rows / 8;
    for row in 0..product.rows.min(ROWS) {
        let (half, first) = (row / 8, row % 8 * 4);
        let mut total = _mm256_setzero_si256();
        for register in 0..product.b.len() {
            let (a, b) = (&pairs.a[(register * halves + half) & 3], &pairs.b[register & 1]);
            for lane in 0..4 {
                for part in 0..P {
                    let a = _mm256_set1_epi32(a[part][first + lane].cast_signed());
                    let product = _mm256_madd_epi16(a, vector(&b[part], 8 * lane));
                    total = _mm256_add_epi32(total, product);
                }
            }
        }
        set(&mut sums[row], total);
    }
}
