//! The chart: curves on a canvas, axes and markers around it, all through the
//! mapping of the figure's axes.

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Context, Painter, Shape};

use crate::experiment::ParamValue;
use crate::figure::pen::Stroke;
use crate::figure::{Figure, Series};
use crate::results::record::Record;
use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Panel};
use crate::tui::screens::sweep::state::Layer;
use crate::tui::theme::Theme;
use crate::tui::widgets::ui::{Plot, Ui, cell, width};

/// Where a point lies, 0 to 1 in both directions.
type Place = (f64, f64);

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    ui.hit(area, Command::Panel(Panel::Chart));
    let focused = ui.model.panel == Panel::Chart;
    let model = ui.model;
    let chart = &model.chart;
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
    let Some(x_range) = chart.shown_x() else { return };
    let Some(y_range) = chart.shown_y(x_range) else { return };
    let y_ticks = figure.y.ticks(y_range, usize::from(inner.height / 3).clamp(2, 8));
    let gutter = y_ticks.iter().map(|tick| width(&tick.label)).max().unwrap_or(0).clamp(5, 12) + 1;
    let plot = Rect::new(inner.x + gutter, inner.y, inner.width - gutter, inner.height - 2);

    // The axes.
    for y in plot.y..plot.bottom() {
        ui.text(plot.x - 1, y, 1, "│", ui.theme.frame);
    }
    let line = "─".repeat(usize::from(plot.width));
    ui.text(plot.x - 1, plot.bottom(), plot.width + 1, &format!("└{line}"), ui.theme.frame);
    for tick in y_ticks {
        let Some(at) = figure.y.position(tick.value, y_range) else { continue };
        let y = plot.bottom() - 1 - cell(at, plot.height, 4);
        let x = plot.x - 1 - width(&tick.label).min(gutter - 1);
        ui.text(x, y, gutter - 1, &ui.set(&tick.label), ui.theme.dim);
        ui.text(plot.x - 1, y, 1, "┤", ui.theme.frame);
        if ui.theme.colour {
            let grid = "┈".repeat(usize::from(plot.width));
            ui.text(plot.x, y, plot.width, &grid, ui.theme.grid);
        }
    }
    let mapping = Plot { area: plot, axis: figure.x.clone(), range: x_range };
    draw_x_axis(ui, &mapping, inner);
    let label = format!(" {} ", figure.x.label);
    let x = area.right().saturating_sub(width(&label) + 1).max(area.x + 1);
    ui.text(x, area.bottom() - 1, width(&label), &label, ui.theme.dim);

    // The crosshair lies under the curves.
    let cross = chart.cross();
    if let Some(column) = cross.and_then(|x| mapping.column(x)) {
        let style =
            if chart.crosshair.is_some() || focused { ui.theme.accent } else { ui.theme.frame };
        for y in plot.y..plot.bottom() {
            ui.text(column, y, 1, "┊", style);
        }
    }

    let exact = |x: f64, y: f64| -> Option<Place> {
        Some((figure.x.position(x, x_range)?, figure.y.position(y, y_range)?))
    };
    // A marker fills a cell: the curve goes through the cell's middle.
    let place = |x: f64, y: f64| -> Option<Place> {
        let (x, y) = exact(x, y)?;
        Some((middle(x, plot.width, 2), middle(y, plot.height, 4)))
    };
    let theme = ui.theme;
    Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .background_color(theme.background())
        .paint(|context| paint(context, ui.model, figure, &theme, (&exact, &place)))
        .render(plot, ui.buffer);
    for series in upwards(model, figure) {
        draw_markers(ui, series, plot, cross, &exact);
    }
    ui.drawn.plot = Some(mapping);
}

/// The series from the bottom up: grey ones, then what was stored, what runs, and the lit one.
fn upwards<'a>(model: &Model, figure: &'a Figure) -> Vec<&'a Series> {
    let lit = lit(model);
    let mut series: Vec<&Series> = figure.series.iter().collect();
    series.sort_by_key(|series| (is(lit, series), !series.pen.muted, model.chart.layer(series)));
    series
}

/// The curve that the legend's cursor is on.
fn lit(model: &Model) -> Option<&Series> {
    model.chart.lit().and_then(|lit| model.chart.series().get(lit))
}

fn is(lit: Option<&Series>, series: &Series) -> bool {
    lit.is_some_and(|lit| std::ptr::eq(lit, series))
}

/// The middle of the cell that a position falls into; a position outside stays.
fn middle(at: f64, cells: u16, dots: u16) -> f64 {
    if !(0.0..=1.0).contains(&at) {
        return at;
    }
    let (cell, dots) = (f64::from(cell(at, cells, dots)), f64::from(dots));
    (cell * dots + (dots - 1.0) / 2.0) / (f64::from(cells) * dots - 1.0)
}

