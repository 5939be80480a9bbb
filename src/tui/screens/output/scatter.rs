//! Scatter: peaks as dots on their surface, the dominant ones marked, and the
//! lattice drawn through them. Rows of the surface go down.

use ratatui::layout::Rect;

use crate::tui::screens::output::dots::{Place, Stroke};
use crate::tui::screens::output::{dots, several};
use crate::tui::widgets::ui::{Ui, cell};
use crate::units::{decimal, grouped};
use crate::work::Scatter;

/// Marks a dominant peak.
const DOMINANT: &str = "◆";

/// Rows from which on the surface keeps its shape.
const LEAST_ROWS: u16 = 8;

/// Fewest dots between two lines of the lattice.
const LEAST_DOTS: f64 = 6.0;

/// Most lines of the lattice in one direction.
const MOST_LINES: i64 = 100;

pub(crate) fn draw(ui: &mut Ui, scatter: &Scatter, area: Rect) {
    if scatter.width == 0 || scatter.height == 0 || area.is_empty() {
        return;
    }
    let outer = area;
    let area = fitted(scatter, area);
    let whole = Surface {
        left: 0.0,
        top: 0.0,
        width: scatter.width as f64,
        height: scatter.height as f64,
        area,
    };
    let surface = whole.closer(scatter);
    if surface.width < scatter.width as f64 {
        let part = [surface.width, surface.height].map(|edge| grouped(edge.round() as u64));
        let lines = ["enlarged: the middle".to_owned(), part.join(" × ")];
        let x = area.right() + 2;
        for (y, line) in (outer.y..outer.bottom()).zip(&lines) {
            ui.text(x, y, outer.right().saturating_sub(x), line, ui.theme.dim);
        }
    }
    let lattice = lattice(scatter, &surface, ui);
    let color = ui.theme.series(0);
    let dot = |&(x, y): &(u32, u32)| {
        let at = surface.place((f64::from(x), f64::from(y)));
        Stroke { from: at, to: at, color }
    };
    let seen =
        |place: &Stroke| (0.0..=1.0).contains(&place.from.0) && (0.0..=1.0).contains(&place.from.1);
    dots::draw(ui, &[lattice, scatter.points.iter().map(dot).filter(seen).collect()], area);
    for peak in scatter.dominant.iter().rev() {
        let (x, y) = surface.place((f64::from(peak.x), f64::from(peak.y)));
        if (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y) {
            let (column, row) = (cell(x, area.width, 2), cell(1.0 - y, area.height, 4));
            ui.text(area.x + column, area.y + row, 1, DOMINANT, ui.theme.accent);
        }
    }
}

/// The largest part of the area in which the surface is not distorted. A low
/// area is filled instead: better wide than too small to see.
fn fitted(scatter: &Scatter, area: Rect) -> Rect {
    if area.height < LEAST_ROWS {
        return area;
    }
    let (across, down) = (f64::from(area.width) * 2.0, f64::from(area.height) * 4.0);
    let scale = (across / scatter.width as f64).min(down / scatter.height as f64);
    let [width, height] = [
        (scatter.width as f64 * scale / 2.0).round() as u16,
        (scatter.height as f64 * scale / 4.0).round() as u16,
    ];
    Rect { width: width.clamp(1, area.width), height: height.clamp(1, area.height), ..area }
}

/// The part of the surface that is drawn, and where.
struct Surface {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    area: Rect,
}

impl Surface {
    /// Where a column and a row lie: the middle of a pixel.
    fn place(&self, (x, y): (f64, f64)) -> Place {
        ((x + 0.5 - self.left) / self.width, 1.0 - (y + 0.5 - self.top) / self.height)
    }

