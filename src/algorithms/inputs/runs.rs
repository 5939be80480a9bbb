//! Sorted runs of an input, of which any part can be made without the rest: what a
//! merge finds, for samples of its blocks.
//!
//! An input is cut into runs of equal length, and each run is put in order. Where the
//! input itself is in order, ascending or descending, or all alike, an element of a run
//! is an element of the input, and the runs are those very runs. Where elements are
//! drawn independently, they are not: a run then is as many draws from the same
//! distribution, in order, but other draws than the input's. Such runs are **equal in
//! distribution, not in value**: merging them does what merging the true ones does, on
//! average and in its spread, and its result means nothing.
//!
//! An element of such a run is an order statistic of uniform draws, taken through the
//! distribution's quantiles. Of `count` draws from a range as many fall into its lower
//! half as a binomial variable says, and within either half they are uniform again; so
//! a walk down the halves, each split by a hash of its place, reaches the draw of a
//! given rank in log2 steps, and every walk meets the same draws. (L. Devroye,
//! *Non-Uniform Random Variate Generation*, 1986, chapter V.3, makes order statistics
//! in this way.)

use std::ops::Range;

use super::alias::to_integers;
use super::{Generator, Recipe, different_words, normal_weights, scale, zipf_weights};
use crate::experiment::Distribution;

/// Draws that are made and put in order by themselves, and not split further.
const FEW: u64 = 24;

/// Draws up to which a split is drawn bit by bit.
const BIT_BY_BIT: u64 = 256;

/// An input whose sorted runs can be read anywhere.
#[derive(Debug)]
pub struct Runs {
    input: Generator,
    order: Order,
}

/// How the elements of an input lie, and with that those of its runs.
#[derive(Debug)]
enum Order {
    /// Each run is in order as it is.
    Ascending,
    /// Each run is in order from its end.
    Descending,
    /// As they are drawn.
    Drawn(Quantiles),
}

/// The least element that a share of all draws does not exceed.
#[derive(Debug)]
enum Quantiles {
    Uniform,
    /// Where each rank but the last ends, in 2^-64 of all draws.
    Ranks(Vec<u64>),
    /// Values that are drawn alike, ascending.
    OneOf(Vec<u32>),
}

impl Quantiles {
    /// The element at `share` 2^-64 of all draws.
    fn at(&self, share: u64) -> u32 {
        let upper = (share >> 32) as u32;
        match self {
            Self::Uniform => upper,
            Self::Ranks(ends) => ends.partition_point(|&end| end <= share) as u32 * 65_537,
            Self::OneOf(values) => values[scale(upper, values.len())],
        }
    }

    fn of_ranks(weights: &[f64]) -> Self {
        let integers = to_integers(weights);
        let mut sum = 0_u128;
        let ends = integers.iter().take(integers.len() - 1).map(|weight| {
            sum += weight;
            // A weight that leaves nothing to the later ranks ends past all shares.
            u64::try_from(sum).unwrap_or(u64::MAX)
        });
        Self::Ranks(ends.collect())
    }
}

impl Runs {
    /// The runs of the input of `n` elements that `dist` and `seed` name.
    pub fn new(dist: Distribution, seed: u64, n: u64) -> Self {
        let input = Generator::new(dist, seed, n);
        let order = match (&input.recipe, dist) {
            (Recipe::Same(_) | Recipe::Iota | Recipe::Sorted { reversed: false }, _) => {
                Order::Ascending
            }
            (Recipe::Sorted { reversed: true }, _) => Order::Descending,
            (Recipe::Ranks(_), Distribution::Zipf(s)) => {
                Order::Drawn(Quantiles::of_ranks(&zipf_weights(s)))
            }
            (Recipe::Ranks(_), _) => Order::Drawn(Quantiles::of_ranks(&normal_weights())),
            (Recipe::OneOf(_), Distribution::FewUnique(k)) => {
                let mut values = different_words(seed, k);
                values.sort_unstable();
                Order::Drawn(Quantiles::OneOf(values))
            }
            _ => Order::Drawn(Quantiles::Uniform),
        };
        Self { input, order }
    }

    /// The input itself.
    pub fn input(&self) -> &Generator {
        &self.input
    }

    /// The elements of the runs of `width` elements from `first` on, as many as `values`
    /// has room for, up to the end of the input.
    pub fn fill(&self, width: u64, first: u64, values: &mut [u32]) {
        let end = self.input.n.min(first + values.len() as u64);
        let mut place = first;
        while place < end {
            let run = self.run(width, place);
            let stop = end.min(run.end);
            let part = &mut values[(place - first) as usize..(stop - first) as usize];
            self.fill_run(width, &run, place - run.start, part);
            place = stop;
        }
    }

