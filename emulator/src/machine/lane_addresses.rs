//! Where the 32 lanes of one access lie: checked together, then read and
//! written without checking each again.

use crate::machine::bytes::{AtomicScalar, Bytes, Scalar};
use crate::machine::gather::Gather;
use crate::machine::lane_keys::distinct;
use crate::machine::lane_offsets::subtract;
use crate::machine::tallies::{CHUNK, SECTOR};

/// Every lane.
const FULL: u32 = u32::MAX;

/// Offsets of 32 lanes in one run of bytes. Lanes that take no part repeat the
/// offset of one that does, so that what looks at all lanes needs no mask.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub(crate) struct LaneAddresses {
    offsets: [u32; 32],
    mask: u32,
    /// What offsets count from, as bytes from the start.
    start: u64,
}

/// Addresses that lie in `bytes`, each with `size` bytes behind it.
#[derive(Debug)]
pub(crate) struct Checked<'b> {
    bytes: &'b Bytes,
    places: &'b LaneAddresses,
    size: u32,
}

/// The same of every lane of a warp, whose addresses are at hand.
#[derive(Debug)]
pub(crate) struct AllLanes<'a> {
    bytes: &'a Bytes,
    addresses: &'a [u64; 32],
    /// Where `bytes` begin.
    origin: u64,
    size: u32,
    places: LaneAddresses,
}

impl LaneAddresses {
    /// Those of no lanes, for [`Self::set`].
    #[inline(always)]
    pub(crate) fn unset() -> Self {
        Self { offsets: [0; 32], mask: 0, start: 0 }
    }

    /// The lanes of `mask`, which has at least one, at `addresses` counted from
    /// `origin`. None if one is below it or 4 GiB or more above.
    pub(crate) fn new(addresses: &[u64; 32], origin: u64, mask: u32) -> Option<Self> {
        let mut places = Self::unset();
        places.set::<4>(addresses, origin, mask, (u64::MAX, 1)).then_some(places)
    }

    /// Becomes those of the lanes of `mask`, which has at least one, at `addresses` counted from
    /// `origin`. Gives whether each is less than 4 GiB above it, aligned to `size` (a power of
    /// two), and has `size` bytes below `end`. `N` is 16 only where the machine has AVX-512.
    #[inline(always)]
    pub(crate) fn set<const N: usize>(
        &mut self,
        addresses: &[u64; 32],
        origin: u64,
        mask: u32,
        (end, size): (u64, u32),
    ) -> bool {
        (self.mask, self.start) = (mask, 0);
        let room = end.checked_sub(u64::from(size));
        let last = room.unwrap_or_default().min(u64::from(u32::MAX)) as u32;
        let limits = (last, size - 1);
        subtract::<N>(&mut self.offsets, addresses, origin, mask, limits) && room.is_some()
    }