    /// The part around the origin in which the cells of the lattice are large
    /// enough to be seen: all of it where they are, or where there is no lattice.
    fn closer(self, scatter: &Scatter) -> Self {
        let [v, w, ..] = scatter.vectors[..] else { return self };
        let between = self.between(v, w);
        // A low area would show next to nothing, and that distorted.
        let low = self.area.height < LEAST_ROWS;
        if low || !between.is_finite() || between <= 0.0 || between >= LEAST_DOTS {
            return self;
        }
        // A little more than needed, so that rounding does not take it back.
        let part = between / (LEAST_DOTS * 1.02);
        let (width, height) = (self.width * part, self.height * part);
        let start = |centre: f64, size: f64, whole: f64| {
            (centre - size / 2.0).clamp(0.0, (whole - size).max(0.0))
        };
        Self {
            left: start(scatter.origin.0, width, self.width),
            top: start(scatter.origin.1, height, self.height),
            width,
            height,
            ..self
        }
    }

    /// Dots between two lines of a lattice: its cell's area over the longer side.
    fn between(&self, v: Place, w: Place) -> f64 {
        let area = (v.0 * w.1 - v.1 * w.0).abs();
        self.area_in_dots(area) / self.dots(v).max(self.dots(w))
    }

    /// Dots per column and per row of the surface.
    fn density(&self) -> (f64, f64) {
        let (across, down) = (f64::from(self.area.width) * 2.0, f64::from(self.area.height) * 4.0);
        (across / self.width, down / self.height)
    }

    /// Length of a vector in dots.
    fn dots(&self, (x, y): (f64, f64)) -> f64 {
        let (across, down) = self.density();
        (x * across).hypot(y * down)
    }

    /// Dots that an area of the surface covers.
    fn area_in_dots(&self, area: f64) -> f64 {
        let (across, down) = self.density();
        area * across * down
    }
}

/// The lines of the lattice, or its vectors alone where lines would lie too
/// close to each other.
fn lattice(scatter: &Scatter, surface: &Surface, ui: &Ui) -> Vec<Stroke> {
    let origin = scatter.origin;
    let color = ui.theme.dim.fg.unwrap_or_default();
    let along = |a: f64, b: f64, (v, w): (Place, Place)| {
        surface.place((origin.0 + a * v.0 + b * w.0, origin.1 + a * v.1 + b * w.1))
    };
    let alone = || {
        let none = (0.0, 0.0);
        let stroke = |vector: &Place| Stroke {
            from: surface.place(origin),
            to: along(1.0, 0.0, (*vector, none)),
            color,
        };
        scatter.vectors.iter().map(stroke).collect()
    };
    let [v, w, ..] = scatter.vectors[..] else { return alone() };
    let area = v.0 * w.1 - v.1 * w.0;
    if area.abs() < 1e-9 || surface.between(v, w) < LEAST_DOTS {
        return alone();
    }
    // The corners in units of the vectors bound what has to be drawn.
    let (right, bottom) = (surface.left + surface.width, surface.top + surface.height);
    let corners = [
        (surface.left, surface.top),
        (right, surface.top),
        (surface.left, bottom),
        (right, bottom),
    ]
    .map(|(x, y)| {
        let (x, y) = (x - origin.0, y - origin.1);
        ((x * w.1 - y * w.0) / area, (v.0 * y - v.1 * x) / area)
    });
    let bounds = |of: fn(&Place) -> f64| {
        let low = corners.iter().map(of).fold(f64::INFINITY, f64::min).floor();
        let high = corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max).ceil();
        (low, high)
    };
    let (a, b) = (bounds(|corner| corner.0), bounds(|corner| corner.1));
    let few = |(low, high): (f64, f64)| high - low <= MOST_LINES as f64;
    if !few(a) || !few(b) {
        return alone();
    }
    let mut strokes = Vec::new();
    for line in b.0 as i64..=b.1 as i64 {
        let at = |a| along(a, line as f64, (v, w));
        strokes.push(Stroke { from: at(a.0), to: at(a.1), color });
    }
    for line in a.0 as i64..=a.1 as i64 {
        let at = |b| along(line as f64, b, (v, w));
        strokes.push(Stroke { from: at(b.0), to: at(b.1), color });
    }
    strokes
}

