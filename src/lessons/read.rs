//! Reads the file of a lesson. Every name in it exists afterwards, and every value selects
//! the cases that it needs.

mod experiments;
mod raw;
mod steps;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;

use toml::Spanned;

use super::lesson::{Claim, Formula, Lesson};
use super::prose::{self, Prose};
use crate::experiment::UnknownName;
use crate::units::text::is_hidden;
use raw::RawLesson;

/// Maximum length of a file in bytes.
pub const MOST_BYTES: usize = 256 * 1024;

/// Maximum length of a title or an option in characters.
const MOST_SHORT: usize = 200;

/// Maximum length of the text of a step in characters.
const MOST_LONG: usize = 4000;

/// Maximum number of steps, experiments or values.
const MOST_ITEMS: usize = 100;

/// What is wrong with the file of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {key}{reason}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct LessonError {
    /// The file.
    pub file: String,
    /// The line, from 1, where it is known.
    pub line: Option<usize>,
    /// Where in the lesson, such as ``step `guess`, `options`: ``; empty where the reason says.
    pub key: String,
    /// What is wrong, and what is allowed.
    pub reason: String,
}

/// Reads a lesson from the bytes of `file`.
///
/// # Errors
/// The file, the line, the key and the reason.
pub fn read(file: &str, bytes: &[u8]) -> Result<Lesson, LessonError> {
    let fail = |line, reason: String| LessonError {
        file: file.to_owned(),
        line,
        key: String::new(),
        reason,
    };
    if bytes.len() > MOST_BYTES {
        return Err(fail(None, format!("a lesson has at most {} KiB", MOST_BYTES / 1024)));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        fail(Some(line), "not UTF-8 text".to_owned())
    })?;
    let hidden = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t' | '\r');
    if let Some(at) = text.find(hidden) {
        let reason = "a hidden character (control or direction); delete it".to_owned();
        return Err(fail(Some(line_of(text, at)), reason));
    }
    let raw: RawLesson = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_of(text, span.start));
        fail(line, error.message().trim().replace('\n', ", "))
    })?;
    let reader = Reader { file, text };
    reader.lesson(raw)
}

fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).map_or(1, |before| before.matches('\n').count() + 1)
}

/// The file that is read, for errors.
struct Reader<'a> {
    file: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn fail<T>(
        &self,
        span: Range<usize>,
        key: &str,
        reason: impl Display,
    ) -> Result<T, LessonError> {
        Err(LessonError {
            file: self.file.to_owned(),
            line: Some(line_of(self.text, span.start)),
            key: format!("{key}: "),
            reason: reason.to_string(),
        })
    }

    fn lesson(&self, raw: RawLesson) -> Result<Lesson, LessonError> {
        let whole = 0..0;
        for (key, items) in [
            ("experiments", raw.experiments.len()),
            ("values", raw.values.len()),
            ("steps", raw.steps.len()),
        ] {
            if items > MOST_ITEMS {
                return self.fail(whole, key, format!("{items} items; at most {MOST_ITEMS}"));
            }
        }
        if raw.steps.is_empty() {
            return self.fail(whole, "steps", "a lesson needs at least one step");
        }
        let minutes = *raw.minutes.get_ref();
        if !(1..=240).contains(&minutes) {
            return self.fail(raw.minutes.span(), "minutes", format!("{minutes}; use 1 to 240"));
        }
        let experiments = self.experiments(&raw.experiments)?;
        let values = self.values(&raw.values, &experiments)?;
        let needs = raw.needs.iter().map(|it| self.short("needs", it)).collect::<Result<_, _>>()?;
        let mut lesson = Lesson {
            name: stem(self.file),
            title: self.short("title", &raw.title)?,
            summary: self.short("summary", &raw.summary)?,
            minutes,
            needs,
            claim: Claim {
                text: self.long("claim.text", &raw.claim.text)?,
                source: self.long("claim.source", &raw.claim.source)?,
                today: self.today(&raw.claim.today, &values)?,
            },
            experiments,
            values,
            steps: Vec::new(),
        };
        lesson.steps = self.steps(raw.steps, &lesson)?;
        Ok(lesson)
    }

    /// A text of one line.
    fn short(&self, key: &str, text: &Spanned<String>) -> Result<String, LessonError> {
        let joined = text.get_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        self.length(key, text, &joined, MOST_SHORT)?;
        Ok(joined)
    }

    /// A text of several sentences, as one line.
    fn long(&self, key: &str, text: &Spanned<String>) -> Result<String, LessonError> {
        let joined = text.get_ref().split_whitespace().collect::<Vec<_>>().join(" ");
        self.length(key, text, &joined, MOST_LONG)?;
        Ok(joined)
    }

    /// What holds today: a text with values.
    fn today(
        &self,
        text: &Spanned<String>,
        values: &BTreeMap<String, Formula>,
    ) -> Result<Prose, LessonError> {
        let key = "claim.today";
        self.long(key, text)?;
        let prose =
            prose::parse(text.get_ref()).or_else(|reason| self.fail(text.span(), key, reason))?;
        for name in prose::values(&prose) {
            if self.named(values, ("value", name), text.span(), key)?.claims.is_empty() {
                let reason = format!("value `{name}` has no `least`, `most` or `is` to check");
                return self.fail(text.span(), key, reason);
            }
        }
        Ok(prose)
    }

    fn length(
        &self,
        key: &str,
        at: &Spanned<String>,
        text: &str,
        most: usize,
    ) -> Result<(), LessonError> {
        match text.chars().count() {
            0 => self.fail(at.span(), key, "the text is empty"),
            length if length > most => {
                self.fail(at.span(), key, format!("{length} characters; at most {most}"))
            }
            _ => Ok(()),
        }
    }

    /// The item with a name, or the error that there is none.
    fn named<'b, T>(
        &self,
        items: &'b BTreeMap<String, T>,
        (what, name): (&str, &str),
        span: Range<usize>,
        key: &str,
    ) -> Result<&'b T, LessonError> {
        if let Some(item) = items.get(name) {
            return Ok(item);
        }
        let known: Vec<&str> = items.keys().map(String::as_str).collect();
        self.fail(span, key, UnknownName::new(what, name, &known))
    }
}

/// Whether a word can name a step, an option, a value or an experiment.
fn is_name(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    (1..=40).contains(&word.len()) && word.chars().all(fits)
}

const NAME: &str = "a name has 1 to 40 characters: a to z, 0 to 9, - and _";

/// The name of a lesson: its file's without folder and ending.
pub(super) fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.strip_suffix(".toml").unwrap_or(name).to_owned()
}
