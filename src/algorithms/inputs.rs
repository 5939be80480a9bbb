//! Input data: every distribution, the same on every machine.
//!
//! Element `i` follows from the distribution, the seed, `n` and `i` alone, so
//! that any part of an input can be made without the rest of it. Random words
//! come from `ChaCha8`, whose position can be set; whatever needs real-number
//! functions is turned into integers by `libm`, whose results do not differ by
//! platform, before anything is drawn.
//!
//! | distribution | element `i` |
//! |---|---|
//! | `uniform` | random word `i` |
//! | `normal` | rank `r` with weight `exp(-((r - 32768) / 8192)^2 / 2)`, as `r * 65537` |
//! | `zipf:S` | rank `r` with weight `(r + 1)^-S`, as `r * 65537` |
//! | `constant` | 42 |
//! | `iota` | `i` |
//! | `ones` | 1 |
//! | `sorted` | `floor((i + u) * 2^32 / n)`, with `u` random in [0, 1) |
//! | `reversed` | `sorted` from its end |
//! | `few-unique:K` | one of `K` different random words |
//!
//! Ranks lie in 0..65536. `r * 65537` carries the rank in the upper and in the
//! lower 16 bits, so that binning by modulo and by range both show the shape.

mod alias;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use rayon::prelude::*;

use super::Param;
use super::contract::Generic;
use crate::experiment::{Case, Distribution};
use crate::work::{Element, HostBuffer, Inputs};
use alias::AliasTable;

/// What `constant` gives.
const CONSTANT: u32 = 42;

/// Ranks from which `normal` and `zipf` draw.
const RANKS: usize = 1 << 16;

/// Centre of `normal`, in ranks.
const NORMAL_CENTRE: f64 = 32_768.0;

/// Standard deviation of `normal`, in ranks.
const NORMAL_DEVIATION: f64 = 8_192.0;

/// Elements that one task of a parallel fill makes: long enough to hide that
/// setting a position starts a fresh block of random words.
const CHUNK: usize = 1 << 16;

/// Stream of random words that elements are drawn from.
const ELEMENTS: u64 = 0;

/// Stream of random words that the values of `few-unique` are drawn from.
const VALUES: u64 = 1;

/// The parameter for the type of input values.
pub(super) const DTYPE: Param = Param::word(
    "dtype",
    "type of the values: integers that wrap around, or floats",
    &["u32", "f32"],
);

/// The type `T` of contracts with a `dtype`.
pub(super) const GENERIC: Generic = Generic {
    param: DTYPE.name,
    of: element,
    values: &[("u32", Element::U32), ("f32", Element::F32)],
};

/// The type of a case's values, by its `dtype`.
pub(super) fn element(case: &Case) -> Element {
    if case.word(DTYPE.name) == Some("f32") { Element::F32 } else { Element::U32 }
}

/// `n` values of the case's type: floats are the same numbers, rounded to the nearest.
pub(super) fn of_dtype(case: &Case) -> Inputs {
    let words = generate(case.dist, case.seed, case.n as usize);
    vec![Arc::new(match element(case) {
        Element::F32 => HostBuffer::F32(words.iter().map(|&word| word as f32).collect()),
        _ => HostBuffer::U32(words),
    })]
}

/// The key of those values.
pub(super) fn key(case: &Case) -> String {
    format!("{} {} seed={} n={}", element(case), case.dist, case.seed, case.n)
}

/// `n` elements of `dist` from `seed`, made on all cores.
pub fn generate(dist: Distribution, seed: u64, n: usize) -> Vec<u32> {
    let generator = Generator::new(dist, seed, n as u64);
    let mut values = vec![0; n];
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, values)| {
        generator.fill((chunk * CHUNK) as u64, values);
    });
    values
}

/// One input. It can generate any element alone.
#[derive(Debug)]
pub struct Generator {
    recipe: Recipe,
    seed: u64,
    n: u64,
}

/// How an element comes from random words.
#[derive(Debug)]
enum Recipe {
    Uniform,
    Ranks(AliasTable),
    Same(u32),
    Iota,
    Sorted { reversed: bool },
    OneOf(Vec<u32>),
}

