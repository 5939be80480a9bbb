//! Bars: one value per block, with their mean as a line.

use ratatui::layout::Rect;

use crate::tui::screens::output::{pillars, several};
use crate::tui::widgets::ui::Ui;
use crate::units::{decimal, grouped};
use crate::work::Bars;

pub(crate) fn draw(ui: &mut Ui, bars: &Bars, area: Rect) {
    let means = pillars::means(&bars.values, bars.per_column, bars.bars, usize::from(area.width));
    pillars::draw(ui, &means, mean(bars), area);
}

/// Mean of the bars that are numbers.
fn mean(bars: &Bars) -> Option<f64> {
    let numbers = bars.bars.checked_sub(bars.not_finite).filter(|numbers| *numbers > 0)?;
    Some(bars.total? / numbers as f64)
}

pub(crate) fn words(bars: &Bars) -> String {
    let each = if bars.per_column > 1 {
        format!("{}, each a {}, drawn in groups", several(bars.bars, "bar"), bars.label)
    } else {
        format!("{}, each a {}", several(bars.bars, "bar"), bars.label)
    };
    let mut parts: Vec<String> = bars.result.iter().cloned().collect();
    parts.push(each);
    if let Some(extremes) = bars.extremes {
        let ((high, most), (low, least)) = (extremes.highest, extremes.lowest);
        parts.push(format!("highest {high}: {}", decimal(most)));
        parts.push(format!("lowest {low}: {}", decimal(least)));
    }
    parts.extend(mean(bars).map(|mean| format!("mean ─ {}", decimal(mean))));
    if bars.not_finite > 0 {
        parts.push(format!("{} infinite or NaN", grouped(bars.not_finite)));
    }
    parts.join(" · ")
}

pub(crate) fn short_words(bars: &Bars) -> Vec<String> {
    let mut lines: Vec<String> = bars.result.iter().cloned().collect();
    if let Some(extremes) = bars.extremes {
        lines.push(format!("most  {} in {}", decimal(extremes.highest.1), extremes.highest.0));
        lines.push(format!("least {} in {}", decimal(extremes.lowest.1), extremes.lowest.0));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_told_first_and_gaps_are_told() {
        let bars = Bars::of("partial sum of a block", [3.0, f64::NAN, 5.0]).with_result("sum NaN");
        assert_eq!(
            words(&bars),
            "sum NaN · 3 bars, each a partial sum of a block · highest 2: 5 · lowest 0: 3 · \
             mean ─ 4 · 1 infinite or NaN"
        );
    }
}
