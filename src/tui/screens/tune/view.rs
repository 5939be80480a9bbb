//! The Tune screen: time by block size and coarsening at one size, as a heat
//! map, with the best cell and what the cursor is on in words.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::figure::tune::{margin, shade};
use crate::results::record::{Outcome, Record};
use crate::tui::app::action::Command;
use crate::tui::app::model::Panel;
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::state::Layer;
use crate::tui::screens::tune::state as tune;
use crate::tui::screens::tune::state::Map;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, fit, width, wrap};
use crate::units::{Bytes, Seconds, significant};

/// Columns of a cell that hold a time.
const TIME: u16 = 9;
/// Columns for the coarsenings on the left.
const LABEL: u16 = 6;
/// Most rows that one coarsening takes.
const MOST_HIGH: u16 = 5;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Frame { body, notice } = frame::draw(ui, area, 1);
    let (left, right) = frame::columns(body);
    frame::draw_form(ui, left, frame::is_roomy(area));
    draw_map(ui, right);
    let usage = if ui.model.panel == Panel::Chart {
        "arrows move · Enter copies the cell to the form · < > size · v variant"
    } else {
        "Tab: map"
    };
    let dim = ui.theme.dim;
    explain::draw_notice_or(ui, notice, usage, dim);
}

fn draw_map(ui: &mut Ui, area: Rect) {
    ui.hit(area, Command::Panel(Panel::Chart));
    let focused = ui.model.panel == Panel::Chart;
    let Some(map) = tune::map(ui.model) else {
        let inner = ui.panel(area, "time by block size and coarsening", focused);
        let text = "no results yet: press r to run";
        ui.text(inner.x + 1, inner.y, inner.width - 1, text, ui.theme.dim);
        return;
    };
    let inner = ui.panel(area, &title(ui, &map, area.width), focused);
    let room = inner.width.saturating_sub(2);
    let lines = words(ui, &map, room);
    let most = inner.height.saturating_sub(2 + map.coarsenings.len() as u16);
    let rows = (lines.len() as u16).min(most);
    ui.lines(Rect::new(inner.x + 1, inner.bottom() - rows, room, rows), lines);
    let grid = Rect {
        x: inner.x + 1,
        width: room,
        height: inner.height.saturating_sub(rows + 1),
        ..inner
    };
    cells(ui, &map, grid);
}

fn title(ui: &Ui, map: &Map, most: u16) -> String {
    let n = sized(&ui.model.selection.algorithm, map.n);
    let source = map.provenance().map(|label| format!(" · {label}"));
    let pinned = if map.layer == Layer::Pinned { " · pinned" } else { "" };
    let source = format!("{pinned}{}", source.unwrap_or_default());
    // What the cells say is told where there is no room for times.
    let columns = map.blocks.len().max(1) as u16;
    let short = cell_width(most.saturating_sub(4), columns) <= TIME + 1;
    let texts = if short {
        [
            format!("{} at {n}: × best time{source}", map.variant),
            format!("{} at {n}: × best time", map.variant),
            "× best time".to_owned(),
        ]
    } else {
        [
            format!("{} at {n}: time by block size and coarsening{source}", map.variant),
            format!("{} at {n}{source}", map.variant),
            format!("{} at {n}", map.variant),
        ]
    };
    let fits = texts.iter().find(|text| width(text) + 4 <= most);
    fits.or(texts.last()).cloned().unwrap_or_default()
}

/// Columns of a cell in a grid of this width.
fn cell_width(room: u16, columns: u16) -> u16 {
    (room.saturating_sub(LABEL) / columns).clamp(1, 14)
}

/// The grid with its labels.
fn cells(ui: &mut Ui, map: &Map, area: Rect) {
    let columns = map.blocks.len() as u16;
    let rows = map.coarsenings.len() as u16;
    if columns == 0 || rows == 0 || area.width <= LABEL || area.height < 2 {
        return;
    }
    let wide = cell_width(area.width, columns);
    let high = ((area.height - 1) / rows).clamp(1, MOST_HIGH);
    ui.text(area.x, area.y, LABEL, "block", ui.theme.dim);
    for (column, block) in (0u16..).zip(&map.blocks) {
        let x = area.x + LABEL + column * wide;
        let text = format!("{:^1$}", block, usize::from(wide));
        ui.text(x, area.y, wide, &text, ui.theme.dim);
    }
    let cursor = map.cursor(&ui.model.tune);
    let range = map.ranking.first().zip(map.ranking.last()).map(|(best, worst)| (best.1, worst.1));
    for (row, coarsen) in (0u16..).zip(&map.coarsenings) {
        let y = area.y + 1 + row * high;
        if y + high > area.bottom() {
            break;
        }
        ui.text(area.x, y + (high - 1) / 2, LABEL, &format!("×{coarsen}"), ui.theme.dim);
        for (column, block) in (0u16..).zip(&map.blocks) {
            let cell = (*block, *coarsen);
            let place = Rect::new(area.x + LABEL + column * wide, y, wide, high);
            let style = style(ui, map, cell, range);
            draw_cell(ui, place, &text(map, cell, wide), style, cursor == Some(cell));
            ui.hit(place, Command::Cell(cell.0, cell.1));
        }
    }
}

