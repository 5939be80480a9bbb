//! The same with AVX-512, for floats of 16 bits and `tf32` that are added to floats of 32 bits:
//! from the warp's registers to those of the result in vectors of 16 lanes.
//!
//! Such a vector has the elements at even columns, or those at odd ones, of four rows, as a register
//! of `c` has them. A quarter of it is a row: that of `a` has one word four times, and all quarters
//! of `b` are the same. Exponents have a byte each, those of four terms in a word.

use std::arch::x86_64::{
    __m128i, __m512, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO, _mm512_add_epi16,
    _mm512_add_epi32, _mm512_adds_epi8, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cmpgt_epu16_mask, _mm512_cmpgt_epu32_mask,
    _mm512_cvt_roundepi32_ps, _mm512_cvtepi32_epi16, _mm512_cvtph_ps, _mm512_cvttps_epi32,
    _mm512_loadu_si512, _mm512_mask_mov_epi16, _mm512_mask_mov_epi32, _mm512_maskz_mov_epi32,
    _mm512_max_epi8, _mm512_max_epi32, _mm512_max_epu16, _mm512_max_epu32, _mm512_mul_ps,
    _mm512_or_si512, _mm512_permutex2var_epi32, _mm512_set1_epi8, _mm512_set1_epi16,
    _mm512_set1_epi32, _mm512_setr_epi32, _mm512_setzero_si512, _mm512_shuffle_epi32,
    _mm512_slli_epi16, _mm512_slli_epi32, _mm512_srai_epi32, _mm512_srli_epi16, _mm512_srli_epi32,
    _mm512_storeu_si512, _mm512_sub_epi16, _mm512_sub_epi32, _mm512_ternarylogic_epi32,
    _mm512_testn_epi16_mask, _mm512_testn_epi32_mask, _mm512_xor_si512,
};

use super::{KEPT, Results, Words};
use crate::machine::Warp;
use crate::program::Product;

/// Kinds of factors.
pub(super) const F16: usize = 0;
pub(super) const BF16: usize = 1;
pub(super) const TF32: usize = 2;

/// The lowest and highest exponent of a factor, and of what is added. All finite floats of the type
/// `f16` are within the first, and no result is too small for a normal float.
const NEAR_FACTORS: [i32; 2] = [-31, 31];
const NEAR_SUMS: [i32; 2] = [-90, 127];

/// What stands for the exponent of a factor that is zero, and of a zero that products are added to: both
/// are below all others. The exponent of a product is the sum of two in a byte, or -128 if that is
/// too low for a byte. With -96, scaling by a power of two still gives a normal float.
const NO_FACTOR: i32 = -128;
const NO_SUM: i32 = -96;

/// Factors of 16 lanes: the numbers in both parts of their words, and their exponents, of 16 bits.
#[derive(Clone, Copy)]
struct Numbers {
    parts: [__m512; 2],
    exponents: __m512i,
}

