//! Two axes around a plot: ticks, grid, names, and the place of a value.

use super::layout::{Page, Rect};
use super::scene::{Anchor, Ink, Place};
use super::text;
use crate::figure::{Axis, Tick};

/// An axis and the values at its ends.
pub(super) type Shown<'a> = (&'a Axis, (f64, f64));

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

impl<'a> Frame<'a> {
    /// Draws axes inside `room`, with the name of the y axis above the plot.
    pub(super) fn draw(page: &mut Page, room: Rect, x: Shown<'a>, y: Shown<'a>) -> Self {
        let body = page.sizes.body;
        let name = text::cut(&y.0.label, text::fitting(room.width(), body));
        let at = (room.left, room.top + body * 0.6);
        let named = room.left + text::width(&name, body);
        page.text(name, at, Anchor::Left, body, Ink::Text);
        let top = room.top + body * 1.6;
        let bottom = room.bottom - body * 4.2;
        let y_ticks = fitting_ticks(y, bottom - top, body * 2.6, |_, _| body * 1.3);
        let widest = y_ticks.iter().map(|tick| text::width(&tick.label, body));
        let left = room.left + widest.fold(0.0, f64::max) + body * 0.6;
        let rect = Rect { left, top, right: room.right, bottom };
        let half = |tick: &Tick| text::width(&tick.label, body) / 2.0;
        let apart = |a: &Tick, b: &Tick| half(a) + half(b) + body * 0.8;
        let x_ticks = fitting_ticks(x, rect.width(), body * 3.5, apart);
        let frame = Self { rect, x, y, body, named };
        frame.axes(page, &x_ticks, &y_ticks);
        frame
    }

    /// A plot without axes that fills `rect`.
    pub(super) fn bare(rect: Rect, x: Shown<'a>, y: Shown<'a>, body: f64) -> Self {
        Self { rect, x, y, body, named: rect.left }
    }

    /// Where a pair of values lies.
    pub(super) fn place(&self, x: f64, y: f64) -> Option<Place> {
        let rect = self.rect;
        let right = self.x.0.position(x, self.x.1)?;
        let up = self.y.0.position(y, self.y.1)?;
        Some((rect.left + right * rect.width(), rect.bottom - up * rect.height()))
    }

    /// Words above the plot on the right, if there is room beside the name of the
    /// y axis.
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
            let Some((_, y)) = self.place(self.x.1.0, tick.value) else { continue };
            page.line(vec![(rect.left, y), (rect.right, y)], Ink::Grid, hair);
            let at = (rect.left - body * 0.5, y);
            page.text(tick.label.clone(), at, Anchor::Right, body, Ink::Text);
        }
        for tick in x_ticks {
            let Some((x, _)) = self.place(tick.value, self.y.1.0) else { continue };
            page.line(vec![(x, rect.top), (x, rect.bottom)], Ink::Grid, hair);
            let at = (x, rect.bottom + body);
            page.text(tick.label.clone(), at, Anchor::Middle, body, Ink::Text);
        }
        let corners = [(rect.left, rect.top), (rect.left, rect.bottom), (rect.right, rect.bottom)];
        page.line(corners.into(), Ink::Frame, hair * 1.5);
        let at = (f64::midpoint(rect.left, rect.right), rect.bottom + body * 2.6);
        let name = text::cut(&self.x.0.label, text::fitting(rect.width(), body));
        page.text(name, at, Anchor::Middle, body, Ink::Text);
    }
}

/// The most ticks, about `step` pixels apart, whose neighbours keep the
/// distance that `apart` asks for.
fn fitting_ticks(
    (axis, range): Shown,
    room: f64,
    step: f64,
    apart: impl Fn(&Tick, &Tick) -> f64,
) -> Vec<Tick> {
    let at = |tick: &Tick| axis.position(tick.value, range).unwrap_or(0.0) * room;
    let crowded =
        |ticks: &[Tick]| ticks.windows(2).any(|t| at(&t[1]) - at(&t[0]) < apart(&t[0], &t[1]));
    let most = ((room / step) as usize).max(2);
    let fitting = (1..=most).rev().map(|most| axis.ticks(range, most));
    fitting.into_iter().find(|ticks| !crowded(ticks)).unwrap_or_default()
}
