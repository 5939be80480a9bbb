//! Source or PTX with the current line, the cursor and the breakpoints.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::tui::app::action::Command;
use crate::tui::app::model::Model;
use crate::tui::screens::source::pane::top;
use crate::tui::screens::step::recorded::{Recorded, Shown};
use crate::tui::screens::step::state::Text;
use crate::tui::widgets::ui::{Ui, width};
use crate::work::trace::Group;

/// Columns of a line's number and its marks.
const GUTTER: u16 = 7;

/// The current line, where it is longer than a panel of this area shows.
pub(crate) fn cut<'m>(
    area: Rect,
    recorded: &'m Recorded,
    shown: &Shown,
    model: &Model,
) -> Option<&'m str> {
    let text = model.step.shown_text();
    let number = recorded.line_of(text, shown.moment.instruction)?;
    let line = recorded.lines_of(text).get((number as usize).checked_sub(1)?)?;
    let room = area.width.saturating_sub(GUTTER + 2);
    (width(line) > room).then_some(line)
}

/// Draws the part around the cursor.
pub(crate) fn draw(ui: &mut Ui, area: Rect, recorded: &Recorded, shown: &Shown) {
    let step = &ui.model.step;
    let text = step.shown_text();
    let place = &shown.moment.place;
    let title = format!("{} · {}", text.name(), place.word);
    let inner = ui.panel(area, &title, !step.on_values);
    let lines = recorded.lines_of(text);
    let current = recorded.line_of(text, shown.moment.instruction);
    let cursor = step.cursor_line();
    let middle = cursor.or(current).unwrap_or(1) as usize - 1;
    let first = top(middle, lines.len(), inner.height.into());
    let others: Vec<u32> = shown
        .moment
        .groups
        .iter()
        .filter_map(|Group { at, .. }| match text {
            Text::Source => at.source.as_ref().map(|(_, line)| *line),
            Text::Ptx => Some(at.ptx_line),
        })
        .collect();
    for (y, (index, line)) in (inner.y..inner.bottom()).zip(lines.iter().enumerate().skip(first)) {
        let number = index as u32 + 1;
        let here = current == Some(number);
        let chosen = step.cursor == Some(index);
        let broken = step.breakpoints.contains(&(text, number));
        let (mark, style) = match (here, broken) {
            (true, _) => ("▸", ui.theme.focus),
            (_, true) => ("●", ui.theme.bad),
            // Lanes that parted go on there.
            _ if others.contains(&number) => ("○", ui.theme.warn),
            _ => (" ", ui.theme.base),
        };
        ui.text(inner.x, y, 5, &format!("{number:>5}"), ui.theme.dim);
        if broken {
            ui.text(inner.x, y, 1, "●", ui.theme.bad);
        }
        ui.text(inner.x + 5, y, 1, mark, style);
        let room = inner.width.saturating_sub(GUTTER);
        let style = if chosen {
            ui.theme.base.add_modifier(Modifier::REVERSED)
        } else if here {
            emphasis(ui)
        } else {
            ui.theme.base
        };
        let padded = if here || chosen {
            format!("{line:<width$}", width = usize::from(room))
        } else {
            line.clone()
        };
        ui.text(inner.x + GUTTER, y, room, &padded, style);
        ui.hit(Rect { y, height: 1, ..inner }, Command::Row(index));
    }
}

/// The current line.
fn emphasis(ui: &Ui) -> Style {
    if ui.theme.colour {
        ui.theme.selected
    } else {
        ui.theme.title.add_modifier(Modifier::UNDERLINED)
    }
}
