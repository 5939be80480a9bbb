//! Neutral charts. The chart on the screen and the exported picture draw the same
//! [`Figure`], so they cannot disagree.

mod axis;
mod baseline;
pub mod breakdown;
mod caption;
mod command;
mod devices;
pub mod facts;
pub mod ladder;
pub mod listing;
pub mod marks;
pub mod output;
pub mod pen;
pub mod phases;
mod picture;
pub mod roofline;
mod series;
pub mod step;
pub mod tune;

pub use axis::Tick;
pub use baseline::{Baseline, Curve};
pub use command::{command, command_for, command_of, wrapped};
pub use picture::{Kernels, Picture, Words};

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use clap::ValueEnum;

use crate::algorithms;
use crate::analysis::compare::pairs::NoBaseline;
use crate::analysis::limit::limit;
pub use crate::results::record::{Phase, PhaseKind, Provenance};
use crate::results::record::{Record, Summary};
use series::Grouped;

/// A chart, ready to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// `histogram: kernel time by input size`.
    pub title: String,
    /// Settings that all series share.
    pub subtitle: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Curves, in the order of the legend.
    pub series: Vec<Series>,
    /// Provenance and device of everything shown.
    pub caption: String,
    /// The commands that reproduce the numbers and draw them, one per line.
    pub command: String,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Name, such as `measured kernel time (median)`; ticks carry the unit.
    pub label: String,
    /// The mapping of values to positions.
    pub scale: Scale,
    /// The format of values.
    pub unit: Unit,
}

/// The mapping of values to positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Powers of two at equal distances.
    Log2,
    /// Powers of ten at equal distances.
    Log10,
}

/// The format of the values of an axis.
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
    /// Operations per second.
    OperationsPerSecond,
    /// Floating-point operations per second.
    FlopsPerSecond,
    /// Operations per byte.
    OperationsPerByte,
    /// A share, as a percentage: `32 %`.
    Share,
    /// A factor: `3.2x`.
    Ratio,
    /// A plain count, such as threads per block.
    Count,
    /// A value of an output, such as `1 234 567` or `0.25`.
    Number,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend: `shared · 128 · x4`.
    pub label: String,
    /// The same with the variant's short name, without provenance and device.
    pub brief: String,
    /// Provenance, device and flags: `modelled · H200 SXM · unvalidated`.
    pub provenance_label: String,
    /// Its provenance.
    pub provenance: Provenance,
    /// Hue, marker, lightness and line.
    pub pen: pen::Pen,
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

/// The axes of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Horizontal axis.
    pub x: XAxis,
    /// Vertical axis.
    pub y: YAxis,
    /// The time behind the vertical axis.
    pub time: Time,
    /// Whether x is logarithmic.
    pub log_x: bool,
    /// Whether y is logarithmic.
    pub log_y: bool,
}

impl Default for Choice {
    fn default() -> Self {
        Self { x: XAxis::N, y: YAxis::Time, time: Time::Kernels, log_x: true, log_y: true }
    }
}

/// A time of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Time {
    /// Kernel time.
    #[default]
    Kernels,
    /// Kernel time, host stages and the copies between them.
    EndToEnd,
}

impl Time {
    /// Its median.
    pub fn of(self, record: &Record) -> Option<f64> {
        match self {
            Self::Kernels => record.median(),
            Self::EndToEnd => record.end_to_end(),
        }
    }

    /// Its samples and quartiles where they are stored, else its median alone.
    pub fn summary(self, record: &Record) -> Option<Cow<'_, Summary>> {
        let kernels = record.seconds.as_ref()?;
        if self == Self::Kernels || !record.has_host_stages() {
            return Some(Cow::Borrowed(kernels));
        }
        if let Some(whole) = &record.end_to_end {
            return Some(Cow::Borrowed(whole));
        }
        record.end_to_end().map(|median| Cow::Owned(Summary::of(median)))
    }

    /// The time by which `records` compare fairly: end to end where only some cases of an
    /// algorithm have host stages.
    pub fn fitting<'a>(records: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut seen: BTreeMap<&str, bool> = BTreeMap::new();
        let timed = |record: &&Record| record.seconds.is_some() && record.outcome().is_result();
        for record in records.into_iter().filter(timed) {
            let host = record.has_host_stages();
            if *seen.entry(&record.algorithm).or_insert(host) != host {
                return Self::EndToEnd;
            }
        }
        Self::Kernels
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kernels => "kernel time",
            Self::EndToEnd => "end-to-end time",
        }
    }
}

/// The horizontal axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum XAxis {
    /// Input elements.
    N,
    /// Threads per block.
    Block,
    /// Work units per thread.
    Coarsen,
}

/// The vertical axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum YAxis {
    /// Time.
    #[default]
    Time,
    /// Elements per second.
    Throughput,
    /// Minimum traffic in bytes per second.
    Bandwidth,
    /// Floating-point operations per second, of algorithms that do some
    Flops,
    /// Least time that the device's peak rates allow, divided by time
    Limit,
    /// Time of the baseline divided by time, at the same x.
    Speedup,
}

impl YAxis {
    /// Every quantity, in the order in which a key goes through them.
    pub const ALL: [Self; 6] =
        [Self::Time, Self::Throughput, Self::Bandwidth, Self::Flops, Self::Limit, Self::Speedup];

    /// Whether any of `records` has it.
    pub fn applies(self, records: &[Record]) -> bool {
        match self {
            Self::Flops => records.iter().any(|record| record.flops > 0),
            Self::Limit => records.iter().any(|record| limit(record).is_some()),
            _ => true,
        }
    }

