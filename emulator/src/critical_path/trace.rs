//! What a block asks its L1 for, in order of time, and the L1 of a multiprocessor that
//! runs several blocks.

use crate::critical_path::lines::{Found, Lines, Out, Part};
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

/// Sectors that loads of global and local memory asked L1 for, and those that it had.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Answers {
    pub(crate) asked: u64,
    pub(crate) found: u64,
    /// Lines of those that it did not have, request by request.
    pub(crate) lines: u64,
    pub(crate) local: (u64, u64),
    /// Of those of global memory, the ones that it had, but that were still on their way for
    /// another block.
    pub(crate) on_their_way: u64,
    /// Sectors that were stored, and those of them that L2 had to give up before the rest of
    /// their line was written.
    pub(crate) stored: u64,
    pub(crate) torn: u64,
    /// Distinct sectors of those that loads fetched into L2, and how often one came again that L2
    /// had lost.
    pub(crate) fetched: u64,
    pub(crate) again: u64,
    /// Distinct sectors that each block loads, and how many of them it also stores while it touches
    /// only one half of their line.
    pub(crate) pieces: (u64, u64),
    /// Sectors of local memory that L2 had lost when a load or a store wanted them.
    pub(crate) local_again: (u64, u64),
    /// Of the times that blocks wait for loads, those for what another block loaded before.
    pub(crate) before: f32,
}

impl Answers {
    /// Moves what L1 had by this share towards what it had of the same blocks in another order.
    fn towards(&mut self, other: &Self, share: f64) {
        let between = |a: &mut u64, b: u64| {
            *a = (*a as f64 + share * (b as f64 - *a as f64)).round() as u64;
        };
        between(&mut self.found, other.found);
        between(&mut self.lines, other.lines);
        between(&mut self.local.1, other.local.1);
        between(&mut self.on_their_way, other.on_their_way);
    }
}

/// The caches of a multiprocessor: its L1 and its share of L2.
struct Caches {
    l1: Lines,
    l2: Option<Lines>,
    /// Sectors that loads did not find in either.
    missed: Vec<u64>,
    /// Sectors of global memory that were stored.
    stored: u64,
}

impl Caches {
    fn new(l1: u64, l2: Option<u64>, part: Part) -> Self {
        let l2 = l2.map(|bytes| Lines::part(bytes, Out::Any, part));
        Self { l1: Lines::part(l1, Out::Oldest, part), l2, missed: Vec::new(), stored: 0 }
    }
}

impl Answers {
    fn add(
        &mut self,
        access: Access,
        sectors: &[u64],
        caches: &mut Caches,
        (place, block, cycles): (usize, usize, f32),
    ) {
        let Caches { l1, l2, missed, stored } = caches;
        if access.kind == Kind::Fence {
            l1.flush();
        }
        // The local memory of the blocks at one place is the same.
        let salt = (place as u64) << 40;
        let mut last = u64::MAX;
        for &sector in sectors {
            let (found, on_its_way) = match access.kind {
                Kind::LocalLoad | Kind::LocalStore => (l1.touch(sector ^ salt), false),
                Kind::Past | Kind::Atomic | Kind::Fence => {
                    l1.drop_line(sector);
                    (Found::Nowhere, false)
                }
                Kind::Load | Kind::Store => l1.touch_at(sector, block as u32, cycles),
            };
            let here = found == Found::Here;
            match access.kind {
                Kind::Load | Kind::Past => {
                    self.asked += 1;
                    self.found += u64::from(here);
                    self.on_their_way += u64::from(on_its_way);
                    if !here {
                        self.lines += u64::from(sector / LINE != last);
                        last = sector / LINE;
                        if l2.as_mut().is_some_and(|l2| l2.touch(sector) != Found::Here) {
                            missed.push(sector);
                        }
                    }
                }
                Kind::Atomic | Kind::Fence => {}
                Kind::LocalLoad => {
                    self.local.0 += 1;
                    self.local.1 += u64::from(here);
                    if !here && let Some(l2) = l2 {
                        self.local_again.0 += u64::from(l2.touch(sector ^ salt) != Found::Here);
                    }
                }
                Kind::Store => {
                    *stored += 1;
                    if let Some(l2) = l2 {
                        l2.write(sector);
                    }
                }
                Kind::LocalStore => {
                    if let Some(l2) = l2 {
                        self.local_again.1 += u64::from(l2.write(sector ^ salt) != Found::Here);
                    }
                }
            }
        }
    }
}

