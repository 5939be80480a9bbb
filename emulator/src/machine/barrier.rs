//! The sixteen barriers of a block: who has come, and when they open.

use crate::machine::observer::Observer;
use crate::machine::registers::put;
use crate::machine::warp::Warp;
use crate::program::{Kernel, Meet, Op, Slot};

/// The threads of the whole block.
pub(crate) const ALL: u32 = u32::MAX;

/// A fragment's coming to a barrier.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arrival {
    pub(crate) id: u8,
    pub(crate) lanes: u32,
    /// Threads that the barrier waits for: a number, or [`ALL`]. No `Option`: written as two
    /// words and read as one, it would be waited for.
    pub(crate) threads: u32,
    /// For a barrier that reduces: lanes that vote, and 32 bits up those that say yes.
    pub(crate) votes: u64,
}

/// Threads that have come to one barrier.
#[derive(Debug, Clone, Copy, Default, Hash)]
struct Barrier {
    arrived: u32,
    /// Threads it waits for, or [`ALL`].
    expected: u32,
    /// Warps with some lanes at the barrier, as a mask.
    warps: u32,
    votes: u64,
}

/// All of a block.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Barriers {
    all: [Barrier; 16],
    /// Those that somebody has come to, as a mask.
    waiting: u16,
    /// Threads of the block that have not ended.
    live: u32,
}

impl Barriers {
    /// Those of a block of `live` threads.
    pub(crate) fn new(live: u32) -> Self {
        Self { live, ..Self::default() }
    }

    /// Takes off threads that have ended.
    pub(crate) fn end(&mut self, threads: u32) {
        self.live -= threads;
    }

    /// Notes that a fragment of warp number `index` has come.
    pub(crate) fn arrive(&mut self, index: usize, arrival: &Arrival) {
        let id = usize::from(arrival.id) & 15;
        self.waiting |= 1 << id;
        let barrier = &mut self.all[id];
        barrier.arrived += arrival.lanes;
        barrier.expected = arrival.threads;
        barrier.warps |= 1 << (index & 31);
        barrier.votes += arrival.votes;
    }

    /// Opens the barriers that everybody has come to; `ready` tells which warps
    /// can run; who watches is told who met.
    #[inline(always)]
    pub(crate) fn release(
        &mut self,
        kernel: &Kernel,
        warps: &mut [Warp],
        ready: &mut [bool],
        observer: &mut impl Observer,
    ) {
        let mut left = self.waiting;
        while left != 0 {
            let id = left.trailing_zeros() as usize & 15;
            left &= left - 1;
            let barrier = &mut self.all[id];
            let live = |warp: &Warp| warp.live.count_ones();
            let open = match barrier.expected {
                ALL => barrier.arrived >= self.live,
                // A count is one of warps: lanes that have ended, or that the
                // block never had, come along with the others of theirs.
                threads => {
                    let along = (0..warps.len()).filter(|warp| barrier.warps >> warp & 1 != 0);
                    let dead: u32 = along.map(|warp| 32 - live(&warps[warp])).sum();
                    barrier.arrived + dead >= threads
                }
            };
            if !open {
                continue;
            }
            self.open(id, kernel, (&mut *warps, &mut *ready), observer);
        }
    }

    /// Lets those that wait at barrier `id` go on.
    #[inline(never)]
    fn open(
        &mut self,
        id: usize,
        kernel: &Kernel,
        (warps, ready): (&mut [Warp], &mut [bool]),
        observer: &mut impl Observer,
    ) {
        self.waiting &= !(1 << id);
        let Barrier { votes, warps: met, .. } = std::mem::take(&mut self.all[id]);
        observer.meet(id, met);
        if votes == 0 {
            for (warp, ready) in warps.iter_mut().zip(ready.iter_mut()) {
                *ready |= warp.release(id as u8, |_, _, _| {});
            }
            return;
        }
        for (warp, ready) in warps.iter_mut().zip(ready.iter_mut()) {
            *ready |= warp.release(id as u8, |at, lanes, warp| {
                let op = &kernel.insts[at as usize - 1];
                if let Op::Barrier { meet, d, .. } = op.op {
                    give(warp, meet, d, op.guard.lanes(&warp.preds, lanes), votes);
                }
            });
        }
    }
}

/// Writes what a barrier has found.
#[inline(always)]
fn give(warp: &mut Warp, meet: Meet, d: Slot, mask: u32, votes: u64) {
    let (voters, yes) = (votes as u32, (votes >> 32) as u32);
    if meet == Meet::Count {
        put::<4, _>(&mut warp.regs32[usize::from(d)], mask, &[yes; 32]);
        return;
    }
    // One after the other: to jump by the kind takes longer than both.
    let found = meet == Meet::All && yes == voters || meet == Meet::Any && yes != 0;
    if matches!(meet, Meet::All | Meet::Any) {
        let pred = &mut warp.preds[usize::from(d)];
        *pred = if found { *pred | mask } else { *pred & !mask };
    }
}
