//! Colours and markers, by the style number of a series.
//!
//! The colours are those of Okabe and Ito ("Color Universal Design", 2008),
//! which people with any common colour vision tell apart; yellow is left out
//! because it vanishes on white. Markers differ as well, so that the picture
//! survives a black-and-white printer.

use super::scene::{Place, Rgb, Shape};
use crate::figure::Series;

pub(super) const PAPER: Rgb = (255, 255, 255);
pub(super) const INK: Rgb = (26, 32, 44);
pub(super) const FAINT_INK: Rgb = (95, 105, 120);
pub(super) const GRID: Rgb = (226, 230, 236);
pub(super) const FRAME: Rgb = (148, 158, 172);

const COLORS: [Rgb; 7] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (230, 159, 0),
    (70, 70, 70),
];

/// Outlines on a circle of radius 1, right and down.
const MARKERS: [fn() -> Vec<Place>; 8] = [
    || turned(3, -90.0, 1.25),
    || turned(24, 0.0, 1.0),
    || turned(4, 45.0, 1.25),
    || turned(4, 0.0, 1.3),
    || turned(3, 90.0, 1.25),
    || cross(0.0),
    || cross(45.0),
    || turned(5, -90.0, 1.15),
];

/// The colour of a style.
pub(super) fn color(style: usize) -> Rgb {
    COLORS[style % COLORS.len()]
}

/// The marker of a series at a place: filled for a time that a GPU took,
/// hollow for a prediction.
pub(super) fn marker(series: &Series, (x, y): Place, radius: f64) -> Vec<Shape> {
    let outline = MARKERS[series.style % MARKERS.len()]();
    let scaled = |by: f64| outline.iter().map(|(dx, dy)| (x + dx * by, y + dy * by)).collect();
    let area = |by: f64, color| Shape::Area { places: scaled(by), color, alpha: 1.0 };
    let color = color(series.style);
    // A rim of paper keeps markers apart where curves cross.
    let mut shapes = vec![area(radius * 1.3, PAPER), area(radius, color)];
    if series.is_predicted() {
        shapes.push(area(radius * 0.5, PAPER));
    }
    shapes
}

/// A regular polygon with a corner at `start` degrees clockwise from right.
fn turned(corners: usize, start: f64, radius: f64) -> Vec<Place> {
    (0..corners)
        .map(|corner| {
            let angle = (start + 360.0 * corner as f64 / corners as f64).to_radians();
            (radius * angle.cos(), radius * angle.sin())
        })
        .collect()
}

/// A thick cross, turned by `degrees`.
fn cross(degrees: f64) -> Vec<Place> {
    let (far, near) = (1.2, 0.42);
    let (sin, cos) = degrees.to_radians().sin_cos();
    [
        (near, near),
        (near, far),
        (-near, far),
        (-near, near),
        (-far, near),
        (-far, -near),
        (-near, -near),
        (-near, -far),
        (near, -far),
        (near, -near),
        (far, -near),
        (far, near),
    ]
    .into_iter()
    .map(|(x, y)| (x * cos - y * sin, x * sin + y * cos))
    .collect()
}
