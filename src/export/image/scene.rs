//! A picture as plain shapes, in pixels from the top left corner.

/// What a shape is for, which decides its colour: see [`super::palette`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// The background.
    Paper,
    /// Words that count, and whatever stands for all curves.
    Text,
    /// Words that may be overlooked.
    Faint,
    /// Grid lines.
    Grid,
    /// Frames and axes.
    Frame,
    /// A series, by its style number.
    Series(usize),
    /// A shade of a heat map, below [`super::palette::SHADES`].
    Shade(usize),
    /// Words on that shade.
    OnShade(usize),
}

/// A place: right and down from the top left corner, in pixels.
pub(super) type Place = (f64, f64);

/// Everything to paint, in order, later over earlier.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    /// Width in pixels.
    pub(super) width: u32,
    /// Height in pixels.
    pub(super) height: u32,
    /// The shapes.
    pub(super) shapes: Vec<Shape>,
}

/// One shape.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A line through all of `places`.
    Line {
        /// Corners, at least two.
        places: Vec<Place>,
        /// What it is for.
        ink: Ink,
        /// Its width in pixels.
        width: f64,
    },
    /// A filled area.
    Area {
        /// Corners, at least three.
        places: Vec<Place>,
        /// What it is for.
        ink: Ink,
        /// 0 is invisible, 1 covers.
        alpha: f64,
    },
    /// Words.
    Text(Text),
}

/// Words in one line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Text {
    /// What they say.
    pub(super) words: String,
    /// The anchored end, at half the height of capitals.
    pub(super) at: Place,
    /// Which end that is.
    pub(super) anchor: Anchor,
    /// Font size (the em) in pixels.
    pub(super) size: f64,
    /// What they are for.
    pub(super) ink: Ink,
}

/// Which end of a text is where it is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The start.
    Left,
    /// The middle.
    Middle,
    /// The end.
    Right,
}
