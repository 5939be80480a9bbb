//! Which accesses are ordered: vector clocks, one entry per warp.
//!
//! Barriers order the warps that wait at them, the barrier of a warp its lanes.
//! An atomic or volatile write publishes what its warp has done, and what its
//! warp knows; an atomic whose old value is used, or a volatile read, learns
//! what was published at its place. Fences are not asked for.

use std::collections::HashMap;

/// Warps of a block, at most.
pub(crate) const WARPS: usize = 32;

/// More than the blocks that wait for each other, in a cluster or a grid.
pub(crate) const MOST_TOGETHER: usize = 1 << 16;

/// Steps spent on order between blocks before it is given up: it grows with
/// the square of the blocks that wait for each other.
const MOST_WORK: u64 = 40_000_000;

/// Blocks that something is known of, at all places together, before it is given up: a quarter of a
/// gigabyte. A hash table that many blocks fill has as many places as elements.
const MOST_KNOWN: usize = 1 << 18;

/// Who accessed something, and when by its warp's count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) block: u32,
    /// 0: nobody.
    pub(crate) epoch: u32,
    pub(crate) site: u16,
    pub(crate) warp: u8,
    pub(crate) lane: u8,
}

/// Where something is published: an allocation, or [`shared`], and an offset.
pub(crate) type Place = (usize, u64);

/// In a [`Place`]: the shared memory of block `rank` of the cluster.
pub(crate) fn shared(rank: usize) -> usize {
    usize::MAX - rank
}

/// The block of the cluster whose shared memory a [`Place`] is in.
pub(crate) fn rank_of(index: usize) -> Option<usize> {
    Some(usize::MAX - index).filter(|rank| *rank < MOST_TOGETHER)
}

pub(crate) type Epochs = [u32; WARPS];

#[derive(Debug, Default)]
struct Published {
    /// What is known of each block, and in which order it came.
    blocks: HashMap<u32, Epochs>,
    log: Vec<u32>,
}

/// The clocks of a block.
#[derive(Debug)]
struct Clocks {
    block: u32,
    /// Count of each warp.
    own: Epochs,
    /// What each warp knows of the others.
    known: Box<[Epochs; WARPS]>,
    /// What the block knows of other blocks.
    remote: HashMap<u32, Epochs>,
    /// How much of a place's log the block has learned.
    learned: HashMap<Place, usize>,
}

impl Clocks {
    fn new(block: u32) -> Self {
        Self {
            block,
            own: [1; WARPS],
            known: Box::new([[0; WARPS]; WARPS]),
            remote: HashMap::new(),
            learned: HashMap::new(),
        }
    }

    /// What its warps have done and know of each other.
    fn all(&self) -> Epochs {
        let mut all = self.own;
        self.known.iter().for_each(|known| {
            join(&mut all, known);
        });
        all
    }
}

/// The clocks of the blocks that run, and what was published.
#[derive(Debug)]
pub(crate) struct Order {
    /// Block after block of the cluster.
    blocks: Vec<Clocks>,
    /// The one that runs.
    rank: usize,
    published: HashMap<Place, Published>,
    /// Whether anything in the kernel ever learns.
    learns: bool,
    work: u64,
    /// Blocks that something is known of, at all places together.
    known: usize,
    /// Whether anything was published in shared memory.
    in_shared: bool,
}

impl Order {
    pub(crate) fn new(learns: bool) -> Self {
        let blocks = vec![Clocks::new(0)];
        Self {
            blocks,
            rank: 0,
            published: HashMap::new(),
            learns,
            work: 0,
            known: 0,
            in_shared: false,
        }
    }

    /// Whether order between blocks was given up.
    pub(crate) fn gave_up(&self) -> bool {
        self.work > MOST_WORK || self.known > MOST_KNOWN
    }

    /// Block number `rank` of the cluster runs or starts.
    pub(crate) fn enter_block(&mut self, rank: usize) {
        while self.blocks.len() <= rank {
            self.blocks.push(Clocks::new(0));
        }
        self.rank = rank;
    }

