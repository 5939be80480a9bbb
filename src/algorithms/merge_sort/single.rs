//! Smaller merges for the step in which a single block merges all runs.
//!
//! Every level moves all keys. Levels with a pair of runs for every thread cost the same.
//! In the levels after them, half as many threads have work each time, down to one. The
//! counts of the block are therefore linear in the keys and in the number of levels with
//! work for all threads: two numbers of each determine them.

use std::sync::Arc;

use super::steps::{self, Method, Shape};
use super::{with_payload, words_from};
use crate::algorithms::inputs;
use crate::algorithms::sampling::weight;
use crate::experiment::Case;
use crate::work::{Inputs, Smaller, Term};

/// Fewest keys of a smaller case.
const FEW_KEYS: u64 = 1 << 15;

/// Shortest runs of one.
const SHORT_RUN: u64 = 4;

/// The smaller merges of a case; none where no single block merges, or where it is short.
pub(super) fn smaller(case: &Case) -> Vec<Smaller> {
    let shape = Shape::of(case);
    if Method::of(case) != Method::InsertionPerThread || shape.grid < 2 {
        return Vec::new();
    }
    // Of many runs there are two smaller numbers, halved so often that the levels
    // with work for all threads are two, and one. Few stay as many.
    let threads = u64::from(case.block).next_power_of_two();
    let halved = (0..64_u32).find(|by| shape.grid >> by <= 8 * threads).unwrap_or(64);
    let (halvings, ranks) =
        if halved == 0 { (vec![0], vec![1]) } else { (vec![halved + 1, halved], vec![1, 2]) };
    let rank = if halved == 0 { 1.0 } else { f64::from(halved + 2) };
    // The keys for runs of `run`, so that the last run and the last of each level's pairs
    // are as long beside the others as they are.
    let keys = |run: u64, halved: u32| (shape.n * run).div_ceil(shape.tile << halved);
    let short = (1..FEW_KEYS).find(|&times| keys(SHORT_RUN * times, halved) >= FEW_KEYS);
    let short = SHORT_RUN * short.unwrap_or(FEW_KEYS);
    let sizes = [keys(short, halved), keys(2 * short, halved)];
    if shape.n < 2 * sizes[1] {
        return Vec::new();
    }
    let step = steps::work(case).steps.len() - 1;
    let mut smaller = Vec::new();
    for (&keys, times) in sizes.iter().zip([1, 2]) {
        for (&halvings, &at) in halvings.iter().zip(&ranks) {
            let run = (short * times) << (halvings - halved);
            let weight = weight(keys, &sizes, shape.n as f64) * weight(at, &ranks, rank);
            let terms = vec![Term::new(0, step, weight)];
            let (work, inputs) = (steps::merge_runs(case, keys, run), sorted_runs(case, keys, run));
            smaller.push(Smaller { cached: 16, ..Smaller::new(work, inputs, terms) });
        }
    }
    smaller
}

/// `n` words in sorted runs, as blocks leave them.
fn sorted_runs(case: &Case, n: u64, run: u64) -> Inputs {
    let mut keys = inputs::generate(case.dist, case.seed, n as usize);
    keys.chunks_mut(run as usize).for_each(<[u32]>::sort_unstable);
    vec![Arc::new(words_from(0, keys, with_payload(case)))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::merge_sort::MergeSort;

    fn case(n: u64, block: u32, coarsen: u32) -> Case {
        let shape = [n, block.into(), coarsen.into()];
        crate::algorithms::tests::case(&MergeSort, "insertion-per-thread", shape, &[])
    }

    #[test]
    fn weights_give_what_is_linear_in_keys_and_levels() {
        for (n, block, coarsen) in [(1 << 24, 128, 8), (5_000_000, 96, 4), (1 << 24, 256, 1024)] {
            let case = case(n, block, coarsen);
            let smaller = smaller(&case);
            assert!(smaller.iter().all(|it| it.terms[0].to == 2), "{n} {block} {coarsen}");
            let value = |keys: f64, levels: f64| 3.0 + keys * (2.0 + levels / 32.0);
            let sum: f64 = smaller
                .iter()
                .map(|it| {
                    let sorted = it.inputs[0].as_u32().unwrap_or_default();
                    let runs = 1 + sorted.windows(2).filter(|two| two[0] > two[1]).count();
                    let levels = f64::from(Shape::levels(1, runs as u64));
                    it.terms[0].mean * value(sorted.len() as f64, levels)
                })
                .sum();
            let expected = value(n as f64, f64::from(Shape::levels(1, Shape::of(&case).grid)));
            assert!((sum / expected - 1.0).abs() < 1e-3, "{n} {block} {coarsen}: {sum} {expected}");
        }
    }

    #[test]
    fn what_is_short_or_not_single_runs_itself() {
        assert!(smaller(&case(1 << 16, 128, 8)).is_empty());
        let path = Case { variant: "merge-path".to_owned(), ..case(1 << 24, 128, 8) };
        assert!(smaller(&path).is_empty());
    }
}
