//! The layout of a picture, from top to bottom:
//!
//! ```text
//! title
//! what all of it shares
//! curves, an output, a map, a ladder, or a roofline
//! provenance and device
//! command that makes the numbers again
//! ```

use std::borrow::Cow;

use super::scene::{Anchor, Ink, Place, Scene, Shape, Text};
use super::text::{self, LEADING};
use super::{Size, Wording, chart, ladder, output, roofline, step, tune};
use crate::figure::{self, Picture, Words};
use crate::units::superscript;

/// Font sizes and distances, all in proportion to the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) title: f64,
    pub(super) body: f64,
    pub(super) small: f64,
    pub(super) margin: f64,
}

impl Sizes {
    fn of(size: Size) -> Self {
        let by_width = f64::from(size.width()) / 1600.0;
        let by_height = f64::from(size.height()) / 1000.0;
        // Small pictures keep letters of about 11 pixels: legible beats
        // proportional.
        let scale = by_width.min(by_height).max(0.3) * size.letters();
        let body = (21.0 * scale).max(11.0);
        if size.wording == Wording::Narrow {
            return Self { title: body, body, small: body, margin: body * 0.6 };
        }
        Self { title: body * 1.65, body, small: (body * 0.8).max(10.0), margin: body * 1.5 }
    }
}

/// A rectangle in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rect {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Rect {
    pub(super) fn width(self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(self) -> f64 {
        self.bottom - self.top
    }

    /// The rectangle without a border of width `by`.
    pub(super) fn inset(self, by: f64) -> Self {
        let Self { left, top, right, bottom } = self;
        Self { left: left + by, top: top + by, right: right - by, bottom: bottom - by }
    }

    /// Its middle.
    pub(super) fn middle(self) -> Place {
        (f64::midpoint(self.left, self.right), f64::midpoint(self.top, self.bottom))
    }

    /// Its corners, clockwise.
    pub(super) fn corners(self) -> Vec<Place> {
        let Self { left, top, right, bottom } = self;
        vec![(left, top), (right, top), (right, bottom), (left, bottom)]
    }
}

/// Lays `picture` out on paper of `size`.
pub(super) fn lay_out(picture: &Picture, size: Size) -> Scene {
    let mut page = Page::of(picture, size);
    match picture {
        Picture::Chart(figure) => chart::draw(&mut page, figure),
        Picture::Output(shown) => output::draw(&mut page, shown),
        Picture::Tune(map) => tune::draw(&mut page, map),
        Picture::Ladder(shown) => ladder::draw(&mut page, shown),
        Picture::Step(shown) => step::draw(&mut page, shown),
        Picture::Counters(kernels) => roofline::draw(&mut page, &kernels.roofline),
    }
    Scene { width: size.width(), height: size.height(), shapes: page.shapes }
}

/// Shapes so far, and the room that is left for others.
pub(super) struct Page {
    pub(super) shapes: Vec<Shape>,
    pub(super) sizes: Sizes,
    /// Between head and foot.
    pub(super) room: Rect,
    /// Whether it is a narrow column.
    pub(super) is_narrow: bool,
}

impl Page {
    /// A page without words.
    pub(super) fn blank(room: Rect, body: f64) -> Self {
        let sizes = Sizes { title: body, body, small: body, margin: 0.0 };
        Self { shapes: Vec::new(), sizes, room, is_narrow: false }
    }

    /// Head and foot of a picture.
    fn of(picture: &Picture, size: Size) -> Self {
        let sizes = Sizes::of(size);
        let (width, height) = (f64::from(size.width()), f64::from(size.height()));
        let inner = width - 2.0 * sizes.margin;
        let room = Rect {
            left: sizes.margin,
            top: sizes.margin,
            right: width - sizes.margin,
            bottom: height - sizes.margin,
        };
        let is_narrow = size.wording == Wording::Narrow;
        let mut page = Self { shapes: Vec::new(), sizes, room, is_narrow };
        let words = picture.words();
        let (title, subtitle) = match size.wording {
            Wording::Brief => (sizes.body * 1.15, sizes.small),
            Wording::Full | Wording::Bare => (sizes.title, sizes.body * 0.9),
            Wording::Narrow => (sizes.title, sizes.body),
        };
        if !size.is_bare() {
            page.lines(words.title, inner, 2, title, Ink::Text);
            page.room.top += sizes.body * 0.2;
        }
        let most = if page.is_narrow { 4 } else { 2 };
        page.lines(words.subtitle, inner, most, subtitle, Ink::Faint);
        // What is not a curve says more below, where it has more room.
        let narrow = if page.is_narrow { 3 } else { 2 };
        let (lines, band) = match picture {
            Picture::Chart(figure) if figure.has_bands() => (narrow, "; band: interquartile range"),
            Picture::Chart(_) => (narrow, ""),
            _ if size.wording == Wording::Brief => (2, ""),
            _ => (3, ""),
        };
        page.foot(words, lines, band, size.wording == Wording::Full);
        page
    }