    /// The element at `place` of the runs of `width` elements.
    pub fn at(&self, width: u64, place: u64) -> u32 {
        let run = self.run(width, place);
        let index = place - run.start;
        match &self.order {
            Order::Drawn(quantiles) => quantiles.at(draws(self.input.seed, width, &run).at(index)),
            _ => self.exact(&run, index),
        }
    }

    /// What [`Runs::at`] gives but for its noise: the element that so many of the run's
    /// draws are expected not to exceed. Ascending with the place, and quick.
    pub fn about(&self, width: u64, place: u64) -> u32 {
        let run = self.run(width, place);
        let (index, count) = (place - run.start, run.end - run.start);
        match &self.order {
            Order::Drawn(quantiles) => {
                // The middle of the place's share: (index + 1/2) / count.
                quantiles.at((2 * index + 1) * ((1 << 63) / count))
            }
            _ => self.exact(&run, index),
        }
    }

    /// The places of the run that `place` lies in.
    fn run(&self, width: u64, place: u64) -> Range<u64> {
        let start = place / width * width;
        start..(start + width).min(self.input.n).max(place + 1)
    }

    fn exact(&self, run: &Range<u64>, index: u64) -> u32 {
        match self.order {
            Order::Descending => self.input.element(run.end - 1 - index),
            _ => self.input.element(run.start + index),
        }
    }

    fn fill_run(&self, width: u64, run: &Range<u64>, index: u64, values: &mut [u32]) {
        let count = values.len() as u64;
        match &self.order {
            Order::Ascending => self.input.fill(run.start + index, values),
            Order::Descending => {
                self.input.fill(run.end - index - count, values);
                values.reverse();
            }
            Order::Drawn(quantiles) => {
                let mut values = values.iter_mut();
                draws(self.input.seed, width, run).each(index..index + count, &mut |share| {
                    if let Some(value) = values.next() {
                        *value = quantiles.at(share);
                    }
                });
            }
        }
    }
}

/// The draws of one run.
fn draws(seed: u64, width: u64, run: &Range<u64>) -> Draws {
    let key = scatter(scatter(seed ^ scatter(width)) ^ run.start);
    Draws { key, low: 0, bits: 64, count: run.end - run.start }
}

/// Some draws from a range of 2^`bits` numbers from `low` on.
#[derive(Debug, Clone, Copy)]
struct Draws {
    /// What its random numbers come from.
    key: u64,
    low: u64,
    bits: u32,
    count: u64,
}

impl Draws {
    /// Those in the lower and those in the upper half of the range.
    fn halves(self) -> (Self, Self) {
        let below = heads(self.key, self.count);
        let (key, bits) = (self.key, self.bits - 1);
        let lower = Self { key: scatter(key ^ 1), low: self.low, bits, count: below };
        let (low, count) = (self.low | 1 << bits, self.count - below);
        (lower, Self { key: scatter(key ^ 2), low, bits, count })
    }

    /// All of few draws, ascending.
    fn sorted(self) -> ([u64; FEW as usize], usize) {
        let mut draws = [0; FEW as usize];
        let count = self.count.min(FEW) as usize;
        for (at, draw) in draws[..count].iter_mut().enumerate() {
            *draw = self.low | random(self.key, at as u64) >> (64 - self.bits);
        }
        draws[..count].sort_unstable();
        (draws, count)
    }

    /// The draw with `index` others below it.
    fn at(mut self, mut index: u64) -> u64 {
        while self.count > FEW && self.bits > 1 {
            let (lower, upper) = self.halves();
            if index < lower.count {
                self = lower;
            } else {
                index -= lower.count;
                self = upper;
            }
        }
        self.sorted().0[index.min(FEW - 1) as usize]
    }

    /// Hands out those of a range of ranks, ascending.
    fn each(self, ranks: Range<u64>, out: &mut impl FnMut(u64)) {
        if ranks.is_empty() {
            return;
        }
        if self.count <= FEW || self.bits <= 1 {
            let (draws, count) = self.sorted();
            let end = (ranks.end as usize).min(count);
            draws[(ranks.start as usize).min(end)..end].iter().copied().for_each(out);
            return;
        }
        let (lower, upper) = self.halves();
        let below = lower.count;
        lower.each(ranks.start.min(below)..ranks.end.min(below), out);
        upper.each(ranks.start.max(below) - below..ranks.end.max(below) - below, out);
    }
}

