//! Counts all pairs of atoms by their distance, with 64 bits, and says how far
//! the counts of a kernel, which has 32 bits, may be from that.
//!
//! The kernel computes `sqrt(dx dx + dy dy + dz dz) * (1 / width)`. With the unit
//! roundoff u = 2^-24, a difference is off by at most u of itself, so its square
//! by 2 u; the multiplication and the two fused additions to the sum of squares
//! add at most 3 u; the root halves these 5 u and adds u; 1 / width and the
//! product add u each. All terms are positive, so that nothing cancels: 5.5 u of
//! the quotient in all. (Each operation rounds correctly: IEEE 754; N. J. Higham,
//! *Accuracy and Stability of Numerical Algorithms*, section 2.2.)

use rayon::prelude::*;

use crate::algorithms::Mismatch;
use crate::algorithms::compare::UNIT_32;

/// How far a quotient of 32 bits may be off: 5.5 u, and some of the terms of
/// higher order and of the rounding with 64 bits, which are a millionth of that.
const ERROR: f64 = 6.0 * UNIT_32;

/// Distances that are computed together, which the compiler does several at a
/// time, before they are counted.
const TOGETHER: usize = 128;

/// What all pairs come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    /// Pairs in each bucket.
    pub counts: Vec<u64>,
    /// Pairs that may be on either side of the lower edge of each bucket.
    pub near_edge: Vec<u64>,
}

impl Counted {
    fn none(buckets: usize) -> Self {
        Self { counts: vec![0; buckets], near_edge: vec![0; buckets] }
    }

    fn add(mut self, other: &Self) -> Self {
        for (sum, count) in self.counts.iter_mut().zip(&other.counts) {
            *sum += count;
        }
        for (sum, count) in self.near_edge.iter_mut().zip(&other.near_edge) {
            *sum += count;
        }
        self
    }

    /// Counts a pair by its distance in bucket widths.
    fn take(&mut self, quotient: f64) {
        let bucket = quotient as usize;
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
        let edge = (quotient + 0.5) as usize;
        if (quotient - edge as f64).abs() <= ERROR * quotient
            // No distance is below 0.
            && edge > 0
            && let Some(near) = self.near_edge.get_mut(edge)
        {
            *near += 1;
        }
    }
}

/// Counts every pair of the atoms once.
pub(super) fn count(atoms: [&[f32]; 3], width: u32, buckets: usize) -> Counted {
    let per_width = 1.0 / f64::from(width);
    let n = atoms[0].len();
    let wide: [Vec<f64>; 3] = atoms.map(|axis| axis.iter().map(|&it| f64::from(it)).collect());
    let [x, y, z] = &wide;
    let with_all_after = |mut counted: Counted, i: usize| {
        let anchor = [x[i], y[i], z[i]];
        let mut quotients = [0.0f64; TOGETHER];
        for first in (i + 1..n).step_by(TOGETHER) {
            let end = n.min(first + TOGETHER);
            let others = x[first..end].iter().zip(&y[first..end]).zip(&z[first..end]);
            for (quotient, ((x, y), z)) in quotients.iter_mut().zip(others) {
                let [dx, dy, dz] = [anchor[0] - x, anchor[1] - y, anchor[2] - z];
                *quotient = (dx * dx + dy * dy + dz * dz).sqrt() * per_width;
            }
            for &quotient in &quotients[..end - first] {
                counted.take(quotient);
            }
        }
        counted
    };
    let none = || Counted::none(buckets);
    (0..n).into_par_iter().fold(none, with_all_after).reduce(none, |sum, part| sum.add(&part))
}

/// Whether the counts of a kernel can come from the pairs counted: the same
/// total, and below each edge no more pairs more or fewer than are near it.
/// Names the first bucket below whose upper edge there are too many or too few.
pub(super) fn agree(expected: &[u64], near_edge: &[u64], got: &[u64]) -> Result<(), Mismatch> {
    let (mut below, mut got_below) = (0u64, 0u64);
    let mut first = None;
    let mut differing = 0;
    for (bucket, (count, found)) in expected.iter().zip(got).enumerate() {
        below += count;
        // A wrong count can be anything.
        got_below = got_below.saturating_add(*found);
        // Above the last bucket there is no edge: the totals are the same.
        let tolerance = near_edge.get(bucket + 1).copied().unwrap_or(0);
        if below.abs_diff(got_below) > tolerance {
            differing += 1;
            first.get_or_insert((bucket, below, got_below, tolerance));
        }
    }
    let Some((bucket, below, got_below, tolerance)) = first else { return Ok(()) };
    Err(Mismatch {
        output: 0,
        index: bucket as u64,
        expected: format!("such that {below} ± {tolerance} pairs are in it and below"),
        got: format!("such that {got_below} are"),
        differing,
    })
}