    /// Whether it is read from zero, on a linear axis.
    pub fn is_from_zero(self) -> bool {
        matches!(self, Self::Limit | Self::Speedup)
    }
}

/// Additions to the records of a figure.
#[derive(Debug, Clone, Copy, Default)]
pub struct Beside<'a> {
    /// Baseline of a speed-up; by default the first variant of each algorithm.
    pub baseline: Option<&'a Baseline>,
    /// For each record, the stored run that it comes from. Runs have curves of their own. May
    /// be empty.
    pub runs: &'a [Option<Arc<str>>],
}

/// The figure of `records`. Skipped and failed cases, and n = 0 on a logarithmic axis, have
/// no point.
///
/// The records of a series agree in all but x. Its label names the variant and what differs
/// between series. A variant keeps hue and marker whatever else is shown: see [`pen`].
pub fn build(records: &[Record], choice: Choice) -> Figure {
    build_beside(records, choice, Beside::default())
        .unwrap_or_else(|_| figure(records, choice, Beside::default(), Grouped::default()))
}

/// As [`build`], with a chosen baseline or several runs.
///
/// # Errors
/// If no record belongs to the baseline.
pub fn build_beside(
    records: &[Record],
    choice: Choice,
    beside: Beside,
) -> Result<Figure, NoBaseline> {
    series::group(records, choice, beside).map(|drawn| figure(records, choice, beside, drawn))
}

fn figure(records: &[Record], choice: Choice, beside: Beside, drawn: Grouped) -> Figure {
    let mixed = caption::mixed(&drawn.series);
    let mut figure = Figure {
        title: caption::title(records, choice),
        subtitle: drawn.shared,
        x: x_axis(records, choice),
        y: y_axis(choice, &drawn.baseline, &drawn.series, mixed.is_some()),
        caption: caption::caption(records, &drawn.series, mixed, choice.time),
        command: command::of_chart(&command_for(records), records, choice, beside),
        series: drawn.series,
    };
    figure.colour(None);
    figure
}

fn x_axis(records: &[Record], choice: Choice) -> Axis {
    let (label, unit) = match choice.x {
        XAxis::N => (format!("input size n ({})", noun(records)), Unit::Elements),
        XAxis::Block => ("block size (threads)".to_owned(), Unit::Count),
        XAxis::Coarsen => ("coarsening (work units per thread)".to_owned(), Unit::Count),
    };
    let scale = if choice.log_x { Scale::Log2 } else { Scale::Linear };
    Axis { label, scale, unit }
}

/// What n counts, if all records count the same.
fn noun(records: &[Record]) -> &'static str {
    let of = |record: &Record| Some(algorithms::find(&record.algorithm)?.size().noun);
    let first = records.first().and_then(of);
    let same = records.iter().all(|record| of(record) == first);
    first.filter(|_| same).unwrap_or("elements")
}

fn y_axis(choice: Choice, baseline: &str, series: &[Series], mixed: bool) -> Axis {
    // One provenance stands on the axis, several stand in the caption.
    let kind = match series.first() {
        Some(first) if !mixed => format!("{} ", first.provenance),
        _ => String::new(),
    };
    let time = choice.time.name();
    let (median, whole) = match choice.time {
        Time::Kernels => ("median", ""),
        Time::EndToEnd => ("end-to-end median", ", end to end"),
    };
    let (label, unit) = match choice.y {
        // A prediction has no samples, so no median.
        YAxis::Time if series.iter().all(Series::is_predicted) => {
            (format!("{kind}{time}"), Unit::Seconds)
        }
        YAxis::Time => (format!("{kind}{time} (median)"), Unit::Seconds),
        YAxis::Throughput => (format!("{kind}throughput (n / {median})"), Unit::ElementsPerSecond),
        YAxis::Bandwidth => {
            (format!("{kind}bandwidth (bytes moved / {median})"), Unit::BytesPerSecond)
        }
        YAxis::Flops => {
            (format!("{kind}arithmetic throughput (FLOP / {median})"), Unit::FlopsPerSecond)
        }
        YAxis::Limit => {
            (format!("{kind}share of the device's limit (least time / {median})"), Unit::Share)
        }
        YAxis::Speedup => (format!("{kind}speed-up over {baseline}{whole}"), Unit::Ratio),
    };
    let scale = match choice.y {
        _ if !choice.log_y => Scale::Linear,
        YAxis::Speedup => Scale::Log2,
        _ => Scale::Log10,
    };
    Axis { label, scale, unit }
}

impl Series {
    /// Whether its numbers are predictions.
    pub fn is_predicted(&self) -> bool {
        self.provenance == Provenance::Modelled
    }
}

impl Figure {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.series.iter().all(|series| series.points.is_empty())
    }

    /// Whether any point has an interquartile range.
    pub fn has_bands(&self) -> bool {
        self.points().any(|point| point.band.is_some())
    }

    /// The x values to show, a little wider than the points.
    pub fn x_range(&self) -> (f64, f64) {
        self.x.range(self.points().map(|point| point.x))
    }

    /// The y values to show, a little wider than points and bands.
    pub fn y_range(&self) -> (f64, f64) {
        self.y.range(self.points().flat_map(|point| {
            let (low, high) = point.band.unwrap_or((point.y, point.y));
            [point.y, low, high]
        }))
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }
}

#[cfg(test)]
mod tests;