fn vectors(scatter: &Scatter) -> Option<String> {
    let vectors: Vec<String> = scatter
        .vectors
        .iter()
        .map(|(x, y)| format!("({}, {})", decimal(*x), decimal(*y)))
        .collect();
    (!vectors.is_empty()).then(|| vectors.join(" and "))
}

pub(crate) fn words(scatter: &Scatter) -> String {
    let (width, height) = (grouped(scatter.width), grouped(scatter.height));
    let mut parts =
        vec![format!("{} on a surface of {width} × {height}", several(scatter.peaks, "peak"))];
    let shown = scatter.points.len() as u64;
    if shown < scatter.peaks {
        parts[0].push_str(&format!(", the {} highest drawn", grouped(shown)));
    }
    if !scatter.dominant.is_empty() {
        let count = grouped(scatter.dominant.len() as u64);
        let mut text = format!("{DOMINANT} the {count} farthest from any higher peak");
        if let Some(square) = scatter.dominant.iter().find_map(|peak| peak.distance2) {
            text.push_str(&format!(", up to {}", decimal((square as f64).sqrt())));
        }
        parts.push(text);
    }
    parts.extend(vectors(scatter).map(|vectors| format!("lattice {vectors}")));
    parts.join(" · ")
}

pub(crate) fn short_words(scatter: &Scatter) -> Vec<String> {
    let mut lines: Vec<String> = vectors(scatter).into_iter().collect();
    let dominant = grouped(scatter.dominant.len() as u64);
    lines.push(format!("{}, {dominant} {DOMINANT}", several(scatter.peaks, "peak")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_is_not_distorted_where_there_is_room() {
        let scatter = Scatter::of(100, 50, []);
        // 40 x 20 cells are 80 x 80 dots: 80 x 40 of them are used.
        assert_eq!(fitted(&scatter, Rect::new(3, 2, 40, 20)), Rect::new(3, 2, 40, 10));
        assert_eq!(fitted(&scatter, Rect::new(0, 0, 40, 2)), Rect::new(0, 0, 40, 2));
    }

    #[test]
    fn a_lattice_too_dense_to_see_is_looked_at_closer() {
        let area = Rect::new(0, 0, 56, 28);
        let whole = || Surface { left: 0.0, top: 0.0, width: 511.0, height: 511.0, area };
        let scatter = |v, w| Scatter::of(511, 511, []).with_lattice((255.0, 255.0), [v, w]);
        let dense = whole().closer(&scatter((16.0, 3.0), (-3.0, 16.0)));
        assert!(dense.between((16.0, 3.0), (-3.0, 16.0)) >= LEAST_DOTS);
        assert!(dense.width < 511.0 && dense.width > 200.0, "{}", dense.width);
        let (x, y) = dense.place((255.0, 255.0));
        assert!((x - 0.5).abs() < 0.01 && (y - 0.5).abs() < 0.01, "the origin is in the middle");
        // What can be seen stays whole, and so does what has no lattice.
        assert!((whole().closer(&scatter((64.0, 0.0), (0.0, 64.0))).width - 511.0).abs() < 1e-9);
        assert!((whole().closer(&scatter((2.0, 2.0), (4.0, 4.0))).width - 511.0).abs() < 1e-9);
        assert!((whole().closer(&Scatter::of(511, 511, [])).width - 511.0).abs() < 1e-9);
    }

    #[test]
    fn rows_go_down() {
        let area = Rect::new(0, 0, 5, 5);
        let surface = Surface { left: 0.0, top: 0.0, width: 10.0, height: 10.0, area };
        let (top, bottom) = (surface.place((0.0, 0.0)), surface.place((9.0, 9.0)));
        assert_eq!(top, (0.05, 0.95));
        assert!((bottom.0 - 0.95).abs() < 1e-12 && (bottom.1 - 0.05).abs() < 1e-12);
    }
}
