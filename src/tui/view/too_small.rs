//! What a terminal that is too small shows instead.

use ratatui::layout::Rect;

use super::{LEAST, Ui, wrap};

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let text = format!(
        "warpscope needs {} columns and {} rows; this terminal has {} and {}. Make it larger, or press q to quit.",
        LEAST.0, LEAST.1, area.width, area.height
    );
    let lines = wrap(&text, area.width);
    let top = area.height.saturating_sub(lines.len() as u16) / 2;
    for (row, line) in (top..area.height).zip(lines) {
        ui.text(area.x, area.y + row, area.width, &line, ui.theme.base);
    }
}
