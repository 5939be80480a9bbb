//! The single-pass scans by decoupled look-back.

use super::{AHEAD, LOOKBACK, REGISTERS, SUMS, VALUES};
use super::{blocks_for, element, exclusive, per_block, suffix};
use crate::algorithms::sampling::weight;
use crate::algorithms::spec::module;
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Inputs, Launch, Module, Smaller, Step, Term, Work};

/// Index in [`Work::buffers`] of what tiles have published. Like the counter it
/// is cleared before every sample, outside of the time.
const STATES: usize = 2;

/// Index in [`Work::buffers`] of the counter that hands out tiles.
const NEXT_TILE: usize = 3;

/// Threads of a warp.
const WARP: u32 = 32;

/// Where a tile is while its block looks back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// In shared memory.
    Shared,
    /// In registers.
    Registers,
    /// In one of several stages of shared memory that bulk copies fill and empty.
    Ahead,
}

impl Method {
    /// The method of a variant, if it scans in a single pass.
    pub(super) fn of(variant: &str) -> Option<Self> {
        match variant {
            LOOKBACK => Some(Self::Shared),
            REGISTERS => Some(Self::Registers),
            AHEAD => Some(Self::Ahead),
            _ => None,
        }
    }

    pub(super) fn module(self) -> Module {
        match self {
            Self::Shared => module!("scan_lookback"),
            Self::Registers => module!("scan_registers"),
            Self::Ahead => module!("scan_ahead"),
        }
    }

    /// Values per thread for which there are kernels; any where there are none.
    fn items(self) -> &'static [u32] {
        match self {
            Self::Shared => &[],
            Self::Registers => &[4, 8, 16, 32],
            Self::Ahead => &[4, 12, 20, 28],
        }
    }

    /// Why no device can run a case.
    pub(super) fn obstacle(self, case: &Case) -> Option<String> {
        let variant = &case.variant;
        let items = self.items();
        if items.is_empty() {
            return None;
        }
        if !items.contains(&case.coarsen) {
            let words: Vec<String> = items.iter().map(u32::to_string).collect();
            return Some(format!("{variant} has kernels for coarsening {}", words.join(", ")));
        }
        if !case.block.is_multiple_of(WARP) {
            return Some(format!("{variant} needs whole warps: a block of a multiple of {WARP}"));
        }
        if self != Self::Ahead {
            return None;
        }
        if case.block > MOST_SCANNING {
            return Some(format!(
                "{variant} has two warps beside those that scan: a block of at most {MOST_SCANNING}"
            ));
        }
        (stages(case) < LEAST_STAGES).then(|| {
            format!("{variant} needs two tiles in shared memory: a smaller block or coarsening")
        })
    }

    pub(super) fn work(self, case: &Case) -> Work {
        let element = element(case);
        let tiles = blocks_for(case.n, per_block(case));
        let arg = |number| Arg::U32(number);
        let mut args = vec![
            Arg::Buffer(VALUES),
            Arg::Buffer(SUMS),
            Arg::Buffer(STATES),
            Arg::Buffer(NEXT_TILE),
            arg(case.n as u32),
        ];
        let (name, grid, threads, shared_bytes) = match self {
            Self::Shared => {
                args.push(arg(case.coarsen));
                let wide = if width(case) == 4 { "wide_" } else { "" };
                // Saturated, this is more than any GPU has.
                let bytes = per_block(case).saturating_mul(4);
                (format!("lookback_{wide}"), tiles, case.block, bytes)
            }
            Self::Registers => (format!("registers_{}_", case.coarsen), tiles, case.block, 0),
            Self::Ahead => {
                let stages = stages(case);
                args.extend([arg(stages), arg(ahead(stages))]);
                let name = format!("ahead_{}_", case.coarsen);
                (name, tiles.min(MOST_BLOCKS), case.block + 2 * WARP, stages * stage_bytes(case))
            }
        };
        args.push(arg(u32::from(exclusive(case))));
        let launch = Launch {
            phase: "scan",
            kernel: format!("scan_{name}{}", suffix(element)),
            grid: Dim3::linear(grid),
            block: Dim3::linear(threads),
            shared_bytes,
            args,
        };
        let buffers = vec![
            Buffer::input("values", VALUES, element, case.n),
            Buffer::zeroed("sums", element, case.n as usize),
            Buffer::zeroed("states", Element::U64, tiles as usize),
            Buffer::zeroed("next tile", Element::U32, 1),
        ];
        Work::of_launches(self.module(), buffers, [launch])
    }

    /// The first tiles alone, and the first with as many again as are affordable: the
    /// difference is what each further tile adds. No count depends on a value.
    pub(super) fn smaller(self, case: &Case) -> Vec<Smaller> {
        let per_tile = u64::from(per_block(case)).max(1);
        let all = case.n.div_ceil(per_tile).max(1);
        let more = FIRST_TILES + (FURTHER_ELEMENTS / per_tile).clamp(FIRST_TILES, 512);
        if all <= more {
            return vec![Smaller::itself(self.work(case), Inputs::new())];
        }
        let tiles = [FIRST_TILES, more];
        let smaller = |tiles_here: u64| {
            let weight = weight(tiles_here, &tiles, all as f64);
            // Each block stands for as many of the whole case, unless blocks stay.
            let share = tiles_here as f64 / all as f64;
            let weight = if self == Self::Ahead { weight } else { weight * share };
            // The first tiles look back less far than the rest.
            let longest = if tiles_here == more { 1.0 } else { 0.0 };
            let term = Term { longest, ..Term::new(0, 0, weight) };
            let mut work = self.work(&Case { n: tiles_here * per_tile, ..case.clone() });
            if self == Self::Ahead {
                // As many blocks stay as in the whole case.
                for step in &mut work.steps {
                    if let Step::Launch(launch) = step {
                        launch.grid = Dim3::linear((all as u32).min(MOST_BLOCKS));
                    }
                }
            }
            Smaller::new(work, Inputs::new(), vec![term])
        };
        tiles.map(smaller).into()
    }
}

