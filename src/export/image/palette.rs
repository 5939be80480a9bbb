//! Colours and markers, by the style number of a series.
//!
//! The colours are those of Okabe and Ito ("Color Universal Design", 2008),
//! which people with any common colour vision tell apart; yellow is left out
//! because it vanishes on white. Markers differ as well, so that the picture
//! survives a black-and-white printer.

#![allow(clippy::unreadable_literal, reason = "colours are written as RRGGBB")]

use super::Style;
use super::scene::{Ink, Place, Shape};
use crate::figure::Series;

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

/// Series that differ in colour.
pub(super) const COLORS: usize = 7;

/// Shades that a heat map tells apart.
pub(super) const SHADES: usize = 9;

/// The colours of a style, as `0xRRGGBB`.
struct Colors {
    paper: u32,
    text: u32,
    faint: u32,
    grid: u32,
    frame: u32,
    series: [u32; COLORS],
}

const LIGHT: Colors = Colors {
    paper: 0xFFFFFF,
    text: 0x1A202C,
    faint: 0x5F6978,
    grid: 0xE2E6EC,
    frame: 0x949EAC,
    series: [0x0072B2, 0xD55E00, 0x009E73, 0xCC79A7, 0x56B4E9, 0xE69F00, 0x464646],
};

/// The same hues, as light as a dark ground needs.
const DARK: Colors = Colors {
    paper: 0x14171C,
    text: 0xE2E6EE,
    faint: 0x98A2B2,
    grid: 0x2D333D,
    frame: 0x687282,
    series: [0x5FAFFF, 0xFF875F, 0x50D28C, 0xD787D7, 0x96E1FF, 0xFFB928, 0xBEBEBE],
};

/// Viridis at nine places: lightness rises evenly, for every colour vision and
/// without colour. The same in both styles, as words stand on them.
const VIRIDIS: [u32; SHADES] =
    [0x440154, 0x472C7A, 0x3B518B, 0x2C718E, 0x21908D, 0x27AD81, 0x5CC863, 0xAADC32, 0xFDE725];

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
    let color = match ink {
        Ink::Paper => colors.paper,
        Ink::Text => colors.text,
        Ink::Faint => colors.faint,
        Ink::Grid => colors.grid,
        Ink::Frame => colors.frame,
        Ink::Series(index) => colors.series[index % COLORS],
        Ink::Shade(level) => VIRIDIS[level.min(SHADES - 1)],
        // Near black or near white, whichever stands out, and neither of them a
        // colour of anything else.
        Ink::OnShade(level) if level < 4 => 0xFCFCFC,
        Ink::OnShade(_) => 0x0C0C0C,
    };
    let [_, red, green, blue] = color.to_be_bytes();
    (red, green, blue)
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

/// A thick cross, turned by `degrees`: one arm in four directions.
fn cross(degrees: f64) -> Vec<Place> {
    let (far, near) = (1.2, 0.42);
    let arm = [(near, near), (far, near), (far, -near)];
    let arms = (0..4).flat_map(|quarter| {
        let (sin, cos) = (degrees - 90.0 * f64::from(quarter)).to_radians().sin_cos();
        arm.map(|(x, y)| (x * cos - y * sin, x * sin + y * cos))
    });
    arms.collect()
}
