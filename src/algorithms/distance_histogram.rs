//! Distance histogram: how many pairs of atoms lie how far apart.

use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{
    Algorithm, Contract, Defaults, Mismatch, Param, Size, Spec, Traffic, Variant, compare, inputs,
};
use crate::experiment::{Case, Distribution};
use crate::work::{
    Arg, Bins, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Sampling, View, Work,
};

mod contract;
mod pairs;
mod sample;
#[cfg(test)]
mod tests;

/// The two-body statistics.
///
/// Inputs: the coordinates x, y and z of `n` atoms in a box of edge `BOX`.
/// Output: for each bucket of distances the number of pairs, in 64 bits.
///
/// Every pair is also computed with 64 bits, up to the largest size: half a
/// minute for 512,000 atoms on 16 cores, once for all variants. The total has
/// to be exactly n (n - 1) / 2. A pair whose distance with 64 bits is so close
/// to an edge between two buckets that 32 bits may take it to the other side
/// (`distance_histogram/pairs.rs` says how close) counts for either; so the
/// number of pairs below each edge may differ by as many as lie that close to
/// it, and by no more.
#[derive(Debug)]
pub struct DistanceHistogram;

static SPEC: Spec = Spec {
    name: "distance-histogram",
    summary: "counts how many pairs of atoms lie how far apart",
    variants: &[
        Variant::new("global", "one global atomic per pair; all blocks meet in the L2 cache")
            .idea("one global atomic per pair"),
        Variant::new("privatised", "private buckets per block in shared memory, merged at the end")
            .idea("private buckets in shared memory")
            .short("private"),
        Variant::new(
            "tiled-privatised",
            "also, the other atoms come through tiles in shared memory",
        )
        .idea("tiles of atoms in shared memory")
        .short("tiled"),
        Variant::new(
            "shuffle-tiled",
            "private buckets; tiles lie in a warp's registers, handed on by shuffles",
        )
        .idea("tiles in registers, shuffled")
        .short("shuffle"),
        Variant::new(
            "register-tiled",
            "several anchors per thread in registers; a block pairs them with a chunk of the atoms",
        )
        .idea("several anchors per thread, chunks")
        .short("register"),
        Variant::new(
            "approximate-root",
            "the same with the fast square root, and the bucket from a sum rounded down",
        )
        .idea("a root in one instruction")
        .short("fast-root"),
    ],
    params: &[
        Param::int(
            "width",
            "width of a bucket, in a box of edge 23,000",
            (1, BOX),
            500,
            &[5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
        ),
        Param::int(
            "copies",
            "copies of a block's private buckets, which its lanes share out",
            (1, MOST_COPIES),
            1,
            &[1, 2, 4, 8, 16, 32],
        ),
    ],
    options: &[],
    size: Size { noun: "atoms", most: MOST },
    defaults: Defaults { sizes: (128, 2048), block: 128, coarsen: 1 },
    distributions: &Distribution::ALL,
    module: module!("distance_histogram"),
    recording: recording!("distance_histogram"),
};

/// Edge of the box that the atoms lie in.
const BOX: u64 = 23_000;

/// Most atoms: 137 billion pairs.
const MOST: u64 = 1 << 19;

/// Copies of each private bucket that a block can have: one per lane.
const MOST_COPIES: u64 = 32;

/// The kernels of the variants with several anchors per thread.
const HELD_MODULE: Module = module!("distance_histogram_held");

/// How many anchors a thread of the variants with registers can hold: a kernel for each.
const HELD: [u32; 4] = [1, 2, 4, 8];

/// Atoms that a block of these variants pairs its anchors with.
const CHUNK: u32 = 2048;

/// Whether threads hold several anchors, and blocks take a chunk of the other atoms.
fn chunked(variant: &str) -> bool {
    matches!(variant, "register-tiled" | "approximate-root")
}

/// Floating-point operations per pair: three differences, three squares, two
/// additions, a root and the division by the width.
const OPERATIONS: u64 = 10;

/// Index of the output in [`Work::buffers`], behind x, y and z.
const COUNTS: usize = 3;

/// Width of a bucket.
fn width(case: &Case) -> u32 {
    case.int("width").map_or(500, |width| width as u32).max(1)
}

/// Copies of each private bucket.
fn copies(case: &Case) -> u32 {
    case.int("copies").map_or(1, |copies| copies as u32).max(1)
}

/// Buckets of this width from 0 to past the diagonal of the box.
fn buckets(width: u32) -> u32 {
    let diagonal = 3f64.sqrt() * BOX as f64;
    (diagonal / f64::from(width)).ceil() as u32 + 1
}

/// Pairs of `n` atoms.
fn pair_count(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// One coordinate of an atom. The distributions that count keep their numbers (42, 1,
/// and the index modulo the box), so that all atoms are in one place, or on the
/// diagonal; the others are spread over the box: the upper 24 bits of a word as a
/// fraction of its edge.
fn coordinate(dist: Distribution, word: u32) -> f32 {
    match dist {
        Distribution::Constant | Distribution::Ones => word as f32,
        Distribution::Iota => (word % BOX as u32) as f32,
        _ => (word >> 8) as f32 * (BOX as f32 / (1 << 24) as f32),
    }
}

/// One coordinate of all atoms.
fn coordinates(dist: Distribution, seed: u64, n: usize) -> Vec<f32> {
    let words = inputs::generate(dist, seed, n);
    words.into_par_iter().map(|word| coordinate(dist, word)).collect()
}

/// A seed of its own for each axis.
fn seed(case: &Case, axis: u64) -> u64 {
    case.seed ^ axis << 62
}

impl Algorithm for DistanceHistogram {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn module(&self, variant: &str) -> Module {
        if chunked(variant) { HELD_MODULE } else { SPEC.module }
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        let copies = copies(case);
        if case.variant == "global" && copies > 1 {
            return Some("`global` has no private buckets to copy: `copies` can only be 1".into());
        }
        if !copies.is_power_of_two() {
            return Some(format!("`copies` has to be a power of two (1, 2, 4, …), not {copies}"));
        }
        chunked(&case.variant).then(|| super::held("anchors", case, &HELD)).flatten()
    }

    fn work(&self, case: &Case) -> Work {
        let (width, copies) = (width(case), copies(case));
        let buckets = buckets(width);
        let counters = 4 * buckets * copies;
        let mut kernel = format!("distance_histogram_{}", case.variant.replace('-', "_"));
        let mut grid = super::grid(case, case.n);
        let mut chunk = None;
        if chunked(&case.variant) {
            kernel = format!("{kernel}_{}", case.coarsen);
            grid.y = (case.n as u32).div_ceil(CHUNK).max(1);
            chunk = Some(Arg::U32(CHUNK));
        }
        let launch = Launch {
            phase: "count",
            kernel,
            grid,
            block: Dim3::linear(case.block),
            shared_bytes: match case.variant.as_str() {
                "global" => 0,
                // A tile of one atom per thread, four floats each.
                "tiled-privatised" | "register-tiled" | "approximate-root" => {
                    16 * case.block + counters
                }
                _ => counters,
            },
            args: vec![
                Arg::Buffer(0),
                Arg::Buffer(1),
                Arg::Buffer(2),
                Arg::U32(case.n as u32),
                Arg::Buffer(COUNTS),
                Arg::U32(buckets),
                Arg::F32(1.0 / width as f32),
                Arg::U32(copies),
            ]
            .into_iter()
            .chain(chunk)
            .collect(),
        };
        let buffers = vec![
            Buffer::input("x", 0, Element::F32, case.n),
            Buffer::input("y", 1, Element::F32, case.n),
            Buffer::input("z", 2, Element::F32, case.n),
            Buffer::zeroed("counts", Element::U64, buckets as usize),
        ];
        Work::of_launches(self.module(&case.variant), buffers, [launch])
    }

    fn sampling(&self, case: &Case) -> Sampling {
        match sample::smaller(case) {
            Some(_) => {
                let case = case.clone();
                let smaller = move || sample::smaller(&case).unwrap_or_default();
                Sampling::Extrapolate(Box::new(smaller))
            }
            None => Sampling::Blocks(self.inputs(case)),
        }
    }

    fn input_key(&self, case: &Case) -> String {
        format!("atoms {} seed={} n={}", case.dist, case.seed, case.n)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        (0..3)
            .map(|axis| coordinates(case.dist, seed(case, axis), case.n as usize))
            .map(|values| Arc::new(HostBuffer::F32(values)))
            .collect()
    }

    fn reference_key(&self, case: &Case) -> String {
        format!("pairs of {} in buckets of {}", self.input_key(case), width(case))
    }

    /// The counts, and how many pairs may be on either side of each edge.
    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let axis = |index: usize| inputs.get(index).and_then(|it| it.as_f32()).unwrap_or_default();
        let width = width(case);
        let counted = pairs::count([axis(0), axis(1), axis(2)], width, buckets(width) as usize);
        vec![HostBuffer::U64(counted.counts), HostBuffer::U64(counted.near_edge)]
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![COUNTS]
    }

    fn verify(
        &self,
        _case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let counts = |buffers: &'_ [HostBuffer], index: usize| {
            buffers.get(index).and_then(HostBuffer::as_u64).unwrap_or_default().to_vec()
        };
        let (expected, near_edge) = (counts(reference, 0), counts(reference, 1));
        let got = counts(outputs, 0);
        if got.len() != expected.len() {
            return compare::exactly(&reference[..1.min(reference.len())], outputs);
        }
        pairs::agree(&expected, &near_edge, &got)
    }

    fn traffic(&self, case: &Case) -> Traffic {
        Traffic {
            bytes: 12 * case.n + 8 * u64::from(buckets(width(case))),
            flops: OPERATIONS * pair_count(case.n),
        }
    }

    fn view(&self, case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let counts = outputs.first()?.as_u64()?;
        let bins = Bins::of(counts.iter().copied());
        Some(View::Bins(bins.counting("pairs").of_width(f64::from(width(case)))))
    }
}
