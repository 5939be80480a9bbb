//! One sentence on what made the difference, from the shown records alone; or
//! the answer to what the user just did.

use ratatui::layout::Rect;

use super::super::model::chart::{Chart, Layer, point_at, short_label};
use super::super::model::{Level, Model};
use super::{Ui, wrap};
use crate::figure::Series;
use crate::measurement::Record;
use crate::units::{Elements, significant};

/// A ratio below this is called no difference.
const LEAST_RATIO: f64 = 1.05;

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let notice = notice(ui.model);
    let mut lines: Vec<(String, ratatui::style::Style)> = Vec::new();
    let room = area.width.saturating_sub(2);
    let both = area.height > 1;
    if both || notice.is_none() {
        let rows = if notice.is_some() { 1 } else { usize::from(area.height) };
        let wordings: Vec<Vec<String>> =
            sentences(&ui.model.chart).iter().map(|text| wrap(text, room)).collect();
        let fitting = wordings.iter().find(|lines| lines.len() <= rows).or(wordings.last());
        let shown = fitting.into_iter().flatten().take(rows);
        lines.extend(shown.map(|line| (line.clone(), ui.theme.base)));
    }
    if let Some((text, level)) = notice {
        let style = match level {
            Level::Info => ui.theme.accent,
            Level::Good => ui.theme.good,
            Level::Bad => ui.theme.bad,
        };
        // A notice says one thing: it gets what is left, cut off at the end.
        lines.push((text, style));
    }
    for (row, (line, style)) in (0..area.height).zip(lines) {
        ui.text(area.x + 1, area.y + row, room, &line, style);
    }
}

/// What to say instead: an error in what is typed, its hint, or a notice.
fn notice(model: &Model) -> Option<(String, Level)> {
    if let Some(editor) = &model.form.editor {
        return Some(match &editor.error {
            Some(error) => (error.clone(), Level::Bad),
            None => (model.form.hint(model.form.field), Level::Info),
        });
    }
    model.notice.as_ref().map(|notice| (notice.text.clone(), notice.level))
}

/// The difference between two curves at the largest size that both have:
/// wordings from long to short, none without two curves to compare.
pub(super) fn sentences(chart: &Chart) -> Vec<String> {
    let Some((slow, fast, slow_label, fast_label)) = pair(chart) else { return Vec::new() };
    let (Some(slow_time), Some(fast_time)) = (slow.median(), fast.median()) else {
        return Vec::new();
    };
    let n = Elements(fast.n);
    let source = fast.provenance_label();
    let ratio = slow_time / fast_time;
    if ratio < LEAST_RATIO {
        let even = "take the same time within 5 %";
        return vec![
            format!("{fast_label} and {slow_label} {even} at n = {n} ({source})"),
            format!("both {even} at n = {n} ({source})"),
        ];
    }
    let faster = format!("{fast_label} is {}× faster", significant(ratio));
    let plainly = format!("{faster} than {slow_label} at n = {n} ({source})");
    let mut sentences = Vec::new();
    if let (Some(slow), Some(fast)) = (&slow.model, &fast.model) {
        let (slow, fast) = (plain(&slow.bound_by), plain(&fast.bound_by));
        let limits = if slow == fast {
            format!("both limited by {slow}")
        } else {
            format!("{slow_label} limited by {slow}, {fast_label} by {fast}")
        };
        sentences.push(format!("{plainly}: the model sees {limits}"));
    }
    sentences.push(plainly);
    sentences.push(format!("{faster} at n = {n} ({source})"));
    sentences
}

/// `l2_atomics` in words.
fn plain(name: &str) -> String {
    name.replace('_', " ").replace("l2", "L2").replace("dram", "DRAM")
}

/// Slower and faster record with the labels of their curves: of the newest
/// layer with two variants that agree in everything but the variant, at the
/// largest n they share; the pair that differs most.
fn pair(chart: &Chart) -> Option<(&Record, &Record, String, String)> {
    for layer in [Layer::Live, Layer::Pinned, Layer::Recorded] {
        let series: Vec<&Series> =
            chart.series().iter().filter(|series| chart.layer(series) == layer).collect();
        let mut best: Option<(f64, &Record, &Record, &Series, &Series)> = None;
        for (index, a) in series.iter().enumerate() {
            for b in series.iter().skip(index + 1) {
                let Some((first, second)) = largest_common(chart, a, b) else { continue };
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
            return Some((slow, fast, short_label(slower), short_label(faster)));
        }
    }
    None
}

fn largest_common<'a>(
    chart: &'a Chart,
    a: &Series,
    b: &Series,
) -> Option<(&'a Record, &'a Record)> {
    a.points.iter().rev().find_map(|point| {
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
