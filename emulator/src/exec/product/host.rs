//! The same with AVX2.

use std::arch::x86_64::{
    __m256i, _mm256_abs_epi32, _mm256_add_epi32, _mm256_madd_epi16, _mm256_max_epi32,
    _mm256_set1_epi32, _mm256_setzero_si256, _mm256_sign_epi32, _mm256_slli_epi32,
    _mm256_srlv_epi32, _mm256_sub_epi32,
};

use super::{BITS, DEPTH, KEPT, LOWEST, Operands, ROWS, Row, Sums};

#[inline(always)]
fn vector(row: &Row) -> __m256i {
    // SAFETY: eight numbers and a vector of eight have one size, and any bits are a value of
    // either.
    unsafe { std::mem::transmute::<Row, __m256i>(*row) }
}

#[inline(always)]
fn set(row: &mut Row, vector: __m256i) {
    // SAFETY: as in `vector`.
    *row = unsafe { std::mem::transmute::<__m256i, Row>(vector) };
}

/// What is left of numbers when they are shifted down, but for their signs: nothing where that is
/// by more bits than a word has.
#[inline]
#[target_feature(enable = "avx2")]
fn cut(numbers: __m256i, by: __m256i) -> __m256i {
    _mm256_sign_epi32(_mm256_srlv_epi32(_mm256_abs_epi32(numbers), by), numbers)
}

/// As [`super::add_products`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn add_products(operands: &Operands, depth: usize, sums: &mut Sums) {
    // What lies deeper is zero, and adds nothing.
    if depth > 8 {
        add_rows::<DEPTH>(operands, sums);
    } else {
        add_rows::<8>(operands, sums);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_rows<const K: usize>(operands: &Operands, sums: &mut Sums) {
    const C_UP: i32 = KEPT - BITS[2].cast_signed();
    let Operands { a, a_exponents, b, b_exponents, c, c_exponents } = operands;
    for row in 0..ROWS {
        let own = vector(&c_exponents[row]);
        let mut highest = _mm256_max_epi32(own, _mm256_set1_epi32(LOWEST));
        let mut exponents = [own; K];
        for k in 0..K {
            let exponent = _mm256_set1_epi32(a_exponents[row][k]);
            exponents[k] = _mm256_add_epi32(exponent, vector(&b_exponents[k]));
            highest = _mm256_max_epi32(highest, exponents[k]);
        }
        let c = _mm256_slli_epi32::<C_UP>(vector(&c[row]));
        let c = cut(c, _mm256_sub_epi32(highest, own));
        let mut totals = [c, _mm256_setzero_si256()];
        for k in 0..K {
            let product = _mm256_madd_epi16(_mm256_set1_epi32(a[row][k]), vector(&b[k]));
            let term = cut(product, _mm256_sub_epi32(highest, exponents[k]));
            totals[k / 8] = _mm256_add_epi32(totals[k / 8], term);
        }
        set(&mut sums.totals[0][row], totals[0]);
        set(&mut sums.totals[1][row], totals[1]);
        set(&mut sums.exponents[row], highest);
    }
}
