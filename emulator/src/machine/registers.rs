//! A warp's registers of one width.

use std::ops::{Deref, DerefMut};

/// One of them: where a vector of 64 bytes does not cross from one line of the host's cache
/// into the next.
#[derive(Debug, Clone, Copy, Default, Hash)]
#[repr(C, align(64))]
pub(crate) struct Register<W>(pub(crate) [W; 32]);

impl<W> Deref for Register<W> {
    type Target = [W; 32];

    #[inline(always)]
    fn deref(&self) -> &[W; 32] {
        &self.0
    }
}

impl<W> DerefMut for Register<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [W; 32] {
        &mut self.0
    }
}

/// The registers, each a value of 32 lanes.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Registers<W>(Vec<Register<W>>);

impl<W: Copy + Default> Registers<W> {
    /// So many zeros.
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![Register([W::default(); 32]); count])
    }

    /// Makes them so many, with zeros for those that come.
    pub(crate) fn resize(&mut self, count: usize) {
        self.0.resize(count, Register([W::default(); 32]));
    }
}

impl<W> Deref for Registers<W> {
    type Target = [[W; 32]];

    #[inline(always)]
    fn deref(&self) -> &[[W; 32]] {
        const { assert!(size_of::<Register<W>>() == size_of::<[W; 32]>()) }
        // SAFETY: a register is its array, and of one size with it, as just checked.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len()) }
    }
}

impl<W> DerefMut for Registers<W> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [[W; 32]] {
        // SAFETY: as in `deref`.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), self.0.len()) }
    }
}

/// Writes the lanes of `mask`.
#[inline(always)]
pub(crate) fn blend<D: Copy>(row: &mut [D; 32], mask: u32, values: &[D; 32]) {
    if mask == u32::MAX {
        *row = *values;
        return;
    }
    for lane in 0..32 {
        row[lane] = if mask >> lane & 1 != 0 { values[lane] } else { row[lane] };
    }
}

/// The same. `N` is 16 only where the machine has AVX-512, and 8 where it has AVX2.
#[inline(always)]
pub(crate) fn put<const N: usize, W: Copy>(d: &mut [W; 32], mask: u32, values: &[W; 32]) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && mask != u32::MAX {
        let (to, from) = (d.as_mut_ptr(), values.as_ptr());
        match size_of::<W>() {
            // SAFETY: both have 32 values of this size; the machine has AVX-512, as `N` says.
            4 => return unsafe { host::put_words(to.cast(), from.cast(), mask) },
            // SAFETY: as above.
            8 => return unsafe { host::put_doubles(to.cast(), from.cast(), mask) },
            _ => {}
        }
    }
    if N == 8 && mask != u32::MAX {
        let parts = d.as_chunks_mut::<N>().0.iter_mut().zip(values.as_chunks::<N>().0);
        for (part, (d, values)) in parts.enumerate() {
            put_part(d, mask >> (N * part), *values);
        }
        return;
    }
    blend(d, mask, values);
}

