//! The variants: one choice for each of the three stages.

use super::super::Variant;

/// How the keys are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Histogram {
    /// A global atomic per key.
    Global,
    /// Private counters per block.
    Shared,
    /// The same, with four keys per load and four loads under way.
    Wide,
}

/// How the counts become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// One thread adds them up.
    SingleThread,
    /// Hillis-Steele in shared memory.
    Shared,
    /// Shuffles within warps.
    Warps,
}

/// How the keys find their places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reorder {
    /// A global atomic cursor per digit.
    Global,
    /// Private cursors per block.
    Shared,
    /// Places that follow from counts, so that order is kept.
    Stable,
    /// The same order; tiles are sorted by digit before they are written.
    Staged,
    /// The same order; each tile looks back at what earlier ones have counted.
    OneSweep,
    /// Any order; tiles are sorted by digit, and reserve their places by atomics.
    Reserve,
}

impl Reorder {
    /// Whether keys of a digit keep the order they came in.
    pub(super) fn keeps_order(self) -> bool {
        matches!(self, Self::Stable | Self::Staged | Self::OneSweep)
    }

    /// Whether it takes counts per block.
    pub(super) fn takes_table(self) -> bool {
        matches!(self, Self::Stable | Self::Staged)
    }

    /// Whether it takes the keys of a tile in one sweep, with kernels of its own.
    pub(super) fn sweeps(self) -> bool {
        matches!(self, Self::OneSweep | Self::Reserve)
    }
}

/// One choice for each stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stages {
    pub(super) histogram: Histogram,
    pub(super) scan: Scan,
    pub(super) reorder: Reorder,
}

impl Stages {
    /// The stages that a variant's name spells out.
    pub(super) fn of(variant: &str) -> Self {
        let has = |stage: &str| variant.split('+').any(|word| word == stage);
        Self {
            histogram: if has("histogram=global") {
                Histogram::Global
            } else if has("histogram=wide") {
                Histogram::Wide
            } else {
                Histogram::Shared
            },
            scan: if has("scan=single-thread") {
                Scan::SingleThread
            } else if has("scan=warps") {
                Scan::Warps
            } else {
                Scan::Shared
            },
            reorder: if has("reorder=global") {
                Reorder::Global
            } else if has("reorder=shared") {
                Reorder::Shared
            } else if has("reorder=stable") {
                Reorder::Stable
            } else if has("reorder=one-sweep") {
                Reorder::OneSweep
            } else if has("reorder=reserve") {
                Reorder::Reserve
            } else {
                Reorder::Staged
            },
        }
    }
}

/// Every combination of the first stages, from the naive one to the one that writes whole
/// runs, and the two that sweep once. A short name has the histogram, the threads of the scan
/// (one, many or warps), and the reorder.
pub(super) const VARIANTS: &[Variant] = &[
    Variant::new(
        "histogram=global+scan=single-thread+reorder=global",
        "the naive pipeline: two global atomics per key, one thread adds up",
    )
    .idea("two global atomics per key")
    .short("global/1/global"),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=global",
        "private counters per block; the rest naive",
    )
    .idea("private counters")
    .short("shared/1/global"),
    Variant::new(
        "histogram=global+scan=shared+reorder=global",
        "the counts scanned by a block in shared memory; the rest naive",
    )
    .idea("a parallel scan")
    .short("global/n/global"),
    Variant::new(
        "histogram=shared+scan=shared+reorder=global",
        "private counters and a block scan; a global atomic cursor per digit",
    )
    .idea("private counters, parallel scan")
    .short("shared/n/global"),
    Variant::new(
        "histogram=global+scan=single-thread+reorder=shared",
        "private cursors per block; the rest naive",
    )
    .idea("private cursors")
    .short("global/1/shared"),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=shared",
        "private counters and cursors; one thread adds up",
    )
    .idea("private counters and cursors")
    .short("shared/1/shared"),
    Variant::new(
        "histogram=global+scan=shared+reorder=shared",
        "a block scan and private cursors; a global atomic per key counted",
    )
    .idea("private cursors, parallel scan")
    .short("global/n/shared"),
    Variant::new(
        "histogram=shared+scan=shared+reorder=shared",
        "private counters, a block scan, private cursors",
    )
    .idea("all counts private, parallel scan")
    .short("shared/n/shared"),
    Variant::new(
        "histogram=global+scan=single-thread+reorder=stable",
        "order kept by counts per block and warp; the rest naive",
    )
    .idea("order kept by counts per warp")
    .short("global/1/stable"),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=stable",
        "order kept; private counters; one thread adds up a table of digits x blocks",
    )
    .idea("order kept, private counters")
    .short("shared/1/stable"),
    Variant::new(
        "histogram=global+scan=shared+reorder=stable",
        "order kept; a block scan per digit; a global atomic per key counted",
    )
    .idea("order kept, parallel scan")
    .short("global/n/stable"),
    Variant::new(
        "histogram=shared+scan=shared+reorder=stable",
        "order kept; private counters, a block scan per digit",
    )
    .idea("order kept, both in shared memory")
    .short("shared/n/stable"),
    Variant::new(
        "histogram=global+scan=single-thread+reorder=staged",
        "tiles sorted by digit before they are written; the rest naive",
    )
    .idea("tiles sorted before writing")
    .short("global/1/staged"),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=staged",
        "tiles sorted first; private counters; one thread adds up a table of digits x blocks",
    )
    .idea("sorted tiles, private counters")
    .short("shared/1/staged"),
    Variant::new(
        "histogram=global+scan=shared+reorder=staged",
        "tiles sorted first; a block scan per digit; a global atomic per key counted",
    )
    .idea("sorted tiles, parallel scan")
    .short("global/n/staged"),
    Variant::new(
        "histogram=shared+scan=shared+reorder=staged",
        "tiles sorted first, written in runs; private counters, a block scan per digit",
    )
    .idea("sorted tiles, both in shared memory")
    .short("shared/n/staged"),
    Variant::new(
        "histogram=wide+scan=warps+reorder=one-sweep",
        "wide loads to count; tiles look back at each other, so keys are ordered in one sweep",
    )
    .idea("tiles look back, wide loads")
    .short("wide/w/sweep"),
    Variant::new(
        "histogram=wide+scan=warps+reorder=reserve",
        "wide loads to count; a tile reserves its places by an atomic per digit, in any order",
    )
    .idea("order given up, places reserved")
    .short("wide/w/reserve"),
];
