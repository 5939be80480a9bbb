//! Reads of 32 scattered places into vectors.
//!
//! One by one they would go through memory into a vector, which has to wait until all are
//! there. So each is inserted into the vector as it is read; on Intel's machines with AVX-512,
//! one instruction that gathers words is faster. As in `exec::rows`, reads are atomic by the
//! lane: each is an aligned read in assembly.

use crate::machine::bytes::Scalar;

/// A scalar that a warp reads for all 32 lanes at once.
pub(crate) trait Gather: Scalar + Default {
    /// Reads the values of 32 lanes, at these offsets from `start`, which may wrap around. `N` is
    /// 16 only where the machine has AVX-512, and 8 where it has AVX2.
    ///
    /// # Safety
    /// As for [`Scalar::load`], for all 32.
    unsafe fn gather<const N: usize, O: Copy + Into<u64>>(
        start: *mut u8,
        offsets: &[O; 32],
    ) -> [Self; 32];
}

macro_rules! gather {
    ($ty:ty, $read:ident) => {
        impl Gather for $ty {
            #[inline(always)]
            unsafe fn gather<const N: usize, O: Copy + Into<u64>>(
                start: *mut u8,
                offsets: &[O; 32],
            ) -> [Self; 32] {
                #[cfg(target_arch = "x86_64")]
                if N == 16 {
                    // SAFETY: the caller promises the places; the machine has AVX-512, as `N`
                    // says.
                    return unsafe { host::$read(start, offsets) };
                }
                #[cfg(target_arch = "x86_64")]
                if N == 8 {
                    // SAFETY: the caller promises the places; the machine has AVX2, as `N` says.
                    return unsafe { host::avx2::$read(start, offsets) };
                }
                let mut values = [0; 32];
                for lane in 0..32 {
                    let place = start.wrapping_add(offsets[lane].into() as usize);
                    // SAFETY: the caller promises the places.
                    values[lane] = unsafe { Self::load(place) };
                }
                values
            }
        }
    };
}

gather!(u8, bytes);
gather!(u16, halves);
gather!(u32, words);
gather!(u64, doubles);

#[cfg(target_arch = "x86_64")]
mod host;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::bytes::Bytes;
    #[cfg(target_arch = "x86_64")]
    use crate::machine::host_vectors::HostVectors;

    fn check<T: Gather + PartialEq + std::fmt::Debug>() {
        let bytes = Bytes::zeroed(4096);
        for at in 0..4096 {
            bytes.store(at, (at * 37 % 251) as u8);
        }
        for turn in 1..50_u32 {
            let offsets: [u32; 32] = std::array::from_fn(|lane| {
                turn.wrapping_mul(1_103_515_245).wrapping_mul(lane as u32 + 1) % 512
                    * size_of::<T>() as u32
            });
            let expected = offsets.map(|offset| bytes.load::<T>(u64::from(offset)));
            // SAFETY: the places lie in the bytes and are aligned.
            assert_eq!(unsafe { T::gather::<4, _>(bytes.start(), &offsets) }, expected);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: as above; the machine has AVX2, as just checked.
                assert_eq!(unsafe { T::gather::<8, _>(bytes.start(), &offsets) }, expected);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512f") {
                HostVectors::pretend(turn % 2 == 0);
                // SAFETY: as above; the machine has AVX-512, as just checked.
                assert_eq!(unsafe { T::gather::<16, _>(bytes.start(), &offsets) }, expected);
                let far = offsets.map(|offset| u64::from(offset).wrapping_sub(1 << 40));
                let start = bytes.start().wrapping_add(1 << 40);
                // SAFETY: as above.
                assert_eq!(unsafe { T::gather::<16, _>(start, &far) }, expected);
            }
        }
    }

    #[test]
    fn scattered_places_are_read_by_the_lane() {
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
    }
}
