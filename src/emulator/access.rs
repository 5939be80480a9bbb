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
/// them are conflicts (passes beyond those that the bytes need anyway).
///
/// Lanes of up to 4 bytes go in one group of 32, of 8 bytes in two half-warps,
/// of 16 bytes in four quarter-warps; a group takes as many passes as the most
/// distinct words that fall on one bank. Lanes that read the same word share it.
#[inline(always)]
pub(super) fn wavefronts(all: &[u64; 32], mask: u32, size: u64) -> (u32, u32) {
    let group = match size {
        16 => 8,
        8 => 16,
        _ => 32,
    };
    let (mut passes, mut least) = (0, 0);
    for start in (0..32).step_by(group) {
        let members = (u64::from(mask) >> start & ((1 << group) - 1)) as u32;
        if members == 0 {
            continue;
        }
        let mut seen = Tally::new();
        let mut per_bank = [0_u8; 32];
        let mut most = 0;
        let mut left = members;
        while left != 0 {
            let lane = start + left.trailing_zeros() as usize;
            left &= left - 1;
            let first = all[lane] / 4;
            for word in first..first + size.div_ceil(4) {
                // 8 lanes of 4 words or 16 of 2: at most 32 distinct words.
                if seen.add(word) == 1 {
                    let bank = &mut per_bank[(word % 32) as usize];
                    *bank += 1;
                    most = most.max(*bank);
                }
            }
        }
        passes += u32::from(most);
        least += 1;
    }
    (passes, passes - least)
}

/// How the lanes of an atomic access meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Meeting {
    /// Distinct addresses.
    pub(super) addresses: u32,
    /// Lanes on the most popular address.
    pub(super) deepest: u32,
    /// Passes through the banks of shared memory: each pass does one lane per
    /// bank, so lanes on one address, and on different words of one bank, both
    /// wait for each other.
    pub(super) passes: u32,
}

/// How the lanes of an atomic access meet.
#[inline(always)]
pub(super) fn meeting(addresses: &Addresses) -> Meeting {
    let mut seen = Tally::new();
    let mut meeting = Meeting::default();
    let mut per_bank = [0_u8; 32];
    for &address in addresses.lanes() {
        let times = u32::from(seen.add(address));
        meeting.addresses += u32::from(times == 1);
        meeting.deepest = meeting.deepest.max(times);
        let bank = &mut per_bank[(address / 4 % 32) as usize];
        *bank += 1;
        meeting.passes = meeting.passes.max(u32::from(*bank));
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
        assert_eq!(wavefronts(&lanes(|lane| lane * 4), u32::MAX, 4), (1, 0));
        assert_eq!(wavefronts(&lanes(|_| 64), u32::MAX, 4), (1, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane * 8), u32::MAX, 4), (2, 1));
        assert_eq!(wavefronts(&lanes(|lane| lane * 128), u32::MAX, 4), (32, 31));
        assert_eq!(wavefronts(&lanes(|lane| lane * 128), 0b11, 4), (2, 1));
        assert_eq!(wavefronts(&lanes(|lane| lane * 8), u32::MAX, 8), (2, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane * 16), u32::MAX, 16), (4, 0));
        assert_eq!(wavefronts(&lanes(|lane| lane * 32), u32::MAX, 16), (8, 4));
    }

    #[test]
    fn atomics_meet_on_addresses_and_banks() {
        let meet = |f: fn(u64) -> u64| meeting(&Addresses::new(&lanes(f), u32::MAX));
        assert_eq!(meet(|lane| lane * 4), Meeting { addresses: 32, deepest: 1, passes: 1 });
        assert_eq!(meet(|lane| lane % 8 * 4), Meeting { addresses: 8, deepest: 4, passes: 4 });
        assert_eq!(meet(|_| 0), Meeting { addresses: 1, deepest: 32, passes: 32 });
        assert_eq!(meet(|lane| lane * 128), Meeting { addresses: 32, deepest: 1, passes: 32 });
    }
}
