//! A picture as plain shapes, in pixels from the top left corner.

/// The purpose of a shape, which decides its colour: see [`super::palette`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// The background.
    Paper,
    /// Main text and lines that stand for all curves.
    Text,
    /// Secondary text.
    Faint,
    /// Grid lines.
    Grid,
    /// Frames and axes.
    Frame,
    /// Curves that are grey because there are too many.
    Muted,
    /// A hue.
    Series(usize),
    /// A hue in one of its lightnesses.
    Tint(usize, usize),
    /// A shade of a heat map, below [`super::palette::SHADES`].
    Shade(usize),
    /// Text on that shade.
    OnShade(usize),
}

/// A place: pixels to the right and down from the top left corner.
pub(super) type Place = (f64, f64);

/// Everything to paint, in order, later over earlier. Sizes are in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) shapes: Vec<Shape>,
}

/// One shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A line of some width through at least two places.
    Line { places: Vec<Place>, ink: Ink, width: f64 },
    /// A filled area with at least three corners; `alpha` is 0 (invisible) to 1.
    Area { places: Vec<Place>, ink: Ink, alpha: f64 },
    /// One line of text.
    Text(Text),
}

/// One line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    pub(super) words: String,
    /// The anchored end, at half the height of capitals.
    pub(super) at: Place,
    pub(super) anchor: Anchor,
    /// Font size (the em) in pixels.
    pub(super) size: f64,
    pub(super) ink: Ink,
}

/// Which part of a text lies at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}