impl Generator {
    /// The input of `n` elements that `dist` and `seed` name.
    pub fn new(dist: Distribution, seed: u64, n: u64) -> Self {
        let recipe = match dist {
            Distribution::Uniform => Recipe::Uniform,
            Distribution::Normal => Recipe::Ranks(AliasTable::new(&normal_weights())),
            Distribution::Zipf(s) => Recipe::Ranks(AliasTable::new(&zipf_weights(s))),
            Distribution::Constant => Recipe::Same(CONSTANT),
            Distribution::Iota => Recipe::Iota,
            Distribution::Ones => Recipe::Same(1),
            Distribution::Sorted => Recipe::Sorted { reversed: false },
            Distribution::Reversed => Recipe::Sorted { reversed: true },
            Distribution::FewUnique(k) => Recipe::OneOf(different_words(seed, k)),
        };
        Self { recipe, seed, n }
    }

    /// Element `index`. Elements from `n` on follow the same rule where it
    /// makes sense for them, and none of them is part of the input.
    pub fn element(&self, index: u64) -> u32 {
        let mut value = [0];
        self.fill(index, &mut value);
        value[0]
    }

    /// The elements from `first` on, as many as `values` has room for.
    pub fn fill(&self, first: u64, values: &mut [u32]) {
        match &self.recipe {
            Recipe::Same(value) => values.fill(*value),
            Recipe::Iota => {
                for (index, value) in (first..).zip(values) {
                    *value = index as u32;
                }
            }
            Recipe::Uniform => {
                let mut words = words(self.seed, ELEMENTS, u128::from(first));
                values.fill_with(|| words.next_u32());
            }
            Recipe::OneOf(choices) => {
                let mut words = words(self.seed, ELEMENTS, u128::from(first));
                values.fill_with(|| choices[scale(words.next_u32(), choices.len())]);
            }
            Recipe::Ranks(table) => {
                let mut words = words(self.seed, ELEMENTS, 2 * u128::from(first));
                values.fill_with(|| table.rank(words.next_u64()) * 65_537);
            }
            Recipe::Sorted { reversed: false } => self.fill_sorted(first, values),
            Recipe::Sorted { reversed: true } => {
                let end = first + values.len() as u64;
                self.fill_sorted(self.n.saturating_sub(end), values);
                values.reverse();
            }
        }
    }

    /// Stratified draws: element `i` lies in the `i`-th of `n` equal parts of
    /// the 32-bit range, so the whole is ascending without being sorted.
    fn fill_sorted(&self, first: u64, values: &mut [u32]) {
        let mut words = words(self.seed, ELEMENTS, u128::from(first));
        let n = self.n.max(1);
        for (index, value) in (first..).zip(values) {
            // Inputs have fewer than 2^31 elements, so this fits.
            let position = (index << 32) | u64::from(words.next_u32());
            *value = (position / n) as u32;
        }
    }
}

/// The random words of `seed` in one of its streams, from word `position` on.
fn words(seed: u64, stream: u64, position: u128) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    let mut words = ChaCha8Rng::from_seed(key);
    words.set_stream(stream);
    words.set_word_pos(position);
    words
}

/// Maps a random word to 0..`count`, by position in the range.
fn scale(word: u32, count: usize) -> usize {
    ((u64::from(word) * count as u64) >> 32) as usize
}

/// The first `count` different words of the seed's stream of values.
fn different_words(seed: u64, count: u32) -> Vec<u32> {
    let mut words = words(seed, VALUES, 0);
    let mut seen = HashSet::new();
    let mut different = Vec::with_capacity(count as usize);
    while different.len() < count.max(1) as usize {
        let word = words.next_u32();
        if seen.insert(word) {
            different.push(word);
        }
    }
    different
}

fn normal_weights() -> Vec<f64> {
    let weight = |rank: usize| {
        let away = (rank as f64 - NORMAL_CENTRE) / NORMAL_DEVIATION;
        libm::exp(-0.5 * away * away)
    };
    (0..RANKS).map(weight).collect()
}

fn zipf_weights(s: f64) -> Vec<f64> {
    (0..RANKS).map(|rank| libm::pow((rank + 1) as f64, -s)).collect()
}
