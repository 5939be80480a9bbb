//! Which lanes of a warp have the same key: each is compared with all others, which takes
//! vectors fewer instructions than any table.

#![allow(clippy::needless_range_loop, reason = "loops over 32 lanes vectorise as they stand")]

use crate::machine::host_vectors::HostVectors;

/// Whether [`firsts`] and the like take vectors.
#[inline(always)]
pub(crate) fn quick() -> bool {
    HostVectors::here() >= HostVectors::Avx2
}

/// Whether the machine has AVX-512 for them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx512() -> bool {
    HostVectors::here() >= HostVectors::Avx512
}

/// Whether it has those for [`most_per_bank`] and the like.
#[inline(always)]
pub(crate) fn turns_quickly() -> bool {
    HostVectors::here() >= HostVectors::Avx512Bits
}

/// The lanes whose key is this, but for its lowest `low` bits.
#[inline(always)]
pub(crate) fn those_with(keys: &[u32; 32], low: u32, key: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: the machine has the feature, as just checked.
        return unsafe { host::those_with(keys, low, key) };
    }
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the feature, as just checked.
        return unsafe { avx2::those_with(keys, low, key) };
    }
    those_with_plain(keys, low, key)
}

fn those_with_plain(keys: &[u32; 32], low: u32, key: u32) -> u32 {
    let same = |lane: usize| u32::from((keys[lane] ^ key) >> low == 0);
    (0..32).fold(0, |lanes, lane| lanes | same(lane) << lane)
}

/// For each lane, the earlier ones with its key.
#[inline(always)]
pub(crate) fn earlier(keys: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::earlier(keys) };
    }
    let mut found = [0; 32];
    alike(keys, u32::MAX, &mut found);
    for (lane, found) in found.iter_mut().enumerate() {
        *found &= (1 << lane) - 1;
    }
    found
}

/// For each lane, the lanes of `group` with its key.
#[inline(always)]
pub(crate) fn alike(keys: &[u32; 32], group: u32, found: &mut [u32; 32]) {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::alike(keys, group, found) };
    }
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the feature, as just checked.
        return unsafe { avx2::alike(keys, group, found) };
    }
    alike_plain(keys, group, found);
}

/// The same of 64 bits.
#[inline(always)]
pub(crate) fn alike_doubles(keys: &[u64; 32], group: u32, found: &mut [u32; 32]) {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::alike_doubles(keys, group, found) };
    }
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the feature, as just checked.
        return unsafe { avx2::alike_doubles(keys, group, found) };
    }
    alike_plain(keys, group, found);
}

/// The lanes of `mask` that are the first of them with their key, without its lowest `low` bits.
#[inline(always)]
fn leaders_of(keys: &[u32; 32], low: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the feature, as just checked.
        let leaders = unsafe { avx2::leaders(keys, low, mask) };
        return leaders.unwrap_or_else(|| leaders_plain(keys, low, mask));
    }
    leaders_plain(keys, low, mask)
}

#[inline(never)]
fn leaders_plain(keys: &[u32; 32], low: u32, mask: u32) -> u32 {
    leaders(&earlier(&shifted(keys, low)), mask)
}

/// The lanes that are the first with their key, without its lowest `low` bits.
#[inline(always)]
pub(crate) fn firsts(keys: &[u32; 32], low: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::firsts(keys, low) };
    }
    leaders_of(keys, low, u32::MAX)
}

/// How many different keys there are, without their lowest `low` bits.
#[inline(always)]
pub(crate) fn distinct(keys: &[u32; 32], low: u32) -> u32 {
    firsts(keys, low).count_ones()
}

/// How many different keys the lanes of `mask` have, without their lowest `low` bits, 2 at
/// least: of each eight lanes, added up.
#[inline(always)]
pub(crate) fn distinct_by_eights(keys: &[u32; 32], low: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if has_avx512() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::distinct_by_eights(keys, low, mask) };
    }
    #[cfg(target_arch = "x86_64")]
    if quick()
        // SAFETY: the machine has the feature, as just checked.
        && let Some(leaders) = unsafe { avx2::leaders_by_eights(keys, low, mask) }
    {
        return leaders.count_ones();
    }
    distinct_by_eights_plain(keys, low, mask)
}

