//! 16-bit floats with AVX-512: 16 of them at a time, as floats of 32 bits.
//!
//! What is rounded twice, to 32 bits and to 16, is rounded to odd first: of the two
//! neighbours of an exact result the odd one keeps on which side of a middle it lay.

use std::arch::x86_64::{
    __m256i, __m512, __m512i, _CMP_UNORD_Q, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT,
    _MM_FROUND_TO_NEG_INF, _MM_FROUND_TO_POS_INF, _MM_FROUND_TO_ZERO, _mm256_and_si256,
    _mm256_cmpgt_epu16_mask, _mm256_cmplt_epu16_mask, _mm256_mask_mov_epi16, _mm256_max_epi16,
    _mm256_min_epu16, _mm256_set1_epi16, _mm256_setzero_si256, _mm512_add_epi32, _mm512_add_ps,
    _mm512_and_si512, _mm512_castps_si512, _mm512_castsi256_si512, _mm512_castsi512_ps,
    _mm512_castsi512_si256, _mm512_cmp_ps_mask, _mm512_cvtepi32_epi16, _mm512_cvtepu16_epi32,
    _mm512_cvtph_ps, _mm512_cvtps_ph, _mm512_extracti64x4_epi64, _mm512_fmadd_round_ps,
    _mm512_inserti64x4, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_mask_mov_epi32,
    _mm512_mask_mov_ps, _mm512_mul_ps, _mm512_roundscale_ps, _mm512_set1_epi32, _mm512_srli_epi32,
    _mm512_storeu_si512, _mm512_sub_ps, _mm512_test_epi32_mask, _mm512_testn_epi32_mask,
};

use super::{half_brain, half_native};
use crate::machine::HostVectors;
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Float, Mode, Round};

pub(super) type Lanes = [u32; 32];

pub(super) const NAN: i16 = 0x7fff;
pub(super) const SIGN: i16 = i16::MIN;
pub(super) const INFINITY: i16 = 0x7c00;
pub(super) const ONE: i16 = 0x3c00;
const SMALLEST_NORMAL: i16 = 0x400;
pub(super) const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
pub(super) const ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
pub(super) const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
pub(super) const UP: i32 = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC;

/// `out = f(a, b, c)`, to nearest unless it makes integers; false if nothing here computes it.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn arithmetic(
    f: Arithmetic,
    (float, mode): (Float, Mode),
    operands: [&Lanes; 3],
    out: &mut Lanes,
) -> bool {
    if mode == Mode::PLAIN {
        return of_type::<true>(f, (float, mode), operands, out);
    }
    let known = matches!(mode.clamp, Clamp::None | Clamp::Unit | Clamp::Relu);
    let nearest = mode.round == Round::Nearest || f == Arithmetic::Integral;
    known && nearest && of_type::<false>(f, (float, mode), operands, out)
}

/// Sums to nearest, as atomics add them. Small enough to be inlined where they do.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn sums<const BRAIN: bool, const PAIR: bool>([a, b]: [&Lanes; 2], out: &mut Lanes) {
    if BRAIN {
        half_brain::arithmetic::<true, PAIR>(Arithmetic::Add, Mode::PLAIN, [a, b, b], out);
    } else {
        widened::<true, PAIR>(Arithmetic::Add, Mode::PLAIN, [a, b, b], out);
    }
}

/// As [`arithmetic`], of a known mode: [`Mode::PLAIN`] where `PLAIN`.
#[inline(always)]
fn of_type<const PLAIN: bool>(
    f: Arithmetic,
    (float, mode): (Float, Mode),
    operands: [&Lanes; 3],
    out: &mut Lanes,
) -> bool {
    let native = HostVectors::here() >= HostVectors::Avx512Half;
    // SAFETY: whoever calls this has the features of `arithmetic`, and `native` says whether the host has
    // the others.
    unsafe {
        match float {
            Float::F16 if native => half_native::arithmetic::<PLAIN, false>(f, mode, operands, out),
            Float::F16x2 if native => {
                half_native::arithmetic::<PLAIN, true>(f, mode, operands, out)
            }
            Float::F16 => widened::<PLAIN, false>(f, mode, operands, out),
            Float::F16x2 => widened::<PLAIN, true>(f, mode, operands, out),
            Float::Bf16 => half_brain::arithmetic::<PLAIN, false>(f, mode, operands, out),
            Float::Bf16x2 => half_brain::arithmetic::<PLAIN, true>(f, mode, operands, out),
            Float::F32 | Float::F64 => false,
        }
    }
}

/// By floats of 32 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn widened<const PLAIN: bool, const PAIR: bool>(
    f: Arithmetic,
    mode: Mode,
    operands: [&Lanes; 3],
    out: &mut Lanes,
) -> bool {
    let mode = if PLAIN { Mode::PLAIN } else { mode };
    let mut values = [_mm256_setzero_si256(); 4];
    let parts = if PAIR { 4 } else { 2 };
    macro_rules! each {
        ($count:expr, $f:expr) => {{
            // One by one: closures that arrays map over are not inlined here.
            let [x, y, z] = operands;
            let (x, y, z) = (load::<PAIR>(x), load::<PAIR>(y), load::<PAIR>(z));
            for part in 0..parts {
                let x = operand(x[part], mode);
                let y = if $count > 1 { operand(y[part], mode) } else { x };
                let z = if $count > 2 { operand(z[part], mode) } else { x };
                values[part] = finished(narrowed::<false>($f(x, y, z)), mode);
            }
        }};
    }
    match f {
        Arithmetic::Add => each!(2, |x, y, _| _mm512_add_ps(x, y)),
        Arithmetic::Sub => each!(2, |x, y, _| _mm512_sub_ps(x, y)),
        Arithmetic::Mul => each!(2, |x, y, _| _mm512_mul_ps(x, y)),
        Arithmetic::Fma => each!(3, |x, y, z| odd(
            _mm512_fmadd_round_ps::<DOWN>(x, y, z),
            _mm512_fmadd_round_ps::<UP>(x, y, z)
        )),
        Arithmetic::Integral => match mode.round {
            Round::Nearest => each!(1, |x, _, _| _mm512_roundscale_ps::<NEAREST>(x)),
            Round::Zero => each!(1, |x, _, _| _mm512_roundscale_ps::<ZERO>(x)),
            Round::Down => each!(1, |x, _, _| _mm512_roundscale_ps::<DOWN>(x)),
            Round::Up => each!(1, |x, _, _| _mm512_roundscale_ps::<UP>(x)),
            Round::Away => return false,
        },
        _ => return false,
    }
    *out = *store::<PAIR>(values);
    true
}

