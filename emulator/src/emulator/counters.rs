//! Hardware events: counted per basic block and per site while a kernel runs,
//! summed up per launch afterwards.

use std::collections::BTreeMap;

use super::kernel::{Kernel, SiteKind};
use super::op::Op;

/// Bytes of global memory that one slice of L2 looks after in a row.
pub const CHUNK: u64 = 256;

/// Chunks of an allocation, from its start, whose atomics are counted one by
/// one: enough for 16 MiB; what is spread wider has no hot spots.
const TRACKED_CHUNKS: usize = 1 << 16;

/// What one thread of the host counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Tallies {
    /// Per basic block: warps that entered, and lanes that did.
    pub(super) entries: Vec<(u64, u64)>,
    /// Per basic block: branches at its end where lanes parted.
    pub(super) diverged: Vec<u64>,
    /// Per site.
    pub(super) sites: Vec<SiteTally>,
    /// Per allocation and chunk: passes of atomics at L2.
    pub(super) atomics: Vec<Vec<u64>>,
}

/// What one memory access, barrier or trap counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SiteTally {
    /// Warp-level accesses to global memory.
    pub(super) global: u64,
    /// Their lanes.
    pub(super) global_lanes: u64,
    /// 32-byte sectors they touched.
    pub(super) sectors: u64,
    /// Atomics: passes at L2.
    pub(super) passes: u64,
    /// Atomics: distinct addresses they met on.
    pub(super) addresses: u64,
    /// Atomics: lanes on their most popular address, summed.
    pub(super) deepest: u64,
    /// Warp-level accesses to shared memory.
    pub(super) shared: u64,
    /// Passes through the banks.
    pub(super) wavefronts: u64,
    /// Atomics on shared memory that become loops: passes of their loads.
    pub(super) loop_loads: u64,
    /// Passes beyond the least.
    pub(super) conflicts: u64,
    /// Warp-level accesses to local memory.
    pub(super) local: u64,
    /// 32-byte sectors they touched.
    pub(super) local_sectors: u64,
    /// Warps that waited at a barrier.
    pub(super) waits: u64,
}

impl Tallies {
    pub(super) fn new(kernel: &Kernel) -> Self {
        Self {
            entries: vec![(0, 0); kernel.blocks.len()],
            diverged: vec![0; kernel.blocks.len()],
            sites: vec![SiteTally::default(); kernel.sites.len()],
            atomics: Vec::new(),
        }
    }

    /// Counts passes of an atomic on one sector of an allocation.
    #[inline(always)]
    pub(super) fn atomic_passes(&mut self, allocation: usize, sector: u64, passes: u32) {
        let chunk = (sector * super::access::SECTOR / CHUNK) as usize;
        if chunk >= TRACKED_CHUNKS {
            return;
        }
        if self.atomics.len() <= allocation {
            self.atomics.resize(allocation + 1, Vec::new());
        }
        let chunks = &mut self.atomics[allocation];
        if chunks.len() <= chunk {
            chunks.resize(chunk + 1, 0);
        }
        chunks[chunk] += u64::from(passes);
    }

    /// Adds what another thread counted.
    pub(super) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.entries.iter_mut().zip(&other.entries) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        for (mine, theirs) in self.diverged.iter_mut().zip(&other.diverged) {
            *mine += theirs;
        }
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites) {
            mine.global += theirs.global;
            mine.global_lanes += theirs.global_lanes;
            mine.sectors += theirs.sectors;
            mine.passes += theirs.passes;
            mine.addresses += theirs.addresses;
            mine.deepest += theirs.deepest;
            mine.shared += theirs.shared;
            mine.wavefronts += theirs.wavefronts;
            mine.loop_loads += theirs.loop_loads;
            mine.conflicts += theirs.conflicts;
            mine.local += theirs.local;
            mine.local_sectors += theirs.local_sectors;
            mine.waits += theirs.waits;
        }
        if self.atomics.len() < other.atomics.len() {
            self.atomics.resize(other.atomics.len(), Vec::new());
        }
        for (mine, theirs) in self.atomics.iter_mut().zip(&other.atomics) {
            if mine.len() < theirs.len() {
                mine.resize(theirs.len(), 0);
            }
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                *mine += theirs;
            }
        }
    }
}

