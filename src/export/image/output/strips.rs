//! Elements before and after, each as high as its value.

use super::super::frame::{Frame, LEAST, Shown};
use super::super::layout::{Page, Rect};
use super::super::scene::Ink;
use super::{linear, places};
use crate::figure::Unit;
use crate::figure::view::strips::Strips;

pub(super) fn draw(page: &mut Page, strips: &Strips) {
    let Some(extremes) = strips.extremes else {
        page.nothing("nothing to draw: no element is a number");
        return;
    };
    let (low, high) = (extremes.lowest.1.min(0.0), extremes.highest.1.max(0.0));
    let range = (low, if high > low { high } else { low + 1.0 });
    let x = places("element", strips.n);
    let both = [("before", &strips.before, 0), ("after", &strips.after, 1)];
    // Where there is room for one alone it is the output.
    let fits = page.room.height() / 2.0 > page.sizes.body * LEAST;
    let halves = if fits { &both[..] } else { &both[1..] };
    let half = page.room.height() / halves.len() as f64;
    for (index, (name, values, ink)) in halves.iter().copied().enumerate() {
        let top = page.room.top + half * index as f64;
        let room = Rect { top, bottom: top + half, ..page.room };
        let y = linear(format!("value of the element {name}"), Unit::Number);
        let x_range = (-0.5, strips.n.max(1) as f64 - 0.5);
        let shown = |axis, range| Shown { axis, range };
        let frame = Frame::draw(page, room, shown(&x, x_range), shown(&y, range));
        let rect = frame.rect;
        let wide = rect.width() / values.len().max(1) as f64;
        for (index, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let Some((_, from)) = frame.place(0.0, 0.0) else { continue };
            let Some((_, to)) = frame.place(0.0, *value) else { continue };
            let left = rect.left + index as f64 * wide;
            let bar =
                Rect { left, top: from.min(to), right: left + wide.max(1.0), bottom: from.max(to) };
            page.fill(bar, Ink::Series(ink));
        }
    }
}
