//! Loops that `ptxas` makes of atomics on shared memory.

#![allow(clippy::needless_range_loop, reason = "loops over 32 lanes vectorise as they stand")]

use crate::cost::atomic::{Cost, Way, halves};
use crate::machine::lane_keys::{firsts, lanes_by_bank, most_by_groups, most_per_bank, those_with};
use crate::machine::{LaneAddresses, lanes};

/// Passes of a loop, or of a search. The lanes of `kept` do not change the value; only of 8
/// bytes does it matter. Inlined where the host's vectors are known.
#[inline(always)]
pub(crate) fn looped(places: &LaneAddresses, size: u32, way: Way, kept: u32) -> Cost {
    if size <= 4 {
        return word_loop(places);
    }
    if way == Way::Loop {
        return swaps(places, places.mask(), kept);
    }
    let swaps = swaps(places, places.mask() & !kept, 0);
    Cost { loads: loaded(places) + swaps.loads, ..swaps }
}

/// In every round each bank serves one lane, whatever the others' words: a load
/// of those still waiting, and two passes to compare.
#[inline(always)]
fn word_loop(places: &LaneAddresses) -> Cost {
    let (offsets, mask) = (places.offsets(), places.mask());
    // Of the lanes on each word, the last.
    let mut last = mask;
    each_meeting(offsets, 2, mask, |here| last &= !here | last_of(here));
    let mut waiting = lanes_by_bank(offsets, 2, false, mask).0;
    let mut words = counts(&waiting, last);
    if last == mask {
        // Each round leaves one word less.
        let rounds = most(&words[0]).max(most(&words[1]));
        return Cost { atomic: 2 * rounds, loads: rounds * (rounds + 1) / 2 };
    }
    let mut cost = Cost::default();
    loop {
        let passes = most(&words[0]).max(most(&words[1]));
        if passes == 0 {
            return cost;
        }
        cost.loads += passes;
        cost.atomic += 2;
        for half in 0..2 {
            for bank in 0..16 {
                let first = first_of(waiting[half][bank]);
                words[half][bank] -= u32::from(first & last != 0);
                waiting[half][bank] &= !first;
            }
        }
    }
}

/// Half-warps come one after the other. The second finds what the first has changed, and tries
/// again.
#[inline(always)]
pub(super) fn swaps(places: &LaneAddresses, left: u32, kept: u32) -> Cost {
    if places.together() { on_one(left, kept) } else { rounds(places.offsets(), left, kept) }
}

/// The same of lanes at one place.
fn on_one(mut left: u32, kept: u32) -> Cost {
    let mut cost = Cost::default();
    while left & kept != 0 {
        cost.loads += 1;
        cost.atomic += 2 * halves(left);
        let [first, second] = [first_of(left & 0xffff), first_of(left & 0xffff_0000)];
        let changed = first & !kept != 0;
        left &= !(first | if changed { 0 } else { second });
    }
    // From here on each round serves one lane, those of the first half-warp first.
    let [first, second] = [left & 0xffff, left >> 16].map(u32::count_ones);
    cost.loads += first + second;
    cost.atomic += 2 * (halves(left) * first + second);
    cost
}

/// The lowest of some lanes.
#[inline(always)]
fn first_of(lanes: u32) -> u32 {
    lanes & lanes.wrapping_neg()
}

