//! The question before leaving loses something.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::widgets::ui::Ui;

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect, reason: &str) {
    let inner = ui.dialog(area, 60, 7, "Quit?");
    let left = inner.x + 2;
    ui.text(left, inner.y + 1, inner.width - 3, reason, ui.theme.base);
    let y = inner.bottom().saturating_sub(2);
    let x = ui.button(left, y, 14, " Enter quit ", ui.theme.selected, Command::Leave);
    let x = ui.button(x + 2, y, 14, " Esc stay ", ui.theme.accent, Command::Cancel);
    ui.button(x + 2, y, 14, " e export ", ui.theme.accent, Command::Export);
}
