//! Which two results are compared, and why one of them is the faster one.

use super::chart::{Chart, Layer, point_at, short_label};
use crate::explain::{self, Explanation, Silence};
use crate::figure::Series;
use crate::measurement::Record;

/// The explanation of the pair that is compared; of a single result where there
/// is no pair; nothing where nothing is shown.
pub fn explain(chart: &Chart) -> Option<Result<Explanation, Silence>> {
    if let Some(Pair { slow, fast, .. }) = pair(chart) {
        return Some(explain::difference(slow, fast));
    }
    let newest = [Layer::Live, Layer::Pinned, Layer::Recorded]
        .into_iter()
        .find_map(|layer| chart.series().iter().find(|series| chart.layer(series) == layer))?;
    let crossed = chart.crosshair.and_then(|x| point_at(newest, x));
    Some(explain::one(chart.record(crossed.or(newest.points.last())?)?))
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
}

/// The pair to compare: of the newest layer with two variants that agree in
/// everything but the variant, at the crosshair or else at the largest n they
/// share; the two that differ most.
pub fn pair(chart: &Chart) -> Option<Pair<'_>> {
    for layer in [Layer::Live, Layer::Pinned, Layer::Recorded] {
        let series: Vec<&Series> =
            chart.series().iter().filter(|series| chart.layer(series) == layer).collect();
        let mut best: Option<(f64, &Record, &Record, &Series, &Series)> = None;
        for (index, a) in series.iter().enumerate() {
            for b in series.iter().skip(index + 1) {
                let Some((first, second)) = common(chart, a, b) else { continue };
                let (Some(x), Some(y)) = (first.median(), second.median()) else { continue };
                if !alike(first, second) || x <= 0.0 || y <= 0.0 {
                    continue;
                }
                let ratio = (x / y).max(y / x);
                let better = best.as_ref().is_none_or(|(found, ..)| ratio > *found);
                if better {
                    best = Some(if x >= y {
                        (ratio, first, second, *a, *b)
                    } else {
                        (ratio, second, first, *b, *a)
                    });
                }
            }
        }
        if let Some((_, slow, fast, slower, faster)) = best {
            return Some(Pair {
                slow,
                fast,
                slow_label: short_label(slower),
                fast_label: short_label(faster),
            });
        }
    }
    None
}

/// What two curves have at the crosshair, or else at the largest x of both.
fn common<'a>(chart: &'a Chart, a: &Series, b: &Series) -> Option<(&'a Record, &'a Record)> {
    let crossed = chart.crosshair.and_then(|x| point_at(a, x));
    let crossed = crossed.filter(|point| point_at(b, point.x).is_some());
    crossed.into_iter().chain(a.points.iter().rev()).find_map(|point| {
        let other = point_at(b, point.x)?;
        Some((chart.record(point)?, chart.record(other)?))
    })
}

/// Whether only the variant differs.
fn alike(a: &Record, b: &Record) -> bool {
    a.variant != b.variant
        && a.algorithm == b.algorithm
        && a.block == b.block
        && a.coarsen == b.coarsen
        && a.params == b.params
        && a.dist == b.dist
        && a.device == b.device
        && a.provenance == b.provenance
}
