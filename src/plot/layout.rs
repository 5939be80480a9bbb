//! Where everything goes. From top to bottom:
//!
//! ```text
//! title
//! what all curves share
//! legend (or to the right of the plot, if it is long)
//! name of the y axis
//! ticks  plot
//!        ticks
//!        name of the x axis
//! provenance and device
//! command that makes the numbers again
//! ```

use super::Size;
use super::legend::Legend;
use super::palette::{self, FAINT_INK, FRAME, GRID, INK};
use super::scene::{Anchor, Place, Rgb, Scene, Shape, Text};
use super::text::{self, LEADING};
use crate::figure::{Axis, Figure, Series, Tick};

/// Font sizes and distances, all in proportion to the picture.
struct Sizes {
    title: f64,
    body: f64,
    small: f64,
    margin: f64,
}

impl Sizes {
    fn of(size: Size) -> Self {
        let by_width = f64::from(size.width()) / 1600.0;
        let by_height = f64::from(size.height()) / 1000.0;
        // Small pictures keep letters of about 11 pixels: legible beats
        // proportional.
        let scale = by_width.min(by_height).max(0.3);
        let body = (21.0 * scale).max(11.0);
        Self { title: body * 1.65, body, small: (body * 0.8).max(10.0), margin: body * 1.5 }
    }
}

/// The rectangle of the plot in pixels.
#[derive(Debug, Clone, Copy)]
struct Rect {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// Lays `figure` out on a picture of `size`.
pub(super) fn lay_out(figure: &Figure, size: Size) -> Scene {
    let sizes = Sizes::of(size);
    let (width, height) = (f64::from(size.width()), f64::from(size.height()));
    let inner = width - 2.0 * sizes.margin;
    let mut page = Page { shapes: Vec::new(), top: sizes.margin, left: sizes.margin };

    page.lines(&figure.title, inner, 2, sizes.title, INK, "");
    page.top += sizes.body * 0.2;
    page.lines(&figure.subtitle, inner, 2, sizes.body * 0.9, FAINT_INK, "");

    let mut foot = Foot::of(figure, inner, &sizes);
    foot.place(&mut page.shapes, sizes.margin, height - sizes.margin);

    if figure.is_empty() {
        let middle = (width / 2.0, f64::midpoint(page.top, foot.top));
        let words = text::cut(
            "nothing to draw: no case has a time",
            text::fitting(inner, sizes.body * 1.2),
        );
        page.text(words, middle, Anchor::Middle, sizes.body * 1.2, FAINT_INK);
        return Scene { width: size.width(), height: size.height(), shapes: page.shapes };
    }

    page.top += sizes.body * 0.5;
    let legend = Legend::of(figure, inner, sizes.body * 0.95);
    if legend.height() > 0.0 {
        legend.draw(&mut page.shapes, (sizes.margin, page.top), legend.height());
        page.top += legend.height() + sizes.body * 0.5;
    }
    // The name of the y axis stands above it, where it reads without turning
    // the head.
    let most = text::fitting(inner - legend.width(), sizes.body);
    let name = text::cut(&figure.y.label, most);
    page.text(name, (sizes.margin, page.top + sizes.body * 0.6), Anchor::Left, sizes.body, INK);
    page.top += sizes.body * 1.6;

    let y_range = figure.y_range();
    let x_range = figure.x_range();
    let bottom = foot.top - sizes.body * 4.2;
    let y_ticks = y_ticks(figure, y_range, bottom - page.top, sizes.body);
    let widest = y_ticks.iter().map(|tick| text::width(&tick.label, sizes.body));
    let rect = Rect {
        left: sizes.margin + widest.fold(0.0, f64::max) + sizes.body * 0.6,
        top: page.top,
        right: width - sizes.margin - legend.width(),
        bottom,
    };
    let x_ticks = x_ticks(figure, x_range, rect, sizes.body);

    let chart = Chart { figure, rect, x_range, y_range, body: sizes.body };
    chart.axes(&mut page, &x_ticks, &y_ticks);
    chart.bands(&mut page);
    chart.curves(&mut page);
    if legend.width() > 0.0 {
        legend.draw(&mut page.shapes, (rect.right, rect.top), rect.bottom - rect.top);
    }
    Scene { width: size.width(), height: size.height(), shapes: page.shapes }
}

/// As many x ticks as fit beside each other.
fn x_ticks(figure: &Figure, range: (f64, f64), rect: Rect, body: f64) -> Vec<Tick> {
    let room = rect.right - rect.left;
    let half = |tick: &Tick| text::width(&tick.label, body) / 2.0;
    fitting_ticks(&figure.x, range, room, body * 3.5, |a, b| half(a) + half(b) + body * 0.8)
}

/// As many y ticks as fit above each other in `room` pixels.
fn y_ticks(figure: &Figure, range: (f64, f64), room: f64, body: f64) -> Vec<Tick> {
    fitting_ticks(&figure.y, range, room, body * 2.6, |_, _| body * 1.3)
}

/// The most ticks, about `step` pixels apart, whose neighbours keep the
/// distance that `apart` asks for.
fn fitting_ticks(
    axis: &Axis,
    range: (f64, f64),
    room: f64,
    step: f64,
    apart: impl Fn(&Tick, &Tick) -> f64,
) -> Vec<Tick> {
    let mut most = ((room / step) as usize).max(2);
    loop {
        let ticks = axis.ticks(range, most);
        let at = |tick: &Tick| axis.position(tick.value, range).unwrap_or(0.0) * room;
        let crowded = ticks.windows(2).any(|pair| match pair {
            [a, b] => at(b) - at(a) < apart(a, b),
            _ => false,
        });
        if !crowded {
            return ticks;
        }
        if most == 1 {
            return Vec::new();
        }
        most -= 1;
    }
}

/// Shapes so far, and where the next line goes.
struct Page {
    shapes: Vec<Shape>,
    top: f64,
    left: f64,
}

impl Page {
    fn text(&mut self, words: String, at: Place, anchor: Anchor, size: f64, color: Rgb) {
        self.shapes.push(Shape::Text(Text { words, at, anchor, size, color }));
    }