    pub(crate) fn start_block(&mut self, block: u32) {
        self.blocks[self.rank] = Clocks::new(block);
        // Global memory may have many places, which stay.
        if self.in_shared {
            let here = shared(self.rank);
            self.published.retain(|place, _| place.0 != here);
        }
    }

    fn here(&self) -> &Clocks {
        &self.blocks[self.rank]
    }

    fn here_mut(&mut self) -> &mut Clocks {
        &mut self.blocks[self.rank]
    }

    /// All threads of the cluster have met.
    pub(crate) fn meet_cluster(&mut self) {
        let mut all: HashMap<u32, Epochs> = HashMap::new();
        for clocks in &self.blocks {
            join(all.entry(clocks.block).or_insert([0; WARPS]), &clocks.all());
            for (&block, epochs) in &clocks.remote {
                join(all.entry(block).or_insert([0; WARPS]), epochs);
            }
        }
        for clocks in &mut self.blocks {
            let own = all.get(&clocks.block).copied().unwrap_or_default();
            clocks.known.fill(own);
            clocks.own = clocks.own.map(|epoch| epoch + 1);
            clocks.remote.clone_from(&all);
            clocks.remote.remove(&clocks.block);
        }
    }

    /// The record of an access that happens now.
    pub(crate) fn now(&self, warp: usize, lane: usize, site: u16) -> Record {
        let epoch = self.here().own[warp];
        Record { block: self.here().block, epoch, site, warp: warp as u8, lane: lane as u8 }
    }

    /// Whether `record` happened before what this lane does now.
    pub(crate) fn before(&self, record: Record, warp: usize, lane: usize) -> bool {
        let (by, here) = (usize::from(record.warp), self.here());
        if record.epoch == 0 {
            true
        } else if record.block != here.block {
            let known = here.remote.get(&record.block);
            self.gave_up() || known.is_some_and(|epochs| epochs[by] >= record.epoch)
        } else if by == warp {
            usize::from(record.lane) == lane || record.epoch < here.own[warp]
        } else {
            here.known[warp][by] >= record.epoch
        }
    }

    /// The lanes of a warp have met.
    pub(crate) fn meet_lanes(&mut self, warp: usize) {
        self.here_mut().own[warp] += 1;
    }

    /// What `warp` has done and knows, for those who will wait at the barrier
    /// that it comes to and does not wait at; joined to what others brought.
    pub(crate) fn bring(&mut self, warp: usize, brought: &mut Epochs) {
        let here = self.here_mut();
        join(brought, &here.known[warp]);
        brought[warp] = brought[warp].max(here.own[warp]);
        here.own[warp] += 1;
    }

    /// These warps have met at a barrier, which others had `brought` this to.
    pub(crate) fn meet_warps(&mut self, warps: &[usize], brought: &Epochs) {
        let (mut all, here) = (*brought, self.here_mut());
        for &warp in warps {
            join(&mut all, &here.known[warp]);
            all[warp] = all[warp].max(here.own[warp]);
        }
        for &warp in warps {
            here.known[warp] = all;
            here.own[warp] += 1;
        }
    }

    /// Publishes at `place` what `warp` has done and knows.
    pub(crate) fn publish(&mut self, warp: usize, place: Place) {
        if !self.learns || self.gave_up() {
            return;
        }
        let here = &mut self.blocks[self.rank];
        self.in_shared |= rank_of(place.0).is_some();
        let mut mine = here.known[warp];
        mine[warp] = here.own[warp];
        let published = self.published.entry(place).or_default();
        for (&block, epochs) in here.remote.iter().chain([(&here.block, &mine)]) {
            self.work += 1;
            let there = published.blocks.entry(block).or_insert_with(|| {
                self.known += 1;
                [0; WARPS]
            });
            if join(there, epochs) && (block == here.block || published.log.last() != Some(&block))
            {
                published.log.push(block);
            }
        }
        here.own[warp] += 1;
        if self.gave_up() {
            self.published = HashMap::new();
        }
    }

