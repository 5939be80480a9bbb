//! Strips: elements of the input above, of the output below, each as high as
//! its value.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::screens::output::{several, shade};
use crate::tui::widgets::ui::Ui;
use crate::units::{decimal, grouped};
use crate::work::Strips;

/// Eighths of a cell; the lowest value is one of them.
const HEIGHTS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Columns of the names at the side.
const NAMES: u16 = 7;

pub(crate) fn draw(ui: &mut Ui, strips: &Strips, area: Rect) {
    if area.is_empty() {
        return;
    }
    let named = area.width >= 30;
    let left = if named { NAMES } else { 0 };
    let gap = u16::from(area.height >= 5);
    let high = (area.height - gap) / 2;
    let at = |y: u16, height: u16| Rect { x: area.x + left, width: area.width - left, y, height };
    // A single row shows the output.
    let rows = [at(area.y, high), at(area.y + high + gap, area.height - gap - high)];
    let styles = [ui.theme.bars, ui.theme.accent];
    let values = [&strips.before, &strips.after];
    for (index, name) in ["before", "after"].into_iter().enumerate() {
        let row = rows[index];
        if named && row.height > 0 {
            ui.text(area.x, row.bottom() - 1, NAMES, name, ui.theme.dim);
        }
        draw_strip(ui, strips, values[index], row, styles[index]);
    }
}

fn draw_strip(ui: &mut Ui, strips: &Strips, values: &[Option<f64>], area: Rect, style: Style) {
    let Some(extremes) = strips.extremes else { return };
    if values.is_empty() || area.is_empty() {
        return;
    }
    let columns = usize::from(area.width);
    let wide = (columns / values.len()).max(1);
    let used = columns.min(values.len() * wide);
    let most = usize::from(area.height) * 8;
    for x in 0..used {
        // Where there are too many, every so many of them.
        let index = x * values.len() / used;
        let value = values.get(index).copied().flatten();
        let Some(value) = value else {
            ui.text(area.x + x as u16, area.bottom() - 1, 1, "?", ui.theme.bad);
            continue;
        };
        let part = shade::between(value, extremes.lowest.1, extremes.highest.1);
        let filled = 1 + (part * (most - 1) as f64).round() as usize;
        for row in 0..area.height {
            let eighths = filled.saturating_sub(usize::from(row) * 8).min(8);
            let y = area.bottom() - 1 - row;
            ui.text(area.x + x as u16, y, 1, HEIGHTS[eighths], style);
        }
    }
}

fn runs(strips: &Strips) -> String {
    let before = several(strips.runs_before, "ascending run");
    let after = match strips.runs_after {
        0 | 1 => "sorted".to_owned(),
        runs => format!("NOT sorted, {} runs", grouped(runs)),
    };
    format!("{before} before, {after} after")
}

/// Runs after each level: the first few and the last.
fn levels(strips: &Strips, most: usize) -> Option<String> {
    let all: Vec<String> = strips.levels.iter().map(|runs| grouped(*runs)).collect();
    let (last, first) = all.split_last()?;
    let mut shown: Vec<&str> = first.iter().take(most).map(String::as_str).collect();
    if first.len() > most {
        shown.push("…");
    }
    shown.push(last);
    Some(format!("runs by level {}", shown.join(" → ")))
}

pub(crate) fn words(strips: &Strips) -> String {
    let kept = strips.before.len() as u64;
    let which = if kept < strips.n { format!("{} of ", grouped(kept)) } else { String::new() };
    let mut parts =
        vec![format!("{which}{}, as high as their value", several(strips.n, "element"))];
    if let Some(extremes) = strips.extremes {
        let (low, high) = (extremes.lowest.1, extremes.highest.1);
        parts[0].push_str(&format!(" from {} to {}", decimal(low), decimal(high)));
    }
    parts.push(runs(strips));
    parts.extend(levels(strips, 8));
    if strips.not_finite > 0 {
        parts.push(format!("{} infinite or NaN (?)", grouped(strips.not_finite)));
    }
    parts.join(" · ")
}

pub(crate) fn short_words(strips: &Strips) -> Vec<String> {
    let after = if strips.runs_after <= 1 { "sorted" } else { "NOT sorted" };
    vec![format!("{} → {after}", several(strips.runs_before, "run"))]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_not_sorted_is_told() {
        let strips = Strips::of([3.0, 1.0, 2.0], [1.0, 3.0, 2.0]);
        assert_eq!(
            words(&strips),
            "3 elements, as high as their value from 1 to 3 · 2 ascending runs before, \
             NOT sorted, 2 runs after"
        );
    }

    #[test]
    fn long_lists_of_levels_are_cut_in_the_middle() {
        let strips = Strips::of([1.0], [1.0]).with_levels((0..12).rev().map(|level| 1 << level));
        let text = levels(&strips, 3).unwrap();
        assert_eq!(text, "runs by level 2 048 → 1 024 → 512 → … → 1");
    }
}
