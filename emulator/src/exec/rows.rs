//! Loads and stores of full warps whose lanes lie in four rows of eight, each
//! in a row in memory or all on one place: what most accesses look like. They
//! are checked, counted and moved by the row.
//!
//! Blocks run at the same time on several threads of the host, so accesses to
//! memory are atomic by the lane. Rust has no such vector accesses; on x86-64
//! they are written in assembly, where a vector's lanes are atomic each.

use crate::machine::{Bytes, SECTOR, Scalar};

/// Where four rows of eight lanes lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    /// Address, or after [`Self::inside`] offset, of each row's first lane.
    starts: [u64; 4],
    /// Bytes per lane.
    size: u64,
    /// Bytes from lane to lane: those of a lane, or 0.
    step: u64,
}

impl Rows {
    /// Rows of lanes of `size` bytes, if the addresses lie so.
    #[inline(always)]
    pub(crate) fn find(addresses: &[u64; 32], size: u64) -> Option<Self> {
        let step = if addresses[0] == addresses[1] { 0 } else { size };
        let away: [u64; 8] = std::array::from_fn(|lane| lane as u64 * step);
        let mut odd = [0; 8];
        for row in addresses.as_chunks::<8>().0 {
            for lane in 0..8 {
                odd[lane] |= row[lane] ^ row[0].wrapping_add(away[lane]);
            }
        }
        let odd = odd.into_iter().fold(0, |all, bits| all | bits);
        let starts = [addresses[0], addresses[8], addresses[16], addresses[24]];
        (odd == 0).then_some(Self { starts, size, step })
    }

    /// Bytes that a row takes.
    #[inline(always)]
    fn extent(&self) -> u64 {
        self.step * 7 + self.size
    }

    /// The same rows with offsets from `origin`, if all of them lie in `bytes`
    /// from there, and are aligned.
    #[inline(always)]
    pub(crate) fn inside(self, bytes: &Bytes, origin: u64) -> Option<Inside<'_>> {
        let starts = self.starts.map(|start| start.wrapping_sub(origin));
        let room = bytes.len().checked_sub(self.extent())?;
        // One by one: as a vector they would have to be put together first.
        for start in starts {
            if start > room || start & (self.size - 1) != 0 {
                return None;
            }
        }
        let rows = Self { starts, ..self };
        Some(Inside { bytes, rows })
    }
}

/// Rows that lie in `bytes`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inside<'b> {
    bytes: &'b Bytes,
    rows: Rows,
}

