//! The variants: one choice for each of the three stages.

use super::super::Variant;

/// How the keys are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Histogram {
    /// A global atomic per key.
    Global,
    /// Private counters per block.
    Shared,
}

/// How the counts become places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// One thread adds them up.
    SingleThread,
    /// Hillis-Steele in shared memory.
    Shared,
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
}

impl Reorder {
    /// Whether keys of a digit keep the order they came in. Takes counts per block.
    pub(super) fn keeps_order(self) -> bool {
        matches!(self, Self::Stable | Self::Staged)
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
            histogram: if has("histogram=global") { Histogram::Global } else { Histogram::Shared },
            scan: if has("scan=single-thread") { Scan::SingleThread } else { Scan::Shared },
            reorder: if has("reorder=global") {
                Reorder::Global
            } else if has("reorder=shared") {
                Reorder::Shared
            } else if has("reorder=stable") {
                Reorder::Stable
            } else {
                Reorder::Staged
            },
        }
    }
}

/// Every combination, from the naive one to the one that writes whole runs.
pub(super) const VARIANTS: &[Variant] = &[
    Variant::new(
        "histogram=global+scan=single-thread+reorder=global",
        "the naive pipeline: two global atomics per key, one thread adds up",
    ),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=global",
        "private counters per block; the rest naive",
    ),
    Variant::new(
        "histogram=global+scan=shared+reorder=global",
        "the counts scanned by a block in shared memory; the rest naive",
    ),
    Variant::new(
        "histogram=shared+scan=shared+reorder=global",
        "private counters and a block scan; a global atomic cursor per digit",
    ),
    Variant::new(
        "histogram=global+scan=single-thread+reorder=shared",
        "private cursors per block; the rest naive",
    ),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=shared",
        "private counters and cursors; one thread adds up",
    ),
    Variant::new(
        "histogram=global+scan=shared+reorder=shared",
        "a block scan and private cursors; a global atomic per key counted",
    ),
    Variant::new(
        "histogram=shared+scan=shared+reorder=shared",
        "private counters, a block scan, private cursors",
    ),
    Variant::new(
        "histogram=global+scan=single-thread+reorder=stable",
        "order kept by counts per block and warp; the rest naive",
    ),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=stable",
        "order kept; private counters; one thread adds up a table of digits x blocks",
    ),
    Variant::new(
        "histogram=global+scan=shared+reorder=stable",
        "order kept; a block scan per digit; a global atomic per key counted",
    ),
    Variant::new(
        "histogram=shared+scan=shared+reorder=stable",
        "order kept; private counters, a block scan per digit",
    ),
    Variant::new(
        "histogram=global+scan=single-thread+reorder=staged",
        "tiles sorted by digit before they are written; the rest naive",
    ),
    Variant::new(
        "histogram=shared+scan=single-thread+reorder=staged",
        "tiles sorted first; private counters; one thread adds up a table of digits x blocks",
    ),
    Variant::new(
        "histogram=global+scan=shared+reorder=staged",
        "tiles sorted first; a block scan per digit; a global atomic per key counted",
    ),
    Variant::new(
        "histogram=shared+scan=shared+reorder=staged",
        "tiles sorted first, written in runs; private counters, a block scan per digit",
    ),
];
