//! The neutral chart model: what a figure shows, before anyone draws it.
//!
//! The chart on the screen and the exported picture draw the same [`Figure`],
//! so they cannot disagree.

use crate::measurement::{Provenance, Record};

/// A chart, ready to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// What is shown, such as `histogram: time by input size`.
    pub title: String,
    /// What all series share: bins, distribution, device.
    pub subtitle: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Provenance and device of everything shown.
    pub caption: String,
    /// The command that makes these numbers again.
    pub command: String,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name with unit, such as `kernel time (s)`.
    pub label: String,
    /// How values map to positions.
    pub scale: Scale,
    /// How values are written.
    pub unit: Unit,
}

/// How values map to positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Powers of two at equal distances.
    Log2,
    /// Powers of ten at equal distances.
    Log10,
}

/// How the values of an axis are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Input elements: `2^20`.
    Elements,
    /// Seconds: `12.4 µs`.
    Seconds,
    /// Elements per second.
    ElementsPerSecond,
    /// Bytes per second.
    BytesPerSecond,
    /// A factor: `3.2x`.
    Ratio,
    /// A plain count, such as threads per block.
    Count,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend: `shared · 128 · x4`.
    pub label: String,
    /// Where its numbers come from, as shown: `modelled · H200 SXM · unvalidated`.
    pub provenance_label: String,
    /// Where its numbers come from.
    pub provenance: Provenance,
    /// Picks marker and colour; the same in every rendering.
    pub style: usize,
    /// Points by ascending x.
    pub points: Vec<Point>,
}

/// One point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Position on the x axis, in its unit.
    pub x: f64,
    /// Position on the y axis, in its unit.
    pub y: f64,
    /// Lower and upper quartile in y's unit, where several samples were taken.
    pub band: Option<(f64, f64)>,
    /// Index of the record in the slice that [`build`] was given.
    pub record: usize,
}

/// What a figure puts on its axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Horizontal axis.
    pub x: XAxis,
    /// Vertical axis.
    pub y: YAxis,
    /// Whether x is logarithmic.
    pub log_x: bool,
    /// Whether y is logarithmic.
    pub log_y: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { x: XAxis::N, y: YAxis::Time, log_x: true, log_y: true }
    }
}

/// What runs along x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XAxis {
    /// Input elements.
    N,
    /// Threads per block.
    Block,
    /// Work units per thread.
    Coarsen,
}

/// What runs along y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YAxis {
    /// Kernel time.
    Time,
    /// Elements over time.
    Throughput,
    /// Bytes that the algorithm must move, over time.
    Bandwidth,
    /// Time of the first variant over time, at the same x.
    Speedup,
}

/// Draws up the figure of `records`. Skipped, wrong and trapped cases, and
/// n = 0 on a logarithmic axis, have no point.
pub fn build(records: &[Record], choice: Choice) -> Figure {
    let _ = (records, choice);
    Figure {
        title: String::new(),
        subtitle: String::new(),
        x: Axis { label: String::new(), scale: Scale::Log2, unit: Unit::Elements },
        y: Axis { label: String::new(), scale: Scale::Log10, unit: Unit::Seconds },
        series: Vec::new(),
        caption: String::new(),
        command: String::new(),
    }
}
