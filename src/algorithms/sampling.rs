//! What algorithms need to be sampled: inputs of single blocks, and how much there is
//! to do in all.

use super::inputs::Generator;
use crate::experiment::Case;
use crate::work::{Dim3, HostBuffer, Inputs, Part, Prepare, Work};

/// Operations ([`super::Algorithm::operations`]) above which a case takes the emulator
/// more than a second or two.
pub const MANY_OPERATIONS: u64 = 1 << 26;

/// The values that blocks of step 0 read in a loop that strides over the grid:
/// block `b` those from `b` blocks on, then those a grid further, up to `n`.
pub(super) fn strided(case: &Case, buffer: usize, grid: Dim3) -> Prepare {
    let generator = Generator::new(case.dist, case.seed, case.n);
    let (n, block) = (case.n, u64::from(case.block));
    let stride = grid.count() * block;
    Box::new(move |step, index| {
        if step > 0 {
            return Vec::new();
        }
        let starts = (index * block..n).step_by(stride.max(1) as usize);
        let part = |first: u64| {
            let mut values = vec![0; block.min(n - first) as usize];
            generator.fill(first, &mut values);
            Part::new(buffer, first, HostBuffer::U32(values))
        };
        starts.map(part).collect()
    })
}

/// All of every input, where it is small beside what is done with it.
pub(super) fn whole(work: &Work, inputs: &Inputs) -> Prepare {
    let parts: Vec<Part> = (0..)
        .zip(&work.buffers)
        .filter_map(|(buffer, it)| {
            let values = it.given(inputs).ok().flatten()?.as_ref().clone();
            Some(Part::new(buffer, 0, values))
        })
        .collect();
    // The first block always runs, and runs first.
    Box::new(move |step, block| if (step, block) == (0, 0) { parts.clone() } else { Vec::new() })
}

/// Lagrange's weight of a polynomial's value at `of`, one of `all`, in that at `at`.
pub(super) fn weight(of: u64, all: &[u64], at: f64) -> f64 {
    let others = all.iter().filter(|&&other| other != of);
    others.map(|&other| (at - other as f64) / (of as f64 - other as f64)).product()
}
