//! Curves over two axes, with their bands and markers, and the legend above
//! the plot or, if it is long, to the right of it.

use super::frame::Frame;
use super::layout::{Page, Rect};
use super::legend::Legend;
use super::scene::{Place, Shape};
use super::{palette, stroke};
use crate::figure::{Figure, Series};

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, figure: &Figure) {
    if figure.is_empty() {
        page.nothing("nothing to draw: no case has a time");
        return;
    }
    let body = page.sizes.body;
    page.room.top += body * 0.5;
    let room = page.room;
    let legend = if page.is_narrow {
        Legend::over(figure, room, body)
    } else {
        Legend::of(figure, room, body * 0.95)
    };
    if legend.height() > 0.0 {
        legend.draw(&mut page.shapes, (room.left, room.top), legend.height());
        page.room.top += legend.height() + body * 0.5;
    }
    let room = Rect { right: room.right - legend.width(), ..page.room };
    let (x, y) = ((&figure.x, figure.x_range()), (&figure.y, figure.y_range()));
    let frame = Frame::draw(page, room, x, y);
    let chart = Chart { figure, frame, body, lit: None };
    chart.bands(page);
    chart.curves(page);
    if legend.width() > 0.0 {
        let rect = frame.rect;
        legend.draw(&mut page.shapes, (rect.right, rect.top), rect.height());
    }
}

/// What lies between the axes.
pub(super) struct Chart<'a> {
    pub(super) figure: &'a Figure,
    pub(super) frame: Frame<'a>,
    /// Size of letters, in proportion to which curves are drawn.
    pub(super) body: f64,
    /// Index of the curve that stands out.
    pub(super) lit: Option<usize>,
}

impl Chart<'_> {
    /// Interquartile ranges: an area between neighbours, a bar where a point
    /// has no neighbour.
    pub(super) fn bands(&self, page: &mut Page) {
        let alpha = if self.figure.series.len() > 6 { 0.12 } else { 0.22 };
        for series in &self.figure.series {
            if series.pen.muted {
                continue;
            }
            let ink = palette::ink(series.pen);
            let edges = |index: usize| -> Option<(Place, Place)> {
                let point = series.points.get(index)?;
                let (low, high) = point.band?;
                Some((self.frame.place(point.x, low)?, self.frame.place(point.x, high)?))
            };
            let mut joined = false;
            for index in 0..series.points.len() {
                let Some((low, high)) = edges(index) else { continue };
                let next = edges(index + 1);
                if let Some((next_low, next_high)) = next {
                    let places = vec![low, high, next_high, next_low];
                    page.shapes.push(Shape::Area { places, ink, alpha });
                } else if !joined {
                    page.line(vec![low, high], ink, (self.body * 0.1).max(1.0));
                }
                joined = next.is_some();
            }
        }
    }

    pub(super) fn curves(&self, page: &mut Page) {
        let many = self.figure.series.len() > 6;
        let radius = self.body * if many { 0.24 } else { 0.3 };
        let places = |series: &Series| -> Vec<Place> {
            series.points.iter().filter_map(|point| self.frame.place(point.x, point.y)).collect()
        };
        // Grey curves lie under the others, the lit one over them.
        let mut upwards: Vec<(usize, &Series)> = self.figure.series.iter().enumerate().collect();
        upwards.sort_by_key(|(index, series)| (self.lit == Some(*index), !series.pen.muted));
        for (index, series) in &upwards {
            let width = (self.body * if many { 0.09 } else { 0.13 }).max(1.2);
            let width = if self.lit == Some(*index) { width * 2.2 } else { width };
            page.shapes.extend(stroke::line(&places(series), series.pen, width));
        }
        for (_, series) in upwards {
            let radius = if series.pen.muted { radius * 0.7 } else { radius };
            for place in places(series) {
                page.shapes.extend(palette::marker(series.pen, place, radius));
            }
        }
    }
}
