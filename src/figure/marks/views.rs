//! The marks of each kind of view.

use super::{Columns, Extent, Grid, Line, Mark, Panel, Points, range};
use crate::figure::{Axis, Scale, Unit};
use crate::units::decimal;
use crate::work::view::Extremes;
use crate::work::{Bars, BeforeAfter, Bins, Curve, Heat, Partitions, Scatter, View};

/// The panels that draw a view; none where it holds no finite value.
pub fn panels(view: &View) -> Vec<Panel> {
    let panels = match view {
        View::Bins(bins) => of_bins(bins),
        View::Bars(bars) => of_bars(bars),
        View::Curve(curve) => of_curve(curve),
        View::Heat(heat) => of_heat(heat),
        View::Partitions(partitions) => of_partitions(partitions),
        View::BeforeAfter(view) => of_before_after(view),
        View::Scatter(scatter) => of_scatter(scatter),
    };
    panels.unwrap_or_default()
}

/// A drawing of one panel.
fn alone(mark: Mark) -> Vec<Panel> {
    vec![Panel { mark, share: 1.0, optional: false }]
}

/// An axis of values in equal steps.
fn linear(label: String, unit: Unit) -> Axis {
    Axis { label, scale: Scale::Linear, unit }
}

/// An axis of `count` elements; their numbers are written in full while short.
fn elements(label: &str, count: u64) -> Axis {
    linear(label.to_owned(), if count < 10_000 { Unit::Count } else { Unit::Number })
}

/// Columns of values, each the mean of `per_column` elements.
fn columns(x: &str, y: &str, heights: Vec<Option<f64>>, per_column: u64, count: u64) -> Columns {
    let mean =
        if per_column > 1 { format!(", mean of {per_column} neighbours") } else { String::new() };
    Columns {
        name: "",
        x: elements(x, count),
        y: linear(format!("{y}{mean}"), Unit::Number),
        heights,
        per_column: per_column.max(1) as f64,
        count,
        level: None,
        range: None,
        sampled: false,
        style: 0,
    }
}

/// Columns of counts, each summed over `per_column` elements, and their mean.
fn counts(x: &str, y: &str, sums: &[u64], per_column: u64, count: u64, total: u64) -> Columns {
    let mut columns = columns(x, y, Vec::new(), per_column, count);
    let mean = |(index, sum): (usize, &u64)| {
        let (from, to) = columns.span(index);
        Some(*sum as f64 / (to - from).max(1.0))
    };
    let heights = sums.iter().enumerate().map(mean).collect();
    let even = total as f64 / count.max(1) as f64;
    // Large numbers are written like those on the axis.
    let written = decimal(if even < 1e4 { even } else { even.round() });
    columns.heights = heights;
    columns.level = Some((even, format!("even share {written}")));
    columns
}

fn of_bins(bins: &Bins) -> Option<Vec<Panel>> {
    let x = bins.width.map(|width| format!("bin, each {} wide", decimal(width)));
    let (x, y) = (x.as_deref().unwrap_or("bin"), format!("{} per bin", bins.counted()));
    (bins.bins > 0).then(|| {
        let columns = counts(x, &y, &bins.counts, bins.per_column, bins.bins, bins.total);
        alone(Mark::Columns(columns))
    })
}

fn of_bars(bars: &Bars) -> Option<Vec<Panel>> {
    bars.extremes?;
    let numbers = bars.bars.saturating_sub(bars.not_finite).max(1) as f64;
    let mean = bars.total.map(|total| total / numbers);
    Some(alone(Mark::Columns(Columns {
        level: mean.map(|mean| (mean, format!("mean {}", decimal(mean)))),
        ..columns("block", &bars.label, bars.values.clone(), bars.per_column, bars.bars)
    })))
}

