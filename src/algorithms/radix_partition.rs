//! Radix partition: order keys by one digit, as a pass of a radix sort does.

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{Algorithm, Contract, Defaults, Mismatch, Param, Size, Spec, Traffic, compare};
use crate::experiment::{Case, Distribution};
use crate::units::MOST_ELEMENTS;
use crate::work::{
    Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Partitions, Sampling, View,
    Work,
};

mod contract;
mod sample;
mod stages;
mod sweep;
#[cfg(test)]
mod tests;

use stages::{Histogram, Reorder, Scan, Stages};

/// The radix partition.
///
/// Input: `n` 32-bit keys. Output: the keys, those of digit 0 first, and the offset
/// of each digit. The digit of a key is `bits` of its bits from bit
/// `low` upwards. Three stages, each with variants of its own; a variant's name
/// says which: `histogram=shared+scan=shared+reorder=staged`. Histogram and
/// reorder take `block * coarsen` neighbouring keys per block.
#[derive(Debug)]
pub struct RadixPartition;

static SPEC: Spec = Spec {
    name: "radix-partition",
    summary: "orders keys by one digit, as a pass of a radix sort does",
    variants: stages::VARIANTS,
    params: &[
        Param::int(
            "bits",
            "bits of the digit: 2^bits different digits",
            (1, 16),
            9,
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
        ),
        Param::int(
            "low",
            "lowest of these bits",
            (0, 31),
            0,
            &[0, 4, 8, 12, 16, 20, 23, 24, 28, 31],
        ),
    ],
    options: &[],
    size: Size { noun: "keys", most: MOST_ELEMENTS },
    defaults: Defaults { sizes: (1 << 10, 1 << 20), block: 256, coarsen: 16 },
    distributions: &Distribution::ALL,
    module: module!("radix_partition"),
    recording: recording!("radix_partition"),
};

/// Indices in [`Work::buffers`].
const KEYS: usize = 0;
const MOVED: usize = 1;
const DIGIT_OFFSETS: usize = 2;
const COUNTS: usize = 3;
const TILE_OFFSETS: usize = 4;
const TOTALS: usize = 5;
const CURSORS: usize = 6;

/// Most entries of a table of digits by tiles: half of what 32-bit indices reach, so that
/// no sum of two wraps.
const MOST_ENTRIES: u64 = 1 << 31;

/// Most entries that one thread adds up within seconds.
const MOST_FOR_ONE_THREAD: u64 = 1 << 22;

/// Most keys that a thread of the staged reorder holds at a time: `HELD` in the
/// kernel.
const MOST_HELD: u32 = 16;

/// The timed phases.
const HISTOGRAM: &str = "histogram";
const SCAN: &str = "scan";
const REORDER: &str = "reorder";

/// The bits of a key that are its digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Lowest bit.
    pub low: u32,
    /// Number of bits.
    pub bits: u32,
}

impl Field {
    fn of(case: &Case) -> Self {
        let int = |name, unless| case.int(name).map_or(unless, |value| value as u32);
        Self { low: int("low", 0), bits: int("bits", 9) }
    }

    /// Number of different digits.
    pub fn digits(self) -> u32 {
        1 << self.bits
    }

    /// The digit of `key`.
    pub fn digit(self, key: u32) -> u32 {
        (key >> self.low) & (self.digits() - 1)
    }
}

/// Keys of a block's tile, at most all.
fn tile(case: &Case) -> u32 {
    (u64::from(case.block) * u64::from(case.coarsen)).min(case.n.max(1)) as u32
}

/// Counts per digit: one for each tile where the reorder takes a table of them, else one.
fn columns(case: &Case, stages: Stages) -> u32 {
    if stages.reorder.takes_table() { (case.n as u32).div_ceil(tile(case)).max(1) } else { 1 }
}

/// The offset of each digit, and the keys ordered by digit, stably.
pub fn partition(keys: &[u32], field: Field) -> (Vec<u32>, Vec<u32>) {
    let mut counts = vec![0u32; field.digits() as usize];
    for &key in keys {
        counts[field.digit(key) as usize] += 1;
    }
    let mut before = 0;
    let offsets: Vec<u32> = counts
        .iter()
        .map(|count| {
            let offset = before;
            before += count;
            offset
        })
        .collect();
    let mut cursors = offsets.clone();
    let mut moved = vec![0; keys.len()];
    for &key in keys {
        let cursor = &mut cursors[field.digit(key) as usize];
        moved[*cursor as usize] = key;
        *cursor += 1;
    }
    (offsets, moved)
}

