//! The Tune screen: time by block size and coarsening at one size, as a heat
//! map, with the best cell and what the cursor is on in words; or the ladder of all variants.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::algorithms;
use crate::figure::tune::margin;
use crate::results::record::{Outcome, Record};
use crate::tui::app::action::Command;
use crate::tui::app::model::Panel;
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::state::Layer;
use crate::tui::screens::tune::answers;
use crate::tui::screens::tune::cells;
use crate::tui::screens::tune::ladder;
use crate::tui::screens::tune::state as tune;
use crate::tui::screens::tune::state::Map;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, width, wrap};
use crate::units::{Bytes, Elements, Seconds, significant};

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Frame { body, notice } = frame::draw(ui, area, 1);
    let (left, right) = frame::columns(body);
    frame::draw_form(ui, left, frame::is_roomy(area));
    if ui.model.tune.ladder {
        ladder::draw(ui, right);
    } else {
        draw_map(ui, right);
    }
    let usage = if ui.model.tune.ladder {
        "every variant at its best setting · < > size · f map"
    } else if ui.model.panel == Panel::Chart {
        "arrows move · Enter selects the cell · < > size · v variant"
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
    let cursor = map.cursor(&ui.model.tune);
    cells::draw(ui, &map, grid, cursor);
    let below = Rect { y: grid.bottom(), height: 1, ..grid };
    cells::draw_scale(ui, &map, below);
}

fn title(ui: &Ui, map: &Map, most: u16) -> String {
    let n = sized(&ui.model.selection.algorithm, map.n);
    let source = map.provenance().map(|label| format!(" · {label}"));
    let pinned = if map.layer == Layer::Pinned { " · pinned" } else { "" };
    let source = format!("{pinned}{}", source.unwrap_or_default());
    // What the cells say is told where there is no room for times.
    let columns = map.blocks.len().max(1) as u16;
    let times = cells::holds_times(most.saturating_sub(4), columns);
    let (variant, algorithm) = (&map.variant, &ui.model.selection.algorithm);
    let short = algorithms::short_name(algorithm, variant);
    let bare = Elements(map.n);
    let texts = if times {
        [
            format!("{variant} at {n}: time by block size and coarsening{source}"),
            format!("{variant} at {n}{source}"),
            format!("{variant} at {n}"),
            format!("{short} at {n}"),
            format!("{short} at {bare}"),
        ]
    } else {
        [
            format!("{variant} at {n}: × best time{source}"),
            format!("{variant} at {n}: × best time"),
            format!("{short} at {n}: × best time"),
            format!("{short} at {bare}: × best time"),
            format!("{short} at {bare}: × best"),
        ]
    };
    let fits = texts.iter().find(|text| width(text) + 4 <= most);
    fits.or(texts.last()).cloned().unwrap_or_default()
}

type Lines = Vec<(String, Style)>;

fn words(ui: &Ui, map: &Map, room: u16) -> Lines {
    let (base, dim) = (ui.theme.base, ui.theme.dim);
    let mut lines: Lines = Vec::new();
    let mut say = |text: String, style: Style| {
        lines.extend(wrap(&ui.set(&text), room).into_iter().map(|line| (line, style)));
    };
    say(best(map, ui.model.run.is_some()), ui.theme.good);
    let source = map.provenance().map(|label| format!(" ({label})")).unwrap_or_default();
    if let Some(text) = answers::coarsening(map) {
        say(format!("{text}{source}"), base);
    }
    if let Some(text) = answers::best_of_all(&answers::of_all(ui.model, map)) {
        say(format!("{text}{source}"), base);
    }
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
        let word = if record.outcome() == Outcome::Failed { "failed" } else { "wrong" };
        return format!("{name}: {word}: {}", wrong.message);
    }
    let Some(time) = map.time((block, coarsen)) else { return format!("{name}: no time") };
    let factor = map.ranking.first().map_or(1.0, |(_, best)| time / best);
    format!("{name}: {}, {}× the best", Seconds(time), significant(factor))
}
