//! What lies over the screen: help, the export dialog, the question before
//! leaving; and the line of text being edited.

use std::path::PathBuf;

use crate::export::image::{Pixels, Size, Style};
use crate::figure::Picture;
use crate::tui::dialogs::picker::state::Picker;
use crate::tui::dialogs::terms::state::Terms;
use crate::tui::screens::sweep::form::state::turn;

/// Something over the screen that takes all keys.
#[derive(Debug, Clone, PartialEq)]
pub enum Overlay {
    /// Every key and what it does.
    Help,
    /// Why one of two results is the faster one.
    Why,
    /// Saving a picture or a table.
    Export(Export),
    /// A list to choose from by typing.
    Pick(Picker),
    /// The command that was put on the clipboard.
    Copied(String),
    /// What the words on the screen mean.
    Terms(Terms),
    /// Leaving would lose something.
    Leave(String),
}

/// The export dialog.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// What kind of file.
    pub format: Format,
    /// What a picture shows; none where the view has nothing to draw.
    pub picture: Option<Box<Picture>>,
    /// The ground of a picture.
    pub style: Style,
    /// Which of the named sizes a picture has.
    pub size: usize,
    /// Whether title and commands are left out of a picture.
    pub bare: bool,
    /// What the arrows change.
    pub row: Row,
    /// The picture in small, once it is drawn.
    pub preview: Option<Box<Pixels>>,
    /// Where to.
    pub path: TextLine,
    /// How the last attempt went.
    pub state: ExportState,
}

/// A row of the export dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// The format.
    Format,
    /// The ground of a picture.
    Style,
    /// The size of a picture.
    Size,
    /// How much text a picture carries.
    Text,
    /// The file's name.
    Path,
}

impl Export {
    /// The formats that fit what is exported: of a step its trace, else the records.
    pub fn formats(&self) -> &'static [Format] {
        match self.picture.as_deref() {
            Some(Picture::Step(_)) => &[Format::Png, Format::Svg, Format::Trace],
            _ => &Format::ALL,
        }
    }

    /// The rows there are, from top to bottom.
    pub fn rows(&self) -> &'static [Row] {
        if self.format.is_picture() {
            &[Row::Format, Row::Style, Row::Size, Row::Text, Row::Path]
        } else {
            &[Row::Format, Row::Path]
        }
    }

    /// What a picture says, in a word or two.
    pub fn text(&self) -> &'static str {
        if self.bare { "bare: no title, no command" } else { "title and command" }
    }

    /// The size with its name.
    pub fn size(&self) -> (&'static str, Size) {
        let sizes: Vec<_> = Size::named().collect();
        sizes.get(self.size % sizes.len().max(1)).copied().unwrap_or(("screen", Size::default()))
    }

    /// Goes `by` rows down, round and round.
    pub fn go(&mut self, by: isize) {
        let rows = self.rows();
        let at = rows.iter().position(|row| *row == self.row).unwrap_or(0) as isize;
        self.row = rows[(at + by).rem_euclid(rows.len() as isize) as usize];
    }

    /// Changes what the row holds, one value on or back.
    pub fn step(&mut self, by: isize) {
        match self.row {
            Row::Format => self.choose(turn(self.formats(), &self.format, by)),
            Row::Style => self.style = turn(&Style::ALL, &self.style, by),
            Row::Size => {
                let sizes: Vec<usize> = (0..Size::named().count()).collect();
                self.size = turn(&sizes, &self.size, by);
            }
            Row::Text => self.bare = !self.bare,
            Row::Path => {}
        }
        self.state = ExportState::Ready;
    }

    /// Chooses the format; the name's extension follows if it named the old one.
    pub fn choose(&mut self, format: Format) {
        let text = self.path.text();
        let old = format!(".{}", self.format.extension());
        if let Some(stem) = text.strip_suffix(&old) {
            self.path = TextLine::new(&format!("{stem}.{}", format.extension()));
        }
        self.format = format;
        self.state = ExportState::Ready;
    }

    /// Types into the name. An extension that names a format chooses it, so that
    /// no file is called what it is not.
    pub fn edit(&mut self, edit: Edit) {
        self.path.edit(edit);
        self.row = Row::Path;
        self.state = ExportState::Ready;
        let text = self.path.text().to_lowercase();
        let named = self
            .formats()
            .iter()
            .copied()
            .find(|format| text.ends_with(&format!(".{}", format.extension())));
        self.format = named.unwrap_or(self.format);
    }
}

