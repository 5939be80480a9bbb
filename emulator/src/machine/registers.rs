//! A warp's registers of one width.

use std::ops::{Deref, DerefMut};

/// One of them: where a vector of 64 bytes does not cross from one line of the host's cache
/// into the next.
#[derive(Debug, Clone, Copy, Default, Hash)]
#[repr(C, align(64))]
pub(crate) struct Register<W>(pub(crate) [W; 32]);

/// The registers, each a value of 32 lanes.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Registers<W>(Vec<Register<W>>);

impl<W: Copy + Default> Registers<W> {
    /// So many zeros.
    pub(crate) fn new(count: usize) -> Self {
        Self(vec![Register([W::default(); 32]); count])
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
