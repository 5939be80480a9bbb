//! What a warp's memory access costs: pure functions of its places.
//!
//! Sectors are the 32-byte units that L1 and L2 move; wavefronts are the passes
//! that shared memory's 32 banks of 4 bytes need.

#![allow(clippy::needless_range_loop, reason = "loops over 32 lanes vectorise as they stand")]

use crate::machine::lane_keys::{
    distinct, distinct_by_eights, firsts, most_by_groups, most_lanes_per_bank, most_per_bank,
    quick, those_with, turns_quickly,
};
use crate::machine::{CHUNK, LaneAddresses, SECTOR};

/// Bytes per sector, as a shift of an offset.
const SECTOR_BITS: u32 = SECTOR.trailing_zeros();

/// The same of what one slice of L2 looks after.
const CHUNK_BITS: u32 = CHUNK.trailing_zeros();

/// Distinct sectors that the lanes touch; aligned lanes touch one sector each.
#[inline(always)]
pub(crate) fn sectors(places: &LaneAddresses) -> u32 {
    if quick() {
        return distinct(places.offsets(), SECTOR_BITS);
    }
    let lowest = places.lowest() >> SECTOR_BITS;
    // Near each other: a bit per sector. Lanes that take no part repeat
    // another's place, which changes nothing.
    if (places.highest() >> SECTOR_BITS) - lowest < 64 {
        let mut touched = 0_u64;
        for offset in places.offsets() {
            touched |= 1 << ((offset >> SECTOR_BITS) - lowest);
        }
        return touched.count_ones();
    }
    distinct(places.offsets(), SECTOR_BITS)
}

/// Passes through the banks for lanes of `size` bytes each, and how many of
/// them are conflicts (passes beyond the 1, 2 or 4 that the width has anyway).
///
/// Lanes of up to 4 bytes go in one group of 32, of 8 bytes in two half-warps,
/// of 16 bytes in four quarter-warps; a group takes as many passes as the most
/// distinct words that fall on one bank. Lanes that touch the same word share
/// it. A load whose lanes all agree with their neighbour, or all with the lane
/// two away, or whose active lanes all agree, goes in groups of twice that size.
/// Measured on an H200: `benches/data/h200/findings.md`.
#[inline(always)]
pub(crate) fn wavefronts(places: &LaneAddresses, size: u32, load: bool) -> (u32, u32) {
    if size <= 4 {
        let passes = words_on_one_bank(places);
        return (passes, passes - 1);
    }
    wide_wavefronts(places, size, load)
}

/// As [`wavefronts`], for 8 and 16 bytes.
#[inline(always)]
fn wide_wavefronts(places: &LaneAddresses, size: u32, load: bool) -> (u32, u32) {
    let (offsets, mask) = (places.offsets(), places.mask());
    let least = if size == 16 { 4 } else { 2 };
    let mut group = 32 / least;
    if load && agree(offsets, mask) {
        group *= 2;
    }
    let groups =
        (0..32).step_by(group).filter(|&start| mask >> start & u32::MAX >> (32 - group) != 0);
    let units = 128 / size;
    let passes = most_by_groups(offsets, size.trailing_zeros(), units, group as u32, mask);
    (passes, passes.saturating_sub(least.min(groups.count()) as u32))
}

/// Whether all lanes agree with their neighbour, or all with the lane two away, or the active
/// ones all with each other.
#[inline(always)]
fn agree(offsets: &[u32; 32], mask: u32) -> bool {
    let first = offsets[mask.trailing_zeros() as usize & 31];
    let last = offsets[31 - (mask.leading_zeros() as usize & 31)];
    let apart = mask != u32::MAX || offsets[0] != offsets[1] && offsets[0] != offsets[2];
    if first != last && apart {
        return false;
    }
    let (mut one, mut two, mut all) = (!mask, !mask, 0);
    for lane in 0..32 {
        one |= offsets[lane] ^ offsets[lane ^ 1];
        two |= offsets[lane] ^ offsets[lane ^ 2];
        all |= if mask >> lane & 1 != 0 { offsets[lane] ^ first } else { 0 };
    }
    one == 0 || two == 0 || all == 0
}

