//! The marks of output views, each kind drawn in one place.

use super::frame::Frame;
use super::layout::{Page, Rect};
use super::palette::{self, SHADES};
use super::scene::{Anchor, Ink, Place, Shape};
use super::text;
use crate::figure::marks::{Columns, Extent, Grid, Line, Mark, Points};

/// Fewest pixels between two lines of a lattice.
const LEAST_GAP: f64 = 4.0;

/// Least height of a mark with its labels, over the size of letters.
pub(super) fn least(mark: &Mark) -> f64 {
    match mark {
        Mark::Columns(_) | Mark::Line(_) => 9.0,
        Mark::Grid(_) | Mark::Points(_) => 5.0,
    }
}

/// Draws a mark into `room`.
pub(super) fn draw(page: &mut Page, mark: &Mark, room: Rect) {
    match mark {
        Mark::Columns(mark) => columns(page, mark, room),
        Mark::Line(mark) => line(page, mark, room),
        Mark::Grid(mark) => grid(page, mark, room),
        Mark::Points(mark) => points(page, mark, room),
    }
}

fn columns(page: &mut Page, mark: &Columns, room: Rect) {
    let (low, high) = mark.extent(&mark.heights);
    let x_range = (-0.5, mark.count as f64 - 0.5);
    let y_range = mark.y.range([low, high]);
    let frame = Frame::draw(page, room, (&mark.x, x_range), (&mark.y, y_range));
    // A gap between columns that are wide enough for one.
    let wide = frame.rect.width() / mark.heights.len().max(1) as f64;
    let gap = if wide > 3.0 { wide * 0.075 } else { 0.0 };
    for (column, height) in mark.heights.iter().enumerate() {
        let (from, to) = mark.span(column);
        let corner = |x, y| frame.place(x - 0.5, y);
        let corners = height.and_then(|height| corner(from, 0.0).zip(corner(to, height)));
        let Some(((left, base), (right, tip))) = corners else { continue };
        let (left, right) = (left + gap, (right - gap).max(left + gap + 1.0));
        let rect = Rect { left, top: base.min(tip), right, bottom: base.max(tip) };
        page.fill(rect, Ink::Series(mark.style));
    }
    if let Some((level, label)) = &mark.level {
        steps(page, &frame, &[(x_range.0, x_range.1, *level)], label);
    }
}

/// Horizontal lines, each from one place to another at a height, and above the
/// plot what they are.
fn steps(page: &mut Page, frame: &Frame, steps: &[(f64, f64, f64)], label: &str) {
    for (from, to, height) in steps {
        if let Some((from, to)) = frame.place(*from, *height).zip(frame.place(*to, *height)) {
            page.line(vec![from, to], Ink::Series(1), page.sizes.body * 0.12);
        }
    }
    if !steps.is_empty() {
        frame.note(page, &format!("— {label}"));
    }
}

fn line(page: &mut Page, mark: &Line, room: Rect) {
    let body = page.sizes.body;
    let x_range = (0.0, (mark.count.max(2) - 1) as f64);
    let y_range = mark.y.range([mark.range.0, mark.range.1]);
    let frame = Frame::draw(page, room, (&mark.x, x_range), (&mark.y, y_range));
    steps(page, &frame, &mark.steps, &mark.steps_label);
    let ink = Ink::Series(0);
    for run in &mark.runs {
        let along = |height: fn(f64, f64) -> f64| -> Vec<Place> {
            run.iter().filter_map(|&(x, low, high)| frame.place(x, height(low, high))).collect()
        };
        let mut outline = along(|_, high| high);
        outline.extend(along(|low, _| low).into_iter().rev());
        if outline.len() > 3 {
            page.shapes.push(Shape::Area { places: outline, ink, alpha: 0.35 });
        }
        match along(f64::midpoint)[..] {
            [] => {}
            [alone] => page.shapes.push(diamond(alone, body * 0.2, ink)),
            ref places => page.line(places.to_vec(), ink, body * 0.13),
        }
    }
}

fn grid(page: &mut Page, mark: &Grid, room: Rect) {
    let body = page.sizes.body;
    let [low, high] = mark.ends();
    let note = mark.note().map_or_else(String::new, |note| format!("   {note}"));
    let room = shades(page, room, low, high + &note);
    let rect = surface(page, room, mark.x, mark.y);
    let x = |column: usize| rect.left + rect.width() * column as f64 / mark.columns as f64;
    let y = |row: usize| rect.top + rect.height() * row as f64 / mark.rows as f64;
    let level = |value: f64| palette::shade(mark.shade(value));
    for row in 0..mark.rows {
        let cells: Vec<_> = (0..mark.columns).map(|column| mark.value(row, column)).collect();
        let alike = |a: &Option<f64>, b: &Option<f64>| {
            if mark.categories { a == b } else { a.map(level) == b.map(level) }
        };
        // Neighbours that look alike are one shape.
        let mut column = 0;
        for run in cells.chunk_by(alike) {
            let (left, right) = (x(column), x(column + run.len()));
            let cell = Rect { left, top: y(row), right, bottom: y(row + 1) };
            column += run.len();
            let shade = run[0].map(level);
            page.fill(cell, shade.map_or(Ink::Grid, Ink::Shade));
            let name = run[0].map_or_else(|| "?".to_owned(), |value| format!("{value:.0}"));
            if mark.categories && text::width(&name, body) + body < cell.width() {
                let ink = shade.map_or(Ink::Text, Ink::OnShade);
                page.text(name, cell.middle(), Anchor::Middle, body, ink);
            }
        }
    }
    page.outline(rect, Ink::Frame, (body * 0.06).max(1.0));
}

