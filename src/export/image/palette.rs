//! Colours and markers, by the style number of a series.
//!
//! The colours are those of Okabe and Ito ("Color Universal Design", 2008),
//! which people with any common colour vision tell apart; yellow is left out
//! because it vanishes on white. Markers differ as well, so that the picture
//! survives a black-and-white printer.

use super::Style;
use super::scene::{Ink, Place, Shape};
use crate::figure::Series;

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

/// Series that differ in colour.
pub(super) const COLORS: usize = 7;

/// Shades that a heat map tells apart.
pub(super) const SHADES: usize = 9;

/// The colours of a style.
struct Colors {
    paper: Rgb,
    text: Rgb,
    faint: Rgb,
    grid: Rgb,
    frame: Rgb,
    series: [Rgb; COLORS],
}

const LIGHT: Colors = Colors {
    paper: (255, 255, 255),
    text: (26, 32, 44),
    faint: (95, 105, 120),
    grid: (226, 230, 236),
    frame: (148, 158, 172),
    series: [
        (0, 114, 178),
        (213, 94, 0),
        (0, 158, 115),
        (204, 121, 167),
        (86, 180, 233),
        (230, 159, 0),
        (70, 70, 70),
    ],
};

/// The same hues, as light as a dark ground needs.
const DARK: Colors = Colors {
    paper: (20, 23, 28),
    text: (226, 230, 238),
    faint: (152, 162, 178),
    grid: (45, 51, 61),
    frame: (104, 114, 130),
    series: [
        (95, 175, 255),
        (255, 135, 95),
        (80, 210, 140),
        (215, 135, 215),
        (150, 225, 255),
        (255, 185, 40),
        (190, 190, 190),
    ],
};

/// Viridis at nine places: lightness rises evenly, for every colour vision and
/// without colour. The same in both styles, as words stand on them.
const VIRIDIS: [Rgb; SHADES] = [
    (68, 1, 84),
    (71, 44, 122),
    (59, 81, 139),
    (44, 113, 142),
    (33, 144, 141),
    (39, 173, 129),
    (92, 200, 99),
    (170, 220, 50),
    (253, 231, 37),
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

/// The colour of an ink.
pub(super) fn color(ink: Ink, style: Style) -> Rgb {
    let colors = match style {
        Style::Light => &LIGHT,
        Style::Dark => &DARK,
    };
    match ink {
        Ink::Paper => colors.paper,
        Ink::Text => colors.text,
        Ink::Faint => colors.faint,
        Ink::Grid => colors.grid,
        Ink::Frame => colors.frame,
        Ink::Series(index) => colors.series[index % COLORS],
        Ink::Shade(level) => VIRIDIS[level.min(SHADES - 1)],
        // Near black or near white, whichever stands out, and neither of them a
        // colour of anything else.
        Ink::OnShade(level) if level < 4 => (252, 252, 252),
        Ink::OnShade(_) => (12, 12, 12),
    }
}

/// The shade of a value from 0 (lowest) to 1 (highest).
pub(super) fn shade(value: f64) -> usize {
    (value.clamp(0.0, 1.0) * (SHADES - 1) as f64).round() as usize
}

/// Every ink whose colour depends on the style.
pub(super) fn changing() -> impl Iterator<Item = Ink> {
    [Ink::Paper, Ink::Text, Ink::Faint, Ink::Grid, Ink::Frame]
        .into_iter()
        .chain((0..COLORS).map(Ink::Series))
}

/// The marker of a series at a place: filled for a time that a GPU took,
/// hollow for a prediction.
pub(super) fn marker(series: &Series, place: Place, radius: f64) -> Vec<Shape> {
    mark(series.style, series.is_predicted(), place, radius)
}

/// The mark of a style at a place.
pub(super) fn mark(style: usize, hollow: bool, (x, y): Place, radius: f64) -> Vec<Shape> {
    let outline = MARKERS[style % MARKERS.len()]();
    let scaled = |by: f64| outline.iter().map(|(dx, dy)| (x + dx * by, y + dy * by)).collect();
    let area = |by: f64, ink| Shape::Area { places: scaled(by), ink, alpha: 1.0 };
    // A rim of paper keeps markers apart where curves cross.
    let mut shapes = vec![area(radius * 1.3, Ink::Paper), area(radius, Ink::Series(style))];
    if hollow {
        shapes.push(area(radius * 0.5, Ink::Paper));
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
