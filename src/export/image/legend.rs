//! The legend: the label of each curve and the provenance of its numbers, above
//! the plot or beside it.

use super::layout::Rect;
use super::palette;
use super::scene::{Anchor, Ink, Place, Shape, Text};
use super::{stroke, text};
use crate::figure::{Figure, Series};
use crate::units::superscript;

/// A legend of known size.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
    /// Font size in pixels.
    size: f64,
    stand: Stand,
}

/// A curve and its words, or words about all curves.
struct Entry<'a> {
    series: Option<&'a Series>,
    words: String,
    /// The same with short names.
    brief: String,
}

/// Where a legend stands.
enum Stand {
    /// Above the plot: offset and lines of each entry.
    Above { rows: usize, entries: Vec<(Place, Vec<String>)> },
    /// To the right of the plot: the lines of each entry, and the longest of them.
    Beside { lines: Vec<Vec<String>>, most: usize },
}

/// Most rows above the plot: with more, the plot would get too flat.
const MOST_ROWS: usize = 3;

/// Most rows of a legend over a narrow picture.
const MOST_OVER: usize = 8;

/// Part of the picture's width that a legend beside the plot may take.
const BESIDE: f64 = 0.34;

/// Where an entry's words begin, over the font size; line and marker go before.
const WORDS_AT: f64 = 3.0;

/// Letters of a legend beside the plot may shrink so far that every entry is there.
const SHRINK: [f64; 6] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5];

/// Most lines of an entry beside the plot.
const MOST_LINES: usize = 3;

impl<'a> Legend<'a> {
    /// The legend of `figure` in `room`, which is the plot's too.
    pub(super) fn of(figure: &'a Figure, room: Rect, size: f64) -> Self {
        let entries = entries(figure);
        if let Some(stand) = above(&entries, room.width(), size) {
            return Self { entries, size, stand };
        }
        // Axis names, ticks and gaps take the rest of the height.
        let height = room.height() - size * 6.0;
        let at = |factor: f64| (size * factor, beside(&entries, room.width(), size * factor));
        let fits = |(size, (lines, _, whole)): &(f64, Wrapped)| {
            *whole && lines.iter().map(Vec::len).sum::<usize>() as f64 * line(*size) <= height
        };
        let (size, (lines, most, _)) =
            SHRINK.map(at).into_iter().find(fits).unwrap_or_else(|| at(SHRINK[SHRINK.len() - 1]));
        Self { entries, size, stand: Stand::Beside { lines, most } }
    }

    /// The legend above the plot, however high it gets: a narrow picture has no room beside it.
    pub(super) fn over(figure: &'a Figure, room: Rect, size: f64) -> Self {
        let mut entries = entries(figure);
        // The foot says it too.
        entries.retain(|entry| entry.series.is_some());
        if let Some(stand) = above(&entries, room.width(), size) {
            return Self { entries, size, stand };
        }
        let (mut stand, mut named) = stacked(&entries, room, size);
        // Where all numbers are of one kind, the foot says the rest of where they are from.
        let one_kind = figure.series.windows(2).all(|it| it[0].provenance == it[1].provenance);
        if named < entries.len() && one_kind {
            for entry in &mut entries {
                entry.brief = entry.series.map_or_else(String::new, |it| it.brief.clone());
                entry.words = superscript(&entry.brief).into_owned();
            }
            if let Some(stand) = above(&entries, room.width(), size) {
                return Self { entries, size, stand };
            }
            (stand, named) = stacked(&entries, room, size);
        }
        if named < entries.len() {
            entries.truncate(named);
            // The row that counts the others belongs to no curve.
            entries.push(Entry { series: None, words: String::new(), brief: String::new() });
        }
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
            Stand::Beside { most, .. } => {
                (WORDS_AT + 1.0) * self.size + most as f64 * text::ADVANCE * self.size
            }
        }
    }

    /// Draws it with its top left corner at (`x`, `y`), at most `height`
    /// pixels high.
    pub(super) fn draw(&self, shapes: &mut Vec<Shape>, (x, y): Place, height: f64) {
        match &self.stand {
            Stand::Above { entries, .. } => {
                for (entry, ((dx, dy), lines)) in self.entries.iter().zip(entries) {
                    self.entry(shapes, entry.series, lines, (x + dx, y + dy));
                }
            }
            Stand::Beside { lines, .. } => {
                self.column(shapes, (x + self.size, y), height, lines);
            }
        }
    }

    /// One entry under the other; only as many as there is room for.
    fn column(&self, shapes: &mut Vec<Shape>, (x, top): Place, height: f64, all: &[Vec<String>]) {
        let room = (height / line(self.size) + 1e-9) as usize;
        let whole = all.iter().map(Vec::len).sum::<usize>() <= room;
        // Of entries that have no room the last line tells.
        let mut left = if whole { room } else { room.saturating_sub(1) };
        let mut y = top + line(self.size) / 2.0;
        let mut shown = 0;
        for (entry, lines) in self.entries.iter().zip(all) {
            if lines.len() > left {
                break;
            }
            self.entry(shapes, entry.series, lines, (x, y));
            y += lines.len() as f64 * line(self.size);
            left -= lines.len();
            shown += 1;
        }
        if shown < all.len() {
            let more = format!("… and {} more", all.len() - shown);
            self.words(shapes, &more, (x, y), Ink::Faint);
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

/// What all curves share, and each curve.
fn entries(figure: &Figure) -> Vec<Entry<'_>> {
    let common = common_provenance(&figure.series);
    let of_series = |series| {
        let named = |label: &String| match common {
            Some(_) => superscript(label).into_owned(),
            None => superscript(&with_provenance(label, series)).into_owned(),
        };
        let [words, brief] = [&series.label, &series.brief].map(named);
        Entry { series: Some(series), words, brief }
    };
    let listed = figure.order().into_iter().filter_map(|index| figure.series.get(index));
    // What is said of all curves comes first, so that it is never left out.
    let shared = common.map(|words| Entry {
        series: None,
        words: words.to_owned(),
        brief: words.to_owned(),
    });
    shared.into_iter().chain(listed.map(of_series)).collect()
}

/// Lines of each entry, the longest of them, and whether no entry is cut.
type Wrapped = (Vec<Vec<String>>, usize, bool);

/// The entries one under the other in their part of `width`.
fn beside(entries: &[Entry], width: f64, size: f64) -> Wrapped {
    let room = text::fitting(width * BESIDE - (WORDS_AT + 1.0) * size, size);
    // All or none: beside a long name, a short one looks like another kind of thing.
    let shorten = entries.iter().any(|entry| entry.words.chars().count() > room);
    let mut whole = true;
    let lines: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let words = if shorten { &entry.brief } else { &entry.words };
            let lines = text::wrap(words, room, MOST_LINES, "  ");
            whole &= lines.join(" ").split_whitespace().eq(words.split_whitespace());
            lines
        })
        .collect();
    let most = lines.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
    (lines, most, whole)
}

