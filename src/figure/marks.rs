//! What an output view draws, for any medium: panels of four kinds of marks.
//!
//! [`panels`] turns the data of a view into marks with their labels. The
//! screen and the exported pictures draw each kind of mark in one place.

mod views;

use std::ops::Range;

use super::Axis;
use crate::units::{decimal, grouped};

pub use views::panels;

/// A mark and its place in the drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What is drawn.
    pub mark: Mark,
    /// Part of the height, 0 to 1.
    pub share: f64,
    /// Whether the panel is left out where there is no room for all.
    pub optional: bool,
}

/// One kind of drawing.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// Columns side by side, from zero up or down.
    Columns(Columns),
    /// A line over the elements.
    Line(Line),
    /// Cells in shades.
    Grid(Grid),
    /// Points on a surface.
    Points(Points),
}

/// A value per column. `None` is a gap: nothing there is finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Columns {
    /// What tells this panel from another of the view; may be empty.
    pub name: &'static str,
    /// Horizontal axis: the elements.
    pub x: Axis,
    /// Vertical axis: the values.
    pub y: Axis,
    /// Value of each column.
    pub heights: Vec<Option<f64>>,
    /// Elements that a column stands for; the last may stand for fewer.
    pub per_column: f64,
    /// Elements in all.
    pub count: u64,
    /// A horizontal line with its label.
    pub level: Option<(f64, String)>,
    /// Values that the vertical axis must show.
    pub range: Option<(f64, f64)>,
    /// Whether a column is a sample rather than a mean of its elements.
    pub sampled: bool,
    /// Number of the colour.
    pub style: usize,
}

impl Columns {
    /// The elements that a column stands for, as a range.
    pub fn span(&self, column: usize) -> (f64, f64) {
        let from = column as f64 * self.per_column;
        (from, (from + self.per_column).min(self.count as f64))
    }

    /// Lowest and highest of some heights, of what must be shown, and 0.
    pub fn extent(&self, heights: &[Option<f64>]) -> (f64, f64) {
        let level = self.level.as_ref().map(|(value, _)| *value);
        let range = self.range.into_iter().flat_map(|(low, high)| [low, high]);
        let all = heights.iter().copied().flatten().chain(level).chain(range);
        all.fold((0.0, 0.0), |(low, high), value| (low.min(value), high.max(value)))
    }

    /// The heights in at most `most` columns: samples, or means of neighbours.
    pub fn resampled(&self, most: usize) -> Vec<Option<f64>> {
        let held = self.heights.len();
        if self.sampled {
            let used = held.min(most);
            return (0..used).map(|at| self.heights[at * held / used]).collect();
        }
        let group = held.div_ceil(most.max(1)).max(1);
        let mean = |(index, heights): (usize, &[Option<f64>])| {
            let weighted = heights.iter().enumerate().filter_map(|(at, height)| {
                let (from, to) = self.span(index * group + at);
                height.map(|height| (height * (to - from), to - from))
            });
            let (sum, weight) = weighted.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            Some(sum / weight).filter(|mean| mean.is_finite())
        };
        self.heights.chunks(group).enumerate().map(mean).collect()
    }
}

/// A value per element, or the lowest and highest of neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Horizontal axis: the elements.
    pub x: Axis,
    /// Vertical axis: the values.
    pub y: Axis,
    /// Elements in all.
    pub count: u64,
    /// Lines without a gap: element, lowest and highest value of each place.
    pub runs: Vec<Vec<(f64, f64, f64)>>,
    /// Lowest and highest value, and 0.
    pub range: (f64, f64),
    /// Horizontal lines: first element, last element, value.
    pub steps: Vec<(f64, f64, f64)>,
    /// What the steps are; empty without steps.
    pub steps_label: String,
}

/// Rows or columns of a surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// What one is: `column`.
    pub name: &'static str,
    /// How many there are.
    pub count: u64,
}

impl Extent {
    /// Number of the last one.
    pub fn last(self) -> String {
        grouped(self.count.saturating_sub(1))
    }
}

/// Cells in the shades of their values, row by row. `None` has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What runs to the right.
    pub x: Extent,
    /// What runs down, unless there is one row only.
    pub y: Option<Extent>,
    /// Rows of cells.
    pub rows: usize,
    /// Cells per row.
    pub columns: usize,
    /// Value of each cell.
    pub values: Vec<Option<f64>>,
    /// Lowest and highest value.
    pub range: (f64, f64),
    /// Whether values are numbers of categories, written on their cells.
    pub categories: bool,
    /// What lowest and highest value are called: `partition 7`. Empty for
    /// plain numbers.
    pub unit: &'static str,
}