impl Algorithm for RadixPartition {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        let (stages, digits) = (Stages::of(&case.variant), Field::of(case).digits());
        if stages.reorder.sweeps() {
            return sweep::obstacle(case);
        }
        let blocks = columns(case, stages);
        let entries = u64::from(digits) * u64::from(blocks);
        let told = format!("a count for each of {digits} digits in each of {blocks} blocks");
        let way_out = "a larger block, more coarsening or fewer bits make it smaller";
        if entries > MOST_ENTRIES {
            Some(format!("{told} is more than 32-bit indices reach; {way_out}"))
        } else if stages.scan == Scan::SingleThread && entries > MOST_FOR_ONE_THREAD {
            Some(format!("{told} is too much for one thread to add up; {way_out}"))
        } else {
            None
        }
    }

    fn module(&self, variant: &str) -> Module {
        if Stages::of(variant).reorder.sweeps() { sweep::MODULE } else { SPEC.module }
    }

    fn work(&self, case: &Case) -> Work {
        if Stages::of(&case.variant).reorder.sweeps() {
            return sweep::work(case);
        }
        let field = Field::of(case);
        let digits = field.digits();
        let stages = Stages::of(&case.variant);
        let n = case.n as u32;
        let tile = tile(case);
        let grid = n.div_ceil(tile).max(1);
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
                Arg::U32(tile),
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
            Histogram::Shared | Histogram::Wide => {
                launch(HISTOGRAM, "radix_histogram_shared", grid, digits * 4, counted)
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
                    Arg::U32(digits),
                    Arg::U32(columns),
                    Arg::Buffer(TILE_OFFSETS),
                    Arg::Buffer(DIGIT_OFFSETS),
                ],
            )),
            Scan::Shared | Scan::Warps => {
                if stages.reorder.takes_table() {
                    let args = vec![
                        Arg::Buffer(COUNTS),
                        Arg::U32(columns),
                        Arg::Buffer(TILE_OFFSETS),
                        Arg::Buffer(TOTALS),
                    ];
                    steps.push(launch(SCAN, "radix_scan_columns", digits, case.block * 4, args));
                }
                // With a single column the counts are the totals.
                let totals = if stages.reorder.takes_table() { TOTALS } else { COUNTS };
                let args = vec![Arg::Buffer(totals), Arg::U32(digits), Arg::Buffer(DIGIT_OFFSETS)];
                steps.push(launch(SCAN, "radix_scan_parts", 1, case.block * 4, args));
            }
        }
        let cursors = [Arg::Buffer(DIGIT_OFFSETS), Arg::Buffer(CURSORS), Arg::Buffer(MOVED)];
        let places = [
            Arg::Buffer(DIGIT_OFFSETS),
            Arg::Buffer(TILE_OFFSETS),
            Arg::U32(columns),
            Arg::Buffer(MOVED),
        ];
        steps.push(match stages.reorder {
            Reorder::Global => {
                launch(REORDER, "radix_reorder_global", grid, 0, with(keys(), &cursors))
            }
            Reorder::Shared => {
                launch(REORDER, "radix_reorder_shared", grid, digits * 4, with(keys(), &cursors))
            }
            Reorder::Stable => {
                let shared = warps * digits * 4;
                launch(REORDER, "radix_reorder_stable", grid, shared, with(keys(), &places))
            }
            Reorder::Staged | Reorder::OneSweep | Reorder::Reserve => {
                let rounds = case.coarsen.min(MOST_HELD);
                let shared = (case.block * rounds + digits) * 4 + warps * digits * 2;
                let args = with(with(keys(), &places), &[Arg::U32(rounds)]);
                launch(REORDER, "radix_reorder_staged", grid, shared, args)
            }
        });

        let zeroed = |name, elements: u64| Buffer::zeroed(name, Element::U32, elements as usize);
        let table = u64::from(digits) * u64::from(columns);
        let buffers = vec![
            Buffer::input("keys", 0, Element::U32, case.n),
            zeroed("moved", case.n),
            zeroed("digit offsets", digits.into()),
            zeroed("counts", table),
            zeroed("tile offsets", table),
            zeroed("totals", digits.into()),
            zeroed("cursors", digits.into()),
        ];
        Work::of_launches(SPEC.module, buffers, steps)
    }

    fn sampling(&self, case: &Case) -> Sampling {
        sample::sampling(case)
    }

    /// A key is read two or three times and counted twice; where order is kept, a warp
    /// votes on every bit of its digit.
    fn operations(&self, case: &Case) -> u64 {
        let ordered = Stages::of(&case.variant).reorder.keeps_order();
        case.n * if ordered { 16 } else { 4 }
    }

    fn reference(&self, case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        let keys = inputs.first().and_then(|keys| keys.as_u32()).unwrap_or_default();
        let (offsets, moved) = partition(keys, Field::of(case));
        vec![HostBuffer::U32(offsets), HostBuffer::U32(moved)]
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, _case: &Case) -> Vec<usize> {
        vec![DIGIT_OFFSETS, MOVED]
    }

    /// Boundaries are equal to the reference in every variant. `stable`, `staged` and
    /// `one-sweep` leave one order only; in the others each digit holds the same keys in any order.
    fn verify(
        &self,
        case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let ([offsets, keys], [found_offsets, found_keys]) = (reference, outputs) else {
            return compare::exactly(reference, outputs);
        };
        if Stages::of(&case.variant).reorder.keeps_order() {
            return compare::exactly(reference, outputs);
        }
        let ordered = |buffer: &HostBuffer| {
            let mut keys = buffer.as_u32().unwrap_or_default().to_vec();
            order_within_digits(&mut keys, offsets.as_u32().unwrap_or_default());
            HostBuffer::U32(keys)
        };
        let expected = [offsets.clone(), ordered(keys)];
        compare::exactly(&expected, &[found_offsets.clone(), ordered(found_keys)])
    }

    fn traffic(&self, case: &Case) -> Traffic {
        // Every key is read and written; counting need not read it again.
        Traffic { bytes: 8 * case.n, flops: 0 }
    }

    fn view(&self, case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let field = Field::of(case);
        let moved = outputs.get(1)?.as_u32()?;
        let digits = moved.iter().map(|&key| u64::from(field.digit(key)));
        Some(View::Partitions(Partitions::of(field.digits().into(), digits)))
    }
}

/// Sorts the keys of each digit where they are.
fn order_within_digits(keys: &mut [u32], offsets: &[u32]) {
    let mut digits = Vec::with_capacity(offsets.len());
    let mut rest = keys;
    let mut before = 0;
    for &offset in offsets.iter().skip(1) {
        let length = (offset as usize - before).min(rest.len());
        let (digit, after) = rest.split_at_mut(length);
        digits.push(digit);
        rest = after;
        before = offset as usize;
    }
    digits.push(rest);
    digits.into_par_iter().for_each(<[u32]>::sort_unstable);
}