/// The same for `N` lanes, which the lowest bits of `mask` choose.
#[inline(always)]
pub(crate) fn put_part<const N: usize, W: Copy>(d: &mut [W; N], mask: u32, values: [W; N]) {
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        match size_of::<W>() {
            // SAFETY: both are eight values of this size; the machine has AVX2, as `N` says.
            4 => return unsafe { avx2::put_words(d.as_mut_ptr().cast(), &values, mask) },
            // SAFETY: as above.
            8 => return unsafe { avx2::put_doubles(d.as_mut_ptr().cast(), &values, mask) },
            _ => {}
        }
    }
    let mut blended = *d;
    for lane in 0..N {
        blended[lane] = if mask >> lane & 1 != 0 { values[lane] } else { blended[lane] };
    }
    *d = blended;
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_cmpeq_epi32, _mm256_cmpeq_epi64, _mm256_loadu_si256,
        _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_setr_epi32, _mm256_setr_epi64x,
    };

    /// Writes the lanes in which `on` is all ones. In assembly, because the compiler turns load, blend
    /// and store into a masked store, which is ten times slower on AMD's processors.
    ///
    /// # Safety
    /// There are 32 bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn store(to: *mut u8, new: __m256i, on: __m256i) {
        // SAFETY: the caller promises the bytes.
        unsafe {
            asm!(
                "vmovdqu {old}, [{to}]",
                "vpblendvb {old}, {old}, {new}, {on}",
                "vmovdqu [{to}], {old}",
                to = in(reg) to,
                new = in(ymm_reg) new,
                on = in(ymm_reg) on,
                old = out(ymm_reg) _,
                options(nostack, preserves_flags)
            );
        }
    }

    /// # Safety
    /// Both have eight words.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn put_words<T>(to: *mut u8, from: &T, mask: u32) {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let lanes = _mm256_set1_epi32(mask.cast_signed());
        let on = _mm256_cmpeq_epi32(_mm256_and_si256(lanes, bits), bits);
        // SAFETY: the caller promises the words.
        unsafe { store(to, _mm256_loadu_si256(std::ptr::from_ref(from).cast()), on) };
    }

    /// # Safety
    /// Both have eight values.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn put_doubles<T>(to: *mut u8, from: &T, mask: u32) {
        let from = std::ptr::from_ref(from).cast::<__m256i>();
        let lanes = _mm256_set1_epi64x(i64::from(mask));
        for (half, bits) in [_mm256_setr_epi64x(1, 2, 4, 8), _mm256_setr_epi64x(16, 32, 64, 128)]
            .into_iter()
            .enumerate()
        {
            let on = _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bits), bits);
            // SAFETY: the caller promises the values.
            unsafe { store(to.wrapping_add(32 * half), _mm256_loadu_si256(from.add(half)), on) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        _mm512_loadu_si512, _mm512_mask_blend_epi32, _mm512_mask_blend_epi64, _mm512_storeu_si512,
    };

    /// # Safety
    /// Both have 32 words.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn put_words(to: *mut u32, from: *const u32, mask: u32) {
        for part in 0..2 {
            let (to, from) = (to.wrapping_add(16 * part), from.wrapping_add(16 * part));
            // SAFETY: the caller promises the words.
            unsafe {
                let (old, new) = (_mm512_loadu_si512(to.cast()), _mm512_loadu_si512(from.cast()));
                let both = _mm512_mask_blend_epi32((mask >> (16 * part)) as u16, old, new);
                _mm512_storeu_si512(to.cast(), both);
            }
        }
    }

    /// # Safety
    /// Both have 32 values.
    #[inline]
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn put_doubles(to: *mut u64, from: *const u64, mask: u32) {
        for part in 0..4 {
            let (to, from) = (to.wrapping_add(8 * part), from.wrapping_add(8 * part));
            // SAFETY: the caller promises the values.
            unsafe {
                let (old, new) = (_mm512_loadu_si512(to.cast()), _mm512_loadu_si512(from.cast()));
                let both = _mm512_mask_blend_epi64((mask >> (8 * part)) as u8, old, new);
                _mm512_storeu_si512(to.cast(), both);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>() {
        for mask in [u32::MAX, 0, 0x8000_0001, 0x1234_5678] {
            let (words, doubles) = ([7_u32; 32], [1_u64 << 40; 32]);
            let values = std::array::from_fn(|lane| lane as u32 * 3);
            let wide = values.map(|value| u64::from(value) << 33);
            let (mut narrow, mut broad) = (words, doubles);
            put::<N, _>(&mut narrow, mask, &values);
            put::<N, _>(&mut broad, mask, &wide);
            for lane in 0..32 {
                let written = mask >> lane & 1 != 0;
                assert_eq!(narrow[lane], if written { values[lane] } else { 7 });
                assert_eq!(broad[lane], if written { wide[lane] } else { 1 << 40 });
            }
        }
    }

    #[test]
    fn only_lanes_of_the_mask_are_written() {
        check::<4>();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            check::<8>();
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512f") {
            check::<16>();
        }
    }
}