/// Hardware events of one launch. PTX instructions are not machine
/// instructions: `ptxas` merges and splits them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// PTX instructions issued, one per warp.
    pub warp_instructions: u64,
    /// Active lanes of those.
    pub thread_instructions: u64,
    /// Of the warp instructions: 32-bit integer division and remainder, which
    /// have no machine instruction of their own.
    pub divisions: u64,
    /// Warp-level loads from global memory.
    pub global_load_requests: u64,
    /// 32-byte sectors that they touched.
    pub global_load_sectors: u64,
    /// Warp-level stores to global memory.
    pub global_store_requests: u64,
    /// 32-byte sectors that they touched.
    pub global_store_sectors: u64,
    /// Warp-level atomics on global memory.
    pub global_atomic_requests: u64,
    /// 32-byte sectors that they touched.
    pub global_atomic_sectors: u64,
    /// Lanes that took part in them.
    pub global_atomic_lanes: u64,
    /// Distinct addresses that each met on, summed.
    pub global_atomic_addresses: u64,
    /// Lanes on the most popular address of each, summed.
    pub global_atomic_depth: u64,
    /// Passes that they take at L2: per sector, the most lanes on one word.
    pub global_atomic_passes: u64,
    /// Passes on the 256 bytes that had the most: one slice of L2 does them all.
    pub hottest_chunk_passes: u64,
    /// Warp-level loads from shared memory.
    pub shared_load_requests: u64,
    /// Passes through the banks, of the loads in atomics that become loops too.
    pub shared_load_wavefronts: u64,
    /// Warp-level stores to shared memory.
    pub shared_store_requests: u64,
    /// Passes through the banks.
    pub shared_store_wavefronts: u64,
    /// Passes of loads and stores beyond the least.
    pub shared_bank_conflicts: u64,
    /// Warp-level atomics on shared memory.
    pub shared_atomic_requests: u64,
    /// Passes through the banks, one lane per bank and pass.
    pub shared_atomic_wavefronts: u64,
    /// Warp-level loads from local memory.
    pub local_load_requests: u64,
    /// 32-byte sectors that they touched.
    pub local_load_sectors: u64,
    /// Warp-level stores to local memory.
    pub local_store_requests: u64,
    /// 32-byte sectors that they touched.
    pub local_store_sectors: u64,
    /// Branches where active lanes parted.
    pub divergent_branches: u64,
    /// Warps that waited at a barrier, once per wait.
    pub barriers: u64,
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
    pub(super) fn merge(mine: &mut Vec<Self>, theirs: &[Self]) {
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

impl Counters {
    /// Sums up what the threads of the host counted.
    pub(super) fn sum(kernel: &Kernel, tallies: &Tallies) -> Self {
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
        for (site, tally) in kernel.sites.iter().zip(&tallies.sites) {
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
                SiteKind::Barrier => sum.barriers += tally.waits,
                SiteKind::Exchange | SiteKind::Trap => {}
            }
        }
        sum.hottest_chunk_passes =
            tallies.atomics.iter().flatten().copied().max().unwrap_or_default();
        sum
    }

    /// Every counter by name, for storing and showing.
    pub fn named(&self) -> BTreeMap<String, u64> {
        [
            ("warp_instructions", self.warp_instructions),
            ("thread_instructions", self.thread_instructions),
            ("divisions", self.divisions),
            ("global_load_requests", self.global_load_requests),
            ("global_load_sectors", self.global_load_sectors),
            ("global_store_requests", self.global_store_requests),
            ("global_store_sectors", self.global_store_sectors),
            ("global_atomic_requests", self.global_atomic_requests),
            ("global_atomic_sectors", self.global_atomic_sectors),
            ("global_atomic_lanes", self.global_atomic_lanes),
            ("global_atomic_addresses", self.global_atomic_addresses),
            ("global_atomic_depth", self.global_atomic_depth),
            ("global_atomic_passes", self.global_atomic_passes),
            ("hottest_chunk_passes", self.hottest_chunk_passes),
            ("shared_load_requests", self.shared_load_requests),
            ("shared_load_wavefronts", self.shared_load_wavefronts),
            ("shared_store_requests", self.shared_store_requests),
            ("shared_store_wavefronts", self.shared_store_wavefronts),
            ("shared_bank_conflicts", self.shared_bank_conflicts),
            ("shared_atomic_requests", self.shared_atomic_requests),
            ("shared_atomic_wavefronts", self.shared_atomic_wavefronts),
            ("local_load_requests", self.local_load_requests),
            ("local_load_sectors", self.local_load_sectors),
            ("local_store_requests", self.local_store_requests),
            ("local_store_sectors", self.local_store_sectors),
            ("divergent_branches", self.divergent_branches),
            ("barriers", self.barriers),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }
}
