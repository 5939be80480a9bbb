//! `prmt`: bytes out of two words.

use super::whole::{one, put};
use crate::exec::lanes;
use crate::machine::Register;
use crate::program::{Permute, Slot};

type Lanes = [u32; 32];

/// `d` = the bytes of `a` and `b` that `c` names.
#[inline(always)]
pub(super) fn permute<const N: usize>(
    mode: Permute,
    file: &mut [Lanes],
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) {
    let (a, b, c) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    // The other modes depend on the low bits of c, and ask for no signs: each says where byte
    // `at` comes from.
    macro_rules! of {
        ($of:expr) => {
            bytes::<N>(
                [a, b],
                &one(c, |c| {
                    let n = c & 3;
                    $of(n, 0) | $of(n, 1) << 4 | $of(n, 2) << 8 | $of(n, 3) << 12
                }),
            )
        };
    }
    let values = match mode {
        Permute::Select => bytes::<N>([a, b], c),
        Permute::Forward => of!(|n: u32, at: u32| n + at),
        Permute::Backward => of!(|n: u32, at: u32| (n + 8 - at) & 7),
        Permute::Replicate => of!(|n: u32, _: u32| n),
        Permute::ClampLeft => of!(|n: u32, at: u32| at.max(n)),
        Permute::ClampRight => of!(|n: u32, at: u32| at.min(n)),
        Permute::ReplicateHalf => of!(|n: u32, at: u32| (n & 1) * 2 + (at & 1)),
    };
    put::<N, _>(file, d, mask, &values);
}

/// The four bytes that the selectors of each lane name.
#[inline(always)]
fn bytes<const N: usize>([a, b]: [&Lanes; 2], c: &Lanes) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    match N {
        // SAFETY: the machine has AVX-512, as `N` says.
        16 => return unsafe { wide::bytes([a, b], c) },
        // SAFETY: the machine has AVX2, as `N` says.
        8 => return unsafe { host::bytes([a, b], c) },
        _ => {}
    }
    let mut values = Register([0; 32]);
    for lane in 0..32 {
        values[lane] = picked(a[lane], b[lane], c[lane]);
    }
    if lanes::those::<N>(|lane| c[lane] & 0x8888 != 0) != 0 {
        for lane in 0..32 {
            let wanted = asks_for_signs(c[lane]);
            values[lane] = values[lane] & !wanted | signs(values[lane]) & wanted;
        }
    }
    values
}

#[inline(always)]
fn picked(a: u32, b: u32, c: u32) -> u32 {
    let mut bytes = 0;
    for at in 0..4 {
        let word = if c >> (4 * at) & 4 == 0 { a } else { b };
        let moved = word.rotate_right((c >> (4 * at) << 3).wrapping_sub(8 * at) & 31);
        bytes |= moved & 0xff << (8 * at);
    }
    bytes
}

/// Bytes of ones or zeros, as the highest bits of these.
#[inline(always)]
fn signs(bytes: u32) -> u32 {
    (bytes >> 7 & 0x0101_0101) * 0xff
}

