//! Radix partition: move every key to the part that some of its bits name.

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    Algorithm, Defaults, Mismatch, Param, ParamKind, Size, Traffic, Variant, compare, inputs,
};
use crate::experiment::{Case, Sizes};
use crate::units::MOST_ELEMENTS;
use crate::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Sampling, Work};
use crate::work::{Partitions, View};

mod sample;
mod stages;
#[cfg(test)]
mod tests;

use stages::{Histogram, Reorder, Scan, Stages};

/// The radix partition.
///
/// Input: `n` 32-bit keys. Output: the keys, those of part 0 first, and where
/// each part begins. The part of a key stands in `bits` of its bits from bit
/// `low` upwards. Three stages, each with variants of its own; a variant's name
/// says which: `histogram=shared+scan=shared+reorder=staged`. Histogram and
/// reorder take `block * coarsen` neighbouring keys per block.
#[derive(Debug)]
pub struct RadixPartition;

const MODULE: Module = Module {
    name: "radix_partition",
    path: "kernels/ptx/radix_partition.ptx",
    ptx: include_str!("../../kernels/ptx/radix_partition.ptx"),
    source: include_str!("../../kernels/radix_partition.cu"),
    resources: include_str!("../../kernels/ptx/radix_partition.csv"),
};

/// Indices in [`Work::buffers`].
const KEYS: usize = 0;
const MOVED: usize = 1;
const BEGINS: usize = 2;
const COUNTS: usize = 3;
const OFFSETS: usize = 4;
const TOTALS: usize = 5;
const CURSORS: usize = 6;

/// Most entries of a table of parts by blocks: what 32-bit indices reach, halved
/// so that no sum of two wraps.
const MOST_ENTRIES: u64 = 1 << 31;

/// Most entries that one thread adds up within seconds.
const MOST_FOR_ONE_THREAD: u64 = 1 << 22;

/// Most keys that a thread of the staged reorder holds at a time: `HELD` in the
/// kernel.
const MOST_HELD: u32 = 16;

/// Names of the timed phases.
const HISTOGRAM: &str = "histogram";
const SCAN: &str = "scan";
const REORDER: &str = "reorder";

/// The bit field that names a key's part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit.
    pub low: u32,
    /// Number of bits; there are `2^bits` parts.
    pub bits: u32,
}

impl Field {
    fn of(case: &Case) -> Self {
        let int = |name, unless| case.int(name).map_or(unless, |value| value as u32);
        Self { low: int("low", 0), bits: int("bits", 9) }
    }

    /// Number of parts.
    pub fn parts(self) -> u32 {
        1 << self.bits
    }

    /// The part of `key`.
    pub fn part(self, key: u32) -> u32 {
        (key >> self.low) & (self.parts() - 1)
    }
}

/// Keys that a block takes. A chunk longer than the input takes as many blocks
/// as one that long.
fn chunk(case: &Case) -> u32 {
    (u64::from(case.block) * u64::from(case.coarsen)).min(case.n.max(1)) as u32
}

/// Counts per part: one for each block where order is kept, else one.
fn columns(case: &Case, stages: Stages) -> u32 {
    if stages.reorder.keeps_order() { (case.n as u32).div_ceil(chunk(case)).max(1) } else { 1 }
}

/// Where each part begins, and the keys part by part in the order they came in.
pub fn partition(keys: &[u32], field: Field) -> (Vec<u32>, Vec<u32>) {
    let mut counts = vec![0u32; field.parts() as usize];
    for &key in keys {
        counts[field.part(key) as usize] += 1;
    }
    let mut before = 0;
    let begins: Vec<u32> = counts
        .iter()
        .map(|count| {
            let begin = before;
            before += count;
            begin
        })
        .collect();
    let mut cursors = begins.clone();
    let mut moved = vec![0; keys.len()];
    for &key in keys {
        let cursor = &mut cursors[field.part(key) as usize];
        moved[*cursor as usize] = key;
        *cursor += 1;
    }
    (begins, moved)
}

