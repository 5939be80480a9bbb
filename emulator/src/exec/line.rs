//! Accesses whose lanes lie side by side in memory, or all at one place: the commonest. A mask
//! tells who takes part; what addresses the others have does not matter.
//!
//! They cost what `cost::access` would count by the lane, which is known beforehand: lanes in a
//! line fill sectors one after the other, and never meet on a bank.

use crate::machine::{Bytes, SECTOR};

/// Most bytes of a lane for which the costs here hold.
const WIDEST: u64 = 16;

/// Where the lanes lie, if in a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    /// Address, or after [`Self::inside`] offset, of lane 0; counted back from the first that
    /// takes part.
    first: u64,
    /// Bytes per lane.
    size: u64,
    /// Bytes from lane to lane: those of a lane, or 0.
    step: u64,
    mask: u32,
}

impl Line {
    /// How far the second of the lanes lies from the first.
    #[inline(always)]
    pub(crate) fn away(addresses: &[u64; 32], mask: u32) -> u64 {
        let (low, next) = first_two(mask);
        addresses[next as usize].wrapping_sub(addresses[low as usize])
    }

    /// Whether two of the lanes lie as in a line, or a row of it: most of those that are in no
    /// line are found out so.
    #[inline(always)]
    pub(crate) fn maybe(addresses: &[u64; 32], size: u64, mask: u32) -> bool {
        let (low, next) = first_two(mask);
        let away = addresses[next as usize].wrapping_sub(addresses[low as usize]);
        away == 0 || away == u64::from(next - low) * size
    }

    /// Whether the last lane of a full warp lies as in a line that the first two may begin.
    #[inline(always)]
    pub(crate) fn ends_well(addresses: &[u64; 32]) -> bool {
        let away = addresses[1].wrapping_sub(addresses[0]);
        addresses[31].wrapping_sub(addresses[0]) == away.wrapping_mul(31)
    }

    /// The lanes of `mask`, which has at least one, if their addresses lie so; each has `size`
    /// bytes. `N` is 16 only where the machine has AVX-512, and 8 where it has AVX2.
    #[inline(always)]
    pub(crate) fn find<const N: usize>(
        addresses: &[u64; 32],
        size: u64,
        mask: u32,
    ) -> Option<Self> {
        let (low, next) = first_two(mask);
        let start = addresses[low as usize];
        let away = addresses[next as usize].wrapping_sub(start);
        let step = if away == 0 { 0 } else { size };
        if size > WIDEST || away != u64::from(next - low) * step {
            return None;
        }
        let first = start.wrapping_sub(u64::from(low) * step);
        all_at::<N>(addresses, (first, step), mask).then_some(Self { first, size, step, mask })
    }

    /// The lowest and highest lane that take part.
    #[inline(always)]
    fn ends(&self) -> (u64, u64) {
        (
            u64::from(self.mask.trailing_zeros() & 31),
            u64::from(31 - (self.mask.leading_zeros() & 31)),
        )
    }

    /// The same line with offsets from `origin`, if it lies in `bytes` from there, and is
    /// aligned.
    #[inline(always)]
    pub(crate) fn inside(self, bytes: &Bytes, origin: u64) -> Option<InsideLine<'_>> {
        let (low, high) = self.ends();
        let first = self.first.wrapping_sub(origin);
        let lowest = first.wrapping_add(low * self.step);
        let room = bytes.len().checked_sub((high - low) * self.step + self.size)?;
        (lowest <= room && lowest & (self.size - 1) == 0)
            .then_some(InsideLine { bytes, line: Self { first, ..self } })
    }
}

/// The first two lanes that take part, or the one that does twice.
#[inline(always)]
fn first_two(mask: u32) -> (u32, u32) {
    let low = mask.trailing_zeros() & 31;
    let rest = mask & mask.wrapping_sub(1);
    (low, if rest == 0 { low } else { rest.trailing_zeros() & 31 })
}