/// How many of `count` fair coins show heads: bit by bit for few of them, else by the
/// normal distribution that the sum comes close to, itself made of 256 bits.
fn heads(key: u64, count: u64) -> u64 {
    let ones = |word: u64| u64::from(random(key, word).count_ones());
    if count <= BIT_BY_BIT {
        let whole: u64 = (0..count / 64).map(ones).sum();
        let rest = random(key, count / 64) & ((1 << (count % 64)) - 1);
        return whole + u64::from(rest.count_ones());
    }
    // 128 ± 8, and between two whole numbers anywhere.
    let sum: u64 = (0..4).map(ones).sum();
    let between = (random(key, 4) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    let deviations = (sum as f64 - 128.0 + between) / 8.0;
    let heads = 0.5 * count as f64 + 0.5 * deviations * (count as f64).sqrt();
    (heads.round().max(0.0) as u64).min(count)
}

/// Word `index` of the random words of `key`.
fn random(key: u64, index: u64) -> u64 {
    scatter(key.wrapping_add((index + 3).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// A number that looks random (the finaliser of `SplitMix64`).
fn scatter(value: u64) -> u64 {
    let mut bits = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::inputs::generate;
    use proptest::prelude::*;

    const N: u64 = 5000;

    /// The input in sorted runs, as a sort makes them.
    fn true_runs(dist: Distribution, width: usize) -> Vec<u32> {
        let mut values = generate(dist, 3, N as usize);
        values.chunks_mut(width).for_each(<[u32]>::sort_unstable);
        values
    }

    fn made(runs: &Runs, width: u64) -> Vec<u32> {
        let mut values = vec![0; N as usize];
        runs.fill(width, 0, &mut values);
        values
    }

    #[test]
    fn runs_of_an_ordered_input_are_the_true_ones() {
        for dist in ["sorted", "reversed", "iota", "constant", "ones"] {
            let dist: Distribution = dist.parse().unwrap_or_default();
            let runs = Runs::new(dist, 3, N);
            for width in [1, 7, 512, N, 2 * N] {
                assert_eq!(made(&runs, width), true_runs(dist, width as usize), "{dist} {width}");
            }
        }
    }

    #[test]
    fn runs_of_a_drawn_input_have_its_distribution() {
        for dist in ["uniform", "normal", "zipf:1.2", "few-unique:5"] {
            let dist: Distribution = dist.parse().unwrap_or_default();
            let runs = Runs::new(dist, 3, N);
            for width in [1000, N] {
                let (mut made, mut input) = (made(&runs, width), true_runs(dist, N as usize));
                assert!(made.chunks(width as usize).all(<[u32]>::is_sorted), "{dist} {width}");
                made.sort_unstable();
                input.dedup();
                // Kolmogorov and Smirnov: 1.63 sqrt(2 / n) is exceeded once in a hundred.
                let sorted = true_runs(dist, N as usize);
                let below = |values: &[u32], it: u32| values.partition_point(|&v| v <= it) as f64;
                let gap = input.iter().map(|&it| (below(&made, it) - below(&sorted, it)).abs());
                let most = gap.fold(0.0, f64::max) / N as f64;
                assert!(most < 1.63 * (2.0 / N as f64).sqrt(), "{dist} {width}: {most}");
            }
        }
    }

    #[test]
    fn draws_scatter_as_independent_ones_do() {
        // The draws of a run of 4096 below its middle: 2048 ± 32.
        let runs = Runs::new(Distribution::Uniform, 1, 4096 * 1000);
        let deviations: Vec<f64> = (0..1000)
            .map(|run| {
                let below = (0..4096)
                    .collect::<Vec<u64>>()
                    .partition_point(|&index| runs.at(4096, run * 4096 + index) < 1 << 31);
                (below as f64 - 2048.0) / 32.0
            })
            .collect();
        let mean = deviations.iter().sum::<f64>() / 1000.0;
        let variance = deviations.iter().map(|it| it * it).sum::<f64>() / 1000.0;
        assert!(mean.abs() < 0.1 && (variance - 1.0).abs() < 0.15, "{mean} {variance}");
    }

    #[test]
    fn the_quick_elements_are_near_the_others() {
        let runs = Runs::new(Distribution::Uniform, 1, 1 << 28);
        for place in [0, 12_345_678, (1 << 27) - 1, 1 << 27, (1 << 28) - 1] {
            let gap = runs.at(1 << 27, place).abs_diff(runs.about(1 << 27, place));
            // 1 / sqrt(2^27) of the range is 2^18.5.
            assert!(gap < 1 << 21, "{place}: {gap}");
        }
    }

    proptest! {
        #[test]
        fn any_part_is_that_of_the_whole(
            width in 1_u64..3000,
            first in 0_u64..N,
            count in 1_usize..300,
            which in prop::sample::select(vec!["uniform", "zipf:0.8", "reversed", "few-unique:3"]),
        ) {
            let runs = Runs::new(which.parse().unwrap_or_default(), 9, N);
            let whole = made(&runs, width);
            let mut part = vec![0; count.min((N - first) as usize)];
            runs.fill(width, first, &mut part);
            prop_assert_eq!(&part, &whole[first as usize..first as usize + part.len()]);
            prop_assert_eq!(runs.at(width, first), part[0]);
            prop_assert!(runs.about(width, first) <= runs.about(width, first / width * width + width - 1));
        }
    }
}
