//! The output of a case: the drawing that its view asks for, and below it how
//! long each phase took, where there are several.

mod bands;
mod curve;
mod heat;
mod phases;
mod pillars;
mod scatter;
mod strips;
#[cfg(test)]
mod tests;

use super::layout::{Page, Rect};
use super::palette::SHADES;
use super::scene::{Anchor, Ink};
use super::text;
use crate::figure::output::Output;
use crate::figure::view::View;
use crate::figure::{Axis, Scale, Unit};

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, shown: &Output) {
    page.room.top += page.sizes.body;
    phases::draw(page, &shown.phases);
    match &shown.view {
        View::Bins(bins) => pillars::bins(page, bins),
        View::Bars(bars) => pillars::bars(page, bars),
        View::Curve(values) => curve::draw(page, values),
        View::Heat(matrix) => heat::draw(page, matrix),
        View::Bands(parts) => bands::draw(page, parts),
        View::Strips(elements) => strips::draw(page, elements),
        View::Scatter(peaks) => scatter::draw(page, peaks),
    }
}

/// An axis of plain numbers in equal steps.
fn linear(label: impl Into<String>, unit: Unit) -> Axis {
    Axis { label: label.into(), scale: Scale::Linear, unit }
}

/// Places in a sequence of `count`: written in full while they are few.
fn places(label: impl Into<String>, count: u64) -> Axis {
    linear(label, if count < 10_000 { Unit::Count } else { Unit::Number })
}

/// What the shades stand for, in a line from `left`; returns the room below.
fn shades(page: &mut Page, room: Rect, low: String, high: String) -> Rect {
    let body = page.sizes.body;
    let y = room.top + body * 0.6;
    let mut x = room.left;
    for (level, words) in [(0, low), (SHADES, high)] {
        if level > 0 {
            for shade in 0..SHADES {
                let right = x + body * 1.4;
                let rect = Rect { left: x, top: y - body * 0.5, right, bottom: y + body * 0.5 };
                page.fill(rect, Ink::Shade(shade));
                x = right;
            }
            x += body * 0.5;
        }
        let wide = text::width(&words, body);
        page.text(words, (x, y), Anchor::Left, body, Ink::Faint);
        x += wide + body * 0.5;
    }
    Rect { top: room.top + body * 1.8, ..room }
}

/// A value between two others, from 0 to 1. Halves keep the differences of the
/// largest floats finite.
fn between(value: f64, low: f64, high: f64) -> f64 {
    let spread = high / 2.0 - low / 2.0;
    if spread > 0.0 { ((value / 2.0 - low / 2.0) / spread).clamp(0.0, 1.0) } else { 0.5 }
}
