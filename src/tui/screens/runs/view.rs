//! The Runs screen: stored runs as a table, what the chosen one holds below it,
//! or two of them held against each other.

use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;

use crate::tui::app::action::Command;
use crate::tui::screens::runs::state::{Entry, Holds, Source, Table};
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::form::view::draw_text;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::ui::{Ui, fit, width, wrap};
use crate::units::Elements;

/// Rows of the panel about the chosen run, its frame included.
const ABOUT: u16 = 7;

/// Headings of the columns, with the width that each takes at most and from
/// which width of the list on it is shown.
const COLUMNS: [(&str, u16, u16); 8] = [
    ("run", 40, 0),
    ("last case, UTC", 16, 90),
    ("device", 18, 120),
    ("from", 10, 86),
    ("algorithm", 18, 140),
    ("time by n", 12, 100),
    ("cases", 6, 0),
    ("verified", 30, 0),
];

/// Columns of mark and overlay signs before the name.
const SIGNS: u16 = 5;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let rows = if frame::is_roomy(area) { 2 } else { 1 };
    let Frame { body, notice } = frame::draw(ui, area, rows);
    if let Some(table) = &ui.model.runs.table {
        draw_table(ui, body, table);
    } else {
        let list = Rect { height: body.height - ABOUT, ..body };
        draw_list(ui, list);
        draw_about(ui, Rect { y: list.bottom(), height: ABOUT, ..body });
    }
    explain::draw_notice(ui, notice);
}

fn draw_list(ui: &mut Ui, area: Rect) {
    let runs = &ui.model.runs;
    let inner = ui.panel(area, "Runs", true);
    let shown = runs.shown();
    let (mut y, mut rows) = (inner.y, inner.height);
    if runs.finding || !runs.find.text().is_empty() {
        let x = ui.text(inner.x + 1, y, 6, "find  ", ui.theme.accent);
        let line = Rect::new(x, y, inner.width.saturating_sub(8), 1);
        if runs.finding {
            draw_text(ui, line, &runs.find.text(), runs.find.cursor(), ui.theme.base);
        } else {
            ui.text(x, y, line.width, &runs.find.text(), ui.theme.base);
        }
        (y, rows) = (y + 1, rows.saturating_sub(1));
    }
    let widths = widths(inner.width);
    let mut x = inner.x + SIGNS;
    for ((heading, ..), wide) in COLUMNS.iter().zip(&widths) {
        if *wide > 0 {
            ui.text(x, y, *wide, heading, ui.theme.dim);
            x += wide + 1;
        }
    }
    (y, rows) = (y + 1, rows.saturating_sub(1));
    if shown.is_empty() {
        let text = match (runs.busy, runs.entries.is_empty()) {
            (true, true) => "looking …",
            (_, true) => "no stored runs",
            _ => "no match: Esc shows all runs",
        };
        ui.text(inner.x + SIGNS, y, inner.width.saturating_sub(SIGNS), text, ui.theme.dim);
        return;
    }
    let cursor = runs.cursor.min(shown.len() - 1);
    let first = cursor.saturating_sub(usize::from(rows) / 2);
    let first = first.min(shown.len().saturating_sub(usize::from(rows)));
    for (index, entry) in shown.iter().enumerate().skip(first).take(usize::from(rows)) {
        let line = Rect { y, height: 1, ..inner };
        draw_row(ui, line, entry, &widths, index == cursor);
        ui.hit(line, Command::Entry(index));
        y += 1;
    }
}

/// What each column gets: the name takes what the others leave.
fn widths(room: u16) -> Vec<u16> {
    let mut widths: Vec<u16> =
        COLUMNS.iter().map(|(_, most, from)| if room >= *from { *most } else { 0 }).collect();
    let taken: u16 = widths.iter().skip(1).filter(|wide| **wide > 0).map(|wide| wide + 1).sum();
    if let Some(name) = widths.first_mut() {
        *name = room.saturating_sub(SIGNS + taken + 1).clamp(10, 60);
    }
    widths
}