#[inline(never)]
fn distinct_by_eights_plain(keys: &[u32; 32], low: u32, mask: u32) -> u32 {
    let mut apart = shifted(keys, low);
    for lane in 0..32 {
        apart[lane] = (apart[lane] << 2) | (lane as u32 / 8);
    }
    leaders(&earlier(&apart), mask).count_ones()
}

/// The most different keys, without their lowest `low` bits, that fall on one of `banks` banks
/// (32 at most, a power of two), of the lanes of `mask`.
#[inline(always)]
pub(crate) fn most_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_per_bank(keys, low, banks, mask) };
    }
    most_lanes_per_bank(keys, low, banks, leaders_of(keys, low, mask))
}

/// As [`most_per_bank`], of each group of `lanes` lanes (32, 16 or 8), added up. There are no more
/// banks than lanes, and `low` is 2 at least.
#[inline(always)]
pub(crate) fn most_by_groups(keys: &[u32; 32], low: u32, banks: u32, lanes: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_by_groups(keys, low, banks, lanes, mask) };
    }
    let mut apart = [0; 32];
    for lane in 0..32 {
        apart[lane] = (keys[lane] >> low) << 2 | lane as u32 >> lanes.trailing_zeros();
    }
    let leaders = leaders_of(&apart, 0, mask);
    let bits = bank_bits(keys, low, banks);
    // A loop, because closures of iterators are compiled without the vector instructions.
    let mut sum = 0;
    for group in 0..32 / lanes {
        let leaders = leaders & (u32::MAX >> (32 - lanes) << (group * lanes));
        sum +=
            if banks <= 16 { most_of::<16>(bits, leaders) } else { most_of::<32>(bits, leaders) };
    }
    sum
}

/// Words for 32 banks, or for 16 of each half-warp.
#[derive(Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(crate) struct ByBank(pub(crate) [[u32; 16]; 2]);

/// The lanes of `mask` on each of 32 banks, or on each of 16 of each half-warp.
#[inline(always)]
pub(crate) fn lanes_by_bank(keys: &[u32; 32], low: u32, halves: bool, mask: u32) -> ByBank {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::lanes_by_bank(keys, low, halves, mask) };
    }
    lanes_by_bank_plain(keys, low, halves, mask)
}

#[inline(always)]
fn lanes_by_bank_plain(keys: &[u32; 32], low: u32, halves: bool, mask: u32) -> ByBank {
    let mut lanes = ByBank([[0; 16]; 2]);
    for lane in 0..32 {
        let key = (keys[lane] >> low) as usize;
        let half = if halves { lane } else { key } / 16 % 2;
        lanes.0[half][key % 16] |= mask & 1 << lane;
    }
    lanes
}

/// The most lanes of `mask` on one bank: as [`most_per_bank`], whether keys differ or not.
#[inline(always)]
pub(crate) fn most_lanes_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_lanes(keys, low, banks, mask) };
    }
    most_of::<32>(bank_bits(keys, low, banks), mask)
}

/// For each bit of the number of a bank, the lanes whose bank has it.
#[inline(always)]
fn bank_bits(keys: &[u32; 32], low: u32, banks: u32) -> [u32; 5] {
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { avx2::bank_bits(keys, low, banks) };
    }
    bank_bits_plain(keys, low, banks)
}

fn shifted(keys: &[u32; 32], low: u32) -> [u32; 32] {
    keys.map(|key| key >> low)
}

fn bank_bits_plain(keys: &[u32; 32], low: u32, banks: u32) -> [u32; 5] {
    let mut bits = [0; 5];
    for (bit, lanes) in bits.iter_mut().enumerate() {
        for lane in 0..32 {
            *lanes |= ((keys[lane] >> low & (banks - 1)) >> bit & 1) << lane;
        }
    }
    bits
}

/// The most lanes of `mask` on one of `BANKS` banks, each bit of whose number is set in these lanes.
#[inline(always)]
fn most_of<const BANKS: usize>(bits: [u32; 5], mask: u32) -> u32 {
    // For each bit of a number, the numbers that do not have it.
    const WITHOUT: [[u32; 32]; 5] = {
        let mut table = [[0; 32]; 5];
        let mut at = 0;
        while at < 160 {
            table[at / 32][at % 32] = if (at % 32) >> (at / 32) & 1 == 0 { u32::MAX } else { 0 };
            at += 1;
        }
        table
    };
    let [a, b, c, d, e] = bits;
    let mut most = [0; BANKS];
    for bank in 0..BANKS {
        let with = |lanes: u32, bit: usize| lanes ^ WITHOUT[bit][bank];
        let lanes = with(a, 0) & with(b, 1) & with(c, 2) & with(d, 3) & with(e, 4) & mask;
        most[bank] = lanes.count_ones();
    }
    most.iter().fold(0, |most, &lanes| lanes.max(most))
}

