//! What panels draw with: text, buttons, frames, and notes of what lies where.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, BorderType, Borders, Clear, Widget};

use crate::figure::Axis;
use crate::tui::app::action::Command;
use crate::tui::app::model::Model;
use crate::tui::theme::Theme;
use crate::units::superscript;

/// What was drawn where.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    /// Clickable areas; a later one lies on top.
    pub hits: Vec<Hit>,
    /// Where the chart is.
    pub plot: Option<Plot>,
    /// Where its legend is.
    pub legend: Option<Rect>,
    /// Where the small picture of an export is.
    pub preview: Option<Rect>,
    /// The page that can be scrolled.
    pub page: Option<Page>,
}

/// A page of text that may be longer than its panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The first line that is shown where nobody scrolls.
    pub own: usize,
    /// The first line that is shown.
    pub top: usize,
    /// The first line that is shown at the end of the page.
    pub last: usize,
}

impl Page {
    /// Where it stands after `by` lines down, in lines below its own place.
    pub fn scrolled(&self, by: isize) -> isize {
        let top = self.top.saturating_add_signed(by).min(self.last);
        top as isize - self.own as isize
    }
}

/// A clickable area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Where.
    pub area: Rect,
    /// What a click does.
    pub(crate) command: Command,
}

/// The chart's plotting area and its x axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Where.
    pub area: Rect,
    pub(crate) axis: Axis,
    pub(crate) range: (f64, f64),
}

impl Plot {
    /// The column that shows `x`, if it is shown.
    pub fn column(&self, x: f64) -> Option<u16> {
        let at = self.axis.position(x, self.range)?;
        (0.0..=1.0).contains(&at).then(|| self.area.x + cell(at, self.area.width, 2))
    }

    /// The x at the middle of a column: the inverse of [`Plot::column`].
    pub fn value_at(&self, column: u16) -> Option<f64> {
        let dots = f64::from(self.area.width) * 2.0 - 1.0;
        let dot = f64::from(column.checked_sub(self.area.x)?) * 2.0 + 0.5;
        Some(self.axis.value_at((dot / dots).clamp(0.0, 1.0), self.range))
    }
}

/// The cell that a position falls into, where each of `cells` cells has `dots`
/// dots and the first and last dot stand for 0 and 1, as on a canvas.
pub(crate) fn cell(at: f64, cells: u16, dots: u16) -> u16 {
    let last = f64::from(cells) * f64::from(dots) - 1.0;
    ((at.clamp(0.0, 1.0) * last).round() as u16 / dots).min(cells.saturating_sub(1))
}

/// What panels draw with.
pub(crate) struct Ui<'a> {
    pub(crate) buffer: &'a mut Buffer,
    pub(crate) model: &'a Model,
    pub(crate) theme: Theme,
    pub(crate) drawn: Drawn,
    /// Where the terminal's own cursor belongs while text is typed.
    pub(crate) cursor: Option<Position>,
}

impl Ui<'_> {
    /// Writes text at a cell, at most `width` cells, cut off with `…`. Returns
    /// the column after it. What lies off the screen is not drawn.
    pub(crate) fn text(&mut self, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
        let area = self.buffer.area;
        if y >= area.bottom() || x >= area.right() {
            return x;
        }
        let width = width.min(area.right() - x);
        let text = fit(text, width);
        self.buffer.set_stringn(x, y, text, usize::from(width), style).0
    }

    /// Text for reading: powers are set as `2²⁰` where the terminal shows more than ASCII.
    pub(crate) fn set<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.model.look.ascii { Cow::Borrowed(text) } else { superscript(text) }
    }

    /// Writes lines from the top of an area; what does not fit is not drawn.
    pub(crate) fn lines(&mut self, area: Rect, lines: impl IntoIterator<Item = (String, Style)>) {
        for (y, (text, style)) in (area.y..area.bottom()).zip(lines) {
            self.text(area.x, y, area.width, &text, style);
        }
    }

    /// Writes text in as many lines as it takes and the area has.
    pub(crate) fn paragraph(&mut self, area: Rect, text: &str, style: Style) {
        self.lines(area, wrap(text, area.width).into_iter().map(|line| (line, style)));
    }

    /// Writes text that a click acts on.
    pub(crate) fn button(
        &mut self,
        x: u16,
        y: u16,
        width: u16,
        text: &str,
        style: Style,
        command: Command,
    ) -> u16 {
        let end = self.text(x, y, width, text, style);
        self.hit(Rect::new(x, y, end.saturating_sub(x), 1), command);
        end
    }

    /// Lets a click in `area` act.
    pub(crate) fn hit(&mut self, area: Rect, command: Command) {
        let area = area.intersection(self.buffer.area);
        if !area.is_empty() {
            self.drawn.hits.push(Hit { area, command });
        }
    }

    /// A framed panel with a title; returns what is inside.
    pub(crate) fn panel(&mut self, area: Rect, title: &str, focused: bool) -> Rect {
        let (frame, border) = if focused {
            // Weight tells as well, where there is no colour.
            (self.theme.focus, BorderType::Thick)
        } else {
            (self.theme.frame, BorderType::Rounded)
        };
        let block = Block::new().borders(Borders::ALL).border_type(border).border_style(frame);
        let inner = block.inner(area);
        block.render(area, self.buffer);
        let style = if focused { self.theme.title } else { self.theme.base };
        if !title.is_empty() && area.width > 4 {
            let title = format!(" {} ", self.set(title));
            self.text(area.x + 1, area.y, area.width - 2, &title, style);
        }
        inner
    }

    /// An empty framed box in the middle, over everything; a click beside it
    /// closes it. Returns what is inside.
    pub(crate) fn dialog(&mut self, within: Rect, width: u16, height: u16, title: &str) -> Rect {
        let (width, height) = (width.min(within.width), height.min(within.height));
        let area = Rect::new(
            within.x + (within.width - width) / 2,
            within.y + (within.height - height) / 2,
            width,
            height,
        );
        self.hit(within, Command::Cancel);
        self.hit(area, Command::Nothing);
        Clear.render(area, self.buffer);
        self.buffer.set_style(area, self.theme.base);
        self.panel(area, title, true)
    }
}

/// Cells that text takes.
pub(crate) fn width(text: &str) -> u16 {
    ratatui::text::Span::raw(text).width() as u16
}

/// The text, cut off with `…` where it is wider than `most` cells.
pub(crate) fn fit(text: &str, most: u16) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut cut = String::new();
    for c in text.chars() {
        if width(&cut) + width(c.encode_utf8(&mut [0; 4])) + 1 > most {
            break;
        }
        cut.push(c);
    }
    if most > 0 {
        cut.push('…');
    }
    cut
}

/// The text in lines of at most `most` cells, broken between words. `1 481` is one
/// word: a number does not break.
pub(crate) fn wrap(text: &str, most: u16) -> Vec<String> {
    const NO_BREAK: &str = "\u{a0}";
    let mut glued = String::with_capacity(text.len());
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let digits = word.chars().take(4).take_while(char::is_ascii_digit).count();
        let number = digits == 3 && glued.ends_with(|c: char| c.is_ascii_digit());
        if !glued.is_empty() {
            glued.push_str(if number { NO_BREAK } else { " " });
        }
        glued.push_str(word);
    }
    let options = textwrap::Options::new(usize::from(most))
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(&glued, options);
    lines.iter().filter(|line| !line.is_empty()).map(|line| line.replace(NO_BREAK, " ")).collect()
}
