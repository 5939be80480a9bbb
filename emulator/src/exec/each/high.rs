//! The high halves of products of 64 bits.

use super::whole::two;
use crate::lane::Word;
use crate::machine::Register;
use crate::program::Int2;

/// The high half of the product in every lane.
#[inline(always)]
pub(in crate::exec) fn products<const N: usize>(
    signed: bool,
    a: &[u64; 32],
    b: &[u64; 32],
) -> Register<u64> {
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe {
            if signed { avx2::products::<true>(a, b) } else { avx2::products::<false>(a, b) }
        };
    }
    if signed {
        two(a, b, |a, b| u64::int2(Int2::MulHighS, a, b))
    } else {
        two(a, b, |a, b| u64::int2(Int2::MulHighU, a, b))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_cmpgt_epi64, _mm256_mul_epu32,
        _mm256_set1_epi64x, _mm256_setzero_si256, _mm256_srli_epi64, _mm256_sub_epi64,
    };

    use crate::machine::Register;

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn products<const SIGNED: bool>(a: &[u64; 32], b: &[u64; 32]) -> Register<u64> {
        let mut values = Register::default();
        for part in 0..8 {
            let (a, b) = (a.as_chunks::<4>().0[part], b.as_chunks::<4>().0[part]);
            // SAFETY: four numbers and a vector have one size, and any bits are a value of either.
            unsafe {
                let a = std::mem::transmute::<[u64; 4], __m256i>(a);
                let b = std::mem::transmute::<[u64; 4], __m256i>(b);
                let product = std::mem::transmute::<__m256i, [u64; 4]>(four::<SIGNED>(a, b));
                values.as_chunks_mut::<4>().0[part] = product;
            }
        }
        values
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn four<const SIGNED: bool>(a: __m256i, b: __m256i) -> __m256i {
        let upper = |x| _mm256_srli_epi64::<32>(x);
        let a_high: __m256i;
        // In assembly: the compiler turns the four products of halves that it knows to be such into
        // one instruction a lane, which takes longer.
        // SAFETY: it shifts a register.
        unsafe {
            asm!(
                "vpsrlq {high}, {a}, 32", a = in(ymm_reg) a, high = out(ymm_reg) a_high,
                options(pure, nomem, nostack, preserves_flags)
            );
        }
        let b_high = upper(b);
        // None of these sums is too large: a product of two halves leaves room for two more.
        let one = _mm256_add_epi64(_mm256_mul_epu32(a_high, b), upper(_mm256_mul_epu32(a, b)));
        let low = _mm256_and_si256(one, _mm256_set1_epi64x(0xffff_ffff));
        let two = _mm256_add_epi64(_mm256_mul_epu32(a, b_high), low);
        let high = _mm256_add_epi64(_mm256_mul_epu32(a_high, b_high), upper(one));
        let product = _mm256_add_epi64(high, upper(two));
        if !SIGNED {
            return product;
        }
        // Read as unsigned, a negative number is 2^64 larger.
        let more = |x, y| _mm256_and_si256(_mm256_cmpgt_epi64(_mm256_setzero_si256(), x), y);
        _mm256_sub_epi64(_mm256_sub_epi64(product, more(a, b)), more(b, a))
    }
}

#[cfg(test)]
mod tests {
    use super::products;

    fn check<const N: usize>() {
        let odd = [0, 1, 2, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1];
        for round in 0..2000_u64 {
            let mix = |lane: usize| {
                let number =
                    (round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * lane as u32);
                if round % 3 == 0 { odd[number as usize % 8] } else { number ^ lane as u64 }
            };
            let a: [u64; 32] = std::array::from_fn(mix);
            let b: [u64; 32] = std::array::from_fn(|lane| mix(lane + 5) ^ round);
            let [plain, signed] = [false, true].map(|signed| products::<N>(signed, &a, &b));
            for lane in 0..32 {
                let wide = u128::from(a[lane]) * u128::from(b[lane]);
                assert_eq!(u128::from(plain[lane]), wide >> 64);
                let wide = i128::from(a[lane].cast_signed()) * i128::from(b[lane].cast_signed());
                assert_eq!(i128::from(signed[lane].cast_signed()), wide >> 64);
            }
        }
    }

    #[test]
    fn high_halves_are_those_of_wide_products() {
        check::<4>();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            check::<8>();
        }
    }
}
