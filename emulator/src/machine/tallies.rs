//! What one host thread counts per basic block and per site while a kernel runs.

use crate::machine::counts::counts;
use crate::machine::{LaneAddresses, lanes};
use crate::program::Kernel;

/// Bytes per sector, the unit that L1 and L2 move.
pub(crate) const SECTOR: u64 = 32;

/// Bytes of global memory that one slice of L2 looks after in a row.
pub const CHUNK: u64 = 256;

/// Chunks of an allocation, from its start, whose atomics are counted one by
/// one: enough for 16 MiB; what is spread wider has no hot spots.
const TRACKED_CHUNKS: usize = 1 << 16;

/// Stretches of a launch, one after the other, whose atomics are counted apart, at most.
pub(crate) const STRETCHES: u64 = 32;

/// Slices of L2 that atomics are counted by in each of them: about as many as a large GPU has.
const SLICES: usize = 64;

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
    /// The stretch that runs.
    stretch: usize,
    /// What `atomics` were when it began.
    before: Vec<Vec<u64>>,
    /// Per stretch that has ended, and slice: passes of atomics.
    bursts: Vec<[u64; SLICES]>,
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

/// Passes of atomics on one allocation.
pub(crate) struct ChunkPasses<'t>(&'t mut Vec<u64>);

#[inline(always)]
fn chunk(sector: u64) -> usize {
    (sector * SECTOR / CHUNK) as usize
}

impl ChunkPasses<'_> {
    /// Counts passes on one sector; not on those beyond the chunks that are tracked.
    #[inline(always)]
    pub(crate) fn add(&mut self, sector: u64, passes: u32) {
        let chunk = chunk(sector);
        match self.0.get_mut(chunk) {
            Some(count) => *count += u64::from(passes),
            None => self.make_room(chunk, passes),
        }
    }

    /// Counts a pass on the sectors that these lanes' places are in: `touched` are the first lanes
    /// of the sectors, `apart` of the chunks.
    #[inline(always)]
    pub(crate) fn add_each(&mut self, places: &LaneAddresses, (touched, apart): (u32, u32)) {
        let chunks = places.chunks();
        let last = chunks.iter().fold(0, |last, &chunk| chunk.max(last)) as usize;
        if last >= self.0.len() {
            return self.add_far(places, touched, last);
        }
        let counts = self.0.as_mut_slice();
        // One for each chunk, by all of its lanes. All counts are read before any is written, so
        // that none has to wait for another.
        let mut more = [0; 32];
        for lane in 0..32 {
            more[lane] = counts[chunks[lane] as usize] + 1;
        }
        for lane in 0..32 {
            counts[chunks[lane] as usize] = more[lane];
        }
        // Its other sectors.
        for lane in lanes(touched & !apart) {
            counts[chunks[lane] as usize] += 1;
        }
    }

    #[cold]
    fn add_far(&mut self, places: &LaneAddresses, touched: u32, last: usize) {
        let room = TRACKED_CHUNKS.min(last + 1);
        self.0.resize(room.max(self.0.len()), 0);
        let chunks = places.chunks();
        for lane in lanes(touched) {
            if let Some(count) = self.0.get_mut(chunks[lane] as usize) {
                *count += 1;
            }
        }
    }

    #[cold]
    fn make_room(&mut self, chunk: usize, passes: u32) {
        if chunk < TRACKED_CHUNKS {
            self.0.resize(chunk + 1, 0);
            self.0[chunk] = u64::from(passes);
        }
    }
}