/// Bands first, then curves, so that a band hides no curve.
fn paint(
    context: &mut Context,
    model: &Model,
    figure: &Figure,
    theme: &Theme,
    (exact, place): (&impl Fn(f64, f64) -> Option<Place>, &impl Fn(f64, f64) -> Option<Place>),
) {
    for series in figure.series.iter().filter(|series| !series.pen.muted) {
        let band: Vec<(Place, Place)> = series
            .points
            .iter()
            .filter_map(|point| {
                let (low, high) = point.band?;
                Some((exact(point.x, low)?, exact(point.x, high)?))
            })
            .collect();
        context.draw(&Band { edges: &band, color: theme.pen(series.pen) });
    }
    context.layer();
    let lit = lit(model);
    for series in upwards(model, figure) {
        let places: Vec<Place> =
            series.points.iter().filter_map(|point| place(point.x, point.y)).collect();
        let (color, stroke) = (theme.pen(series.pen), series.pen.stroke);
        context.draw(&Curve { places: &places, color, stroke, thick: is(lit, series) });
    }
}

/// A curve through places. What leaves the chart is left out.
struct Curve<'a> {
    places: &'a [Place],
    color: Color,
    stroke: Stroke,
    /// Whether it is two dots wide.
    thick: bool,
}

impl Curve<'_> {
    /// Whether the dot after so many others is drawn.
    fn draws(&self, travelled: usize) -> bool {
        match self.stroke {
            Stroke::Solid => true,
            Stroke::Dashed => travelled % 7 < 4,
            Stroke::Thin => travelled.is_multiple_of(3),
        }
    }
}

impl Shape for Curve<'_> {
    fn draw(&self, painter: &mut Painter) {
        let mut travelled = 0usize;
        for pair in self.places.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            let steps = steps(painter, x1 - x0, y1 - y0);
            let mut last = None;
            for step in 0..=steps {
                let t = step as f64 / steps as f64;
                let dot = painter.get_point(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t);
                if dot.is_some() && dot != last {
                    last = dot;
                    travelled += 1;
                    if let Some((x, y)) = dot.filter(|_| self.draws(travelled)) {
                        painter.paint(x, y, self.color);
                        if self.thick {
                            painter.paint(x, y + 1, self.color);
                            painter.paint(x + 1, y, self.color);
                        }
                    }
                }
            }
        }
    }
}

/// Steps that leave out no dot on the way: two for each.
fn steps(painter: &Painter, dx: f64, dy: f64) -> usize {
    let (right, bottom) = painter.get_point(1.0, 0.0).unwrap_or((1000, 1000));
    let dots = (dx.abs() * right as f64).max(dy.abs() * bottom as f64);
    (2.0 * dots).ceil().clamp(1.0, 4000.0) as usize
}

/// The area between the quartiles, every other dot of it.
struct Band<'a> {
    edges: &'a [(Place, Place)],
    color: Color,
}

impl Shape for Band<'_> {
    fn draw(&self, painter: &mut Painter) {
        for pair in self.edges.windows(2) {
            let [(low0, high0), (low1, high1)] = [pair[0], pair[1]];
            let steps = steps(painter, low1.0 - low0.0, 0.0);
            for step in 0..=steps {
                let t = step as f64 / steps as f64;
                let x = low0.0 + (low1.0 - low0.0) * t;
                let low = (low0.1 + (low1.1 - low0.1) * t).max(0.0);
                let high = (high0.1 + (high1.1 - high0.1) * t).min(1.0);
                let (Some((column, bottom)), Some((_, top))) =
                    (painter.get_point(x, low), painter.get_point(x, high))
                else {
                    continue;
                };
                for y in top..=bottom {
                    if (column + y) % 2 == 0 {
                        painter.paint(column, y, self.color);
                    }
                }
            }
        }
    }
}

/// A marker at each point; at the crosshair it is reversed.
fn draw_markers(
    ui: &mut Ui,
    series: &Series,
    plot: Rect,
    cross: Option<f64>,
    place: &impl Fn(f64, f64) -> Option<Place>,
) {
    let live = ui.model.chart.layer(series) == Layer::Live;
    let style = ui.theme.curve(series.pen);
    for point in &series.points {
        let Some((x, y)) = place(point.x, point.y) else { continue };
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            continue;
        }
        let column = plot.x + cell(x, plot.width, 2);
        let row = plot.bottom() - 1 - cell(y, plot.height, 4);
        let mut style = if live { style.add_modifier(Modifier::BOLD) } else { style };
        if cross == Some(point.x) {
            style = style.add_modifier(Modifier::REVERSED);
        }
        ui.text(column, row, 1, Theme::marker(series.pen), style);
    }
}

fn draw_x_axis(ui: &mut Ui, plot: &Plot, inner: Rect) {
    let (area, y) = (plot.area, plot.area.bottom() + 1);
    let most = usize::from(area.width / 8).max(2);
    let mut free = inner.x;
    for tick in plot.axis.ticks(plot.range, most) {
        let Some(column) = plot.column(tick.value) else { continue };
        ui.text(column, area.bottom(), 1, "┴", ui.theme.frame);
        let label = ui.set(&tick.label);
        let wide = width(&label);
        let x =
            column.saturating_sub(wide / 2).max(inner.x).min(inner.right().saturating_sub(wide));
        if x >= free {
            free = ui.text(x, y, wide, &label, ui.theme.dim) + 1;
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
        text.push_str(&format!("; {name} {values}"));
    }
    Some(text)
}
