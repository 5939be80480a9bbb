//! The chart: axes around a plot with curves, all through the mapping of the figure's axes.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::experiment::ParamValue;
use crate::results::record::Record;
use crate::settings::Dots;
use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Panel};
use crate::tui::screens::sweep::state::Chart;
use crate::tui::widgets::curves::{self, View};
use crate::tui::widgets::large::Letters;
use crate::tui::widgets::ui::{Plot, Ui, cell, width};

/// Draws it in a panel.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    ui.hit(area, Command::Panel(Panel::Chart));
    let focused = ui.model.panel == Panel::Chart;
    let chart = &ui.model.chart;
    let Some(figure) = &chart.figure else { return };
    let inner = ui.panel(area, &figure.y.label, focused);
    if inner.width < 20 || inner.height < 4 {
        return;
    }
    let scale = match figure.y.scale {
        crate::figure::Scale::Linear => " linear ",
        _ => " log ",
    };
    let x = area.right().saturating_sub(width(scale) + 1);
    let frame = if focused { ui.theme.focus } else { ui.theme.frame };
    ui.button(x, area.y, width(scale), scale, frame, Command::LogY);
    if figure.is_empty() {
        return draw_empty(ui, inner);
    }
    ui.drawn.plot = draw_axes(ui, inner, chart, focused, None);
    let label = format!(" {} ", figure.x.label);
    let x = area.right().saturating_sub(width(&label) + 1).max(area.x + 1);
    ui.text(x, area.bottom() - 1, width(&label), &label, ui.theme.dim);
}

/// Draws it without a frame, for a projector: large labels, thick curves; without its curves
/// unless `shown`.
pub(crate) fn draw_large(ui: &mut Ui, area: Rect, shown: bool) {
    ui.hit(area, Command::Panel(Panel::Chart));
    let Some(figure) = &ui.model.chart.figure else { return };
    if area.width < 20 || area.height < 6 {
        return;
    }
    if figure.is_empty() {
        return draw_empty(ui, area);
    }
    let focused = ui.model.panel == Panel::Chart;
    ui.drawn.plot = draw_axes(ui, area, &ui.model.chart, focused, Some(shown));
}

/// Draws another chart than that of the Sweep screen, without a frame: axes, curves and the
/// names of both axes. The mouse does not act on it.
pub(crate) fn draw_plain(ui: &mut Ui, area: Rect, chart: &Chart) {
    let Some(figure) = chart.figure.as_ref().filter(|figure| !figure.is_empty()) else { return };
    if area.width < 20 || area.height < 5 {
        return;
    }
    ui.text(area.x, area.y, area.width, &figure.y.label, ui.theme.dim);
    let inner = Rect { y: area.y + 1, height: area.height - 1, ..area };
    draw_axes(ui, inner, chart, false, None);
}

/// Labels of an axis: letters of one cell, or large ones.
#[derive(Clone, Copy)]
struct Labels(Option<Letters>);

impl Labels {
    fn high(self) -> u16 {
        self.0.map_or(1, |letters| letters.high)
    }

    fn width(self, text: &str) -> u16 {
        self.0.map_or_else(|| width(text), |letters| letters.width(text))
    }

    fn write(self, ui: &mut Ui, at: (u16, u16), room: u16, text: &str, style: Style) {
        match self.0 {
            Some(letters) => letters.write(ui, at, room, text, style),
            None => ui.text(at.0, at.1, room, text, style),
        };
    }
}

/// Axes and curves; `large` for a projector, and then whether there are curves. Where the
/// curves are.
fn draw_axes(
    ui: &mut Ui,
    inner: Rect,
    chart: &Chart,
    focused: bool,
    large: Option<bool>,
) -> Option<Plot> {
    let model = ui.model;
    let figure = chart.figure.as_ref()?;
    let letters = large.and_then(|_| Letters::labels(model.look.ascii));
    let labels = Labels(letters);
    let x_range = chart.shown_x()?;
    let y_range = chart.shown_y(x_range)?;
    let rows = inner.height.saturating_sub(1 + labels.high());
    let most = usize::from(rows / (2 * labels.high() + 1).max(3)).clamp(2, 8);
    let mut y_ticks = figure.y.ticks(y_range, most);
    for tick in &mut y_ticks {
        if letters.is_some() {
            // Large spaces would take the plot's room.
            tick.label.retain(|letter| letter != ' ');
        } else {
            tick.label = ui.set(&tick.label).into_owned();
        }
    }
    let widest = y_ticks.iter().map(|tick| labels.width(&tick.label)).max().unwrap_or(0);
    let gutter = match letters {
        Some(_) => widest.min(inner.width / 2),
        None => widest.clamp(5, 12),
    } + 1;
    let plot = Rect::new(inner.x + gutter, inner.y, inner.width - gutter, rows);

    for y in plot.y..plot.bottom() {
        ui.text(plot.x - 1, y, 1, "│", ui.theme.frame);
    }
    let line = "─".repeat(usize::from(plot.width));
    ui.text(plot.x - 1, plot.bottom(), plot.width + 1, &format!("└{line}"), ui.theme.frame);
    let ink = if large.is_some() { ui.theme.base } else { ui.theme.dim };
    // Labels from the bottom up, none over another.
    let mut free = plot.bottom() + 1;
    for tick in y_ticks {
        let Some(at) = figure.y.position(tick.value, y_range) else { continue };
        let y = plot.bottom() - 1 - cell(at, plot.height, 4);
        let wide = labels.width(&tick.label).min(gutter - 1);
        let top = y
            .saturating_sub(labels.high() / 2)
            .clamp(plot.y, plot.bottom().saturating_sub(labels.high()).max(plot.y));
        if top + labels.high() <= free {
            labels.write(ui, (plot.x - 1 - wide, top), wide, &tick.label, ink);
            free = top;
        }
        ui.text(plot.x - 1, y, 1, "┤", ui.theme.frame);
        if ui.theme.colour {
            let grid = "┈".repeat(usize::from(plot.width));
            ui.text(plot.x, y, plot.width, &grid, ui.theme.grid);
        }
    }
    let mapping = Plot { area: plot, axis: figure.x.clone(), range: x_range };
    draw_x_axis(ui, &mapping, inner, labels, ink);
    if large == Some(false) {
        return None;
    }
    draw_crosshair(ui, &mapping, chart, focused);
    let thick = large.is_some();
    // In ASCII few and many braille dots become `.` and `:`.
    let dots = if model.look.ascii { Dots::Braille } else { model.dots };
    curves::draw(ui, View { chart, figure, area: plot, x: x_range, y: y_range, thick, dots });
    Some(mapping)
}

