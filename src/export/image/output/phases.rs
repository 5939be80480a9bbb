//! Phases of a case as bars that lie, each as long as its time: kernels in one
//! colour, stages on the CPU and copies in another, and named as such.

use super::super::layout::{Page, Rect};
use super::super::scene::{Anchor, Ink};
use super::super::text;
use crate::figure::phases::{at_most, label};
use crate::figure::{Phase, PhaseKind};
use crate::units::Seconds;

/// Most bars; what is beyond them is added up in the last.
const MOST: usize = 10;

/// Takes the foot of the room for them; nothing for a single phase.
pub(super) fn draw(page: &mut Page, phases: &[Phase]) {
    if phases.len() < 2 {
        return;
    }
    let shown = at_most(phases, MOST);
    let body = page.sizes.body;
    let step = body * 1.55;
    let height = (shown.len() + 1) as f64 * step;
    // The drawing above keeps more than half.
    if height > page.room.height() * 0.45 {
        return;
    }
    page.room.bottom -= height + body * 1.1;
    let area =
        Rect { top: page.room.bottom + body * 0.6, bottom: page.room.bottom + height, ..page.room };
    let labels: Vec<String> = shown.iter().map(label).collect();
    let widest = labels.iter().map(|label| text::width(label, body)).fold(0.0, f64::max);
    let longest = shown.iter().map(|phase| phase.seconds).fold(0.0, f64::max);
    let left = area.left + widest + body * 0.8;
    let room = area.right - left - body * 7.0;
    let heading = (area.left, area.top + step / 2.0);
    page.text("time by phase".to_owned(), heading, Anchor::Left, body, Ink::Text);
    for (index, (phase, label)) in shown.iter().zip(labels).enumerate() {
        let y = area.top + (index as f64 + 1.5) * step;
        page.text(label, (area.left, y), Anchor::Left, body, Ink::Text);
        let part = if longest > 0.0 { phase.seconds / longest } else { 0.0 };
        let right = left + (part * room).max(1.5);
        let ink = if phase.kind == PhaseKind::Kernel { Ink::Series(0) } else { Ink::Series(5) };
        page.fill(Rect { left, top: y - body * 0.5, right, bottom: y + body * 0.5 }, ink);
        let time = Seconds(phase.seconds).to_string();
        page.text(time, (right + body * 0.5, y), Anchor::Left, body, Ink::Text);
    }
}
