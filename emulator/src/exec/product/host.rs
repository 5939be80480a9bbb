//! A row of sums with vectors.

use std::arch::x86_64::{
    __m256d, __m256i, __m512d, _mm256_add_epi32, _mm256_add_pd, _mm256_castsi256_pd,
    _mm256_castsi256_si128, _mm256_cvtepi32_epi64, _mm256_extracti128_si256, _mm256_max_epi32,
    _mm256_mul_pd, _mm256_round_pd, _mm256_set1_epi32, _mm256_set1_pd, _mm256_slli_epi64,
    _mm256_sub_epi32, _mm512_add_pd, _mm512_castsi512_pd, _mm512_cvtepi32_epi64, _mm512_mul_pd,
    _mm512_roundscale_pd, _mm512_set1_pd, _mm512_slli_epi64,
};

use super::{Exponents, Factors, KEPT, LOWEST, Row};

/// Cuts off what lies behind the point.
const CUT: i32 = 3;

#[inline(always)]
fn integers(exponents: &Exponents) -> __m256i {
    // SAFETY: eight numbers and a vector of eight have one size, and any bits are a value of
    // either.
    unsafe { std::mem::transmute::<Exponents, __m256i>(*exponents) }
}

/// The largest exponents of a row's terms, and those of what scales them, biased.
#[inline]
#[target_feature(enable = "avx2")]
fn scales(factors: &Factors, row: usize, depth: usize, own: &Exponents) -> [__m256i; 2] {
    let mut highest = _mm256_max_epi32(integers(own), _mm256_set1_epi32(LOWEST));
    let exponents = factors.a_exponents[row].iter().zip(&factors.b_exponents);
    for (&a, b) in exponents.take(depth) {
        let exponent = _mm256_add_epi32(_mm256_set1_epi32(a), integers(b));
        highest = _mm256_max_epi32(highest, exponent);
    }
    [highest, _mm256_sub_epi32(_mm256_set1_epi32(1023 + KEPT), highest)]
}

/// As [`super::sum_row`].
#[inline]
#[target_feature(enable = "avx512f,avx2")]
pub(super) fn sum_row(
    factors: &Factors,
    row: usize,
    depth: usize,
    (c, own): (&Row, &Exponents),
) -> (Row, Exponents) {
    // SAFETY: as in `integers`.
    let doubles = |row: &Row| unsafe { std::mem::transmute::<Row, __m512d>(*row) };
    let [highest, biased] = scales(factors, row, depth, own);
    let scale = _mm512_castsi512_pd(_mm512_slli_epi64::<52>(_mm512_cvtepi32_epi64(biased)));
    let mut totals = _mm512_roundscale_pd::<CUT>(_mm512_mul_pd(doubles(c), scale));
    for (&a, b) in factors.a[row].iter().zip(&factors.b).take(depth) {
        let product = _mm512_mul_pd(_mm512_set1_pd(a), doubles(b));
        let term = _mm512_roundscale_pd::<CUT>(_mm512_mul_pd(product, scale));
        totals = _mm512_add_pd(totals, term);
    }
    // SAFETY: as in `integers`.
    unsafe {
        (
            std::mem::transmute::<__m512d, Row>(totals),
            std::mem::transmute::<__m256i, Exponents>(highest),
        )
    }
}

/// The same with AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sum_row_avx2(
    factors: &Factors,
    row: usize,
    depth: usize,
    (c, own): (&Row, &Exponents),
) -> (Row, Exponents) {
    // SAFETY: as in `integers`.
    let doubles = |row: &Row| unsafe { std::mem::transmute::<Row, [__m256d; 2]>(*row) };
    let [highest, biased] = scales(factors, row, depth, own);
    let power = |biased| _mm256_castsi256_pd(_mm256_slli_epi64::<52>(_mm256_cvtepi32_epi64(biased)));
    let low = power(_mm256_castsi256_si128(biased));
    let high = power(_mm256_extracti128_si256::<1>(biased));
    let scaled = |value, scale| _mm256_round_pd::<CUT>(_mm256_mul_pd(value, scale));
    let [first, second] = doubles(c);
    let mut totals = [scaled(first, low), scaled(second, high)];
    for (&a, b) in factors.a[row].iter().zip(&factors.b).take(depth) {
        let (a, [first, second]) = (_mm256_set1_pd(a), doubles(b));
        let [one, other] = totals;
        totals = [
            _mm256_add_pd(one, scaled(_mm256_mul_pd(a, first), low)),
            _mm256_add_pd(other, scaled(_mm256_mul_pd(a, second), high)),
        ];
    }
    // SAFETY: as in `integers`.
    unsafe {
        (
            std::mem::transmute::<[__m256d; 2], Row>(totals),
            std::mem::transmute::<__m256i, Exponents>(highest),
        )
    }
}