/// The crosshair, which lies under the curves.
fn draw_crosshair(ui: &mut Ui, mapping: &Plot, chart: &Chart, focused: bool) {
    if let Some(column) = chart.cross().and_then(|x| mapping.column(x)) {
        let style =
            if chart.crosshair.is_some() || focused { ui.theme.accent } else { ui.theme.frame };
        for y in mapping.area.y..mapping.area.bottom() {
            ui.text(column, y, 1, "┊", style);
        }
    }
}

fn draw_x_axis(ui: &mut Ui, plot: &Plot, inner: Rect, labels: Labels, ink: Style) {
    let (area, y) = (plot.area, plot.area.bottom() + 1);
    let each = if labels.0.is_some() { labels.width("2^10") + labels.width(" ") } else { 8 };
    let most = usize::from(area.width / each).max(2);
    let mut free = inner.x;
    if labels.0.is_some() && plot.axis.unit == crate::figure::Unit::Elements {
        // The name of the axis stands below that of the other one.
        let wide = labels.width("n");
        labels.write(ui, (area.x.saturating_sub(wide + 2), y), wide, "n", ink);
        free = area.x;
    }
    for tick in plot.axis.ticks(plot.range, most) {
        let Some(column) = plot.column(tick.value) else { continue };
        ui.text(column, area.bottom(), 1, "┴", ui.theme.frame);
        // Large letters have no raised digits.
        let large = labels.0.is_some();
        let label = if large { tick.label.into() } else { ui.set(&tick.label) };
        let wide = labels.width(&label);
        let x =
            column.saturating_sub(wide / 2).max(inner.x).min(inner.right().saturating_sub(wide));
        if x >= free {
            labels.write(ui, (x, y), wide, &label, ink);
            free = x + wide + 1;
        }
    }
}

/// Nothing to draw: what to do about it.
fn draw_empty(ui: &mut Ui, inner: Rect) {
    let recorded = recorded_values(ui.model);
    let mut lines = Vec::new();
    if ui.model.run.is_some() {
        lines.push("waiting for the first point …".to_owned());
    } else if ui.model.read_only {
        lines.push("no result in the file for these settings".to_owned());
    } else {
        lines.push("no results for these settings yet".to_owned());
        lines.push("press r to run them".to_owned());
    }
    if let Some(recorded) = recorded {
        lines.push(String::new());
        lines.extend(crate::tui::widgets::ui::wrap(&recorded, inner.width.saturating_sub(4)));
    }
    let top = inner.y + inner.height.saturating_sub(lines.len() as u16) / 2;
    for (row, line) in (0u16..).zip(lines) {
        if row < inner.height {
            let x = inner.x + inner.width.saturating_sub(width(&line)) / 2;
            ui.text(x, top + row, inner.width, &line, ui.theme.dim);
        }
    }
}

/// The settings of the records shown: `block size 32, 64; coarsening 1, 4; bins 8`.
fn recorded_values(model: &Model) -> Option<String> {
    let first = model.shown.first()?;
    let list = |of: &dyn Fn(&Record) -> Option<ParamValue>| {
        let mut values: Vec<ParamValue> = model.shown.iter().filter_map(of).collect();
        values.sort_unstable();
        values.dedup();
        values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let mut text = format!(
        "the {} has block size {}; coarsening {}",
        if model.source.is_empty() { "file" } else { &model.source },
        list(&|record| Some(ParamValue::Int(record.block.into()))),
        list(&|record| Some(ParamValue::Int(record.coarsen.into()))),
    );
    for name in first.params.keys() {
        let values = list(&|record| record.params.get(name).cloned());
        if !values.is_empty() {
            text.push_str(&format!("; {name} {values}"));
        }
    }
    Some(text)
}
