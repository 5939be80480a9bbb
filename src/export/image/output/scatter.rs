//! Peaks on their surface, the dominant ones marked, and the lattice drawn
//! through them. Rows of the surface go down; nothing is distorted.

use super::super::layout::{Page, Rect};
use super::super::scene::{Anchor, Ink, Place, Shape};
use super::super::text;
use crate::figure::view::scatter::Scatter;
use crate::units::grouped;

/// Most lines of the lattice in one direction: more would be a grey surface.
const MOST_LINES: f64 = 120.0;

/// Fewest pixels between two lines of the lattice.
const LEAST_GAP: f64 = 4.0;

pub(super) fn draw(page: &mut Page, scatter: &Scatter) {
    if scatter.width == 0 || scatter.height == 0 {
        page.nothing("nothing to draw: the surface is empty");
        return;
    }
    let body = page.sizes.body;
    let room = legend(page, scatter);
    let names = ["row".to_owned(), grouped(scatter.height.saturating_sub(1))];
    let widest = names.iter().map(|name| text::width(name, body)).fold(0.0, f64::max);
    let room =
        Rect { left: room.left + widest + body * 0.6, bottom: room.bottom - body * 2.2, ..room };
    let scale = (room.width() / scatter.width as f64).min(room.height() / scatter.height as f64);
    let free = room.width() - scale * scatter.width as f64;
    let room = Rect { left: room.left + free / 2.0, ..room };
    let rect = Rect {
        right: room.left + scale * scatter.width as f64,
        bottom: room.top + scale * scatter.height as f64,
        ..room
    };
    let place =
        |x: f64, y: f64| -> Place { (rect.left + (x + 0.5) * scale, rect.top + (y + 0.5) * scale) };
    for line in lattice(scatter, rect, scale) {
        page.line(line, Ink::Frame, (body * 0.06).max(1.0));
    }
    let radius = (body * 0.13).max(1.2);
    for (x, y) in &scatter.points {
        page.shapes.push(diamond(place((*x).into(), (*y).into()), radius, Ink::Series(0)));
    }
    for peak in scatter.dominant.iter().rev() {
        let at = place(peak.x.into(), peak.y.into());
        page.shapes.push(diamond(at, body * 0.5, Ink::Paper));
        page.shapes.push(diamond(at, body * 0.38, Ink::Series(1)));
    }
    let mut corners = rect.corners();
    corners.extend(corners.first().copied());
    page.line(corners, Ink::Frame, (body * 0.08).max(1.0));
    let last = |count: u64| grouped(count.saturating_sub(1));
    for (at, words, anchor) in [
        ((rect.left - body * 0.4, rect.top + body * 0.5), "0".to_owned(), Anchor::Right),
        ((rect.left - body * 0.4, rect.bottom - body * 0.5), last(scatter.height), Anchor::Right),
        ((rect.left, rect.bottom + body), "column 0".to_owned(), Anchor::Left),
        ((rect.right, rect.bottom + body), last(scatter.width), Anchor::Right),
    ] {
        page.text(words, at, anchor, body, Ink::Text);
    }
    let at = (rect.left - body * 0.4, f64::midpoint(rect.top, rect.bottom));
    page.text("row".to_owned(), at, Anchor::Right, body, Ink::Text);
}

/// What the marks are; returns the room below.
fn legend(page: &mut Page, scatter: &Scatter) -> Rect {
    let body = page.sizes.body;
    let room = page.room;
    let y = room.top + body * 0.6;
    let mut x = room.left;
    let mut marks = vec![(Ink::Series(0), 0.2, "peak")];
    if !scatter.dominant.is_empty() {
        marks.push((Ink::Series(1), 0.38, "dominant: far from every higher one"));
    }
    for (ink, radius, words) in marks {
        page.shapes.push(diamond((x + body * 0.4, y), body * radius, ink));
        x += body * 1.2;
        page.text(words.to_owned(), (x, y), Anchor::Left, body, Ink::Text);
        x += text::width(words, body) + body * 1.6;
    }
    Rect { top: room.top + body * 2.0, ..room }
}

fn diamond((x, y): Place, radius: f64, ink: Ink) -> Shape {
    let places = vec![(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)];
    Shape::Area { places, ink, alpha: 1.0 }
}

/// Lines through the origin and every multiple of the two vectors, as far as
/// they lie in `rect`; none where they would lie too close.
fn lattice(scatter: &Scatter, rect: Rect, scale: f64) -> Vec<Vec<Place>> {
    let [v, w, ..] = scatter.vectors[..] else { return Vec::new() };
    let area = v.0 * w.1 - v.1 * w.0;
    let length = |(x, y): Place| x.hypot(y);
    let gap = |along: Place| area.abs() / length(along).max(f64::MIN_POSITIVE) * scale;
    let reach = rect.width().hypot(rect.height()) / scale;
    let lines = reach / (gap(v).min(gap(w)) / scale);
    if area.abs() < 1e-9 || gap(v).min(gap(w)) < LEAST_GAP || lines > 2.0 * MOST_LINES {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (along, across) in [(v, w), (w, v)] {
        let most = (reach / (gap(along) / scale)).ceil() as i64 + 1;
        let far = 2.0 * reach / length(along);
        for index in -most..=most {
            let index = index as f64;
            let base = (scatter.origin.0 + across.0 * index, scatter.origin.1 + across.1 * index);
            let end = |t: f64| {
                let (x, y) = (base.0 + along.0 * t, base.1 + along.1 * t);
                (rect.left + (x + 0.5) * scale, rect.top + (y + 0.5) * scale)
            };
            found.extend(clipped(end(-far), end(far), rect));
        }
    }
    found
}

/// The part of a line inside a rectangle (Liang and Barsky 1984).
fn clipped(from: Place, to: Place, rect: Rect) -> Option<Vec<Place>> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0f64, 1.0f64);
    for (step, room) in [
        (-dx, from.0 - rect.left),
        (dx, rect.right - from.0),
        (-dy, from.1 - rect.top),
        (dy, rect.bottom - from.1),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            enter = enter.max(room / step);
        } else {
            leave = leave.min(room / step);
        }
    }
    let at = |t: f64| (from.0 + dx * t, from.1 + dy * t);
    (enter < leave).then(|| vec![at(enter), at(leave)])
}
