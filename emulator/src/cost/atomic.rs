//! What an atomic on shared memory costs: pure functions of its places.
//!
//! The hardware adds to 32 bits, and exchanges and compares 32, 64 and 128. Of
//! everything else `ptxas` makes a loop that reads the old value, computes, and
//! tries to put the result in its place (`ATOMS.CAST.SPIN`). Measured on an
//! H200: `benches/data/h200/findings.md`.

mod loops;

pub(crate) use loops::looped;

use crate::cost::access;
use crate::machine::{LaneAddresses, lanes};
use crate::program::{Cell, Rmw};

/// Passes through the banks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cost {
    /// Of atomic accesses.
    pub(crate) atomic: u32,
    /// Of the loads that `ptxas` puts before them.
    pub(crate) loads: u32,
}

/// How the hardware does an atomic on shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Lanes on one word combine: `ATOMS.POPC.INC`.
    Combined,
    /// Lane by lane within a bank.
    Native,
    /// The same, each in two passes.
    Compared,
    /// In a loop of loads and comparisons.
    Loop,
    /// The same, which lanes leave that would not change the value they load.
    Search,
}

impl Way {
    /// Of a function on cells; `increments` where it adds the constant 1 and
    /// nobody reads the old value.
    pub(crate) fn of(f: Rmw, cell: Cell, increments: bool) -> Self {
        match (f, cell) {
            _ if increments => Self::Combined,
            (_, Cell::U16) => Self::Loop,
            (Rmw::Exchange, _) => Self::Native,
            (f, _) if f.is_arrival() => Self::Native,
            (Rmw::CompareExchange, _) => Self::Compared,
            (Rmw::MinU | Rmw::MinS | Rmw::MaxU | Rmw::MaxS, Cell::B64) => Self::Search,
            (_, Cell::B64) => Self::Loop,
            (
                Rmw::Add
                | Rmw::MinU
                | Rmw::MinS
                | Rmw::MaxU
                | Rmw::MaxS
                | Rmw::And
                | Rmw::Or
                | Rmw::Xor
                | Rmw::Increment
                | Rmw::Decrement,
                _,
            ) => Self::Native,
            _ => Self::Loop,
        }
    }

    /// Whether the machine code tries until it succeeds.
    pub(crate) fn loops(self) -> bool {
        matches!(self, Self::Loop | Self::Search)
    }
}

/// Passes of an atomic on `size` bytes per lane, but of loops, which [`looped`] knows.
#[inline(always)]
pub(crate) fn cost(places: &LaneAddresses, size: u32, way: Way) -> Cost {
    match way {
        Way::Combined | Way::Native if size <= 4 => {
            let atomic = access::atomic_wavefronts(places, way == Way::Combined);
            Cost { atomic, loads: 0 }
        }
        Way::Compared if size <= 4 => {
            Cost { atomic: 2 * access::atomic_wavefronts(places, false), loads: 0 }
        }
        _ => wide(places, size, if way == Way::Compared { 2 } else { 1 }),
    }
}

/// The same of cells of 4 or 8 bytes side by side, where no two lanes meet on a bank. Loops on
/// 8 bytes are those of a full warp.
#[inline(always)]
pub(crate) fn row_cost(way: Way, cell: Cell, mask: u32, kept: u32) -> Cost {
    let groups = |lanes| if cell == Cell::B64 { halves(lanes) } else { 1 };
    match way {
        Way::Combined | Way::Native => Cost { atomic: groups(mask), loads: 0 },
        Way::Compared => Cost { atomic: 2 * groups(mask), loads: 0 },
        Way::Loop => Cost { atomic: 2 * groups(mask), loads: groups(mask) },
        Way::Search => {
            let left = mask & !kept;
            Cost { atomic: 2 * halves(left), loads: halves(mask) + loaded_in_row(left) }
        }
    }
}

/// The same of lanes at one place, but for loops on 8 bytes.
#[inline(always)]
pub(crate) fn one_place_cost(way: Way, wide: bool, mask: u32) -> Cost {
    let lanes = mask.count_ones();
    match way {
        Way::Combined if !wide => Cost { atomic: 1, loads: 0 },
        Way::Combined | Way::Native => Cost { atomic: lanes, loads: 0 },
        Way::Compared => Cost { atomic: 2 * lanes, loads: 0 },
        // Lane after lane; a load of one word before each.
        Way::Loop | Way::Search => Cost { atomic: 2 * lanes, loads: lanes },
    }
}

/// How many of the two half-warps have one of these lanes.
#[inline(always)]
fn halves(lanes: u32) -> u32 {
    u32::from(lanes & 0xffff != 0) + u32::from(lanes >> 16 != 0)
}

/// Passes of a load of 8 bytes for these lanes, which lie side by side.
#[inline(always)]
fn loaded_in_row(left: u32) -> u32 {
    let pairs = |away: u32, firsts: u32| left & left >> away & firsts != 0;
    if pairs(1, 0x5555_5555) && pairs(2, 0x3333_3333) {
        return halves(left);
    }
    // All in one group: lanes 16 apart have one bank.
    u32::from(left != 0) + u32::from(left & left >> 16 != 0)
}