/// What the L1 of a multiprocessor, of `bytes` bytes, and its share of L2, of `l2_bytes`, give to
/// blocks that it runs one after the other, `resident` at the same time, in so many rounds of its
/// own: where each has its share to itself, and where they share it. Without the first round if
/// there are more, which finds both empty.
///
/// Blocks of the first round start together and go on in step, so that one finds what another has
/// just loaded. Later ones start when another ends, and each is elsewhere: of `matmul_h200`'s
/// `thread-per-element`, L1 of an H200 has 83 % of the sectors in one round, 49 % in four, 31 % in a
/// thousand.
pub(crate) fn replay(
    blocks: &[Trace],
    bytes: u64,
    l2_bytes: u64,
    resident: usize,
    rounds: f64,
) -> (Answers, Answers) {
    let resident = resident.max(1);
    let skipped = if blocks.len() >= 2 * resident { resident } else { 0 };
    let mut alone = Answers::default();
    let part = blocks.first().map(|block| block.part).unwrap_or_default();
    let mut caches = Caches::new(bytes / resident as u64, None, part);
    for block in &blocks[skipped..] {
        caches.l1.clear();
        for &access in &block.accesses {
            alone.add(access, block.sectors_of(access), &mut caches, (0, 0, access.cycles));
        }
    }
    let mut together = side_by_side(blocks, (bytes, l2_bytes), resident, skipped, false);
    if rounds > 1.0 && resident > 1 {
        let apart = side_by_side(blocks, (bytes, l2_bytes), resident, skipped, true);
        together.towards(&apart, 1.0 - 1.0 / rounds);
    }
    (alone, together)
}