    pub(super) fn text(&mut self, words: String, at: Place, anchor: Anchor, size: f64, ink: Ink) {
        self.shapes.push(Shape::Text(Text { words: set(words), at, anchor, size, ink }));
    }

    /// Words where no others stand; elsewhere none.
    pub(super) fn text_if_free(
        &mut self,
        words: String,
        at: Place,
        anchor: Anchor,
        size: f64,
        ink: Ink,
    ) {
        let text = Text { words: set(words), at, anchor, size, ink };
        let (left, top, right, bottom) = text.bounds();
        let meets = |shape: &Shape| match shape {
            Shape::Text(other) => {
                let (l, t, r, b) = other.bounds();
                left < r && l < right && top < b && t < bottom
            }
            _ => false,
        };
        if !self.shapes.iter().any(meets) {
            self.shapes.push(Shape::Text(text));
        }
    }

    pub(super) fn line(&mut self, places: Vec<Place>, ink: Ink, width: f64) {
        self.shapes.push(Shape::Line { places, ink, width });
    }

    /// A filled rectangle.
    pub(super) fn fill(&mut self, rect: Rect, ink: Ink) {
        self.shapes.push(Shape::Area { places: rect.corners(), ink, alpha: 1.0 });
    }

    /// The outline of a rectangle.
    pub(super) fn outline(&mut self, rect: Rect, ink: Ink, width: f64) {
        let mut corners = rect.corners();
        // Once around and over the first edge again, so that every corner is joined.
        corners.extend([(rect.left, rect.top), (rect.right, rect.top)]);
        self.line(corners, ink, width);
    }

    /// Words in the middle of the room, where there is nothing to draw.
    pub(super) fn nothing(&mut self, words: &str) {
        let size = self.sizes.body * 1.2;
        let words = text::cut(words, text::fitting(self.room.width(), size));
        self.text(words, self.room.middle(), Anchor::Middle, size, Ink::Faint);
    }

    /// Words from the left margin down, and the room below them.
    fn lines(&mut self, words: &str, width: f64, most: usize, size: f64, ink: Ink) {
        for line in text::wrap(words, text::fitting(width, size), most, "") {
            let at = (self.room.left, self.room.top + size * LEADING / 2.0);
            self.text(line, at, Anchor::Left, size, ink);
            self.room.top += size * LEADING;
        }
    }

    /// Code as it stands: without powers, and moved by its indent, which SVG would drop.
    pub(super) fn code(&mut self, words: &str, (left, y): Place, size: f64, ink: Ink) {
        let start = words.len() - words.trim_start().len();
        let (indent, words) = words.split_at(start);
        if !words.is_empty() {
            let (words, at) = (words.to_owned(), (left + text::width(indent, size), y));
            self.shapes.push(Shape::Text(Text { words, at, anchor: Anchor::Left, size, ink }));
        }
    }

    /// The lines below the picture: provenance, and the commands if there is room for all
    /// of them.
    fn foot(&mut self, words: Words, caption_lines: usize, band: &str, with_commands: bool) {
        let size = self.sizes.small;
        let most = text::fitting(self.room.width(), size);
        let caption = superscript(&format!("{}{band}", words.caption)).into_owned();
        let caption = text::wrap(&caption, most, caption_lines, "  ");
        let mut lines: Vec<(String, f64, Ink)> =
            caption.into_iter().map(|line| (line, size, Ink::Text)).collect();
        if with_commands && !words.command.is_empty() {
            let room = self.room.height() * MOST_COMMANDS;
            let wrapped = [1.0, 0.85, 0.7].into_iter().find_map(|factor| {
                let size = (size * factor).max(LEAST_SIZE);
                let lines = figure::wrapped(words.command, text::fitting(self.room.width(), size))?;
                (lines.len() as f64 * size * LEADING <= room).then_some((lines, size))
            });
            match wrapped {
                Some((commands, size)) => {
                    lines.extend(commands.into_iter().map(|line| (line, size, Ink::Faint)));
                }
                None => lines.push((text::cut(IN_THE_FILE, most), size, Ink::Faint)),
            }
        }
        let high: f64 = lines.iter().map(|(_, size, _)| size * LEADING).sum();
        self.room.bottom -= high;
        let mut y = self.room.bottom;
        for (words, size, ink) in lines {
            let at = (self.room.left, y + size * LEADING / 2.0);
            // Not set: a command is typed as it stands.
            self.shapes.push(Shape::Text(Text { words, at, anchor: Anchor::Left, size, ink }));
            y += size * LEADING;
        }
    }
}

/// The words with powers set as such.
fn set(words: String) -> String {
    match superscript(&words) {
        Cow::Owned(set) => set,
        Cow::Borrowed(_) => words,
    }
}

/// Part of the picture's height that commands may take.
const MOST_COMMANDS: f64 = 0.28;

/// Smallest letters of a command in pixels.
const LEAST_SIZE: f64 = 9.0;

/// Said where the commands have no room.
const IN_THE_FILE: &str = "commands: in the description inside this file";
