//! The ladder: the variants at one size from the slowest to the fastest, as bars on a scale that
//! ends at the hardware's limit, with what each step bought.
//!
//! ```text
//! global: one global atomic per value
//! ▏                          ┆           43.2 ms  0.5 %  512 ×16
//! shared ×94: private bins in shared memory
//! ████████████████▌          ┆            458 µs   51 %   64 ×16
//! 0 %                       50 %                 100 %
//! ```

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::figure::ladder::{self as figure, Ladder, Step};
use crate::figure::pen::Pen;
use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Panel};
use crate::tui::screens::tune::state as tune;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, fit, width, wrap};
use crate::units::Seconds;

/// Columns from which a bar line has the rate too, and headings have whole names.
const WIDE: u16 = 90;

/// Parts of a cell that a bar can end with, in eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The ladder of the results at the selected size or the nearest one, with that size.
pub(crate) fn of(model: &Model) -> Option<(Ladder, u64)> {
    let map = tune::map(model)?;
    let chosen = figure::select(&map.all, map.time)?;
    Some((Ladder::of(&chosen, map.time)?, map.n))
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    ui.hit(area, Command::Panel(Panel::Chart));
    let focused = ui.model.panel == Panel::Chart;
    let Some((ladder, n)) = of(ui.model) else {
        let inner = ui.panel(area, "ladder", focused);
        let text = "no results yet: press r to run";
        ui.text(inner.x + 1, inner.y, inner.width.saturating_sub(1), text, ui.theme.dim);
        return;
    };
    let inner = ui.panel(area, &title(ui, &ladder, n, area.width), focused);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let notes = notes(ui, &ladder, inner.width);
    let below = 1 + (notes.len() as u16).min(inner.height / 3);
    let rows = inner.height.saturating_sub(below);
    let steps = ladder.steps(usize::from(rows / 2).max(1));
    // Where there is room, a row keeps the steps apart, and bars are thicker.
    let high = (rows / (steps.len() as u16).max(1)).clamp(2, 5);
    let bar = if high > 2 { high - 2 } else { 1 };
    let columns = Columns::of(&ladder, &steps, inner.width);
    for (row, step) in (0u16..).zip(&steps) {
        let top = inner.y + row * high;
        if top + bar < inner.bottom() {
            draw_step(ui, &ladder, step, &columns, Rect { y: top, height: 1 + bar, ..inner });
        }
    }
    let end = (inner.y + steps.len() as u16 * high).min(inner.bottom() - below);
    draw_scale(ui, Rect { y: end, height: 1, width: columns.bar, ..inner });
    let room = Rect { y: end + 1, height: below - 1, ..inner };
    let dim = ui.theme.dim;
    ui.lines(room, notes.into_iter().map(|line| (line, dim)));
}

fn title(ui: &Ui, ladder: &Ladder, n: u64, most: u16) -> String {
    let size = sized(&ui.model.selection.algorithm, n);
    let texts = [
        format!("ladder at {size} · {}", ladder.source),
        format!("ladder at {size}"),
        "ladder".to_owned(),
    ];
    let fits = texts.iter().find(|text| width(text) + 4 <= most);
    fits.cloned().unwrap_or_default()
}

/// What the scale ends at and what the marks are, in lines of this width.
fn notes(ui: &Ui, ladder: &Ladder, room: u16) -> Vec<String> {
    let mut parts = vec![format!("100 % = {} ({})", ladder.end_label, ladder.x.label)];
    let mark = |mark: &figure::Mark| format!("┆ {}: {}", mark.label, ladder.share(mark.rate));
    parts.extend(ladder.marks.iter().map(mark));
    wrap(&ui.set(&parts.join(" · ")), room)
}

/// How the cells of a bar line are shared out.
struct Columns {
    /// Cells of the scale.
    bar: u16,
    /// Cells of time, rate, share and setting; 0 where one is left out.
    values: [u16; 4],
    /// Whether names of variants are written in full.
    wide: bool,
}

impl Columns {
    fn of(ladder: &Ladder, steps: &[Step], room: u16) -> Self {
        let wide = room >= WIDE;
        let mut values = [0; 4];
        for step in steps {
            for (most, text) in values.iter_mut().zip(texts(ladder, step)) {
                *most = (*most).max(width(&text) + 2);
            }
        }
        if !wide {
            values[1] = 0;
        }
        Self { bar: room.saturating_sub(values.iter().sum()), values, wide }
    }
}

/// Time, rate, share of the scale, and setting of a step.
fn texts(ladder: &Ladder, step: &Step) -> [String; 4] {
    let rung = step.rung;
    let rate = ladder.x.format(rung.rate);
    [Seconds(rung.seconds).to_string(), rate, ladder.share(rung.rate), rung.setting()]
}

fn draw_step(ui: &mut Ui, ladder: &Ladder, step: &Step, columns: &Columns, area: Rect) {
    let rung = step.rung;
    let curve = ui.theme.curve(Pen::of_variant(rung.rank));
    let name = if columns.wide { &rung.variant } else { &rung.short };
    let between = if step.factor.is_some() { " " } else { ": " };
    let x = ui.text(area.x, area.y, area.width, name, curve);
    let x = ui.text(x, area.y, area.right().saturating_sub(x), between, ui.theme.base);
    let room = area.right().saturating_sub(x);
    ui.text(x, area.y, room, &fit(&step.says(), room), ui.theme.base);
    for y in area.y + 1..area.bottom() {
        draw_bar(ui, ladder, rung.rate, curve, Rect { y, height: 1, width: columns.bar, ..area });
    }
    let y = area.y + area.height / 2;
    let mut x = area.x + columns.bar;
    for (text, cells) in texts(ladder, step).iter().zip(columns.values) {
        let from = x + cells.saturating_sub(width(text));
        if cells > 0 {
            ui.text(from, y, width(text), text, ui.theme.base);
        }
        x += cells;
    }
}

fn draw_bar(ui: &mut Ui, ladder: &Ladder, rate: f64, style: Style, area: Rect) {
    let eighths = (ladder.at(rate) * f64::from(area.width) * 8.0).round().max(1.0) as u16;
    let full = (eighths / 8).min(area.width);
    let part = EIGHTHS[usize::from(eighths % 8)];
    let bar = format!("{}{part}", "█".repeat(full.into()));
    ui.text(area.x, area.y, area.width, &bar, style);
    for mark in &ladder.marks {
        let at = (ladder.at(mark.rate) * f64::from(area.width)) as u16;
        let at = at.min(area.width.saturating_sub(1));
        // On the bar the mark is a notch in its colour.
        let style = match style.fg {
            Some(colour) if at < full && ui.theme.colour => {
                Style { fg: ui.theme.base.bg, bg: Some(colour), ..style }
            }
            _ => ui.theme.base,
        };
        ui.text(area.x + at, area.y, 1, "┆", style);
    }
}

/// Narrower scales have three ticks.
const FIVE_TICKS: u16 = 34;

fn draw_scale(ui: &mut Ui, area: Rect) {
    let step = if area.width < FIVE_TICKS { 2 } else { 1 };
    for quarter in (0..=4u16).step_by(step) {
        let text = format!("{} %", 25 * quarter);
        let at = area.x + area.width.saturating_sub(1) * quarter / 4;
        let at = at.saturating_sub(if quarter == 0 { 0 } else { width(&text) / 2 });
        let at = at.min(area.right().saturating_sub(width(&text)));
        ui.text(at, area.y, width(&text), &text, ui.theme.dim);
    }
}
