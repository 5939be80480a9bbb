//! Carries out functions that have no loop of their own, lane by lane.

use crate::lane::apply;
use crate::machine::{Warp, lanes};
use crate::program::{Function, Slot, Wide};

/// Values of the operands, 32-bit ones zero-extended.
fn gather(warp: &Warp, wide: Wide, slots: [Slot; 3]) -> [[u64; 32]; 3] {
    let mut index = 0;
    slots.map(|slot| {
        index += 1;
        if wide.operand(index - 1) {
            warp.regs64[usize::from(slot)]
        } else {
            warp.regs32[usize::from(slot)].map(u64::from)
        }
    })
}

/// `d = f(a, b, c)` for the lanes of `mask`.
#[inline(never)]
pub(crate) fn each(warp: &mut Warp, f: Function, wide: Wide, [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = gather(warp, wide, [a, b, c]);
    let result = |lane: usize| apply(f, [a[lane], b[lane], c[lane]]);
    if wide.result() {
        let d = &mut warp.regs64[usize::from(d)];
        for lane in lanes(mask) {
            d[lane] = result(lane);
        }
    } else {
        let d = &mut warp.regs32[usize::from(d)];
        for lane in lanes(mask) {
            d[lane] = result(lane) as u32;
        }
    }
}

/// The lanes of `mask` for which `f(a, b)` is not zero.
#[inline(never)]
pub(crate) fn test(warp: &Warp, f: Function, wide: Wide, [a, b]: [Slot; 2], mask: u32) -> u32 {
    let [a, b, _] = gather(warp, wide, [a, b, a]);
    (0..32)
        .filter(|lane| mask >> lane & 1 != 0 && apply(f, [a[*lane], b[*lane], 0]) != 0)
        .fold(0, |bits, lane| bits | 1 << lane)
}
