//! Cells in shades: two rows of the grid per row of the screen where half
//! blocks can be coloured, else one character per cell of the grid.

use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

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
    let (high, wide) = (lines / grid.rows, area.width / grid.columns as u16);
    for (y, line) in (area.y..area.bottom()).zip((0..).step_by(halves.into())) {
        let rows = [line, line + usize::from(halves) - 1].map(|line| line / high);
        if rows[0] < grid.rows {
            let places = (area.x..area.right()).step_by(wide.into());
            for (x, column) in places.zip(0..grid.columns) {
                let (symbol, style) = cell(ui, &grid, rows, column);
                ui.text(x, y, wide, &symbol.repeat(wide.into()), style);
            }
        }
    }
    if grid.categories && area.height >= 2 {
        names(ui, &grid, wide, area);
    }
    if explained {
        legend(ui, &grid, area.x, area.bottom(), area.width);
    }
}

/// The symbol and style of what two rows of the grid have in a column.
fn cell(ui: &Ui, grid: &Grid, rows: [usize; 2], column: usize) -> (String, Style) {
    let theme = &ui.theme;
    let values = rows.map(|row| grid.value(row, column));
    let [upper, lower] = values.map(|value| value.map(|value| theme.shade(grid.shade(value))));
    match (values[0], upper) {
        _ if values == [None; 2] => ("?".to_owned(), theme.bad),
        _ if in_colour(ui) => {
            let color = |shade: Option<(Color, _)>| shade.map_or(theme.background(), |it| it.0);
            ("▀".to_owned(), Style::new().fg(color(upper)).bg(color(lower)))
        }
        (Some(value), Some((color, symbol))) => {
            let letter = || char::from(LETTERS[value as usize % LETTERS.len()]).to_string();
            let symbol = if grid.categories { letter() } else { symbol.to_owned() };
            (symbol, theme.base.fg(color))
        }
        _ => (" ".to_owned(), theme.base),
    }
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
