//! What each PTX instruction of a kernel did: the launch's counts, by place.

use super::counters::Tallies;
use super::kernel::{Kernel, SiteKind};

/// Which way an instruction accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AccessKind {
    /// It accesses none.
    #[default]
    None,
    /// It reads.
    Load,
    /// It writes.
    Store,
    /// It reads and writes in one step.
    Atomic,
}

/// Counts of one PTX instruction over a whole launch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InstructionCount {
    /// Warps that issued it.
    pub warps: u64,
    /// Lanes that were active, before the instruction's own guard.
    pub lanes: u64,
    /// Which way it accesses memory.
    pub access: AccessKind,
    /// Warp-level accesses to global memory.
    pub global_requests: u64,
    /// Their lanes.
    pub global_lanes: u64,
    /// 32-byte sectors that they touched.
    pub global_sectors: u64,
    /// Of atomics: distinct addresses that each met on, summed.
    pub atomic_addresses: u64,
    /// Warp-level accesses to local memory.
    pub local_requests: u64,
    /// 32-byte sectors that they touched.
    pub local_sectors: u64,
    /// Warp-level accesses to shared memory.
    pub shared_requests: u64,
    /// Passes through the banks.
    pub shared_wavefronts: u64,
    /// Passes of loads and stores beyond the least.
    pub bank_conflicts: u64,
    /// Branches here where active lanes parted.
    pub divergent_branches: u64,
    /// Warps that waited here at a barrier.
    pub barriers: u64,
}

impl InstructionCount {
    /// Puts each count together with the same one of `other`.
    pub(super) fn combine(&self, other: &Self, f: impl Fn(u64, u64) -> u64) -> Self {
        let access = if self.access == AccessKind::None { other.access } else { self.access };
        Self::each(access, |get| f(get(self), get(other)))
    }

    /// The counts of which `f` makes each, told how to get it from others.
    pub(super) fn each(access: AccessKind, f: impl Fn(&dyn Fn(&Self) -> u64) -> u64) -> Self {
        macro_rules! each {
            // Without `..`: a new count has to be named here.
            ($($name:ident)*) => {
                Self { access, $($name: f(&|count: &Self| count.$name)),* }
            };
        }
        each! {
            warps lanes global_requests global_lanes global_sectors atomic_addresses local_requests
            local_sectors shared_requests shared_wavefronts bank_conflicts divergent_branches
            barriers
        }
    }
}

/// One entry per PTX instruction of `kernel`, in the order of the text.
pub(super) fn counts(kernel: &Kernel, tallies: &Tallies) -> Vec<InstructionCount> {
    let mut counts = vec![InstructionCount::default(); kernel.instructions.len()];
    for ((block, &(warps, lanes)), &diverged) in
        kernel.blocks.iter().zip(&tallies.entries).zip(&tallies.diverged)
    {
        let (first, many) = (block.ptx.0 as usize, block.ptx.1 as usize);
        let Some(inside) = counts.get_mut(first..first + many) else { continue };
        for count in &mut *inside {
            count.warps += warps;
            count.lanes += lanes;
        }
        // A block ends with its branch.
        if let Some(last) = inside.last_mut() {
            last.divergent_branches += diverged;
        }
    }
    for (site, tally) in kernel.sites.iter().zip(&tallies.sites).filter(|(site, _)| !site.silent) {
        let Some(count) = counts.get_mut(site.instruction as usize) else { continue };
        count.access = match site.kind {
            SiteKind::Load => AccessKind::Load,
            SiteKind::Store => AccessKind::Store,
            SiteKind::Atomic => AccessKind::Atomic,
            _ => count.access,
        };
        count.global_requests += tally.global;
        count.global_lanes += tally.global_lanes;
        count.global_sectors += tally.sectors;
        count.atomic_addresses += tally.addresses;
        count.local_requests += tally.local;
        count.local_sectors += tally.local_sectors;
        count.shared_requests += tally.shared;
        count.shared_wavefronts += tally.wavefronts + tally.loop_loads;
        count.bank_conflicts += tally.conflicts;
        count.barriers += tally.waits;
    }
    counts
}
