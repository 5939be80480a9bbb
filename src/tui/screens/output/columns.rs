//! Columns in eighths of a cell, up or down from zero, and a level as a line.

use ratatui::layout::Rect;

use crate::figure::marks::Columns;
use crate::tui::widgets::ui::Ui;

/// Eighths of a cell, from its floor up.
const UP: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Eighths of a cell, from its ceiling down, as far as there are symbols.
const DOWN: [&str; 9] = [" ", "▔", "▔", "▔", "▀", "▀", "▀", "▀", "█"];

/// Widest column.
const WIDEST: u16 = 24;

/// Cells for the name at the left.
const NAME: u16 = 7;

/// Least width of an area with the name.
const NAMED: u16 = 30;

pub(super) fn draw(ui: &mut Ui, mark: &Columns, mut area: Rect) {
    if !mark.name.is_empty() && area.width >= NAMED {
        ui.text(area.x, area.bottom() - 1, NAME, mark.name, ui.theme.dim);
        area = Rect { x: area.x + NAME, width: area.width - NAME, ..area };
    }
    let heights = mark.resampled(area.width.into());
    let (low, high) = mark.extent(&heights);
    // Some air, so that the line of the level stays visible.
    let air = if mark.level.is_some() { 1.1 } else { 1.0 };
    let Some(scale) = Scale::new(high * air, low * air, area.height) else { return };
    let pitch = (area.width / heights.len().max(1) as u16).clamp(1, WIDEST);
    let wide = if pitch >= 3 { pitch - 1 } else { pitch };
    let style = if mark.style == 0 { ui.theme.bars } else { ui.theme.accent };
    for (x, height) in (area.x..area.right()).step_by(pitch.into()).zip(&heights) {
        let Some(height) = *height else {
            ui.text(x, area.bottom() - 1, 1, "?", ui.theme.bad);
            continue;
        };
        for row in 0..area.height {
            let symbols = scale.symbol(height, row).repeat(wide.into());
            ui.text(x, area.bottom() - 1 - row, wide, &symbols, style);
        }
    }
    let Some((level, _)) = mark.level else { return };
    // In the gaps and beside the columns, so that it hides none.
    let y = area.bottom() - 1 - scale.row(level).min(area.height - 1);
    for x in area.x..area.right() {
        if ui.buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == " ") {
            ui.text(x, y, 1, "─", ui.theme.accent);
        }
    }
}

/// How high a value stands.
struct Scale {
    /// Rows below zero.
    below: u16,
    /// Eighths of a row per unit.
    unit: f64,
}

impl Scale {
    fn new(top: f64, bottom: f64, rows: u16) -> Option<Self> {
        let spread = top - bottom;
        if !(spread > 0.0 && spread.is_finite() && rows > 0) {
            return None;
        }
        let below = if bottom >= 0.0 {
            0
        } else if top <= 0.0 {
            rows
        } else if rows == 1 {
            0
        } else {
            ((-bottom / spread * f64::from(rows)).round() as u16).clamp(1, rows - 1)
        };
        let room = |rows: u16, reach: f64| {
            if reach > 0.0 && rows > 0 { f64::from(rows) * 8.0 / reach } else { f64::INFINITY }
        };
        Some(Self { below, unit: room(rows - below, top).min(room(below, -bottom)) })
    }

    /// The symbol of a value in a row, counted from the bottom.
    fn symbol(&self, value: f64, row: u16) -> &'static str {
        let eighths = (value.abs() * self.unit).round() as usize;
        // Never hide a value that is not zero.
        let eighths = if value == 0.0 { 0 } else { eighths.max(1) };
        let up = row >= self.below;
        if value < 0.0 && self.below == 0 && row == 0 {
            return DOWN[1]; // a single row
        }
        if up != (value >= 0.0) {
            return " ";
        }
        let rows = if up { row - self.below } else { self.below - 1 - row };
        let filled = eighths.saturating_sub(usize::from(rows) * 8).min(8);
        if up { UP[filled] } else { DOWN[filled] }
    }

    /// The row, counted from the bottom, that a value reaches into.
    fn row(&self, value: f64) -> u16 {
        let rows = (value.abs() * self.unit / 8.0) as u16;
        if value >= 0.0 {
            self.below.saturating_add(rows)
        } else {
            self.below.saturating_sub(rows.saturating_add(1))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_on_zero() {
        // From -10 to 10 in four rows: two below zero.
        let scale = Scale::new(10.0, -10.0, 4).unwrap();
        let column = |value| [0, 1, 2, 3].map(|row| scale.symbol(value, row));
        assert_eq!(column(10.0), [" ", " ", "█", "█"]);
        assert_eq!(column(2.5), [" ", " ", "▄", " "]);
        assert_eq!(column(-7.5), ["▀", "█", " ", " "]);
        assert_eq!(column(0.0), [" "; 4]);
        assert_eq!((scale.row(-10.0), scale.row(0.0), scale.row(7.5)), (0, 2, 3));
        assert_eq!(Scale::new(5.0, 0.0, 3).unwrap().symbol(1e-9, 0), "▁");
    }
}
