//! The three-kernel scans: blocks, totals of blocks, and back.

use super::{SPEC, SUMS, VALUES, blocks_for, element, exclusive, per_block, suffix, sums};
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, HostStage, Launch, Step, Work};

/// Index of the totals in [`Work::buffers`]: one per block, then, where they are
/// scanned on the GPU, one per block of that scan, and so on down to one.
const TOTALS: usize = 2;

/// Fewest elements of a block that scans totals: with a single one there would
/// be as many totals again.
const LEAST_TOTALS_PER_BLOCK: u32 = 32;

/// How a block scans its part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    HillisSteele,
    Blelloch { padded: bool },
}

impl Method {
    pub(super) fn of(case: &Case) -> Self {
        match case.variant.split('+').next() {
            Some("blelloch") => Self::Blelloch { padded: false },
            Some("blelloch-padded") => Self::Blelloch { padded: true },
            _ => Self::HillisSteele,
        }
    }

    fn kernel(self) -> &'static str {
        match self {
            Self::HillisSteele => "scan_hillis_steele",
            Self::Blelloch { padded: false } => "scan_blelloch",
            Self::Blelloch { padded: true } => "scan_blelloch_padded",
        }
    }

    /// Bytes that a block takes; more than 32 bits can say are as good as
    /// 2^32 - 1, which no GPU has.
    fn shared_bytes(self, block: u32, per_block: u32) -> u32 {
        let elements = match self {
            Self::HillisSteele => 2 * u64::from(block),
            Self::Blelloch { padded: false } => leaves(per_block),
            Self::Blelloch { padded: true } => leaves(per_block) * 33 / 32,
        };
        u32::try_from(4 * elements).unwrap_or(u32::MAX)
    }
}

/// Leaves of the tree over a block's part.
pub(super) fn leaves(per_block: u32) -> u64 {
    u64::from(per_block.max(1)).next_power_of_two()
}

/// Elements per block of a scan of totals.
pub(super) fn totals_per_block(case: &Case) -> u32 {
    let coarsen = case.coarsen.max(LEAST_TOTALS_PER_BLOCK.div_ceil(case.block.max(1)));
    per_block(&Case { coarsen, ..case.clone() })
}

/// Elements and elements per block of each scan: of the values, of their
/// totals, of the totals of those, until one block is enough.
pub(super) fn levels(case: &Case) -> Vec<(u64, u32)> {
    let mut levels = vec![(case.n, per_block(case))];
    while let Some(&(n, per_block)) = levels.last() {
        let totals = u64::from(blocks_for(n, per_block));
        if totals == 1 {
            break;
        }
        levels.push((totals, totals_per_block(case)));
    }
    levels
}

/// Whether the totals are scanned on the CPU.
pub(super) fn totals_on_cpu(case: &Case) -> bool {
    case.variant.ends_with("totals=cpu")
}

pub(super) fn work(case: &Case) -> Work {
    let element = element(case);
    let mut levels = levels(case);
    if totals_on_cpu(case) {
        levels.truncate(1);
    }
    let totals: u64 =
        levels.iter().map(|&(n, per_block)| u64::from(blocks_for(n, per_block))).sum();
    let buffers = vec![
        Buffer::input("values", VALUES, element, case.n),
        Buffer::zeroed("sums", element, case.n as usize),
        Buffer::zeroed("totals", element, totals as usize),
    ];
    Work { module: SPEC.module, buffers, steps: steps(case, &levels) }
}

fn steps(case: &Case, levels: &[(u64, u32)]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut places = vec![Place { from: Arg::Buffer(VALUES), to: Arg::Buffer(SUMS) }];
    let mut byte = 0;
    for (level, &(n, per_block)) in levels.iter().enumerate() {
        let totals = Arg::BufferAt { buffer: TOTALS, byte };
        steps.push(scan(case, level, n, per_block, &places[level], totals.clone()).into());
        byte += 4 * u64::from(blocks_for(n, per_block));
        places.push(Place { from: totals.clone(), to: totals });
    }
    let several = blocks_for(case.n, per_block(case)) > 1;
    if several && totals_on_cpu(case) {
        steps.push(Step::Host(HostStage {
            phase: "scan totals",
            from: TOTALS,
            to: TOTALS,
            run: sums::exclusive_totals,
            args: Vec::new(),
        }));
        steps.push(add_back(case, 0, levels[0], &places[0], &places[1]).into());
    }
    // The last level is a single block, before which nothing lies.
    for level in (0..levels.len() - 1).rev() {
        let (to, offsets) = (&places[level], &places[level + 1]);
        steps.push(add_back(case, level, levels[level], to, offsets).into());
    }
    steps
}

/// Where the elements of a level are, and where their sums go.
#[derive(Debug)]
struct Place {
    from: Arg,
    to: Arg,
}

fn scan(case: &Case, level: usize, n: u64, per_block: u32, place: &Place, totals: Arg) -> Launch {
    let method = Method::of(case);
    let mut args =
        vec![place.from.clone(), place.to.clone(), totals, Arg::U32(n as u32), Arg::U32(per_block)];
    if let Method::Blelloch { .. } = method {
        args.push(Arg::U32(leaves(per_block) as u32));
    }
    // What lies before a block leaves its own total out.
    args.push(Arg::U32(u32::from(level > 0 || exclusive(case))));
    Launch {
        phase: if level == 0 { "scan blocks" } else { "scan totals" },
        kernel: format!("{}_{}", method.kernel(), suffix(element(case))),
        grid: Dim3::linear(blocks_for(n, per_block)),
        block: Dim3::linear(case.block),
        shared_bytes: method.shared_bytes(case.block, per_block),
        args,
    }
}

fn add_back(
    case: &Case,
    level: usize,
    (n, per_block): (u64, u32),
    place: &Place,
    offsets: &Place,
) -> Launch {
    Launch {
        phase: if level == 0 { "add back" } else { "scan totals" },
        kernel: format!("scan_add_back_{}", suffix(element(case))),
        grid: Dim3::linear(blocks_for(n, per_block)),
        block: Dim3::linear(case.block),
        shared_bytes: 0,
        args: vec![place.to.clone(), offsets.to.clone(), Arg::U32(n as u32), Arg::U32(per_block)],
    }
}