fn draw_cell(ui: &mut Ui, place: Rect, text: &str, style: Style, chosen: bool) {
    // A column between cells, where they are wide enough for one.
    let fill = if place.width > 4 { place.width - 1 } else { place.width };
    let marked = if chosen { format!("▸{text}") } else { text.to_owned() };
    let inside = format!("{:^1$}", fit(&marked, fill), usize::from(fill));
    let blank = " ".repeat(usize::from(fill));
    let style =
        if chosen { style.add_modifier(Modifier::REVERSED | Modifier::BOLD) } else { style };
    for line in 0..place.height {
        let middle = line == (place.height - 1) / 2;
        let text = if middle { inside.as_str() } else { blank.as_str() };
        ui.text(place.x, place.y + line, fill, text, style);
    }
}

/// The time, or where there is little room the factor over the best.
fn text(map: &Map, cell: (u32, u32), wide: u16) -> String {
    let Some(record) = map.cells.get(&cell) else { return "·".to_owned() };
    let Some(time) = map.time(cell) else {
        return if record.outcome() == Outcome::Skipped { "–" } else { "wrong" }.to_owned();
    };
    let best = map.ranking.first().is_some_and(|(first, _)| *first == cell);
    let star = if best { "★" } else { "" };
    if wide > TIME + 1 {
        return format!("{star}{}", Seconds(time));
    }
    let factor = map.ranking.first().map_or(1.0, |(_, fastest)| time / fastest);
    if best { format!("{star}1") } else { format!("{}×", short(factor)) }
}

/// A factor in at most four characters, where that is possible.
fn short(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}

/// The faster, the brighter; by the logarithm, as every factor counts alike.
fn style(ui: &Ui, map: &Map, cell: (u32, u32), range: Option<(f64, f64)>) -> Style {
    let Some((time, (best, worst))) = map.time(cell).zip(range) else { return ui.theme.dim };
    if !ui.theme.colour {
        return ui.theme.base;
    }
    ui.theme.on_shade(shade(time, best, worst))
}

type Lines = Vec<(String, Style)>;

fn words(ui: &Ui, map: &Map, room: u16) -> Lines {
    let (base, dim) = (ui.theme.base, ui.theme.dim);
    let mut lines: Lines = Vec::new();
    let mut say = |text: String, style: Style| {
        lines.extend(wrap(&text, room).into_iter().map(|line| (line, style)));
    };
    say(best(map, ui.model.run.is_some()), ui.theme.good);
    if let Some(cell) = map.cursor(&ui.model.tune) {
        let record = map.cells.get(&cell).copied();
        say(under_cursor(map, cell, record), base);
        if let Some(fullness) = record.and_then(tune::fullness) {
            let taken = fullness.resources;
            let occupancy = fullness.occupancy;
            let mut text = format!(
                "{}: {} warps of {} fit a multiprocessor (occupancy {:.0} %), limited by {}; {} \
                 registers a thread",
                fullness.kernel,
                occupancy.warps,
                occupancy.most_warps,
                100.0 * occupancy.fraction(),
                occupancy.limit,
                taken.registers
            );
            if taken.static_shared > 0 {
                let shared = Bytes(u64::from(taken.static_shared));
                text.push_str(&format!(", {shared} of shared memory declared"));
            }
            say(text, dim);
        }
    }
    lines
}

/// The best cell, and by how much.
fn best(map: &Map, running: bool) -> String {
    match map.ranking.as_slice() {
        [] if running => "no result at this size yet; cases run one by one".to_owned(),
        [] => "no result at this size: r runs every block size and coarsening".to_owned(),
        ranking => format!("★ {}", margin(ranking).unwrap_or_default()),
    }
}

fn under_cursor(map: &Map, (block, coarsen): (u32, u32), record: Option<&Record>) -> String {
    let name = format!("▸ block {block} ×{coarsen}");
    let Some(record) = record else { return format!("{name}: not run") };
    if let Some(reason) = &record.skip {
        return format!("{name}: skipped: {reason}");
    }
    if let Some(wrong) = &record.wrong {
        return format!("{name}: wrong: {}", wrong.message);
    }
    let Some(time) = map.time((block, coarsen)) else { return format!("{name}: no time") };
    let factor = map.ranking.first().map_or(1.0, |(_, best)| time / best);
    format!("{name}: {}, {}× the best", Seconds(time), significant(factor))
}
