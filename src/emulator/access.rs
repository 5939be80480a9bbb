//! What a warp's memory access costs: pure functions of its addresses.
//!
//! Sectors are the 32-byte units that L1 and L2 move; wavefronts are the passes
//! that shared memory's 32 banks of 4 bytes need.

/// Bytes per sector.
pub(super) const SECTOR: u64 = 32;

/// The addresses of the active lanes, in lane order.
#[derive(Debug, Clone)]
pub(super) struct Addresses {
    lanes: [u64; 32],
    count: usize,
}

impl Addresses {
    /// The addresses of the lanes in `mask`.
    #[inline(always)]
    pub(super) fn new(all: &[u64; 32], mask: u32) -> Self {
        if mask == u32::MAX {
            return Self { lanes: *all, count: 32 };
        }
        let mut found = Self { lanes: [0; 32], count: 0 };
        let mut left = mask;
        while left != 0 {
            found.lanes[found.count] = all[left.trailing_zeros() as usize];
            found.count += 1;
            left &= left - 1;
        }
        found
    }

    #[inline(always)]
    pub(super) fn lanes(&self) -> &[u64] {
        &self.lanes[..self.count]
    }

    /// Whether each lane's address is `size` above the one before.
    #[inline(always)]
    fn consecutive(&self, size: u64) -> bool {
        let first = self.lanes[0];
        let mut same = true;
        for (index, &address) in self.lanes().iter().enumerate() {
            same &= address == first + index as u64 * size;
        }
        same
    }
}

/// A set of up to 32 keys with how often each was added, in an open-addressed
/// table of 64 places.
struct Tally {
    keys: [u64; 64],
    used: u64,
    times: [u8; 64],
}

impl Tally {
    #[inline(always)]
    fn new() -> Self {
        Self { keys: [0; 64], used: 0, times: [0; 64] }
    }

    /// Adds a key; gives how often it has been added by now.
    #[inline(always)]
    fn add(&mut self, key: u64) -> u8 {
        let mut at = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize;
        loop {
            if self.used >> at & 1 == 0 {
                self.used |= 1 << at;
                self.keys[at] = key;
                self.times[at] = 1;
                return 1;
            }
            if self.keys[at] == key {
                self.times[at] += 1;
                return self.times[at];
            }
            at = (at + 1) & 63;
        }
    }
}

/// Distinct sectors that lanes of `size` bytes each touch; aligned lanes touch
/// one sector each.
#[inline(always)]
pub(super) fn sectors(addresses: &Addresses, size: u64) -> u32 {
    let lanes = addresses.lanes();
    let Some(&first) = lanes.first() else { return 0 };
    if addresses.consecutive(size) {
        let last = first + lanes.len() as u64 * size - 1;
        return (last / SECTOR - first / SECTOR + 1) as u32;
    }
    let mut seen = Tally::new();
    let mut count = 0;
    for &address in lanes {
        count += u32::from(seen.add(address / SECTOR) == 1);
    }
    count
}

/// Passes through the banks for lanes of `size` bytes each, and how many of
/// them are conflicts (passes beyond the 1, 2 or 4 that the width has anyway).
///
/// Lanes of up to 4 bytes go in one group of 32, of 8 bytes in two half-warps,
/// of 16 bytes in four quarter-warps; a group takes as many passes as the most
/// distinct words that fall on one bank. Lanes that touch the same word share
/// it. A load whose lanes all agree with their neighbour, or all with the lane
/// two away, goes in groups of twice that size. Measured on an H200:
/// `benches/data/h200/findings.md`.
#[inline(always)]
pub(super) fn wavefronts(all: &[u64; 32], mask: u32, size: u64, load: bool) -> (u32, u32) {
    let least = match size {
        16 => 4,
        8 => 2,
        _ => 1,
    };
    let mut group = 32 / least;
    if load && least > 1 && mask == u32::MAX {
        let alike = |away: usize| (0..32).all(|lane| all[lane] == all[lane ^ away]);
        if alike(1) || alike(2) {
            group *= 2;
        }
    }
    let (mut passes, mut groups) = (0, 0);
    for start in (0..32).step_by(group) {
        let members = (u64::from(mask) >> start & ((1 << group) - 1)) as u32;
        if members != 0 {
            passes += words_on_one_bank(all, members << start, size);
            groups += 1;
        }
    }
    (passes, passes.saturating_sub(groups.min(least as u32)))
}

/// Most distinct 4-byte words that these lanes touch in one of the 32 banks.
#[inline(always)]
fn words_on_one_bank(all: &[u64; 32], lanes: u32, size: u64) -> u32 {
    let mut seen = Tally::new();
    let mut per_bank = [0_u8; 32];
    let mut most = 0;
    let mut left = lanes;
    while left != 0 {
        let first = all[left.trailing_zeros() as usize] / 4;
        left &= left - 1;
        for word in first..first + size.div_ceil(4) {
            if seen.add(word) == 1 {
                let bank = &mut per_bank[(word % 32) as usize];
                *bank += 1;
                most = most.max(*bank);
            }
        }
    }
    u32::from(most)
}

/// Passes through the banks for an atomic on 4-byte words of shared memory.
///
/// Adding the constant 1 without using the result combines lanes on one word
/// (`ATOMS.POPC.INC`): passes are those of a plain access. Every other atomic
/// is done lane by lane within a bank, whichever words. Measured on an H200:
/// `benches/data/h200/findings.md`.
#[inline(always)]
pub(super) fn atomic_wavefronts(all: &[u64; 32], mask: u32, combines: bool) -> u32 {
    if combines {
        return words_on_one_bank(all, mask, 4);
    }
    let mut per_bank = [0_u8; 32];
    let mut most = 0;
    let mut left = mask;
    while left != 0 {
        let bank = &mut per_bank[(all[left.trailing_zeros() as usize] / 4 % 32) as usize];
        left &= left - 1;
        *bank += 1;
        most = most.max(*bank);
    }
    u32::from(most)
}

