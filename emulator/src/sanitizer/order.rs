//! Which accesses are ordered: vector clocks, one entry per warp.
//!
//! Barriers order the warps that wait at them, the barrier of a warp its lanes.
//! An atomic or volatile write publishes what its warp has done, and what its
//! warp knows; an atomic whose old value is used, or a volatile read, learns
//! what was published at its place. Fences are not asked for.

use std::collections::HashMap;

/// Warps of a block, at most.
pub(crate) const WARPS: usize = 32;

/// Steps spent on order between blocks before it is given up: it grows with
/// the square of the blocks that wait for each other.
const MOST_WORK: u64 = 200_000_000;

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

/// Where something is published: an allocation, or [`SHARED`], and an offset.
pub(crate) type Place = (usize, u64);

/// In a [`Place`]: the block's shared memory.
pub(crate) const SHARED: usize = usize::MAX;

pub(crate) type Epochs = [u32; WARPS];

#[derive(Debug, Default)]
struct Published {
    /// What is known of each block, and in which order it came.
    blocks: HashMap<u32, Epochs>,
    log: Vec<u32>,
}

/// The clocks of the block that runs, and what was published.
#[derive(Debug)]
pub(crate) struct Order {
    block: u32,
    /// Count of each warp.
    own: Epochs,
    /// What each warp knows of the others.
    known: Box<[Epochs; WARPS]>,
    /// What the block knows of other blocks.
    remote: HashMap<u32, Epochs>,
    published: HashMap<Place, Published>,
    /// How much of a place's log the block has learned.
    learned: HashMap<Place, usize>,
    /// Whether anything in the kernel ever learns.
    learns: bool,
    work: u64,
}

impl Order {
    pub(crate) fn new(learns: bool) -> Self {
        Self {
            block: 0,
            own: [1; WARPS],
            known: Box::new([[0; WARPS]; WARPS]),
            remote: HashMap::new(),
            published: HashMap::new(),
            learned: HashMap::new(),
            learns,
            work: 0,
        }
    }

    /// Whether order between blocks was given up.
    pub(crate) fn gave_up(&self) -> bool {
        self.work > MOST_WORK
    }

    pub(crate) fn start_block(&mut self, block: u32) {
        self.block = block;
        self.own = [1; WARPS];
        *self.known = [[0; WARPS]; WARPS];
        self.remote.clear();
        self.learned.clear();
        self.published.retain(|place, _| place.0 != SHARED);
    }

    /// The record of an access that happens now.
    pub(crate) fn now(&self, warp: usize, lane: usize, site: u16) -> Record {
        let epoch = self.own[warp];
        Record { block: self.block, epoch, site, warp: warp as u8, lane: lane as u8 }
    }

    /// Whether `record` happened before what this lane does now.
    pub(crate) fn before(&self, record: Record, warp: usize, lane: usize) -> bool {
        let by = usize::from(record.warp);
        if record.epoch == 0 {
            true
        } else if record.block != self.block {
            let known = self.remote.get(&record.block);
            self.gave_up() || known.is_some_and(|epochs| epochs[by] >= record.epoch)
        } else if by == warp {
            usize::from(record.lane) == lane || record.epoch < self.own[warp]
        } else {
            self.known[warp][by] >= record.epoch
        }
    }

    /// The lanes of a warp have met.
    pub(crate) fn meet_lanes(&mut self, warp: usize) {
        self.own[warp] += 1;
    }

    /// What `warp` has done and knows, for those who will wait at the barrier
    /// that it comes to and does not wait at; joined to what others brought.
    pub(crate) fn bring(&mut self, warp: usize, brought: &mut Epochs) {
        join(brought, &self.known[warp]);
        brought[warp] = brought[warp].max(self.own[warp]);
        self.own[warp] += 1;
    }

    /// These warps have met at a barrier, which others had `brought` this to.
    pub(crate) fn meet_warps(&mut self, warps: &[usize], brought: &Epochs) {
        let mut all = *brought;
        for &warp in warps {
            join(&mut all, &self.known[warp]);
            all[warp] = all[warp].max(self.own[warp]);
        }
        for &warp in warps {
            self.known[warp] = all;
            self.own[warp] += 1;
        }
    }

    /// Publishes at `place` what `warp` has done and knows.
    pub(crate) fn publish(&mut self, warp: usize, place: Place) {
        if !self.learns || self.gave_up() {
            return;
        }
        let mut mine = self.known[warp];
        mine[warp] = self.own[warp];
        let published = self.published.entry(place).or_default();
        for (&block, epochs) in self.remote.iter().chain([(&self.block, &mine)]) {
            self.work += 1;
            let there = published.blocks.entry(block).or_insert([0; WARPS]);
            if join(there, epochs) && (block == self.block || published.log.last() != Some(&block))
            {
                published.log.push(block);
            }
        }
        self.own[warp] += 1;
    }

    /// Learns what was published at `place`.
    pub(crate) fn learn(&mut self, warp: usize, place: Place) {
        let Some(published) = self.published.get(&place) else { return };
        let from = self.learned.insert(place, published.log.len()).unwrap_or(0);
        if let Some(own) = published.blocks.get(&self.block) {
            join(&mut self.known[warp], own);
        }
        for block in &published.log[from..] {
            self.work += 1;
            if *block != self.block {
                join(self.remote.entry(*block).or_insert([0; WARPS]), &published.blocks[block]);
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
