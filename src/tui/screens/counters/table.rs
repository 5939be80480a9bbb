//! The counters of a kernel of each case: a row each, what is bad in words
//! below it.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::analysis::kernel_profile::{Reading, Row};
use crate::results::record::Record;
use crate::tui::app::action::Command;
use crate::tui::app::model::Panel;
use crate::tui::screens::counters::letter;
use crate::tui::screens::profile::state::Side;
use crate::tui::screens::profile::{state as profile, view as common};
use crate::tui::widgets::ui::{Ui, fit, wrap};
use crate::units::Seconds;

/// Columns for what is counted.
const LABEL: u16 = 22;

/// A line as drawn; of a row, or of the heading of a group.
struct Line {
    /// Index of the row that it belongs to.
    row: Option<usize>,
    /// Text and style of label, columns, and what lies between these.
    cells: Vec<(u16, u16, String, Style)>,
}

/// Draws it; tells what the selected row means.
pub(crate) fn draw(ui: &mut Ui, area: Rect, sides: &[Side]) -> String {
    ui.hit(area, Command::Panel(Panel::Chart));
    let inner = ui.panel(area, &common::title(sides, area.width), true);
    if inner.height < 4 || inner.width < 40 {
        return String::new();
    }
    if sides.first().and_then(Side::profile).is_none() {
        common::nothing(ui, inner, sides);
        return String::new();
    }
    common::tabs(ui, Rect { height: 1, ..inner }, sides);
    headings(ui, Rect { y: inner.y + 1, height: 1, ..inner }, sides);
    let rows = profile::rows(ui.model);
    let chosen = ui.model.profile.row.min(rows.len().saturating_sub(1));
    let body = Rect { y: inner.y + 2, height: inner.height - 2, ..inner };
    let mut lines = lines(ui, &rows, chosen, body);
    // Below the predicted time.
    if let Some(line) = timed(ui, sides, body) {
        let at = lines.iter().position(|line| line.row == Some(1)).unwrap_or(lines.len());
        lines.insert(at, line);
    }
    // The selected row and what is said below it stay in sight.
    let last = lines.iter().rposition(|line| line.row == Some(chosen)).unwrap_or(0);
    let first = lines.iter().position(|line| line.row == Some(chosen)).unwrap_or(0);
    let high = usize::from(body.height);
    let top = (last + 1).saturating_sub(high).max(if first < high {
        0
    } else {
        (first + 2).saturating_sub(high)
    });
    for (y, line) in (body.y..body.bottom()).zip(lines.iter().skip(top)) {
        for (x, wide, text, style) in &line.cells {
            ui.text(*x, y, *wide, text, *style);
        }
        if let Some(row) = line.row {
            ui.hit(Rect::new(body.x, y, body.width, 1), Command::Row(row));
        }
    }
    if top > 0 {
        ui.text(inner.right() - 1, body.y, 1, "↑", ui.theme.dim);
    }
    if top + high < lines.len() {
        ui.text(inner.right() - 1, body.bottom() - 1, 1, "↓", ui.theme.dim);
    }
    rows.get(chosen).map_or_else(String::new, |row| format!("{}: {}", row.name, row.about))
}

/// Where the column of a side is.
fn column(area: Rect, side: usize, sides: usize) -> (u16, u16) {
    let room = area.width.saturating_sub(LABEL + 2);
    let wide = room / sides.max(1) as u16;
    (area.x + 1 + LABEL + wide * side as u16, wide)
}

/// Who the columns are.
fn headings(ui: &mut Ui, area: Rect, sides: &[Side]) {
    for (index, name) in common::names(sides).iter().enumerate() {
        let (x, wide) = column(area, index, sides.len());
        let style = Style { fg: Some(ui.theme.series(index)), ..ui.theme.title };
        let style = if ui.theme.colour { style } else { ui.theme.title };
        let text = format!("{} {name}", letter(index));
        ui.text(x, area.y, wide.saturating_sub(2), &text, style);
    }
}

/// The times of the cases that a GPU gave, whole, where there are any.
fn timed(ui: &Ui, sides: &[Side], area: Rect) -> Option<Line> {
    let found: Vec<_> =
        sides.iter().map(|side| profile::measured(ui.model, &side.wanted.case)).collect();
    let provenance = found.iter().flatten().next()?.provenance;
    let label = format!("  {provenance}, whole");
    let mut cells = vec![(area.x + 1, LABEL, fit(&label, LABEL), ui.theme.dim)];
    for (index, record) in found.iter().enumerate() {
        let Some(median) = record.and_then(Record::median) else { continue };
        let (x, wide) = column(area, index, sides.len());
        cells.push((x, wide.saturating_sub(2), Seconds(median).to_string(), ui.theme.dim));
    }
    Some(Line { row: None, cells })
}

fn lines(ui: &Ui, rows: &[Row], chosen: usize, area: Rect) -> Vec<Line> {
    let sides = rows.first().map_or(1, |row| row.readings.len());
    let mut lines: Vec<Line> = Vec::new();
    let mut group = "";
    for (index, row) in rows.iter().enumerate() {
        if row.group != group {
            group = row.group;
            let cells = vec![(area.x + 1, area.width - 1, group.to_owned(), ui.theme.title)];
            lines.push(Line { row: None, cells });
        }
        let selected = index == chosen;
        let mark = if selected { "▸" } else { " " };
        let emphasis = |style: Style| {
            if selected { style.add_modifier(Modifier::BOLD) } else { style }
        };
        let label = format!("{mark} {}", row.name);
        let style = if selected { ui.theme.accent } else { ui.theme.base };
        let mut cells = vec![(area.x + 1, LABEL, fit(&label, LABEL), emphasis(style))];
        for (side, reading) in row.readings.iter().enumerate() {
            let (x, wide) = column(area, side, sides);
            let (text, style) = shown(ui, reading.as_ref());
            cells.push((x, wide.saturating_sub(2), text, emphasis(style)));
        }
        if row.differs {
            let (x, _) = column(area, 1, sides);
            cells.push((x.saturating_sub(2), 1, "≠".to_owned(), ui.theme.accent));
        }
        lines.push(Line { row: Some(index), cells });
        for text in worries(row) {
            for line in wrap(&text, area.width.saturating_sub(8)) {
                let cells = vec![(area.x + 5, area.width - 6, line, ui.theme.warn)];
                lines.push(Line { row: Some(index), cells });
            }
        }
    }
    lines
}

/// What is bad about the readings of a row; what holds for both is said once.
fn worries(row: &Row) -> Vec<String> {
    let bad = |reading: &Option<Reading>| reading.as_ref().and_then(|it| it.bad.clone());
    let all: Vec<Option<String>> = row.readings.iter().map(bad).collect();
    match all.as_slice() {
        [Some(a), Some(b)] if a == b => vec![format!("A and B: {a}")],
        _ => (0..)
            .zip(all)
            .filter_map(|(side, bad)| Some(format!("{}: {}", letter(side), bad?)))
            .collect(),
    }
}

fn shown(ui: &Ui, reading: Option<&Reading>) -> (String, Style) {
    match reading {
        None => ("–".to_owned(), ui.theme.dim),
        Some(Reading { text, bad: Some(_), .. }) => (format!("{text} !"), ui.theme.warn),
        Some(reading) => (reading.text.clone(), ui.theme.base),
    }
}
