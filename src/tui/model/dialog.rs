//! What lies over the screen: help, the export dialog, the question before
//! leaving; and the line of text being edited.

use std::path::PathBuf;

use super::picker::Picker;

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
    /// Leaving would lose something.
    Leave(String),
}

/// The export dialog.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// What kind of file.
    pub format: Format,
    /// Where to.
    pub path: TextLine,
    /// How the last attempt went.
    pub state: ExportState,
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
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Png, Self::Svg, Self::Csv, Self::Jsonl];

    /// The file name extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Svg => "svg",
            Self::Csv => "csv",
            Self::Jsonl => "jsonl",
        }
    }

    /// What it is good for.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Png => "the chart as a picture",
            Self::Svg => "the chart as a drawing that scales",
            Self::Csv => "the numbers as a table",
            Self::Jsonl => "the records, for `warpscope show`",
        }
    }

    /// Whether the file holds every number, so that nothing is lost with it.
    pub fn keeps_numbers(self) -> bool {
        matches!(self, Self::Csv | Self::Jsonl)
    }

    /// The one `by` places on, round and round.
    #[must_use]
    pub fn step(self, by: isize) -> Self {
        let at = Self::ALL.iter().position(|format| *format == self).unwrap_or(0);
        Self::ALL[(at as isize + by).rem_euclid(Self::ALL.len() as isize) as usize]
    }
}

/// One line of text with a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextLine {
    chars: Vec<char>,
    cursor: usize,
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
        Self { cursor: chars.len(), chars }
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