/// How an export went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportState {
    /// Not tried yet.
    Ready,
    /// Being written.
    Writing,
    /// The file exists; another Enter replaces it.
    Exists,
    /// Written.
    Saved(PathBuf),
    /// Not written, with the reason.
    Failed(String),
}

/// What kind of file to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The chart as pixels.
    Png,
    /// The chart as vectors.
    Svg,
    /// The records as a table.
    Csv,
    /// The records as this program stores them.
    Jsonl,
    /// Everything as a page for a browser.
    Html,
    /// The steps of a warp of a recorded block.
    Trace,
}

impl Format {
    /// Every format of records.
    pub const ALL: [Self; 5] = [Self::Png, Self::Svg, Self::Html, Self::Csv, Self::Jsonl];

    /// The file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
            Self::Html => "html",
            Self::Trace => "json",
        }
    }

    /// What it is good for.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Png => "this view as a picture",
            Self::Svg => "this view as a vector drawing",
            Self::Csv => "the numbers as a table",
            Self::Jsonl => "the records, for `warpscope show`",
            Self::Html => "charts, counters, explanations: one web page",
            Self::Trace => "the steps of the warp, as `--trace --json`",
        }
    }

    /// Whether it is drawn.
    pub fn is_picture(self) -> bool {
        matches!(self, Self::Png | Self::Svg)
    }

    /// Whether the file holds every number, so that nothing is lost with it.
    pub fn keeps_numbers(self) -> bool {
        matches!(self, Self::Csv | Self::Jsonl)
    }
}

/// One line of text with a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextLine {
    chars: Vec<char>,
    cursor: usize,
    /// Whether all of it is selected: what is typed next takes its place.
    selected: bool,
}

/// A key that edits text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// A character typed.
    Insert(char),
    /// Delete to the left.
    Backspace,
    /// Delete to the right.
    Delete,
    /// Delete everything.
    Clear,
    /// Move left.
    Left,
    /// Move right.
    Right,
    /// Move to the start.
    Home,
    /// Move to the end.
    End,
}

/// Longest text that can be typed.
const MOST_CHARS: usize = 400;

impl TextLine {
    /// This text, cursor at its end.
    pub fn new(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        Self { cursor: chars.len(), chars, selected: false }
    }

    /// This text, all of it selected: typing replaces it, moving keeps it.
    pub fn selected(text: &str) -> Self {
        Self { selected: !text.is_empty(), ..Self::new(text) }
    }

    /// Whether all of it is selected.
    pub fn is_selected(&self) -> bool {
        self.selected
    }

    /// The text.
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// Characters before the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Does what the key says.
    pub fn edit(&mut self, edit: Edit) {
        if std::mem::take(&mut self.selected) {
            match edit {
                Edit::Insert(_) => *self = Self::default(),
                Edit::Backspace | Edit::Delete => return *self = Self::default(),
                _ => {}
            }
        }
        match edit {
            Edit::Insert(c) if self.chars.len() < MOST_CHARS && !c.is_control() => {
                self.chars.insert(self.cursor, c);
                self.cursor += 1;
            }
            Edit::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            Edit::Insert(_) | Edit::Backspace => {}
            Edit::Delete => {
                if self.cursor < self.chars.len() {
                    self.chars.remove(self.cursor);
                }
            }
            Edit::Clear => *self = Self::default(),
            Edit::Left => self.cursor = self.cursor.saturating_sub(1),
            Edit::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            Edit::Home => self.cursor = 0,
            Edit::End => self.cursor = self.chars.len(),
        }
    }
}
