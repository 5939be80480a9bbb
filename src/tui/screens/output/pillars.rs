//! Pillars on a line: a bar per value, up or down from zero, and a level drawn
//! across.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::widgets::ui::Ui;

/// Eighths of a cell, from its floor up.
const UP: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Eighths of a cell, from its ceiling down, as far as there are symbols.
const DOWN: [&str; 9] = [" ", "▔", "▔", "▔", "▀", "▀", "▀", "▀", "█"];

/// Widest pillar.
const WIDEST: usize = 24;

/// Values of neighbours taken together, so that at most `columns` are left:
/// the mean of each group. Entry `i` stands for `per_entry` elements of
/// `count`, the last for what remains.
pub(crate) fn means(
    entries: &[Option<f64>],
    per_entry: u64,
    count: u64,
    columns: usize,
) -> Vec<Option<f64>> {
    let per_entry = per_entry.max(1);
    let group = entries.len().div_ceil(columns.max(1)).max(1);
    let covered =
        |entry: usize| per_entry.min(count.saturating_sub(entry as u64 * per_entry)).max(1) as f64;
    entries
        .chunks(group)
        .enumerate()
        .map(|(index, entries)| {
            let known = entries.iter().enumerate().filter_map(|(at, mean)| {
                let weight = covered(index * group + at);
                mean.map(|mean| (mean * weight, weight))
            });
            let (sum, weight) = known.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            (weight > 0.0).then(|| sum / weight).filter(|mean: &f64| mean.is_finite())
        })
        .collect()
}

/// Draws a pillar per height, and `level` as a line in the gaps.
pub(crate) fn draw(ui: &mut Ui, heights: &[Option<f64>], level: Option<f64>, area: Rect) {
    if heights.is_empty() || area.height == 0 || area.width == 0 {
        return;
    }
    let known = || heights.iter().flatten().copied().chain(level);
    // Some air above, so that the line of the level stays visible.
    let top = known().fold(0.0, f64::max) * 1.1;
    let bottom = known().fold(0.0, f64::min) * 1.1;
    let Some(scale) = Scale::new(top, bottom, area.height) else { return };
    let pitch = (usize::from(area.width) / heights.len()).clamp(1, WIDEST);
    let gap = usize::from(pitch >= 3);
    for (index, height) in heights.iter().enumerate().take(usize::from(area.width)) {
        let Some(height) = *height else { continue };
        let x = area.x + (index * pitch) as u16;
        for row in 0..area.height {
            let symbol = scale.symbol(height, row);
            for dx in 0..(pitch - gap) as u16 {
                ui.text(x + dx, area.bottom() - 1 - row, 1, symbol, ui.theme.bars);
            }
        }
    }
    if let Some(level) = level {
        let y = area.bottom() - 1 - scale.row(level).min(area.height - 1);
        draw_level(ui, area, y, (heights.len() * pitch) as u16, ui.theme.accent);
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
        if !(spread > 0.0 && spread.is_finite()) {
            return None;
        }
        let both = top > 0.0 && bottom < 0.0 && rows >= 2;
        let below = if both {
            ((-bottom / spread * f64::from(rows)).round() as u16).clamp(1, rows - 1)
        } else if top > 0.0 {
            0
        } else {
            rows
        };
        let room = |rows: u16, reach: f64| {
            if reach > 0.0 && rows > 0 { f64::from(rows) * 8.0 / reach } else { f64::INFINITY }
        };
        Some(Self { below, unit: room(rows - below, top).min(room(below, -bottom)) })
    }

    /// What stands in a row, counted from the bottom.
    fn symbol(&self, value: f64, row: u16) -> &'static str {
        let eighths = (value.abs() * self.unit).round() as usize;
        // Never hide a value that is not zero.
        let eighths = if value == 0.0 { 0 } else { eighths.max(1) };
        let up = row >= self.below;
        if value < 0.0 && self.below == 0 && row == 0 {
            return DOWN[1]; // one row only: below zero, no more to tell
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
        let rows = value.abs() * self.unit / 8.0;
        if value >= 0.0 {
            self.below + rows as u16
        } else {
            self.below.saturating_sub(1 + rows as u16)
        }
    }
}

/// The level: a line in the gaps and beside the pillars, so that it hides none.
fn draw_level(ui: &mut Ui, area: Rect, y: u16, used: u16, style: Style) {
    for x in area.x..area.x + used.min(area.width) {
        let free = ui.buffer.cell((x, y)).is_some_and(|cell| cell.symbol() == " ");
        if free {
            ui.text(x, y, 1, "─", style);
        }
    }
    if used < area.width {
        ui.text(area.x + used, y, area.width - used, "─", style);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_column_stands_as_high_as_the_mean_of_what_it_covers() {
        let entries = [4.0, 8.0, 0.0, 2.0].map(Some);
        assert_eq!(means(&entries, 1, 4, 10), entries);
        assert_eq!(means(&entries, 1, 4, 2), [Some(6.0), Some(1.0)]);
        // 5 elements in pairs: the last entry stands for one.
        let entries = [4.0, 2.0, 8.0].map(Some);
        assert_eq!(means(&entries, 2, 5, 2), [Some(3.0), Some(8.0)]);
        assert_eq!(means(&entries, 2, 5, 1), [Some(4.0)]);
        assert_eq!(means(&[None, Some(1.0), None, None], 1, 4, 2), [Some(1.0), None]);
    }

    #[test]
    fn pillars_stand_on_zero() {
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