    /// The same in `bytes`, to be accessed.
    #[inline(always)]
    pub(crate) fn enter<'b, const N: usize>(
        &'b mut self,
        addresses: &[u64; 32],
        origin: u64,
        mask: u32,
        (bytes, size): (&'b Bytes, u32),
    ) -> Option<Checked<'b>> {
        let fits = self.set::<N>(addresses, origin, mask, (bytes.len(), size));
        fits.then_some(Checked { bytes, places: self, size })
    }

    /// The same places, with offsets that count from `start`.
    pub(crate) fn after(self, start: u64) -> Self {
        Self { start, ..self }
    }

    /// The sector that a lane's place is in, counted from the start of the bytes.
    #[inline(always)]
    pub(crate) fn sector(&self, lane: usize) -> u64 {
        (self.start + u64::from(self.offsets[lane])) / SECTOR
    }

    /// The chunk that each lane's place is in, counted so too.
    #[inline(always)]
    pub(crate) fn chunks(&self) -> [u32; 32] {
        // What offsets count from is the start of a chunk.
        let first = (self.start / CHUNK) as u32;
        let mut chunks = self.offsets;
        for chunk in &mut chunks {
            *chunk = first.wrapping_add(*chunk / CHUNK as u32);
        }
        chunks
    }

    /// The offset of every lane.
    #[inline(always)]
    pub(crate) fn offsets(&self) -> &[u32; 32] {
        &self.offsets
    }

    /// The least offset.
    #[inline(always)]
    pub(crate) fn lowest(&self) -> u32 {
        self.offsets.iter().fold(u32::MAX, |least, &offset| least.min(offset))
    }

    /// The greatest offset.
    #[inline(always)]
    pub(crate) fn highest(&self) -> u32 {
        self.offsets.iter().fold(0, |greatest, &offset| greatest.max(offset))
    }

    /// Whether all lanes are at one place.
    #[inline(always)]
    pub(crate) fn together(&self) -> bool {
        let first = self.offsets[0];
        first == self.offsets[31] && self.offsets.iter().all(|&offset| offset == first)
    }

    /// Whether no two of the lanes that take part are at one place.
    #[inline(always)]
    pub(crate) fn apart(&self) -> bool {
        distinct(&self.offsets, 0) == self.mask.count_ones()
    }

    /// The lanes that take part.
    #[inline(always)]
    pub(crate) fn mask(&self) -> u32 {
        self.mask
    }

    /// Addresses with `size` bytes (a power of two) each, if all lie in `bytes`
    /// and are aligned to it.
    #[inline(always)]
    pub(crate) fn check<'b>(&'b self, bytes: &'b Bytes, size: u32) -> Option<Checked<'b>> {
        let end = self.start + u64::from(self.highest()) + u64::from(size);
        let bits = self.offsets.iter().fold(self.start as u32, |bits, offset| bits | offset);
        (end <= bytes.len() && bits & (size - 1) == 0).then_some(Checked {
            bytes,
            places: self,
            size,
        })
    }
}

