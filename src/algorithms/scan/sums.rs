//! Sums on the CPU, and how far floats may lie from them.

use super::blocks::{self, Method};
use super::{blocks_for, lookback, per_block};
use crate::algorithms::compare::{UNIT_32, gamma};
use crate::experiment::Case;
use crate::work::HostBuffer;

/// Unit roundoff of 64-bit floats: half the distance from 1 to the next.
const UNIT_64: f64 = f64::EPSILON / 2.0;

/// The running sums, one value after the other: of integers modulo 2^32, of
/// floats in 64 bits.
pub(super) fn reference(values: &HostBuffer, exclusive: bool) -> HostBuffer {
    if let HostBuffer::F32(values) = values {
        let values = values.iter().map(|&value| f64::from(value));
        return HostBuffer::F64(running(values, 0.0, exclusive, |sum, value| sum + value));
    }
    let values = values.as_u32().unwrap_or_default().iter().copied();
    HostBuffer::U32(running(values, 0, exclusive, u32::wrapping_add))
}

fn running<T: Copy>(
    values: impl Iterator<Item = T>,
    zero: T,
    exclusive: bool,
    add: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut sum = zero;
    values
        .map(|value| {
            let before = sum;
            sum = add(sum, value);
            if exclusive { before } else { sum }
        })
        .collect()
}

/// The host stage between the blocks' scan and the addition: what lies before
/// each block. Floats are summed in 64 bits and rounded once.
pub(super) fn exclusive_totals(totals: &HostBuffer, _args: &[u64]) -> HostBuffer {
    match reference(totals, true) {
        HostBuffer::F64(sums) => HostBuffer::F32(sums.iter().map(|&sum| sum as f32).collect()),
        sums => sums,
    }
}

/// How far a 32-bit sum may lie from the 64-bit reference, relative to the sum
/// of magnitudes: N. J. Higham, *Accuracy and Stability of Numerical
/// Algorithms*, 2nd edition, section 4.2, where no value passes through more
/// than [`additions`] of them. The reference itself is a sum of up to `n` terms
/// with the unit roundoff of 64 bits.
pub(super) fn error_bound(case: &Case) -> f64 {
    gamma(additions(case) as f64, UNIT_32) + gamma(case.n as f64, UNIT_64)
}

/// Most additions that a value passes through on its way into a sum. Adding 0
/// rounds nothing and is not counted.
pub(super) fn additions(case: &Case) -> u64 {
    if let Some(method) = lookback::Method::of(&case.variant) {
        return additions_looking_back(method, case);
    }
    let levels = blocks::levels(case);
    let of_level = |&(n, per_block): &(u64, u32)| match Method::of(case) {
        // log2 steps within a tile; the carry of a block grows tile by tile, and
        // is added to what lies after it.
        Method::HillisSteele => {
            let tiles = n.min(u64::from(per_block)).div_ceil(u64::from(case.block)).max(1);
            log2(u64::from(case.block)) + tiles
        }
        // Up the tree and down again.
        Method::Blelloch { .. } => 2 * log2(blocks::leaves(per_block)),
    };
    // On its way into the sums of later blocks a value passes through the levels
    // one by one, and is added back once for each.
    if blocks::totals_on_cpu(case) {
        let rounding = 1;
        return levels.first().map_or(0, of_level) + rounding + 1;
    }
    levels.iter().map(|level| of_level(level) + 1).sum()
}

/// In its tile a value is added to the neighbours of its lane (on its way into their
/// sum, and once more on the way from it), the lanes of its warp in five steps,
/// the rounds, and the totals of other warps. Looking back, a prefix that skips
/// m tiles passes through at most m additions on the way to the next prefix:
/// log2 of the window's size, which is at most m - 1, or one for each window
/// left behind, and one for the tile's own total.
///
/// Blocks that stay add twice for each of their tiles: the totals between two of them,
/// and the own total. A lane's neighbours are then all of its values.
fn additions_looking_back(method: lookback::Method, case: &Case) -> u64 {
    use lookback::Method::{Ahead, Registers, Shared};
    let warps = u64::from(case.block.div_ceil(32));
    let tiles = u64::from(blocks_for(case.n, per_block(case)));
    let width = match method {
        Shared => lookback::width(case),
        Registers => 4,
        Ahead => case.coarsen,
    };
    let rounds = u64::from(case.coarsen / width);
    let links = if method == Ahead { 2 * tiles + 5 } else { tiles };
    2 * u64::from(width) + 5 + rounds + 2 * warps + links
}

/// The logarithm to base 2, rounded up.
fn log2(count: u64) -> u64 {
    u64::from(count.max(1).next_power_of_two().ilog2())
}

/// Puts back the multiples of 2^32 that sums of integers have lost, so that they
/// rise as they would without a limit: each value is below 2^32, so a sum that is
/// lower than the one before it has lost one more. Tells whether any had.
pub(super) fn put_back_wraps(sums: &mut [f64]) -> bool {
    const WRAP: f64 = 4_294_967_296.0;
    let (mut lost, mut before) = (0.0, 0.0);
    for sum in sums {
        if *sum < before {
            lost += WRAP;
        }
        before = *sum;
        *sum += lost;
    }
    lost > 0.0
}
