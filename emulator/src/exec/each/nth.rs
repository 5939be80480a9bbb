//! `fns`: the place of the n-th set bit from a base, upwards or downwards.

use crate::exec::lanes;
use crate::program::Slot;

type Lanes = [u32; 32];

/// Steps that are taken one by one.
const FEW: u32 = 4;

/// Of each lane's mask, base and steps.
#[inline(always)]
pub(super) fn find<const N: usize>(file: &mut [Lanes], slots: [Slot; 4], mask: u32) {
    let (bases, steps) = (&file[usize::from(slots[2])], &file[usize::from(slots[3])]);
    let far = |lane: usize| (steps[lane].wrapping_sub(1) >= FEW) | (bases[lane] > 31);
    if lanes::those::<N>(far) == 0 {
        lanes::map3::<N, _>(file, slots, mask, |mask, base, steps| {
            let mut left = mask & u32::MAX << (base & 31);
            // Without the lowest set bit, as often as it is not the one.
            for step in 1..FEW {
                left = if steps > step { left & left.wrapping_sub(1) } else { left };
            }
            u32::wrapping_sub(31, (left & left.wrapping_neg()).leading_zeros())
        });
        return;
    }
    if lanes::those::<N>(|lane| steps[lane].cast_signed() <= 0) == 0 {
        lanes::map3::<N, _>(file, slots, mask, |mask, base, steps| {
            let steps = if base <= 31 { steps } else { u32::MAX };
            counted(mask & u32::MAX << (base & 31), steps)
        });
        return;
    }
    #[allow(clippy::redundant_closure, reason = "passed itself, it is not inlined")]
    lanes::map3::<N, _>(file, slots, mask, |mask, base, steps| nth(mask, base, steps));
}

#[inline(always)]
fn nth(mask: u32, base: u32, offset: u32) -> u32 {
    let steps = offset.cast_signed();
    let first = base & 31;
    let up = mask & u32::MAX << first;
    let (up, wanted) = if steps == 0 { (mask & 1 << first, 1) } else { (up, offset) };
    // Downwards, those up to the base are counted from the other end.
    let down = mask & u32::MAX >> (31 - first);
    let rest = down.count_ones().wrapping_sub(steps.unsigned_abs()).wrapping_add(1);
    let (found, wanted) = if steps < 0 { (down, rest) } else { (up, wanted) };
    let far = if steps < 0 { steps.unsigned_abs() } else { 0 };
    // A base above 31, or more than 32 steps down, finds no bit.
    counted(found, if base > 31 || far > 32 { u32::MAX } else { wanted })
}

/// The place of a set bit, counted from 1 on.
#[inline(always)]
fn counted(found: u32, wanted: u32) -> u32 {
    // The set bits of groups of 2, 4, 8 and 16 bits, in the place of the group.
    let pairs = found - (found >> 1 & 0x5555_5555);
    let fours = (pairs & 0x3333_3333) + (pairs >> 2 & 0x3333_3333);
    let bytes = (fours + (fours >> 4)) & 0x0f0f_0f0f;
    let words = bytes + (bytes >> 8);
    let all = (words + (words >> 16)) & 0x3f;
    let known = wanted.wrapping_sub(1) < all;
    // Signed, as vectors compare numbers so.
    let (mut left, mut at) = (if known { wanted.cast_signed() } else { 0 }, 0);
    // Groups in which it cannot be are passed over.
    for (counts, most, bits) in
        [(words, 31, 16), (bytes, 15, 8), (fours, 7, 4), (pairs, 3, 2), (found, 1, 1)]
    {
        let low = (counts >> at & most).cast_signed();
        let pass = if left > low { u32::MAX } else { 0 };
        left -= low & pass.cast_signed();
        at |= bits & pass;
    }
    if known { at & 31 } else { u32::MAX }
}
