//! Sums of products of bytes, all lanes at once: with the host's instructions where it has
//! them.

use crate::machine::Register;

type Lanes = [u32; 32];

/// `dp4a`: the products of the bytes of a and b, and c.
#[inline(always)]
pub(super) fn dot4<const N: usize>(
    (a_signed, b_signed): (bool, bool),
    a: &Lanes,
    b: &Lanes,
    c: &Lanes,
) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::dot4((a_signed, b_signed), a, b, c) };
    }
    // Without closures, which would not be inlined.
    let mut sums = Register(*c);
    for at in 0..4 {
        for lane in 0..32 {
            let product = byte(a[lane], at, a_signed).wrapping_mul(byte(b[lane], at, b_signed));
            sums[lane] = sums[lane].wrapping_add(product.cast_unsigned());
        }
    }
    sums
}

/// A byte of a word as a number.
#[inline(always)]
fn byte(word: u32, at: u32, signed: bool) -> i32 {
    let top = word << (24 - 8 * at);
    if signed { top.cast_signed() >> 24 } else { (top >> 24).cast_signed() }
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi32, _mm512_madd_epi16, _mm512_slli_epi16, _mm512_srai_epi16,
        _mm512_srli_epi16,
    };

    use super::{Lanes, Register};

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn dot4(
        (a_signed, b_signed): (bool, bool),
        a: &Lanes,
        b: &Lanes,
        c: &Lanes,
    ) -> Register<u32> {
        // SAFETY: arrays of 32 words and pairs of vectors of 16 words have one size, and any
        // bits are a value of either.
        let [a, b, mut sums] = unsafe {
            [
                std::mem::transmute::<Lanes, [__m512i; 2]>(*a),
                std::mem::transmute::<Lanes, [__m512i; 2]>(*b),
                std::mem::transmute::<Lanes, [__m512i; 2]>(*c),
            ]
        };
        for half in 0..2 {
            for odd in [false, true] {
                let (a, b) = (bytes(a[half], a_signed, odd), bytes(b[half], b_signed, odd));
                sums[half] = _mm512_add_epi32(sums[half], _mm512_madd_epi16(a, b));
            }
        }
        // SAFETY: as above.
        unsafe { std::mem::transmute::<[__m512i; 2], Register<u32>>(sums) }
    }

    /// Every other byte, as a number of 16 bits.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn bytes(words: __m512i, signed: bool, odd: bool) -> __m512i {
        let top = if odd { words } else { _mm512_slli_epi16::<8>(words) };
        if signed { _mm512_srai_epi16::<8>(top) } else { _mm512_srli_epi16::<8>(top) }
    }
}
