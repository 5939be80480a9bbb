//! The field's terms that are neither a counter nor a resource of the timing model: a name,
//! synonyms, one or two sentences, and the counters that show it.

mod limits;
mod memory;
mod numbers;
mod screens;
mod threads;

use super::Entry;
use crate::results::record::Counter;

/// The terms, by subject.
pub(super) const TERMS: [&[Entry]; 5] =
    [threads::TERMS, memory::TERMS, limits::TERMS, numbers::TERMS, screens::TERMS];

/// A term that no counter shows.
const fn term(name: &'static str, also: &'static [&'static str], text: &'static str) -> Entry {
    Entry { name, also, text, behind: &[] }
}

/// A term with the counters that show it.
const fn shown(
    name: &'static str,
    also: &'static [&'static str],
    behind: &'static [Counter],
    text: &'static str,
) -> Entry {
    Entry { name, also, text, behind }
}
