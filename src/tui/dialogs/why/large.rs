//! The box behind `w` in large letters, page by page, for a projector.

use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::tui::app::action::Command;
use crate::tui::dialogs::why::{counting, view};
use crate::tui::widgets::large::Letters;
use crate::tui::widgets::ui::{Ui, wrap};

/// Draws it over all of `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Some(letters) = Letters::labels(ui.model.look.ascii) else {
        return view::draw(ui, area);
    };
    ui.hit(area, Command::Cancel);
    Clear.render(area, ui.buffer);
    ui.buffer.set_style(area, ui.theme.base);
    let inner = ui.panel(area, "Why", true);
    let room = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let text = counting::words(ui.model);
    let lines = wrap(&text, letters.fitting(room.width));
    let rows = usize::from((room.height.saturating_sub(1) / letters.high).max(1));
    let pages = lines.len().div_ceil(rows).max(1);
    let page = ui.model.why_page.min(pages - 1);
    for (y, line) in
        (room.y..).step_by(letters.high.into()).zip(lines.iter().skip(page * rows).take(rows))
    {
        letters.write(ui, (room.x, y), room.width, line, ui.theme.base);
    }
    let turn = if pages > 1 {
        format!("page {} of {pages}: ↓ ↑ turn · ", page + 1)
    } else {
        String::new()
    };
    let hint = format!("{turn}Esc closes");
    ui.text(room.x, inner.bottom() - 1, room.width, &hint, ui.theme.dim);
}
