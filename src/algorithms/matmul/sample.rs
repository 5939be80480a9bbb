//! Samples of a matrix product.
//!
//! No count depends on a value, so zeros do. A block goes over all of `k`, and what it
//! counts is linear in `k`. Where `k` is long and a block computes a large tile, products
//! with two shorter `k` and fewer tiles are extrapolated.

use super::relay::Relay;
use super::variants::{ASYNC_RELAY, large_tile};
use super::{Matmul, shape};
use crate::algorithms::Algorithm;
use crate::algorithms::sampling::{part, weight};
use crate::experiment::{Case, ParamValue};
use crate::work::{Inputs, Sampling, Smaller, Term};

/// Tiles take a divisor of this at a time.
const STEP: u64 = 64;

/// The least `k` that is not taken as it is.
const LONG: u64 = 1024;

/// The two shorter `k` for blocks with such a tile, without the rest of the last [`STEP`]. Rows of 1,024
/// floats lie at places of their own, as longer ones do, so loads wait as long for them. The largest tiles
/// are copied ahead, and hardly wait.
fn short((rows, columns): (u64, u64)) -> [u64; 2] {
    if rows * columns > 128 * 128 { [128, 256] } else { [LONG, 2 * LONG] }
}

/// Most tiles in each direction.
const TILES: u64 = 5;

/// How a case is sampled.
pub(super) fn sampling(case: &Case) -> Sampling {
    let k = shape(case).k as u64;
    // Blocks of the other variants do little, and some find in L1 what a short `k` leaves
    // there and a long one does not.
    match large_tile(case) {
        Some(tile) if k >= LONG.max(short(tile)[1] + STEP) => {
            let case = case.clone();
            Sampling::Extrapolate(Box::new(move || shorter(&case, k, tile)))
        }
        _ => Sampling::Blocks(Inputs::new()),
    }
}

/// Two products of fewer rows and columns with a shorter `k`.
fn shorter(case: &Case, k: u64, tile: (u64, u64)) -> Vec<Smaller> {
    let lengths = short(tile).map(|length| length + k % STEP);
    let (m, n) = (part(shape(case).m as u64, tile.0, TILES), part(case.n, tile.1, TILES));
    let smaller = |length: u64| {
        let mut shorter = Case { n, ..case.clone() };
        for (name, extent) in [("m", m), ("k", length)] {
            shorter.params.insert(name.to_owned(), ParamValue::Int(extent));
        }
        let weight = weight(length, &lengths, k as f64);
        if case.variant == ASYNC_RELAY {
            return Relay::of(case).smaller(&shorter, weight);
        }
        let term = Term::new(0, 0, weight);
        vec![Smaller::new(Matmul.work(&shorter), Inputs::new(), vec![term])]
    };
    lengths.into_iter().flat_map(smaller).collect()
}
