//! Samples of a distance histogram. With many atoms, even a single block takes the
//! emulator seconds, so that smaller cases are extrapolated.
//!
//! In each of its rounds, a thread reads all atoms after its anchor. The counts of a
//! block are therefore a polynomial in the atoms and in the rounds, linear in each: one
//! term for every pair, one for every round, one for the block. Two numbers of atoms
//! determine it, and two numbers of rounds where there is more than one round.
//!
//! The cost of a pair depends on the positions of atoms and of their neighbours in the
//! input, which the lanes of a warp read together. The atoms of a smaller case are
//! stretches of the larger input, spread over it: neighbours stay neighbours.

use std::sync::Arc;

use super::{DistanceHistogram, buckets, coordinate, width};
use crate::algorithms::{Algorithm, sampling};
use crate::experiment::{Case, Distribution};
use crate::work::{HostBuffer, Inputs, Smaller, Term};

/// Fewest atoms of a smaller case.
const FEW_ATOMS: u64 = 2048;

/// The same where there are two numbers of rounds.
const FEWER_ATOMS: u64 = 1024;

/// Most atoms of the smaller of two cases. Their pairs take the emulator a second.
const MOST_ATOMS: u64 = 4096;

/// Fewest atoms of a stretch. Lanes rarely read atoms of two stretches.
const STRETCH: u64 = 512;

/// Pairs of a block for each private bucket. Then nearly all buckets count something, and
/// merging them costs the same for any number of atoms.
const PAIRS_PER_BUCKET: u64 = 64;

/// The smaller cases; none where blocks of the case itself can run.
pub(super) fn smaller(case: &Case) -> Option<Vec<Smaller>> {
    // Blocks that take a chunk of the atoms are short.
    if super::chunked(&case.variant) {
        return None;
    }
    let (block, rounds) = (u64::from(case.block), u64::from(case.coarsen));
    let blocks = u64::from(crate::algorithms::grid(case, case.n).x);
    let even = case.n.is_multiple_of(block * rounds);
    let choices = if rounds == 1 && even { vec![1] } else { vec![1, 2] };
    let unit = block * choices.iter().max()?;
    let private = case.variant != "global";
    let merged = if private { u64::from(buckets(width(case))) } else { 0 };
    let least = if choices.len() > 1 { FEWER_ATOMS } else { FEW_ATOMS };
    let wanted = (2 * PAIRS_PER_BUCKET * merged / block).max(least);
    if wanted > MOST_ATOMS || in_order(case) {
        return None;
    }
    let few = wanted.next_multiple_of(unit);
    let sizes = [few, 2 * few];
    if 2 * sizes[1] > case.n {
        return None;
    }
    // Rounds of a block on average, and of the first ones.
    let mean = case.n as f64 / (block * blocks) as f64;
    let most = case.n.div_ceil(block * blocks) as f64;
    let mut smaller = Vec::new();
    for &n in &sizes {
        for &coarsen in &choices {
            let of_atoms = sampling::weight(n, &sizes, case.n as f64);
            let mean = of_atoms * sampling::weight(coarsen, &choices, mean);
            let longest = of_atoms * sampling::weight(coarsen, &choices, most);
            // Private buckets are merged once, and then nearly all of them are.
            let largest = n == sizes[1] && Some(&coarsen) == choices.last();
            let atomics = if private { f64::from(u8::from(largest)) } else { mean };
            let less = Case { coarsen: coarsen as u32, n, ..case.clone() };
            let term = Term { mean, longest, atomics, ..Term::new(0, 0, 0.0) };
            smaller.push(Smaller::new(DistanceHistogram.work(&less), atoms(case, n), vec![term]));
        }
    }
    Some(smaller)
}

/// Whether the input is ordered. Then the lanes of a warp all count in the same bucket,
/// which changes with the distance. Stretches would lose both.
fn in_order(case: &Case) -> bool {
    matches!(case.dist, Distribution::Sorted | Distribution::Reversed | Distribution::Iota)
}

/// `n` of the case's atoms, in stretches.
fn atoms(case: &Case, n: u64) -> Inputs {
    let block = u64::from(case.block);
    let stretch = (STRETCH / block).max(1) * block;
    let axis = |axis: u64| {
        let words = sampling::stretches(case, super::seed(case, axis), n, stretch);
        let values = words.into_iter().map(|word| coordinate(case.dist, word)).collect();
        Arc::new(HostBuffer::F32(values))
    };
    (0..3).map(axis).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::tests;

    fn case(n: u64, block: u32, coarsen: u32, width: u64) -> Case {
        let (shape, width) = ([n, block.into(), coarsen.into()], width.to_string());
        tests::case(&DistanceHistogram, "privatised", shape, &[("width", &width)])
    }

    #[test]
    fn weights_give_every_polynomial_of_their_degree() {
        for (block, coarsen, n) in [(128, 1, 1 << 19), (96, 8, 500_000), (1024, 64, 1 << 19)] {
            let case = case(n, block, coarsen, 500);
            let smaller = smaller(&case).unwrap_or_default();
            assert!(smaller.len() >= 2, "{block} {coarsen} {n}");
            let rounds = n as f64 / f64::from(block) / grid_of(&case);
            let value = |atoms: f64, rounds: f64| 5.0 + rounds * (7.0 + 3.0 * atoms);
            let mut sum = 0.0;
            for it in &smaller {
                let atoms = (it.work.buffers[0].bytes() / 4) as f64;
                let blocks = f64::from(it.work.launches().next().map_or(0, |it| it.grid.x));
                sum += it.terms[0].mean * value(atoms, atoms / f64::from(block) / blocks);
            }
            let expected = value(n as f64, rounds);
            assert!((sum / expected - 1.0).abs() < 1e-9, "{block} {coarsen} {n}: {sum}");
        }
    }

    fn grid_of(case: &Case) -> f64 {
        f64::from(crate::algorithms::grid(case, case.n).x)
    }

    #[test]
    fn few_atoms_and_many_buckets_run_themselves() {
        assert!(smaller(&case(1 << 12, 128, 1, 500)).is_none());
        assert!(smaller(&case(1 << 19, 128, 1, 1)).is_none());
        assert!(smaller(&case(1 << 14, 128, 1, 500)).is_some());
    }

    #[test]
    fn neighbours_stay_neighbours() {
        let case = Case { dist: Distribution::Sorted, ..case(1 << 19, 128, 1, 500) };
        assert!(smaller(&case).is_none());
        let all = DistanceHistogram.inputs(&case);
        let some = atoms(&case, 4096);
        for (all, some) in all.iter().zip(&some) {
            let (all, some) = (all.as_f32().unwrap_or_default(), some.as_f32().unwrap_or_default());
            assert_eq!(some.len(), 4096);
            for (index, stretch) in some.chunks(512).enumerate() {
                let share = &all[index << 16..(index + 1) << 16];
                assert!(share.chunks(512).any(|it| it == stretch), "{index}");
            }
        }
    }
}
