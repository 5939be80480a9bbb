//! Samples of a matrix product.
//!
//! Which values are multiplied changes nothing of how they are, so zeros do. A block
//! goes over all of `k`, and what it counts is linear in it: where that is long, and a
//! block computes a large tile, products of two shorter ones stand for it.

use super::{Matmul, shape};
use crate::algorithms::Algorithm;
use crate::algorithms::sampling::weight;
use crate::experiment::{Case, ParamValue};
use crate::work::{Sampling, StandIn};

/// Its tiles take a divisor of this at a time.
const STEP: u64 = 64;

/// The shorter `k`, but for what is left over of the last [`STEP`].
const SHORT: [u64; 2] = [128, 256];

/// How a case is sampled.
pub(super) fn sampling(case: &Case) -> Sampling {
    let k = shape(case).k as u64;
    // Blocks of the others do little enough, and some find in L1 what a short `k` leaves
    // there and a long one does not.
    if case.variant != "register-tiled" || k < 4 * SHORT[1] {
        return Sampling::blind();
    }
    let case = case.clone();
    Sampling::Smaller(Box::new(move |_| shorter(&case, k)), Box::new(Sampling::blind()))
}

/// The same product with two shorter `k`.
fn shorter(case: &Case, k: u64) -> Vec<StandIn> {
    let lengths = SHORT.map(|length| length + k % STEP);
    let stand_in = |length: u64| {
        let mut case = case.clone();
        // Of a square product, the rows stay as many as the columns.
        case.params.insert("k".to_owned(), ParamValue::Int(length));
        let weight = weight(length, &lengths, k as f64);
        StandIn::weighing(weight, Matmul.work(&case), Sampling::blind())
    };
    lengths.map(stand_in).into()
}
