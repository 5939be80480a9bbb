//! How `async-relay` shares the tiles out: whole tiles, and tiles that are cut along k.

use super::variants::RELAY_MODULE;
use super::{A, B, C, matrices, shape};
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Inputs, Launch, Smaller, Term, Work};

/// Most tiles that are cut: about as many as a large GPU has multiprocessors.
const MOST_CUT: u64 = 128;

/// Most parts of a tile, and the fewest numbers of k that a part has.
const MOST_PARTS: u64 = 8;
const LEAST_LENGTH: u64 = 256;

/// The tiles of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Relay {
    /// Tiles that one block computes.
    pub whole: u64,
    /// Tiles that are cut.
    pub cut: u64,
    /// Parts of each.
    pub parts: u64,
}

impl Relay {
    /// How a case is shared out.
    pub(super) fn of(case: &Case) -> Self {
        let shape = shape(case);
        let tiles = (shape.m as u64).div_ceil(128) * (shape.n as u64).div_ceil(256);
        let parts = (shape.k as u64 / LEAST_LENGTH).clamp(1, MOST_PARTS);
        let cut = if parts == 1 { 0 } else { tiles.min(MOST_CUT) };
        Self { whole: tiles - cut, cut, parts }
    }

    /// Its blocks.
    pub(super) fn blocks(self) -> u64 {
        (self.whole + self.cut * self.parts).max(1)
    }

    /// Its work.
    pub(super) fn work(self, case: &Case) -> Work {
        let shape = shape(case);
        let mut buffers = matrices(case);
        let (next, done) = (buffers.len(), buffers.len() + 1);
        buffers.push(Buffer::zeroed("next piece", Element::U32, 1));
        buffers.push(Buffer::zeroed("parts done", Element::U32, self.cut.max(1) as usize));
        let numbers = [shape.m as u64, shape.n as u64, shape.k as u64, self.whole, self.parts];
        let launch = Launch {
            phase: "multiply",
            kernel: "matmul_async_relay".to_owned(),
            grid: Dim3::linear(self.blocks() as u32),
            block: Dim3::linear(case.block),
            shared_bytes: 0,
            args: [A, B, C, next, done]
                .map(Arg::Buffer)
                .into_iter()
                .chain(numbers.map(|number| Arg::U32(number as u32)))
                .collect(),
        };
        Work::of_launches(RELAY_MODULE, buffers, [launch])
    }

    /// The tiles of a smaller case, all whole and all cut: terms of this one by their shares
    /// of its blocks, times `weight`. Its longest block counts as an average one: whole tiles
    /// come first, and short blocks fill up what they leave.
    pub(super) fn smaller(self, case: &Case, weight: f64) -> Vec<Smaller> {
        let Self { whole, cut, .. } = Self::of(case);
        let tiles = whole + cut;
        let all_whole = Self { whole: tiles, cut: 0, parts: 1 };
        let all_cut = Self { whole: 0, cut: tiles, parts: self.parts };
        [(all_whole, self.whole), (all_cut, self.cut * self.parts)]
            .into_iter()
            .filter(|(_, blocks)| *blocks > 0)
            .map(|(relay, blocks)| {
                let mean = weight * blocks as f64 / self.blocks() as f64;
                Smaller::new(relay.work(case), Inputs::new(), vec![Term::new(0, 0, mean)])
            })
            .collect()
    }
}
