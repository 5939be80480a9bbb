//! Histogram: count how many input values fall into each bin.

use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{Algorithm, Contract, Defaults, Param, Size, Spec, Traffic, Variant, sampling};
use crate::experiment::{Case, Distribution};
use crate::units::MOST_ELEMENTS;
use crate::work::{
    Arg, Bins, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Sampling, Smaller, View,
    Work,
};

mod contention;
mod contract;
#[cfg(test)]
mod tests;

/// The histogram.
///
/// Input: `n` 32-bit values. Output: one 32-bit count per bin. All variants
/// take a grid of `max(1, ceil(n / (block * coarsen)))` blocks; all but `global`
/// take 4 bytes of dynamic shared memory per bin.
#[derive(Debug)]
pub struct Histogram;

static SPEC: Spec = Spec {
    name: "histogram",
    summary: "counts how many values fall into each bin",
    variants: &[
        Variant::new("global", "one global atomic per value; all blocks meet in the L2 cache")
            .idea("one global atomic per value"),
        Variant::new("shared", "private bins per block in shared memory, merged at the end")
            .idea("private bins in shared memory"),
        Variant::new(WIDE, "the same with 128-bit loads, four of them in flight per thread")
            .idea("128-bit loads, four in flight"),
    ],
    params: &[
        Param {
            spreads_atomics: true,
            ..Param::int(
                "bins",
                "number of bins",
                (2, 65_536),
                8,
                &[2, 7, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536],
            )
        },
        Param::word(
            "binning",
            "how a value finds its bin: remainder, or position in the 32-bit range",
            &["modulo", "range"],
        ),
    ],
    options: &["bins"],
    size: Size { noun: "elements", most: MOST_ELEMENTS },
    defaults: Defaults { sizes: (1 << 10, 1 << 22), block: 128, coarsen: 4 },
    distributions: &Distribution::ALL,
    module: module!("histogram"),
    recording: recording!("histogram"),
};

/// Wide loads; best are 1024 threads with a coarsening that gives each multiprocessor two
/// blocks: 993 for 2^28 values on an H200, 4,200 GB/s.
const WIDE: &str = "shared-wide";

/// The kernels of [`WIDE`].
const WIDE_MODULE: Module = module!("histogram_wide");

/// Index of the input in [`Work::buffers`].
const VALUES: usize = 0;

/// Index of the output in [`Work::buffers`].
const BINS: usize = 1;

/// How a value selects its bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binning {
    /// The remainder by the number of bins.
    Modulo,
    /// The position in the range of 32-bit values, cut into equal parts.
    Range,
}

impl Binning {
    fn of(case: &Case) -> Self {
        if case.word("binning") == Some("range") { Self::Range } else { Self::Modulo }
    }

    /// The bin of `value` among `bins`, which is at least 1.
    pub fn bin(self, value: u32, bins: u32) -> u32 {
        match self {
            Self::Modulo => value % bins,
            Self::Range => ((u64::from(value) * u64::from(bins)) >> 32) as u32,
        }
    }
}

/// Counts `values` into bins, in the plainest way that uses all cores.
pub fn count(values: &[u32], bins: u32, binning: Binning) -> Vec<u32> {
    /// Values that one task counts; the merge costs far less than counting them.
    const CHUNK: usize = 1 << 20;
    values
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut counts = vec![0u32; bins as usize];
            for &value in chunk {
                counts[binning.bin(value, bins) as usize] += 1;
            }
            counts
        })
        .reduce(
            || vec![0; bins as usize],
            |mut sum, counts| {
                for (sum, count) in sum.iter_mut().zip(counts) {
                    *sum += count;
                }
                sum
            },
        )
}

/// Number of bins of a case.
fn bins(case: &Case) -> u32 {
    case.int("bins").map_or(8, |bins| bins as u32)
}

impl Algorithm for Histogram {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn module(&self, variant: &str) -> Module {
        if variant == WIDE { WIDE_MODULE } else { SPEC.module }
    }

    fn work(&self, case: &Case) -> Work {
        let (bins, binning) = (bins(case), case.word("binning").unwrap_or("modulo"));
        let launch = Launch {
            phase: "count",
            kernel: format!("histogram_{}_{binning}", case.variant.replace('-', "_")),
            grid: super::grid(case, case.n),
            block: Dim3::linear(case.block),
            shared_bytes: if case.variant == "global" { 0 } else { bins * 4 },
            args: vec![
                Arg::Buffer(VALUES),
                Arg::U32(case.n as u32),
                Arg::Buffer(BINS),
                Arg::U32(bins),
            ],
        };
        let buffers = vec![
            Buffer::input("values", 0, Element::U32, case.n),
            Buffer::zeroed("bins", Element::U32, bins as usize),
        ];
        Work::of_launches(self.module(&case.variant), buffers, [launch])
    }

    fn sampling(&self, case: &Case) -> Sampling {
        let case = case.clone();
        Sampling::Extrapolate(Box::new(move || vec![smaller(&case)]))
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let values = inputs.first().and_then(|values| values.as_u32()).unwrap_or_default();
        vec![HostBuffer::U32(count(values, bins(case), Binning::of(case)))]
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![BINS]
    }

    fn traffic(&self, case: &Case) -> Traffic {
        Traffic { bytes: 4 * case.n + 4 * u64::from(bins(case)), flops: 0 }
    }

    fn view(&self, _case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let counts = outputs.first()?.as_u32().filter(|counts| !counts.is_empty())?;
        Some(View::Bins(view(counts)))
    }
}

/// A smaller case whose blocks count as many values each.
fn smaller(case: &Case) -> Smaller {
    let block = u64::from(case.block);
    let n = sampling::fewer(case.n, block * u64::from(case.coarsen), 0);
    let values = sampling::stretches(case, case.seed, n, block);
    let work = Histogram.work(&Case { n, ..case.clone() });
    Smaller::itself(work, vec![Arc::new(HostBuffer::U32(values))])
}

/// The counts, and the lanes of a warp that add to the same bin.
fn view(counts: &[u32]) -> Bins {
    let bins = Bins::of(counts.iter().map(|&count| u64::from(count)));
    let lanes = contention::most_popular(counts, bins.total);
    bins.with_lanes(lanes)
}
