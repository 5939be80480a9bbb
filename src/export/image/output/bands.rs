//! Partitions: the output from left to right in the shade of its partition, and
//! below it how large each partition is.

use super::super::frame::LEAST;
use super::super::layout::{Page, Rect};
use super::super::palette;
use super::super::scene::{Anchor, Ink};
use super::super::text;
use super::pillars::{Pillars, means};
use super::{between, shades};
use crate::figure::view::bands::Bands;
use crate::units::grouped;

pub(super) fn draw(page: &mut Page, bands: &Bands) {
    if bands.columns.is_empty() || bands.parts == 0 {
        page.nothing("nothing to draw: there is no element or no partition");
        return;
    }
    let body = page.sizes.body;
    let last = bands.parts - 1;
    let room =
        shades(page, page.room, "partition 0".to_owned(), format!("partition {}", grouped(last)));
    let high = (room.height() * 0.26).max(body * 2.0);
    let sizes = room.height() - high > body * (LEAST + 2.4);
    // Without room for the sizes the bands take it all.
    let high = if sizes { high } else { (room.height() - body * 2.0).max(body) };
    let strip = Rect { bottom: room.top + high, ..room };
    let count = bands.columns.len() as f64;
    let level = |part: &Option<u64>| {
        part.map(|part| palette::shade(between(part as f64, 0.0, last as f64)))
    };
    let x = |column: usize| strip.left + strip.width() * column as f64 / count;
    let mut column = 0;
    for run in bands.columns.chunk_by(|a, b| a == b) {
        let rect = Rect { left: x(column), right: x(column + run.len()), ..strip };
        column += run.len();
        let part = run.first().copied().flatten();
        let shade = level(&part);
        page.fill(rect, shade.map_or(Ink::Grid, Ink::Shade));
        let name = part.map_or_else(|| "?".to_owned(), |part| part.to_string());
        if text::width(&name, body) + body < rect.width() {
            let at = (f64::midpoint(rect.left, rect.right), f64::midpoint(rect.top, rect.bottom));
            page.text(name, at, Anchor::Middle, body, shade.map_or(Ink::Text, Ink::OnShade));
        }
    }
    let words = format!("the output from element 0 to {}", grouped(bands.n.saturating_sub(1)));
    page.text(words, (strip.left, strip.bottom + body), Anchor::Left, body, Ink::Text);
    if !sizes {
        return;
    }
    let per_bar = bands.per_size.max(1);
    let share = if per_bar > 1 { format!(", mean of {per_bar} neighbours") } else { String::new() };
    Pillars {
        x: "partition".to_owned(),
        y: format!("elements per partition{share}"),
        heights: &means(&bands.sizes, per_bar, bands.parts),
        per_bar,
        count: bands.parts,
        even: Some((bands.n as f64 / bands.parts as f64, "even share")),
    }
    .draw(page, Rect { top: strip.bottom + body * 2.4, ..room });
}
