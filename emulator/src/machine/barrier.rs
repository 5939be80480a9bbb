//! The sixteen barriers of a block: who has come, and when they open.

use crate::machine::lane_mask::lanes;
use crate::machine::observer::Observer;
use crate::machine::warp::Warp;
use crate::program::{Kernel, Meet, Op, Slot};

/// A fragment's coming to a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) id: u8,
    pub(crate) lanes: u32,
    /// Threads that the barrier waits for, where not the whole block.
    pub(crate) threads: Option<u32>,
    /// For a barrier that reduces: lanes that vote, and those that say yes.
    pub(crate) votes: (u32, u32),
}

/// Threads that have come to one barrier.
#[derive(Debug, Clone, Copy, Default, Hash)]
struct Barrier {
    arrived: u32,
    /// Threads it waits for, where not the whole block.
    expected: Option<u32>,
    /// Warps with some lanes at the barrier, as a mask.
    warps: u32,
    voters: u32,
    yes: u32,
}

/// All of a block.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Barriers {
    all: [Barrier; 16],
    /// Those that somebody has come to, as a mask.
    waiting: u16,
}

impl Barriers {
    /// Notes that a fragment of warp number `index` has come.
    pub(crate) fn arrive(&mut self, index: usize, arrival: Arrival) {
        let id = usize::from(arrival.id) & 15;
        self.waiting |= 1 << id;
        let barrier = &mut self.all[id];
        barrier.arrived += arrival.lanes;
        barrier.expected = arrival.threads;
        barrier.warps |= 1 << (index & 31);
        barrier.voters += arrival.votes.0;
        barrier.yes += arrival.votes.1;
    }

    /// Opens the barriers that everybody has come to; `ready` tells which warps
    /// can run; who watches is told who met.
    pub(crate) fn release(
        &mut self,
        kernel: &Kernel,
        warps: &mut [Warp],
        ready: &mut [bool],
        observer: &mut impl Observer,
    ) {
        let mut left = self.waiting;
        while left != 0 {
            let id = left.trailing_zeros() as usize;
            left &= left - 1;
            let barrier = &mut self.all[id];
            let live = |warp: &Warp| warp.live.count_ones();
            let open = match barrier.expected {
                None => barrier.arrived >= warps.iter().map(live).sum(),
                // A count is one of warps: lanes that have ended, or that the
                // block never had, come along with the others of theirs.
                Some(threads) => {
                    let along = (0..warps.len()).filter(|warp| barrier.warps >> warp & 1 != 0);
                    let dead: u32 = along.map(|warp| 32 - live(&warps[warp])).sum();
                    barrier.arrived + dead >= threads
                }
            };
            if !open {
                continue;
            }
            self.waiting &= !(1 << id);
            let Barrier { voters, yes, warps: met, .. } = std::mem::take(barrier);
            observer.meet(id, met);
            for (warp, ready) in warps.iter_mut().zip(ready.iter_mut()) {
                warp.release(id as u8, |at, lanes, warp| {
                    let op = kernel.insts[at as usize - 1];
                    if let Op::Barrier { meet, d, .. } = op.op {
                        give(warp, meet, d, op.guard.lanes(&warp.preds, lanes), (voters, yes));
                    }
                });
                *ready |= warp.others_ready();
            }
        }
    }
}

/// Writes what a barrier has found.
fn give(warp: &mut Warp, meet: Meet, d: Slot, mask: u32, (voters, yes): (u32, u32)) {
    let found = match meet {
        Meet::Sync | Meet::Arrive | Meet::ArriveInCluster | Meet::WaitInCluster => return,
        Meet::Count => {
            for lane in lanes(mask) {
                warp.regs32[usize::from(d)][lane] = yes;
            }
            return;
        }
        Meet::All => yes == voters,
        Meet::Any => yes != 0,
    };
    let pred = &mut warp.preds[usize::from(d)];
    *pred = if found { *pred | mask } else { *pred & !mask };
}