/// Half of the lanes as floats of 32 bits.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn singles(values: &[u32; 16], flush: bool) -> __m512 {
    // SAFETY: they fill a vector.
    let values = unsafe { _mm512_loadu_ps(values.as_ptr().cast()) };
    if flush { flushed_words(values) } else { values }
}

/// With 0 of its sign for subnormal values.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn flushed_words(values: __m512) -> __m512 {
    let bits = _mm512_castps_si512(values);
    let exponent = _mm512_set1_epi32(0x7f80_0000);
    let sign = _mm512_and_si512(bits, _mm512_set1_epi32(i32::MIN));
    let subnormal = _mm512_testn_epi32_mask(bits, exponent);
    _mm512_castsi512_ps(_mm512_mask_mov_epi32(bits, subnormal, sign))
}

/// Half of a register's words.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn words(register: &Lanes, half: usize) -> __m512i {
    // Read by the vector: the compiler copies arrays in pieces.
    // SAFETY: a register has 32 words.
    unsafe { _mm512_loadu_si512(register[16 * half..].as_ptr().cast()) }
}

/// The other way.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn put_words(register: &mut Lanes, half: usize, words: __m512i) {
    // SAFETY: a register has 32 words.
    unsafe { _mm512_storeu_si512(register[16 * half..].as_mut_ptr().cast(), words) };
}

/// The halves of a register's words, 16 at a time: both, in order, or the lower ones.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn load<const PAIR: bool>(register: &Lanes) -> [__m256i; 4] {
    let [low, high] = [words(register, 0), words(register, 1)];
    if PAIR {
        let (low_half, high_half) = (_mm512_castsi512_si256(low), _mm512_castsi512_si256(high));
        return [
            low_half,
            _mm512_extracti64x4_epi64::<1>(low),
            high_half,
            _mm512_extracti64x4_epi64::<1>(high),
        ];
    }
    let zero = _mm256_setzero_si256();
    [_mm512_cvtepi32_epi16(low), _mm512_cvtepi32_epi16(high), zero, zero]
}

/// The other way.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn store<const PAIR: bool>(halves: [__m256i; 4]) -> Register<u32> {
    let join = |low, high| _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
    let words = if PAIR {
        [join(halves[0], halves[1]), join(halves[2], halves[3])]
    } else {
        [_mm512_cvtepu16_epi32(halves[0]), _mm512_cvtepu16_epi32(halves[1])]
    };
    // SAFETY: two vectors have 32 words, and any bits are a value.
    unsafe { std::mem::transmute::<[__m512i; 2], Register<u32>>(words) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn operand(bits: __m256i, mode: Mode) -> __m512 {
    _mm512_cvtph_ps(if mode.flush { flushed(bits) } else { bits })
}

/// The nearest; one NaN for all.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn narrowed<const BRAIN: bool>(values: __m512) -> __m256i {
    let bits = if BRAIN {
        let bits = _mm512_castps_si512(values);
        let last = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
        let most = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
        _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_add_epi32(bits, most)))
    } else {
        _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(values)
    };
    let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(values, values);
    _mm256_mask_mov_epi16(bits, nan, _mm256_set1_epi16(NAN))
}

/// Of two neighbours the odd one, unless they are one.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) fn odd(below: __m512, above: __m512) -> __m512 {
    let odd = _mm512_test_epi32_mask(_mm512_castps_si512(below), _mm512_set1_epi32(1));
    _mm512_mask_mov_ps(above, odd, below)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn flushed(bits: __m256i) -> __m256i {
    let size = _mm256_and_si256(bits, _mm256_set1_epi16(NAN));
    let least = _mm256_set1_epi16(SMALLEST_NORMAL);
    let small = _mm256_cmplt_epu16_mask(size, least);
    _mm256_mask_mov_epi16(bits, small, _mm256_and_si256(bits, _mm256_set1_epi16(SIGN)))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn finished(bits: __m256i, mode: Mode) -> __m256i {
    let bits = if mode.flush { flushed(bits) } else { bits };
    match mode.clamp {
        Clamp::Unit => {
            // Negative ones count as larger than all others here.
            let bad = _mm256_cmpgt_epu16_mask(bits, _mm256_set1_epi16(INFINITY));
            let inside = _mm256_min_epu16(bits, _mm256_set1_epi16(ONE));
            _mm256_mask_mov_epi16(inside, bad, _mm256_setzero_si256())
        }
        Clamp::Relu => _mm256_max_epi16(bits, _mm256_setzero_si256()),
        _ => bits,
    }
}