/// One half of a register.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &Words, half: usize) -> __m512i {
    // SAFETY: 16 words are within the 32.
    unsafe { _mm512_loadu_si512(words.as_ptr().add(16 * (half & 1)).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(words: &mut Words, half: usize, vector: __m512i) {
    // SAFETY: 16 words are within the 32.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().add(16 * (half & 1)).cast(), vector) }
}

/// Four words from this one on, in each quarter.
#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(words: &Words, from: usize) -> __m512i {
    // SAFETY: four words from a multiple of four on are within the 32, and are a vector of four.
    let quarter = unsafe {
        let words = words.as_ptr().add(from & 0x1c).cast::<[u32; 4]>().read();
        std::mem::transmute::<[u32; 4], __m128i>(words)
    };
    _mm512_broadcast_i32x4(quarter)
}

/// The word of each quarter that has this number, four times.
#[inline]
#[target_feature(enable = "avx512f")]
fn spread(words: __m512i, word: usize) -> __m512i {
    match word {
        0 => _mm512_shuffle_epi32::<0x00>(words),
        1 => _mm512_shuffle_epi32::<0x55>(words),
        2 => _mm512_shuffle_epi32::<0xaa>(words),
        _ => _mm512_shuffle_epi32::<0xff>(words),
    }
}

/// Factors of these words. Sets bits of `odd` for those that are not finite or not near.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn numbers<const KIND: usize>(words: __m512i, odd: &mut u32) -> Numbers {
    if KIND == TF32 {
        // Its low bits do not count.
        let words = _mm512_and_si512(words, _mm512_set1_epi32(!0x1fff));
        let (own, far) = exponents(words, NEAR_FACTORS, NO_FACTOR);
        *odd |= far;
        let low = _mm512_and_si512(own, _mm512_set1_epi32(0xffff));
        let exponents = _mm512_or_si512(low, _mm512_slli_epi32::<16>(own));
        return Numbers { parts: [_mm512_castsi512_ps(words); 2], exponents };
    }
    let zeros = _mm512_testn_epi16_mask(words, _mm512_set1_epi16(0x7fff));
    // Subnormals have the least exponent.
    let size = _mm512_slli_epi16::<1>(words);
    let (own, bias) = if KIND == F16 {
        (_mm512_srli_epi16::<11>(size), 15)
    } else {
        (_mm512_srli_epi16::<8>(size), 127)
    };
    let own = _mm512_max_epu16(own, _mm512_set1_epi16(1));
    let own = _mm512_sub_epi16(own, _mm512_set1_epi16(bias));
    let [low, high] = if KIND == F16 { [-14, 15] } else { NEAR_FACTORS };
    let above = _mm512_add_epi16(own, _mm512_set1_epi16(-low as i16));
    *odd |= _mm512_cmpgt_epu16_mask(above, _mm512_set1_epi16((high - low) as i16)) & !zeros;
    let exponents = _mm512_mask_mov_epi16(own, zeros, _mm512_set1_epi16(NO_FACTOR as i16));
    // No closures: they would be calls.
    let parts = if KIND == F16 {
        let low = _mm512_cvtepi32_epi16(words);
        let high = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(words));
        [_mm512_cvtph_ps(low), _mm512_cvtph_ps(high)]
    } else {
        let high = _mm512_and_si512(words, _mm512_set1_epi32(!0xffff));
        [_mm512_castsi512_ps(_mm512_slli_epi32::<16>(words)), _mm512_castsi512_ps(high)]
    };
    Numbers { parts, exponents }
}

/// The exponents of floats of 32 bits, `nothing` of zeros, and lanes whose float is not finite or not
/// near.
#[inline]
#[target_feature(enable = "avx512f")]
fn exponents(bits: __m512i, [low, high]: [i32; 2], nothing: i32) -> (__m512i, u32) {
    let zeros = _mm512_testn_epi32_mask(bits, _mm512_set1_epi32(i32::MAX));
    let own = _mm512_srli_epi32::<24>(_mm512_slli_epi32::<1>(bits));
    let own = _mm512_max_epu32(own, _mm512_set1_epi32(1));
    let own = _mm512_sub_epi32(own, _mm512_set1_epi32(127));
    let above = _mm512_sub_epi32(own, _mm512_set1_epi32(low));
    let far = _mm512_cmpgt_epu32_mask(above, _mm512_set1_epi32(high - low)) & !zeros;
    (_mm512_mask_mov_epi32(own, zeros, _mm512_set1_epi32(nothing)), far.into())
}

/// The exponents in up to two registers as bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn bytes<const REGISTERS: usize>(of: &[Numbers; REGISTERS]) -> __m512i {
    let high = _mm512_slli_epi16::<8>(of[REGISTERS - 1].exponents);
    // The low bytes of the one, and the other.
    _mm512_ternarylogic_epi32::<0xf8>(high, of[0].exponents, _mm512_set1_epi16(0xff))
}

/// The highest of the four bytes of each word.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn highest(bytes: __m512i) -> __m512i {
    let two = _mm512_max_epi8(bytes, _mm512_slli_epi32::<16>(bytes));
    let one = _mm512_max_epi8(two, _mm512_slli_epi32::<8>(two));
    _mm512_srai_epi32::<24>(one)
}

/// What is left of numbers that are scaled by `up`.
#[inline]
#[target_feature(enable = "avx512f")]
fn cut(numbers: __m512, up: __m512) -> __m512i {
    _mm512_cvttps_epi32(_mm512_mul_ps(numbers, up))
}

/// `2^exponent`, of normal numbers.
#[inline]
#[target_feature(enable = "avx512f")]
fn power(exponents: __m512i) -> __m512 {
    let biased = _mm512_add_epi32(exponents, _mm512_set1_epi32(127));
    _mm512_castsi512_ps(_mm512_slli_epi32::<23>(biased))
}

