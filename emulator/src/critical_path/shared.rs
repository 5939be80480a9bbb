//! What accesses to shared memory take: of the block, and of other blocks of its cluster.

use std::collections::HashMap;

use crate::cost::{Way, access};
use crate::critical_path::crowd::norm;
use crate::critical_path::history::cycles;
use crate::critical_path::timeline::Wait;
use crate::critical_path::wide_loads::Wide;
use crate::machine::{BlockContext, LaneAddresses, Warp, lanes};
use crate::program::{Cell, Kernel, Op, SHARED_WINDOW_BYTES, Transfer, Update, Window};

/// Whether an access to shared memory goes to another block of the cluster.
pub(crate) fn is_remote(context: &BlockContext, warp: &Warp, op: &Op, mask: u32) -> bool {
    let (Op::Load(Transfer { a, window, site, .. })
    | Op::Atomic { update: Update { a, window, site, .. }, .. }) = *op
    else {
        return false;
    };
    let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
    let first = warp.regs64[usize::from(a)][mask.trailing_zeros() as usize & 31];
    let at = first.wrapping_add(offset).wrapping_sub(context.peers.own());
    window == Window::Shared && at >= SHARED_WINDOW_BYTES
}

/// How long a load from another block's shared memory takes, in loads from the own one, and an
/// atomic there. Measured on an H200: 213 cycles of 34, and 249 of 70.
pub(crate) const REMOTE: f32 = 6.3;
pub(crate) const REMOTE_ATOMIC: f32 = 3.6;

/// How long the barrier of a cluster takes, in barriers of a block. Measured on an H200: 390
/// cycles of 28 in blocks of 256 threads.
pub(crate) const CLUSTER_BARRIER: f32 = 14.0;

/// What the barrier of a grid takes beside two barriers of its blocks, kinds of waits and how many: a
/// fence, an atomic on the word, loads of it until all have come; of many blocks, until all have had
/// their turn there. Measured on an H200: 1.07 µs up to 264 blocks, 1.40 of 528, 2.62 of 1056.
pub(crate) fn grid_barrier(blocks: u64) -> [(Wait, f32); 4] {
    let turns = (4.6 * blocks as f32 - 1780.0).max(0.0);
    [(Wait::Fence, 1.0), (Wait::Atomic, 1.0), (Wait::L2Hit, 3.8), (Wait::Cycle, turns)]
}

/// The loops that `ptxas` makes of atomics on shared memory which the hardware does not do: a round
/// loads a word and swaps it, if no other lane was faster. What comes behind waits for the loop.
///
/// Formula, in rounds: a warp takes one for each of its lanes on the busiest bank. The lanes of
/// all warps on a word come one after the other; with several warps, the swap of one falls between those of
/// another. What a stretch between two barriers takes by its warps' own rounds, and what the
/// busiest word takes, are joined by a norm (`benches/data/h200/shared_sums.csv`).
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// By word: the lanes of all warps since the last barrier.
    lanes: HashMap<u64, u32>,
    /// Warps that had such loops since then.
    warps: u32,
    /// When that was, in cycles since the block started.
    began: f64,
    /// Passes of a round that finds lanes of both half-warps waiting.
    passes: f64,
    /// Passes of further rounds of all warps of the block, since others were faster.
    pub(crate) again: f64,
}

impl Loops {
    /// Rounds that the loop of a warp takes by itself, 0 of what the hardware does.
    pub(crate) fn rounds(
        &mut self,
        kernel: &Kernel,
        (index, warp): (usize, &Warp),
        update: Update,
        mask: u32,
    ) -> f32 {
        let increments = kernel.sites[usize::from(update.site)].increments;
        let way = Way::of(update.f, update.cell, increments);
        if update.window != Window::Shared || !way.loops() {
            return 0.0;
        }
        let offset = kernel.sites[usize::from(update.site)].offset.cast_unsigned();
        let base = &warp.regs64[usize::from(update.a)];
        let Some(places) = LaneAddresses::new(base, 0_u64.wrapping_sub(offset), mask) else {
            return 1.0;
        };
        let wide = update.cell == Cell::B64;
        let many =
            if wide { wide_rounds(&places) } else { access::atomic_wavefronts(&places, false) };
        let many = many as f32;
        if way == Way::Search {
            // Of values in any order, the first is a new bound, of the next two one, and so on.
            return 1.0 + many.ln();
        }
        for lane in lanes(mask) {
            *self.lanes.entry(base[lane].wrapping_add(offset)).or_default() += 1;
        }
        self.warps |= 1 << (index & 31);
        self.passes = if wide { 4.0 } else { 2.0 };
        many * if wide { WIDE } else { 1.0 }
    }

