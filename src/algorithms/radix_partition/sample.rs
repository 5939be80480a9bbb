//! Samples of a radix partition.
//!
//! Blocks of the histogram and of the reorder take a tile of keys, whatever n is. A
//! partition of some tiles runs in full and is extrapolated. The counts of a scan are
//! linear in the length of a row or in the number of rows and depend on no value. Two
//! shorter launches are extrapolated.

use std::sync::Arc;

use super::{
    COUNTS, Field, KEYS, MOVED, RadixPartition, SPEC, Scan, Stages, TILE_OFFSETS, columns, sweep,
    tile,
};
use crate::algorithms::Algorithm;
use crate::algorithms::sampling::{fewer, stretches, weight};
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Element, HostBuffer, Inputs, Sampling, Smaller, Step, Term, Work};

/// Fewest keys of a smaller case: keys of different digits lie apart.
const DIGITS_APART: u64 = 1 << 16;

/// Counts in a line of 128 bytes. Accesses repeat after this many.
const LINE: u64 = 32;

/// Units of a length that two shorter scans take, beside the rest.
const UNITS: [u64; 2] = [4, 12];

/// How a case is sampled.
pub(super) fn sampling(case: &Case) -> Sampling {
    let case = case.clone();
    Sampling::Extrapolate(Box::new(move || smaller(&case)))
}

fn smaller(case: &Case) -> Vec<Smaller> {
    let whole = RadixPartition.work(case);
    let reorder = whole.steps.len() - 1;
    let tile = u64::from(tile(case));
    let n = fewer(case.n, tile, DIGITS_APART);
    let keys = stretches(case, case.seed, n, tile);
    let work = RadixPartition.work(&Case { n, ..case.clone() });
    let mut terms: Vec<Term> = [0, reorder].map(|step| Term::new(step, step, 1.0)).into();
    if Stages::of(&case.variant).reorder.sweeps() {
        // The histogram has tiles of its own, and the last of a few is less full.
        let keys = |case: &Case| case.n as f64 / sweep::histogram(case).1 as f64;
        terms[0].mean = keys(case) / keys(&Case { n, ..case.clone() });
    }
    let mut smaller = vec![Smaller::new(work, vec![Arc::new(HostBuffer::U32(keys))], terms)];
    smaller.extend((1..reorder).flat_map(|step| shorter_scans(case, &whole, step)));
    smaller
}

/// The shorter launches for step `step`; none where it is short itself.
fn shorter_scans(case: &Case, whole: &Work, step: usize) -> Vec<Smaller> {
    let Some(Step::Launch(launch)) = whole.steps.get(step) else { return Vec::new() };
    let stages = Stages::of(&case.variant);
    let (digits, columns) = (u64::from(Field::of(case).digits()), u64::from(columns(case, stages)));
    // The argument that is shortened: the digits, or the columns.
    let (arg, unit) = match stages.scan {
        // A single block that adds up the digits alone is short.
        Scan::Warps => return Vec::new(),
        Scan::SingleThread => (if digits > columns { 1 } else { 2 }, LINE),
        // A stretch is a block long, and begins anywhere in a line.
        Scan::Shared => {
            let block = u64::from(case.block);
            (1, LINE * (block >> block.trailing_zeros().min(LINE.trailing_zeros())))
        }
    };
    let Some(&Arg::U32(length)) = launch.args.get(arg) else { return Vec::new() };
    let length = u64::from(length);
    let lengths = UNITS.map(|units| units * unit + length % unit);
    if lengths[1] >= length {
        return Vec::new();
    }
    let table = digits * columns / length;
    let shorter = |shorter: u64| {
        let mut launch = launch.clone();
        launch.args[arg] = Arg::U32(shorter as u32);
        let mut buffers = whole.buffers.clone();
        for (index, buffer) in buffers.iter_mut().enumerate() {
            let zeroed = |elements| Buffer::zeroed(buffer.name, Element::U32, elements);
            match index {
                KEYS | MOVED => *buffer = zeroed(0),
                COUNTS | TILE_OFFSETS => *buffer = zeroed((table * shorter) as usize),
                _ => {}
            }
        }
        let term = Term::new(0, step, weight(shorter, &lengths, length as f64));
        let work = Work::of_launches(SPEC.module, buffers, vec![launch]);
        Smaller::new(work, Inputs::new(), vec![term])
    };
    lengths.map(shorter).into()
}
