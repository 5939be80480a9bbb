//! The words of the screen on the left, the meaning of the chosen one on the right.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::analysis::glossary::Entry;
use crate::tui::app::action::Command;
use crate::tui::dialogs::terms::state::Terms;
use crate::tui::widgets::ui::{Ui, fit, wrap};

/// Columns of the box and of the words in it, and rows of the box, where the screen has
/// them.
const WIDTH: u16 = 90;
const WORDS: u16 = 24;
const ROWS: u16 = 18;

/// Draws it over `area`, of whose text it explains the words.
pub(crate) fn draw(ui: &mut Ui, area: Rect, terms: Terms) {
    let lines = lines(ui.buffer, area);
    let entries = terms.entries(lines.iter().map(String::as_str));
    let inner = ui.dialog(area, WIDTH, ROWS, "Words on this screen");
    let chosen = terms.chosen(entries.len());
    let rows = usize::from(inner.height.saturating_sub(2));
    let top = (chosen + 1).saturating_sub(rows);
    for (y, (index, entry)) in (inner.y..).zip(entries.iter().enumerate().skip(top).take(rows)) {
        let here = index == chosen;
        let style = if here { ui.theme.selected } else { ui.theme.base };
        ui.text(inner.x + 1, y, 1, if here { "▸" } else { " " }, ui.theme.accent);
        ui.text(inner.x + 3, y, WORDS - 4, &fit(entry.name, WORDS - 4), style);
        ui.hit(Rect::new(inner.x, y, WORDS, 1), Command::Pick(index));
    }
    let right = Rect { x: inner.x + WORDS, width: inner.width.saturating_sub(WORDS + 1), ..inner };
    match entries.get(chosen) {
        Some(entry) => {
            let lines = meaning(ui, entry, right.width);
            ui.lines(right, lines);
        }
        None => ui.paragraph(right, "No word of the glossary is on this screen.", ui.theme.dim),
    }
    let hint = "↑ ↓ next word · : finds any word · Esc closes";
    let y = inner.bottom().saturating_sub(1);
    ui.text(inner.x + 1, y, inner.width.saturating_sub(2), hint, ui.theme.dim);
}

/// The lines of text on the screen; what a frame parts is in lines of its own.
fn lines(buffer: &Buffer, area: Rect) -> Vec<String> {
    let mut lines = Vec::new();
    for y in area.top()..area.bottom() {
        let row: String = (area.left()..area.right())
            .filter_map(|x| Some(buffer.cell((x, y))?.symbol()))
            .collect();
        let parts = row.split(['│', '┃', '╭', '╮', '╰', '╯', '─', '━', '┏', '┓', '┗', '┛']);
        lines.extend(parts.filter(|part| !part.trim().is_empty()).map(str::to_owned));
    }
    lines
}

/// The word, what it means, and the counters behind it.
fn meaning(ui: &Ui, entry: &Entry, room: u16) -> Vec<(String, Style)> {
    let mut lines = vec![(entry.name.to_owned(), ui.theme.title), (String::new(), ui.theme.base)];
    lines.extend(wrap(entry.text, room).into_iter().map(|line| (line, ui.theme.base)));
    let counters = entry.counters();
    if !counters.is_empty() {
        lines.push((String::new(), ui.theme.base));
        lines.extend(wrap(&counters, room).into_iter().map(|line| (line, ui.theme.dim)));
    }
    lines
}