/// 8 and 16 bytes: half-warps and quarter-warps one after the other, in each of
/// them lane by lane within a bank.
#[inline(never)]
fn wide(places: &LaneAddresses, size: u32, times: u32) -> Cost {
    if places.together() {
        return Cost { atomic: times * places.mask().count_ones(), loads: 0 };
    }
    let group = 128 / size as usize;
    let mut atomic = 0;
    for start in (0..32).step_by(group) {
        let members = (((1_u64 << group) - 1) << start) as u32 & places.mask();
        let mut per_bank = [0_u32; 16];
        for lane in lanes(members) {
            per_bank[(places.offsets()[lane] / size) as usize % (128 / size as usize)] += 1;
        }
        atomic += per_bank.iter().copied().max().unwrap_or_default();
    }
    Cost { atomic: times * atomic, loads: 0 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Of any way.
    fn all(places: &LaneAddresses, size: u32, way: Way, kept: u32) -> Cost {
        if way.loops() { looped(places, size, way, kept) } else { cost(places, size, way) }
    }

    fn places(f: impl Fn(u64) -> u64) -> LaneAddresses {
        LaneAddresses::new(&std::array::from_fn(|lane| f(lane as u64)), 0, u32::MAX).unwrap()
    }

    /// As measured, per request: `shared_sum_*` of `benches/h200/patterns.cu`.
    #[test]
    fn loops_take_a_round_for_each_lane_on_a_bank() {
        let words = |f: fn(u64) -> u64| all(&places(f), 4, Way::Loop, 0);
        assert_eq!(words(|lane| lane * 4), Cost { atomic: 2, loads: 1 });
        assert_eq!(words(|lane| lane / 4 * 4), Cost { atomic: 8, loads: 4 });
        assert_eq!(words(|lane| lane * 128), Cost { atomic: 64, loads: 528 });
        assert_eq!(words(|lane| lane * 8), Cost { atomic: 4, loads: 3 });
        let doubles = |f: fn(u64) -> u64, kept| all(&places(f), 8, Way::Loop, kept);
        assert_eq!(doubles(|lane| lane * 8, 0), Cost { atomic: 4, loads: 2 });
        assert_eq!(doubles(|lane| lane / 4 * 8, 0), Cost { atomic: 16, loads: 4 });
        assert_eq!(doubles(|lane| lane * 16, 0), Cost { atomic: 8, loads: 6 });
        // Four of the first half-warp's additions add zero: so often, one of
        // the second gets through beside them.
        assert_eq!(doubles(|_| 8, 0x1111), Cost { atomic: 88, loads: 28 });
        assert_eq!(doubles(|_| 8, 0), Cost { atomic: 96, loads: 32 });
        assert_eq!(loops::swaps(&places(|_| 8), 0x10_0300, 0), Cost { atomic: 10, loads: 3 });
        assert_eq!(loops::swaps(&places(|_| 8), 0x300, 0), Cost { atomic: 4, loads: 2 });
        let apart = places(|lane| lane * 8);
        for left in [0, 1, 0x8000_0000, 0xffff, 0x1234_5678, 0x1_0001, 0x8003_0004, 0x5, 0x50_0000]
        {
            let cost = loops::swaps(&apart, left, 0);
            let in_row = row_cost(Way::Search, Cell::B64, u32::MAX, !left);
            assert_eq!(in_row, Cost { loads: 2 + cost.loads, ..cost }, "{left:#x}");
        }
        // Of a minimum, two lanes have lower values than all before them; the others only load.
        let lowest = all(&places(|_| 8), 8, Way::Search, !0b1001);
        assert_eq!(lowest, Cost { atomic: 4, loads: 3 });
    }

    #[test]
    fn rows_cost_what_their_lanes_cost() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 32) as u32
        };
        for case in 0..2000 {
            let mask = if case % 2 == 0 { u32::MAX } else { random() & random() | 0x8010_0000 };
            let kept = if case % 3 == 0 { random() } else { random() | random() } & mask;
            for way in [Way::Combined, Way::Native, Way::Compared, Way::Loop, Way::Search] {
                for (cell, size) in [(Cell::B32, 4), (Cell::B64, 8)] {
                    let loops = matches!(way, Way::Loop | Way::Search);
                    if size == 8 && loops && mask != u32::MAX || size == 4 && way == Way::Search {
                        continue;
                    }
                    let addresses = std::array::from_fn(|lane| u64::from(size) * (lane as u64 + 3));
                    let places = LaneAddresses::new(&addresses, 0, mask).unwrap();
                    let expected = all(&places, size, way, kept);
                    let found = row_cost(way, cell, mask, kept);
                    assert_eq!(found, expected, "{way:?} {size} {mask:#x} {kept:#x}");
                    if size == 8 && loops {
                        continue;
                    }
                    let places = LaneAddresses::new(&[24; 32], 0, mask).unwrap();
                    let expected = all(&places, size, way, kept);
                    let found = one_place_cost(way, size == 8, mask);
                    assert_eq!(found, expected, "{way:?} {size} {mask:#x}");
                }
            }
        }
    }

    #[test]
    fn exchanges_take_a_pass_and_comparisons_two() {
        let exchange = |f: fn(u64) -> u64, size| all(&places(f), size, Way::Native, 0).atomic;
        assert_eq!([exchange(|lane| lane * 8, 8), exchange(|_| 0, 8)], [2, 32]);
        assert_eq!(exchange(|lane| lane * 16, 16), 4);
        assert_eq!(all(&places(|lane| lane * 16), 16, Way::Compared, 0).atomic, 8);
        assert_eq!(all(&places(|lane| lane * 64), 4, Way::Compared, 0).atomic, 32);
    }
}
