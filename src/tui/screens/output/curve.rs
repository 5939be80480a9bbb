//! Curve: a value per element; where many share a column, all that lies
//! between their lowest and highest. The offset of each block as a step.

use ratatui::layout::Rect;

use crate::tui::screens::output::dots::{Place, Stroke};
use crate::tui::screens::output::{dots, several};
use crate::tui::widgets::ui::{Ui, width};
use crate::units::{decimal, grouped};
use crate::work::Curve;

/// Columns from which on the values are written at the side.
const LABELLED: u16 = 50;

pub(crate) fn draw(ui: &mut Ui, curve: &Curve, area: Rect) {
    let Some(range) = range(curve) else { return };
    let mut plot = area;
    if area.width >= LABELLED && area.height >= 2 {
        let (high, low) = (decimal(range.1), decimal(range.0));
        let gutter = width(&high).max(width(&low)) + 1;
        for (y, label) in [(area.y, &high), (area.bottom() - 1, &low)] {
            ui.text(area.x + gutter - 1 - width(label), y, gutter, label, ui.theme.dim);
        }
        plot = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    }
    let mut layers = Vec::new();
    if steps_fit(curve, plot.width) {
        layers.push(steps(curve, range, ui));
    }
    layers.push(strokes(curve, range, ui));
    dots::draw(ui, &layers, plot);
}

/// Lowest and highest value, and zero; none without any number.
fn range(curve: &Curve) -> Option<(f64, f64)> {
    let extremes = curve.extremes?;
    Some((extremes.lowest.1.min(0.0), extremes.highest.1.max(0.0)))
}

/// Where a value of an element lies. Halves keep the differences of the
/// largest floats finite.
fn place(element: f64, value: f64, n: u64, (low, high): (f64, f64)) -> Place {
    let x = if n > 1 { element / (n - 1) as f64 } else { 0.5 };
    let spread = high / 2.0 - low / 2.0;
    let y = if spread > 0.0 { (value / 2.0 - low / 2.0) / spread } else { 0.0 };
    (x, y)
}

/// The curve: what each column spans, and how one goes on to the next.
fn strokes(curve: &Curve, range: (f64, f64), ui: &Ui) -> Vec<Stroke> {
    let color = ui.theme.series(0);
    let last = curve.n.saturating_sub(1) as f64;
    let mut strokes = Vec::new();
    // Element and value that the columns so far end on.
    let mut before: Option<(f64, f64)> = None;
    for (column, (low, high)) in curve.lows.iter().zip(&curve.highs).enumerate() {
        let (Some(low), Some(high)) = (*low, *high) else {
            before = None; // no number, no line
            continue;
        };
        let middle = (column as f64 + 0.5) * curve.per_column as f64 - 0.5;
        let element = middle.min(last);
        let at = |value| place(element, value, curve.n, range);
        strokes.push(Stroke { from: at(low), to: at(high), color });
        if let Some((element, value)) = before {
            let from = place(element, value, curve.n, range);
            strokes.push(Stroke { from, to: at(value.clamp(low, high)), color });
        }
        // The end nearer to what comes next.
        let next = curve.lows.get(column + 1).copied().flatten().unwrap_or(high);
        before = Some((element, next.clamp(low, high)));
    }
    strokes
}

/// Whether there is room for a step per block.
fn steps_fit(curve: &Curve, columns: u16) -> bool {
    curve.blocks.as_ref().is_some_and(|blocks| {
        blocks.every == 1 && blocks.count > 1 && blocks.count <= u64::from(columns)
    })
}

/// What each block adds to its own, over the elements of that block.
fn steps(curve: &Curve, range: (f64, f64), ui: &Ui) -> Vec<Stroke> {
    let Some(blocks) = &curve.blocks else { return Vec::new() };
    let color = ui.theme.series(1);
    let last = curve.n.saturating_sub(1) as f64;
    blocks
        .offsets
        .iter()
        .enumerate()
        .filter_map(|(block, offset)| {
            let start = block as f64 * blocks.elements as f64;
            let end = (start + blocks.elements as f64 - 1.0).min(last);
            let at = |element| Some(place(element, (*offset)?, curve.n, range));
            (start <= last).then_some(Stroke { from: at(start)?, to: at(end)?, color })
        })
        .collect()
}

pub(crate) fn words(curve: &Curve) -> String {
    let mut parts = vec![format!("{} over {}", curve.label, several(curve.n, "element"))];
    parts.extend(curve.last.map(|last| format!("last {}", decimal(last))));
    if let Some(extremes) = curve.extremes {
        let ((high, most), (low, least)) = (extremes.highest, extremes.lowest);
        parts.push(format!("highest {} at {}", decimal(most), grouped(high)));
        parts.push(format!("lowest {} at {}", decimal(least), grouped(low)));
    }
    if let Some(blocks) = &curve.blocks {
        let count = several(blocks.count, "block");
        parts.push(format!(
            "{count} of {}, each with its offset as a step",
            grouped(blocks.elements)
        ));
    }
    if curve.not_finite > 0 {
        parts.push(format!("{} infinite or NaN", grouped(curve.not_finite)));
    }
    parts.join(" · ")
}

pub(crate) fn short_words(curve: &Curve) -> Vec<String> {
    let mut lines: Vec<String> =
        curve.last.map(|last| format!("last {}", decimal(last))).into_iter().collect();
    lines.extend(curve.extremes.map(|extremes| format!("highest {}", decimal(extremes.highest.1))));
    lines
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_element_lie_at_the_edges() {
        assert_eq!(place(0.0, 0.0, 11, (0.0, 4.0)), (0.0, 0.0));
        assert_eq!(place(10.0, 4.0, 11, (0.0, 4.0)), (1.0, 1.0));
        assert_eq!(place(0.0, 0.0, 1, (0.0, 0.0)), (0.5, 0.0));
        let widest = (f64::MIN, f64::MAX);
        assert_eq!(place(0.0, f64::MAX, 2, widest), (0.0, 1.0));
    }

    #[test]
    fn steps_are_told_apart_only_where_there_is_room() {
        let curve = Curve::of("sum", (0..100).map(f64::from))
            .with_blocks(10, (0..10).map(|block| f64::from(block) * 10.0));
        assert!(steps_fit(&curve, 10) && !steps_fit(&curve, 9));
        assert!(!steps_fit(&Curve::of("sum", [1.0]), 100));
        assert_eq!(range(&curve), Some((0.0, 99.0)));
    }
}
