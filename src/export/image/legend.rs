//! The legend: the label of each curve and the provenance of its numbers, above
//! the plot or beside it.

use super::palette;
use super::scene::{Anchor, Ink, Place, Shape, Text};
use super::{stroke, text};
use crate::figure::{Figure, Series};

/// A legend of known size.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    /// Font size in pixels.
    size: f64,
    stand: Stand,
}

/// A curve and its words, or words about all curves.
type Entry<'a> = (Option<&'a Series>, String);

/// Where a legend stands.
enum Stand {
    /// Above the plot; the offset of each entry.
    Above { rows: usize, offsets: Vec<Place> },
    /// To the right of the plot, with lines of at most this many characters.
    Beside { most: usize },
}

/// Most rows above the plot: with more, the plot would get too flat.
const MOST_ROWS: usize = 3;

/// Part of the picture's width that a legend beside the plot may take.
const BESIDE: f64 = 0.34;

/// Where an entry's words begin, over the font size; line and marker go before.
const WORDS_AT: f64 = 3.0;

impl<'a> Legend<'a> {
    /// The legend of `figure` in `width` pixels.
    pub(super) fn of(figure: &'a Figure, width: f64, size: f64) -> Self {
        let common = common_provenance(&figure.series);
        let of_series = |series: &'a Series| {
            let words = if common.is_some() { series.label.clone() } else { full_label(series) };
            (Some(series), words)
        };
        let listed = figure.order().into_iter().filter_map(|index| figure.series.get(index));
        let mut entries: Vec<Entry<'a>> = listed.map(of_series).collect();
        entries.extend(common.map(|words| (None, words.to_owned())));
        let stand = above(&entries, width, size).unwrap_or_else(|| {
            let longest = entries.iter().map(|(_, words)| words.chars().count()).max();
            let room = text::fitting(width * BESIDE - (WORDS_AT + 1.0) * size, size);
            Stand::Beside { most: room.min(longest.unwrap_or(0)) }
        });
        Self { entries, size, stand }
    }

    /// Height above the plot in pixels.
    pub(super) fn height(&self) -> f64 {
        match self.stand {
            Stand::Above { rows, .. } => rows as f64 * line(self.size),
            Stand::Beside { .. } => 0.0,
        }
    }

    /// Width beside the plot in pixels, its gap included.
    pub(super) fn width(&self) -> f64 {
        match self.stand {
            Stand::Above { .. } => 0.0,
            Stand::Beside { most } => {
                (WORDS_AT + 1.0) * self.size + most as f64 * text::ADVANCE * self.size
            }
        }
    }

    /// Draws it with its top left corner at (`x`, `y`), at most `height`
    /// pixels high.
    pub(super) fn draw(&self, shapes: &mut Vec<Shape>, (x, y): Place, height: f64) {
        match &self.stand {
            Stand::Above { offsets, .. } => {
                for ((series, words), (dx, dy)) in self.entries.iter().zip(offsets) {
                    self.entry(shapes, *series, std::slice::from_ref(words), (x + dx, y + dy));
                }
            }
            Stand::Beside { most } => self.column(shapes, (x + self.size, y), height, *most),
        }
    }

    /// One entry under the other: on several lines each if there is room, else
    /// cut to one line, and only as many as there is room for.
    fn column(&self, shapes: &mut Vec<Shape>, (x, top): Place, height: f64, most: usize) {
        let room = (height / line(self.size)) as usize;
        let on_lines = |lines: usize| -> Vec<Vec<String>> {
            let wrap = |entry: &Entry| text::wrap(shortened(entry, most), most, lines, "  ");
            self.entries.iter().map(wrap).collect()
        };
        let fits = |wrapped: &Vec<Vec<String>>| wrapped.iter().map(Vec::len).sum::<usize>() <= room;
        let wrapped = [3, 2].map(on_lines).into_iter().find(fits).unwrap_or_else(|| on_lines(1));
        // What is said of all curves comes first, so that it is never left out.
        let (of_all, of_one): (Vec<_>, Vec<_>) =
            self.entries.iter().zip(wrapped).partition(|((series, _), _)| series.is_none());
        let all = of_one.len();
        let shown =
            if all + of_all.len() <= room { all } else { room.saturating_sub(1 + of_all.len()) };
        let mut y = top + line(self.size) / 2.0;
        for ((series, _), lines) in of_all.iter().chain(of_one.iter().take(shown)) {
            self.entry(shapes, *series, lines, (x, y));
            y += lines.len() as f64 * line(self.size);
        }
        if shown < all {
            self.words(shapes, &format!("… and {} more", all - shown), (x, y), Ink::Faint);
        }
    }

    fn entry(
        &self,
        shapes: &mut Vec<Shape>,
        series: Option<&Series>,
        lines: &[String],
        (x, y): Place,
    ) {
        let (mut words_at, mut ink) = (x, Ink::Faint);
        if let Some(series) = series {
            let (end, width) = (x + 2.2 * self.size, self.size * 0.13);
            let places = vec![(x, y), (end, y)];
            shapes.extend(stroke::line(&places, series.pen, width));
            let middle = (f64::midpoint(x, end), y);
            shapes.extend(palette::marker(series.pen, middle, self.size * 0.34));
            (words_at, ink) = (x + WORDS_AT * self.size, Ink::Text);
        }
        for (index, words) in lines.iter().enumerate() {
            self.words(shapes, words, (words_at, y + index as f64 * line(self.size)), ink);
        }
    }

    fn words(&self, shapes: &mut Vec<Shape>, words: &str, at: Place, ink: Ink) {
        let words = words.to_owned();
        shapes.push(Shape::Text(Text { words, at, anchor: Anchor::Left, size: self.size, ink }));
    }
}

/// Distance between lines in pixels.
fn line(size: f64) -> f64 {
    size * text::LEADING
}

/// Entries side by side, as many rows as it takes; nothing if that is too many.
fn above(entries: &[Entry], width: f64, size: f64) -> Option<Stand> {
    let (mut x, mut rows) = (0.0, 1);
    let mut offsets = Vec::new();
    for (series, words) in entries {
        let words_at = if series.is_some() { WORDS_AT * size } else { 0.0 };
        let own = words_at + text::width(words, size);
        if x > 0.0 && x + own > width {
            x = 0.0;
            rows += 1;
        }
        if own > width || rows > MOST_ROWS {
            return None;
        }
        offsets.push((x, (rows as f64 - 0.5) * line(size)));
        x += own + 2.5 * size;
    }
    Some(Stand::Above { rows, offsets })
}

/// The words of an entry; in brief if they are longer than `most` characters.
fn shortened<'a>((series, words): &'a Entry, most: usize) -> &'a str {
    match series {
        Some(series) if words.chars().count() > most => &series.brief,
        _ => words,
    }
}

/// Provenance and device, if all curves agree in them.
fn common_provenance(series: &[Series]) -> Option<&str> {
    let (first, rest) = series.split_first()?;
    let agree = rest.iter().all(|other| other.provenance_label == first.provenance_label);
    agree.then_some(first.provenance_label.as_str())
}

/// The label, and whatever the provenance adds to it.
fn full_label(series: &Series) -> String {
    let mut label = series.label.clone();
    for part in series.provenance_label.split(" · ") {
        if !series.label.split(" · ").any(|told| told == part) {
            label.push_str(" · ");
            label.push_str(part);
        }
    }
    label
}
