//! The roofline: kernels under what the GPU reaches at most, both axes
//! logarithmic, on a canvas with the axes' own mapping.

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Line};

use crate::figure::roofline::Roofline;
use crate::tui::app::action::Command;
use crate::tui::screens::counters::letter;
use crate::tui::screens::profile::state::Side;
use crate::tui::screens::profile::view as common;
use crate::tui::widgets::ui::{Ui, cell, width};

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect, figure: Option<&Roofline>, sides: &[Side]) {
    let title = format!("roofline · {}", common::title(sides, area.width.saturating_sub(11)));
    let inner = ui.panel(area, &title, false);
    let label = " operations per DRAM byte ";
    let x = area.right().saturating_sub(width(label) + 1);
    ui.text(x.max(area.x), area.bottom() - 1, width(label), label, ui.theme.dim);
    let Some(figure) = figure else {
        common::nothing(ui, inner, sides);
        return;
    };
    if inner.width < 30 || inner.height < 6 {
        return;
    }
    let ticks = figure.y.ticks(figure.y_range, usize::from(inner.height / 3).clamp(2, 8));
    let gutter = ticks.iter().map(|tick| width(&tick.label)).max().unwrap_or(0).clamp(5, 12) + 1;
    let notes = figure.left_out.len().min(2) as u16;
    let plot = Rect::new(
        inner.x + gutter,
        inner.y,
        inner.width - gutter,
        inner.height.saturating_sub(2 + notes),
    );
    axes(ui, figure, plot, inner);

    let place = |x: f64, y: f64| {
        Some((figure.x.position(x, figure.x_range)?, figure.y.position(y, figure.y_range)?))
    };
    let colour = ui.theme.base.fg.unwrap_or(Color::Reset);
    Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .background_color(ui.theme.background())
        .paint(|context| {
            for roof in &figure.roofs {
                let corners = roof.corners(figure.x_range);
                for pair in corners.windows(2) {
                    let ends = (place(pair[0].0, pair[0].1), place(pair[1].0, pair[1].1));
                    if let (Some((x1, y1)), Some((x2, y2))) = ends {
                        context.draw(&Line { x1, y1, x2, y2, color: colour });
                    }
                }
            }
        })
        .render(plot, ui.buffer);
    labels(ui, figure, plot);
    points(ui, figure, plot, &place);
    let below = inner.bottom() - notes;
    for (y, note) in (below..inner.bottom()).zip(&figure.left_out) {
        ui.text(inner.x + 1, y, inner.width - 1, note, ui.theme.dim);
    }
}

fn axes(ui: &mut Ui, figure: &Roofline, plot: Rect, inner: Rect) {
    for y in plot.y..plot.bottom() {
        ui.text(plot.x - 1, y, 1, "│", ui.theme.frame);
    }
    let line = "─".repeat(usize::from(plot.width));
    ui.text(plot.x - 1, plot.bottom(), plot.width + 1, &format!("└{line}"), ui.theme.frame);
    let gutter = plot.x - inner.x;
    for tick in figure.y.ticks(figure.y_range, usize::from(plot.height / 3).clamp(2, 8)) {
        let Some(at) = figure.y.position(tick.value, figure.y_range) else { continue };
        let y = plot.bottom() - 1 - cell(at, plot.height, 4);
        let x = plot.x - 1 - width(&tick.label).min(gutter - 1);
        ui.text(x, y, gutter - 1, &tick.label, ui.theme.dim);
        ui.text(plot.x - 1, y, 1, "┤", ui.theme.frame);
    }
    let mut free = inner.x;
    for tick in figure.x.ticks(figure.x_range, usize::from(plot.width / 8).max(2)) {
        let Some(at) = figure.x.position(tick.value, figure.x_range) else { continue };
        if !(0.0..=1.0).contains(&at) {
            continue;
        }
        let column = plot.x + cell(at, plot.width, 2);
        ui.text(column, plot.bottom(), 1, "┴", ui.theme.frame);
        let wide = width(&tick.label);
        let x =
            column.saturating_sub(wide / 2).max(inner.x).min(inner.right().saturating_sub(wide));
        if x >= free {
            free = ui.text(x, plot.bottom() + 1, wide, &tick.label, ui.theme.dim) + 1;
        }
    }
}

/// What the level parts are, at their right ends, and what the slope is.
fn labels(ui: &mut Ui, figure: &Roofline, plot: Rect) {
    for roof in &figure.roofs {
        let Some(at) = figure.y.position(roof.level, figure.y_range) else { continue };
        let y = (plot.bottom() - 1 - cell(at, plot.height, 4)).max(plot.y);
        let y = if y + 1 < plot.bottom() { y + 1 } else { y };
        let wide = width(&roof.label).min(plot.width);
        ui.text(plot.right() - wide, y, wide, &roof.label, ui.theme.dim);
    }
    if let Some(roof) = figure.roofs.first() {
        let rate = crate::units::BytesPerSecond(roof.slope);
        let text = format!("DRAM {rate}");
        // Beside the slope, a third of the way up.
        let x = roof.ridge().powf(0.5) * figure.x_range.0.powf(0.5);
        let place =
            figure.x.position(x, figure.x_range).zip(figure.y.position(roof.at(x), figure.y_range));
        if let Some((x, y)) =
            place.filter(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y))
        {
            let column = plot.x + cell(x, plot.width, 2) + 2;
            let row = plot.bottom() - 1 - cell(y, plot.height, 4);
            let room = plot.right().saturating_sub(column);
            ui.text(column, row, room.min(width(&text)), &text, ui.theme.dim);
        }
    }
}

/// A letter for each kernel of a case, its number beside it where there are several.
fn points(
    ui: &mut Ui,
    figure: &Roofline,
    plot: Rect,
    place: &impl Fn(f64, f64) -> Option<(f64, f64)>,
) {
    let several = figure.points.iter().any(|point| point.kernel > 0);
    let chosen = ui.model.profile.kernel;
    // The chosen kernel lies on top.
    let mut order: Vec<_> = figure.points.iter().collect();
    order.sort_by_key(|point| (point.kernel == chosen, std::cmp::Reverse(point.side)));
    for point in order {
        let Some((x, y)) = place(point.x, point.y) else { continue };
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            continue;
        }
        let mut text = letter(point.side).to_owned();
        if several {
            text.push_str(&(point.kernel + 1).to_string());
        }
        let column = plot.x + cell(x, plot.width, 2);
        let row = plot.bottom() - 1 - cell(y, plot.height, 4);
        let column = column.min(plot.right().saturating_sub(width(&text)));
        let mut style = Style::new().fg(ui.theme.series(point.side)).bg(ui.theme.background());
        style = style.add_modifier(Modifier::BOLD);
        if point.kernel == chosen {
            style = style.add_modifier(Modifier::REVERSED);
        }
        ui.button(column, row, width(&text), &text, style, Command::Kernel(point.kernel));
    }
}
