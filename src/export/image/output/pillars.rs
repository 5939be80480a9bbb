//! Bars that stand side by side: counts per bin, a value per block, sizes of
//! partitions.

use super::super::frame::{Frame, Shown};
use super::super::layout::{Page, Rect};
use super::super::scene::{Ink, Place};
use super::{linear, places};
use crate::figure::view::bars::Bars;
use crate::figure::view::bins::Bins;
use crate::figure::{Axis, Unit};
use crate::units::decimal;

/// Bars with what they stand for.
pub(super) struct Pillars<'a> {
    /// Name of the horizontal axis.
    pub(super) x: String,
    /// Name of the vertical axis.
    pub(super) y: String,
    /// Height of each bar; none is a gap.
    pub(super) heights: &'a [Option<f64>],
    /// Neighbours that each bar stands for.
    pub(super) per_bar: u64,
    /// How many there are in all; the last bar may stand for fewer.
    pub(super) count: u64,
    /// A line across all of them, with its name.
    pub(super) even: Option<(f64, &'static str)>,
}

impl Pillars<'_> {
    /// Draws them into `room`.
    pub(super) fn draw(&self, page: &mut Page, room: Rect) {
        if self.heights.is_empty() {
            page.nothing("nothing to draw: there are none");
            return;
        }
        let x = places(self.x.clone(), self.count);
        let y: Axis = linear(self.y.clone(), Unit::Number);
        let even = self.even.map(|(value, _)| value);
        let y_range = y.range(self.heights.iter().copied().flatten().chain(even));
        let x_range = (-0.5, self.count as f64 - 0.5);
        let shown = |axis, range| Shown { axis, range };
        let frame = Frame::draw(page, room, shown(&x, x_range), shown(&y, y_range));
        // A gap between bars that are wide enough for one.
        let wide = frame.rect.width() / self.heights.len() as f64;
        let gap = if wide > 3.0 { wide * 0.15 } else { 0.0 };
        for (index, height) in (0u64..).zip(self.heights) {
            let Some(height) = height else { continue };
            let from = index * self.per_bar;
            let to = (from + self.per_bar).min(self.count);
            let corner = |x: u64, y: f64| frame.place(x as f64 - 0.5, y);
            let Some((from, to)) = corner(from, 0.0).zip(corner(to, *height)) else { continue };
            let rect = Rect {
                left: from.0 + gap / 2.0,
                top: from.1.min(to.1),
                right: (to.0 - gap / 2.0).max(from.0 + gap / 2.0 + 1.0),
                bottom: from.1.max(to.1),
            };
            page.fill(rect, Ink::Series(0));
        }
        if let Some((value, name)) = self.even {
            self.line(page, &frame, value, name);
        }
    }

    fn line(&self, page: &mut Page, frame: &Frame, value: f64, name: &str) {
        let body = page.sizes.body;
        let ends: Option<Vec<Place>> =
            [-0.5, self.count as f64 - 0.5].into_iter().map(|x| frame.place(x, value)).collect();
        let Some(ends) = ends else { return };
        page.line(ends, Ink::Series(1), body * 0.13);
        // Named above the plot, where no bar is.
        // Written like the counts on the axis, which have no exponent.
        let value = if value < 1e4 { value } else { value.round() };
        frame.note(page, &format!("— {name} {}", decimal(value)));
    }
}

/// Counts per bin with the even share.
pub(super) fn bins(page: &mut Page, bins: &Bins) {
    let per_bar = bins.per_column.max(1);
    let heights = means(&bins.counts, per_bar, bins.bins);
    let share = if per_bar > 1 { format!(", mean of {per_bar} neighbours") } else { String::new() };
    let x = match bins.width {
        Some(width) => format!("bin, each {} wide", decimal(width)),
        None => "bin".to_owned(),
    };
    let even = (bins.bins > 0).then(|| (bins.total as f64 / bins.bins as f64, "even share"));
    Pillars {
        x,
        y: format!("{} per bin{share}", bins.counted()),
        heights: &heights,
        per_bar,
        count: bins.bins,
        even,
    }
    .draw(page, page.room);
}

/// A value per bar.
pub(super) fn bars(page: &mut Page, bars: &Bars) {
    let per_bar = bars.per_column.max(1);
    let share = if per_bar > 1 { format!(", mean of {per_bar} neighbours") } else { String::new() };
    Pillars {
        x: "block".to_owned(),
        y: format!("{}{share}", bars.label),
        heights: &bars.values,
        per_bar,
        count: bars.bars,
        even: None,
    }
    .draw(page, page.room);
}

/// Sums of neighbours as their means.
pub(super) fn means(sums: &[u64], per_bar: u64, count: u64) -> Vec<Option<f64>> {
    (0u64..)
        .zip(sums)
        .map(|(index, sum)| {
            let covered = per_bar.min(count.saturating_sub(index * per_bar)).max(1);
            Some(*sum as f64 / covered as f64)
        })
        .collect()
}