/// The same of lanes at several places.
#[inline(always)]
fn rounds(offsets: &[u32; 32], mut left: u32, kept: u32) -> Cost {
    let (pairs, meetings) = (Pairs::of(offsets), Meetings::of(offsets, left));
    // Lanes that wait for each bank, of one half-warp and the other.
    let mut waiting = lanes_by_bank(offsets, 3, true, left).0;
    let bank_of = |lane: usize| (offsets[lane] / 8 % 16) as usize;
    // Different words that they wait for.
    let mut words = counts(&waiting, meetings.last);
    let mut cost = Cost::default();
    while left != 0 {
        cost.loads += if pairs.apart(left) {
            most(&words[0]) + most(&words[1])
        } else {
            let mut both = [0; 16];
            for bank in 0..16 {
                both[bank] = words[0][bank] + words[1][bank];
            }
            for (lanes, lane) in meetings.both() {
                both[bank_of(lane)] -= u32::from(lanes & !left == 0);
            }
            most(&both)
        };
        cost.atomic += 2 * halves(left);
        let mut first = [[0; 16]; 2];
        let mut served = [0; 16];
        for bank in 0..16 {
            first[0][bank] = first_of(waiting[0][bank]);
            first[1][bank] = first_of(waiting[1][bank]);
            served[bank] = first[0][bank] | first[1][bank];
        }
        let mut served = served.iter().fold(0, |all, lane| all | lane);
        for lane in lanes(served & meetings.second) {
            let before = first[0][bank_of(lane)];
            let place = offsets[before.trailing_zeros() as usize & 31];
            let changed = before & !kept != 0 && place == offsets[lane];
            served &= if changed { !(1 << lane) } else { u32::MAX };
        }
        let last = served & meetings.last;
        for half in 0..2 {
            for bank in 0..16 {
                words[half][bank] -= u32::from(first[half][bank] & last != 0);
                waiting[half][bank] &= !served;
            }
        }
        left &= !served;
    }
    cost
}

/// How many lanes of `last` there are for each bank.
#[inline(always)]
fn counts(lanes: &[[u32; 16]; 2], last: u32) -> [[u32; 16]; 2] {
    let mut counts = [[0; 16]; 2];
    for half in 0..2 {
        for bank in 0..16 {
            counts[half][bank] = (lanes[half][bank] & last).count_ones();
        }
    }
    counts
}

#[inline(always)]
fn most(words: &[u32; 16]) -> u32 {
    words.iter().fold(0, |most, &words| words.max(most))
}

/// Calls `each` with the lanes of `mask` that share a key with others, group by group.
#[inline(always)]
fn each_meeting(keys: &[u32; 32], low: u32, mask: u32, mut each: impl FnMut(u32)) {
    let mut late = mask & !firsts(keys, low);
    while late != 0 {
        let here = those_with(keys, low, keys[late.trailing_zeros() as usize & 31]) & mask;
        late &= !here;
        each(here);
    }
}

/// Which lanes have one place.
struct Meetings {
    /// Of each half-warp the last with its place, which is served last.
    last: u32,
    /// Lanes of the second half-warp at places of the first.
    second: u32,
    /// The last of both at each of those places.
    both: [u32; 16],
    count: usize,
}

impl Meetings {
    #[inline(always)]
    fn of(offsets: &[u32; 32], mask: u32) -> Self {
        let mut met = Self { last: mask, second: 0, both: [0; 16], count: 0 };
        each_meeting(offsets, 0, mask, |here| {
            let parts = [here & 0xffff, here & 0xffff_0000];
            let last = last_of(parts[0]) | last_of(parts[1]);
            met.last &= !here | last;
            if parts[0] != 0 && parts[1] != 0 {
                met.second |= parts[1];
                met.both[met.count & 15] = last;
                met.count += 1;
            }
        });
        met
    }

    /// Pairs of lanes that are the last of both, and one of them.
    #[inline(always)]
    fn both(&self) -> impl Iterator<Item = (u32, usize)> {
        let both = self.both[..self.count & 31].iter();
        both.map(|&lanes| (lanes, lanes.trailing_zeros() as usize & 31))
    }
}

/// The highest of some lanes.
#[inline(always)]
fn last_of(lanes: u32) -> u32 {
    lanes & (1_u64 << 31 >> lanes.leading_zeros()) as u32
}

/// Passes of a load of 8 bytes for all lanes.
#[inline(always)]
fn loaded(places: &LaneAddresses) -> u32 {
    let (offsets, mask) = (places.offsets(), places.mask());
    if Pairs::of(offsets).apart(mask) {
        most_by_groups(offsets, 3, 16, 16, mask)
    } else {
        most_per_bank(offsets, 3, 16, mask)
    }
}

/// The lanes whose offset is not that of the lane one and two places away.
#[derive(Clone, Copy)]
struct Pairs([u32; 2]);

