//! Terms: a word with its meaning on hover, and the list of those that the page uses.

use maud::{Markup, html};

use super::tables::capitalised;
use crate::analysis::glossary::{self, Entry};

/// The terms that the page uses, in the order in which they occur.
#[derive(Debug, Default)]
pub(super) struct Used(Vec<&'static Entry>);

impl Used {
    /// Notes the term that a label is, if it is one.
    pub(super) fn note(&mut self, label: &str) {
        self.add(glossary::find(label));
    }

    /// Notes every term in a text.
    pub(super) fn note_all(&mut self, text: &str) {
        self.add(glossary::within([text]));
    }

    fn add(&mut self, entries: impl IntoIterator<Item = &'static Entry>) {
        for entry in entries {
            if !self.0.contains(&entry) {
                self.0.push(entry);
            }
        }
    }

    /// Every term of the page with its meaning.
    pub(super) fn section(mut self) -> Markup {
        // What every report says of its numbers.
        for label in ["measured", "recorded", "modelled", "verified", "coarsening"] {
            self.note(label);
        }
        self.0.sort_by_key(|entry| entry.name.to_lowercase());
        html! {
            section aria-labelledby="terms" {
                h2 #terms { "Terms" }
                dl {
                    @for entry in &self.0 {
                        dt id=(anchor(entry)) { (capitalised(entry.name)) }
                        dd {
                            (entry.text)
                            @if !entry.behind.is_empty() {
                                span.faint { " (" (entry.counters()) ")" }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A label that shows its meaning on hover and leads to it; plain where it is no term.
pub(super) fn term(label: &str) -> Markup {
    let Some(entry) = glossary::find(label) else { return html! { (label) } };
    html! { a.term href={ "#" (anchor(entry)) } title=(entry.text) { (label) } }
}

fn anchor(entry: &Entry) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    format!("term-{}", entry.name.chars().map(plain).collect::<String>())
}
