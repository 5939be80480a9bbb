//! The accesses of the blocks of one multiprocessor, replayed through its caches.

use super::{Access, Kind, Trace};
use crate::critical_path::lines::{Found, Lines, Out, Part};
use crate::critical_path::sectors::LINE;

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

/// What blocks find in the caches of their multiprocessor: first where each has its share of L1 to itself,
/// then where `resident` of them at a time share an L1 of `bytes` bytes and `l2_bytes` of L2. The
/// multiprocessor runs `rounds` rounds of blocks; if there are more than one, the first does not count, since it
/// finds both caches empty.
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

/// What blocks find that share the caches. They start together, or, if `apart`, one after the other, evenly
/// over the length of the first. The `skipped` first blocks do not count.
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
