//! Which lanes of a warp have the same key: each is compared with all others, which takes
//! vectors fewer instructions than any table.

#![allow(clippy::needless_range_loop, reason = "loops over 32 lanes vectorise as they stand")]

use crate::machine::host_vectors::HostVectors;
use crate::machine::registers::Register;

/// Whether the machine has instructions for [`firsts`] and the like.
#[inline(always)]
pub(crate) fn quick() -> bool {
    HostVectors::here() >= HostVectors::Avx512
}

/// Whether it has those for [`most_per_bank`] and the like.
#[inline(always)]
pub(crate) fn turns_quickly() -> bool {
    HostVectors::here() >= HostVectors::Avx512Bits
}

/// For each lane, the earlier ones with its key.
#[inline(always)]
pub(crate) fn earlier(keys: &[u32; 32]) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::earlier(keys) };
    }
    let mut found = alike_plain(keys);
    for (lane, found) in found.iter_mut().enumerate() {
        *found &= (1 << lane) - 1;
    }
    found
}

/// For each lane, those with its key.
#[inline(always)]
pub(crate) fn alike(keys: &[u32; 32]) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::alike(keys) };
    }
    Register(alike_plain(keys))
}

/// The same of 64 bits.
#[inline(always)]
pub(crate) fn alike_doubles(keys: &[u64; 32]) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::alike_doubles(keys) };
    }
    let (mut low, mut high) = ([0; 32], [0; 32]);
    for lane in 0..32 {
        low[lane] = keys[lane] as u32;
        high[lane] = (keys[lane] >> 32) as u32;
    }
    let (mut both, high) = (alike_plain(&low), alike_plain(&high));
    for lane in 0..32 {
        both[lane] &= high[lane];
    }
    Register(both)
}

/// The lanes that are the first with their key, without its lowest `low` bits.
#[inline(always)]
pub(crate) fn firsts(keys: &[u32; 32], low: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if quick() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::firsts(keys, low) };
    }
    leaders(&earlier(&shifted(keys, low)), u32::MAX)
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
    if quick() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::distinct_by_eights(keys, low, mask) };
    }
    distinct_by_eights_plain(keys, low, mask)
}

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
    let keys = shifted(keys, low);
    most_lanes_plain(&keys, banks, leaders(&earlier(&keys), mask))
}

/// The most lanes of `mask` on one bank: as [`most_per_bank`], whether keys differ or not.
#[inline(always)]
pub(crate) fn most_lanes_per_bank(keys: &[u32; 32], low: u32, banks: u32, mask: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if turns_quickly() {
        // SAFETY: the machine has the features, as just checked.
        return unsafe { host::most_lanes(keys, low, banks, mask) };
    }
    most_lanes_plain(&shifted(keys, low), banks, mask)
}

fn shifted(keys: &[u32; 32], low: u32) -> [u32; 32] {
    keys.map(|key| key >> low)
}

fn most_lanes_plain(keys: &[u32; 32], banks: u32, mask: u32) -> u32 {
    let mut lanes = [0_u32; 32];
    for lane in 0..32 {
        lanes[(keys[lane] & (banks - 1)) as usize & 31] |= mask & 1 << lane;
    }
    lanes.iter().map(|lanes| lanes.count_ones()).max().unwrap_or_default()
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

fn alike_plain(keys: &[u32; 32]) -> [u32; 32] {
    let mut found = [0; 32];
    for (other, &key) in keys.iter().enumerate() {
        for lane in 0..32 {
            found[lane] |= if keys[lane] == key { 1 << other } else { 0 };
        }
    }
    found
}

#[cfg(target_arch = "x86_64")]
mod host;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::machine::host_vectors::HostVectors;

    use super::{
        alike, alike_doubles, alike_plain, distinct, distinct_by_eights, distinct_by_eights_plain,
        earlier, leaders, most_lanes_per_bank, most_lanes_plain, most_per_bank,
    };

    #[test]
    fn lanes_with_one_key_find_each_other() {
        for (amd, keys) in [false, true].into_iter().flat_map(|amd| {
            // Keys that differ in their upper halves alone, and those of an array, as well.
            [1, 2, 7, 16, 30, 1000, 3 << 16, 1 << 24].map(|keys| (amd, keys))
        }) {
            HostVectors::pretend(amd);
            let of = |lane: u32| match keys {
                0x3_0000 => lane % 3 << 16,
                0x100_0000 => lane / 2 * 99_999,
                _ => lane.wrapping_mul(2_654_435_761).rotate_left(lane) % keys * 77,
            };
            let all: [u32; 32] = std::array::from_fn(|lane| of(lane as u32));
            let same = |lane: usize, other: usize| u32::from(all[lane] == all[other]) << other;
            let expected =
                std::array::from_fn(|lane| (0..32).map(|other| same(lane, other)).sum::<u32>());
            assert_eq!(alike(&all).0, expected);
            assert_eq!(alike_plain(&all), expected);
            for shift in [0, 7, 24, 32] {
                let wide = all.map(|key| u64::from(key) << shift | 3);
                assert_eq!(alike_doubles(&wide).0, expected);
            }
            let one_half: [u64; 32] =
                std::array::from_fn(|lane| (u64::from(all[lane]) << 32) | (lane as u64 % 3));
            let same = |lane: usize, other: usize| one_half[lane] == one_half[other];
            let in_both = std::array::from_fn(|lane| {
                (0..32).map(|other| u32::from(same(lane, other)) << other).sum::<u32>()
            });
            assert_eq!(alike_doubles(&one_half).0, in_both);
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
                    assert_eq!(most_lanes_plain(&keys, banks, firsts), different);
                    assert_eq!(most_lanes_per_bank(&all, low, banks, mask), lanes);
                    assert_eq!(most_lanes_plain(&keys, banks, mask), lanes);
                }
            }
        }
    }
}
