//! The same with AVX-512, where 32 bits are enough.

use std::arch::x86_64::{
    __m512i, _MM_CMPINT_EQ, _MM_CMPINT_LE, _MM_CMPINT_LT, _MM_CMPINT_NE, _mm_cvtsi32_si128,
    _mm512_abs_epi32, _mm512_add_epi32, _mm512_and_si512, _mm512_andnot_si512,
    _mm512_cmp_epi32_mask, _mm512_maskz_set1_epi32, _mm512_max_epi32, _mm512_max_epu32,
    _mm512_min_epi32, _mm512_min_epu32, _mm512_or_si512, _mm512_set1_epi32, _mm512_sll_epi32,
    _mm512_sra_epi32, _mm512_srai_epi32, _mm512_srl_epi32, _mm512_sub_epi32,
};

use crate::program::{Compare, Int2, Pair, Parts, Then, Video};

type Lanes = [u32; 32];
type Vectors = [__m512i; 2];

/// Writes what it gives to `out`; false where 32 bits may not hold a result.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn video(words: &[Lanes], video: &Video, out: &mut Lanes) -> bool {
    let wraps = matches!(video.f, Parts::Plain(Int2::Add | Int2::Sub)) && video.clamp.is_none();
    let shifts = matches!(video.f, Parts::ShiftLeft { .. } | Parts::ShiftRight { .. });
    if shifts || !wraps && video.widths.iter().any(|&width| width > 16) {
        return false;
    }
    let (low, high) = match video.clamp {
        Some(to) if to.signed => (i32::MIN >> (32 - to.bits), i32::MAX >> (32 - to.bits)),
        Some(to) => (0, (u32::MAX >> (32 - to.bits)).min(i32::MAX.cast_unsigned()).cast_signed()),
        None => (i32::MIN, i32::MAX),
    };
    let (low, high) = (_mm512_set1_epi32(low), _mm512_set1_epi32(high));
    let mut so_far = load(&words[usize::from(video.c)]);
    let [a_signed, b_signed] = video.signed;
    let downs = video.widths.map(|width| 32 - i32::from(width));
    for &Pair { a, b, place } in &video.pairs {
        let x = load(&words[usize::from(a.0)]);
        let y = load(&words[usize::from(b.0)]);
        let x = fields(x, (downs[0] - i32::from(a.1), downs[0]), a_signed);
        let y = fields(y, (downs[1] - i32::from(b.1), downs[1]), b_signed);
        let mut values = computed(video.f, x, y);
        if video.clamp.is_some() {
            for value in &mut values {
                *value = _mm512_min_epi32(_mm512_max_epi32(*value, low), high);
            }
        }
        so_far = combined(video.then, place, values, so_far);
    }
    // SAFETY: arrays of 32 words and pairs of vectors of 16 words have one size, and any bits
    // are a value of either.
    *out = unsafe { std::mem::transmute::<Vectors, Lanes>(so_far) };
    true
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &Lanes) -> Vectors {
    // SAFETY: as in `video`.
    unsafe { std::mem::transmute::<Lanes, Vectors>(*words) }
}

/// What becomes of results.
#[inline]
#[target_feature(enable = "avx512f")]
fn combined(then: Then, place: u8, values: Vectors, so_far: Vectors) -> Vectors {
    macro_rules! both {
        ($f:ident) => {
            [$f(values[0], so_far[0]), $f(values[1], so_far[1])]
        };
    }
    match then {
        Then::Keep => values,
        Then::Merge(bits) => {
            let field = u32::MAX >> (32 - u32::from(bits)) << place;
            let field = _mm512_set1_epi32(field.cast_signed());
            let up = _mm_cvtsi32_si128(i32::from(place));
            let mut merged = so_far;
            for half in 0..2 {
                let part = _mm512_and_si512(_mm512_sll_epi32(values[half], up), field);
                merged[half] = _mm512_or_si512(_mm512_andnot_si512(field, so_far[half]), part);
            }
            merged
        }
        Then::Combine(Int2::Add) => both!(_mm512_add_epi32),
        Then::Combine(Int2::MinS) => both!(_mm512_min_epi32),
        Then::Combine(Int2::MaxS) => both!(_mm512_max_epi32),
        Then::Combine(Int2::MinU) => both!(_mm512_min_epu32),
        Then::Combine(_) => both!(_mm512_max_epu32),
    }
}

/// Parts of words, shifted up and down again so that they are extended.
#[inline]
#[target_feature(enable = "avx512f")]
fn fields(words: Vectors, (up, down): (i32, i32), signed: bool) -> Vectors {
    let (up, down) = (_mm_cvtsi32_si128(up), _mm_cvtsi32_si128(down));
    let top = [_mm512_sll_epi32(words[0], up), _mm512_sll_epi32(words[1], up)];
    if signed {
        [_mm512_sra_epi32(top[0], down), _mm512_sra_epi32(top[1], down)]
    } else {
        [_mm512_srl_epi32(top[0], down), _mm512_srl_epi32(top[1], down)]
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn computed(f: Parts, x: Vectors, y: Vectors) -> Vectors {
    macro_rules! both {
        ($f:expr) => {
            [$f(x[0], y[0]), $f(x[1], y[1])]
        };
    }
    match f {
        Parts::Plain(Int2::Add) => both!(|x, y| _mm512_add_epi32(x, y)),
        Parts::Plain(Int2::Sub) => both!(|x, y| _mm512_sub_epi32(x, y)),
        Parts::Plain(Int2::MinS) => both!(|x, y| _mm512_min_epi32(x, y)),
        Parts::Difference => both!(|x, y| _mm512_abs_epi32(_mm512_sub_epi32(x, y))),
        Parts::Average => both!(|x, y| {
            // One more unless it is negative.
            let sum = _mm512_add_epi32(x, y);
            let sign = _mm512_srai_epi32::<31>(sum);
            let more = _mm512_add_epi32(sign, _mm512_set1_epi32(1));
            _mm512_srai_epi32::<1>(_mm512_add_epi32(sum, more))
        }),
        Parts::Compare { f, swap } => {
            let (x, y) = if swap { (y, x) } else { (x, y) };
            let holds = |x, y| match f {
                Compare::Equal => _mm512_cmp_epi32_mask::<_MM_CMPINT_EQ>(x, y),
                Compare::NotEqual => _mm512_cmp_epi32_mask::<_MM_CMPINT_NE>(x, y),
                Compare::LessS => _mm512_cmp_epi32_mask::<_MM_CMPINT_LT>(x, y),
                _ => _mm512_cmp_epi32_mask::<_MM_CMPINT_LE>(x, y),
            };
            let one = |holds| _mm512_maskz_set1_epi32(holds, 1);
            [one(holds(x[0], y[0])), one(holds(x[1], y[1]))]
        }
        _ => both!(|x, y| _mm512_max_epi32(x, y)),
    }
}
