//! A matrix: each cell in the shade of its mean, rows down, undistorted.

use super::super::layout::{Page, Rect};
use super::super::palette;
use super::super::scene::{Anchor, Ink};
use super::super::text;
use super::{between, shades};
use crate::figure::view::heat::Heat;
use crate::units::{decimal, grouped};

pub(super) fn draw(page: &mut Page, heat: &Heat) {
    let numbers = || heat.values.iter().copied().flatten();
    let Some((low, high)) = numbers().reduce(f64::min).zip(numbers().reduce(f64::max)) else {
        page.nothing("nothing to draw: the matrix has no number");
        return;
    };
    let body = page.sizes.body;
    let each = match (heat.rows / heat.down.max(1), heat.columns / heat.across.max(1)) {
        (0 | 1, 0 | 1) => String::new(),
        (down, across) => format!("   a cell is the mean of {down} × {across} elements"),
    };
    let room = shades(page, page.room, decimal(low), format!("{}{each}", decimal(high)));
    let names = ["row".to_owned(), grouped(heat.rows.saturating_sub(1))];
    let widest = names.iter().map(|name| text::width(name, body)).fold(0.0, f64::max);
    let room = Rect {
        left: room.left + widest + body * 0.6,
        top: room.top + body * 0.4,
        right: room.right,
        bottom: room.bottom - body * 2.2,
    };
    // Rows and columns of the matrix keep their proportion, within reason.
    let shape = (heat.columns as f64 / heat.rows.max(1) as f64).clamp(0.2, 5.0);
    let wide = room.width().min(room.height() * shape);
    let high_pixels = (wide / shape).min(room.height());
    let room = Rect { left: room.left + (room.width() - wide) / 2.0, ..room };
    let (across, down) = (heat.across.max(1), heat.down.max(1));
    let x = |cell: u64| room.left + wide * cell as f64 / across as f64;
    let y = |cell: u64| room.top + high_pixels * cell as f64 / down as f64;
    let level = |value: f64| palette::shade(between(value, low, high));
    for (row, cells) in (0u64..).zip(heat.values.chunks(across as usize)) {
        // Neighbours of one shade are one shape.
        let mut column = 0u64;
        for run in cells.chunk_by(|a, b| a.map(level) == b.map(level)) {
            let end = column + run.len() as u64;
            let rect = Rect { left: x(column), top: y(row), right: x(end), bottom: y(row + 1) };
            let value = run.first().copied().flatten();
            page.fill(rect, value.map_or(Ink::Grid, |value| Ink::Shade(level(value))));
            column = end;
        }
    }
    let outline = Rect { left: room.left, top: room.top, right: x(across), bottom: y(down) };
    let mut corners = outline.corners();
    corners.extend(corners.first().copied());
    page.line(corners, Ink::Frame, (body * 0.06).max(1.0));
    for (place, words, anchor) in [
        ((outline.left - body * 0.4, outline.top + body * 0.5), "0".to_owned(), Anchor::Right),
        ((outline.left, outline.bottom + body), "column 0".to_owned(), Anchor::Left),
    ] {
        page.text(words, place, anchor, body, Ink::Text);
    }
    let last = |count: u64| grouped(count.saturating_sub(1));
    let at = (outline.left - body * 0.4, outline.bottom - body * 0.5);
    page.text(last(heat.rows), at, Anchor::Right, body, Ink::Text);
    let at = (outline.left - body * 0.4, f64::midpoint(outline.top, outline.bottom));
    page.text("row".to_owned(), at, Anchor::Right, body, Ink::Text);
    if wide > body * 9.0 {
        let at = (outline.right, outline.bottom + body);
        page.text(last(heat.columns), at, Anchor::Right, body, Ink::Text);
    }
}