/// `c + a * b`, of `REGISTERS` registers of `b`. Gives whether it was computed: not where numbers are
/// not finite or not near, or sums too large for an integer.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn multiply<const KIND: usize, const REGISTERS: usize>(
    product: &Product,
    warp: &Warp,
    results: &mut Results,
) -> bool {
    let parts = if KIND == TF32 { 1 } else { 2 };
    let mut odd = 0;
    let [signs, zero] = product.group.map_or([0, 0], |group| {
        let signs: u32 = if KIND == TF32 { 1 << 31 } else { 0x8000_8000 };
        [if group.negative { signs } else { 0 }, !warp.preds[usize::from(group.keeps)]]
    });
    let signs = _mm512_set1_epi32(signs.cast_signed());
    let none = _mm512_setzero_si512();
    let nothing = Numbers { parts: [_mm512_castsi512_ps(none); 2], exponents: none };
    // Even columns of a row of `b` first.
    let places = _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
    let places = [places, _mm512_add_epi32(places, _mm512_set1_epi32(2))];
    // By register and part, then by lane of a row and column as in `by_columns`.
    let mut b = [[[0; 32]; 2]; REGISTERS];
    let mut b_exponents = [0; 32];
    for half in 0..2 {
        let mut both = [nothing; REGISTERS];
        for register in 0..REGISTERS {
            let words = &warp.regs32[usize::from(product.b[register])];
            let words = _mm512_permutex2var_epi32(load(words, 0), places[half], load(words, 1));
            both[register] = numbers::<KIND>(words, &mut odd);
            for part in 0..parts {
                let numbers = _mm512_castps_si512(both[register].parts[part]);
                store(&mut b[register][part], half, numbers);
            }
        }
        store(&mut b_exponents, half, bytes(&both));
    }
    let mut overflown = none;
    for rows in 0..4 {
        let (upper, quad) = (rows / 2, rows % 2);
        let mut a = [nothing; REGISTERS];
        for register in 0..REGISTERS {
            let words = load(&warp.regs32[usize::from(product.a[2 * register + upper])], quad);
            a[register] = numbers::<KIND>(_mm512_xor_si512(words, signs), &mut odd);
        }
        let a_exponents = bytes(&a);
        let mut most = [_mm512_set1_epi8(i8::MIN); 2];
        for lane in 0..4 {
            let of_a = spread(a_exponents, lane);
            for column in 0..2 {
                let of_b = quarters(&b_exponents, 8 * lane + 4 * column);
                most[column] = _mm512_max_epi8(most[column], _mm512_adds_epi8(of_a, of_b));
            }
        }
        let mut totals = [[none; 2]; 2];
        let (mut up, mut down) = (nothing.parts, nothing.parts);
        for column in 0..2 {
            let c = load(&warp.regs32[usize::from(product.c[2 * upper + column])], quad);
            let c = _mm512_maskz_mov_epi32((!zero >> (16 * quad)) as u16, c);
            let (own, far) = exponents(c, NEAR_SUMS, NO_SUM);
            odd |= far;
            let highest = _mm512_max_epi32(highest(most[column]), own);
            let kept = _mm512_sub_epi32(highest, _mm512_set1_epi32(KEPT));
            up[column] = power(_mm512_sub_epi32(none, kept));
            down[column] = power(kept);
            totals[column][0] = cut(_mm512_castsi512_ps(c), up[column]);
        }
        for register in 0..REGISTERS {
            for lane in 0..4 {
                for part in 0..parts {
                    let of_a = _mm512_castps_si512(a[register].parts[part]);
                    let of_a = _mm512_castsi512_ps(spread(of_a, lane));
                    for column in 0..2 {
                        let of_b = quarters(&b[register][part], 8 * lane + 4 * column);
                        let number = _mm512_mul_ps(of_a, _mm512_castsi512_ps(of_b));
                        let total = &mut totals[column][register & 1];
                        *total = _mm512_add_epi32(*total, cut(number, up[column]));
                    }
                }
            }
        }
        for column in 0..2 {
            const CUT: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
            let [one, other] = totals[column];
            let sum = _mm512_add_epi32(one, other);
            // Both have another sign than their sum.
            let both = _mm512_ternarylogic_epi32::<0x18>(sum, one, other);
            overflown = _mm512_or_si512(overflown, both);
            let sum = _mm512_mul_ps(_mm512_cvt_roundepi32_ps::<CUT>(sum), down[column]);
            store(&mut results[2 * upper + column], quad, _mm512_castps_si512(sum));
        }
    }
    let sign = _mm512_set1_epi32(i32::MIN);
    odd == 0 && _mm512_testn_epi32_mask(overflown, sign) == u16::MAX
}
