//! Phases of a case as horizontal bars, each as long as its time: kernels in
//! one colour, host stages and copies in another.

use crate::export::image::layout::{Page, Rect};
use crate::export::image::scene::{Anchor, Ink};
use crate::export::image::text;
use crate::figure::phases::{HEADING, bars};
use crate::figure::{Phase, PhaseKind};

/// Most bars; the last one sums up the rest.
const MOST: usize = 10;

/// Takes the foot of the room for them; nothing for a single phase.
pub(super) fn draw(page: &mut Page, phases: &[Phase]) {
    let bars = bars(phases, MOST);
    let body = page.sizes.body;
    let step = body * 1.55;
    let height = (bars.len() + 1) as f64 * step;
    // The marks above keep more than half.
    if bars.len() < 2 || height > page.room.height() * 0.45 {
        return;
    }
    page.room.bottom -= height + body * 1.1;
    let Rect { left, right, bottom: top, .. } = page.room;
    let y = |line: usize| top + body * 0.6 + (line as f64 + 0.5) * step;
    let widest = bars.iter().map(|bar| text::width(&bar.label, body)).fold(0.0, f64::max);
    let from = left + widest + body * 0.8;
    page.text(HEADING.to_owned(), (left, y(0)), Anchor::Left, body, Ink::Text);
    for (index, bar) in bars.into_iter().enumerate() {
        let y = y(index + 1);
        page.text(bar.label, (left, y), Anchor::Left, body, Ink::Text);
        let to = from + (bar.part * (right - from - body * 7.0)).max(1.5);
        let ink = if bar.kind == PhaseKind::Kernel { Ink::Series(0) } else { Ink::Series(5) };
        page.fill(Rect { left: from, top: y - body * 0.5, right: to, bottom: y + body * 0.5 }, ink);
        page.text(bar.time, (to + body * 0.5, y), Anchor::Left, body, Ink::Text);
    }
}