    fn line(&mut self, places: Vec<Place>, color: Rgb, width: f64) {
        self.shapes.push(Shape::Line { places, color, width });
    }

    /// Words from the left margin down, and the top below them.
    fn lines(&mut self, words: &str, width: f64, most: usize, size: f64, color: Rgb, indent: &str) {
        for line in text::wrap(words, text::fitting(width, size), most, indent) {
            let at = (self.left, self.top + size * LEADING / 2.0);
            self.text(line, at, Anchor::Left, size, color);
            self.top += size * LEADING;
        }
    }
}

/// The lines below the plot.
struct Foot {
    lines: Vec<(String, Rgb)>,
    size: f64,
    /// Top edge in pixels, once placed.
    top: f64,
}

impl Foot {
    fn of(figure: &Figure, width: f64, sizes: &Sizes) -> Self {
        let size = sizes.small;
        let most = text::fitting(width, size);
        let mut lines: Vec<(String, Rgb)> = Vec::new();
        let mut caption = figure.caption.clone();
        let points = figure.series.iter().flat_map(|series| &series.points);
        if points.into_iter().any(|point| point.band.is_some()) {
            caption.push_str("; band: interquartile range");
        }
        for line in text::wrap(&caption, most, 2, "  ") {
            lines.push((line, INK));
        }
        // Two commands say how it was done; more would push the plot away.
        let commands: Vec<&str> = figure.command.lines().collect();
        for command in commands.iter().take(2) {
            // Broken lines end as a shell wants it, so that they can be pasted.
            let wrapped = text::wrap(command, most.saturating_sub(2), 3, "    ");
            let last = wrapped.len().saturating_sub(1);
            for (index, line) in wrapped.into_iter().enumerate() {
                let line = if index < last { format!("{line} \\") } else { line };
                lines.push((line, FAINT_INK));
            }
        }
        if commands.len() > 2 {
            lines.push((format!("… and {} more commands", commands.len() - 2), FAINT_INK));
        }
        Self { lines, size, top: 0.0 }
    }

