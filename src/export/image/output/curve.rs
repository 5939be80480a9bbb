//! A value per element: where many share a column, all that lies between their
//! lowest and highest; and the offset that each block adds, as steps.

use super::super::frame::{Frame, Shown};
use super::super::layout::Page;
use super::super::scene::{Ink, Place, Shape};
use super::{linear, places};
use crate::figure::Unit;
use crate::figure::view::curve::Curve;

pub(super) fn draw(page: &mut Page, curve: &Curve) {
    if curve.extremes.is_none() {
        page.nothing("nothing to draw: no value is a number");
        return;
    }
    let body = page.sizes.body;
    let x = places("element", curve.n);
    let y = linear(curve.label.clone(), Unit::Number);
    let y_range = y.range(curve.lows.iter().chain(&curve.highs).copied().flatten());
    let x_range = (0.0, (curve.n.max(2) - 1) as f64);
    let shown = |axis, range| Shown { axis, range };
    let frame = Frame::draw(page, page.room, shown(&x, x_range), shown(&y, y_range));
    offsets(page, curve, &frame);

    let per = curve.per_column.max(1) as f64;
    let last = x_range.1;
    let at = |column: usize| ((column as f64 + 0.5) * per - 0.5).clamp(0.0, last);
    // Runs of columns with numbers, each an area and a line through its middle.
    let columns: Vec<Option<(f64, f64)>> =
        curve.lows.iter().zip(&curve.highs).map(|(low, high)| low.zip(*high)).collect();
    let mut start = 0;
    for run in columns.chunk_by(|a, b| a.is_some() == b.is_some()) {
        let known: Vec<(usize, (f64, f64))> = run
            .iter()
            .enumerate()
            .filter_map(|(index, bounds)| Some((start + index, (*bounds)?)))
            .collect();
        start += run.len();
        let along = |of: &dyn Fn((f64, f64)) -> f64| -> Vec<Place> {
            known.iter().filter_map(|(column, it)| frame.place(at(*column), of(*it))).collect()
        };
        let low = along(&|it| it.0);
        let mut outline = along(&|it| it.1);
        outline.extend(low.into_iter().rev());
        if outline.len() > 3 {
            let ink = Ink::Series(0);
            page.shapes.push(Shape::Area { places: outline, ink, alpha: 0.35 });
        }
        let middle = along(&|it| f64::midpoint(it.0, it.1));
        if middle.len() > 1 {
            page.line(middle, Ink::Series(0), body * 0.13);
        }
    }
}

/// What each block adds to its own, as a step over its elements.
fn offsets(page: &mut Page, curve: &Curve, frame: &Frame) {
    let Some(blocks) = &curve.blocks else { return };
    let body = page.sizes.body;
    let end = curve.n as f64 - 1.0;
    for (index, offset) in (0u64..).zip(&blocks.offsets) {
        let from = (index * blocks.every).saturating_mul(blocks.elements) as f64;
        let to = (from + blocks.elements as f64 * blocks.every as f64).min(end);
        let Some(offset) = offset.filter(|_| from <= end) else { continue };
        if let Some((a, b)) = frame.place(from, offset).zip(frame.place(to, offset)) {
            page.line(vec![a, b], Ink::Series(1), body * 0.11);
        }
    }
    let words = if blocks.every > 1 {
        format!("— offset of one block in {}", blocks.every)
    } else {
        "— offset of each block".to_owned()
    };
    frame.note(page, &words);
}
