//! A warp's registers of one width.

#[cfg(target_arch = "x86_64")]
mod host;

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

    /// Changes their number. New ones are zero.
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

/// The same, `N` lanes at a time.
#[inline(always)]
pub(crate) fn put<const N: usize, W: Copy>(d: &mut [W; 32], mask: u32, values: &[W; 32]) {
    if mask == u32::MAX {
        *d = *values;
        return;
    }
    for (part, values) in values.as_chunks::<N>().0.iter().enumerate() {
        put_part(&mut d.as_chunks_mut::<N>().0[part], mask >> (N * part), values);
    }
}

/// The same for `N` lanes, which the lowest bits of `mask` choose. `N` is 16 only where the machine
/// has AVX-512, and 8 where it has AVX2.
#[inline(always)]
pub(crate) fn put_part<const N: usize, W: Copy>(d: &mut [W; N], mask: u32, values: &[W; N]) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 || N == 8 {
        let (to, from) = (d.as_mut_ptr().cast(), values.as_ptr().cast());
        match (N, size_of::<W>()) {
            // SAFETY: both have `N` values of this size, and the machine has the vectors, as `N` says.
            (16, 4) => return unsafe { host::sixteen_words(to, from, mask) },
            // SAFETY: as above.
            (16, 8) => return unsafe { host::sixteen_doubles(to, from, mask) },
            // SAFETY: as above.
            (8, 4) => return unsafe { host::eight_words(to, from, mask) },
            // SAFETY: as above.
            (8, 8) => return unsafe { host::eight_doubles(to, from, mask) },
            _ => {}
        }
    }
    let mut blended = *d;
    for lane in 0..N {
        blended[lane] = if mask >> lane & 1 != 0 { values[lane] } else { blended[lane] };
    }
    *d = blended;
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