/// How the lanes of an atomic access to global memory meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Meeting {
    /// Distinct addresses.
    pub(super) addresses: u32,
    /// Lanes on the most popular address.
    pub(super) deepest: u32,
}

/// How the lanes of an atomic access meet. Calls `each` with every sector and
/// its passes at L2: as many as the most lanes on one of the sector's words.
/// Nothing is combined. Measured on an H200: `benches/data/h200/findings.md`.
#[inline(always)]
pub(super) fn meeting(addresses: &Addresses, mut each: impl FnMut(u64, u32)) -> Meeting {
    let mut seen = Tally::new();
    let mut meeting = Meeting::default();
    let lanes = addresses.lanes();
    // How many lanes up to and including this one are on its address: the
    // sector's passes are the largest of these.
    let mut rank = [0_u32; 32];
    for (index, &address) in lanes.iter().enumerate() {
        rank[index] = u32::from(seen.add(address));
        meeting.addresses += u32::from(rank[index] == 1);
        meeting.deepest = meeting.deepest.max(rank[index]);
    }
    let mut done = 0_u32;
    for (index, &address) in lanes.iter().enumerate() {
        if done >> index & 1 != 0 {
            continue;
        }
        let sector = address / SECTOR;
        let mut passes = 0;
        for other in index..lanes.len() {
            if lanes[other] / SECTOR == sector {
                passes = passes.max(rank[other]);
                done |= 1 << other;
            }
        }
        each(sector, passes);
    }
    meeting
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(f: impl Fn(u64) -> u64) -> [u64; 32] {
        std::array::from_fn(|lane| f(lane as u64))
    }

    fn all_sectors(f: impl Fn(u64) -> u64, size: u64) -> u32 {
        sectors(&Addresses::new(&lanes(f), u32::MAX), size)
    }

    #[test]
    fn ideal_accesses_touch_4_8_and_16_sectors() {
        assert_eq!(all_sectors(|lane| 256 + lane * 4, 4), 4);
        assert_eq!(all_sectors(|lane| 256 + lane * 8, 8), 8);
        assert_eq!(all_sectors(|lane| 256 + lane * 16, 16), 16);
        assert_eq!(all_sectors(|lane| 260 + lane * 4, 4), 5);
        assert_eq!(all_sectors(|_| 256, 4), 1);
        assert_eq!(all_sectors(|lane| lane * 128, 4), 32);
        assert_eq!(all_sectors(|lane| (31 - lane) * 4, 4), 4);
        assert_eq!(sectors(&Addresses::new(&lanes(|lane| lane * 64), 0b101), 4), 2);
        assert_eq!(sectors(&Addresses::new(&lanes(|lane| lane), 0), 4), 0);
    }

    #[test]
    fn banks_conflict_on_different_words_only() {
        let all = u32::MAX;
        assert_eq!(wavefronts(&lanes(|lane| lane * 4), all, 4, true), (1, 0));
        assert_eq!(wavefronts(&lanes(|_| 64), all, 4, true), (1, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane * 8), all, 4, true), (2, 1));
        assert_eq!(wavefronts(&lanes(|lane| lane * 128), all, 4, true), (32, 31));
        assert_eq!(wavefronts(&lanes(|lane| lane * 128), 0b11, 4, true), (2, 1));
        assert_eq!(wavefronts(&lanes(|lane| lane * 8), all, 8, true), (2, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane * 16), all, 16, true), (4, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane * 32), all, 16, true), (8, 4));
        // Neighbours that agree: groups twice as large, for loads only.
        assert_eq!(wavefronts(&lanes(|lane| lane / 2 * 8), all, 8, true), (1, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane / 2 * 8), all, 8, false), (2, 0));
    }

    #[test]
    fn increments_combine_and_other_atomics_do_not() {
        let same = lanes(|_| 64);
        assert_eq!(atomic_wavefronts(&same, u32::MAX, true), 1);
        assert_eq!(atomic_wavefronts(&same, u32::MAX, false), 32);
        let spread = lanes(|lane| lane * 4);
        assert_eq!(atomic_wavefronts(&spread, u32::MAX, false), 1);
        assert_eq!(atomic_wavefronts(&lanes(|lane| lane * 128), 0xff, true), 8);
    }

    #[test]
    fn global_atomics_pass_once_per_lane_on_the_fullest_word_of_a_sector() {
        let meet = |f: fn(u64) -> u64| {
            let mut passes = Vec::new();
            let addresses = Addresses::new(&lanes(f), u32::MAX);
            let met = meeting(&addresses, |sector, count| passes.push((sector, count)));
            (met.addresses, met.deepest, passes)
        };
        assert_eq!(meet(|_| 0), (1, 32, vec![(0, 32)]));
        assert_eq!(meet(|lane| lane % 8 * 4), (8, 4, vec![(0, 4)]));
        assert_eq!(meet(|lane| lane * 4), (32, 1, vec![(0, 1), (1, 1), (2, 1), (3, 1)]));
        // 16 lanes on one word of sector 0, the others two to a word of sector 1.
        let mixed = |lane: u64| if lane < 16 { 0 } else { 32 + lane % 8 * 4 };
        assert_eq!(meet(mixed), (9, 16, vec![(0, 16), (1, 2)]));
    }
}