/// The address of all lanes of `mask`, which has at least one, if they have but one.
#[inline(always)]
pub(crate) fn one_place<const N: usize>(addresses: &[u64; 32], mask: u32) -> Option<u64> {
    let first = addresses[mask.trailing_zeros() as usize & 31];
    let last = addresses[31 - (mask.leading_zeros() as usize & 31)];
    (first == last && all_at::<N>(addresses, (first, 0), mask)).then_some(first)
}

/// Whether lane `i` of `mask` is at `first + i * step`, for all of them.
#[inline(always)]
fn all_at<const N: usize>(addresses: &[u64; 32], (first, step): (u64, u64), mask: u32) -> bool {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::all_at(addresses, (first, step), mask) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe {
            // Lanes that take no part mostly have an address in the line, too.
            host::all_at_narrow(addresses, (first, step))
                || mask != u32::MAX && mask & !host::at(addresses, (first, step)) == 0
        };
    }
    let mut odd = 0;
    for lane in 0..32 {
        let here = addresses[lane] ^ first.wrapping_add(lane as u64 * step);
        odd |= if mask >> lane & 1 != 0 { here } else { 0 };
    }
    odd == 0
}

/// A line that lies in `bytes`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InsideLine<'b> {
    bytes: &'b Bytes,
    line: Line,
}

impl InsideLine<'_> {
    /// Where lane 0 is, or would be. Those that take part are valid and aligned.
    #[inline(always)]
    pub(crate) fn place(&self) -> *mut u8 {
        self.bytes.start().wrapping_add(self.line.first as usize)
    }

    /// Where the 32 lanes are, if in a row and within the memory all of them, also those that take
    /// no part.
    #[inline(always)]
    pub(crate) fn whole_row(&self) -> Option<*mut u8> {
        let end = self.line.first.checked_add(32 * self.line.size)?;
        (self.line.step != 0 && end <= self.bytes.len()).then(|| self.place())
    }

    /// Whether all lanes are at one place.
    #[inline(always)]
    pub(crate) fn together(&self) -> bool {
        self.line.step == 0
    }

    /// Bytes of a lane.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> usize {
        self.line.size as usize
    }

    /// The lanes that take part.
    #[inline(always)]
    pub(crate) fn mask(&self) -> u32 {
        self.line.mask
    }

    /// The last of them.
    #[inline(always)]
    pub(crate) fn last(&self) -> usize {
        31 - (self.line.mask.leading_zeros() as usize & 31)
    }

    /// Where `size` bytes are, `part` bytes on from a lane that takes part.
    #[inline(always)]
    pub(crate) fn cell(&self, lane: usize, part: usize, size: usize) -> *mut u8 {
        let inside = part + size <= self.line.size as usize && part.is_multiple_of(size);
        assert!(inside && self.line.mask >> lane & 1 != 0, "a cell lies in its lane");
        self.place().wrapping_add(lane * self.line.step as usize + part)
    }

    /// As `cost::access::sectors` counts.
    #[inline(always)]
    pub(crate) fn sectors(&self) -> u32 {
        let Line { first, size, step, mask } = self.line;
        if step == 0 {
            return 1;
        }
        if mask == u32::MAX {
            return ((first + 32 * size - 1) / SECTOR - first / SECTOR) as u32 + 1;
        }
        self.firsts().count_ones()
    }

    /// A bit for each sector of a row: where its first lane is or would be, counted from the
    /// start of the sector of the first lane that takes part.
    #[inline(always)]
    fn firsts(&self) -> u64 {
        let Line { first, size, step, mask } = self.line;
        let bits = size.trailing_zeros();
        let low = self.line.ends().0;
        // Of each sector's lanes, those before the first of the line come first.
        let before = (first.wrapping_add(low * step) >> bits) & ((SECTOR >> bits) - 1);
        groups(u64::from(mask >> low) << before, SECTOR.trailing_zeros() - bits)
    }

    /// Calls `each` with the sectors of a row, in order.
    #[inline(always)]
    pub(crate) fn each_sector(&self, mut each: impl FnMut(u64)) {
        let (start, mut left) = (self.first_sector(), self.firsts());
        while left != 0 {
            each(start + u64::from(left.trailing_zeros()) * self.line.size / SECTOR);
            left &= left - 1;
        }
    }

    /// The first sector.
    #[inline(always)]
    pub(crate) fn first_sector(&self) -> u64 {
        self.line.first.wrapping_add(self.line.ends().0 * self.line.step) / SECTOR
    }

    /// The last sector.
    #[inline(always)]
    pub(crate) fn last_sector(&self) -> u64 {
        self.line.first.wrapping_add(self.line.ends().1 * self.line.step) / SECTOR
    }

    /// As `cost::access::wavefronts` counts; none of them is a conflict.
    #[inline(always)]
    pub(crate) fn wavefronts(&self, load: bool) -> u32 {
        let Line { size, step, mask, .. } = self.line;
        if size <= 4 {
            return 1;
        }
        // Half-warps or quarter-warps; loads from one place take half.
        let bits = 7 - size.trailing_zeros() + u32::from(step == 0 && load);
        groups(u64::from(mask), bits).count_ones()
    }
}