impl Inside<'_> {
    /// The first and last of a row's sectors.
    #[inline(always)]
    fn sectors_of(&self, row: usize) -> (u64, u64) {
        let start = self.rows.starts[row];
        (start / SECTOR, (start + self.rows.extent() - 1) / SECTOR)
    }

    /// As [`access::sectors`].
    #[inline(always)]
    pub(crate) fn sectors(&self) -> u32 {
        let [a, b, c, d] = self.rows.starts;
        let lowest = a.min(b).min(c.min(d)) / SECTOR;
        let highest = a.max(b).max(c.max(d)) / SECTOR;
        // A bit per sector; a row has five at most.
        if highest - lowest >= 58 {
            return self.scattered_sectors();
        }
        let mut touched = 0_u64;
        for row in 0..4 {
            let (first, last) = self.sectors_of(row);
            touched |= ((2 << (last - first)) - 1) << (first - lowest);
        }
        touched.count_ones()
    }

    /// As [`Self::sectors`], for rows that are far apart.
    #[inline(never)]
    fn scattered_sectors(&self) -> u32 {
        let mut count = 0;
        for row in 0..4 {
            let (first, last) = self.sectors_of(row);
            for sector in first..=last {
                let known = (0..row).any(|before| {
                    let (first, last) = self.sectors_of(before);
                    (first..=last).contains(&sector)
                });
                count += u32::from(!known);
            }
        }
        count
    }

    /// As [`access::wavefronts`].
    #[inline(always)]
    pub(crate) fn wavefronts(&self, load: bool) -> (u32, u32) {
        let [a, b, c, d] = self.rows.starts;
        let span = a.max(b).max(c.max(d)) - a.min(b).min(c.min(d)) + self.rows.extent();
        // Words in a row lie on different banks; narrower lanes may begin within one.
        if self.rows.size == 4 && span <= 128 || self.rows.size < 4 && span <= 125 {
            return (1, 0);
        }
        let Rows { starts, step, size } = self.rows;
        let row = 8 * step;
        let halves = (starts[1] ^ (starts[0] + row)) | (starts[3] ^ (starts[2] + row));
        if size > 4 && halves == 0 && !(load && step == 0) {
            // Each half-warp or quarter-warp lies on different banks.
            return (size as u32 / 4, 0);
        }
        self.other_wavefronts(load)
    }

    /// As [`Self::wavefronts`], where rows may meet on a bank.
    #[inline(never)]
    fn other_wavefronts(&self, load: bool) -> (u32, u32) {
        let Rows { starts, step, size } = self.rows;
        let unit = size.max(4);
        let (bits, banks) = (unit.trailing_zeros(), 128 / unit);
        // Half-warps or quarter-warps; loads of neighbours from one place go in twice as many.
        let least = banks as usize / 8;
        let group = if unit > 4 && step == 0 && load { 2 * least } else { least };
        let ends = starts.map(|start| (start >> bits, (start + 7 * step) >> bits));
        let mut passes = 0;
        for rows in ends.chunks_exact(group) {
            // Banks with that many units, and more.
            let mut with = [0_u64; 4];
            for (row, &(first, last)) in rows.iter().enumerate() {
                // A row has eight units at most, on as many banks.
                let mut own = (2_u64 << (last - first)) - 1;
                for before in &rows[..row] {
                    let (low, high) = (first.max(before.0), last.min(before.1));
                    if low <= high {
                        own &= !(((2 << (high - low)) - 1) << (low - first));
                    }
                }
                own <<= first % banks;
                own = (own | own >> banks) & ((1 << banks) - 1);
                for with in &mut with {
                    let both = *with & own;
                    *with |= own;
                    own = both;
                }
            }
            passes += with.iter().map(|&with| u32::from(with != 0)).sum::<u32>();
        }
        (passes, passes - (4 / group) as u32)
    }

    /// Where eight cells of a row lie, after the first `part` bytes of each lane. Where all lanes lie
    /// at one place, where their cell there lies.
    #[inline(always)]
    fn place(&self, row: usize, part: usize) -> *mut u8 {
        let on = if self.rows.step == 0 { part } else { 8 * part };
        self.bytes.start().wrapping_add(self.rows.starts[row] as usize + on)
    }

    /// Reads `CELLS` cells of every lane, side by side. Vectors have `N` lanes of 32 bits: 8 or more
    /// only where the machine has AVX2, which [`crate::exec::run`] knows.
    #[inline(always)]
    pub(crate) fn cells<const N: usize, const CELLS: usize, T: Cell>(&self) -> [[T; 32]; CELLS] {
        let size = size_of::<T>();
        assert_eq!((CELLS * size) as u64, self.rows.size, "the cells are a lane");
        let mut values = [[T::default(); 32]; CELLS];
        for row in 0..4 {
            for group in 0..CELLS {
                let at = self.place(row, group * size);
                if self.rows.step == 0 {
                    // SAFETY: `place` is within the row, which `Rows::inside` found to lie in the bytes,
                    // aligned.
                    let value = unsafe { T::load(at) };
                    values[group].as_chunks_mut::<8>().0[row] = [value; 8];
                } else {
                    // SAFETY: `place` is within the row, which `Rows::inside` found to lie in the bytes,
                    // aligned.
                    let cells = unsafe { T::load_row::<N>(at) };
                    for index in 0..8 {
                        let cell = 8 * group + index;
                        values[cell % CELLS][8 * row + cell / CELLS] = cells[index];
                    }
                }
            }
        }
        values
    }

    /// Writes them; of lanes at one place, the last one's.
    #[inline(always)]
    pub(crate) fn put_cells<const N: usize, const CELLS: usize, T: Cell>(
        &self,
        values: &[[T; 32]; CELLS],
    ) {
        let size = size_of::<T>();
        assert_eq!((CELLS * size) as u64, self.rows.size, "the cells are a lane");
        for row in 0..4 {
            for group in 0..CELLS {
                let at = self.place(row, group * size);
                if self.rows.step == 0 {
                    // SAFETY: `place` is within the row, which `Rows::inside` found to lie in the bytes,
                    // aligned.
                    unsafe { T::store(at, values[group][8 * row + 7]) };
                } else {
                    let mut cells = [T::default(); 8];
                    for index in 0..8 {
                        let cell = 8 * group + index;
                        cells[index] = values[cell % CELLS][8 * row + cell / CELLS];
                    }
                    // SAFETY: `place` is within the row, which `Rows::inside` found to lie in the bytes,
                    // aligned.
                    unsafe { T::store_row::<N>(at, cells) };
                }
            }
        }
    }
}

