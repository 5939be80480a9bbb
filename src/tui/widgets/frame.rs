//! What every screen has around its panels, and the columns of those with a form.

use ratatui::layout::Rect;

use crate::tui::screens::sweep::about;
use crate::tui::screens::sweep::form::view as form;
use crate::tui::widgets::ui::Ui;
use crate::tui::widgets::{header, selected, status};

/// Rows below the fields of the form for what the selected one means.
const FORM_HINT: u16 = 5;

/// Fewest rows in which what is compared can be told.
const LEAST_ABOUT: u16 = 4;

/// The rows of a screen around its panels.
pub(crate) struct Frame {
    /// Where the panels go.
    pub(crate) body: Rect,
    /// The lines below them.
    pub(crate) notice: Rect,
}

/// Whether a screen of these rows has room for more than the necessary.
pub(crate) fn is_roomy(area: Rect) -> bool {
    area.height >= 32
}

/// Draws what every screen has; the rest has `notice` rows for sentences below.
pub(crate) fn draw(ui: &mut Ui, area: Rect, notice: u16) -> Frame {
    let row = |y: u16, height: u16| Rect::new(area.x, area.y + y, area.width, height);
    header::draw(ui, row(0, 1));
    selected::draw(ui, row(1, 1));
    status::draw(ui, row(area.height - 2, 1));
    status::draw_keys(ui, row(area.height - 1, 1));
    let body = row(2, area.height - 4 - notice);
    Frame { body, notice: row(2 + body.height, notice) }
}

/// The columns of a screen with a form: the form's, and the rest.
pub(crate) fn columns(body: Rect) -> (Rect, Rect) {
    let left = Rect { width: if body.width >= 110 { 34 } else { 27 }, ..body };
    (left, Rect { x: left.right(), width: body.width - left.width, ..body })
}

/// Draws the form, and below it, where there is room, what is compared.
pub(crate) fn draw_form(ui: &mut Ui, area: Rect, roomy: bool) {
    let rows = (form::rows(ui) + 2 + FORM_HINT).min(area.height);
    let rest = area.height - rows;
    if !roomy || rest < LEAST_ABOUT {
        return form::draw(ui, area);
    }
    form::draw(ui, Rect { height: rows, ..area });
    about::draw(ui, Rect { y: area.y + rows, height: rest, ..area });
}
