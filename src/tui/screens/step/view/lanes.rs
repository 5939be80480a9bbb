//! The 32 lanes as cells, which of them run, and where the others wait.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::figure::step as figure;
use crate::tui::screens::step::recorded::{Recorded, Shown};
use crate::tui::widgets::ui::{Ui, width};
use crate::work::trace::Place;

/// Rows that it fills in a panel of this width.
pub(crate) fn rows(wide: u16, recorded: &Recorded, shown: &Shown) -> u16 {
    let line = |place: &Place| recorded.line_name(place);
    let words = figure::lanes(&shown.moment, &line).len() + stack(recorded, shown).len();
    2 + cell_rows(wide.saturating_sub(4)) + words.min(6) as u16
}

/// Rows of cells with their numbers.
fn cell_rows(inner: u16) -> u16 {
    if inner >= 64 { 2 } else { 4 }
}

/// The places where paths meet, beyond those that groups of lanes name.
fn stack(recorded: &Recorded, shown: &Shown) -> Vec<String> {
    figure::stack(&shown.moment, &|place| recorded.line_name(place))
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect, recorded: &Recorded, shown: &Shown) {
    let active = shown.moment.active.count_ones();
    let title = format!("Lanes of warp {}: {active} of 32 active", shown.moment.warp);
    let inner = ui.panel(area, &title, false);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let parts = figure::lanes(&shown.moment, &|place| recorded.line_name(place));
    let marks = figure::marks(&parts);
    // All in a row, or in two rows.
    let per_row: usize = if inner.width >= 64 { 32 } else { 16 };
    let cell = if inner.width >= per_row as u16 * 3 { 3 } else { 2 };
    for (lane, mark) in marks.iter().enumerate() {
        let x = inner.x + (lane % per_row) as u16 * cell;
        let y = inner.y + (lane / per_row) as u16 * 2;
        if y + 1 >= inner.bottom() {
            break;
        }
        if cell > 2 || lane % 4 == 0 {
            ui.text(x, y, 2, &lane.to_string(), ui.theme.dim);
        }
        let style = ui.mark(*mark);
        ui.text(x, y + 1, cell - 1, &mark.letter.to_string().repeat(usize::from(cell - 1)), style);
    }
    let top = inner.y + cell_rows(inner.width);
    let words = Rect { y: top, height: inner.bottom().saturating_sub(top), ..inner };
    let mut lines: Vec<(String, String, Style)> = Vec::new();
    for (mark, _, text) in parts {
        lines.push((mark.letter.to_string(), text, ui.mark(mark)));
    }
    for text in stack(recorded, shown) {
        lines.push(("→".to_owned(), text, ui.theme.accent));
    }
    for (y, (letter, text, style)) in (words.y..words.bottom()).zip(lines) {
        let end = ui.text(words.x, y, width(&letter), &letter, style);
        ui.text(end + 1, y, words.right().saturating_sub(end + 1), &text, ui.theme.base);
    }
}