/// Most distinct 4-byte words that the lanes, of up to 4 bytes, touch in one of
/// the 32 banks.
#[inline(always)]
fn words_on_one_bank(places: &LaneAddresses) -> u32 {
    // 32 words in a row lie on 32 banks.
    if !turns_quickly() && places.highest() / 4 - places.lowest() / 4 < 32 {
        return 1;
    }
    most_per_bank(places.offsets(), 2, 32, u32::MAX)
}

/// Passes through the banks for an atomic on 4-byte words of shared memory.
///
/// Adding the constant 1 without using the result combines lanes on one word
/// (`ATOMS.POPC.INC`): passes are those of a plain access. Every other atomic
/// is done lane by lane within a bank, whichever words. Measured on an H200:
/// `benches/data/h200/findings.md`.
#[inline(always)]
pub(crate) fn atomic_wavefronts(places: &LaneAddresses, combines: bool) -> u32 {
    if combines {
        return words_on_one_bank(places);
    }
    // No two lanes share a pass.
    most_lanes_per_bank(places.offsets(), 2, 32, places.mask())
}

/// How the lanes of an atomic access to global memory meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// Distinct addresses.
    pub(crate) addresses: u32,
    /// Lanes on the most popular address.
    pub(crate) deepest: u32,
    /// The first lane in each of the sectors.
    pub(crate) touched: u32,
    /// The first lane in each of the chunks.
    pub(crate) apart: u32,
    /// Those of them whose sectors take more than one pass at L2.
    pub(crate) crowded: u32,
    /// By these lanes: how many more.
    pub(crate) more: [u32; 32],
}

/// Lanes that are looked at one by one, rather than finding first which of them meet.
const FEW: u32 = 4;

/// How the lanes of an atomic access meet. A sector takes as many passes at L2 as the most lanes
/// on one of its words. Nothing is combined. Measured on an H200:
/// `benches/data/h200/findings.md`.
#[inline(always)]
pub(crate) fn meeting(places: &LaneAddresses) -> Meeting {
    let (offsets, mask) = (places.offsets(), places.mask());
    // Lanes that take no part repeat the first that does, so that nothing here changes with them.
    let apart = firsts(offsets, CHUNK_BITS);
    let touched = if apart == u32::MAX { apart } else { firsts(offsets, SECTOR_BITS) };
    let (addresses, more) = (mask.count_ones(), [0; 32]);
    let mut met = Meeting { addresses, deepest: 1, touched, apart, crowded: 0, more };
    // Those that are alone in their sectors are so at their addresses.
    let mut late = mask & !touched;
    if late.count_ones() > FEW {
        late = mask & !firsts(offsets, 0);
    }
    while late != 0 {
        let offset = offsets[late.trailing_zeros() as usize & 31];
        let here = those_with(offsets, 0, offset) & mask;
        let lanes = here.count_ones();
        late &= !here;
        if lanes > 1 {
            let sector = those_with(offsets, SECTOR_BITS, offset);
            let first = sector.trailing_zeros() as usize & 31;
            met.addresses -= lanes - 1;
            met.deepest = met.deepest.max(lanes);
            met.crowded |= 1 << first;
            met.more[first] = met.more[first].max(lanes - 1);
        }
    }
    met
}

/// Sectors that an access to local memory touches: the 4-byte words of the lanes lie next to
/// each other, so 32 lanes at one offset are 128 bytes in a row, and the eight lanes of a
/// sector meet where their words are the same. Offsets are aligned to `size`, so those of two
/// lanes are the same or do not meet.
#[inline(always)]
pub(crate) fn local_sectors(at: &[u32; 32], lanes: u32, size: u32) -> u32 {
    let unit = size.max(4);
    distinct_by_eights(at, unit.trailing_zeros(), lanes) * (unit / 4)
}