impl Grid {
    /// The value of a cell.
    pub fn value(&self, row: usize, column: usize) -> Option<f64> {
        self.values.get(row * self.columns + column).copied().flatten()
    }

    /// Shade of a value, from 0 (lowest) to 1 (highest).
    pub fn shade(&self, value: f64) -> f64 {
        position(value, self.range).clamp(0.0, 1.0)
    }

    /// Labels of the lowest and highest shade.
    pub fn ends(&self) -> [String; 2] {
        [self.range.0, self.range.1]
            .map(|end| format!("{} {}", self.unit, decimal(end)).trim().to_owned())
    }

    /// What a cell stands for, if it is the mean of several elements.
    pub fn note(&self) -> Option<String> {
        let y = self.y?;
        let [down, across] = [(y, self.rows), (self.x, self.columns)]
            .map(|(extent, cells)| extent.count as f64 / cells.max(1) as f64);
        let size = [down, across].map(|size| decimal((size * 10.0).round() / 10.0)).join(" × ");
        (down > 1.0 || across > 1.0).then(|| format!("a cell is the mean of {size} elements"))
    }

    /// The grid in at most `rows` by `columns` cells: means of neighbours, or
    /// their most frequent category.
    #[must_use]
    pub fn resampled(&self, rows: usize, columns: usize) -> Self {
        let (rows, columns) = (rows.min(self.rows), columns.min(self.columns));
        let part = |at: usize, of: usize, all: usize| -> Range<usize> {
            (at * all).div_ceil(of)..((at + 1) * all).div_ceil(of)
        };
        let mut values = Vec::with_capacity(rows * columns);
        for row in 0..rows {
            for column in 0..columns {
                let across = part(column, columns, self.columns);
                let covered = part(row, rows, self.rows)
                    .flat_map(|row| across.clone().map(move |column| self.value(row, column)));
                values.push(if self.categories { most_frequent(covered) } else { mean(covered) });
            }
        }
        let range = if self.categories { self.range } else { range(&values).unwrap_or(self.range) };
        Self { rows, columns, values, range, ..self.clone() }
    }
}

/// Mean of the values, in range whatever they are.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let mean = values.flatten().fold((0.0, 0.0), |(mean, count), value| {
        let count = count + 1.0;
        (mean + (value / count - mean / count), count)
    });
    (mean.1 > 0.0).then_some(mean.0)
}

/// The value that most are equal to; of equals the first.
fn most_frequent(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<_> = values.collect();
    let count = |value: &Option<f64>| values.iter().filter(|other| *other == value).count();
    values.iter().rev().max_by_key(|value| count(value)).copied().flatten()
}

/// Lowest and highest of the values.
fn range(values: &[Option<f64>]) -> Option<(f64, f64)> {
    let known = || values.iter().copied().flatten();
    known().reduce(f64::min).zip(known().reduce(f64::max))
}

/// Where a value lies in a range, 0 to 1; the middle of an empty range. Halves
/// keep the differences of the largest floats finite.
pub fn position(value: f64, (low, high): (f64, f64)) -> f64 {
    let span = high / 2.0 - low / 2.0;
    if span > 0.0 { (value / 2.0 - low / 2.0) / span } else { 0.5 }
}

/// A place on a surface, or a vector: columns to the right and rows down.
pub type Place = (f64, f64);

/// Points on a surface of pixels, and a lattice of lines through them.
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    /// Columns of the surface.
    pub x: Extent,
    /// Rows of the surface.
    pub y: Extent,
    /// Ordinary points, and what they are.
    pub points: (&'static str, Vec<Place>),
    /// Points with a larger marker, the first on top, and what they are.
    pub marked: (&'static str, Vec<Place>),
    /// A node of the lattice.
    pub origin: Place,
    /// Vectors of the lattice.
    pub vectors: Vec<Place>,
}

/// A part of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
}

impl Window {
    /// Width and height.
    pub fn size(self) -> (f64, f64) {
        (self.right - self.left, self.bottom - self.top)
    }

    /// Whether a place lies inside.
    pub fn contains(self, (x, y): Place) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }
}

/// Most lines of a lattice in one direction.
const MOST_LINES: f64 = 1000.0;

impl Points {
    /// The whole surface.
    pub fn whole(&self) -> Window {
        let (right, bottom) = (self.x.count as f64, self.y.count as f64);
        Window { left: 0.0, top: 0.0, right, bottom }
    }

