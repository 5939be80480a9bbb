//! How long `match.any` takes: the GPU goes through the different values of the lanes.
//!
//! Measured on an H200 (`benches/data/h200/matches.csv`): 2.06 cycles of a multiprocessor for each
//! different value of 32 bits, and 4.1 of 64 bits; a warp that is alone waits 10.9 or
//! 13 cycles longer for each one beyond the first.

use crate::machine::{Warp, lanes};
use crate::program::Exchange;

/// Waits of an exchange for each further value.
const WAITS: f32 = 0.44;
const WAITS_WIDE: f32 = 0.53;

/// Further passes of an exchange, and how many waits it takes longer for them.
pub(super) fn further(exchange: Exchange, warp: &Warp, mask: u32) -> (u64, f32) {
    let Exchange::MatchAny { wide, a, .. } = exchange else { return (0, 0.0) };
    let key = |lane: usize| {
        if wide {
            warp.regs64[usize::from(a)][lane]
        } else {
            warp.regs32[usize::from(a)][lane].into()
        }
    };
    let mut known = [0; 32];
    let mut many = 0;
    for lane in lanes(mask) {
        if !known[..many].contains(&key(lane)) {
            known[many] = key(lane);
            many += 1;
        }
    }
    let beyond = many.saturating_sub(1);
    if wide {
        (2 * many as u64 - 1, WAITS_WIDE * beyond as f32)
    } else {
        (beyond as u64, WAITS * beyond as f32)
    }
}
