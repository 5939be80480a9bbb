//! A line in dots: four rows and two columns of them in a cell.

use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{self, Canvas};

use crate::figure::marks::{Line, position};
use crate::tui::widgets::ui::{Ui, width};
use crate::units::decimal;

/// Least width of an area with values at the side.
const LABELLED: u16 = 50;

pub(super) fn draw(ui: &mut Ui, mark: &Line, mut area: Rect) {
    if area.width >= LABELLED && area.height >= 2 {
        let ends = [(area.bottom() - 1, mark.range.0), (area.y, mark.range.1)];
        let labels = ends.map(|(y, value)| (y, decimal(value)));
        let gutter = labels.iter().map(|(_, label)| width(label)).max().unwrap_or(0) + 1;
        for (y, label) in &labels {
            ui.text(area.x + gutter - 1 - width(label), *y, gutter, label, ui.theme.dim);
        }
        area = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    }
    let last = (mark.count.max(2) - 1) as f64;
    let stroke = |from: (f64, f64), to: (f64, f64), color: Color| {
        let [(x1, y1), (x2, y2)] = [from, to].map(|(x, y)| (x / last, position(y, mark.range)));
        canvas::Line { x1, y1, x2, y2, color }
    };
    let steps_fit = (2..=usize::from(area.width)).contains(&mark.steps.len());
    let theme = ui.theme;
    Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .background_color(theme.background())
        .paint(|context| {
            for &(from, to, value) in mark.steps.iter().filter(|_| steps_fit) {
                context.draw(&stroke((from, value), (to, value), theme.series(1)));
            }
            context.layer();
            for run in &mark.runs {
                let mut before = None;
                for &(x, low, high) in run {
                    context.draw(&stroke((x, low), (x, high), theme.series(0)));
                    let middle = (x, f64::midpoint(low, high));
                    if let Some(before) = before.replace(middle) {
                        context.draw(&stroke(before, middle, theme.series(0)));
                    }
                }
            }
        })
        .render(area, ui.buffer);
}