/// Neighbours that a lane loads at once in [`Method::Shared`]: four where the items of a
/// thread are a multiple of that.
pub(super) fn width(case: &Case) -> u32 {
    if case.coarsen.is_multiple_of(4) { 4 } else { 1 }
}

/// Most scanning threads of [`Method::Ahead`]: two more warps load and look back.
const MOST_SCANNING: u32 = 1024 - 2 * WARP;

/// Most blocks of [`Method::Ahead`]: two for each multiprocessor of an H200. Blocks that do
/// not fit find no tile left when they start.
const MOST_BLOCKS: u32 = 264;

/// Fewest and most stages of [`Method::Ahead`].
const LEAST_STAGES: u32 = 2;
const MOST_STAGES: u32 = 9;

/// Shared memory that the stages may take, of the 227 KiB of compute capability 9.0.
const STAGED_BYTES: u32 = 224 << 10;

/// Bytes of a stage: a tile, and a word per thread.
fn stage_bytes(case: &Case) -> u32 {
    4 * (case.coarsen + 1) * case.block
}

/// Tiles that a block has in shared memory at once.
fn stages(case: &Case) -> u32 {
    (STAGED_BYTES / stage_bytes(case)).min(MOST_STAGES)
}

/// Tiles that are added up before the oldest of them is finished. The loader needs two
/// stages more: one that arrives, and one that leaves.
fn ahead(stages: u32) -> u32 {
    stages.div_ceil(2).min(stages - LEAST_STAGES)
}

/// Tiles after which each further tile looks back as far as the others.
const FIRST_TILES: u64 = 24;

/// Elements that the tiles after the first ones take.
const FURTHER_ELEMENTS: u64 = 1 << 20;
