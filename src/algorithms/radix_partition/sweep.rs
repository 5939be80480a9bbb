//! The launches of the variants that count once per digit and move the keys in one sweep.

use super::{DIGIT_OFFSETS, Field, HISTOGRAM, KEYS, MOVED, REORDER, Reorder, SCAN, Stages};
use crate::algorithms;
use crate::algorithms::spec::module;
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Launch, Module, Work};

pub(super) const MODULE: Module = module!("radix_sweep");

/// How many keys a thread can hold: a kernel for each.
const HELD: [u32; 4] = [4, 8, 16, 24];

/// Keys that each thread of the wide histogram counts.
const COUNTED: u32 = 128;

/// Keys that a state of the look-back can count: it has 30 bits for them.
const MOST_STATE: u64 = (1 << 30) - 1;

/// Indices in [`Work::buffers`] after those that all variants share.
const COUNTS: usize = 3;
const STATES: usize = 4;
const CURSORS: usize = 5;

/// Why no kernel can run a case.
pub(super) fn obstacle(case: &Case) -> Option<String> {
    if Stages::of(&case.variant).reorder == Reorder::OneSweep && case.n > MOST_STATE {
        return Some(format!(
            "a state of the look-back counts at most {MOST_STATE} keys, not {}; use another reorder",
            case.n
        ));
    }
    algorithms::held("keys", case, &HELD)
}

/// Tiles of the reorder.
fn tiles(case: &Case) -> u64 {
    let tile = u64::from(case.block) * u64::from(case.coarsen);
    case.n.div_ceil(tile.max(1)).max(1)
}

/// Keys of each block of the histogram, and its blocks.
pub(super) fn histogram(case: &Case) -> (u32, u64) {
    let tile = COUNTED * case.block;
    (tile, case.n.div_ceil(u64::from(tile).max(1)).max(1))
}

pub(super) fn work(case: &Case) -> Work {
    let field = Field::of(case);
    let (n, digits) = (case.n as u32, field.digits());
    let stable = Stages::of(&case.variant).reorder == Reorder::OneSweep;
    let launch = |phase, kernel: String, grid: u64, shared_bytes: u64, args| Launch {
        phase,
        kernel,
        grid: Dim3::linear(grid as u32),
        block: Dim3::linear(case.block),
        // Saturated, this is more than any GPU has.
        shared_bytes: u32::try_from(shared_bytes).unwrap_or(u32::MAX),
        args,
    };
    let (tile, blocks) = histogram(case);
    let histogram = vec![
        Arg::Buffer(KEYS),
        Arg::U32(n),
        Arg::U32(tile),
        Arg::U32(field.low),
        Arg::U32(field.bits),
        Arg::Buffer(COUNTS),
    ];
    let scan = vec![Arg::Buffer(COUNTS), Arg::U32(digits), Arg::Buffer(DIGIT_OFFSETS)];
    let mut reorder = vec![
        Arg::Buffer(KEYS),
        Arg::U32(n),
        Arg::U32(field.low),
        Arg::U32(field.bits),
        Arg::Buffer(DIGIT_OFFSETS),
    ];
    if stable {
        reorder.push(Arg::Buffer(STATES));
    }
    reorder.extend([Arg::Buffer(CURSORS), Arg::Buffer(MOVED)]);

    let (tiles, digits) = (tiles(case), u64::from(digits));
    let staged = 4 * u64::from(case.block) * u64::from(case.coarsen);
    let warps = u64::from(case.block.div_ceil(32));
    // The keys of a tile; and targets and the slots of each warp, or slots and targets.
    let (name, shared) = if stable {
        ("one_sweep", staged + 4 * digits + 2 * digits * warps)
    } else {
        ("reserve", staged + 8 * digits)
    };
    let steps = [
        launch(HISTOGRAM, "radix_histogram_wide".to_owned(), blocks, 4 * digits, histogram),
        launch(SCAN, "radix_scan_warps".to_owned(), 1, 0, scan),
        launch(REORDER, format!("radix_reorder_{name}_{}", case.coarsen), tiles, shared, reorder),
    ];
    let zeroed = |name, elements: u64| Buffer::zeroed(name, Element::U32, elements as usize);
    let buffers = vec![
        Buffer::input("keys", 0, Element::U32, case.n),
        zeroed("moved", case.n),
        zeroed("digit offsets", digits),
        zeroed("counts", digits),
        zeroed("states", if stable { digits * tiles } else { 0 }),
        if stable { zeroed("next tile", 1) } else { zeroed("cursors", digits) },
    ];
    Work::of_launches(MODULE, buffers, steps)
}
