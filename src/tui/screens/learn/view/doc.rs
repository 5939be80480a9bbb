//! A page of text: paragraphs with marked words, options and tables, in lines that fit.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::lessons::prose::{Prose, Span};
use crate::tui::app::action::Command;
use crate::tui::screens::learn::update::PAGE;
use crate::tui::widgets::ui::{Page, Ui, fit, width, wrap};

/// One line.
#[derive(Debug, Clone, Default)]
struct Line {
    parts: Vec<(String, Style)>,
    /// What a click on it does.
    command: Option<Command>,
}

/// A page of text.
#[derive(Debug, Clone)]
pub(super) struct Doc {
    room: u16,
    lines: Vec<Line>,
    /// The lines that must be in sight: from, to.
    sight: Option<(usize, usize)>,
}

impl Doc {
    /// An empty page, so many cells wide.
    pub(super) fn new(room: u16) -> Self {
        Self { room, lines: Vec::new(), sight: None }
    }

    /// Rows that it takes.
    pub(super) fn rows(&self) -> u16 {
        self.lines.len().min(usize::from(u16::MAX)) as u16
    }

    /// An empty line, unless the page begins or has one there.
    pub(super) fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.parts.is_empty()) {
            self.lines.push(Line::default());
        }
    }

    /// Text in one style.
    pub(super) fn text(&mut self, ui: &Ui, text: &str, style: Style) {
        for line in wrap(&ui.set(text), self.room) {
            self.lines.push(Line { parts: vec![(line, style)], command: None });
        }
    }

    /// A line of a table as it is, cut off where it is too long.
    pub(super) fn text_row(&mut self, ui: &Ui, text: &str, style: Style) {
        let parts = vec![(fit(&ui.set(text), self.room), style)];
        self.lines.push(Line { parts, command: None });
    }

    /// A line of these parts.
    pub(super) fn row(&mut self, parts: Vec<(String, Style)>) {
        self.lines.push(Line { parts, command: None });
    }

    /// Cells of a line.
    pub(super) fn room(&self) -> u16 {
        self.room
    }

    /// Text behind a mark of its own style, whose further lines are set in. A click on it acts.
    pub(super) fn item(
        &mut self,
        ui: &Ui,
        mark: &[(&str, Style)],
        text: &str,
        style: Style,
        command: Option<Command>,
    ) {
        let wide: u16 = mark.iter().map(|(text, _)| width(text)).sum();
        let set = ui.set(text);
        let lines = wrap(&set, self.room.saturating_sub(wide).max(1));
        for (at, line) in lines.into_iter().enumerate() {
            let mut parts: Vec<(String, Style)> = if at == 0 {
                mark.iter().map(|(text, style)| ((*text).to_owned(), *style)).collect()
            } else {
                vec![(" ".repeat(usize::from(wide)), ui.theme.base)]
            };
            parts.push((line, style));
            self.lines.push(Line { parts, command });
        }
    }

    /// Paragraphs behind a mark; words of the glossary are marked, values are what `value`
    /// says.
    pub(super) fn prose(
        &mut self,
        ui: &Ui,
        prose: &Prose,
        value: &dyn Fn(&str) -> String,
        mark: &str,
    ) {
        for (at, paragraph) in prose.iter().enumerate() {
            if at > 0 {
                self.gap();
            }
            let blank = " ".repeat(usize::from(width(mark)));
            let words = words(ui, paragraph, value);
            self.flow(ui, words, if at == 0 { mark } else { &blank });
        }
    }

    /// Sets words in lines, the first one behind a mark.
    fn flow(&mut self, ui: &Ui, words: Vec<Word>, mark: &str) {
        let indent = width(mark);
        let mut line = Line { parts: vec![(mark.to_owned(), ui.theme.accent)], command: None };
        let mut used = indent;
        let mut empty = true;
        for word in words {
            let wide: u16 = word.iter().map(|(text, _)| width(text)).sum();
            if !empty && used + 1 + wide > self.room {
                self.lines.push(line);
                let set_in = " ".repeat(usize::from(indent));
                line = Line { parts: vec![(set_in, ui.theme.base)], command: None };
                (used, empty) = (indent, true);
            }
            if !empty {
                line.parts.push((" ".to_owned(), ui.theme.base));
                used += 1;
            }
            line.parts.extend(word);
            used += wide;
            empty = false;
        }
        self.lines.push(line);
    }

    /// The lines from row `from` to the end so far must be in sight.
    pub(super) fn see(&mut self, from: u16) {
        self.sight = Some((usize::from(from), self.lines.len()));
    }

    /// What must be in sight reaches to the end so far.
    pub(super) fn see_on(&mut self) {
        let end = self.lines.len();
        if let Some((_, to)) = &mut self.sight {
            *to = end;
        }
    }

    /// Draws the part that fits: with what must be in sight, and `scroll` lines down from there.
    /// The frame around it says how much lies above and below, and which key shows it.
    pub(super) fn draw(self, ui: &mut Ui, area: Rect, scroll: isize) {
        let high = usize::from(area.height);
        let all = self.lines.len();
        let last = all.saturating_sub(high);
        let own = self.sight.map_or(0, |(from, to)| to.saturating_sub(high).min(from)).min(last);
        let page = Page { own, top: own.saturating_add_signed(scroll).min(last), last };
        let top = page.top;
        for (y, line) in (area.y..area.bottom()).zip(self.lines.into_iter().skip(top)) {
            let mut x = area.x;
            for (text, style) in line.parts {
                let room = area.right().saturating_sub(x);
                x = ui.text(x, y, room, &text, style);
            }
            if let Some(command) = line.command {
                ui.hit(Rect { y, height: 1, ..area }, command);
            }
        }
        let by = PAGE.min(area.height.max(1) as isize);
        if top > 0 {
            let text = format!(" ↑ {top} more: PgUp ");
            let scroll = Command::Scroll(page.scrolled(-by));
            frame_button(ui, area, area.y.saturating_sub(1), &text, scroll);
        }
        if top < last {
            let text = format!(" ↓ {} more: PgDn ", lines(last - top));
            frame_button(ui, area, area.bottom(), &text, Command::Scroll(page.scrolled(by)));
        }
        ui.drawn.page = Some(page);
    }
}

