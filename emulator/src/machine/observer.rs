//! The trait of what follows a block while it runs: critical path and sanitizer.

use crate::machine::block::BlockContext;
use crate::machine::dim::Dim3;
use crate::machine::warp::{Fragment, Warp};
use crate::program::{Inst, Kernel};

/// Follows a block while it runs. The dispatch loop is compiled once per observer, so
/// [`Unobserved`] costs nothing.
pub(crate) trait Observer {
    /// Whether nobody looks at single ops, so that those that compute one thing may run as one
    /// step, and the dispatch loop contains them all.
    const STEPS: bool = false;

    /// Whether warps take turns after every basic block, as on a multiprocessor.
    const INTERLEAVES: bool = false;

    /// Whether the lanes that ran last are the first to run in the warp's next turn, where the
    /// kernel does not poll: so lanes that parted do not alternate.
    const STAYS: bool = false;

    /// From now on, block number `rank` of its cluster of several blocks runs or starts.
    fn enter_block(&mut self, _rank: usize) {}

    /// All threads of the cluster have come to its barrier.
    fn meet_cluster(&mut self) {}

    /// Block `ctaid` starts with `shared_bytes` of shared memory.
    fn start_block(&mut self, _ctaid: [u32; 3], _grid: Dim3, _shared_bytes: u64) {}

    /// From now on, this warp of the block runs.
    fn enter(&mut self, _warp: usize) {}

    /// The running warp goes on with `fragment`: at the start of its basic block, or, where its
    /// `at` says so, inside.
    fn resume(&mut self, _warp: &Warp, _context: &BlockContext, _fragment: &Fragment) {}

    /// The running fragment goes on with these lanes: others have joined it.
    fn join(&mut self, _lanes: u32) {}

    /// The running fragment has run the ops of its basic block and takes its end next.
    fn end(&mut self, _warp: &Warp, _context: &BlockContext, _fragment: &Fragment) {}

    /// The running warp starts basic block `to`.
    fn block(&mut self, _kernel: &Kernel, _to: u32) {}

    /// The lanes of `mask` are about to run instruction `index`, which is `inst`.
    /// Returns the lanes that may.
    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: usize,
        inst: &Inst,
        mask: u32,
    ) -> u32;

    /// Barrier `id` opens for the warps in the mask.
    fn meet(&mut self, _id: usize, _warps: u32) {}

    /// Whether lanes that branch to `other` run before those that branch to `taken`.
    fn prefers(&self, _other: u32, _taken: u32) -> bool {
        false
    }

    /// Whether, at the end of a turn, lanes that wait for their warp go on without it.
    fn stops_waiting(&self) -> bool {
        true
    }
}

/// Nobody watches.
#[derive(Debug)]
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    const STEPS: bool = true;

    #[inline(always)]
    fn before(&mut self, _: &Warp, _: &BlockContext, _: usize, _: &Inst, mask: u32) -> u32 {
        mask
    }
}
