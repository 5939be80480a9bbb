//! The help: every key and what it does, each line a button. On a small screen it
//! has pages.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::app::keys::BINDINGS;
use crate::tui::widgets::ui::{Ui, fit};

/// Columns of a key with what it does.
const WIDE: u16 = 39;
/// Columns of the key.
const KEY: u16 = 7;

const NOTES: [&str; 4] = [
    "Full line, filled marker: measured now, or recorded earlier. Dashed line,",
    "hollow marker: modelled (counted, then predicted). Thin line: reported",
    "(published). Bold: run in this session. ✓: the output equals the CPU's",
    "K explains the words on a screen; : finds any word, such as bank conflict",
];

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let columns = (area.width.saturating_sub(2) / WIDE).clamp(1, 4);
    // The frame, the notes and a row before them.
    let most = area.height.saturating_sub(2 + 1 + NOTES.len() as u16).max(1);
    let all = BINDINGS.len() as u16;
    let rows = all.div_ceil(columns).min(most);
    let per_page = usize::from(rows * columns);
    let pages = BINDINGS.len().div_ceil(per_page);
    let page = ui.model.help_page.min(pages - 1);
    let title = if pages > 1 {
        format!("Keys, page {} of {pages} (↓ ↑ turn; each line can be clicked)", page + 1)
    } else {
        "Keys (each line can be clicked)".to_owned()
    };
    let height = rows + 3 + NOTES.len() as u16;
    let inner = ui.dialog(area, columns * WIDE + 2, height, &title);
    let shown = BINDINGS.iter().skip(page * per_page).take(per_page);
    for (index, binding) in (0u16..).zip(shown) {
        let (x, y) = (inner.x + 1 + index / rows * WIDE, inner.y + index % rows);
        ui.text(x, y, KEY, binding.shown, ui.theme.accent);
        let room = WIDE - KEY - 1;
        ui.text(x + KEY, y, room, &fit(binding.help, room), ui.theme.base);
        ui.hit(Rect::new(x, y, WIDE - 1, 1), binding.command);
    }
    if pages > 1 {
        let turn = if page + 1 < pages { Command::Down } else { Command::Up };
        ui.hit(Rect::new(inner.x, inner.y.saturating_sub(1), inner.width, 1), turn);
    }
    for (row, note) in (0u16..).zip(NOTES) {
        let y = inner.y + rows + 1 + row;
        if y < inner.bottom() {
            ui.text(inner.x + 1, y, inner.width - 2, note, ui.theme.dim);
        }
    }
}
