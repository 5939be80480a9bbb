//! The single-pass scan by decoupled look-back.

use super::{SUMS, VALUES, blocks_for, element, exclusive, per_block, suffix};
use crate::algorithms::sampling::weight;
use crate::algorithms::spec::module;
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Inputs, Launch, Module, Smaller, Term, Work};

pub(super) const MODULE: Module = module!("scan_lookback");

/// Index in [`Work::buffers`] of what tiles have published. Like the counter it
/// is cleared before every sample, outside of the time.
const STATES: usize = 2;

/// Index in [`Work::buffers`] of the counter that hands out tiles.
const NEXT_TILE: usize = 3;

/// Neighbours that a lane loads at once: four where the items of a thread are
/// a multiple of that.
pub(super) fn width(case: &Case) -> u32 {
    if case.coarsen.is_multiple_of(4) { 4 } else { 1 }
}

pub(super) fn work(case: &Case) -> Work {
    let element = element(case);
    let per_tile = per_block(case);
    let tiles = blocks_for(case.n, per_tile);
    let wide = if width(case) == 4 { "wide_" } else { "" };
    let launch = Launch {
        phase: "scan",
        kernel: format!("scan_lookback_{wide}{}", suffix(element)),
        grid: Dim3::linear(tiles),
        block: Dim3::linear(case.block),
        // Saturated, this is more than any GPU has.
        shared_bytes: per_tile.saturating_mul(4),
        args: vec![
            Arg::Buffer(VALUES),
            Arg::Buffer(SUMS),
            Arg::Buffer(STATES),
            Arg::Buffer(NEXT_TILE),
            Arg::U32(case.n as u32),
            Arg::U32(case.coarsen),
            Arg::U32(u32::from(exclusive(case))),
        ],
    };
    let buffers = vec![
        Buffer::input("values", VALUES, element, case.n),
        Buffer::zeroed("sums", element, case.n as usize),
        Buffer::zeroed("states", Element::U64, tiles as usize),
        Buffer::zeroed("next tile", Element::U32, 1),
    ];
    Work::of_launches(MODULE, buffers, [launch])
}

/// Tiles after which each further tile looks back as far as the others.
const FIRST_TILES: u64 = 24;

/// Elements that the tiles after the first ones take.
const FURTHER_ELEMENTS: u64 = 1 << 20;

/// The first tiles alone, and the first with as many again as are affordable: the
/// difference is what each further tile adds. No count depends on a value.
pub(super) fn smaller(case: &Case) -> Vec<Smaller> {
    let per_tile = u64::from(per_block(case)).max(1);
    let all = case.n.div_ceil(per_tile).max(1);
    let more = FIRST_TILES + (FURTHER_ELEMENTS / per_tile).clamp(FIRST_TILES, 512);
    if all <= more {
        return vec![Smaller::itself(work(case), Inputs::new())];
    }
    let tiles = [FIRST_TILES, more];
    let smaller = |tiles_here: u64| {
        let weight = weight(tiles_here, &tiles, all as f64) * tiles_here as f64 / all as f64;
        // The first tiles look back less far than the rest.
        let longest = if tiles_here == more { 1.0 } else { 0.0 };
        let term = Term { longest, ..Term::new(0, 0, weight) };
        let work = work(&Case { n: tiles_here * per_tile, ..case.clone() });
        Smaller::new(work, Inputs::new(), vec![term])
    };
    tiles.map(smaller).into()
}
