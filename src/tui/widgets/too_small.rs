//! What a terminal that is too small shows instead.

use ratatui::layout::Rect;

use crate::tui::app::view::LEAST;
use crate::tui::widgets::ui::{Ui, wrap};

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
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
