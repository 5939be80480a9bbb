//! The output of a case: the marks of its view, and below them the time of
//! each phase if there are several.

mod phases;
#[cfg(test)]
mod tests;

use super::layout::{Page, Rect};
use super::marks;
use crate::figure::marks::{panels, stacked};
use crate::figure::output::Output;

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, shown: &Output) {
    let body = page.sizes.body;
    page.room.top += body;
    phases::draw(page, &shown.phases);
    let (room, panels) = (page.room, panels(&shown.view));
    if panels.is_empty() {
        page.nothing("nothing to draw: the output has no finite value");
    }
    for (mark, top, bottom) in stacked(&panels, room.height(), |mark| marks::least(mark) * body) {
        let room = Rect { top: room.top + top, bottom: room.top + bottom, ..room };
        marks::draw(page, mark, room);
    }
}
