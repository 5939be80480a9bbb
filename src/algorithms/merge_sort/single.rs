//! Smaller cases that stand for the merging by a single block, in which at last one
//! thread merges all keys.
//!
//! Every level moves all keys. As long as there are pairs of runs for all threads, a
//! level takes them as long as the one before; then fewer and fewer threads share the
//! keys out, always the same numbers of them. So what the block counts is linear in the
//! keys and in the levels with work for all threads: two numbers of each tell it for any.

use super::sample::sorted_runs;
use super::steps::{self, Method, Shape};
use crate::algorithms::sampling::weight;
use crate::experiment::Case;
use crate::work::{Sampling, StandIn};

/// Fewest keys of a smaller case.
const FEW_KEYS: u64 = 1 << 15;

/// Shortest runs of one.
const SHORT_RUN: u64 = 4;

/// Makes the smaller cases.
type Make = Box<dyn Fn() -> Vec<StandIn>>;

/// The index of the step in which a single block merges, and what stands for it; none
/// where there is no such step, or where it is short.
pub(super) fn stand_ins(case: &Case) -> Option<(usize, Make)> {
    let shape = Shape::of(case);
    if Method::of(case) != Method::InsertionPerThread || shape.grid < 2 {
        return None;
    }
    // Of many runs there are two smaller numbers, halved so often that the levels
    // with work for all threads are two, and one. Few stay as many.
    let threads = u64::from(case.block).next_power_of_two();
    let halved = (0..64_u32).find(|by| shape.grid >> by <= 8 * threads)?;
    let (halvings, ranks) =
        if halved == 0 { (vec![0], vec![1]) } else { (vec![halved + 1, halved], vec![1, 2]) };
    let rank = if halved == 0 { 1.0 } else { f64::from(halved + 2) };
    // The keys for runs of `run`, so that the last run and the last of each level's pairs
    // are as long beside the others as they are.
    let keys = |run: u64, halved: u32| (shape.n * run).div_ceil(shape.tile << halved);
    let short =
        (1..=FEW_KEYS).map(|times| SHORT_RUN * times).find(|&run| keys(run, halved) >= FEW_KEYS)?;
    let sizes = [keys(short, halved), keys(2 * short, halved)];
    if shape.n < 2 * sizes[1] {
        return None;
    }
    let step = steps::work(case).steps.len() - 1;
    let (case, n) = (case.clone(), shape.n as f64);
    let make = move || {
        let mut stand_ins = Vec::new();
        for (&keys, times) in sizes.iter().zip([1, 2]) {
            for (&halvings, &at) in halvings.iter().zip(&ranks) {
                let run = (short * times) << (halvings - halved);
                let weight = weight(keys, &sizes, n) * weight(at, &ranks, rank);
                let work = steps::merge_runs(&case, keys, run);
                let sampling = Sampling::Blocks(sorted_runs(&case, keys, run));
                stand_ins.push(StandIn { cached: 16, ..StandIn::weighing(weight, work, sampling) });
            }
        }
        stand_ins
    };
    Some((step, Box::new(make)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Distribution;

    fn case(n: u64, block: u32, coarsen: u32) -> Case {
        Case {
            algorithm: "merge-sort".to_owned(),
            variant: "insertion-per-thread".to_owned(),
            block,
            coarsen,
            n,
            params: std::collections::BTreeMap::new(),
            dist: Distribution::Uniform,
            seed: 7,
        }
    }

    #[test]
    fn weights_give_what_is_linear_in_keys_and_levels() {
        for (n, block, coarsen) in [(1 << 24, 128, 8), (5_000_000, 96, 4), (1 << 24, 256, 1024)] {
            let case = case(n, block, coarsen);
            let (step, make) = stand_ins(&case).unwrap_or_else(|| panic!("{n} {block} {coarsen}"));
            assert_eq!(step, 2);
            let value = |keys: f64, levels: f64| 3.0 + keys * (2.0 + levels / 32.0);
            let sum: f64 = make()
                .iter()
                .map(|it| {
                    let keys = it.work.buffers[1].bytes() / 4;
                    let parts = match &it.sampling {
                        Sampling::Blocks(prepare) => prepare(0, 0),
                        _ => Vec::new(),
                    };
                    let sorted = parts[0].values.as_u32().unwrap_or_default();
                    let runs = 1 + sorted.windows(2).filter(|two| two[0] > two[1]).count();
                    it.mean * value(keys as f64, f64::from(Shape::levels(1, runs as u64)))
                })
                .sum();
            let expected = value(n as f64, f64::from(Shape::levels(1, Shape::of(&case).grid)));
            assert!((sum / expected - 1.0).abs() < 1e-3, "{n} {block} {coarsen}: {sum} {expected}");
        }
    }

    #[test]
    fn what_is_short_or_not_single_runs_itself() {
        assert!(stand_ins(&case(1 << 16, 128, 8)).is_none());
        let path = Case { variant: "merge-path".to_owned(), ..case(1 << 24, 128, 8) };
        assert!(stand_ins(&path).is_none());
    }
}
