//! A list to choose from by typing.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::dialogs::picker::state::Picker;
use crate::tui::screens::sweep::form::view::draw_text;
use crate::tui::widgets::ui::{Ui, fit, width};

/// Columns of the box, and rows of the list, where the screen has them.
const WIDTH: u16 = 76;
const ROWS: u16 = 24;

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect, picker: &Picker) {
    let shown = picker.shown(ui.model);
    let all = picker.rows(ui.model) as u16;
    let most = ROWS.min(area.height.saturating_sub(6)).min(all.max(3));
    let inner = ui.dialog(area, WIDTH, most + 4, &picker.title(ui.model));
    let wide = inner.width.saturating_sub(2);
    let x = ui.text(inner.x + 1, inner.y, 2, "› ", ui.theme.accent);
    let line = Rect::new(x, inner.y, wide - 2, 1);
    draw_text(ui, line, &picker.query.text(), picker.query.cursor(), ui.theme.base);
    let rows = usize::from(most);
    let cursor = picker.cursor.min(shown.len().saturating_sub(1));
    let first = cursor.saturating_sub(rows / 2).min(shown.len().saturating_sub(rows));
    if shown.is_empty() {
        let text = "no match; Ctrl-U clears the text";
        ui.text(inner.x + 3, inner.y + 1, wide, text, ui.theme.dim);
    }
    let labels = shown.iter().map(|item| width(&item.label)).max().unwrap_or(0);
    for (y, (index, item)) in (inner.y + 1..).zip(shown.iter().enumerate().skip(first).take(rows)) {
        let chosen = index == cursor;
        let style = if chosen { ui.theme.selected } else { ui.theme.base };
        ui.text(inner.x + 1, y, 1, if chosen { "▸" } else { " " }, ui.theme.accent);
        let key = width(item.key);
        let label = labels.min(wide.saturating_sub(key + 4));
        ui.text(inner.x + 3, y, label, &item.label, style);
        ui.text(inner.right() - 1 - key, y, key, item.key, ui.theme.accent);
        let room = wide.saturating_sub(label + 5 + key);
        if room > 3 {
            ui.text(inner.x + 5 + label, y, room, &fit(&item.detail, room), ui.theme.dim);
        }
        ui.hit(Rect::new(inner.x, y, inner.width, 1), Command::Pick(index));
    }
    let hint = format!("{} found · Enter selects · ↑ ↓ move · Esc closes", shown.len());
    ui.text(inner.x + 1, inner.bottom().saturating_sub(1), wide, &hint, ui.theme.dim);
}
