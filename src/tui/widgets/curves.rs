//! Curves, their bands and their markers in a plot, on a canvas of dots.

use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{Canvas, Context, Painter, Shape};

use crate::figure::pen::Stroke;
use crate::figure::{Figure, Series};
use crate::settings::Dots;
use crate::tui::screens::sweep::state::{Chart, Layer};
use crate::tui::theme::Theme;
use crate::tui::widgets::ui::{Ui, cell};

/// Where a point lies, 0 to 1 in both directions.
type Place = (f64, f64);

/// A part of a figure in a part of the screen.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// The chart of the figure.
    pub(crate) chart: &'a Chart,
    pub(crate) figure: &'a Figure,
    /// Where.
    pub(crate) area: Rect,
    /// The values at the ends of the x axis.
    pub(crate) x: (f64, f64),
    /// The values at the ends of the y axis.
    pub(crate) y: (f64, f64),
    /// Whether curves are two dots wide.
    pub(crate) thick: bool,
    /// What they are made of.
    pub(crate) dots: Dots,
}

impl View<'_> {
    /// Where a pair of values lies.
    fn exact(&self, x: f64, y: f64) -> Option<Place> {
        Some((self.figure.x.position(x, self.x)?, self.figure.y.position(y, self.y)?))
    }

    /// The middle of the cell that it falls into: a marker fills a cell, and the curve goes
    /// through the marker.
    fn place(&self, x: f64, y: f64) -> Option<Place> {
        let (x, y) = self.exact(x, y)?;
        let rows = if self.dots == Dots::Sextant { 3 } else { 4 };
        let across = middle(x, (self.area.width, 2), 2);
        Some((across, middle(y, (self.area.height, 4), rows)))
    }
}

/// Draws the curves of the chart.
pub(crate) fn draw(ui: &mut Ui, view: View) {
    let theme = ui.theme;
    Canvas::default()
        .marker(match view.dots {
            Dots::Braille => Marker::Braille,
            Dots::Sextant => Marker::Sextant,
            Dots::Octant => Marker::Octant,
        })
        .x_bounds([0.0, 1.0])
        .y_bounds([0.0, 1.0])
        .background_color(theme.background())
        .paint(|context| paint(context, &view, &theme))
        .render(view.area, ui.buffer);
    for series in upwards(view.chart, view.figure) {
        draw_markers(ui, series, &view);
    }
}

/// The series from the bottom up: grey ones, then what was stored, what runs, and the lit one.
fn upwards<'a>(chart: &Chart, figure: &'a Figure) -> Vec<&'a Series> {
    let lit = lit(chart);
    let mut series: Vec<&Series> = figure.series.iter().collect();
    series.sort_by_key(|series| (is(lit, series), !series.pen.muted, chart.layer(series)));
    series
}

/// The curve that the legend's cursor is on.
fn lit(chart: &Chart) -> Option<&Series> {
    chart.lit().and_then(|lit| chart.series().get(lit))
}

fn is(lit: Option<&Series>, series: &Series) -> bool {
    lit.is_some_and(|lit| std::ptr::eq(lit, series))
}

/// The dot in the middle of the cell of a marker at a position, on a canvas with `fine` dots for
/// a cell; a position outside stays. Between two dots a line would waver.
fn middle(at: f64, (cells, dots): (u16, u16), fine: u16) -> f64 {
    if !(0.0..=1.0).contains(&at) {
        return at;
    }
    let dot = cell(at, cells, dots) * fine + fine / 2;
    f64::from(dot) / (f64::from(cells) * f64::from(fine) - 1.0)
}

/// Bands first, then curves, so that a band hides no curve.
fn paint(context: &mut Context, view: &View, theme: &Theme) {
    for series in view.figure.series.iter().filter(|series| !series.pen.muted) {
        let band: Vec<(Place, Place)> = series
            .points
            .iter()
            .filter_map(|point| {
                let (low, high) = point.band?;
                Some((view.exact(point.x, low)?, view.exact(point.x, high)?))
            })
            .collect();
        context.draw(&Band { edges: &band, color: theme.pen(series.pen) });
    }
    context.layer();
    let lit = lit(view.chart);
    for series in upwards(view.chart, view.figure) {
        let places: Vec<Place> =
            series.points.iter().filter_map(|point| view.place(point.x, point.y)).collect();
        let (color, stroke) = (theme.pen(series.pen), series.pen.stroke);
        let thick = view.thick && !series.pen.muted || is(lit, series);
        context.draw(&Curve { places: &places, color, stroke, thick });
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
    /// Whether the dot at this place of the line is drawn.
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
            // One step for each dot of the longer way: a line one dot thin.
            let steps = steps(painter, x1 - x0, y1 - y0, 1.0);
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

/// Steps for each dot on the way.
fn steps(painter: &Painter, dx: f64, dy: f64, each: f64) -> usize {
    let (right, bottom) = painter.get_point(1.0, 0.0).unwrap_or((1000, 1000));
    let dots = (dx.abs() * right as f64).max(dy.abs() * bottom as f64);
    // What rounding adds to a whole number of dots is no step.
    (each * dots - 1e-6).ceil().clamp(1.0, 4000.0) as usize
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
            let steps = steps(painter, low1.0 - low0.0, 0.0, 2.0);
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
fn draw_markers(ui: &mut Ui, series: &Series, view: &View) {
    let cross = view.chart.cross();
    let live = view.chart.layer(series) == Layer::Live;
    let style = ui.theme.curve(series.pen);
    let plot = view.area;
    for point in &series.points {
        let Some((x, y)) = view.exact(point.x, point.y) else { continue };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_goes_through_the_middle_of_its_markers() {
        for (cells, dots, fine) in [(10, 2, 2), (7, 4, 4), (51, 4, 3)] {
            let last = f64::from(cells) * f64::from(fine) - 1.0;
            for step in 0..=1000 {
                let at = f64::from(step) / 1000.0;
                let marker = cell(at, cells, dots);
                let line = middle(at, (cells, dots), fine) * last;
                let dot = f64::from(marker * fine) + f64::from(fine - 1) / 2.0;
                assert!((dot - line).abs() <= 0.5 + 1e-9, "{at}: cell {marker}, dot {line}");
                assert!((line - line.round()).abs() < 1e-9, "{at}: {line} is between two dots");
            }
        }
        assert!(
            (middle(-0.5, (10, 2), 2) + 0.5).abs() < 1e-12,
            "what leaves the chart stays outside"
        );
    }
}
