//! What one host thread counts per basic block and per site while a kernel runs.

use crate::machine::counts::counts;
use crate::program::Kernel;

/// Bytes per sector, the unit that L1 and L2 move.
pub(crate) const SECTOR: u64 = 32;

/// Bytes of global memory that one slice of L2 looks after in a row.
pub const CHUNK: u64 = 256;

/// Chunks of an allocation, from its start, whose atomics are counted one by
/// one: enough for 16 MiB; what is spread wider has no hot spots.
const TRACKED_CHUNKS: usize = 1 << 16;

/// What one thread of the host counted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tallies {
    /// Per basic block: warps that entered, and lanes that did.
    pub(crate) entries: Vec<(u64, u64)>,
    /// Per basic block: branches at its end where lanes parted.
    pub(crate) diverged: Vec<u64>,
    /// Per site.
    pub(crate) sites: Vec<SiteTally>,
    /// Per allocation and chunk: passes of atomics at L2.
    pub(crate) atomics: Vec<Vec<u64>>,
}

counts! {
/// What one memory access, barrier or trap counted.
pub(crate) struct SiteTally {
    /// Warp-level accesses to global memory.
    global
    /// Their lanes.
    global_lanes
    /// 32-byte sectors they touched.
    sectors
    /// Atomics: passes at L2.
    passes
    /// Atomics: distinct addresses they met on.
    addresses
    /// Atomics: lanes on their most popular address, summed.
    deepest
    /// Warp-level accesses to shared memory.
    shared
    /// Passes through the banks.
    wavefronts
    /// Atomics on shared memory that become loops: passes of their loads.
    loop_loads
    /// Passes beyond the least.
    conflicts
    /// Warp-level accesses to local memory.
    local
    /// 32-byte sectors they touched.
    local_sectors
    /// Warps that waited at a barrier.
    waits
}
}

impl Tallies {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        Self {
            entries: vec![(0, 0); kernel.blocks.len()],
            diverged: vec![0; kernel.blocks.len()],
            sites: vec![SiteTally::default(); kernel.sites.len()],
            atomics: Vec::new(),
        }
    }

    /// Counts passes of an atomic on one sector of an allocation.
    #[inline(always)]
    pub(crate) fn atomic_passes(&mut self, allocation: usize, sector: u64, passes: u32) {
        let chunk = (sector * SECTOR / CHUNK) as usize;
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
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.entries.iter_mut().zip(&other.entries) {
            mine.0 += theirs.0;
            mine.1 += theirs.1;
        }
        for (mine, theirs) in self.diverged.iter_mut().zip(&other.diverged) {
            *mine += theirs;
        }
        for (mine, theirs) in self.sites.iter_mut().zip(&other.sites) {
            *mine = SiteTally::each(|get| get(mine) + get(theirs));
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
