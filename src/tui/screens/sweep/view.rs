//! The Sweep screen: where each of its panels goes.

use ratatui::layout::Rect;

use crate::tui::screens::output;
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::form::view as form;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::ui::Ui;
use crate::tui::widgets::{chart, legend};

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let roomy = frame::is_roomy(area);
    let Frame { body, notice } = frame::draw(ui, area, if roomy { 2 } else { 1 });
    let (left, right) = frame::columns(body);
    let legend_rows = (legend::rows(ui) + 2).min(right.height / 3);
    let output_rows = if roomy { (right.height / 4).clamp(7, 14) } else { 0 };
    if roomy {
        frame::draw_form(ui, left, true);
        output::draw(ui, Rect { y: right.bottom() - output_rows, height: output_rows, ..right });
    } else {
        let form_rows = (form::rows(ui) + 2).min(left.height - 5);
        let rest = left.height - form_rows;
        form::draw(ui, Rect { height: form_rows, ..left });
        output::draw(ui, Rect { y: left.y + form_rows, height: rest, ..left });
    }
    let chart_rows = right.height - legend_rows - output_rows;
    chart::draw(ui, Rect { height: chart_rows, ..right });
    legend::draw(ui, Rect { y: right.y + chart_rows, height: legend_rows, ..right });
    explain::draw(ui, notice);
}
