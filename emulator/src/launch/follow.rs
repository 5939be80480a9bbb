//! The multiprocessors that followed blocks run on, and what their blocks find together.

use crate::critical_path::{Answers, MOST_BLOCKS, Timeline, Trace, loaded_before, replay};
use crate::launch::blocks::Blocks;

/// The multiprocessors that a launch would run on, as far as its L1 hits depend on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Follow {
    /// Bytes of L1 that a multiprocessor has beside the shared memory of its blocks.
    pub cache_bytes: u64,
    /// Bytes that the L2 of the GPU holds.
    pub l2_bytes: u64,
    /// Blocks that a multiprocessor runs at the same time, at most.
    pub resident: u32,
    /// Multiprocessors, which get blocks in turn. With 0, blocks are followed one by one.
    pub multiprocessors: u32,
}

/// Blocks that are followed where each has a multiprocessor to itself, at most.
const MOST_ALONE: u64 = 16;

/// For every eight blocks of a sample, one more runs for the L1 of a multiprocessor.
const OF_SAMPLE: u64 = 8;

impl Follow {
    /// Bytes of L1 for each block.
    pub(crate) fn share(self) -> u64 {
        self.cache_bytes / u64::from(self.resident.max(1))
    }

    /// The blocks of one multiprocessor, in order, in a grid of `all` blocks if only `blocks`
    /// run; those in the middle of the grid if they are many. If each has a single one, some of
    /// them all.
    pub(crate) fn blocks(self, blocks: Blocks, all: u64) -> Vec<u64> {
        let multiprocessors = u64::from(self.multiprocessors);
        let most = match blocks {
            Blocks::All => MOST_BLOCKS,
            Blocks::Ends | Blocks::From { .. } => 0,
            Blocks::Between(count) => MOST_BLOCKS.min(count / OF_SAMPLE),
        };
        if multiprocessors == 0 || most < 2 {
            return Vec::new();
        }
        if all <= multiprocessors {
            // Each is alone on its multiprocessor.
            let most = most.min(MOST_ALONE).min(all);
            return (0..most).map(|number| number * all / most).collect();
        }
        let rounds = all.div_ceil(multiprocessors);
        let count = rounds.min(most);
        let from = (rounds - count) / 2;
        // One that has a block in the last round too, and not the first, whose blocks may
        // all lie at an edge.
        let which = (all - (rounds - 1) * multiprocessors) / 3;
        (from..from + count).map(|round| which + round * multiprocessors).collect()
    }

    /// What blocks of one multiprocessor find in L1 alone and together, in a grid of `all`; none of
    /// fewer than two. Blocks `elsewhere` tell more of what blocks have loaded before.
    pub(crate) fn company(
        self,
        mut traces: Vec<(u64, Trace)>,
        mut elsewhere: Vec<(u64, Trace)>,
        all: u64,
    ) -> Option<[Answers; 2]> {
        if traces.len() < 2 {
            return None;
        }
        for traces in [&mut traces, &mut elsewhere] {
            traces.sort_unstable_by_key(|(block, _)| *block);
        }
        let mut traces: Vec<Trace> = traces.into_iter().map(|(_, trace)| trace).collect();
        let elsewhere = elsewhere.into_iter().map(|(_, trace)| trace);
        let mut everywhere: Vec<Trace> = elsewhere.chain(traces.iter().cloned()).collect();
        Trace::align(&mut everywhere);
        Trace::align(&mut traces);
        let resident = self.resident.max(1) as usize;
        let multiprocessors = u64::from(self.multiprocessors.max(1));
        let before = loaded_before(&everywhere, all.min(resident as u64 * multiprocessors));
        if all <= multiprocessors {
            return Some([Answers::default(), Answers { before, ..Answers::default() }]);
        }
        let share = self.l2_bytes / multiprocessors;
        let rounds = all.div_ceil(multiprocessors) as f64 / resident as f64;
        let (alone, together) = replay(&traces, self.cache_bytes, share, resident, rounds);
        Some([alone, Answers { before, ..together }])
    }
}

/// Corrects what blocks found in L1 alone.
pub(crate) fn correct(timelines: &mut [Timeline], company: Option<[Answers; 2]>) {
    for timeline in timelines {
        if let Some([alone, together]) = company {
            timeline.beside_others(alone, together);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLLOW: Follow =
        Follow { cache_bytes: 200 << 10, l2_bytes: 30 << 20, resident: 8, multiprocessors: 132 };

    #[test]
    fn the_blocks_of_one_multiprocessor_are_followed() {
        let alone = FOLLOW.blocks(Blocks::All, 132);
        assert_eq!((alone.len(), alone[0], alone[15]), (16, 0, 123), "one each");
        assert_eq!(FOLLOW.blocks(Blocks::All, 3), [0, 1, 2]);
        assert_eq!(FOLLOW.blocks(Blocks::All, 133), [0, 132]);
        assert_eq!(FOLLOW.blocks(Blocks::All, 3 * 132), [44, 176, 308]);
        let many = FOLLOW.blocks(Blocks::All, 132 * 1000 - 60);
        assert_eq!((many.len(), many[0]), (64, 24 + 468 * 132));
        assert!(many.iter().all(|block| block % 132 == 24));
        assert_eq!(FOLLOW.blocks(Blocks::Ends, 1 << 20), [0_u64; 0]);
        assert_eq!(FOLLOW.blocks(Blocks::Between(512), 1 << 20).len(), 64);
        assert_eq!(FOLLOW.blocks(Blocks::Between(12), 1 << 20), [0_u64; 0], "too few ran");
    }
}
