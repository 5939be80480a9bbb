//! What exchanges among lanes take beyond a shuffle each.
//!
//! `match.any` goes through the different values of the lanes. Measured on an H200
//! (`benches/data/h200/matches.csv`): 2.06 cycles of a multiprocessor for each
//! different value of 32 bits, and 4.1 of 64 bits; a warp that is alone waits 10.9 or
//! 13 cycles longer for each one beyond the first.
//!
//! An integer that all lanes of a warp add to one place, and whose old value they use, is summed up by
//! shuffles before one lane adds it: five, and two for the answer.

use crate::machine::{Warp, lanes};
use crate::program::{Combines, Exchange, Kernel, Update};

/// Time beyond that of a shuffle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Further {
    /// Of the multiprocessor, in halves of a shuffle, which takes it 0.83 cycles.
    pub(super) halves: u64,
    /// Of the warp, in waits for a shuffle.
    pub(super) waits: f32,
}

/// A further value of 32 bits, and of 64 bits: the first of these takes as long as two.
const VALUE: Further = Further { halves: 5, waits: 0.44 };
const WIDE_VALUE: Further = Further { halves: 10, waits: 0.53 };

/// A sum of all lanes. What a warp waits is measured: 112 cycles more than for the rest of
/// such a loop.
const SUM: Further = Further { halves: 14, waits: 4.5 };

/// Of an exchange of some lanes.
pub(super) fn of_exchange(exchange: Exchange, warp: &Warp, mask: u32) -> Further {
    let Exchange::MatchAny { wide, a, .. } = exchange else { return Further::default() };
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
    let (each, first) = if wide { (WIDE_VALUE, VALUE.halves) } else { (VALUE, 0) };
    let beyond = many.saturating_sub(1);
    Further { halves: first + beyond as u64 * each.halves, waits: beyond as f32 * each.waits }
}

/// Of an atomic whose old value some lanes use.
pub(super) fn of_atomic(kernel: &Kernel, update: Update, mask: u32) -> Further {
    let combines = kernel.sites[usize::from(update.site)].combines;
    if combines == Combines::WholeWarp && mask == u32::MAX { SUM } else { Further::default() }
}
