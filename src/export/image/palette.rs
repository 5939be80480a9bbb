//! Colours and markers, by the pen of a curve.
//!
//! The colours are those of Okabe and Ito ("Color Universal Design", 2008),
//! which people with any common colour vision tell apart; yellow is left out
//! because it vanishes on white. Markers differ as well, so that the picture
//! survives a black-and-white printer.

#![allow(clippy::unreadable_literal, reason = "colours are written as RRGGBB")]

use super::Style;
use super::scene::{Ink, Place, Shape};
use crate::figure::pen::{HUES, Pen, SHAPES, Stroke, TINTS};

/// Red, green, blue.
pub(super) type Rgb = (u8, u8, u8);

/// Shades that a heat map tells apart.
pub(super) const SHADES: usize = 9;

/// The colours of a style, as `0xRRGGBB`.
struct Colors {
    paper: u32,
    text: u32,
    faint: u32,
    grid: u32,
    frame: u32,
    muted: u32,
    /// By hue: as it is, then as light or dark as its second and third curve.
    series: [[u32; TINTS]; HUES],
}

const LIGHT: Colors = Colors {
    paper: 0xFFFFFF,
    text: 0x1A202C,
    faint: 0x5F6978,
    grid: 0xE2E6EC,
    frame: 0x949EAC,
    muted: 0xB4BAC4,
    series: [
        [0x0072B2, 0x01446C, 0x46A0E4],
        [0xD55E00, 0x8D3E06, 0xFE955E],
        [0x009E73, 0x08684B, 0x45BC8F],
        [0xCC79A7, 0x984A77, 0x66294D],
        [0x56B4E9, 0x097CAE, 0x035275],
        [0xE69F00, 0x9F6D05, 0x6C4903],
        [0x464646, 0x7E7E7E, 0xA3A3A3],
    ],
};

/// The same hues, as light as a dark ground needs.
const DARK: Colors = Colors {
    paper: 0x14171C,
    text: 0xE2E6EE,
    faint: 0x98A2B2,
    grid: 0x2D333D,
    frame: 0x687282,
    muted: 0x545D6B,
    series: [
        [0x5FAFFF, 0xB3D8FF, 0x1A70BC],
        [0xFF875F, 0xFFC9B7, 0xB9481E],
        [0x50D28C, 0xA8FFD0, 0x0D8F56],
        [0xD787D7, 0xFEB5FD, 0x964B97],
        [0x96E1FF, 0x63ADCA, 0x2F7C97],
        [0xFFB928, 0xC28902, 0x855E05],
        [0xBEBEBE, 0xE8E8E8, 0x808080],
    ],
};

/// Viridis at nine places: lightness rises evenly, for every colour vision and
/// without colour. The same in both styles, as words stand on them.
const VIRIDIS: [u32; SHADES] =
    [0x440154, 0x472C7A, 0x3B518B, 0x2C718E, 0x21908D, 0x27AD81, 0x5CC863, 0xAADC32, 0xFDE725];

/// Outlines on a circle of radius 1, right and down.
const MARKERS: [fn() -> Vec<Place>; SHAPES] = [
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
        Ink::Muted => colors.muted,
        Ink::Series(hue) => colors.series[hue % HUES][0],
        Ink::Tint(hue, tint) => colors.series[hue % HUES][tint % TINTS],
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
    let tints = (0..HUES).flat_map(|hue| (0..TINTS).map(move |tint| Ink::Tint(hue, tint)));
    [Ink::Paper, Ink::Text, Ink::Faint, Ink::Grid, Ink::Frame, Ink::Muted].into_iter().chain(tints)
}

/// The ink of a curve.
pub(super) fn ink(pen: Pen) -> Ink {
    if pen.muted { Ink::Muted } else { Ink::Tint(pen.hue(), pen.lightness()) }
}

/// The marker of a curve at a place: filled for a time that a GPU took, hollow for a
/// prediction, small for a published time.
pub(super) fn marker(pen: Pen, (x, y): Place, radius: f64) -> Vec<Shape> {
    let radius = if pen.stroke == Stroke::Thin { radius * 0.65 } else { radius };
    let outline = MARKERS[pen.shape()]();
    let scaled = |by: f64| outline.iter().map(|(dx, dy)| (x + dx * by, y + dy * by)).collect();
    let area = |by: f64, ink| Shape::Area { places: scaled(by), ink, alpha: 1.0 };
    // A rim of paper keeps markers apart where curves cross.
    let mut shapes = vec![area(radius * 1.3, Ink::Paper), area(radius, ink(pen))];
    if pen.is_hollow() {
        shapes.push(area(radius * 0.55, Ink::Paper));
    }
    if pen.dotted() {
        let dot = if pen.is_hollow() { ink(pen) } else { Ink::Paper };
        shapes.push(area(radius * 0.3, dot));
    }
    shapes
}

/// A star.
pub(super) fn star((x, y): Place, radius: f64, ink: Ink) -> Shape {
    let corner = |index: u32| {
        let far = if index.is_multiple_of(2) { radius } else { radius * 0.45 };
        let angle = (f64::from(index) * 36.0 - 90.0).to_radians();
        (x + far * angle.cos(), y + far * angle.sin())
    };
    Shape::Area { places: (0..10).map(corner).collect(), ink, alpha: 1.0 }
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
