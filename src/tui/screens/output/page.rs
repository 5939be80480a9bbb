//! The Output screen: the form, and the output as large as it gets.

use ratatui::layout::Rect;

use crate::tui::screens::output;
use crate::tui::screens::sweep::explain;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::ui::Ui;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let roomy = frame::is_roomy(area);
    let Frame { body, notice } = frame::draw(ui, area, if roomy { 2 } else { 1 });
    let (left, right) = frame::columns(body);
    frame::draw_form(ui, left, roomy);
    output::draw(ui, right);
    explain::draw(ui, notice);
}