    /// The part around the origin in which neighbouring lines of the lattice
    /// are at least `least` dots apart, where a window has `dots` dots across
    /// and down. The whole surface where it is large enough, or has no lattice.
    pub fn enlarged(&self, dots: (f64, f64), least: f64) -> Window {
        let whole = self.whole();
        let Some(gap) = self.gap(whole, dots).filter(|gap| *gap < least) else { return whole };
        // A little less than needed, so that rounding does not undo it.
        let part = gap / (least * 1.02);
        let cut = |middle: f64, whole: f64| {
            let size = whole * part;
            let from = (middle - size / 2.0).clamp(0.0, whole - size);
            (from, from + size)
        };
        let (left, right) = cut(self.origin.0, whole.right);
        let (top, bottom) = cut(self.origin.1, whole.bottom);
        Window { left, top, right, bottom }
    }

    /// Dots between neighbouring lines of the lattice: the area of its cell
    /// over the longer side.
    fn gap(&self, window: Window, dots: (f64, f64)) -> Option<f64> {
        let [v, w, ..] = self.vectors[..] else { return None };
        let (width, height) = window.size();
        let scaled = |(x, y): Place| (x * dots.0 / width, y * dots.1 / height);
        let (v, w) = (scaled(v), scaled(w));
        let gap = cross(v, w).abs() / v.0.hypot(v.1).max(w.0.hypot(w.1));
        (gap.is_finite() && gap > 0.0).then_some(gap)
    }

    /// The lines of the lattice in a window, each from end to end. The vectors
    /// alone where lines would be less than `least` dots apart.
    pub fn lattice(&self, window: Window, dots: (f64, f64), least: f64) -> Vec<[Place; 2]> {
        let fits = self.gap(window, dots).is_some_and(|gap| gap >= least);
        let lines = match self.vectors[..] {
            [v, w, ..] if fits => self.lines(v, w, window).zip(self.lines(w, v, window)),
            _ => None,
        };
        if let Some((lines, others)) = lines {
            return lines.into_iter().chain(others).collect();
        }
        let alone = self
            .vectors
            .iter()
            .filter_map(|vector| clipped(self.origin, *vector, (0.0, 1.0), window));
        alone.collect()
    }

    /// The lines along a vector at every multiple of another, unless they are
    /// too many.
    fn lines(&self, along: Place, across: Place, window: Window) -> Option<Vec<[Place; 2]>> {
        let Window { left, top, right, bottom } = window;
        let steps = [(left, top), (right, top), (right, bottom), (left, bottom)].map(|(x, y)| {
            cross((x - self.origin.0, y - self.origin.1), along) / cross(across, along)
        });
        let first = steps.into_iter().fold(f64::INFINITY, f64::min).ceil();
        let last = steps.into_iter().fold(f64::NEG_INFINITY, f64::max).floor();
        let few = last - first < MOST_LINES;
        few.then(|| {
            let line = |index: u32| {
                let step = first + f64::from(index);
                let base = (self.origin.0 + step * across.0, self.origin.1 + step * across.1);
                clipped(base, along, (f64::NEG_INFINITY, f64::INFINITY), window)
            };
            (0..=(last - first).max(0.0) as u32).filter_map(line).collect()
        })
    }
}

fn cross(a: Place, b: Place) -> f64 {
    a.0 * b.1 - a.1 * b.0
}

/// The part inside a window of a line, which is at `base` plus a multiple from
/// `reach` of `along`.
fn clipped(base: Place, along: Place, reach: (f64, f64), window: Window) -> Option<[Place; 2]> {
    let (mut enter, mut leave) = reach;
    for (base, along, low, high) in
        [(base.0, along.0, window.left, window.right), (base.1, along.1, window.top, window.bottom)]
    {
        if along == 0.0 {
            if !(low..=high).contains(&base) {
                return None;
            }
            continue;
        }
        let (a, b) = ((low - base) / along, (high - base) / along);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    // What rounding moves out of the window is moved back.
    let Window { left, top, right, bottom } = window;
    let at = |t: f64| {
        let (x, y) = (base.0 + t * along.0, base.1 + t * along.1);
        (x.clamp(left, right), y.clamp(top, bottom))
    };
    (enter < leave && enter.is_finite() && leave.is_finite()).then(|| [at(enter), at(leave)])
}

/// The panels that fit into `height`, from top to bottom, each with its upper
/// and lower edge. A mark takes at least `least`; where there is no room for
/// all, optional panels are left out.
pub fn stacked(
    panels: &[Panel],
    height: f64,
    least: impl Fn(&Mark) -> f64,
) -> Vec<(&Mark, f64, f64)> {
    let all = panels.iter().all(|panel| panel.share * height >= least(&panel.mark));
    let mut top = 0.0;
    let shown = panels.iter().filter(|panel| all || !panel.optional);
    shown
        .map(|panel| {
            let from = top;
            top = if all { top + panel.share * height } else { height };
            (&panel.mark, from, top)
        })
        .collect()
}

#[cfg(test)]
mod tests;
