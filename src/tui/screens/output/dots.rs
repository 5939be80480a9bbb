//! Lines of dots on a canvas: four rows and two columns of them in a cell.

use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Painter, Shape};

use crate::tui::widgets::ui::Ui;

/// Where a dot lies: 0 to 1 from left to right and from bottom to top.
pub(crate) type Place = (f64, f64);

/// A straight line. What of it leaves the canvas is left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stroke {
    pub(crate) from: Place,
    pub(crate) to: Place,
    pub(crate) color: Color,
}

impl Shape for Stroke {
    fn draw(&self, painter: &mut Painter) {
        let ((x0, y0), (x1, y1)) = (self.from, self.to);
        // Twice as many steps as any terminal has dots.
        let steps = ((x1 - x0).abs().max((y1 - y0).abs()) * 2000.0).clamp(1.0, 20_000.0) as u32;
        for step in 0..=steps {
            let t = f64::from(step) / f64::from(steps);
            if let Some((x, y)) = painter.get_point(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t) {
                painter.paint(x, y, self.color);
            }
        }
    }
}

/// Draws layers of strokes, a later one over those before it.
pub(crate) fn draw(ui: &mut Ui, layers: &[Vec<Stroke>], area: Rect) {
    if area.is_empty() {
        return;
    }
    Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .background_color(ui.theme.background())
        .paint(|context| {
            for layer in layers {
                for stroke in layer {
                    context.draw(stroke);
                }
                context.layer();
            }
        })
        .render(area, ui.buffer);
}