impl Checked<'_> {
    /// Where the lanes are.
    #[inline(always)]
    pub(crate) fn places(&self) -> &LaneAddresses {
        self.places
    }

    /// The place of one lane, `part` bytes on.
    #[inline(always)]
    fn place(&self, lane: usize, part: u32) -> *mut u8 {
        let at = self.places.start + u64::from(self.places.offsets[lane]) + u64::from(part);
        // SAFETY: `LaneAddresses::check` found every lane's offset to be aligned and
        // to have `size` bytes of the allocation behind it, and `fits` that
        // what is accessed `part` bytes on lies among them.
        unsafe { self.bytes.start().add(at as usize) }
    }

    /// Panics unless `part` is a `T` among the bytes that were checked.
    #[inline(always)]
    fn fits<T>(&self, part: u32) {
        let size = size_of::<T>() as u32;
        assert!(
            part.is_multiple_of(size) && part + size <= self.size,
            "an access was not checked before it was made"
        );
    }

    /// Reads `part` bytes on from every lane's place. Lanes that take no part repeat one that
    /// does. `N` is 16 only where the machine has AVX-512.
    #[inline(always)]
    pub(crate) fn load<const N: usize, T: Gather>(&self, part: u32) -> [T; 32] {
        self.fits::<T>(part);
        let start = self.bytes.start().wrapping_add((self.places.start + u64::from(part)) as usize);
        // SAFETY: the places are valid and aligned; see `place`.
        unsafe { T::gather::<N, _>(start, &self.places.offsets) }
    }

    /// Writes `part` bytes on from the place of every lane that takes part, in
    /// order.
    #[inline(always)]
    pub(crate) fn store<T: Scalar>(&self, part: u32, value: impl Fn(usize) -> T) {
        self.fits::<T>(part);
        let first = (self.places.start + u64::from(part)) as usize;
        let (start, offsets) = (self.bytes.start().wrapping_add(first), &self.places.offsets);
        self.each(|lane| {
            // SAFETY: the place is valid and aligned; see `place`.
            unsafe { T::store(start.wrapping_add(offsets[lane] as usize), value(lane)) };
        });
    }

    /// Replaces the value `part` bytes on of every lane that takes part, in
    /// order, where no other thread of the host looks on; `each` gets the lane
    /// and the value.
    #[inline(always)]
    pub(crate) fn replace<T: Scalar>(&self, part: u32, mut each: impl FnMut(usize, T) -> T) {
        self.fits::<T>(part);
        let first = (self.places.start + u64::from(part)) as usize;
        let (start, offsets) = (self.bytes.start().wrapping_add(first), &self.places.offsets);
        self.each(|lane| {
            let place = start.wrapping_add(offsets[lane] as usize);
            // SAFETY: the place is valid and aligned; see `place`.
            unsafe { T::store(place, each(lane, T::load(place))) };
        });
    }

    /// The same for one lane; gives the old value.
    #[inline(always)]
    pub(crate) fn replace_one<T: Scalar>(
        &self,
        part: u32,
        lane: usize,
        f: impl FnOnce(T) -> T,
    ) -> T {
        self.fits::<T>(part);
        let place = self.place(lane, part);
        // SAFETY: the place is valid and aligned; see `place`.
        unsafe {
            let old = T::load(place);
            T::store(place, f(old));
            old
        }
    }

    /// Replaces the value `part` bytes on of one lane in one step.
    #[inline(always)]
    pub(crate) fn update<T: AtomicScalar>(&self, part: u32, lane: usize, f: impl Fn(T) -> T) -> T {
        self.fits::<T>(part);
        // SAFETY: the place is valid and aligned; see `place`.
        unsafe { T::update(self.place(lane, part), f) }
    }

    /// Adds to the value `part` bytes on of one lane in one step.
    #[inline(always)]
    pub(crate) fn add<T: AtomicScalar>(&self, part: u32, lane: usize, value: T) -> T {
        self.fits::<T>(part);
        // SAFETY: the place is valid and aligned; see `place`.
        unsafe { T::add(self.place(lane, part), value) }
    }

    /// Replaces the value `part` bytes on of one lane in one step, if it is the first of `known`,
    /// by the second; gives whether it did.
    #[inline(always)]
    pub(crate) fn swap<T: AtomicScalar>(&self, part: u32, lane: usize, known: [T; 2]) -> bool {
        self.fits::<T>(part);
        // SAFETY: the place is valid and aligned; see `place`.
        unsafe { T::swap(self.place(lane, part), known) }
    }

    /// Has the host fetch all places into its cache. It does one locked instruction after the
    /// other, so what they miss would come one after the other too.
    #[inline(always)]
    pub(crate) fn fetch(&self) {
        #[cfg(target_arch = "x86_64")]
        self.each(|lane| {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: whatever the address, a prefetch does not fault.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.place(lane, 0).cast_const().cast()) };
        });
    }

    /// Calls `f` for the lanes that take part, in order.
    #[inline(always)]
    pub(crate) fn each(&self, mut f: impl FnMut(usize)) {
        if self.places.mask == FULL {
            for lane in 0..32 {
                f(lane);
            }
        } else {
            let mut left = self.places.mask;
            while left != 0 {
                f(left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

impl<'a> AllLanes<'a> {
    /// The lanes at `addresses`, if each is aligned to `size` (a power of two) and has `size`
    /// bytes behind it in `bytes`, which begin at `origin` and have less than 4 GiB up to the
    /// last lane. `N` is 16 only where the machine has AVX-512.
    #[inline(always)]
    pub(crate) fn find<const N: usize>(
        addresses: &'a [u64; 32],
        origin: u64,
        (bytes, size): (&'a Bytes, u32),
    ) -> Option<Self> {
        let mut places = LaneAddresses::unset();
        let fits = places.set::<N>(addresses, origin, FULL, (bytes.len(), size));
        fits.then_some(Self { bytes, addresses, origin, size, places })
    }

    /// Where the lanes are.
    #[inline(always)]
    pub(crate) fn places(&self) -> &LaneAddresses {
        &self.places
    }

    /// Where address 0 would be: from there, an address is the way to its place.
    #[inline(always)]
    fn start<T>(&self) -> *mut u8 {
        assert!(
            size_of::<T>() <= self.size as usize,
            "an access was not checked before it was made"
        );
        self.bytes.start().wrapping_sub(self.origin as usize)
    }

    /// Reads from every lane's place. `N` is 16 only where the machine has AVX-512.
    #[inline(always)]
    pub(crate) fn load<const N: usize, T: Gather>(&self) -> [T; 32] {
        // SAFETY: `find` has checked that every lane's address is aligned and has `size` bytes in
        // `bytes`, and `start` that `T` has no more.
        unsafe { T::gather::<N, _>(self.start::<T>(), self.addresses) }
    }

    /// Writes to every lane's place, in order.
    #[inline(always)]
    pub(crate) fn store<T: Scalar>(&self, values: &[T; 32]) {
        let start = self.start::<T>();
        for (&address, &value) in self.addresses.iter().zip(values) {
            // SAFETY: as in `load`.
            unsafe { T::store(start.wrapping_add(address as usize), value) };
        }
    }

    /// Replaces every lane's value, in order, where no other thread of the host looks on; `each`
    /// gets the lane and the value.
    #[inline(always)]
    pub(crate) fn replace<T: Scalar>(&self, mut each: impl FnMut(usize, T) -> T) {
        let start = self.start::<T>();
        for lane in 0..32 {
            let place = start.wrapping_add(self.addresses[lane] as usize);
            // SAFETY: as in `load`.
            unsafe { T::store(place, each(lane, T::load(place))) };
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn addresses(f: impl Fn(u64) -> u64) -> [u64; 32] {
        std::array::from_fn(|lane| f(lane as u64))
    }

    #[test]
    fn places_beyond_the_end_or_misaligned_are_refused() {
        let bytes = Bytes::zeroed(128);
        let places = |f: fn(u64) -> u64, mask| LaneAddresses::new(&addresses(f), 1000, mask);
        assert!(places(|lane| 1000 + lane * 4, FULL).unwrap().check(&bytes, 4).is_some());
        assert!(places(|lane| 1004 + lane * 4, FULL).unwrap().check(&bytes, 4).is_none());
        assert!(places(|lane| 1004 + lane * 4, FULL >> 1).unwrap().check(&bytes, 4).is_some());
        assert!(places(|lane| 1002 + lane, FULL).unwrap().check(&bytes, 4).is_none());
        assert!(places(|lane| 999 + lane, FULL).is_none());
        assert!(places(|lane| 999 + lane, FULL << 1).is_some());
        assert!(places(|lane| 1000 + (lane << 30), FULL).is_none());
    }

    #[test]
    fn lanes_read_and_write_their_own_place() {
        let bytes = Bytes::zeroed(256);
        let places = LaneAddresses::new(&addresses(|lane| (31 - lane) * 8), 0, 0xffff).unwrap();
        let checked = places.check(&bytes, 8).unwrap();
        checked.store(4, |lane| lane as u32 + 1);
        assert_eq!(bytes.load::<u64>(31 * 8), 1 << 32);
        assert_eq!(bytes.load::<u64>(0), 0);
        let read = checked.load::<4, u32>(4);
        assert_eq!(read[..17], std::array::from_fn::<u32, 17, _>(|lane| lane as u32 % 16 + 1));
        checked.replace(0, |lane, old: u64| old + lane as u64);
        assert_eq!(bytes.load::<u64>(30 * 8), (2 << 32) + 1);
    }

    #[test]
    fn updates_are_one_step() {
        let bytes = Bytes::zeroed(8);
        let places = LaneAddresses::new(&[0; 32], 0, FULL).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let checked = places.check(&bytes, 8).unwrap();
                    for lane in (0..32).cycle().take(1000) {
                        checked.update(0, lane, |old: u64| old + 1);
                        checked.add(0, lane, 1_u64 << 32);
                    }
                });
            }
        });
        assert_eq!(bytes.load::<u64>(0), (2000 << 32) + 2000);
    }

    #[test]
    #[should_panic(expected = "was not checked")]
    fn more_than_was_checked_is_not_read() {
        let bytes = Bytes::zeroed(256);
        let places = LaneAddresses::new(&addresses(|lane| lane * 4), 0, FULL).unwrap();
        places.check(&bytes, 4).unwrap().load::<4, u32>(4);
    }
}
