//! Which of the followed blocks stand for how many others.
//!
//! Blocks of one kernel differ: every third one works and the others return, the last one sums up
//! what all left. Only a few are followed. How many warp instructions a block takes is counted for
//! all of them, so each followed block stands for those that take about as many.

use crate::critical_path::Timeline;

/// Kinds of blocks for each doubling of their warp instructions.
const PER_DOUBLING: f64 = 8.0;

/// Kinds at most: for more warp instructions than a launch may take.
const MOST_KINDS: usize = 512;

/// A further block counts if its kind is at least this far from those that count already: its
/// instructions are 1.4 times as many or as few.
const APART: usize = 4;

/// Further blocks that count, at most.
const MOST_FURTHER: usize = 8;

/// Counts the blocks of each kind, and notes the kind of each followed block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kinds {
    blocks: Vec<u64>,
    /// Blocks that were followed, and their kinds.
    followed: Vec<(u64, usize)>,
}

impl Kinds {
    /// A block has ended that took these warp instructions; its index if it was followed.
    pub(crate) fn add(&mut self, instructions: u64, followed: Option<u64>) {
        let kind = ((instructions as f64 + 1.0).log2() * PER_DOUBLING) as usize;
        let kind = kind.min(MOST_KINDS - 1);
        if kind >= self.blocks.len() {
            self.blocks.resize(kind + 1, 0);
        }
        self.blocks[kind] += 1;
        self.followed.extend(followed.map(|block| (block, kind)));
    }

    pub(crate) fn merge(&mut self, other: Self) {
        if other.blocks.len() > self.blocks.len() {
            self.blocks.resize(other.blocks.len(), 0);
        }
        for (mine, theirs) in self.blocks.iter_mut().zip(other.blocks) {
            *mine += theirs;
        }
        self.followed.extend(other.followed);
    }

    /// Of these timelines, those of `chosen` blocks and those of further kinds, by index, each with
    /// the number of blocks that it stands for: those whose kind is next to its own.
    pub(crate) fn choose(&self, mut timelines: Vec<Timeline>, chosen: &[u64]) -> Vec<Timeline> {
        timelines.sort_by_key(|timeline| (!chosen.contains(&timeline.block), timeline.block));
        let kind =
            |block: u64| self.followed.iter().find(|it| it.0 == block).map_or(0, |(_, kind)| *kind);
        let mut kinds: Vec<usize> = Vec::new();
        let mut further = MOST_FURTHER;
        timelines.retain(|timeline| {
            let mine = kind(timeline.block);
            let is_chosen = chosen.contains(&timeline.block);
            let apart = further > 0 && kinds.iter().all(|it| it.abs_diff(mine) >= APART);
            if is_chosen || apart {
                further -= usize::from(!is_chosen);
                kinds.push(mine);
            }
            is_chosen || apart
        });
        for (kind, &blocks) in self.blocks.iter().enumerate().filter(|(_, blocks)| **blocks > 0) {
            let nearest = kinds.iter().map(|it| it.abs_diff(kind)).min().unwrap_or_default();
            let near: Vec<usize> =
                (0..kinds.len()).filter(|&at| kinds[at].abs_diff(kind) == nearest).collect();
            for &at in &near {
                timelines[at].others += blocks as f64 / near.len() as f64;
            }
        }
        for timeline in &mut timelines {
            timeline.others -= 1.0;
        }
        timelines.sort_by_key(|timeline| timeline.block);
        timelines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of a grid and how many each stands for, where block `n` takes `work(n)` instructions,
    /// and of those followed the first four are chosen.
    fn of(all: u64, followed: &[u64], work: impl Fn(u64) -> u64) -> Vec<(u64, f64)> {
        let mut kinds = Kinds::default();
        for block in 0..all {
            kinds.add(work(block), followed.contains(&block).then_some(block));
        }
        let timelines = followed.iter().map(|&block| Timeline { block, ..Timeline::default() });
        let chosen = kinds.choose(timelines.collect(), &followed[..4]);
        chosen.iter().map(|it| (it.block, it.blocks())).collect()
    }

    #[test]
    fn equal_blocks_stand_for_as_many_and_an_odd_one_for_itself() {
        let same = of(100, &[0, 33, 66, 99], |_| 7);
        assert_eq!(same, [(0, 25.0), (33, 25.0), (66, 25.0), (99, 25.0)]);
        let last = of(100, &[0, 33, 66, 99], |block| if block == 99 { 900 } else { 7 });
        assert_eq!(last, [(0, 33.0), (33, 33.0), (66, 33.0), (99, 1.0)]);
    }

    #[test]
    fn a_further_block_is_taken_where_its_kind_is_missing() {
        let every = |block| if block % 16 == 5 { 800 } else { 10 };
        let found = of(160, &[0, 50, 100, 159, 20, 21, 37], every);
        assert_eq!(found, [(0, 37.5), (21, 10.0), (50, 37.5), (100, 37.5), (159, 37.5)]);
        // Where none was followed, the nearest stand for them.
        assert_eq!(of(160, &[0, 50, 100, 159], every)[0], (0, 40.0));
    }
}
