//! The watch list and the registers of the line, over the lanes.

use ratatui::layout::Rect;

use crate::figure::step as figure;
use crate::tui::screens::step::recorded::Shown;
use crate::tui::widgets::ui::{Ui, fit};
use crate::work::trace::Value;

/// Columns of a name, and of a plot.
const NAME: u16 = 9;
const PLOT: u16 = 32;

/// Fewest columns for a plot beside the numbers.
const WITH_PLOT: u16 = NAME + PLOT + 14;

const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/// Rows that it fills.
pub(crate) fn rows(shown: &Shown) -> u16 {
    2 + (shown.values.len() + shown.watched.len()).clamp(1, 40) as u16
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect, shown: &Shown) {
    // Lanes that run the step; those of a branch that nobody takes, too.
    let lanes = if shown.moment.active == 0 { u32::MAX } else { shown.moment.active };
    let watched = shown.watched.iter().map(|value| (value, true));
    let all: Vec<(&Value, bool)> =
        watched.chain(shown.values.iter().map(|value| (value, false))).collect();
    let (many, high) = (all.len(), usize::from(area.height.saturating_sub(2)));
    let mut first = ui.model.step.scroll.min(many.saturating_sub(high));
    if ui.model.step.scroll == 0 && shown.watched.is_empty() {
        // What the step changed is in sight.
        let changed = all.iter().position(|(value, _)| value.changed & lanes != 0);
        first = changed.map_or(0, |at| (at + 1).saturating_sub(high.max(1)));
    }
    let title = "Registers of the line (* changed, > watched)";
    let title = if many > high && high > 0 {
        format!("{title} · {}–{} of {many}", first + 1, first + high)
    } else {
        title.to_owned()
    };
    let inner = ui.panel(area, &title, super::on_values(ui.model));
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..inner };
    if all.is_empty() {
        ui.text(inner.x, inner.y, inner.width, "no register holds a value here", ui.theme.dim);
        return;
    }
    for (y, (value, watched)) in (inner.y..inner.bottom()).zip(all.into_iter().skip(first)) {
        draw_value(ui, Rect { y, height: 1, ..inner }, value, watched, lanes);
    }
}

fn draw_value(ui: &mut Ui, row: Rect, value: &Value, watched: bool, lanes: u32) {
    let changed = value.changed & lanes != 0;
    let style = if changed { ui.theme.accent } else { ui.theme.base };
    let mark = if changed {
        "*"
    } else if watched {
        ">"
    } else {
        " "
    };
    ui.text(row.x, row.y, 1, mark, style);
    ui.text(row.x + 1, row.y, NAME - 2, &value.name, style);
    let mut x = row.x + NAME;
    if row.width >= WITH_PLOT && !ui.model.step.numbers {
        for (lane, height) in (0u16..).zip(figure::heights(value, lanes)) {
            let Some(height) = height else { continue };
            let level = (height * 7.0).round() as usize;
            let changed = value.changed >> lane & 1 != 0;
            let style = if changed { ui.theme.accent } else { ui.theme.bars };
            ui.text(x + lane, row.y, 1, BARS[level.min(7)], style);
        }
        x += PLOT + 1;
    }
    let room = row.right().saturating_sub(x);
    // A number takes two columns at least.
    let text = figure::row(value, lanes, usize::from(room / 2).min(32));
    ui.text(x, row.y, room, &fit(&text, room), style);
}
