//! Which words of global memory blocks swap, locks among them.

use std::collections::HashMap;

use crate::machine::{Warp, lanes};
use crate::program::{Kernel, Rmw, Update, Window};

/// Most words that are told apart.
const MOST_WORDS: usize = 1 << 16;

/// What a block swaps: by word, how many lanes did so.
#[derive(Debug, Clone, Default)]
pub(crate) struct Swapped {
    words: HashMap<u64, u32>,
}

impl Swapped {
    /// A warp is about to run an atomic.
    pub(crate) fn add(&mut self, kernel: &Kernel, warp: &Warp, update: Update, mask: u32) {
        let swaps = matches!(update.f, Rmw::CompareExchange | Rmw::Exchange);
        if !swaps || update.window == Window::Shared || self.words.len() >= MOST_WORDS {
            return;
        }
        let offset = kernel.sites[usize::from(update.site)].offset.cast_unsigned();
        for lane in lanes(mask) {
            let place = warp.regs64[usize::from(update.a)][lane].wrapping_add(offset);
            *self.words.entry(place).or_default() += 1;
        }
    }
}

/// How many words these blocks share, taken as spread evenly over them; 0 where too few meet to tell.
///
/// Formula: two lanes of different blocks go to the same word with a probability of 1 / words, so the number
/// of words is that of all such pairs / that of pairs at one word.
pub(crate) fn shared_words(blocks: &[Swapped]) -> u64 {
    // Pairs of different blocks, and of their lanes, from the numbers of lanes that each has.
    let pairs = |of: &[f64]| {
        let (sum, squares) =
            of.iter().fold((0.0, 0.0), |(sum, squares), it| (sum + it, squares + it * it));
        (of.len() * of.len().saturating_sub(1) / 2, 0.5 * (sum * sum - squares))
    };
    let lanes_of = |block: &Swapped| block.words.values().copied().map(f64::from).sum::<f64>();
    let all: Vec<f64> = blocks.iter().map(lanes_of).filter(|it| *it > 0.0).collect();
    let mut words: HashMap<u64, Vec<f64>> = HashMap::new();
    for (&word, &lanes) in blocks.iter().flat_map(|block| &block.words) {
        words.entry(word).or_default().push(f64::from(lanes));
    }
    let (mut meetings, mut meet) = (0, 0.0);
    for lanes in words.values() {
        let (blocks, lanes) = pairs(lanes);
        meetings += blocks;
        meet += lanes;
    }
    let (most, of) = pairs(&all);
    // Where each block has one word, which one may come round with the number of the block.
    let one_each = blocks.iter().all(|block| block.words.len() < 2);
    let few = if one_each { most } else { FEW.min(most) };
    if most > 0 && meetings >= few { (of / meet).round().max(1.0) as u64 } else { 0 }
}

/// From this number of words on that two blocks share, it is no accident.
const FEW: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_by_how_often_blocks_meet() {
        let of = |blocks: &[&[(u64, u32)]]| {
            let block = |words: &&[(u64, u32)]| Swapped { words: words.iter().copied().collect() };
            shared_words(&blocks.iter().map(block).collect::<Vec<_>>())
        };
        assert_eq!(of(&[&[(8, 1)], &[(8, 1)], &[(8, 4)], &[(8, 1)]]), 1, "a lock");
        assert_eq!(of(&[&[(8, 1)], &[(8, 1)]]), 1);
        assert_eq!(of(&[&[(8, 1)], &[(8, 1)], &[(12, 1)], &[(16, 1)]]), 0, "by accident");
        assert_eq!(of(&[&[(8, 1)], &[(8, 1)], &[(8, 1)], &[(16, 1)]]), 0, "every third block");
        assert_eq!(of(&[&[(8, 9)], &[(12, 9)], &[(16, 9)]]), 0, "a word for each block");
        let even: Vec<(u64, u32)> = (0..50).map(|word| (4 * word, 3)).collect();
        assert_eq!(of(&[&even, &even, &even]), 50);
        assert_eq!(of(&[&[(8, 3)]]), 0, "one block");
        assert_eq!(of(&[]), 0);
    }
}
