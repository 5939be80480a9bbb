//! Two axes around a plot: ticks, grid, names, and where a value lies.

use super::layout::{Page, Rect};
use super::scene::{Anchor, Ink, Place};
use super::text;
use crate::figure::{Axis, Tick};

/// An axis and the part of it that is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) axis: &'a Axis,
    pub(super) range: (f64, f64),
}

/// A plot with its axes.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) rect: Rect,
    x: Shown<'a>,
    y: Shown<'a>,
    body: f64,
    /// Where the name of the y axis ends.
    named: f64,
}

/// Height below which axes leave no plot, over the size of letters.
pub(super) const LEAST: f64 = 9.0;

impl<'a> Frame<'a> {
    /// Draws axes inside `room`, with the name of the y axis above it, where it
    /// reads without turning the head.
    pub(super) fn draw(page: &mut Page, room: Rect, x: Shown<'a>, y: Shown<'a>) -> Self {
        let body = page.sizes.body;
        let name = text::cut(&y.axis.label, text::fitting(room.width(), body));
        let at = (room.left, room.top + body * 0.6);
        let named = room.left + text::width(&name, body);
        page.text(name, at, Anchor::Left, body, Ink::Text);
        let top = room.top + body * 1.6;
        let bottom = room.bottom - body * 4.2;
        let y_ticks = y_ticks(y, bottom - top, body);
        let widest = y_ticks.iter().map(|tick| text::width(&tick.label, body));
        let left = room.left + widest.fold(0.0, f64::max) + body * 0.6;
        let rect = Rect { left, top, right: room.right, bottom };
        let x_ticks = x_ticks(x, rect.width(), body);
        let frame = Self { rect, x, y, body, named };
        frame.axes(page, &x_ticks, &y_ticks);
        frame
    }

    /// Where a pair of values lies.
    pub(super) fn place(&self, x: f64, y: f64) -> Option<Place> {
        let rect = self.rect;
        let right = self.x.axis.position(x, self.x.range)?;
        let up = self.y.axis.position(y, self.y.range)?;
        Some((rect.left + right * rect.width(), rect.bottom - up * rect.height()))
    }

    /// Words above the plot on the right, as far as there is room beside the name
    /// of the y axis.
    pub(super) fn note(&self, page: &mut Page, words: &str) {
        const LEAST: usize = 8;
        let most =
            text::fitting((self.rect.right - self.named - self.body * 2.0).max(0.0), self.body);
        if most >= LEAST {
            let at = (self.rect.right, self.rect.top - self.body);
            page.text(text::cut(words, most), at, Anchor::Right, self.body, Ink::Text);
        }
    }

    fn axes(&self, page: &mut Page, x_ticks: &[Tick], y_ticks: &[Tick]) {
        let (rect, body) = (self.rect, self.body);
        let hair = (body * 0.06).max(1.0);
        for tick in y_ticks {
            let Some((_, y)) = self.place(self.x.range.0, tick.value) else { continue };
            page.line(vec![(rect.left, y), (rect.right, y)], Ink::Grid, hair);
            let at = (rect.left - body * 0.5, y);
            page.text(tick.label.clone(), at, Anchor::Right, body, Ink::Text);
        }
        for tick in x_ticks {
            let Some((x, _)) = self.place(tick.value, self.y.range.0) else { continue };
            page.line(vec![(x, rect.top), (x, rect.bottom)], Ink::Grid, hair);
            let at = (x, rect.bottom + body);
            page.text(tick.label.clone(), at, Anchor::Middle, body, Ink::Text);
        }
        let corners = [(rect.left, rect.top), (rect.left, rect.bottom), (rect.right, rect.bottom)];
        page.line(corners.into(), Ink::Frame, hair * 1.5);
        let at = (f64::midpoint(rect.left, rect.right), rect.bottom + body * 2.6);
        let name = text::cut(&self.x.axis.label, text::fitting(rect.width(), body));
        page.text(name, at, Anchor::Middle, body, Ink::Text);
    }
}

/// As many x ticks as fit beside each other.
fn x_ticks(x: Shown, room: f64, body: f64) -> Vec<Tick> {
    let half = |tick: &Tick| text::width(&tick.label, body) / 2.0;
    fitting_ticks(x, room, body * 3.5, |a, b| half(a) + half(b) + body * 0.8)
}

/// As many y ticks as fit above each other in `room` pixels.
fn y_ticks(y: Shown, room: f64, body: f64) -> Vec<Tick> {
    fitting_ticks(y, room, body * 2.6, |_, _| body * 1.3)
}

/// The most ticks, about `step` pixels apart, whose neighbours keep the
/// distance that `apart` asks for.
fn fitting_ticks(
    shown: Shown,
    room: f64,
    step: f64,
    apart: impl Fn(&Tick, &Tick) -> f64,
) -> Vec<Tick> {
    let mut most = ((room / step) as usize).max(2);
    loop {
        let ticks = shown.axis.ticks(shown.range, most);
        let at = |tick: &Tick| shown.axis.position(tick.value, shown.range).unwrap_or(0.0) * room;
        let crowded = ticks.windows(2).any(|pair| match pair {
            [a, b] => at(b) - at(a) < apart(a, b),
            _ => false,
        });
        if !crowded {
            return ticks;
        }
        if most == 1 {
            return Vec::new();
        }
        most -= 1;
    }
}
