//! The Output screen: the form, and the output as large as it gets.

use ratatui::layout::Rect;

use crate::tui::screens::sweep::form::view as form;
use crate::tui::screens::sweep::{about, explain};
use crate::tui::widgets::ui::Ui;
use crate::tui::widgets::{header, status};

/// Rows below the fields for what the selected one means.
const FORM_HINT: u16 = 5;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let roomy = area.height >= 32;
    let explain_rows = if roomy { 2 } else { 1 };
    let body_rows = area.height - 3 - explain_rows;
    let row = |y: u16, height: u16| Rect::new(area.x, area.y + y, area.width, height);

    header::draw(ui, row(0, 1));
    let body = row(1, body_rows);
    let form_width = if area.width >= 110 { 34 } else { 27 };
    let left = Rect { width: form_width, ..body };
    if roomy {
        let form_rows = (form::rows(ui) + 2 + FORM_HINT).min(left.height);
        form::draw(ui, Rect { height: form_rows, ..left });
        about::draw(ui, Rect { y: left.y + form_rows, height: left.height - form_rows, ..left });
    } else {
        form::draw(ui, left);
    }
    crate::tui::screens::output::draw(
        ui,
        Rect { x: body.x + form_width, width: body.width - form_width, ..body },
    );
    explain::draw(ui, row(1 + body_rows, explain_rows));
    status::draw(ui, row(1 + body_rows + explain_rows, 1));
    status::draw_keys(ui, row(area.height - 1, 1));
}
