//! The command that makes the shown numbers again, as it was put on the
//! clipboard.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::widgets::ui::{Ui, wrap};

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect, command: &str) {
    let width = area.width.saturating_sub(4).min(120);
    let room = width.saturating_sub(4);
    // As a shell reads it, so that the text can be selected and run.
    let lines = crate::figure::wrapped(command, room.into())
        .unwrap_or_else(|| command.lines().flat_map(|line| wrap(line, room)).collect());
    let height = (lines.len() as u16 + 8).min(area.height);
    let inner = ui.dialog(area, width, height, "Command that reproduces these numbers");
    let last = inner.bottom().saturating_sub(5);
    for (y, line) in (inner.y + 1..last).zip(&lines) {
        ui.text(inner.x + 1, y, room, line, ui.theme.title);
    }
    let notes = [
        "Copied to the clipboard if the terminal supports OSC 52.",
        "If not: press m to turn the mouse off, then select the text.",
    ];
    for (y, note) in (inner.bottom().saturating_sub(4)..).zip(notes) {
        ui.text(inner.x + 1, y, room, note, ui.theme.dim);
    }
    let y = inner.bottom().saturating_sub(1);
    ui.button(inner.x + 1, y, 12, " Enter done ", ui.theme.selected, Command::Cancel);
}