/// Which groups of 1, 2, 4 ... 32 bits, given as a power of two, have one that is set: the first
/// bit of each.
#[inline(always)]
fn groups(bits: u64, power: u32) -> u64 {
    // The last bit of each group.
    const LASTS: [u64; 6] = [
        u64::MAX,
        0xaaaa_aaaa_aaaa_aaaa,
        0x8888_8888_8888_8888,
        0x8080_8080_8080_8080,
        0x8000_8000_8000_8000,
        0x8000_0000_8000_0000,
    ];
    let power = power as usize % LASTS.len();
    let lasts = LASTS[power];
    // Adding ones to the bits before the last carries into the last if one of them is set.
    let carried = (bits & !lasts) + !lasts;
    ((carried | bits) & lasts) >> ((1 << power) - 1)
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_add_epi64, _mm256_cmpeq_epi64, _mm256_movemask_epi8,
        _mm256_mul_epu32, _mm256_or_si256, _mm256_packs_epi16, _mm256_packs_epi32,
        _mm256_permute4x64_epi64, _mm256_set1_epi64x, _mm256_setr_epi64x, _mm256_setzero_si256,
        _mm256_testz_si256, _mm256_unpacklo_epi16, _mm256_xor_si256, _mm512_add_epi64,
        _mm512_loadu_si512, _mm512_mask_ternarylogic_epi64, _mm512_mullo_epi64, _mm512_or_si512,
        _mm512_set1_epi64, _mm512_setr_epi64, _mm512_setzero_si512, _mm512_test_epi64_mask,
    };

    /// Has no features of its own: so it is inlined whatever its size.
    ///
    /// # Safety
    /// The machine has AVX-512, and the caller is compiled for it.
    #[inline(always)]
    pub(super) unsafe fn all_at(
        addresses: &[u64; 32],
        (first, step): (u64, u64),
        mask: u32,
    ) -> bool {
        // SAFETY: as the caller promises; there are four times eight addresses.
        unsafe {
            let group = |index: usize| {
                _mm512_loadu_si512(addresses.as_chunks::<8>().0[index].as_ptr().cast())
            };
            let away = _mm512_mullo_epi64(
                _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                _mm512_set1_epi64(step.cast_signed()),
            );
            let eighth = _mm512_set1_epi64(8_i64.wrapping_mul(step.cast_signed()));
            let first = _mm512_add_epi64(_mm512_set1_epi64(first.cast_signed()), away);
            let second = _mm512_add_epi64(first, eighth);
            let third = _mm512_add_epi64(second, eighth);
            let fourth = _mm512_add_epi64(third, eighth);
            // Whatever differs in a lane that takes part; in turn, so that none waits for the one
            // before.
            let none = _mm512_setzero_si512();
            let odd = _mm512_or_si512(
                differs(differs(none, mask, group(0), first), mask >> 16, group(2), third),
                differs(differs(none, mask >> 8, group(1), second), mask >> 24, group(3), fourth),
            );
            _mm512_test_epi64_mask(odd, odd) == 0
        }
    }

    /// `odd`, and what differs in the lanes of the lowest eight bits of `mask`.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn differs(odd: __m512i, mask: u32, here: __m512i, expected: __m512i) -> __m512i {
        _mm512_mask_ternarylogic_epi64::<0b1111_0110>(odd, mask as u8, here, expected)
    }

    /// The addresses in vectors of four, and the addresses of the line. The step has 32 bits.
    ///
    /// # Safety
    /// The machine has AVX2, and the caller is compiled for it.
    #[inline(always)]
    unsafe fn expected(
        addresses: &[u64; 32],
        (first, step): (u64, u64),
    ) -> ([__m256i; 8], [__m256i; 8]) {
        // SAFETY: as the caller promises; an array of 32 addresses and eight vectors of 4 have one
        // size, and any bits are a value of either.
        unsafe {
            let groups = std::mem::transmute::<[u64; 32], [__m256i; 8]>(*addresses);
            let step = _mm256_set1_epi64x(step.cast_signed());
            let away = _mm256_mul_epu32(_mm256_setr_epi64x(0, 1, 2, 3), step);
            let quarter = _mm256_mul_epu32(_mm256_set1_epi64x(4), step);
            let mut expected = [_mm256_add_epi64(_mm256_set1_epi64x(first.cast_signed()), away); 8];
            for group in 1..8 {
                expected[group] = _mm256_add_epi64(expected[group - 1], quarter);
            }
            (groups, expected)
        }
    }

    /// Whether all lanes are on the line, with AVX2. It has no features of its own, either.
    ///
    /// # Safety
    /// As for [`expected`].
    #[inline(always)]
    pub(super) unsafe fn all_at_narrow(addresses: &[u64; 32], line: (u64, u64)) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            let (groups, expected) = expected(addresses, line);
            let mut odd = [_mm256_setzero_si256(); 2];
            for group in 0..8 {
                let differs = _mm256_xor_si256(groups[group], expected[group]);
                odd[group % 2] = _mm256_or_si256(odd[group % 2], differs);
            }
            let odd = _mm256_or_si256(odd[0], odd[1]);
            _mm256_testz_si256(odd, odd) == 1
        }
    }

    /// The lanes on the line.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn at(addresses: &[u64; 32], line: (u64, u64)) -> u32 {
        // SAFETY: the machine has AVX2, and this is compiled for it.
        let (groups, expected) = unsafe { expected(addresses, line) };
        let same = |group: usize| _mm256_cmpeq_epi64(groups[group], expected[group]);
        let eight = |low: usize| _mm256_packs_epi32(same(low), same(low + 1));
        let sixteen = |low: usize| _mm256_packs_epi16(eight(low), eight(low + 2));
        // One byte per lane. Packing works within 128 bits: the lower half gets two lanes of each
        // group, the upper half the other two.
        let bytes = _mm256_packs_epi16(sixteen(0), sixteen(4));
        let lower = _mm256_permute4x64_epi64::<0b01_01_00_00>(bytes);
        let upper = _mm256_permute4x64_epi64::<0b11_11_10_10>(bytes);
        _mm256_movemask_epi8(_mm256_unpacklo_epi16(lower, upper)).cast_unsigned()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cost::access;
    use crate::machine::LaneAddresses;

    /// Addresses in a line; of lanes that take no part, any.
    fn addresses(first: u64, step: u64, mask: u32) -> [u64; 32] {
        std::array::from_fn(|lane| {
            let odd = if mask >> lane & 1 == 0 { 12_345 + lane as u64 } else { 0 };
            first.wrapping_add(lane as u64 * step).wrapping_add(odd)
        })
    }

    fn find(addresses: &[u64; 32], size: u64, mask: u32) -> Option<Line> {
        let plain = Line::find::<4>(addresses, size, mask);
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512dq") {
            let fast = Line::find::<16>(addresses, size, mask);
            assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            let fast = Line::find::<8>(addresses, size, mask);
            assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
        }
        plain
    }

    #[test]
    fn only_lines_are_lines() {
        for mask in [u32::MAX, 0x00f0_1230, 0xffff_fffe, 0x7fff_ffff] {
            for step in [0, 4] {
                let mut lanes = addresses(1 << 40, step, mask);
                assert!(find(&lanes, 4, mask).is_some());
                assert!(find(&lanes, 8, mask).is_some() == (step == 0));
                for lane in (0..32).filter(|lane| mask >> lane & 1 != 0) {
                    lanes[lane] += 4;
                    assert!(find(&lanes, 4, mask).is_none(), "{lane}");
                    lanes[lane] -= 4;
                }
            }
        }
        assert!(find(&addresses(3, 1, 1 << 9), 8, 1 << 9).is_some());
        assert!(find(&addresses(0, 0, u32::MAX), 32, u32::MAX).is_none());
    }

    #[test]
    fn lines_beyond_the_end_or_misaligned_are_refused() {
        let bytes = Bytes::zeroed(128);
        let inside = |first: u64, step, size, mask| {
            find(&addresses(first, step, mask), size, mask).unwrap().inside(&bytes, 1000).is_some()
        };
        assert!(inside(1000, 4, 4, u32::MAX));
        assert!(!inside(1004, 4, 4, u32::MAX));
        assert!(!inside(996, 4, 4, u32::MAX));
        assert!(!inside(1002, 4, 4, 0xff));
        assert!(inside(1004, 4, 4, u32::MAX >> 1));
        assert!(inside(996, 4, 4, u32::MAX << 1));
        assert!(inside(1120, 0, 8, 0xf0));
        assert!(!inside(1128, 0, 8, 0xf0));
        let line = find(&[5; 32], 4, 1).unwrap();
        assert!(line.inside(&Bytes::zeroed(3), 5).is_none());
    }

    #[test]
    fn lines_cost_what_their_lanes_cost() {
        let bytes = Bytes::zeroed(1 << 12);
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for case in 0..8000 {
            let size = [1, 2, 4, 8, 16][case % 5];
            let mask = match case % 3 {
                0 => u32::MAX,
                1 => (random(1 << 31) as u32 | 1 << random(32)) << random(32) | 1 << 31,
                _ => 1 << random(32),
            };
            let first = (random(64) + 2) * size;
            let lanes = addresses(first, if case % 4 == 0 { 0 } else { size }, mask);
            let inside = find(&lanes, size, mask).unwrap().inside(&bytes, 0).unwrap();
            let places = LaneAddresses::new(&lanes, 0, mask).unwrap();
            assert_eq!(inside.sectors(), access::sectors(&places), "{lanes:?} {mask:#x}");
            if !inside.together() {
                let (mut expected, mut found) = (Vec::new(), Vec::new());
                let met = access::meeting(&places);
                assert_eq!(met.crowded, 0, "lanes of a row do not meet");
                expected.extend(crate::machine::lanes(met.touched).map(|lane| places.sector(lane)));
                inside.each_sector(|sector| found.push(sector));
                assert_eq!((found.last(), found.clone()), (Some(&inside.last_sector()), expected));
            }
            for load in [false, true] {
                let expected = access::wavefronts(&places, size as u32, load);
                assert_eq!((inside.wavefronts(load), 0), expected, "{lanes:?} {mask:#x} {load}");
            }
        }
    }
}
