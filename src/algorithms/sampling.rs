//! Sizes, inputs and weights of the smaller cases that a large case is extrapolated from.

use super::inputs::Generator;
use crate::experiment::Case;

/// Operations ([`super::Algorithm::operations`]) above which a case takes the emulator
/// more than a second or two.
pub const MANY_OPERATIONS: u64 = 1 << 26;

/// Thread instructions above which a case takes as long. Used where operations are not known.
pub const MANY_INSTRUCTIONS: u64 = 1 << 31;

/// Most thread instructions of a kernel that produces the input of another one. It cannot be sampled.
/// About ten seconds on two cores.
pub const MOST_PRODUCING: u64 = 1 << 35;

/// Elements of a smaller case, unless its blocks are too few or too many.
const ELEMENTS: u64 = 1 << 20;

/// Fewest and most blocks of a smaller case.
const BLOCKS: (u64, u64) = (32, 512);

/// The size of a smaller case with at least `least` elements, where a block takes
/// `per_block`. Its blocks are on average as full as those of a case of `n`.
pub(super) fn fewer(n: u64, per_block: u64, least: u64) -> u64 {
    let per_block = per_block.max(1);
    let blocks = (ELEMENTS / per_block).clamp(BLOCKS.0, BLOCKS.1);
    part(n, per_block, blocks.max(least.div_ceil(per_block)))
}

/// The size of a case with at most `blocks` blocks that are as full as those of `n`.
pub(super) fn part(n: u64, per_block: u64, blocks: u64) -> u64 {
    let all = n.div_ceil(per_block).max(1);
    (u128::from(n) * u128::from(blocks.min(all)) / u128::from(all)) as u64
}

/// `count` words of the input of a case, in stretches of neighbours spread over it.
pub(super) fn stretches(case: &Case, seed: u64, count: u64, length: u64) -> Vec<u32> {
    let generator = Generator::new(case.dist, seed, case.n);
    let mut words = vec![0; count as usize];
    let (all, some) = ((case.n / length).max(1), count.div_ceil(length).max(1));
    for (index, words) in (0..).zip(words.chunks_mut(length as usize)) {
        // Anywhere in its share of the input: a fixed stride could always hit the same
        // phase of a periodic input.
        let (from, to) = (index * all / some, (index + 1) * all / some);
        let at = from + ((index * 0x9e37_79b9) >> 16) % (to - from).max(1);
        generator.fill(at * length, words);
    }
    words
}

/// Lagrange's weight of a polynomial's value at `of`, one of `all`, in that at `at`.
pub(super) fn weight(of: u64, all: &[u64], at: f64) -> f64 {
    let others = all.iter().filter(|&&other| other != of);
    others.map(|&other| (at - other as f64) / (of as f64 - other as f64)).product()
}