/// What blocks find that share the caches, of which each starts a part of the length of the first
/// one later than the one before if they are to be apart. The `skipped` first ones do not count.
fn side_by_side(
    blocks: &[Trace],
    (bytes, l2_bytes): (u64, u64),
    resident: usize,
    skipped: usize,
    apart: bool,
) -> Answers {
    let mut together = Answers::default();
    let part = blocks.first().map(|block| block.part).unwrap_or_default();
    let mut caches = Caches::new(bytes, Some(l2_bytes), part);
    let length = blocks.first().and_then(|block| block.accesses.last()).map_or(0.0, |it| it.cycles);
    let offset = if apart { length / resident as f32 } else { 0.0 };
    // Of each place on the multiprocessor: its block, the next access of that, and when the
    // block started.
    let mut places: Vec<(usize, usize, f32)> =
        (0..resident.min(blocks.len())).map(|block| (block, 0, block as f32 * offset)).collect();
    let mut next = places.len();
    loop {
        let mut earliest: Option<(usize, f32)> = None;
        for (place, (block, at, start)) in places.iter_mut().enumerate() {
            let ended = |block: usize, at: usize| {
                blocks.get(block).is_some_and(|block| at >= block.accesses.len())
            };
            while ended(*block, *at) {
                *start += blocks[*block].accesses.last().map_or(0.0, |it| it.cycles);
                (*block, *at) = (next, 0);
                next += 1;
            }
            let access = blocks.get(*block).and_then(|block| block.accesses.get(*at));
            if let Some(access) = access {
                let cycles = *start + access.cycles;
                if earliest.is_none_or(|(_, least)| cycles < least) {
                    earliest = Some((place, cycles));
                }
            }
        }
        let Some((place, cycles)) = earliest else { break };
        let (block, at, _) = &mut places[place];
        let trace = &blocks[*block];
        let access = trace.accesses[*at];
        *at += 1;
        let mut ignored = Answers::default();
        let answers = if *block < skipped { &mut ignored } else { &mut together };
        answers.add(access, trace.sectors_of(access), &mut caches, (place, *block, cycles));
    }
    together.stored = caches.stored;
    together.torn = caches.l2.map_or(0, Lines::torn);
    let mut missed = caches.missed;
    let all = missed.len();
    missed.sort_unstable();
    missed.dedup();
    together.fetched = missed.len() as u64;
    together.again = (all - missed.len()) as u64;
    for (loaded, pieces) in blocks.iter().map(Trace::pieces) {
        together.pieces.0 += loaded;
        together.pieces.1 += pieces;
    }
    together
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block that reads an array again and again, each time further. In the end the array is larger
    /// than 64 KiB.
    fn growing(blocks: usize) -> Trace {
        let mut trace = Trace::default();
        trace.record(Some(blocks));
        let mut cycles = 0.0;
        for round in 1..=64 {
            for line in 0..round * 16 {
                cycles += 1.0;
                // Warps are not followed in order of time.
                trace.begin(Kind::Load, if line % 2 == 0 { cycles + 64.0 } else { cycles });
                trace.add(line * LINE);
                trace.add(line * LINE + 1);
            }
        }
        trace.take()
    }

    #[test]
    fn a_part_of_the_sets_tells_what_all_of_them_find() {
        let share = |trace: Trace| {
            let (_, found) = replay(&[trace], 64 << 10, 1 << 20, 1, 1.0);
            found.found as f64 / found.asked as f64
        };
        let (whole, part) = (growing(1), growing(64));
        assert_eq!(whole.part, Part::default());
        assert!(part.part > whole.part && part.sectors.len() <= MOST_SECTORS / 64);
        assert!(part.accesses.iter().all(|access| access.count > 0), "none is empty");
        let (whole, part) = (share(whole), share(part));
        assert!((0.2..0.6).contains(&whole), "{whole}");
        assert!((whole - part).abs() < 0.05, "{whole} of all, {part} of a part");
    }

    #[test]
    fn loads_that_go_past_l1_find_nothing_there() {
        let found = |kind| {
            let mut trace = Trace::default();
            trace.record(Some(1));
            for _ in 0..4 {
                trace.begin(kind, 0.0);
                trace.add(7);
            }
            let (_, found) = replay(&[trace.take()], 64 << 10, 1 << 20, 1, 1.0);
            (found.asked, found.found)
        };
        assert_eq!(found(Kind::Load), (4, 3));
        assert_eq!(found(Kind::Past), (4, 0));
    }

    #[test]
    fn sectors_changed_in_place_count_where_a_block_has_half_of_their_line() {
        let pieces = |loads: &[u64], stores: &[u64]| {
            let mut trace = Trace::default();
            trace.record(Some(1));
            for (kind, sectors) in [(Kind::Load, loads), (Kind::Store, stores)] {
                trace.begin(kind, 0.0);
                for &sector in sectors {
                    trace.add(sector);
                }
            }
            trace.take().pieces()
        };
        assert_eq!(pieces(&[2, 3, 6], &[2, 3, 6]), (3, 3), "second halves");
        assert_eq!(pieces(&[1, 2, 3], &[2, 3]), (3, 0), "some of the other half is read");
        assert_eq!(pieces(&[0, 1], &[4, 5]), (2, 0), "written elsewhere");
        assert_eq!(pieces(&[0, 0, 1], &[]), (0, 0), "nothing is written");
    }

    #[test]
    fn traces_are_brought_to_the_same_part() {
        let mut traces = [growing(1), growing(64), growing(16)];
        Trace::align(&mut traces);
        assert!(traces.iter().all(|trace| trace.part == traces[1].part));
        let kept = traces.map(|trace| {
            let each = |&access: &Access| (access.cycles, trace.sectors_of(access).to_vec());
            trace.accesses.iter().map(each).collect::<Vec<_>>()
        });
        assert!(kept.iter().all(|it| *it == kept[1]), "the same blocks");
    }
}
