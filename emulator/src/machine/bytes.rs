//! Bytes that several host threads read and write at the same time.
//!
//! Host threads that emulate different blocks touch device memory at the same
//! time, as the blocks of a GPU do, so every access is atomic and relaxed: a
//! kernel that races gets some value, the emulator stays sound.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Bytes that can be read and written at any aligned place.
#[derive(Debug, Default)]
pub(crate) struct Bytes {
    words: Box<[AtomicU64]>,
    len: u64,
}

/// A value as wide as one access.
pub(crate) trait Scalar: Copy {
    /// Relaxed load.
    ///
    /// # Safety
    /// `at` is valid for reads and writes of `Self`, aligned for it, and only
    /// ever accessed atomically.
    unsafe fn load(at: *mut u8) -> Self;
    /// Relaxed store.
    ///
    /// # Safety
    /// As for `load`.
    unsafe fn store(at: *mut u8, value: Self);
}

/// A scalar that read-modify-writes work on.
pub(crate) trait AtomicScalar: Scalar {
    /// Replaces the value by `f` of it, as one step; gives the old value. One that would stay
    /// is only read.
    ///
    /// # Safety
    /// As for [`Scalar::load`].
    unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self;
    /// Replaces the value, if it is the first of `known`, by the second, as one step; gives
    /// whether it did.
    ///
    /// # Safety
    /// As for [`Scalar::load`].
    unsafe fn swap(at: *mut u8, known: [Self; 2]) -> bool;
    /// Adds as one step.
    ///
    /// # Safety
    /// As for [`Scalar::load`].
    unsafe fn add(at: *mut u8, value: Self) -> Self;
}

macro_rules! scalar {
    ($ty:ty, $atomic:ty) => {
        impl Scalar for $ty {
            #[inline(always)]
            unsafe fn load(at: *mut u8) -> Self {
                // SAFETY: the caller promises a valid, aligned place that is only accessed atomically.
                unsafe { <$atomic>::from_ptr(at.cast()) }.load(Ordering::Relaxed)
            }
            #[inline(always)]
            unsafe fn store(at: *mut u8, value: Self) {
                // SAFETY: the caller promises a valid, aligned place that is only accessed atomically.
                unsafe { <$atomic>::from_ptr(at.cast()) }.store(value, Ordering::Relaxed);
            }
        }
    };
}

macro_rules! atomic_scalar {
    ($ty:ty, $atomic:ty) => {
        impl AtomicScalar for $ty {
            #[inline(always)]
            unsafe fn update(at: *mut u8, f: impl Fn(Self) -> Self) -> Self {
                // SAFETY: the caller promises a valid, aligned place that is only accessed atomically.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                // Acquire and release, so that a lock taken by an atomic protects what it should.
                let mut old = cell.load(Ordering::Acquire);
                loop {
                    let new = f(old);
                    if new == old {
                        return old;
                    }
                    match cell.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Acquire)
                    {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }
            #[inline(always)]
            unsafe fn swap(at: *mut u8, [old, new]: [Self; 2]) -> bool {
                // SAFETY: the caller promises a valid, aligned place that is only accessed atomically.
                let cell = unsafe { <$atomic>::from_ptr(at.cast()) };
                cell.compare_exchange(old, new, Ordering::AcqRel, Ordering::Acquire).is_ok()
            }
            #[inline(always)]
            unsafe fn add(at: *mut u8, value: Self) -> Self {
                // SAFETY: the caller promises a valid, aligned place that is only accessed atomically.
                unsafe { <$atomic>::from_ptr(at.cast()) }.fetch_add(value, Ordering::AcqRel)
            }
        }
    };
}

scalar!(u8, AtomicU8);
scalar!(u16, AtomicU16);
scalar!(u32, AtomicU32);
scalar!(u64, AtomicU64);
atomic_scalar!(u16, AtomicU16);
atomic_scalar!(u32, AtomicU32);
atomic_scalar!(u64, AtomicU64);

impl std::hash::Hash for Bytes {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        let words = self.words.iter().take(self.len.div_ceil(8) as usize);
        words.for_each(|word| state.write_u64(word.load(Ordering::Relaxed)));
    }
}

impl Clone for Bytes {
    fn clone(&self) -> Self {
        let words = self.words.iter().map(|word| AtomicU64::new(word.load(Ordering::Relaxed)));
        Self { words: words.collect(), len: self.len }
    }
}

impl Bytes {
    /// `len` zeroed bytes.
    pub(crate) fn zeroed(len: u64) -> Self {
        // Zeros that the system makes when they are first touched: a sampled launch
        // touches little of its buffers.
        let zeros = vec![0_u64; len.div_ceil(8) as usize].into_boxed_slice();
        const { assert!(align_of::<u64>() == align_of::<AtomicU64>()) }
        // SAFETY: both types have one size and, as just checked, one alignment, any
        // bits are a value of either, and nobody else knows the place.
        let words = unsafe { Box::from_raw(Box::into_raw(zeros) as *mut [AtomicU64]) };
        Self { words, len }
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Zeroes everything and makes it `len` bytes long, reusing the memory.
    pub(crate) fn reset(&mut self, len: u64) {
        if len > self.words.len() as u64 * 8 {
            *self = Self::zeroed(len);
            return;
        }
        self.len = len;
        for word in &mut self.words {
            *word.get_mut() = 0;
        }
    }

    /// Where the bytes are; they are only ever accessed atomically.
    #[inline(always)]
    pub(crate) fn start(&self) -> *mut u8 {
        self.words.as_ptr().cast::<u8>().cast_mut()
    }

    /// The place of an aligned access of `size` bytes at `offset`.
    #[inline(always)]
    fn place(&self, offset: u64, size: usize) -> *mut u8 {
        assert!(
            offset + size as u64 <= self.len && offset.is_multiple_of(size as u64),
            "an access was not checked before it was made"
        );
        // SAFETY: the offset lies inside the words, as just checked.
        unsafe { self.start().add(offset as usize) }
    }

    /// Reads at `offset`, which the caller has checked.
    #[inline(always)]
    pub(crate) fn load<T: Scalar>(&self, offset: u64) -> T {
        // SAFETY: `place` gives a valid, aligned place in memory that is only accessed atomically.
        unsafe { T::load(self.place(offset, size_of::<T>())) }
    }

    /// Writes at `offset`, which the caller has checked.
    #[inline(always)]
    pub(crate) fn store<T: Scalar>(&self, offset: u64, value: T) {
        // SAFETY: `place` gives a valid, aligned place in memory that is only accessed atomically.
        unsafe { T::store(self.place(offset, size_of::<T>()), value) }
    }
}