fn points(page: &mut Page, mark: &Points, room: Rect) {
    let body = page.sizes.body;
    let kinds = [(&mark.points, Ink::Series(0), 0.2), (&mark.marked, Ink::Series(1), 0.38)];
    let (mut x, y) = (room.left, room.top + body * 0.6);
    for ((label, places), ink, radius) in kinds {
        if !places.is_empty() {
            page.shapes.push(diamond((x + body * 0.4, y), body * radius, ink));
            page.text((*label).to_owned(), (x + body * 1.2, y), Anchor::Left, body, Ink::Text);
            x += text::width(label, body) + body * 2.8;
        }
    }
    let rect = surface(page, Rect { top: room.top + body * 2.0, ..room }, mark.x, Some(mark.y));
    let whole = mark.whole();
    let place = |(x, y): Place| {
        let (width, height) = whole.size();
        (rect.left + x / width * rect.width(), rect.top + y / height * rect.height())
    };
    for ends in mark.lattice(whole, (rect.width(), rect.height()), LEAST_GAP) {
        page.line(ends.map(place).into(), Ink::Frame, (body * 0.06).max(1.0));
    }
    let inside = |places: &[Place]| -> Vec<Place> {
        places.iter().filter(|place| whole.contains(**place)).map(|at| place(*at)).collect()
    };
    for at in inside(&mark.points.1) {
        page.shapes.push(diamond(at, (body * 0.13).max(1.2), Ink::Series(0)));
    }
    for at in inside(&mark.marked.1).into_iter().rev() {
        page.shapes.push(diamond(at, body * 0.5, Ink::Paper));
        page.shapes.push(diamond(at, body * 0.38, Ink::Series(1)));
    }
    page.outline(rect, Ink::Frame, (body * 0.08).max(1.0));
}

fn diamond((x, y): Place, radius: f64, ink: Ink) -> Shape {
    let places = vec![(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)];
    Shape::Area { places, ink, alpha: 1.0 }
}

/// The shades with labels of the lowest and highest, in a line from the left;
/// returns the room below.
pub(super) fn shades(page: &mut Page, room: Rect, low: String, high: String) -> Rect {
    let body = page.sizes.body;
    let (mut x, y) = (room.left, room.top + body * 0.6);
    let wide = text::width(&low, body);
    page.text(low, (x, y), Anchor::Left, body, Ink::Faint);
    x += wide + body * 0.5;
    for shade in 0..SHADES {
        let rect =
            Rect { left: x, top: y - body * 0.5, right: x + body * 1.4, bottom: y + body * 0.5 };
        page.fill(rect, Ink::Shade(shade));
        x = rect.right;
    }
    page.text(high, (x + body * 0.5, y), Anchor::Left, body, Ink::Faint);
    Rect { top: room.top + body * 1.8, ..room }
}

/// Labels the first and last row and column of a surface; returns where it
/// lies. Rows and columns keep their proportion, within reason.
fn surface(page: &mut Page, room: Rect, x: Extent, y: Option<Extent>) -> Rect {
    let body = page.sizes.body;
    let mut rect = Rect { bottom: (room.bottom - body * 2.2).max(room.top + body), ..room };
    if let Some(y) = y {
        rect.left += text::width(y.name, body).max(text::width(&y.last(), body)) + body * 0.6;
        let shape = (x.count as f64 / y.count.max(1) as f64).clamp(0.2, 5.0);
        let wide = rect.width().min(rect.height() * shape);
        rect.left += (rect.width() - wide) / 2.0;
        rect.right = rect.left + wide;
        rect.bottom = rect.top + wide / shape;
        let rows = [(rect.top + body * 0.5, "0".to_owned()), (rect.bottom - body * 0.5, y.last())];
        for (at, words) in rows.into_iter().chain([(rect.middle().1, y.name.to_owned())]) {
            page.text_if_free(words, (rect.left - body * 0.4, at), Anchor::Right, body, Ink::Text);
        }
    }
    let below = rect.bottom + body;
    page.text(format!("{} 0", x.name), (rect.left, below), Anchor::Left, body, Ink::Text);
    page.text_if_free(x.last(), (rect.right, below), Anchor::Right, body, Ink::Text);
    rect
}
