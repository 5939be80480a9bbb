//! Values as shades: two rows of a grid per row of cells where half blocks can
//! be coloured, else one character per value.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::widgets::ui::Ui;
use crate::units::decimal;

/// What shade a value has, 0 to 1; none where there is no value.
pub(crate) type Shade = Option<f64>;

/// Rows of a grid that fit into a row of cells.
pub(crate) fn rows_per_cell(ui: &Ui) -> u16 {
    if in_colour(ui) { 2 } else { 1 }
}

/// Whether shades are colours; else they are characters.
fn in_colour(ui: &Ui) -> bool {
    ui.theme.colour && !ui.model.look.ascii
}

/// Draws a grid of `rows` by `columns` values over the whole area: every value
/// takes as many cells as fit, so that all are equally wide and high. `shade`
/// is asked for a row and a column.
pub(crate) fn draw(
    ui: &mut Ui,
    (rows, columns): (u16, u16),
    shade: impl Fn(u16, u16) -> Shade,
    area: Rect,
) {
    if rows == 0 || columns == 0 || area.is_empty() {
        return;
    }
    let per_cell = rows_per_cell(ui);
    let high = (area.height * per_cell / rows).max(1);
    let wide = (area.width / columns).max(1);
    let used = (columns * wide).min(area.width);
    let at = |line: u16, x: u16| {
        let row = line / high;
        if row < rows { Some(shade(row, x / wide)) } else { None }
    };
    for y in 0..area.height {
        for x in 0..used {
            let upper = at(y * per_cell, x);
            let lower = if per_cell == 2 { at(y * per_cell + 1, x) } else { None };
            cell(ui, area.x + x, area.y + y, upper, lower);
        }
    }
}

/// One cell: what is in its upper and its lower half, if anything is.
fn cell(ui: &mut Ui, x: u16, y: u16, upper: Option<Shade>, lower: Option<Shade>) {
    if upper.is_none() && lower.is_none() {
        return;
    }
    let shades = [upper, lower].map(Option::flatten);
    if !in_colour(ui) {
        let style = shades[0].map_or(ui.theme.dim, |shade| style(ui, shade));
        let symbol = shades[0].map_or("?", |shade| ui.theme.shade(shade).1);
        ui.text(x, y, 1, symbol, style);
        return;
    }
    let [upper, lower] =
        shades.map(|shade| shade.map_or(ui.theme.background(), |shade| ui.theme.shade(shade).0));
    ui.text(x, y, 1, "▀", Style::new().fg(upper).bg(lower));
}

/// The style of a character that stands for a shade.
fn style(ui: &Ui, shade: f64) -> Style {
    if ui.theme.colour { ui.theme.base.fg(ui.theme.shade(shade).0) } else { ui.theme.base }
}

/// The shades from the lowest to the highest, with what they stand for at both
/// ends; returns the column after it.
pub(crate) fn legend(ui: &mut Ui, x: u16, y: u16, low: &str, high: &str) -> u16 {
    let mut x = ui.text(x, y, 30, low, ui.theme.dim) + 1;
    let levels = crate::tui::theme::SHADES;
    for level in 0..levels {
        let shade = level as f64 / (levels - 1) as f64;
        let symbol = if in_colour(ui) { "█" } else { ui.theme.shade(shade).1 };
        x = ui.text(x, y, 1, symbol, style(ui, shade));
    }
    ui.text(x + 1, y, 30, high, ui.theme.dim)
}

/// The shade of a value between two others.
pub(crate) fn between(value: f64, low: f64, high: f64) -> f64 {
    // Halves keep the differences of the largest floats finite.
    let spread = high / 2.0 - low / 2.0;
    if spread > 0.0 { ((value / 2.0 - low / 2.0) / spread).clamp(0.0, 1.0) } else { 0.5 }
}

/// A value at the end of the legend.
pub(crate) fn end(value: f64) -> String {
    decimal(value)
}
