//! 16-bit floats with AVX2: 16 of them at a time in the order in which words hold them, two
//! times eight floats of 32 bits.

mod vectors;

use std::arch::x86_64::{
    _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF,
    _MM_FROUND_TO_ZERO, _mm_unpackhi_epi16, _mm_unpacklo_epi16, _mm256_add_ps, _mm256_castps_si256,
    _mm256_castsi256_ps, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32, _mm256_cvtps_ph, _mm256_fmadd_ps,
    _mm256_max_epi16, _mm256_min_epi32, _mm256_min_epu32, _mm256_mul_ps, _mm256_round_ps,
    _mm256_set_m128i, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_slli_epi32, _mm256_sub_ps,
    _mm256_testz_si256,
};

use vectors::{
    any_subnormal, beyond, eight, finished, flushed_words, load, narrowed, one_nan, put_eight,
    size, sticky_sum, store, widened,
};

use super::half::Format;
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Float, Mode, Round};

type Lanes = [u32; 32];

/// `out = f(a, b, c)`, to nearest unless it makes integers; false if nothing here computes it.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn arithmetic(
    f: Arithmetic,
    (float, mode): (Float, Mode),
    operands: [&Lanes; 3],
    out: &mut Lanes,
) -> bool {
    let known = matches!(mode.clamp, Clamp::None | Clamp::Unit | Clamp::Relu);
    let nearest = mode.round == Round::Nearest || f == Arithmetic::Integral;
    known
        && nearest
        && match float {
            Float::F16 => of_format::<false, false>(f, mode, operands, out),
            Float::F16x2 => of_format::<false, true>(f, mode, operands, out),
            Float::Bf16 => of_format::<true, false>(f, mode, operands, out),
            Float::Bf16x2 => of_format::<true, true>(f, mode, operands, out),
            Float::F32 | Float::F64 => false,
        }
}

#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
fn of_format<const BRAIN: bool, const PAIR: bool>(
    f: Arithmetic,
    mode: Mode,
    operands: [&Lanes; 3],
    out: &mut Lanes,
) -> bool {
    let format = if BRAIN { Format::BF16 } else { Format::F16 };
    let mut doubt = 0;
    macro_rules! each {
        ($count:expr, $f:expr) => {{
            for part in 0..if PAIR { 4 } else { 2 } {
                let operand =
                    |register: &Lanes| widened::<BRAIN>(load::<PAIR>(register, part), format, mode);
                let x = operand(operands[0]);
                let y = if $count > 1 { operand(operands[1]) } else { x };
                let z = if $count > 2 { operand(operands[2]) } else { x };
                let values = [$f(x[0], y[0], z[0]), $f(x[1], y[1], z[1])];
                store::<PAIR>(out, part, finished(narrowed::<BRAIN>(values), format, mode));
            }
        }};
    }
    match f {
        Arithmetic::Add => each!(2, |x, y, _| _mm256_add_ps(x, y)),
        Arithmetic::Sub => each!(2, |x, y, _| _mm256_sub_ps(x, y)),
        Arithmetic::Mul => {
            let mut least = _mm256_set1_epi32(i32::MAX);
            each!(2, |x, y, _| {
                let product = _mm256_mul_ps(x, y);
                least = _mm256_min_epu32(least, size(product));
                product
            });
            // A product that is subnormal in 32 bits was rounded there. Zeros are looked at again.
            let normal = _mm256_set1_epi32(2 * f32::MIN_POSITIVE.to_bits().cast_signed());
            let odd = _mm256_cmpgt_epi32(normal, least);
            if BRAIN && _mm256_testz_si256(odd, odd) == 0 {
                each!(2, |x, y, _| {
                    let product = _mm256_mul_ps(x, y);
                    doubt |= beyond(x, y, product, f32::INFINITY);
                    product
                });
            }
        }
        Arithmetic::Fma => {
            // The bits that are cut off, as the highest of a word: half of the last one that stays is
            // the least number.
            let mut least = _mm256_setzero_si256();
            each!(3, |x, y, z| {
                let sum = _mm256_fmadd_ps(x, y, z);
                let bits = _mm256_castps_si256(sum);
                let cut = if BRAIN {
                    _mm256_slli_epi32::<16>(bits)
                } else {
                    _mm256_slli_epi32::<19>(bits)
                };
                least = _mm256_min_epi32(least, cut);
                sum
            });
            let middle = _mm256_cmpeq_epi32(least, _mm256_set1_epi32(i32::MIN));
            if _mm256_testz_si256(middle, middle) == 0 || !BRAIN && any_subnormal(out) {
                each!(3, |x, y, z| {
                    let product = _mm256_mul_ps(x, y);
                    if BRAIN {
                        // Beyond the range of 32 bits the sum may still be inside.
                        doubt |= beyond(x, y, product, f32::MAX / 4.0);
                    }
                    sticky_sum(product, z)
                });
            }
        }
        Arithmetic::Integral => {
            const EXACT: i32 = _MM_FROUND_NO_EXC;
            match mode.round {
                Round::Nearest => {
                    each!(1, |x, _, _| _mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | EXACT }>(x));
                }
                Round::Zero => {
                    each!(1, |x, _, _| _mm256_round_ps::<{ _MM_FROUND_TO_ZERO | EXACT }>(x));
                }
                Round::Down => {
                    each!(1, |x, _, _| _mm256_round_ps::<{ _MM_FROUND_TO_NEG_INF | EXACT }>(x));
                }
                Round::Up => {
                    each!(1, |x, _, _| _mm256_round_ps::<{ _MM_FROUND_TO_POS_INF | EXACT }>(x));
                }
                Round::Away => return false,
            }
        }
        _ => return false,
    }
    doubt == 0
}

/// The nearest 16-bit floats of two registers of `f32`, in the lower and the upper halves of words.
/// With `flush`, subnormal numbers count as 0 before; with `relu`, negative ones do after.
#[inline]
#[target_feature(enable = "avx2,f16c,fma")]
pub(super) fn joined<const BRAIN: bool>(
    [low, high]: [&Lanes; 2],
    [flush, relu]: [bool; 2],
) -> Register<u32> {
    let mut out = Register::default();
    for part in 0..4 {
        let mut values = [eight(low, part), eight(high, part)];
        if flush {
            values = [flushed_words(values[0]), flushed_words(values[1])];
        }
        let [low, high] = [_mm256_castsi256_ps(values[0]), _mm256_castsi256_ps(values[1])];
        let halves = if BRAIN {
            narrowed::<true>([low, high])
        } else {
            let low = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(low);
            let high = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(high);
            one_nan(_mm256_set_m128i(_mm_unpackhi_epi16(low, high), _mm_unpacklo_epi16(low, high)))
        };
        let halves = if relu { _mm256_max_epi16(halves, _mm256_setzero_si256()) } else { halves };
        put_eight(&mut out, part, halves);
    }
    out
}
