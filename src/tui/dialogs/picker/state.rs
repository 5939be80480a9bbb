//! A list to choose from by typing: the command palette, the values of a field,
//! the curve that a speed-up is over.

use crate::analysis::glossary;
use crate::tui::app::action::Command;
use crate::tui::app::keys::BINDINGS;
use crate::tui::app::model::Model;
use crate::tui::dialogs::state::TextLine;
use crate::tui::screens::sweep::form::state::Field;
use crate::tui::screens::sweep::state::short_label;

/// A list that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Picker {
    /// What is chosen from it.
    pub kind: Kind,
    /// What was typed.
    pub query: TextLine,
    /// The row that Enter takes, among those that fit what was typed.
    pub cursor: usize,
}

/// What is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something to do.
    Palette,
    /// A value of a field.
    Field(Field),
    /// What a speed-up is over.
    Baseline,
}

/// A row of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) label: String,
    /// More about it.
    pub(crate) detail: String,
    /// The key that does it, if one does.
    pub(crate) key: &'static str,
    pub(crate) pick: Pick,
}

/// What choosing a row does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pick {
    /// A command.
    Do(Command),
    /// Goes to a field of the form and changes it.
    Edit(Field),
    /// Gives the field this value.
    Value(&'static str),
    /// Explains this word of the glossary.
    Define(&'static str),
    /// Takes the curve of this number as the baseline; nothing takes the first
    /// variants.
    Over(Option<usize>),
}

impl Picker {
    /// Opens a list; the cursor is on what holds now.
    pub fn new(kind: Kind, model: &Model) -> Self {
        let mut picker = Self { kind, query: TextLine::default(), cursor: 0 };
        if let Kind::Field(field) = kind {
            let now = model.form.value(field);
            let holds = |item: &Item| matches!(item.pick, Pick::Value(value) if value == now);
            picker.cursor = items(kind, model).iter().position(holds).unwrap_or(0);
        }
        picker
    }

    /// The rows that fit what was typed, those that fit best first.
    pub(crate) fn shown(&self, model: &Model) -> Vec<Item> {
        let query = self.query.text();
        let mut found: Vec<(i32, Item)> = items(self.kind, model)
            .into_iter()
            .filter_map(|item| Some((fit(&query, &item)?, item)))
            .collect();
        found.sort_by_key(|(score, _)| -score);
        found.into_iter().map(|(_, item)| item).collect()
    }

    /// Rows in all, whatever was typed.
    pub fn rows(&self, model: &Model) -> usize {
        items(self.kind, model).len()
    }

    /// What it is headed by.
    pub fn title(&self, model: &Model) -> String {
        match self.kind {
            Kind::Palette => "Commands and terms (type to find)".to_owned(),
            Kind::Field(field) => format!("{} (type to find)", model.form.label(field)),
            Kind::Baseline => "Baseline (type to find)".to_owned(),
        }
    }
}

/// A row without a key.
fn item(label: impl Into<String>, detail: impl Into<String>, pick: Pick) -> Item {
    Item { label: label.into(), detail: detail.into(), key: "", pick }
}

fn items(kind: Kind, model: &Model) -> Vec<Item> {
    match kind {
        Kind::Palette => {
            let bound = BINDINGS.iter().map(|binding| Item {
                key: binding.shown,
                ..item(binding.help, "", Pick::Do(binding.command))
            });
            let form = &model.form;
            let fields = form.fields().into_iter().map(|field| {
                let value = form.value(field);
                let (label, detail) = match field {
                    Field::Variant(index) => {
                        let word = if form.ticked(index) { "on" } else { "off" };
                        (format!("variant {value}"), word.to_owned())
                    }
                    field => (format!("change {}", form.label(field)), value),
                };
                item(label, detail, Pick::Edit(field))
            });
            let terms = glossary::all().iter();
            let terms = terms.map(|entry| item(entry.name, entry.text, Pick::Define(entry.name)));
            bound.chain(fields).chain(terms).collect()
        }
        Kind::Field(field) => {
            let values = model.form.choices(field).unwrap_or_default();
            let item = |(value, detail)| item(value, detail, Pick::Value(value));
            values.into_iter().map(item).collect()
        }
        Kind::Baseline => {
            let meaning = "each case against the same case of the first variant";
            let first = item("the first variant", meaning, Pick::Over(None));
            let curves = model.chart.series().iter().enumerate().map(|(index, series)| {
                item(short_label(series), &series.provenance_label, Pick::Over(Some(index)))
            });
            std::iter::once(first).chain(curves).collect()
        }
    }
}

/// How well a row fits what was typed: every word in its label, its key or what
/// is said of it. Nothing if it does not.
fn fit(query: &str, item: &Item) -> Option<i32> {
    if let Pick::Define(word) = item.pick {
        return fit_term(query, word);
    }
    let mut sum = 0;
    for word in query.split_whitespace() {
        let in_label = score(word, &item.label);
        let in_detail = score(word, &item.detail).map(|score| score / 2);
        let key = (item.key == word).then_some(100);
        sum += in_label.max(in_detail).max(key)?;
    }
    Some(sum)
}

/// How well a word of the glossary fits: it, or a synonym, holds all of what was typed.
/// Letters spread over it would fit too many words.
fn fit_term(query: &str, word: &str) -> Option<i32> {
    let query = query.trim().to_lowercase();
    let name = word.to_lowercase();
    if name.starts_with(&query) {
        return Some(8 * query.len() as i32);
    }
    let entry = glossary::find(word)?;
    entry.has(&query).then_some(4 * query.len() as i32)
}

/// How well the letters of `word` stand in `text` in their order: more for those
/// that begin a word or follow one another.
fn score(word: &str, text: &str) -> Option<i32> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let word: Vec<char> = word.to_lowercase().chars().collect();
    let starts = (0..text.len()).filter(|at| Some(&text[*at]) == word.first());
    starts.filter_map(|start| from(&word, &text, start)).max()
}

/// The score of the first way to find `word` that begins at `start`.
fn from(word: &[char], text: &[char], start: usize) -> Option<i32> {
    let begins = |at: usize| at == 0 || !text[at - 1].is_alphanumeric();
    let (mut score, mut at, mut last) = (i32::from(start == 0) * 2, start, None);
    for letter in word {
        let found = at + text.get(at..)?.iter().position(|other| other == letter)?;
        score += match last {
            Some(last) if last + 1 == found => 8,
            _ if begins(found) => 6,
            _ => 1,
        };
        last = Some(found);
        at = found + 1;
    }
    // What is spread over the whole text was hardly meant.
    let span = at - start;
    (span <= 4 * word.len() + 4).then_some(score * 4 - span as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_order_fit_and_words_that_begin_so_fit_better() {
        assert!(score("exp", "export PNG") > score("exp", "the experiment"));
        assert!(score("ztm", "Zoom the map") > score("ztm", "size at most"));
        assert!(score("sweep", "the Sweep screen").is_some());
        assert_eq!(score("xyz", "zyx"), None);
        assert_eq!(score("ab", "a long way from here to there, then b"), None);
        assert_eq!(score("é", "cafe"), None);
    }
}