fn lines(many: usize) -> String {
    if many == 1 { "1 line".to_owned() } else { format!("{many} lines") }
}

/// A button at the right end of the frame's line `y`.
fn frame_button(ui: &mut Ui, area: Rect, y: u16, text: &str, command: Command) {
    let wide = width(text);
    let x = area.right().saturating_sub(wide);
    ui.button(x, y, wide, text, ui.theme.accent, command);
}

/// A word: parts without a space between them.
type Word = Vec<(String, Style)>;

/// The words of a paragraph. A value is one word, so that no number is broken.
fn words(ui: &Ui, paragraph: &[Span], value: &dyn Fn(&str) -> String) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    // Whether the next part belongs to the last word.
    let mut joined = false;
    for span in paragraph {
        let (text, style) = match span {
            Span::Text(text) => (text.clone(), ui.theme.base),
            Span::Term { shown, .. } => {
                (shown.clone(), ui.theme.accent.add_modifier(Modifier::UNDERLINED))
            }
            Span::Value(name) => (value(name), ui.theme.title),
        };
        let text = ui.set(&text).into_owned();
        if matches!(span, Span::Value(_)) {
            push(&mut words, text, style, joined);
            joined = true;
            continue;
        }
        joined &= !text.starts_with(' ');
        for part in text.split(' ').filter(|part| !part.is_empty()) {
            push(&mut words, part.to_owned(), style, joined);
            joined = false;
        }
        joined = !text.ends_with(' ');
    }
    words
}

fn push(words: &mut Vec<Word>, text: String, style: Style, joined: bool) {
    match words.last_mut().filter(|_| joined) {
        Some(word) => word.push((text, style)),
        None => words.push(vec![(text, style)]),
    }
}
