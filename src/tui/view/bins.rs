//! The bins: bars of the counts with the even share as a line, and in words
//! the fullest, the emptiest, and how many lanes meet on one address.

use ratatui::layout::Rect;

use super::super::model::ShownBins;
use super::{Ui, wrap};
use crate::measurement::Bins;
use crate::units::{Elements, grouped};

/// Eighths of a cell.
const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Widest bar.
const WIDEST: usize = 24;

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let Some(shown) = &ui.model.bins else {
        ui.panel(area, "bins", false);
        return;
    };
    let inner = ui.panel(area, &title(shown, area.width), false);
    if inner.width < 4 || inner.height < 2 {
        return;
    }
    let words = if inner.width < 40 {
        short_words(&shown.bins)
    } else {
        wrap(&words(&shown.bins), inner.width - 2)
    };
    let rows = words.len().min(usize::from(inner.height.saturating_sub(2)).max(1)) as u16;
    for (row, line) in (0..rows).zip(&words) {
        ui.text(inner.x + 1, inner.bottom() - rows + row, inner.width - 1, line, ui.theme.dim);
    }
    let bars =
        Rect { x: inner.x + 1, width: inner.width - 2, height: inner.height - rows, ..inner };
    draw_bars(ui, &shown.bins, bars);
}

/// The case, as long as it fits.
fn title(shown: &ShownBins, width: u16) -> String {
    let case = &shown.case;
    let what = if shown.ran {
        format!("{} · {} · ×{}", case.variant, case.block, case.coarsen)
    } else {
        "CPU reference".to_owned()
    };
    let verified = if shown.ran { " · verified" } else { " · nothing run yet" };
    let n = Elements(case.n);
    let long = format!("bins of {what} at n = {n}, {}{verified}", case.dist);
    if super::width(&long) + 4 <= width {
        return long;
    }
    let sign = if shown.ran { format!("{} ✓", case.variant) } else { "CPU".to_owned() };
    format!("bins n = {n} {sign}")
}

fn words(bins: &Bins) -> String {
    let even = bins.total / bins.bins.max(1);
    let (full, most) = bins.fullest;
    let (empty, least) = bins.emptiest;
    let mut words = format!(
        "fullest bin {full}: {} · emptiest {empty}: {} · even share ─ {}",
        grouped(most),
        grouped(least),
        grouped(even),
    );
    if let Some(lanes) = bins.lanes_per_address {
        let lanes = crate::units::significant(lanes);
        words.push_str(&format!(" · {lanes} of a warp's 32 lanes meet on one bin"));
    }
    words
}

/// As [`words`], for a narrow panel.
fn short_words(bins: &Bins) -> Vec<String> {
    let mut words = vec![
        format!("most  {} in bin {}", grouped(bins.fullest.1), bins.fullest.0),
        format!("least {} in bin {}", grouped(bins.emptiest.1), bins.emptiest.0),
    ];
    if let Some(lanes) = bins.lanes_per_address {
        words.push(format!("{} of 32 lanes meet", crate::units::significant(lanes)));
    }
    words
}

/// Height of each column: the mean count per bin of what it covers.
fn heights(bins: &Bins, columns: usize) -> Vec<f64> {
    let per_entry = bins.per_column.max(1);
    let group = bins.counts.len().div_ceil(columns.max(1)).max(1);
    bins.counts
        .chunks(group)
        .enumerate()
        .map(|(index, counts)| {
            let first = index as u64 * group as u64 * per_entry;
            let covered = (counts.len() as u64 * per_entry).min(bins.bins.saturating_sub(first));
            counts.iter().sum::<u64>() as f64 / covered.max(1) as f64
        })
        .collect()
}

fn draw_bars(ui: &mut Ui, bins: &Bins, area: Rect) {
    let heights = heights(bins, usize::from(area.width));
    if heights.is_empty() || area.height == 0 {
        return;
    }
    let even = bins.total as f64 / bins.bins.max(1) as f64;
    // Some air above, so that the line of the even share stays visible.
    let top = heights.iter().copied().fold(even, f64::max) * 1.1;
    if top <= 0.0 {
        return;
    }
    let pitch = (usize::from(area.width) / heights.len()).clamp(1, WIDEST);
    let gap = usize::from(pitch >= 3);
    let eighths = f64::from(area.height) * 8.0;
    let in_row = |value: f64, row: u16| -> usize {
        let filled = (value / top * eighths).round().max(0.0) as usize;
        filled.saturating_sub(usize::from(row) * 8).min(8)
    };
    let even_row = ((even / top * f64::from(area.height)) as u16).min(area.height - 1);
    let line = ui.theme.accent;
    for row in 0..area.height {
        let y = area.bottom() - 1 - row;
        for (index, height) in heights.iter().enumerate() {
            let x = area.x + (index * pitch) as u16;
            let mut filled = in_row(*height, row);
            if row == 0 && *height > 0.0 {
                filled = filled.max(1); // never hide a bin that is not empty
            }
            for dx in 0..(pitch - gap) as u16 {
                ui.text(x + dx, y, 1, BARS[filled], ui.theme.bars);
            }
        }
        if row == even_row {
            draw_even(ui, area, y, (heights.len() * pitch) as u16, line);
        }
    }
}

/// The even share: a line in the gaps and beside the bars, so that it hides none.
fn draw_even(ui: &mut Ui, area: Rect, y: u16, used: u16, style: ratatui::style::Style) {
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

    fn bins(bins: u64, per_column: u64, counts: Vec<u64>) -> Bins {
        let total = counts.iter().sum();
        Bins { bins, per_column, counts, total, ..Bins::of([]) }
    }

    #[test]
    fn a_column_stands_as_high_as_the_mean_of_its_bins() {
        assert_eq!(heights(&bins(4, 1, vec![4, 8, 0, 2]), 10), [4.0, 8.0, 0.0, 2.0]);
        assert_eq!(heights(&bins(4, 1, vec![4, 8, 0, 2]), 2), [6.0, 1.0]);
        // 5 bins in pairs: the last entry covers one bin.
        assert_eq!(heights(&bins(5, 2, vec![8, 4, 3]), 10), [4.0, 2.0, 3.0]);
    }
}
