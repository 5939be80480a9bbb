//! Which two results are compared.

use crate::analysis::compare::{Comparison, Side};
use crate::analysis::explain::Span;
use crate::analysis::{compare, explain};
use crate::figure::{Series, Time};
use crate::results::record::Record;
use crate::tui::screens::sweep::state::{Chart, Layer, point_at, short_label};

/// The result to explain where there is no pair: of the newest curve, at the crosshair or
/// the largest n.
pub(crate) fn single(chart: &Chart) -> Option<&Record> {
    let newest = [Layer::Live, Layer::Pinned, Layer::Recorded]
        .into_iter()
        .find_map(|layer| chart.series().iter().find(|series| chart.layer(series) == layer))?;
    let crossed = chart.cross().and_then(|x| point_at(newest, x));
    chart.record(crossed.or(newest.points.last())?)
}

/// The part of the time that an explanation is about.
pub(crate) fn span(time: Time) -> Span {
    match time {
        Time::EndToEnd => Span::EndToEnd,
        Time::Kernels => Span::Kernels,
    }
}

/// Two records to compare, with the labels of their curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair<'a> {
    /// The slower one.
    pub slow: &'a Record,
    /// The faster one.
    pub fast: &'a Record,
    /// Curve of the slower one.
    pub slow_label: String,
    /// Curve of the faster one.
    pub fast_label: String,
    /// The two in [`Chart::records`]: slower, faster.
    pub places: (usize, usize),
}

/// A comparison of two records, which costs too much for every frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    places: (usize, usize),
    time: Time,
    comparison: Option<Comparison>,
}

/// Compares the pair that the chart shows now, unless that is the last one compared.
pub fn remember(chart: &mut Chart) {
    let time = chart.choice.time;
    let verdict = pair(chart).map(|pair| Verdict {
        places: pair.places,
        time,
        comparison: compared(chart, &pair),
    });
    chart.verdict = verdict;
}

/// The comparison of a pair by the time that the chart shows.
pub fn compared(chart: &Chart, pair: &Pair) -> Option<Comparison> {
    let time = chart.choice.time;
    if let Some(known) = &chart.verdict
        && (known.places, known.time) == (pair.places, time)
    {
        return known.comparison;
    }
    let (slow, fast) = (time.summary(pair.slow)?, time.summary(pair.fast)?);
    let side = |seconds, record: &Record| Side { seconds, provenance: record.provenance };
    compare::compare(side(&*slow, pair.slow), side(&*fast, pair.fast), None)
}

/// The two records to compare: the first of [`pairs`].
pub fn pair(chart: &Chart) -> Option<Pair<'_>> {
    pairs(chart).into_iter().next()
}

/// The pairs of records to compare: of pinned curves and those that are not, or else of two
/// variants that agree in everything but the variant; at the crosshair or else at the largest
/// n they share. First the pair that differs most, then neighbours in the legend (each
/// variant and the next idea), then the others by their difference, last what takes the same
/// time.
pub fn pairs(chart: &Chart) -> Vec<Pair<'_>> {
    let of = |layer: Layer| -> Vec<&Series> {
        chart.series().iter().filter(|series| chart.layer(series) == layer).collect()
    };
    let (live, pinned, recorded) = (of(Layer::Live), of(Layer::Pinned), of(Layer::Recorded));
    let newest = if live.is_empty() { &recorded } else { &live };
    let overlaid = of(Layer::Overlaid);
    let kept = pinned.iter().chain(&overlaid).flat_map(|a| newest.iter().map(move |b| (*a, *b)));
    let kept = comparable(chart, kept, same_variant);
    if !kept.is_empty() {
        return kept;
    }
    [&live, &pinned, &recorded]
        .into_iter()
        .map(|layer| within(chart, layer))
        .find(|pairs| !pairs.is_empty())
        .unwrap_or_default()
}

/// The pairs of two variants among some curves.
fn within<'a>(chart: &'a Chart, layer: &[&'a Series]) -> Vec<Pair<'a>> {
    let first = layer.iter().enumerate();
    let pairs = first.flat_map(|(at, a)| layer[at + 1..].iter().map(move |b| (*a, *b)));
    comparable(chart, pairs, alike)
}

/// The pairs that are `comparable`, in the order of [`pairs`].
fn comparable<'a>(
    chart: &'a Chart,
    pairs: impl Iterator<Item = (&'a Series, &'a Series)>,
    comparable: fn(&Record, &Record) -> bool,
) -> Vec<Pair<'a>> {
    let (time, cross) = (chart.choice.time, chart.cross());
    let mut found: Vec<(f64, Option<usize>, Pair)> = Vec::new();
    for (a, b) in pairs {
        let Some((p, q)) = at_the_same_size(cross, a, b) else { continue };
        let (Some(first), Some(second)) = (chart.records.get(p), chart.records.get(q)) else {
            continue;
        };
        let (Some(x), Some(y)) = (time.of(first), time.of(second)) else { continue };
        if !comparable(first, second) || x <= 0.0 || y <= 0.0 {
            continue;
        }
        let ratio = (x / y).max(y / x);
        let (slow, fast, slower, faster, places) =
            if x >= y { (first, second, a, b, (p, q)) } else { (second, first, b, a, (q, p)) };
        let (slow_label, fast_label) = (short_label(slower), short_label(faster));
        let pair = Pair { slow, fast, slow_label, fast_label, places };
        found.push((ratio, neighbours(chart, a, b), pair));
    }
    // Of equal ratios the first stays first.
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if let Some((_, rest)) = found.split_first_mut() {
        rest.sort_by_key(|(ratio, next, _)| match next {
            _ if *ratio < explain::LEAST_RATIO => (2, 0),
            Some(place) => (0, *place),
            None => (1, 0),
        });
    }
    found.into_iter().map(|(.., pair)| pair).collect()
}

/// Where two curves that follow each other are in the legend.
fn neighbours(chart: &Chart, a: &Series, b: &Series) -> Option<usize> {
    let at = |one: &Series| chart.series().iter().position(|series| std::ptr::eq(series, one));
    let (a, b) = (at(a)?, at(b)?);
    (a.abs_diff(b) == 1).then(|| a.min(b))
}

/// Where the records of two curves are at the crosshair, or else at the largest n
/// of both.
fn at_the_same_size(cross: Option<f64>, a: &Series, b: &Series) -> Option<(usize, usize)> {
    let both = |x: f64| Some((point_at(a, x)?.record, point_at(b, x)?.record));
    let crossed = cross.and_then(both);
    crossed.or_else(|| a.points.iter().rev().find_map(|point| both(point.x)))
}

/// Whether a pinned curve and another are of the same variant.
fn same_variant(a: &Record, b: &Record) -> bool {
    a.algorithm == b.algorithm && a.variant == b.variant
}

/// Whether only the variant differs, and both do the same.
fn alike(a: &Record, b: &Record) -> bool {
    a.variant != b.variant
        && a.algorithm == b.algorithm
        && a.block == b.block
        && a.coarsen == b.coarsen
        && a.params == b.params
        && a.dist == b.dist
        && a.device == b.device
        && a.provenance == b.provenance
        && compare::task(a) == compare::task(b)
}