impl Algorithm for RadixPartition {
    fn name(&self) -> &'static str {
        "radix-partition"
    }

    fn summary(&self) -> &'static str {
        "moves every key to the part that some of its bits name"
    }

    fn variants(&self) -> &'static [Variant] {
        stages::VARIANTS
    }

    fn params(&self) -> &'static [Param] {
        &[
            Param {
                name: "bits",
                summary: "bits that name the part of a key: 2^bits parts",
                kind: ParamKind::Int {
                    low: 1,
                    high: 16,
                    default: 9,
                    steps: &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
                },
            },
            Param {
                name: "low",
                summary: "lowest of these bits",
                kind: ParamKind::Int {
                    low: 0,
                    high: 31,
                    default: 0,
                    steps: &[0, 4, 8, 12, 16, 20, 23, 24, 28, 31],
                },
            },
        ]
    }

    fn defaults(&self) -> Defaults {
        Defaults { sizes: Sizes::range(1 << 10, 1 << 20, 2), block: 256, coarsen: 16 }
    }

    fn size(&self) -> Size {
        Size { noun: "keys", most: MOST_ELEMENTS }
    }

    fn module(&self, _variant: &str) -> Module {
        MODULE
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        let (stages, parts) = (Stages::of(&case.variant), Field::of(case).parts());
        let blocks = columns(case, stages);
        let entries = u64::from(parts) * u64::from(blocks);
        let told = format!("a count for each of {parts} parts in each of {blocks} blocks");
        let way_out = "a larger block, more coarsening or fewer bits make it smaller";
        if entries > MOST_ENTRIES {
            Some(format!("{told} is more than 32-bit indices reach; {way_out}"))
        } else if stages.scan == Scan::SingleThread && entries > MOST_FOR_ONE_THREAD {
            Some(format!("{told} is too much for one thread to add up; {way_out}"))
        } else {
            None
        }
    }

    fn work(&self, case: &Case) -> Work {
        let field = Field::of(case);
        let parts = field.parts();
        let stages = Stages::of(&case.variant);
        let n = case.n as u32;
        let chunk = chunk(case);
        let grid = n.div_ceil(chunk).max(1);
        let columns = columns(case, stages);
        let warps = case.block.div_ceil(32);

        let launch = |phase, kernel: &str, grid, shared_bytes, args| Launch {
            phase,
            kernel: kernel.to_owned(),
            grid: Dim3::linear(grid),
            block: Dim3::linear(case.block),
            shared_bytes,
            args,
        };
        let keys = || {
            vec![
                Arg::Buffer(KEYS),
                Arg::U32(n),
                Arg::U32(chunk),
                Arg::U32(field.low),
                Arg::U32(field.bits),
            ]
        };
        let with = |mut args: Vec<Arg>, more: &[Arg]| {
            args.extend_from_slice(more);
            args
        };

        let mut steps: Vec<Launch> = Vec::new();
        let counted = with(keys(), &[Arg::Buffer(COUNTS), Arg::U32(columns)]);
        steps.push(match stages.histogram {
            Histogram::Global => launch(HISTOGRAM, "radix_histogram_global", grid, 0, counted),
            Histogram::Shared => {
                launch(HISTOGRAM, "radix_histogram_shared", grid, parts * 4, counted)
            }
        });
        match stages.scan {
            Scan::SingleThread => steps.push(launch(
                SCAN,
                "radix_scan_single_thread",
                1,
                0,
                vec![
                    Arg::Buffer(COUNTS),
                    Arg::U32(parts),
                    Arg::U32(columns),
                    Arg::Buffer(OFFSETS),
                    Arg::Buffer(BEGINS),
                ],
            )),
            Scan::Shared => {
                if stages.reorder.keeps_order() {
                    let args = vec![
                        Arg::Buffer(COUNTS),
                        Arg::U32(columns),
                        Arg::Buffer(OFFSETS),
                        Arg::Buffer(TOTALS),
                    ];
                    steps.push(launch(SCAN, "radix_scan_columns", parts, case.block * 4, args));
                }
                // With a single column the counts are the totals.
                let totals = if stages.reorder.keeps_order() { TOTALS } else { COUNTS };
                let args = vec![Arg::Buffer(totals), Arg::U32(parts), Arg::Buffer(BEGINS)];
                steps.push(launch(SCAN, "radix_scan_parts", 1, case.block * 4, args));
            }
        }
        let cursors = [Arg::Buffer(BEGINS), Arg::Buffer(CURSORS), Arg::Buffer(MOVED)];
        let places =
            [Arg::Buffer(BEGINS), Arg::Buffer(OFFSETS), Arg::U32(columns), Arg::Buffer(MOVED)];
        steps.push(match stages.reorder {
            Reorder::Global => {
                launch(REORDER, "radix_reorder_global", grid, 0, with(keys(), &cursors))
            }
            Reorder::Shared => {
                launch(REORDER, "radix_reorder_shared", grid, parts * 4, with(keys(), &cursors))
            }
            Reorder::Stable => {
                let shared = warps * parts * 4;
                launch(REORDER, "radix_reorder_stable", grid, shared, with(keys(), &places))
            }
            Reorder::Staged => {
                let rounds = case.coarsen.min(MOST_HELD);
                let shared = (case.block * rounds + parts) * 4 + warps * parts * 2;
                let args = with(with(keys(), &places), &[Arg::U32(rounds)]);
                launch(REORDER, "radix_reorder_staged", grid, shared, args)
            }
        });

        let zeroed = |name, elements: u64| Buffer::zeroed(name, Element::U32, elements as usize);
        let table = u64::from(parts) * u64::from(columns);
        let buffers = vec![
            Buffer::input("keys", 0, Element::U32, case.n),
            zeroed("moved", case.n),
            zeroed("begins", parts.into()),
            zeroed("counts", table),
            zeroed("offsets", table),
            zeroed("totals", parts.into()),
            zeroed("cursors", parts.into()),
        ];
        Work::of_launches(MODULE, buffers, steps)
    }

    fn sampling(&self, case: &Case) -> Sampling {
        sample::sampling(case)
    }

    /// A key is read two or three times and counted twice; where order is kept, a warp
    /// votes on every bit of its part.
    fn operations(&self, case: &Case) -> u64 {
        let ordered = Stages::of(&case.variant).reorder.keeps_order();
        case.n * if ordered { 16 } else { 4 }
    }

    fn input_key(&self, case: &Case) -> String {
        format!("u32 {} seed={} n={}", case.dist, case.seed, case.n)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        vec![Arc::new(HostBuffer::U32(inputs::generate(case.dist, case.seed, case.n as usize)))]
    }

    fn reference_key(&self, case: &Case) -> String {
        let Field { low, bits } = Field::of(case);
        format!("{} by {bits} bits from {low}", self.input_key(case))
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let keys = inputs.first().and_then(|keys| keys.as_u32()).unwrap_or_default();
        let (begins, moved) = partition(keys, Field::of(case));
        vec![HostBuffer::U32(begins), HostBuffer::U32(moved)]
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![BEGINS, MOVED]
    }

    /// Boundaries are equal to the reference in every variant. `stable` and `staged`
    /// leave one order only; in the others each part holds the same keys in any order.
    fn verify(
        &self,
        case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let ([begins, keys], [found_begins, found_keys]) = (reference, outputs) else {
            return compare::exactly(reference, outputs);
        };
        if Stages::of(&case.variant).reorder.keeps_order() {
            return compare::exactly(reference, outputs);
        }
        let ordered = |buffer: &HostBuffer| {
            let mut keys = buffer.as_u32().unwrap_or_default().to_vec();
            order_within_parts(&mut keys, begins.as_u32().unwrap_or_default());
            HostBuffer::U32(keys)
        };
        let expected = [begins.clone(), ordered(keys)];
        compare::exactly(&expected, &[found_begins.clone(), ordered(found_keys)])
    }

    fn traffic(&self, case: &Case) -> Traffic {
        // Every key is read and written; counting need not read it again.
        Traffic { bytes: 8 * case.n, flops: 0 }
    }

    fn view(&self, case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let field = Field::of(case);
        let moved = outputs.get(1)?.as_u32()?;
        let parts = moved.iter().map(|&key| u64::from(field.part(key)));
        Some(View::Partitions(Partitions::of(field.parts().into(), parts)))
    }
}

/// Sorts the keys of each part, which stays where it is.
fn order_within_parts(keys: &mut [u32], begins: &[u32]) {
    let mut parts = Vec::with_capacity(begins.len());
    let mut rest = keys;
    let mut before = 0;
    for &begin in begins.iter().skip(1) {
        let length = (begin as usize - before).min(rest.len());
        let (part, after) = rest.split_at_mut(length);
        parts.push(part);
        rest = after;
        before = begin as usize;
    }
    parts.push(rest);
    parts.into_par_iter().for_each(<[u32]>::sort_unstable);
}