/// The bytes that have bit 3 of their selectors set, as ones.
#[inline(always)]
fn asks_for_signs(c: u32) -> u32 {
    let flags = c >> 3 & 0x1111;
    let pairs = (flags | flags << 8) & 0x0011_0011;
    ((pairs | pairs << 4) & 0x0101_0101) * 0xff
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_blendv_epi8, _mm256_cmpgt_epi8, _mm256_or_si256,
        _mm256_set1_epi8, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256,
        _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_xor_si256,
    };

    use super::Lanes;
    use crate::machine::Register;

    type Vectors = [__m256i; 4];

    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn bytes([a, b]: [&Lanes; 2], c: &Lanes) -> Register<u32> {
        // SAFETY: an array of 32 words and four vectors of 8 have one size, and any bits are a
        // value of either.
        let [a, b, mut c] =
            unsafe { std::mem::transmute::<[Lanes; 3], [Vectors; 3]>([*a, *b, *c]) };
        let all = |byte: i8| _mm256_set1_epi8(byte);
        // Where each word begins in its half of a vector, in all bytes.
        let start = _mm256_setr_epi32(
            0,
            0x0404_0404,
            0x0808_0808,
            0x0c0c_0c0c,
            0,
            0x0404_0404,
            0x0808_0808,
            0x0c0c_0c0c,
        );
        for index in 0..4 {
            // A byte for each selector.
            let selectors = _mm256_and_si256(c[index], _mm256_set1_epi32(0xffff));
            let pairs = _mm256_or_si256(selectors, _mm256_slli_epi32::<8>(selectors));
            let pairs = _mm256_and_si256(pairs, _mm256_set1_epi32(0x00ff_00ff));
            let each = _mm256_or_si256(pairs, _mm256_slli_epi32::<4>(pairs));
            let each = _mm256_and_si256(each, all(15));
            let at = _mm256_or_si256(start, _mm256_and_si256(each, all(3)));
            // The highest bit of a place asks for a zero: where the byte is the other word's.
            let other = _mm256_slli_epi32::<5>(_mm256_and_si256(each, all(4)));
            let from_a = _mm256_shuffle_epi8(a[index], _mm256_or_si256(at, other));
            let from_b = _mm256_or_si256(at, _mm256_xor_si256(other, all(i8::MIN)));
            let bytes = _mm256_or_si256(from_a, _mm256_shuffle_epi8(b[index], from_b));
            let signs = _mm256_cmpgt_epi8(_mm256_setzero_si256(), bytes);
            c[index] = _mm256_blendv_epi8(bytes, signs, _mm256_slli_epi32::<4>(each));
        }
        // SAFETY: as above.
        unsafe { std::mem::transmute::<Vectors, Register<u32>>(c) }
    }
}

/// The same with AVX-512.
#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::{
        __m512i, _mm512_and_si512, _mm512_loadu_si512, _mm512_mask_mov_epi8,
        _mm512_mask_shuffle_epi8, _mm512_movepi8_mask, _mm512_movm_epi8, _mm512_or_si512,
        _mm512_set1_epi32, _mm512_set4_epi32, _mm512_shuffle_epi8, _mm512_slli_epi32,
        _mm512_test_epi8_mask,
    };

    use super::Lanes;
    use crate::machine::Register;

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn bytes([a, b]: [&Lanes; 2], c: &Lanes) -> Register<u32> {
        // SAFETY: half of the lanes fill a vector.
        let half = |lanes: &[u32]| unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) };
        let low = half_of(half(&a[..16]), half(&b[..16]), half(&c[..16]));
        let high = half_of(half(&a[16..]), half(&b[16..]), half(&c[16..]));
        // SAFETY: two vectors and a register have one size, and any bits are a value of either.
        unsafe { std::mem::transmute::<[__m512i; 2], Register<u32>>([low, high]) }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn half_of(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        let all = |bytes: i32| _mm512_set1_epi32(bytes);
        // A byte for each selector.
        let selectors = _mm512_and_si512(c, all(0xffff));
        let pairs = _mm512_or_si512(selectors, _mm512_slli_epi32::<8>(selectors));
        let pairs = _mm512_and_si512(pairs, all(0x00ff_00ff));
        let each = _mm512_or_si512(pairs, _mm512_slli_epi32::<4>(pairs));
        // Where each word begins in its quarter of a vector, in all bytes.
        let start = _mm512_set4_epi32(0x0c0c_0c0c, 0x0808_0808, 0x0404_0404, 0);
        let at = _mm512_or_si512(start, _mm512_and_si512(each, all(0x0303_0303)));
        let other = _mm512_test_epi8_mask(each, all(0x0404_0404));
        let bytes = _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(a, at), other, b, at);
        // All ones where the highest bit of a byte that asks for it is set, else zeros.
        let signs = _mm512_test_epi8_mask(each, all(0x0808_0808));
        let ones = _mm512_movm_epi8(_mm512_movepi8_mask(bytes));
        _mm512_mask_mov_epi8(bytes, signs, ones)
    }
}
