//! The roofline: kernels as marks under what the GPU reaches at most, on two
//! logarithmic axes.

use super::frame::Frame;
use super::layout::{Page, Rect};
use super::palette;
use super::scene::{Anchor, Ink, Place};
use super::text;
use crate::figure::pen::{Pen, Stroke};
use crate::figure::roofline::Roofline;
use crate::units::BytesPerSecond;

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, figure: &Roofline) {
    let body = page.sizes.body;
    page.room.top += body * 0.8;
    legend(page, figure);
    left_out(page, figure);
    let room = page.room;
    let (x, y) = ((&figure.x, figure.x_range), (&figure.y, figure.y_range));
    let frame = Frame::draw(page, room, x, y);
    roofs(page, figure, &frame);
    for point in &figure.points {
        if let Some((x, y)) = inside(&frame, point.x, point.y) {
            page.shapes.extend(palette::marker(pen(point.side), (x, y), body * 0.45));
            if figure.points.iter().any(|other| other.kernel > 0) {
                let words = (point.kernel + 1).to_string();
                page.text_if_free(words, (x + body * 0.7, y), Anchor::Left, body, Ink::Text);
            }
        }
    }
}

/// The pen of a case: its counts come from the emulator.
fn pen(side: usize) -> Pen {
    Pen { stroke: Stroke::Dashed, ..Pen::of_variant(side) }
}

/// Where a pair of values lies, if that is in the plot.
fn inside(frame: &Frame, x: f64, y: f64) -> Option<Place> {
    let (x, y) = frame.place(x, y)?;
    let Rect { left, top, right, bottom } = frame.rect;
    ((left..=right).contains(&x) && (top..=bottom).contains(&y)).then_some((x, y))
}

/// Each roof with its name, and what the slope is.
fn roofs(page: &mut Page, figure: &Roofline, frame: &Frame) {
    let body = page.sizes.body;
    // From the highest down; a name keeps off the one above it.
    let mut order: Vec<_> = figure.roofs.iter().collect();
    order.sort_by(|a, b| b.level.total_cmp(&a.level));
    let mut named = f64::NEG_INFINITY;
    for (index, roof) in order.into_iter().enumerate() {
        let corners = roof.corners(figure.x_range);
        let low = figure.y_range.0;
        // The slope begins where it enters the plot.
        let places: Vec<Place> = corners
            .into_iter()
            .map(|(x, y)| if y < low { (low / roof.slope, low) } else { (x, y) })
            .filter_map(|(x, y)| frame.place(x, y))
            .collect();
        page.line(places, Ink::Text, body * 0.14);
        if let Some((_, y)) = frame.place(figure.x_range.1, roof.level) {
            let most = text::fitting(frame.rect.width() * 0.5, body);
            let above = index == 0 && y - frame.rect.top > body * 1.4;
            let y = if above { y - body * 0.8 } else { (y + body * 0.8).max(named + body * 1.2) };
            named = y;
            let at = (frame.rect.right, y);
            let words = text::cut(&roof.label, most);
            page.text_if_free(words, at, Anchor::Right, body, Ink::Text);
        }
        if index == 0 {
            let x = (roof.ridge() * figure.x_range.0).sqrt().max(low / roof.slope * 2.0);
            if let Some((x, y)) = inside(frame, x, roof.at(x)) {
                let words = format!("DRAM {}", BytesPerSecond(roof.slope));
                let at = (x + body * 1.2, y + body * 0.4);
                page.text_if_free(words, at, Anchor::Left, body, Ink::Text);
            }
        }
    }
}

/// The kernels with their share of the roof, a line each.
fn legend(page: &mut Page, figure: &Roofline) {
    let body = page.sizes.body;
    let most = text::fitting(page.room.width() - body * 1.6, body);
    let several = figure.points.iter().any(|point| point.kernel > 0);
    let room = ((page.room.height() * 0.4) / (body * text::LEADING)) as usize;
    for point in figure.points.iter().take(room) {
        let y = page.room.top + body * text::LEADING / 2.0;
        let left = page.room.left;
        page.shapes.extend(palette::marker(pen(point.side), (left + body * 0.5, y), body * 0.4));
        let number = if several { format!("{} ", point.kernel + 1) } else { String::new() };
        // The name and where it lies; what follows from that where it fits.
        let whole = format!("{number}{}: {}", point.label, point.says());
        let short = whole.rsplit_once(": ").map_or(whole.as_str(), |(short, _)| short);
        let words = if whole.chars().count() <= most { &whole } else { short };
        let at = (left + body * 1.6, y);
        page.text(text::cut(words, most), at, Anchor::Left, body, Ink::Text);
        page.room.top += body * text::LEADING;
    }
    page.room.top += body * 0.4;
}

/// Kernels without a place, and why.
fn left_out(page: &mut Page, figure: &Roofline) {
    let size = page.sizes.small;
    if figure.left_out.is_empty() {
        return;
    }
    let words = format!("not shown: {}", figure.left_out.join("; "));
    let lines = text::wrap(&words, text::fitting(page.room.width(), size), 2, "  ");
    page.room.bottom -= lines.len() as f64 * size * text::LEADING;
    let (left, bottom) = (page.room.left, page.room.bottom);
    for (index, line) in lines.into_iter().enumerate() {
        let at = (left, bottom + (index as f64 + 0.5) * size * text::LEADING);
        page.text(line, at, Anchor::Left, size, Ink::Faint);
    }
}