impl Pairs {
    #[inline(always)]
    fn of(offsets: &[u32; 32]) -> Self {
        let mut apart = [0; 2];
        for lane in 0..32 {
            apart[0] |= u32::from(offsets[lane] != offsets[lane ^ 1]) << lane;
            apart[1] |= u32::from(offsets[lane] != offsets[lane ^ 2]) << lane;
        }
        Self(apart)
    }

    /// Whether a load of 8 bytes serves the half-warps of these lanes one after the other. One
    /// pass serves both where lanes next to each other, or those two apart, load the same.
    #[inline(always)]
    fn apart(self, left: u32) -> bool {
        let Self([one, two]) = self;
        // Those whose neighbour loads too.
        let both = |away: u32, firsts: u32| {
            let pairs = left & left >> away & firsts;
            pairs | pairs << away
        };
        one & both(1, 0x5555_5555) != 0 && two & both(2, 0x3333_3333) != 0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// As [`swaps`], bank by bank and round by round.
    fn plainly(places: &LaneAddresses, mut left: u32, kept: u32) -> Cost {
        let offsets = places.offsets();
        let mut waiting = [[0_u32; 2]; 16];
        for lane in lanes(left) {
            waiting[(offsets[lane] / 8 % 16) as usize][lane / 16] |= 1 << lane;
        }
        let mut cost = Cost::default();
        while left != 0 {
            let apart = Pairs::of(offsets).apart(left);
            cost.loads += if apart {
                most_by_groups(offsets, 3, 16, 16, left)
            } else {
                most_per_bank(offsets, 3, 16, left)
            };
            cost.atomic += 2 * halves(left);
            for lanes in &mut waiting {
                let [first, second] = lanes.map(first_of);
                let place = |lane: u32| offsets[lane.trailing_zeros() as usize & 31];
                let changed = first & !kept != 0 && place(first) == place(second);
                let now = first | if changed { 0 } else { second };
                *lanes = lanes.map(|lanes| lanes & !now);
                left &= !now;
            }
        }
        cost
    }

    /// As [`word_loop`], bank by bank.
    fn words_plainly(places: &LaneAddresses) -> Cost {
        let (offsets, mask) = (places.offsets(), places.mask());
        let mut banks = vec![Vec::new(); 32];
        for lane in lanes(mask) {
            banks[(offsets[lane] / 4 % 32) as usize].push(offsets[lane] / 4);
        }
        let rounds = banks.iter().map(Vec::len).max().unwrap();
        let different = |words: &[u32]| words.iter().collect::<BTreeSet<_>>().len() as u32;
        let loads = |round| {
            let waiting = banks.iter().filter_map(|bank| bank.get(round..));
            waiting.map(different).max().unwrap()
        };
        Cost { atomic: 2 * rounds as u32, loads: (0..rounds).map(loads).sum() }
    }

    #[test]
    fn loops_are_those_of_their_rounds() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 32) as u32
        };
        for case in 0..20_000 {
            let span = [1, 2, 8, 16, 40, 600, 5000][case % 7];
            let row = case % 3 == 0;
            let any = |lane: u64, random: u32| if row && random & 7 != 0 { lane } else { 0 };
            let addresses = std::array::from_fn(|lane| {
                8 * (any(lane as u64, random()) + u64::from(random() % span))
            });
            let mask = if case % 2 == 0 { u32::MAX } else { random() | 1 };
            let places = LaneAddresses::new(&addresses, 0, mask).unwrap();
            let left = if case % 5 == 0 { random() & mask } else { mask };
            let kept = if case % 4 == 0 { random() & random() } else { 0 } & mask;
            let expected = plainly(&places, left, kept);
            let words = LaneAddresses::new(&addresses.map(|at| at / 2), 0, mask).unwrap();
            assert_eq!(word_loop(&words), words_plainly(&words), "{addresses:?} {mask:#x}");
            assert_eq!(swaps(&places, left, kept), expected, "{addresses:?} {left:#x} {kept:#x}");
        }
    }
}
