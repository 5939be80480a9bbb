//! What each PTX instruction of a kernel did: the launch's counts, by place.

use serde::{Deserialize, Serialize};

use crate::machine::counts::counts;
use crate::machine::tallies::Tallies;
use crate::program::{Kernel, SiteKind};

/// Which way an instruction accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

counts! {
/// Counts of one PTX instruction over a whole launch.
pub struct InstructionCount {
    /// Warps that issued it.
    warps
    /// Lanes that were active, before the instruction's own guard.
    lanes
    /// Warp-level accesses to global memory.
    global_requests
    /// Their lanes.
    global_lanes
    /// 32-byte sectors that they touched.
    global_sectors
    /// Of atomics: distinct addresses that each met on, summed.
    atomic_addresses
    /// Warp-level accesses to local memory.
    local_requests
    /// 32-byte sectors that they touched.
    local_sectors
    /// Warp-level accesses to shared memory.
    shared_requests
    /// Passes through the banks.
    shared_wavefronts
    /// Passes of loads and stores beyond the least.
    bank_conflicts
    /// Branches here where active lanes parted.
    divergent_branches
    /// Warps that waited here at a barrier.
    barriers
    /// Warps that asked here for what another block writes.
    waits
}
/// Which way it accesses memory.
access: AccessKind,
}

/// One entry per PTX instruction of `kernel`, in the order of the text. `asking` says per site whether it asks
/// for what another block writes.
pub(crate) fn counts(kernel: &Kernel, tallies: &Tallies, asking: &[bool]) -> Vec<InstructionCount> {
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
    let sites = kernel.sites.iter().zip(&tallies.sites).zip(asking);
    for ((site, tally), asks) in sites.filter(|((site, _), _)| !site.silent) {
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
        count.waits += if *asks { tally.global } else { 0 };
    }
    counts
}
