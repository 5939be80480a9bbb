//! The memory access of the step: lines and sectors, banks, addresses, or a barrier.

use ratatui::layout::Rect;

use crate::figure::step as figure;
use crate::tui::screens::step::recorded::Shown;
use crate::tui::widgets::ui::Ui;
use crate::work::trace::{Access, Line, Space, lanes_in_words};

/// Columns of an address.
const ADDRESS: u16 = 15;

/// Rows of the banks at most: as many as lanes can meet in one.
const MOST_BANK_ROWS: u16 = 32;

/// Rows that it fills, with its frame.
pub(crate) fn rows(shown: &Shown) -> u16 {
    let facts = figure::memory_facts(&shown.moment).len();
    let drawn = match &shown.moment.access {
        Some(access) if access.space == Space::Global => access.lines.len(),
        Some(access) if access.space == Space::Shared => {
            deepest(access, shown.moment.cost.passes).min(8) + 2
        }
        _ => 0,
    };
    2 + (facts + drawn).clamp(1, 40) as u16
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect, shown: &Shown) {
    let inner = ui.panel(area, &figure::memory_title(&shown.moment), false);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let facts = figure::memory_facts(&shown.moment);
    if facts.is_empty() && shown.moment.access.is_none() {
        let text = "this instruction accesses no memory: x goes to the next costly step";
        ui.text(inner.x, inner.y, inner.width, text, ui.theme.dim);
        return;
    }
    let room = usize::from(inner.height);
    let drawn = |access: &Access| matches!(access.space, Space::Global | Space::Shared);
    let picture = shown.moment.access.as_ref().is_some_and(drawn);
    // The picture gets at least half.
    let most = if picture { (room / 2).max(2) } else { room };
    let whole = if facts.len() > most { most.saturating_sub(1) } else { facts.len() };
    let mut lines: Vec<_> =
        facts.iter().take(whole).map(|fact| (fact.clone(), ui.theme.base)).collect();
    if facts.len() > whole {
        lines.push((format!("… {} more", facts.len() - whole), ui.theme.dim));
    }
    let used = lines.len() as u16;
    ui.lines(inner, lines);
    let rest = Rect { y: inner.y + used, height: inner.height.saturating_sub(used), ..inner };
    match &shown.moment.access {
        Some(access) if access.space == Space::Global => draw_lines(ui, rest, access),
        Some(access) if access.space == Space::Shared => {
            draw_banks(ui, rest, access, shown.moment.cost.passes);
        }
        _ => {}
    }
}

/// 128-byte lines, each as four sectors of eight words.
fn draw_lines(ui: &mut Ui, area: Rect, access: &Access) {
    let room = usize::from(area.height);
    let many = access.lines.len();
    let fits = if many > room { room.saturating_sub(1) } else { many };
    for (y, line) in (area.y..).zip(access.lines.iter().take(fits)) {
        draw_line(ui, Rect { y, height: 1, ..area }, line);
    }
    if many > fits && room > 0 {
        let text = format!("… {} more lines (█ used, ░ fetched only)", many - fits);
        ui.text(area.x, area.bottom() - 1, area.width, &text, ui.theme.dim);
    }
}

fn draw_line(ui: &mut Ui, row: Rect, line: &Line) {
    let address = figure::address_text(Space::Global, line.address);
    let mut x = ui.text(row.x, row.y, ADDRESS, &address, ui.theme.dim).max(row.x + ADDRESS);
    let mut lanes = 0;
    for sector in &line.sectors {
        lanes |= sector.lanes;
        for word in 0..8 {
            let used = sector.bytes >> (4 * word) & 0xf;
            let (symbol, style) = match (sector.lanes, used) {
                (0, _) => ("·", ui.theme.dim),
                (_, 0) => ("░", ui.theme.warn),
                (_, 0xf) => ("█", ui.theme.bars),
                _ => ("▄", ui.theme.bars),
            };
            ui.text(x, row.y, 1, symbol, style);
            x += 1;
        }
        x += 1;
    }
    let text = lanes_in_words(lanes);
    ui.text(x, row.y, row.right().saturating_sub(x), &text, ui.theme.dim);
}

/// Passes of the fullest bank.
fn deepest(access: &Access, passes: u64) -> usize {
    figure::served_by_bank(access, passes).iter().map(Vec::len).max().unwrap_or(0)
}

/// 32 banks as columns: what each serves one after the other, a row for each pass.
fn draw_banks(ui: &mut Ui, area: Rect, access: &Access, takes: u64) {
    let cell: u16 = if area.width >= 96 {
        3
    } else if area.width >= 64 {
        2
    } else {
        1
    };
    let passes = deepest(access, takes) as u16;
    let rows = area.height.saturating_sub(2).min(MOST_BANK_ROWS);
    if rows == 0 {
        return;
    }
    let more = passes > rows;
    for (index, lanes) in (0u16..).zip(figure::served_by_bank(access, takes)) {
        let x = area.x + index * cell;
        let hot = lanes.len() > 1;
        let style = if hot { ui.theme.bad } else { ui.theme.bars };
        for (row, lane) in (0..rows).zip(&lanes) {
            let last = more && row + 1 == rows && lanes.len() > usize::from(rows);
            let text = if last {
                "…".to_owned()
            } else if cell > 1 {
                lane.to_string()
            } else {
                "█".to_owned()
            };
            ui.text(x, area.y + row, cell, &text, style);
        }
        let shown = (lanes.len() as u16).min(rows);
        for row in shown..rows.min(passes) {
            ui.text(x, area.y + row, 1, "·", ui.theme.dim);
        }
        if index % 8 == 0 {
            ui.text(x, area.y + rows.min(passes), 3, &index.to_string(), ui.theme.dim);
        }
    }
    let what = if cell > 1 { "lanes" } else { "one lane each" };
    let text = format!("32 banks, one row per pass ({what}); {passes} passes for the fullest");
    let y = area.y + rows.min(passes) + 1;
    ui.text_line(Rect { y, height: area.bottom().saturating_sub(y), ..area }, 0, &text);
}