/// A lane's value as registers hold it.
pub(crate) trait Cell: Scalar + Default {
    /// Reads eight in a row, each atomic and relaxed.
    ///
    /// # Safety
    /// As for [`Scalar::load`], for all eight; AVX2 if `N` is 8 or more.
    unsafe fn load_row<const N: usize>(at: *mut u8) -> [Self; 8];
    /// Writes eight in a row, likewise.
    ///
    /// # Safety
    /// As for `load_row`.
    unsafe fn store_row<const N: usize>(at: *mut u8, values: [Self; 8]);
}

macro_rules! cell {
    ($ty:ty, $per_vector:literal, $load:ident, $store:ident) => {
        impl Cell for $ty {
            #[inline(always)]
            unsafe fn load_row<const N: usize>(at: *mut u8) -> [Self; 8] {
                let mut values = [0; 8];
                #[cfg(target_arch = "x86_64")]
                if N >= 8 {
                    for (index, part) in
                        values.as_chunks_mut::<$per_vector>().0.iter_mut().enumerate()
                    {
                        // SAFETY: the caller promises AVX2 and the places.
                        *part = unsafe { $load(at.add(index * 32)) };
                    }
                    return values;
                }
                for (lane, value) in values.iter_mut().enumerate() {
                    // SAFETY: the caller promises the places.
                    *value = unsafe { Self::load(at.add(lane * size_of::<Self>())) };
                }
                values
            }

            #[inline(always)]
            unsafe fn store_row<const N: usize>(at: *mut u8, values: [Self; 8]) {
                #[cfg(target_arch = "x86_64")]
                if N >= 8 {
                    for (index, part) in values.as_chunks::<$per_vector>().0.iter().enumerate() {
                        // SAFETY: the caller promises AVX2 and the places.
                        unsafe { $store(at.add(index * 32), *part) };
                    }
                    return;
                }
                for (lane, &value) in values.iter().enumerate() {
                    // SAFETY: the caller promises the places.
                    unsafe { Self::store(at.add(lane * size_of::<Self>()), value) };
                }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn $load(at: *const u8) -> [$ty; $per_vector] {
            let vector: std::arch::x86_64::__m256i;
            // SAFETY: the caller promises that 32 bytes can be read here. Every
            // lane is aligned, so each is read in one piece.
            unsafe {
                std::arch::asm!(
                    "vmovdqu {}, [{}]", out(ymm_reg) vector, in(reg) at,
                    options(nostack, readonly, preserves_flags)
                );
                std::mem::transmute(vector)
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[inline]
        #[target_feature(enable = "avx2")]
        unsafe fn $store(at: *mut u8, values: [$ty; $per_vector]) {
            // SAFETY: the caller promises that 32 bytes can be written here.
            // Every lane is aligned, so each is written in one piece.
            unsafe {
                let vector: std::arch::x86_64::__m256i = std::mem::transmute(values);
                std::arch::asm!(
                    "vmovdqu [{}], {}", in(reg) at, in(ymm_reg) vector,
                    options(nostack, preserves_flags)
                );
            }
        }
    };
}

cell!(u32, 8, load_words, store_words);
cell!(u64, 4, load_doubles, store_doubles);

/// Narrow lanes: a row is one or two words of 8 bytes, that x86-64 reads and writes at any
/// place.
macro_rules! narrow_cell {
    ($ty:ty, $words:literal) => {
        impl Cell for $ty {
            #[inline(always)]
            unsafe fn load_row<const N: usize>(at: *mut u8) -> [Self; 8] {
                #[cfg(target_arch = "x86_64")]
                {
                    let mut words = [0_u64; $words];
                    for (index, word) in words.iter_mut().enumerate() {
                        // SAFETY: the caller promises the places. Every lane is aligned, so
                        // each is read in one piece.
                        unsafe {
                            std::arch::asm!(
                                "mov {}, [{}]", out(reg) *word, in(reg) at.add(8 * index),
                                options(nostack, readonly, preserves_flags)
                            );
                        }
                    }
                    // SAFETY: both are arrays of integers of one size.
                    unsafe { std::mem::transmute(words) }
                }
                #[cfg(not(target_arch = "x86_64"))]
                {
                    let mut values = [0; 8];
                    for (lane, value) in values.iter_mut().enumerate() {
                        // SAFETY: the caller promises the places.
                        *value = unsafe { Self::load(at.add(lane * size_of::<Self>())) };
                    }
                    values
                }
            }

            #[inline(always)]
            unsafe fn store_row<const N: usize>(at: *mut u8, values: [Self; 8]) {
                #[cfg(target_arch = "x86_64")]
                {
                    // SAFETY: both are arrays of integers of one size.
                    let words: [u64; $words] = unsafe { std::mem::transmute(values) };
                    for (index, word) in words.into_iter().enumerate() {
                        // SAFETY: the caller promises the places. Every lane is aligned, so
                        // each is written in one piece.
                        unsafe {
                            std::arch::asm!(
                                "mov [{}], {}", in(reg) at.add(8 * index), in(reg) word,
                                options(nostack, preserves_flags)
                            );
                        }
                    }
                }
                #[cfg(not(target_arch = "x86_64"))]
                for (lane, &value) in values.iter().enumerate() {
                    // SAFETY: the caller promises the places.
                    unsafe { Self::store(at.add(lane * size_of::<Self>()), value) };
                }
            }
        }
    };
}

narrow_cell!(u8, 1);
narrow_cell!(u16, 2);

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cost::access;
    use crate::machine::LaneAddresses;

    /// Addresses of rows that start so.
    fn addresses(starts: [u64; 4], step: u64) -> [u64; 32] {
        std::array::from_fn(|lane| starts[lane / 8] + lane as u64 % 8 * step)
    }

    #[test]
    fn only_rows_are_rows() {
        let mut lanes = addresses([64, 0, 1000, 64], 4);
        assert!(Rows::find(&lanes, 4).is_some());
        assert!(Rows::find(&lanes, 8).is_none());
        assert!(Rows::find(&addresses([8, 8, 0, 8], 0), 8).is_some());
        lanes[31] += 4;
        assert!(Rows::find(&lanes, 4).is_none());
    }

    #[test]
    fn rows_beyond_the_end_or_misaligned_are_refused() {
        let bytes = Bytes::zeroed(128);
        let inside = |starts, step, size| {
            Rows::find(&addresses(starts, step), size).unwrap().inside(&bytes, 1000).is_some()
        };
        assert!(inside([1000, 1032, 1064, 1096], 4, 4));
        assert!(!inside([1000, 1032, 1064, 1100], 4, 4));
        assert!(!inside([1000, 1032, 996, 1096], 4, 4));
        assert!(!inside([1002, 1032, 1064, 1000], 4, 4));
        assert!(inside([1124, 1000, 1000, 1000], 0, 4));
        assert!(!inside([1124, 1000, 1000, 1000], 0, 8));
        assert!(Rows::find(&[5; 32], 4).unwrap().inside(&Bytes::zeroed(3), 5).is_none());
    }

    #[test]
    fn rows_cost_what_their_lanes_cost() {
        let bytes = Bytes::zeroed(1 << 18);
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for case in 0..4000 {
            let size = [4, 8, 1, 2, 16][case % 5];
            let spread = 1 << random(13);
            let first = random(1 << 10);
            let starts = std::array::from_fn(|row| {
                let far = if case % 3 == 1 { row as u64 * 8 } else { random(spread) };
                (first + far) * size
            });
            let lanes = addresses(starts, if case % 4 == 0 { 0 } else { size });
            let inside = Rows::find(&lanes, size).unwrap().inside(&bytes, 0).unwrap();
            let places = LaneAddresses::new(&lanes, 0, u32::MAX).unwrap();
            assert_eq!(inside.sectors(), access::sectors(&places), "{starts:?}");
            for load in [false, true] {
                let expected = access::wavefronts(&places, size as u32, load);
                assert_eq!(inside.wavefronts(load), expected, "{starts:?}");
            }
        }
    }

    /// Reads and writes rows of `T` with vectors of `N` lanes.
    fn moves<const N: usize, T: Cell + From<u8> + PartialEq + std::fmt::Debug>() {
        let size = size_of::<T>() as u64;
        let bytes = Bytes::zeroed(1 << 11);
        let values: [T; 32] = std::array::from_fn(|lane| T::from(lane as u8 + 1));
        // The second row lies half on the first, which was written before.
        let lanes = addresses([0, 4 * size, 40 * size, 60 * size], size);
        let inside = Rows::find(&lanes, size).unwrap().inside(&bytes, 0).unwrap();
        inside.put_cells::<N, 1, T>(&[values]);
        let [read] = inside.cells::<N, 1, T>();
        for lane in 0..32 {
            let last = if (4..8).contains(&lane) { lane + 4 } else { lane };
            assert_eq!(read[lane], values[last], "lane {lane}");
            assert_eq!(bytes.load::<T>(lanes[lane]), values[last]);
        }
        let one = Rows::find(&[16; 32], size).unwrap().inside(&bytes, 0).unwrap();
        one.put_cells::<N, 1, T>(&[values]);
        assert_eq!(one.cells::<N, 1, T>(), [[values[31]; 32]]);
        groups::<N, 2, T>(&bytes);
        groups::<N, 4, T>(&bytes);
        groups::<N, 8, T>(&bytes);
    }

    /// The same of several cells a lane, side by side or all lanes' at one place.
    fn groups<const N: usize, const CELLS: usize, T: Cell + PartialEq + std::fmt::Debug>(
        bytes: &Bytes,
    ) {
        let (cell, size) = (size_of::<T>() as u64, (CELLS * size_of::<T>()) as u64);
        for step in [size, 0] {
            let lanes = addresses([0, 10 * size, 3 * size, 20 * size], step);
            let inside = Rows::find(&lanes, size).unwrap().inside(bytes, 0).unwrap();
            let at = |lane: usize, index: usize| lanes[lane] + index as u64 * cell;
            let read = inside.cells::<N, CELLS, T>();
            for (index, values) in read.iter().enumerate() {
                for lane in 0..32 {
                    assert_eq!(values[lane], bytes.load::<T>(at(lane, index)), "{lane} {index}");
                }
            }
            let turned: [[T; 32]; CELLS] = std::array::from_fn(|index| {
                std::array::from_fn(|lane| read[CELLS - 1 - index][(lane + 5) % 32])
            });
            inside.put_cells::<N, CELLS, T>(&turned);
            for lane in 0..32 {
                // Of lanes at one place, the last one's.
                let last = (lane..32).rfind(|&other| lanes[other] == lanes[lane]).unwrap();
                for (index, values) in turned.iter().enumerate() {
                    assert_eq!(bytes.load::<T>(at(lane, index)), values[last], "{lane} {index}");
                }
            }
        }
    }

    #[test]
    fn rows_are_read_and_written_in_the_order_of_lanes() {
        moves::<4, u8>();
        moves::<4, u16>();
        moves::<4, u32>();
        moves::<4, u64>();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            moves::<8, u32>();
            moves::<8, u64>();
        }
    }
}