    fn place(&mut self, shapes: &mut Vec<Shape>, left: f64, bottom: f64) {
        let step = self.size * LEADING;
        self.top = bottom - self.lines.len() as f64 * step;
        for (index, (words, color)) in self.lines.iter().enumerate() {
            shapes.push(Shape::Text(Text {
                words: words.clone(),
                at: (left, self.top + (index as f64 + 0.5) * step),
                anchor: Anchor::Left,
                size: self.size,
                color: *color,
            }));
        }
    }
}

/// The plot itself.
struct Chart<'a> {
    figure: &'a Figure,
    rect: Rect,
    x_range: (f64, f64),
    y_range: (f64, f64),
    body: f64,
}

impl Chart<'_> {
    fn place(&self, x: f64, y: f64) -> Option<Place> {
        let rect = self.rect;
        let right = self.figure.x.position(x, self.x_range)?;
        let up = self.figure.y.position(y, self.y_range)?;
        Some((
            rect.left + right * (rect.right - rect.left),
            rect.bottom - up * (rect.bottom - rect.top),
        ))
    }

    fn axes(&self, page: &mut Page, x_ticks: &[Tick], y_ticks: &[Tick]) {
        let rect = self.rect;
        let hair = (self.body * 0.06).max(1.0);
        for tick in y_ticks {
            let Some((_, y)) = self.place(self.x_range.0, tick.value) else { continue };
            page.line(vec![(rect.left, y), (rect.right, y)], GRID, hair);
            let at = (rect.left - self.body * 0.5, y);
            page.text(tick.label.clone(), at, Anchor::Right, self.body, INK);
        }
        for tick in x_ticks {
            let Some((x, _)) = self.place(tick.value, self.y_range.0) else { continue };
            page.line(vec![(x, rect.top), (x, rect.bottom)], GRID, hair);
            let at = (x, rect.bottom + self.body * 1.0);
            page.text(tick.label.clone(), at, Anchor::Middle, self.body, INK);
        }
        let corners = [(rect.left, rect.top), (rect.left, rect.bottom), (rect.right, rect.bottom)];
        page.line(corners.into(), FRAME, hair * 1.5);
        let at = (f64::midpoint(rect.left, rect.right), rect.bottom + self.body * 2.6);
        page.text(self.figure.x.label.clone(), at, Anchor::Middle, self.body, INK);
    }

    /// Interquartile ranges: an area between neighbours, a bar where a point
    /// has no neighbour.
    fn bands(&self, page: &mut Page) {
        let alpha = if self.figure.series.len() > 6 { 0.12 } else { 0.22 };
        for series in &self.figure.series {
            let color = palette::color(series.style);
            let edges = |index: usize| -> Option<(Place, Place)> {
                let point = series.points.get(index)?;
                let (low, high) = point.band?;
                Some((self.place(point.x, low)?, self.place(point.x, high)?))
            };
            let mut joined = false;
            for index in 0..series.points.len() {
                let Some((low, high)) = edges(index) else { continue };
                let next = edges(index + 1);
                if let Some((next_low, next_high)) = next {
                    let places = vec![low, high, next_high, next_low];
                    page.shapes.push(Shape::Area { places, color, alpha });
                } else if !joined {
                    page.line(vec![low, high], color, (self.body * 0.1).max(1.0));
                }
                joined = next.is_some();
            }
        }
    }

    fn curves(&self, page: &mut Page) {
        let many = self.figure.series.len() > 6;
        let radius = self.body * if many { 0.24 } else { 0.3 };
        let places = |series: &Series| -> Vec<Place> {
            series.points.iter().filter_map(|point| self.place(point.x, point.y)).collect()
        };
        for series in &self.figure.series {
            let width = (self.body * if many { 0.09 } else { 0.13 }).max(1.2);
            let places = places(series);
            if places.len() > 1 {
                page.line(places, palette::color(series.style), width);
            }
        }
        for series in &self.figure.series {
            for place in places(series) {
                page.shapes.extend(palette::marker(series, place, radius));
            }
        }
    }
}