/// The same of 4-byte words at one offset: as many as groups of eight lanes that take part.
#[inline(always)]
pub(crate) fn groups_of_eight(lanes: u32) -> u32 {
    let groups = [0xff, 0xff00, 0x00ff_0000, 0xff00_0000];
    groups.iter().map(|group| u32::from(lanes & group != 0)).sum()
}

/// The distinct sectors of such an access, by their number in the warp's local memory.
pub(crate) fn each_local_sector(at: &[u64; 32], lanes: u32, size: u64, mut each: impl FnMut(u64)) {
    let mut touched = [0; 32 * 8];
    let mut count = 0;
    for (lane, &at) in at.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0) {
        for word in at / 4..(at + size).div_ceil(4) {
            touched[count] = (word * 128 + lane as u64 * 4) / SECTOR;
            count += 1;
        }
    }
    let touched = &mut touched[..count];
    touched.sort_unstable();
    for same in touched.chunk_by(|a, b| a == b) {
        each(same[0]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::machine::lanes;

    fn places(f: impl Fn(u64) -> u64, mask: u32) -> LaneAddresses {
        LaneAddresses::new(&std::array::from_fn(|lane| f(lane as u64)), 0, mask).unwrap()
    }

    fn all_sectors(f: impl Fn(u64) -> u64) -> u32 {
        sectors(&places(f, u32::MAX))
    }

    #[test]
    fn ideal_accesses_touch_4_8_and_16_sectors() {
        assert_eq!(all_sectors(|lane| 256 + lane * 4), 4);
        assert_eq!(all_sectors(|lane| 256 + lane * 8), 8);
        assert_eq!(all_sectors(|lane| 256 + lane * 16), 16);
        assert_eq!(all_sectors(|lane| 260 + lane * 4), 5);
        assert_eq!(all_sectors(|_| 256), 1);
        assert_eq!(all_sectors(|lane| lane * 128), 32);
        assert_eq!(all_sectors(|lane| (31 - lane) * 4), 4);
        assert_eq!(sectors(&places(|lane| lane * 64, 0b101)), 2);
    }

    #[test]
    fn banks_conflict_on_different_words_only() {
        let all = u32::MAX;
        assert_eq!(wavefronts(&places(|lane| lane * 4, all), 4, true), (1, 0));
        assert_eq!(wavefronts(&places(|_| 64, all), 4, true), (1, 0));
        assert_eq!(wavefronts(&places(|lane| lane * 8, all), 4, true), (2, 1));
        assert_eq!(wavefronts(&places(|lane| lane * 128, all), 4, true), (32, 31));
        assert_eq!(wavefronts(&places(|lane| lane * 128, 0b11), 4, true), (2, 1));
        assert_eq!(wavefronts(&places(|lane| lane * 8, all), 8, true), (2, 0));
        assert_eq!(wavefronts(&places(|lane| lane * 16, all), 16, true), (4, 0));
        assert_eq!(wavefronts(&places(|lane| lane * 32, all), 16, true), (8, 4));
        // Neighbours that agree: groups twice as large, for loads only.
        assert_eq!(wavefronts(&places(|lane| lane / 2 * 8, all), 8, true), (1, 0));
        assert_eq!(wavefronts(&places(|lane| lane / 2 * 8, all), 8, false), (2, 0));
        // One place for some lanes: the same.
        assert_eq!(wavefronts(&places(|_| 64, 0x00ff_fff0), 8, true), (1, 0));
        assert_eq!(wavefronts(&places(|_| 64, 0x00ff_fff0), 16, true), (2, 0));
        assert_eq!(wavefronts(&places(|_| 64, 0xff), 16, true), (1, 0));
        assert_eq!(wavefronts(&places(|_| 64, 0x00ff_fff0), 8, false), (2, 0));
    }

    /// What the short cuts are for, in the plainest way: distinct sectors, and
    /// the most distinct words on a bank.
    fn plainly(addresses: &[u64], mask: u32) -> (u32, u32) {
        let active = || (0..32).filter(|lane| mask >> lane & 1 != 0).map(|lane| addresses[lane]);
        let sectors: BTreeSet<u64> = active().map(|address| address / 32).collect();
        let words: BTreeSet<u64> = active().map(|address| address / 4).collect();
        let on = |bank| words.iter().filter(|&word| word % 32 == bank).count();
        (sectors.len() as u32, (0..32).map(on).max().unwrap() as u32)
    }

    #[test]
    fn short_cuts_count_as_plain_counting_does() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for case in 0..4000 {
            let (start, stride) = (random(1 << 12), random(1 << (case % 12)));
            let spread = 1 << (case % 18);
            let addresses: [u64; 32] = std::array::from_fn(|lane| {
                let scattered = if case % 3 == 0 { 0 } else { random(spread) };
                (start + lane as u64 * if case % 3 == 1 { 0 } else { stride } + scattered) * 4
            });
            let mask = if case % 2 == 0 { u32::MAX } else { random(1 << 32) as u32 | 1 << 7 };
            let places = LaneAddresses::new(&addresses, 0, mask).unwrap();
            let counted = (sectors(&places), wavefronts(&places, 4, true).0);
            assert_eq!(counted, plainly(&addresses, mask), "{addresses:?} {mask:#x}");
        }
    }

    #[test]
    fn increments_combine_and_other_atomics_do_not() {
        let same = places(|_| 64, u32::MAX);
        assert_eq!(atomic_wavefronts(&same, true), 1);
        assert_eq!(atomic_wavefronts(&same, false), 32);
        let spread = places(|lane| lane * 4, u32::MAX);
        assert_eq!(atomic_wavefronts(&spread, false), 1);
        assert_eq!(atomic_wavefronts(&places(|lane| lane * 128, 0xff), true), 8);
    }

    #[test]
    fn global_atomics_pass_once_per_lane_on_the_fullest_word_of_a_sector() {
        let meet = |f: fn(u64) -> u64| {
            let met = meeting(&places(f, u32::MAX));
            let sector = |lane| (f(lane as u64) / 32, met.more[lane] + 1);
            (met.addresses, met.deepest, lanes(met.touched).map(sector).collect::<Vec<_>>())
        };
        assert_eq!(meet(|_| 0), (1, 32, vec![(0, 32)]));
        assert_eq!(meet(|lane| lane % 8 * 4), (8, 4, vec![(0, 4)]));
        assert_eq!(meet(|lane| lane * 4), (32, 1, vec![(0, 1), (1, 1), (2, 1), (3, 1)]));
        // 16 lanes on one word of sector 0, the others two to a word of sector 1.
        let mixed = |lane: u64| if lane < 16 { 0 } else { 32 + lane % 8 * 4 };
        assert_eq!(meet(mixed), (9, 16, vec![(0, 16), (1, 2)]));
    }

    #[test]
    fn lanes_at_one_offset_are_one_row() {
        let same = |at: u32| [at; 32];
        assert_eq!(local_sectors(&same(8), u32::MAX, 4), 4);
        assert_eq!(local_sectors(&same(9), u32::MAX, 1), 4);
        for lanes in [1, 0x00ff_0100, 0x8000_0001, 0, u32::MAX] {
            assert_eq!(local_sectors(&same(16), lanes, 4), groups_of_eight(lanes));
        }
        assert_eq!(local_sectors(&same(8), 0xff, 4), 1);
        assert_eq!(local_sectors(&same(16), u32::MAX, 16), 16);
        let apart: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 4);
        assert_eq!(local_sectors(&apart, u32::MAX, 4), 32);
    }
}