    /// Rounds that the warps of a block wait longer at a barrier which they reach after `now` cycles,
    /// because the swaps of one word come one after the other.
    pub(crate) fn longer(&mut self, now: f64) -> f32 {
        let most = self.lanes.drain().map(|(_, lanes)| lanes).max().unwrap_or_default();
        let warps = f64::from(std::mem::take(&mut self.warps).count_ones());
        if warps < 2.0 {
            return 0.0;
        }
        let (each, exponent) = if warps > IN_STEP { (0.42 + 0.9 / warps, 1.6) } else { (0.9, 3.0) };
        let own = ((now - self.began) / cycles(Wait::Swap, 1.0)).max(1.0);
        let longer = norm(own, each * f64::from(most), exponent) - own;
        self.again += longer * warps * self.passes;
        longer as f32
    }

    /// They go on.
    pub(crate) fn begin(&mut self, now: f64) {
        self.began = now;
    }
}

/// Rounds of a loop on 8 bytes. In each, a bank serves a lane of either half-warp, but only one of those
/// on a word.
fn wide_rounds(places: &LaneAddresses) -> u32 {
    let offsets = places.offsets();
    let mut banks = [[0; 16]; 2];
    let mut most = 0;
    for lane in lanes(places.mask()) {
        let bank = &mut banks[lane / 16][offsets[lane] as usize / 8 % 16];
        *bank += 1;
        let here = lanes(places.mask()).filter(|other| offsets[*other] == offsets[lane]).count();
        most = most.max(*bank).max(here as u32);
    }
    most
}

/// How much longer a round takes on 8 bytes: 111 cycles.
const WIDE: f32 = 1.15;

/// This many warps at most, each on a scheduler of its own, go through their loops in step.
const IN_STEP: f64 = 4.0;

/// Wavefronts of an access to shared memory; 0 of other instructions.
#[inline]
pub(crate) fn wavefronts(kernel: &Kernel, warp: &Warp, op: &Op, mask: u32) -> f32 {
    let (a, window, site, bytes, load) = match op {
        Op::Load(it) => (it.a, it.window, it.site, it.bytes(), true),
        Op::Store(it) => (it.a, it.window, it.site, it.bytes(), false),
        Op::Atomic { update: it, .. } | Op::Reduce(it) => (it.a, it.window, it.site, 0, false),
        _ => return 0.0,
    };
    if window != Window::Shared {
        return 0.0;
    }
    let offset = kernel.sites[usize::from(site)].offset.cast_unsigned();
    wavefronts_at(&warp.regs64[usize::from(a)], offset, mask, (bytes, load))
}

/// Wavefronts of a load that machine code joined others to.
pub(crate) fn wide_wavefronts(base: &[u64; 32], wide: Wide, mask: u32) -> f32 {
    wavefronts_at(base, wide.offset.cast_unsigned(), mask, (wide.bytes, true))
}

/// Wavefronts of a load or store of `bytes` bytes per lane, or of an atomic if `bytes` is 0.
fn wavefronts_at(base: &[u64; 32], offset: u64, mask: u32, (bytes, load): (u32, bool)) -> f32 {
    let Some(places) = LaneAddresses::new(base, 0_u64.wrapping_sub(offset), mask) else {
        return 1.0;
    };
    if bytes == 0 {
        access::atomic_wavefronts(&places, false) as f32
    } else {
        access::wavefronts(&places, bytes, load).0 as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cycles of a round of sums at one, four and sixteen places, by 1 to 32 warps
    /// (`benches/data/h200/shared_sums.csv`).
    #[test]
    fn warps_at_few_words_are_in_each_others_way_as_measured() {
        // About what the random number takes.
        const REST: f64 = 190.0;
        for (places, alone, measured) in [
            (1, 3264.0, [5787.0, 10849.0, 13245.0, 22989.0, 44255.0]),
            (4, 1270.0, [1685.0, 2304.0, 3374.0, 6138.0, 11616.0]),
            (16, 717.0, [779.0, 939.0, 1264.0, 1872.0, 3379.0]),
        ] {
            for (warps, measured) in [2_u32, 4, 8, 16, 32].into_iter().zip(measured) {
                let mut loops = Loops {
                    lanes: (0..places)
                        .map(|place| (place, 64 * 32 * warps / places as u32))
                        .collect(),
                    warps: u32::MAX >> (32 - warps),
                    passes: 2.0,
                    ..Loops::default()
                };
                let longer = loops.longer(64.0 * alone);
                let found = alone + cycles(Wait::Swap, longer) / 64.0;
                let ratio = (found - REST) / (measured - REST);
                assert!((0.85..1.35).contains(&ratio), "{places} {warps}: {found}, not {measured}");
            }
        }
    }
}
