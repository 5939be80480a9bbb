//! Cells in shades: two rows of the grid per row of the screen where half
//! blocks can be coloured, else one character per cell of the grid.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::figure::marks::Grid;
use crate::tui::theme::SHADES;
use crate::tui::widgets::ui::{Ui, width};

/// Characters of categories without colour.
const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

pub(super) fn draw(ui: &mut Ui, mark: &Grid, mut area: Rect) {
    let coloured = in_colour(ui);
    let explained = area.height >= 3 && area.width >= 30 && (coloured || !mark.categories);
    area.height -= u16::from(explained);
    let halves = if coloured { 2 } else { 1 };
    let lines = usize::from(area.height * halves);
    let grid = mark.resampled(lines, area.width.into());
    if grid.values.is_empty() {
        return;
    }
    let (high, wide) = (lines / grid.rows, usize::from(area.width) / grid.columns);
    let columns = (area.x..area.right()).zip(0..grid.columns * wide);
    for (y, line) in (area.y..area.bottom()).zip((0..).step_by(halves.into())) {
        for (x, column) in columns.clone() {
            let rows = [line, line + usize::from(halves) - 1].map(|line| line / high);
            if rows[0] < grid.rows {
                cell(ui, &grid, (x, y), rows, column / wide);
            }
        }
    }
    if grid.categories && area.height >= 2 {
        names(ui, &grid, wide as u16, area);
    }
    if explained {
        legend(ui, &grid, area.x, area.bottom(), area.width);
    }
}

/// Draws what two rows of the grid have in a column, in one cell.
fn cell(ui: &mut Ui, grid: &Grid, (x, y): (u16, u16), rows: [usize; 2], column: usize) {
    let theme = ui.theme;
    let values = rows.map(|row| grid.value(row, column));
    let shades = values.map(|value| value.map(|value| theme.shade(grid.shade(value))));
    let letter;
    let (symbol, style) = match (shades, values[0]) {
        ([None, None], _) => ("?", theme.bad),
        (shades, _) if in_colour(ui) => {
            let [upper, lower] =
                shades.map(|shade| shade.map_or(theme.background(), |(color, _)| color));
            ("▀", Style::new().fg(upper).bg(lower))
        }
        ([Some((color, symbol)), _], Some(value)) => {
            letter = char::from(LETTERS[value as usize % LETTERS.len()]).to_string();
            (if grid.categories { letter.as_str() } else { symbol }, theme.base.fg(color))
        }
        _ => return,
    };
    ui.text(x, y, 1, symbol, style);
}

/// The number of each category on its cells, where they are wide enough.
fn names(ui: &mut Ui, grid: &Grid, wide: u16, area: Rect) {
    let mut x = area.x;
    for run in grid.values.chunk_by(|a, b| a == b) {
        let name = run[0].map_or_else(|| " ? ".to_owned(), |value| format!(" {value:.0} "));
        let (used, room) = (width(&name), run.len() as u16 * wide);
        if used <= room {
            let y = area.y + area.height / 2;
            ui.text(x + (room - used) / 2, y, used, &name, ui.theme.base);
        }
        x += room;
    }
}

/// The shades in order, between the values of the lowest and the highest, and
/// what a cell stands for.
fn legend(ui: &mut Ui, grid: &Grid, x: u16, y: u16, most: u16) {
    let [low, high] = grid.ends();
    let mut end = ui.text(x, y, most, &low, ui.theme.dim) + 1;
    for level in 0..SHADES {
        let (color, symbol) = ui.theme.shade(level as f64 / (SHADES - 1) as f64);
        let symbol = if in_colour(ui) { "█" } else { symbol };
        end = ui.text(end, y, 1, symbol, ui.theme.base.fg(color));
    }
    let note = grid.note().map_or_else(String::new, |note| format!("   {note}"));
    ui.text(end + 1, y, (x + most).saturating_sub(end + 1), &(high + &note), ui.theme.dim);
}

/// Whether shades are colours; else they are characters.
fn in_colour(ui: &Ui) -> bool {
    ui.theme.colour && !ui.model.look.ascii
}