    /// Learns what was published at `place`.
    pub(crate) fn learn(&mut self, warp: usize, place: Place) {
        let Some(published) = self.published.get(&place) else { return };
        let here = &mut self.blocks[self.rank];
        let from = here.learned.insert(place, published.log.len()).unwrap_or(0);
        if let Some(own) = published.blocks.get(&here.block) {
            join(&mut here.known[warp], own);
        }
        for block in &published.log[from..] {
            self.work += 1;
            if *block != here.block {
                join(here.remote.entry(*block).or_insert([0; WARPS]), &published.blocks[block]);
            }
        }
    }
}

/// Takes the larger of each; gives whether anything grew.
fn join(to: &mut Epochs, from: &Epochs) -> bool {
    let mut grew = false;
    for (to, from) in to.iter_mut().zip(from) {
        grew |= *from > *to;
        *to = (*to).max(*from);
    }
    grew
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_order_the_warps_that_meet() {
        let mut order = Order::new(false);
        order.start_block(0);
        let first = order.now(0, 3, 0);
        assert!(order.before(first, 0, 3) && !order.before(first, 0, 4));
        assert!(!order.before(first, 1, 3));
        order.meet_warps(&[0, 1], &[0; WARPS]);
        assert!(order.before(first, 1, 3) && order.before(first, 0, 4));
        assert!(!order.before(first, 2, 0), "it was not there");
        let second = order.now(0, 3, 0);
        assert!(!order.before(second, 1, 3));
        order.meet_lanes(0);
        assert!(order.before(second, 0, 4) && !order.before(second, 1, 4));
    }

    #[test]
    fn who_arrives_teaches_and_does_not_learn() {
        let mut order = Order::new(false);
        order.start_block(0);
        let (of_arriver, of_waiter) = (order.now(0, 0, 0), order.now(1, 0, 0));
        let mut brought = [0; WARPS];
        order.bring(0, &mut brought);
        let later = order.now(0, 0, 0);
        order.meet_warps(&[1], &brought);
        assert!(order.before(of_arriver, 1, 5) && !order.before(later, 1, 5));
        assert!(!order.before(of_waiter, 0, 0));
    }

    #[test]
    fn a_cluster_meets_with_all_its_warps() {
        let mut order = Order::new(false);
        for rank in 0..2 {
            order.enter_block(rank);
            order.start_block(rank as u32);
        }
        let first = order.now(3, 0, 0);
        order.enter_block(0);
        assert!(!order.before(first, 0, 0));
        order.meet_cluster();
        assert!(order.before(first, 5, 7));
        let second = order.now(1, 0, 0);
        order.enter_block(1);
        assert!(order.before(first, 0, 1) && !order.before(second, 1, 0));
    }

    #[test]
    fn order_between_blocks_is_given_up_when_it_takes_too_much_memory() {
        let mut order = Order::new(true);
        order.start_block(0);
        let first = order.now(0, 0, 0);
        for place in 0..=MOST_KNOWN as u64 {
            assert!(!order.gave_up());
            order.publish(0, (0, place));
        }
        assert!(order.gave_up() && order.published.is_empty());
        order.start_block(1);
        assert!(order.before(first, 0, 0), "races between blocks are not looked for any more");
        let second = order.now(0, 0, 0);
        assert!(!order.before(second, 1, 0), "those in a block are");
    }

    #[test]
    fn what_is_published_passes_from_block_to_block() {
        let mut order = Order::new(true);
        order.start_block(0);
        let first = order.now(0, 0, 0);
        order.publish(0, (0, 8));
        let late = order.now(0, 0, 0);
        order.start_block(1);
        assert!(!order.before(first, 0, 0));
        order.learn(0, (0, 8));
        assert!(order.before(first, 0, 0) && !order.before(late, 0, 0));
        order.publish(0, (0, 16));
        order.start_block(2);
        order.learn(0, (0, 16));
        assert!(order.before(first, 0, 0), "by way of block 1");
    }
}
