//! What accesses to shared memory take: of the block, and of other blocks of its cluster.

use std::collections::HashMap;

use crate::cost::{Way, access};
use crate::critical_path::history::cycles;
use crate::critical_path::timeline::Wait;
use crate::critical_path::wide_loads::Wide;
use crate::machine::{BlockContext, LaneAddresses, Warp, lanes};
use crate::program::{Kernel, Op, SHARED_WINDOW_BYTES, Transfer, Update, Window};

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

/// The loops that `ptxas` makes of atomics on shared memory which the hardware does not do: they
/// swap a word until no other lane was faster.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    /// By word: the lanes of all warps since the last barrier.
    lanes: HashMap<u64, u32>,
    /// When that was, in cycles since the block started.
    began: f64,
}

impl Loops {
    /// How long the loop of a warp takes by itself, in atomics whose result is used: a round for
    /// each lane on a bank that swaps. 0 for what the hardware does.
    pub(crate) fn rounds(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        update: Update,
        mask: u32,
    ) -> f32 {
        let increments = kernel.sites[usize::from(update.site)].increments;
        let way = Way::of(update.f, update.cell, increments);
        if update.window != Window::Shared || !matches!(way, Way::Loop | Way::Search) {
            return 0.0;
        }
        let offset = kernel.sites[usize::from(update.site)].offset.cast_unsigned();
        let base = &warp.regs64[usize::from(update.a)];
        let Some(places) = LaneAddresses::new(base, 0_u64.wrapping_sub(offset), mask) else {
            return LOOPED;
        };
        let many = access::atomic_wavefronts(&places, false) as f32;
        if way == Way::Search {
            // Of values in any order, the first is a new bound, of the next two one, and so on.
            return LOOPED * (1.0 + many.ln());
        }
        for lane in lanes(mask) {
            *self.lanes.entry(base[lane].wrapping_add(offset)).or_default() += 1;
        }
        LOOPED * many
    }

    /// How much longer the warps of a block wait at a barrier that they reach after `now` cycles, because
    /// swaps of one word come one after the other. In atomics whose result is used.
    pub(crate) fn longer(&mut self, now: f64, warps: usize) -> f32 {
        let most = self.lanes.drain().map(|(_, lanes)| lanes).max().unwrap_or_default();
        let round = if warps > FEW { CROWDED } else { BESIDE };
        let ends = self.began + cycles(Wait::SharedAtomic, round * most as f32);
        ((ends - now).max(0.0) / cycles(Wait::SharedAtomic, 1.0)) as f32
    }

    /// They go on.
    pub(crate) fn begin(&mut self, now: f64) {
        self.began = now;
    }
}

/// How long a round takes of those that come after each other: 84 to 89 cycles, from 16
/// warps on 23 to 41, since swaps of one warp fall between those of another (measured on an H200).
const BESIDE: f32 = 1.53;
const CROWDED: f32 = 0.7;

/// Blocks with more warps than this are crowded.
const FEW: usize = 8;

/// How long a round of such a loop takes, in atomics on shared memory whose result is used:
/// 95 to 101 cycles beside 41, which take 55 in kernels (measured on an H200).
const LOOPED: f32 = 1.8;

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
