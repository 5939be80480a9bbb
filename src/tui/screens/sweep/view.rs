//! The Sweep screen: where each of its panels goes.

use ratatui::layout::Rect;

use crate::tui::screens::output;
use crate::tui::screens::sweep::form::view as form;
use crate::tui::screens::sweep::{about, explain};
use crate::tui::widgets::ui::Ui;
use crate::tui::widgets::{chart, header, legend, status};

/// Rows below the fields for what the selected one means.
const FORM_HINT: u16 = 5;

/// Fewest rows in which what is compared can be told.
const LEAST_ABOUT: u16 = 4;

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
    let right = Rect { x: body.x + form_width, width: body.width - form_width, ..body };
    let legend_rows = (legend::rows(ui) + 2).min(right.height / 3);
    if roomy {
        let mut form_rows = (form::rows(ui) + 2 + FORM_HINT).min(left.height);
        if left.height - form_rows < LEAST_ABOUT {
            form_rows = left.height;
        }
        form::draw(ui, Rect { height: form_rows, ..left });
        let rest = Rect { y: left.y + form_rows, height: left.height - form_rows, ..left };
        if rest.height > 0 {
            about::draw(ui, rest);
        }
        let output_rows = (right.height / 4).clamp(7, 14);
        let chart_rows = right.height - legend_rows - output_rows;
        chart::draw(ui, Rect { height: chart_rows, ..right });
        legend::draw(ui, Rect { y: right.y + chart_rows, height: legend_rows, ..right });
        output::draw(ui, Rect { y: right.bottom() - output_rows, height: output_rows, ..right });
    } else {
        let form_rows = (form::rows(ui) + 2).min(left.height - 5);
        form::draw(ui, Rect { height: form_rows, ..left });
        let rest = left.height - form_rows;
        output::draw(ui, Rect { y: left.y + form_rows, height: rest, ..left });
        let chart_rows = right.height - legend_rows;
        chart::draw(ui, Rect { height: chart_rows, ..right });
        legend::draw(ui, Rect { y: right.y + chart_rows, height: legend_rows, ..right });
    }
    explain::draw(ui, row(1 + body_rows, explain_rows));
    status::draw(ui, row(1 + body_rows + explain_rows, 1));
    status::draw_keys(ui, row(area.height - 1, 1));
}