fn draw_row(ui: &mut Ui, area: Rect, entry: &Entry, widths: &[u16], chosen: bool) {
    let model = ui.model;
    let style = if chosen { ui.theme.selected } else { ui.theme.base };
    let pointer = if chosen { "▸" } else { " " };
    ui.text(area.x, area.y, 1, pointer, ui.theme.accent);
    if let Some(mark) = model.runs.mark_of(&entry.source) {
        ui.text(area.x + 1, area.y, 2, &format!("x{mark}"), ui.theme.good);
    }
    if model.overlaid.iter().any(|overlaid| overlaid.source == entry.source) {
        ui.text(area.x + 3, area.y, 1, "O", ui.theme.accent);
    }
    let cells = match &entry.holds {
        Ok(holds) => cells(&entry.name, holds),
        Err(reason) => {
            let name = widths.first().copied().unwrap_or(10);
            ui.text(area.x + SIGNS, area.y, name, &entry.name, style);
            let x = area.x + SIGNS + name + 1;
            let room = area.right().saturating_sub(x);
            ui.text(x, area.y, room, &format!("✗ {reason}"), ui.theme.bad);
            return;
        }
    };
    let wrong = entry.holds.as_ref().is_ok_and(|holds| holds.wrong + holds.failed > 0);
    let mut x = area.x + SIGNS;
    for (index, (cell, wide)) in cells.iter().zip(widths).enumerate() {
        if *wide == 0 {
            continue;
        }
        let style = match index {
            0 => style,
            5 => ui.theme.bars,
            7 if wrong => ui.theme.bad,
            7 => ui.theme.good,
            _ => ui.theme.base,
        };
        // Numbers to the right.
        let pad = if index == 6 { wide.saturating_sub(width(cell)) } else { 0 };
        ui.text(x + pad, area.y, *wide - pad.min(*wide), &fit(cell, *wide), style);
        x += wide + 1;
    }
}

fn cells(name: &str, holds: &Holds) -> [String; 8] {
    [
        name.to_owned(),
        holds.date.clone(),
        one_of(&holds.devices, "devices").trim_start_matches("NVIDIA ").to_owned(),
        holds.provenance(),
        one_of(&holds.algorithms, "algorithms"),
        holds.spark.clone(),
        holds.cases.to_string(),
        verified(holds),
    ]
}