/// The lanes of `mask` that are the first with their key.
#[inline(always)]
pub(crate) fn leaders(earlier: &[u32; 32], mask: u32) -> u32 {
    let mut leaders = 0;
    for lane in 0..32 {
        leaders |= if earlier[lane] & mask == 0 { 1 << lane } else { 0 };
    }
    leaders & mask
}

#[inline(never)]
fn alike_plain<T: PartialEq>(keys: &[T; 32], group: u32, found: &mut [u32; 32]) {
    *found = [0; 32];
    for (other, key) in keys.iter().enumerate() {
        for lane in 0..32 {
            found[lane] |= if keys[lane] == *key { group & 1 << other } else { 0 };
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod host;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::machine::host_vectors::HostVectors;

    use super::{
        alike, alike_doubles, alike_plain, bank_bits_plain, distinct, distinct_by_eights,
        distinct_by_eights_plain, earlier, lanes_by_bank, lanes_by_bank_plain, leaders,
        most_by_groups, most_lanes_per_bank, most_of, most_per_bank,
    };

    fn found(find: impl FnOnce(&mut [u32; 32])) -> [u32; 32] {
        let mut found = [7; 32];
        find(&mut found);
        found
    }

    /// What AVX2 finds, whatever else the machine has.
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables, reason = "no such host"))]
    fn narrow(keys: &[u32; 32], (low, banks, mask): (u32, u32, u32), (firsts, lanes): (u32, u32)) {
        #[cfg(target_arch = "x86_64")]
        if super::quick() {
            // SAFETY: the machine has the features, as just checked.
            unsafe {
                let leaders = super::avx2::leaders(keys, low, mask);
                assert_eq!(leaders.unwrap_or(firsts), firsts);
                let bits = super::avx2::bank_bits(keys, low, banks);
                assert_eq!(most_of::<32>(bits, mask), lanes);
                let eights = super::avx2::leaders_by_eights(keys, low, mask);
                let plain = distinct_by_eights_plain(keys, low, mask);
                assert_eq!(eights.map_or(plain, u32::count_ones), plain);
                let vectors = found(|found| super::avx2::alike(keys, mask, found));
                assert_eq!(vectors, found(|found| alike_plain(keys, mask, found)));
            }
        }
    }

    #[test]
    fn lanes_with_one_key_find_each_other() {
        for (amd, keys) in [false, true].into_iter().flat_map(|amd| {
            // Keys that differ in their upper halves alone, those of an array, and those whose halves
            // are the same, as well.
            [1, 2, 7, 16, 30, 1000, 3 << 16, 1 << 24, 0x1_0001].map(|keys| (amd, keys))
        }) {
            HostVectors::pretend(amd);
            let of = |lane: u32| match keys {
                0x3_0000 => (lane % 3) << 16,
                0x1_0001 => lane / 3 * keys,
                0x100_0000 => lane / 2 * 99_999,
                _ => lane.wrapping_mul(2_654_435_761).rotate_left(lane) % keys * 77,
            };
            let all: [u32; 32] = std::array::from_fn(|lane| of(lane as u32));
            let same = |lane: usize, other: usize| u32::from(all[lane] == all[other]) << other;
            let expected =
                std::array::from_fn(|lane| (0..32).map(|other| same(lane, other)).sum::<u32>());
            assert_eq!(found(|found| alike(&all, u32::MAX, found)), expected);
            assert_eq!(found(|found| alike_plain(&all, u32::MAX, found)), expected);
            let group = 0x8421_7fff;
            let in_group = found(|found| alike(&all, group, found));
            assert_eq!(in_group, expected.map(|lanes| lanes & group));
            for shift in [0, 7, 24, 32] {
                let wide = all.map(|key| u64::from(key) << shift | 3);
                assert_eq!(found(|found| alike_doubles(&wide, u32::MAX, found)), expected);
            }
            let one_half: [u64; 32] =
                std::array::from_fn(|lane| (u64::from(all[lane]) << 32) | (lane as u64 % 3));
            let same = |lane: usize, other: usize| one_half[lane] == one_half[other];
            let in_both = std::array::from_fn(|lane| {
                (0..32).map(|other| u32::from(same(lane, other)) << other).sum::<u32>()
            });
            assert_eq!(found(|found| alike_doubles(&one_half, u32::MAX, found)), in_both);
            assert_eq!(found(|found| alike_plain(&one_half, u32::MAX, found)), in_both);
            #[cfg(target_arch = "x86_64")]
            if super::quick() {
                // SAFETY: the machine has the feature, as just checked.
                unsafe {
                    let narrow = found(|found| super::avx2::alike(&all, u32::MAX, found));
                    assert_eq!(narrow, expected);
                    let narrow =
                        found(|found| super::avx2::alike_doubles(&one_half, u32::MAX, found));
                    assert_eq!(narrow, in_both);
                }
            }
            let before = earlier(&all);
            assert!((0..32).all(|lane| before[lane] == expected[lane] & ((1 << lane) - 1)));
            let number = all.iter().collect::<BTreeSet<_>>().len() as u32;
            assert_eq!(
                (distinct(&all, 0), leaders(&before, u32::MAX).count_ones()),
                (number, number)
            );
            let coarse = all.iter().map(|key| key >> 5).collect::<BTreeSet<_>>().len() as u32;
            assert_eq!(distinct(&all, 5), coarse);
            assert_eq!(leaders(&before, 1 << 31), 1 << 31);
            for (low, mask) in [(2, u32::MAX), (3, 0x0f0f_1234), (4, 1 << 31), (2, 0)] {
                let on = |lane: &usize| mask >> lane & 1 != 0;
                let of = |lanes: std::ops::Range<usize>| {
                    lanes.filter(on).map(|lane| all[lane] >> low).collect::<BTreeSet<_>>().len()
                };
                let number = (0..4).map(|eight| of(8 * eight..8 * eight + 8)).sum::<usize>() as u32;
                assert_eq!(distinct_by_eights(&all, low, mask), number);
                assert_eq!(distinct_by_eights_plain(&all, low, mask), number);
            }
            for (low, banks) in [(0, 32), (2, 32), (3, 16), (4, 8)] {
                let keys = all.map(|key| key >> low);
                for mask in [u32::MAX, 0x0f0f_1234, 1 << 31, 0] {
                    let on = |bank| {
                        let on =
                            |&lane: &usize| mask >> lane & 1 != 0 && keys[lane] % banks == bank;
                        let lanes = (0..32).filter(on).map(|lane| keys[lane]);
                        (lanes.clone().collect::<BTreeSet<_>>().len() as u32, lanes.count() as u32)
                    };
                    let different = (0..banks).map(|bank| on(bank).0).max().unwrap_or_default();
                    let lanes = (0..banks).map(|bank| on(bank).1).max().unwrap_or_default();
                    let firsts = leaders(&earlier(&keys), mask);
                    assert_eq!(most_per_bank(&all, low, banks, mask), different);
                    assert_eq!(most_of::<32>(bank_bits_plain(&all, low, banks), firsts), different);
                    assert_eq!(most_lanes_per_bank(&all, low, banks, mask), lanes);
                    assert_eq!(most_of::<32>(bank_bits_plain(&all, low, banks), mask), lanes);
                    for halves in [false, true] {
                        let by_bank = lanes_by_bank_plain(&all, low, halves, mask);
                        assert_eq!(lanes_by_bank(&all, low, halves, mask), by_bank);
                    }
                    narrow(&all, (low, banks, mask), (firsts, lanes));
                    for group in [8, 16, 32].into_iter().filter(|&size| low >= 2 && banks <= size) {
                        let own = |start| mask & u32::MAX >> (32 - group) << start;
                        let most = |start| most_per_bank(&all, low, banks, own(start));
                        let sum = (0..32).step_by(group as usize).map(most).sum::<u32>();
                        assert_eq!(most_by_groups(&all, low, banks, group, mask), sum);
                    }
                }
            }
        }
    }
}