impl Tallies {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        Self {
            entries: vec![(0, 0); kernel.blocks.len()],
            diverged: vec![0; kernel.blocks.len()],
            sites: vec![SiteTally::default(); kernel.sites.len()],
            atomics: Vec::new(),
            stretch: 0,
            before: Vec::new(),
            bursts: Vec::new(),
        }
    }

    /// Counts passes of an atomic on one sector of an allocation.
    #[inline(always)]
    pub(crate) fn atomic_passes(&mut self, allocation: usize, sector: u64, passes: u32) {
        self.atomics_on(allocation).add(sector, passes);
    }

    /// Where passes of atomics on an allocation are counted.
    #[inline(always)]
    pub(crate) fn atomics_on(&mut self, allocation: usize) -> ChunkPasses<'_> {
        if self.atomics.len() <= allocation {
            self.know(allocation);
        }
        ChunkPasses(&mut self.atomics[allocation])
    }

    #[cold]
    fn know(&mut self, allocation: usize) {
        self.atomics.resize(allocation + 1, Vec::new());
    }

    /// What comes belongs to this stretch.
    pub(crate) fn start_stretch(&mut self, stretch: usize) {
        if stretch != self.stretch {
            self.end_stretch();
            self.before.clone_from(&self.atomics);
            self.stretch = stretch;
        }
    }

    /// Counts the passes of the stretch by slices.
    pub(crate) fn end_stretch(&mut self) {
        let Self { atomics, stretch, before, bursts, .. } = self;
        bursts.resize(bursts.len().max(*stretch + 1), [0; SLICES]);
        let burst = &mut bursts[*stretch];
        for (allocation, passes) in atomics.iter().enumerate() {
            let before = before.get(allocation).map_or(&[][..], Vec::as_slice);
            for (chunk, now) in passes.iter().enumerate() {
                let fresh = now - before.get(chunk).unwrap_or(&0);
                if fresh != 0 {
                    burst[slice(allocation, chunk, SLICES) % SLICES] += fresh;
                }
            }
        }
    }

    /// Passes of atomics at the busiest slice of each stretch, all together, over those at the
    /// busiest slice of the launch.
    pub(crate) fn bunching(&self) -> f64 {
        let most = |passes: &[u64; SLICES]| passes.iter().copied().max().unwrap_or_default();
        let whole = std::array::from_fn(|slice| self.bursts.iter().map(|it| it[slice]).sum());
        let stretches: u64 = self.bursts.iter().map(most).sum();
        stretches.max(1) as f64 / most(&whole).max(1) as f64
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
        if self.bursts.len() < other.bursts.len() {
            self.bursts.resize(other.bursts.len(), [0; SLICES]);
        }
        for (mine, theirs) in self.bursts.iter_mut().flatten().zip(other.bursts.iter().flatten()) {
            *mine += theirs;
        }
    }
}

/// Which of `slices` slices of L2 looks after a chunk of 256 bytes of an allocation. The real hash is not
/// published; what was measured is that 2 KiB lie on 4 slices, 8 KiB on 16, and that larger
/// ranges spread as if at random over the rest. 1 KiB was found on 2 slices in most allocations
/// and on 4 in some; this takes 2.
#[inline]
pub fn slice(allocation: usize, chunk: usize, slices: usize) -> usize {
    let (group, within) = (chunk / 8, chunk % 2 + chunk / 4 % 2 * 2);
    let quads = (slices / 4).max(1);
    let quad = if group < 4 {
        (group + 5 * allocation) % quads
    } else {
        let mixed = (group as u64 * 31 + allocation as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 33) as usize % quads
    };
    quad * 4 + within
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn atomics_that_go_from_place_to_place_come_in_bunches() {
        let run = |place: fn(usize, usize) -> usize| {
            let mut tallies = Tallies::default();
            for stretch in 0..4 {
                tallies.start_stretch(stretch);
                for each in 0..64 {
                    tallies.atomic_passes(0, 8 * place(stretch, each) as u64, 1);
                }
            }
            tallies.end_stretch();
            tallies.bunching().to_string()
        };
        assert_eq!(Tallies::default().bunching().to_string(), "1");
        assert_eq!(run(|_, each| each % 16), "1", "the same in each stretch");
        assert_eq!(run(|_, _| 3), "1", "one place");
        assert_eq!(run(|stretch, _| 8 * stretch), "4", "a place for each stretch");
    }

    #[test]
    fn passes_of_lanes_that_share_chunks_add_up() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let (mut together, mut apart) = (Tallies::default(), Tallies::default());
        for case in 0..2000 {
            let spread = 1 << (7 + case % 20);
            let addresses: [u64; 32] = std::array::from_fn(|_| random(spread) / 4 * 4);
            let mask = if case % 2 == 0 { u32::MAX } else { random(1 << 32) as u32 | 1 };
            let places = LaneAddresses::new(&addresses, 0, mask).unwrap();
            let meeting = crate::cost::access::meeting(&places);
            let first = (meeting.touched, meeting.apart);
            together.atomics_on(0).add_each(&places, first);
            for lane in lanes(meeting.touched) {
                apart.atomic_passes(0, places.sector(lane), 1);
            }
            let met = |low: u64| {
                let keys: BTreeSet<u64> = lanes(mask).map(|lane| addresses[lane] / low).collect();
                keys.len() as u32
            };
            assert_eq!(first.0.count_ones(), met(SECTOR));
            assert_eq!(first.1.count_ones(), met(CHUNK));
        }
        for all in [&mut together, &mut apart] {
            all.atomics[0].resize(TRACKED_CHUNKS, 0);
        }
        assert_eq!(together.atomics, apart.atomics);
    }
}