fn of_curve(curve: &Curve) -> Option<Vec<Panel>> {
    let Extremes { lowest, highest } = curve.extremes?;
    let last = curve.n.saturating_sub(1) as f64;
    let per_column = curve.per_column as f64;
    let columns = curve.lows.iter().zip(&curve.highs).enumerate();
    let places: Vec<_> = columns
        .map(|(column, (low, high))| {
            let middle = (column as f64 + 0.5) * per_column - 0.5;
            Some((middle.clamp(0.0, last), (*low)?, (*high)?))
        })
        .collect();
    let runs = places.split(Option::is_none).filter(|run| !run.is_empty());
    let (mut steps, mut steps_label) = (Vec::new(), String::new());
    if let Some(blocks) = &curve.blocks {
        let elements = blocks.elements as f64 * blocks.every as f64;
        for (index, offset) in blocks.offsets.iter().enumerate() {
            let from = index as f64 * elements;
            let offset = offset.filter(|_| from <= last);
            steps.extend(offset.map(|offset| (from, (from + elements).min(last), offset)));
        }
        steps_label = match blocks.every {
            0 | 1 => "offset of each block".to_owned(),
            every => format!("offset of one block in {every}"),
        };
    }
    Some(alone(Mark::Line(Line {
        x: elements("element", curve.n),
        y: linear(curve.label.clone(), Unit::Number),
        count: curve.n,
        runs: runs.map(|run| run.iter().copied().flatten().collect()).collect(),
        range: (lowest.1.min(0.0), highest.1.max(0.0)),
        steps,
        steps_label,
    })))
}

fn of_heat(heat: &Heat) -> Option<Vec<Panel>> {
    Some(alone(Mark::Grid(Grid {
        x: Extent { name: "column", count: heat.columns },
        y: Some(Extent { name: "row", count: heat.rows }),
        rows: heat.down as usize,
        columns: heat.across as usize,
        range: range(&heat.values)?,
        values: heat.values.clone(),
        categories: false,
        unit: "",
    })))
}

fn of_partitions(view: &Partitions) -> Option<Vec<Panel>> {
    let last = view.parts.checked_sub(1).filter(|_| !view.columns.is_empty())?;
    let strip = Grid {
        x: Extent { name: "element", count: view.n },
        y: None,
        rows: 1,
        columns: view.columns.len(),
        values: view.columns.iter().map(|part| part.map(|part| part as f64)).collect(),
        range: (0.0, last as f64),
        categories: true,
        unit: "partition",
    };
    let y = "elements per partition";
    let sizes = counts("partition", y, &view.sizes, view.per_size, view.parts, view.n);
    Some(vec![
        Panel { mark: Mark::Grid(strip), share: 1.0 / 3.0, optional: false },
        Panel { mark: Mark::Columns(sizes), share: 2.0 / 3.0, optional: true },
    ])
}

fn of_before_after(view: &BeforeAfter) -> Option<Vec<Panel>> {
    let Extremes { lowest, highest } = view.extremes?;
    let panel = |name, values: &[Option<f64>], style| {
        let y = format!("value of the element {name}");
        let mark = Mark::Columns(Columns {
            name,
            per_column: view.n as f64 / values.len().max(1) as f64,
            range: Some((lowest.1, highest.1)),
            sampled: true,
            style,
            ..columns("element", &y, values.to_vec(), 1, view.n)
        });
        Panel { mark, share: 0.5, optional: name == "before" }
    };
    Some(vec![panel("before", &view.before, 0), panel("after", &view.after, 1)])
}

fn of_scatter(scatter: &Scatter) -> Option<Vec<Panel>> {
    let middle = |x: u32, y: u32| (f64::from(x) + 0.5, f64::from(y) + 0.5);
    let (x, y) = scatter.origin;
    let points = scatter.points.iter().map(|&(x, y)| middle(x, y));
    let dominant = scatter.dominant.iter().map(|peak| middle(peak.x, peak.y));
    (scatter.width > 0 && scatter.height > 0).then(|| {
        alone(Mark::Points(Points {
            x: Extent { name: "column", count: scatter.width },
            y: Extent { name: "row", count: scatter.height },
            points: ("peak", points.collect()),
            marked: ("dominant peak", dominant.collect()),
            origin: (x + 0.5, y + 0.5),
            vectors: scatter.vectors.clone(),
        }))
    })
}