/// How many cases are verified, and why the others are not: `✓ 147 · 7 skipped`.
fn verified(holds: &Holds) -> String {
    if holds.verified == holds.cases {
        return "✓ all".to_owned();
    }
    let good = if holds.verified > 0 { format!("✓ {}", holds.verified) } else { String::new() };
    let told = |count: usize, why: &str| match count {
        0 => String::new(),
        count => format!("{count} {why}"),
    };
    let parts = [
        told(holds.wrong, "WRONG"),
        told(holds.failed, "FAILED"),
        good,
        told(holds.skipped, "skipped"),
        told(holds.unchecked, "sampled"),
    ];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// The only one, or how many.
fn one_of(values: &[String], what: &str) -> String {
    match values {
        [only] => only.clone(),
        values => format!("{} {what}", values.len()),
    }
}

fn draw_about(ui: &mut Ui, area: Rect) {
    let inner = ui.panel(area, "contents", false);
    let room = inner.width.saturating_sub(2);
    let mut lines: Vec<(String, Style)> = match ui.model.runs.chosen() {
        None => Vec::new(),
        Some(Entry { holds: Err(reason), source, .. }) => {
            let mut lines: Vec<(String, Style)> =
                wrap(reason, room).into_iter().map(|line| (line, ui.theme.bad)).collect();
            if let Source::File(path) = source {
                lines.push((path.display().to_string(), ui.theme.dim));
            }
            lines
        }
        Some(Entry { holds: Ok(holds), source, .. }) => about(holds)
            .iter()
            .flat_map(|text| wrap(&ui.set(text), room))
            .map(|it| (it, ui.theme.base))
            .chain([(place(source), ui.theme.dim)])
            .collect(),
    };
    lines.extend(ui.model.runs.problems.iter().map(|it| (it.clone(), ui.theme.bad)));
    ui.lines(inner.inner(Margin::new(1, 0)), lines);
}

fn place(source: &Source) -> String {
    match source {
        Source::BuiltIn(_) => "built in".to_owned(),
        Source::File(path) => {
            std::path::absolute(path).unwrap_or_else(|_| path.clone()).display().to_string()
        }
        Source::Sitting => "in memory only: e exports".to_owned(),
    }
}

fn about(holds: &Holds) -> Vec<String> {
    let list = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let sizes = holds.sizes.map_or_else(String::new, |(least, most)| {
        format!(" · n {} to {}", Elements(least), Elements(most))
    });
    let count = |count: usize, what: &str| {
        if count > 0 { format!(", {count} {what}") } else { String::new() }
    };
    let torn = holds
        .torn
        .map_or_else(String::new, |line| format!("; line {line} is incomplete and was skipped"));
    let invalid = holds
        .invalid
        .map_or_else(String::new, |line| format!("; line {line} is invalid and was skipped"));
    vec![
        format!(
            "{}: {} · {} · {}",
            holds.algorithms.join(", "),
            holds.variants.join(", "),
            holds.devices.join(", "),
            holds.provenance()
        ),
        format!("block {} · coarsening {}{sizes}", list(&holds.blocks), list(&holds.coarsenings)),
        format!(
            "{} cases: {} verified{}{}{}{}{torn}{invalid}",
            holds.cases,
            holds.verified,
            count(holds.wrong, "WRONG"),
            count(holds.failed, "FAILED"),
            count(holds.skipped, "skipped"),
            count(holds.unchecked, "sampled and not compared")
        ),
    ]
}

fn draw_table(ui: &mut Ui, area: Rect, table: &Table) {
    let inner = ui.panel(area, &table.title, true);
    let room = inner.width.saturating_sub(2);
    ui.text(inner.x + 1, inner.y, room, &ui.set(&table.shared), ui.theme.dim);
    let Some((headings, pairs)) = table.rows.split_first() else { return };
    let mut widths = vec![0u16; headings.len()];
    for row in &table.rows {
        for (wide, cell) in widths.iter_mut().zip(row) {
            *wide = (*wide).max(width(cell));
        }
    }
    // Where all do not fit, what the verdict rests on goes first, then its interval.
    let verdict = headings.iter().position(|heading| heading == "verdict");
    for drop in [headings.len() - 1, verdict.map_or(0, |at| at - 1)] {
        let needed: u16 = widths.iter().filter(|wide| **wide > 0).map(|wide| wide + 2).sum();
        if needed > room && drop > 0 {
            widths[drop] = 0;
        }
    }
    let summary = wrap(&table.summary, room);
    let body = inner.height.saturating_sub(3 + summary.len() as u16);
    let rows = pairs.iter().skip(table.scroll).take(usize::from(body));
    for (y, (index, row)) in (inner.y + 1..).zip(std::iter::once(headings).chain(rows).enumerate())
    {
        let mut x = inner.x + 1;
        for (column, (cell, wide)) in row.iter().zip(&widths).enumerate() {
            if *wide == 0 {
                continue;
            }
            let style = match cell.as_str() {
                _ if index == 0 => ui.theme.dim,
                "FASTER" => ui.theme.good,
                "SLOWER" => ui.theme.bad,
                "UNDECIDED" => ui.theme.warn,
                _ => ui.theme.base,
            };
            let number = verdict.is_some_and(|at| (at.saturating_sub(4)..at - 1).contains(&column));
            let pad = if number { wide - width(cell) } else { 0 };
            let room = inner.right().saturating_sub(x + pad);
            ui.text(x + pad, y, room.min(*wide), &ui.set(cell), style);
            x += wide + 2;
        }
    }
    let from = inner.bottom().saturating_sub(summary.len() as u16);
    for (y, line) in (from..inner.bottom()).zip(summary) {
        ui.text(inner.x + 1, y, room, &line, ui.theme.title);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