/// Distance between lines in pixels.
fn line(size: f64) -> f64 {
    size * text::LEADING
}

/// Entries side by side, as many rows as it takes; nothing if that is too many.
fn above(entries: &[Entry], width: f64, size: f64) -> Option<Stand> {
    let (mut x, mut rows) = (0.0, 1);
    let mut placed = Vec::new();
    for entry in entries {
        let words_at = if entry.series.is_some() { WORDS_AT * size } else { 0.0 };
        let own = words_at + text::width(&entry.words, size);
        if x > 0.0 && x + own > width {
            x = 0.0;
            rows += 1;
        }
        if own > width || rows > MOST_ROWS {
            return None;
        }
        placed.push(((x, (rows as f64 - 0.5) * line(size)), vec![entry.words.clone()]));
        x += own + 2.5 * size;
    }
    Some(Stand::Above { rows, entries: placed })
}

/// Entries one under the other above the plot, over its whole width, each in as many lines as
/// it takes; and how many of them have room. For the others there is a row more.
fn stacked(entries: &[Entry], room: Rect, size: f64) -> (Stand, usize) {
    let most = text::fitting(room.width() - WORDS_AT * size, size);
    let lines = |entry: &Entry| {
        let words = if entry.words.chars().count() > most { &entry.brief } else { &entry.words };
        text::wrap(words, most, MOST_LINES, "  ")
    };
    let all: Vec<Vec<String>> = entries.iter().map(lines).collect();
    let whole = all.iter().map(Vec::len).sum::<usize>() <= MOST_OVER;
    let (mut rows, mut placed) = (0, Vec::new());
    for lines in all {
        if !whole && rows + lines.len() > MOST_OVER - 1 {
            break;
        }
        let at = (0.0, (rows as f64 + 0.5) * line(size));
        rows += lines.len();
        placed.push((at, lines));
    }
    let named = placed.len();
    if named < entries.len() {
        let words = format!("… and {} more", entries.len() - named);
        placed.push(((0.0, (rows as f64 + 0.5) * line(size)), vec![words]));
        rows += 1;
    }
    (Stand::Above { rows, entries: placed }, named)
}

/// Provenance and device, if all curves agree in them.
fn common_provenance(series: &[Series]) -> Option<&str> {
    let (first, rest) = series.split_first()?;
    let agree = rest.iter().all(|other| other.provenance_label == first.provenance_label);
    agree.then_some(first.provenance_label.as_str())
}

/// The label, and whatever the provenance of its series adds to it.
fn with_provenance(label: &str, series: &Series) -> String {
    let mut full = label.to_owned();
    for part in series.provenance_label.split(" · ") {
        if !label.split(" · ").any(|told| told == part) {
            full.push_str(" · ");
            full.push_str(part);
        }
    }
    full
}
