//! Hardware events of a launch.

use crate::machine::counts::counts;
use crate::machine::tallies::Tallies;
use crate::program::{Kernel, Op, SiteKind};

counts! {
/// Hardware events of one launch. PTX instructions are not machine
/// instructions: `ptxas` merges and splits them.
pub struct Counters {
    /// PTX instructions issued, one per warp.
    warp_instructions
    /// Active lanes of those.
    thread_instructions
    /// Of the warp instructions: 32-bit integer division and remainder, which
    /// have no machine instruction of their own.
    divisions
    /// Warp-level loads from global memory.
    global_load_requests
    /// 32-byte sectors that they touched.
    global_load_sectors
    /// Warp-level stores to global memory.
    global_store_requests
    /// 32-byte sectors that they touched.
    global_store_sectors
    /// Warp-level atomics on global memory.
    global_atomic_requests
    /// 32-byte sectors that they touched.
    global_atomic_sectors
    /// Lanes that took part in them.
    global_atomic_lanes
    /// Distinct addresses that each met on, summed.
    global_atomic_addresses
    /// Lanes on the most popular address of each, summed.
    global_atomic_depth
    /// Passes that they take at L2: per sector, the most lanes on one word.
    global_atomic_passes
    /// Passes on the 256 bytes that had the most: one slice of L2 does them all.
    hottest_chunk_passes
    /// Warp-level loads from shared memory.
    shared_load_requests
    /// Passes through the banks, of the loads in atomics that become loops too.
    shared_load_wavefronts
    /// Warp-level stores to shared memory.
    shared_store_requests
    /// Passes through the banks.
    shared_store_wavefronts
    /// Passes of loads and stores beyond the least.
    shared_bank_conflicts
    /// Warp-level atomics on shared memory.
    shared_atomic_requests
    /// Passes through the banks, one lane per bank and pass.
    shared_atomic_wavefronts
    /// Warp-level loads from local memory.
    local_load_requests
    /// 32-byte sectors that they touched.
    local_load_sectors
    /// Warp-level stores to local memory.
    local_store_requests
    /// 32-byte sectors that they touched.
    local_store_sectors
    /// Branches where active lanes parted.
    divergent_branches
    /// Warps that waited at a barrier, once per wait.
    barriers
}
}

impl Counters {
    /// Sums up what the threads of the host counted.
    pub(crate) fn sum(kernel: &Kernel, tallies: &Tallies) -> Self {
        let mut sum = Self::default();
        for ((block, &(warps, lanes)), &diverged) in
            kernel.blocks.iter().zip(&tallies.entries).zip(&tallies.diverged)
        {
            let instructions = u64::from(block.ptx.1);
            sum.warp_instructions += warps * instructions;
            sum.thread_instructions += lanes * instructions;
            sum.divergent_branches += diverged;
            let ops = &kernel.insts[block.first as usize..block.end as usize];
            let divisions = ops.iter().filter(|inst| matches!(inst.op, Op::Binary32 { f, .. } | Op::Binary64 { f, .. } if f.divides()));
            sum.divisions += warps * divisions.count() as u64;
        }
        let counted = kernel.sites.iter().zip(&tallies.sites).filter(|(site, _)| !site.silent);
        for (site, tally) in counted {
            match site.kind {
                SiteKind::Load => {
                    sum.global_load_requests += tally.global;
                    sum.global_load_sectors += tally.sectors;
                    sum.local_load_requests += tally.local;
                    sum.local_load_sectors += tally.local_sectors;
                    sum.shared_load_requests += tally.shared;
                    sum.shared_load_wavefronts += tally.wavefronts;
                    sum.shared_bank_conflicts += tally.conflicts;
                }
                SiteKind::Store => {
                    sum.global_store_requests += tally.global;
                    sum.global_store_sectors += tally.sectors;
                    sum.local_store_requests += tally.local;
                    sum.local_store_sectors += tally.local_sectors;
                    sum.shared_store_requests += tally.shared;
                    sum.shared_store_wavefronts += tally.wavefronts;
                    sum.shared_bank_conflicts += tally.conflicts;
                }
                SiteKind::Atomic => {
                    sum.global_atomic_requests += tally.global;
                    sum.global_atomic_sectors += tally.sectors;
                    sum.global_atomic_lanes += tally.global_lanes;
                    sum.global_atomic_passes += tally.passes;
                    sum.global_atomic_addresses += tally.addresses;
                    sum.global_atomic_depth += tally.deepest;
                    sum.shared_atomic_requests += tally.shared;
                    sum.shared_atomic_wavefronts += tally.wavefronts;
                    sum.shared_load_wavefronts += tally.loop_loads;
                }
                SiteKind::Save => {
                    sum.local_store_requests += tally.local;
                    sum.local_store_sectors += tally.local_sectors;
                }
                SiteKind::Restore => {
                    sum.local_load_requests += tally.local;
                    sum.local_load_sectors += tally.local_sectors;
                }
                SiteKind::Barrier => sum.barriers += tally.waits,
                SiteKind::Exchange | SiteKind::Trap => {}
            }
        }
        sum.hottest_chunk_passes =
            tallies.atomics.iter().flatten().copied().max().unwrap_or_default();
        sum
    }

    /// These, but for what counts atomics in global memory, which is that of others.
    pub(crate) fn with_atomics_of(self, others: &Self) -> Self {
        Self {
            global_atomic_requests: others.global_atomic_requests,
            global_atomic_sectors: others.global_atomic_sectors,
            global_atomic_lanes: others.global_atomic_lanes,
            global_atomic_addresses: others.global_atomic_addresses,
            global_atomic_depth: others.global_atomic_depth,
            global_atomic_passes: others.global_atomic_passes,
            hottest_chunk_passes: others.hottest_chunk_passes,
            ..self
        }
    }
}

/// What a launch did to one allocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Touched {
    /// Its size in bytes.
    pub bytes: u64,
    /// Sectors of loads.
    pub loads: u64,
    /// Sectors of stores.
    pub stores: u64,
    /// Sectors of atomics.
    pub atomics: u64,
}

impl Touched {
    /// Adds what another thread of the host found, allocation by allocation.
    pub(crate) fn merge(mine: &mut Vec<Self>, theirs: &[Self]) {
        if mine.len() < theirs.len() {
            mine.resize(theirs.len(), Self::default());
        }
        for (mine, theirs) in mine.iter_mut().zip(theirs) {
            mine.bytes = mine.bytes.max(theirs.bytes);
            mine.loads += theirs.loads;
            mine.stores += theirs.stores;
            mine.atomics += theirs.atomics;
        }
    }
}
