//! Shorter scans that stand for a long one.
//!
//! A scan's blocks do the same for each stretch of a row, whatever it holds; a single
//! thread does the same for each row. So what they count is linear in the length of a
//! row, or in the number of rows: two lengths tell of any.

use super::{COUNTS, Field, KEYS, MODULE, MOVED, OFFSETS, RadixPartition, Scan, Stages, columns};
use crate::algorithms::Algorithm;
use crate::algorithms::sampling::weight;
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Element, Sampling, StandIn, Step, Work};

/// Counts after which all repeats itself, in sectors and in lines of 128 bytes.
const LINE: u64 = 32;

/// Units of a length that two runs take, beside what is left over.
const UNITS: [u64; 2] = [4, 12];

/// The shorter launches that stand for step `step` of a case; none where it is no scan
/// or is short itself.
pub(super) fn stand_ins(case: &Case, step: usize) -> Vec<StandIn> {
    let whole = RadixPartition.work(case);
    let scan = 1..whole.steps.len().saturating_sub(1);
    let Some(Step::Launch(launch)) = whole.steps.get(step).filter(|_| scan.contains(&step)) else {
        return Vec::new();
    };
    let stages = Stages::of(&case.variant);
    let (parts, columns) = (u64::from(Field::of(case).parts()), u64::from(columns(case, stages)));
    // The argument that is shortened: the parts, or the columns.
    let (arg, unit) = match stages.scan {
        Scan::SingleThread => (if parts > columns { 1 } else { 2 }, LINE),
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
    let table = parts * columns / length;
    let stand_in = |shorter: u64| {
        let mut launch = launch.clone();
        launch.args[arg] = Arg::U32(shorter as u32);
        let mut buffers = whole.buffers.clone();
        for (index, buffer) in buffers.iter_mut().enumerate() {
            let zeroed = |elements| Buffer::zeroed(buffer.name, Element::U32, elements);
            match index {
                KEYS | MOVED => *buffer = zeroed(0),
                COUNTS | OFFSETS => *buffer = zeroed((table * shorter) as usize),
                _ => {}
            }
        }
        let weight = weight(shorter, &lengths, length as f64);
        let work = Work::of_launches(MODULE, buffers, vec![launch]);
        StandIn::weighing(weight, work, Sampling::blind())
    };
    lengths.map(stand_in).into()
}
