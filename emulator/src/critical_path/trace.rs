//! What a block asks its L1 for, in order of time.

mod replay;

pub use replay::Answers;
pub(crate) use replay::replay;

use crate::critical_path::lines::Part;
use crate::critical_path::sectors::LINE;

/// Sectors of half a line, which DRAM gives together.
const HALF: u64 = LINE / 2;

/// Sectors kept of all blocks of a multiprocessor together: 4 MiB.
const MOST_SECTORS: usize = 1 << 19;

/// Blocks of a multiprocessor that are followed, at most.
pub(crate) const MOST_BLOCKS: u64 = 64;

/// The kind of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Load,
    /// A load that goes past L1.
    Past,
    Store,
    /// An atomic, which takes its lines out of L1.
    Atomic,
    /// A fence, which takes all lines out of L1.
    Fence,
    LocalLoad,
    LocalStore,
}

/// One access: its sectors are those of the trace from `first` on, up to the next access.
#[derive(Debug, Clone, Copy)]
struct Access {
    cycles: f32,
    first: u32,
    count: u32,
    kind: Kind,
}

impl Access {
    /// Whether it does anything.
    fn counts(&self) -> bool {
        self.count > 0 || self.kind == Kind::Fence
    }
}

/// The accesses of a block, or those of them to some sets of a cache.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trace {
    accesses: Vec<Access>,
    sectors: Vec<u64>,
    /// Sectors that it has room for.
    room: usize,
    /// The sets whose sectors are kept: all, or fewer where a block asks for more sectors than
    /// there is room for.
    part: Part,
    /// Where it asked for more than that at first.
    full: Option<f32>,
}

impl Trace {
    pub(crate) fn clear(&mut self) {
        self.accesses.clear();
        self.sectors.clear();
        (self.part, self.full) = (Part::default(), None);
    }

    /// Records the next block as one of `blocks`, or does not.
    pub(crate) fn record(&mut self, blocks: Option<usize>) {
        self.room = blocks.map_or(0, |blocks| MOST_SECTORS / blocks.max(1));
    }

    /// The sectors to come belong to an access at this cycle.
    pub(crate) fn begin(&mut self, kind: Kind, cycles: f64) {
        if self.room > 0 {
            let first = self.sectors.len() as u32;
            let access = Access { cycles: cycles as f32, first, count: 0, kind };
            match self.accesses.last_mut() {
                // Another fence does nothing.
                Some(last) if last.kind == Kind::Fence && kind == Kind::Fence => {}
                // Nothing of it was kept.
                Some(last) if !last.counts() => *last = access,
                _ => self.accesses.push(access),
            }
        }
    }

    /// A sector of the access that began last.
    pub(crate) fn add(&mut self, sector: u64) {
        if self.room == 0 || !self.part.has(sector) {
            return;
        }
        if self.sectors.len() >= self.room {
            self.full = self.full.or(self.accesses.last().map(|access| access.cycles));
            self.thin(self.part.half());
            if !self.part.has(sector) {
                return;
            }
        }
        if let Some(access) = self.accesses.last_mut() {
            access.count += 1;
            self.sectors.push(sector);
        }
    }

    /// Keeps only what goes to a smaller part of the sets, and the last access, which may go on.
    fn thin(&mut self, part: Part) {
        self.part = part;
        let before = std::mem::take(&mut self.sectors);
        let mut left = self.accesses.len();
        self.accesses.retain_mut(|access| {
            let all = &before[access.first as usize..(access.first + access.count) as usize];
            access.first = self.sectors.len() as u32;
            self.sectors.extend(all.iter().filter(|&&sector| part.has(sector)));
            access.count = self.sectors.len() as u32 - access.first;
            left -= 1;
            access.counts() || left == 0
        });
    }

    /// What was recorded, in order of time.
    pub(crate) fn take(&mut self) -> Self {
        let mut taken = Self { room: self.room, ..Self::default() };
        std::mem::swap(&mut taken, self);
        taken.accesses.retain(Access::counts);
        taken.accesses.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
        taken
    }

    /// Brings traces to the same part of the sets: the smallest.
    pub(crate) fn align(traces: &mut [Self]) {
        let smallest = traces.iter().map(|trace| trace.part).max().unwrap_or_default();
        for trace in traces.iter_mut().filter(|trace| trace.part != smallest) {
            trace.thin(smallest);
            trace.accesses.retain(Access::counts);
        }
    }

    /// Its loads of global memory while there was room for all, in order of time: when, and which
    /// sectors.
    pub(crate) fn first_loads(&self) -> impl Iterator<Item = (f32, &[u64])> {
        let until = self.full.unwrap_or(f32::INFINITY);
        let first = self.accesses.iter().filter(move |access| access.cycles <= until);
        let loads = first.filter(|access| matches!(access.kind, Kind::Load | Kind::Past));
        loads.map(|&access| (access.cycles, self.sectors_of(access)))
    }

    /// Distinct sectors of global memory that it loads. The second number is how many of them it also
    /// stores while it touches only one half of their line.
    fn pieces(&self) -> (u64, u64) {
        let stores = |kind: Kind| kind == Kind::Store;
        if !self.accesses.iter().any(|access| stores(access.kind)) {
            return (0, 0);
        }
        let global = self
            .accesses
            .iter()
            .filter(|it| matches!(it.kind, Kind::Load | Kind::Past | Kind::Store));
        let mut touched: Vec<(u64, bool)> = global
            .flat_map(|&it| {
                self.sectors_of(it).iter().map(move |&sector| (sector, stores(it.kind)))
            })
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let (mut loaded, mut pieces) = (0, 0);
        for line in touched.chunk_by(|a, b| a.0 / LINE == b.0 / LINE) {
            let loads = line.iter().filter(|it| !it.1).count();
            loaded += loads as u64;
            // They come in order, and each that is both comes twice.
            let [first, .., last] = line else { continue };
            if first.0 / HALF == last.0 / HALF {
                let sectors = line.chunk_by(|a, b| a.0 == b.0).count();
                pieces += (line.len() - sectors) as u64;
            }
        }
        (loaded, pieces)
    }

    fn sectors_of(&self, access: Access) -> &[u64] {
        &self.sectors[access.first as usize..(access.first + access.count) as usize]
    }
}

#[cfg(test)]
mod tests;
