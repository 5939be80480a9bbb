//! Scan: the running sums of the input.

use super::spec::{module, recording};
use super::{
    Algorithm, Contract, Defaults, Mismatch, Param, Size, Spec, Traffic, Variant, compare, inputs,
};
use crate::experiment::{Case, Distribution};
use crate::units::MOST_ELEMENTS;
use crate::work::{Curve, Element, HostBuffer, Inputs, Module, Sampling, View, Work};
use inputs::element;

mod blocks;
mod contract;
mod lookback;
mod sums;
#[cfg(test)]
mod tests;

/// The scan.
///
/// Input: `n` values of 32 bits. Output: `n` sums. Sum `i` adds the values before value
/// `i`, with or without value `i`. Integers wrap around.
#[derive(Debug)]
pub struct Scan;

static SPEC: Spec = Spec {
    name: "scan",
    summary: "running sums of the values (prefix sums)",
    variants: &[
        Variant::new(
            "hillis-steele+totals=cpu",
            "n log n additions in few steps, two buffers; block totals on the CPU",
        )
        .idea("n log n additions in few steps")
        .short("hillis/cpu"),
        Variant::new(
            "hillis-steele+totals=gpu",
            "the same, with the block totals scanned by the same kernel",
        )
        .idea("block totals on the GPU")
        .short("hillis/gpu"),
        Variant::new(
            "blelloch+totals=gpu",
            "2n additions up and down a tree, whose accesses meet in few banks",
        )
        .idea("2n additions on a tree")
        .short("blelloch"),
        Variant::new(
            "blelloch-padded+totals=gpu",
            "the same tree with unused words that spread it over all banks",
        )
        .idea("padding against bank conflicts")
        .short("blelloch-padded"),
        Variant::new(
            LOOKBACK,
            "a single pass: each block looks back at what earlier ones published",
        )
        .idea("a single pass that looks back")
        .short("lookback"),
        Variant::new(REGISTERS, "the same with the tile in registers instead of shared memory")
            .idea("the tile in registers")
            .short("registers"),
        Variant::new(
            AHEAD,
            "blocks that take many tiles, with bulk copies that run ahead of the look-back",
        )
        .idea("bulk copies ahead of the look-back")
        .short("ahead"),
    ],
    params: &[
        Param::word("sums", "whether sum i takes value i in", &["inclusive", "exclusive"]),
        inputs::DTYPE,
    ],
    options: &[],
    size: Size { noun: "values", most: MOST_ELEMENTS },
    defaults: Defaults { sizes: (1 << 10, 1 << 18), block: 256, coarsen: 4 },
    distributions: &Distribution::ALL,
    module: module!("scan"),
    recording: recording!("scan"),
};

/// Index of the input in [`Work::buffers`].
const VALUES: usize = 0;

/// Index of the output in [`Work::buffers`].
const SUMS: usize = 1;

/// The first single-pass variant; those before it scan blocks, then totals, then add back.
const LOOKBACK: &str = "decoupled-lookback";

/// The same with the tile in registers; best are blocks of 256 to 1024 threads with 32 values
/// each: 3,000 GB/s on an H200.
const REGISTERS: &str = "lookback-registers";

/// The same with bulk copies; best are 256 threads with 20 values each: 4,140 GB/s on an
/// H200.
const AHEAD: &str = "lookback-ahead";

/// What kernels of an element type end in.
fn suffix(element: Element) -> &'static str {
    if element == Element::F32 { "f32" } else { "u32" }
}

/// Whether sum `i` leaves value `i` out.
fn exclusive(case: &Case) -> bool {
    case.word("sums") == Some("exclusive")
}

/// Elements that one block scans; more than there are make no difference.
fn per_block(case: &Case) -> u32 {
    let product = u64::from(case.block) * u64::from(case.coarsen);
    product.min(1 << 31) as u32
}

/// Blocks that `n` elements take.
fn blocks_for(n: u64, per_block: u32) -> u32 {
    n.div_ceil(u64::from(per_block.max(1))).max(1) as u32
}

impl Algorithm for Scan {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn module(&self, variant: &str) -> Module {
        lookback::Method::of(variant).map_or(SPEC.module, lookback::Method::module)
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        lookback::Method::of(&case.variant)?.obstacle(case)
    }

    fn work(&self, case: &Case) -> Work {
        match lookback::Method::of(&case.variant) {
            Some(method) => method.work(case),
            None => blocks::work(case),
        }
    }

    fn sampling(&self, case: &Case) -> Sampling {
        let Some(method) = lookback::Method::of(&case.variant) else {
            return Sampling::Blocks(Inputs::new());
        };
        let case = case.clone();
        Sampling::Extrapolate(Box::new(move || method.smaller(&case)))
    }

    fn input_key(&self, case: &Case) -> String {
        inputs::key(case)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        inputs::of_dtype(case)
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        inputs.iter().map(|values| sums::reference(values, exclusive(case))).collect()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![SUMS]
    }

    fn verify(
        &self,
        case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let ([HostBuffer::F64(expected)], [sums]) = (reference, outputs) else {
            return compare::exactly(reference, outputs);
        };
        // No value is negative, so each sum is also the sum of magnitudes that
        // the bound is relative to.
        let relative = sums::error_bound(case);
        compare::within(&reference[0], sums, |index| {
            relative * expected.get(index).copied().unwrap_or_default()
        })
    }

    fn traffic(&self, case: &Case) -> Traffic {
        let flops = if element(case) == Element::F32 { case.n } else { 0 };
        Traffic { bytes: 8 * case.n, flops }
    }

    fn view(&self, case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let mut sums = outputs.first()?.to_f64();
        if sums.is_empty() {
            return None;
        }
        let exclusive = exclusive(case);
        let kind = if exclusive { "exclusive prefix sum" } else { "inclusive prefix sum" };
        let wraps =
            matches!(outputs.first()?, HostBuffer::U32(_)) && sums::put_back_wraps(&mut sums);
        let label = format!("{kind}{}", if wraps { " (without 32-bit wrap-around)" } else { "" });
        // What lies before a block is its first exclusive sum, or the inclusive
        // sum just before it.
        let before = |first: usize| match (exclusive, first) {
            (true, _) => sums.get(first).copied().unwrap_or_default(),
            (false, 0) => 0.0,
            (false, _) => sums.get(first - 1).copied().unwrap_or_default(),
        };
        let per_block = per_block(case);
        let blocks = blocks_for(sums.len() as u64, per_block) as usize;
        let offsets = (0..blocks).map(|block| before(block * per_block as usize));
        let curve = Curve::of(&label, sums.iter().copied());
        Some(View::Curve(curve.with_blocks(u64::from(per_block), offsets)))
    }
}
