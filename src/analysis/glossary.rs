//! The glossary: what the words on screens, in reports and in files mean, in at most two
//! sentences, and the counters behind them. One table for the palette, the box behind `K`,
//! `warpscope list --terms` and the HTML report.

mod terms;

use std::sync::LazyLock;

use crate::results::record::{Cause, Counter, FailureKind, Flag, Metric, Provenance, Resource};

/// A word and what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The word, as on screens.
    pub name: &'static str,
    /// Other words for the same.
    pub also: &'static [&'static str],
    /// What it means, in one or two sentences.
    pub text: &'static str,
    /// The counters that show it; empty where none does.
    pub behind: &'static [Counter],
}

impl Entry {
    /// The counters behind it, as `counter: bank conflicts`; empty without a counter.
    pub fn counters(&self) -> String {
        let names: Vec<&str> = self.behind.iter().map(|counter| counter.label()).collect();
        match names.len() {
            0 => String::new(),
            1 => format!("counter: {}", names.join("")),
            _ => format!("counters: {}", names.join(", ")),
        }
    }

    /// Whether the word or a synonym contains `part`, whatever its case.
    pub fn has(&self, part: &str) -> bool {
        let part = part.trim().to_lowercase();
        self.words().any(|word| word.to_lowercase().contains(&part))
    }

    /// The word and its synonyms.
    fn words(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }
}

/// Every entry, in the order of their names.
pub fn all() -> &'static [Entry] {
    static ALL: LazyLock<Vec<Entry>> = LazyLock::new(|| {
        let mut all: Vec<Entry> = terms::TERMS.concat();
        let mut add = |found: Vec<Entry>| {
            for entry in found {
                if !all.iter().any(|known| known.words().any(|word| same(word, entry.name))) {
                    all.push(entry);
                }
            }
        };
        let each = Counter::ALL.chunks(1);
        add(each.flat_map(|one| one.iter().map(move |it| of_metric(*it, one))).collect());
        let causes = Cause::ALL.iter().map(|cause| of_metric(*cause, cause.counters()));
        add(causes.collect());
        add(of_list::<Resource>());
        add(of_list::<FailureKind>());
        add(of_list::<Flag>());
        add(of_list::<Provenance>());
        all.sort_by_key(|entry| entry.name.to_lowercase());
        all
    });
    &ALL
}

fn of_list<M: Metric>() -> Vec<Entry> {
    M::ALL.iter().map(|metric| of_metric(*metric, &[])).collect()
}

fn of_metric<M: Metric>(metric: M, behind: &'static [Counter]) -> Entry {
    Entry { name: metric.label(), also: &[], text: metric.glossary(), behind }
}

/// The entry of a word: its name or one of its synonyms, in the singular or the plural.
pub fn find(word: &str) -> Option<&'static Entry> {
    all().iter().find(|entry| entry.words().any(|known| same(known, word)))
}

/// Whether two words differ in nothing but case and the `s` of a plural.
fn same(a: &str, b: &str) -> bool {
    let plain = |word: &str| word.trim().trim_end_matches('s').to_lowercase();
    plain(a) == plain(b)
}

/// The entries whose words stand in `lines`, in the order in which they do.
pub fn within<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<&'static Entry> {
    let mut found: Vec<&'static Entry> = Vec::new();
    for line in lines {
        let line = line.to_lowercase();
        let mut here: Vec<(usize, usize, &'static Entry)> = all()
            .iter()
            .filter_map(|entry| {
                let places = entry.words().filter_map(|word| place(&line, word));
                places.min().map(|(at, end)| (at, end, entry))
            })
            .collect();
        here.sort_by_key(|(at, end, _)| (*at, usize::MAX - end));
        let mut told = 0;
        for (at, end, entry) in here {
            // Within `bank conflicts`, a bank is not a word of its own.
            if at >= told && !found.contains(&entry) {
                found.push(entry);
            }
            told = told.max(end);
        }
    }
    found
}

/// Where `word` stands in a line of small letters, alone or in the plural.
fn place(line: &str, word: &str) -> Option<(usize, usize)> {
    let word = word.to_lowercase();
    let joined = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(&word).find_map(|(at, _)| {
        let (before, after) = (line.get(..at)?, line.get(at + word.len()..)?);
        let rest = after.strip_prefix('s').unwrap_or(after);
        let alone = !before.ends_with(joined) && !rest.starts_with(joined);
        alone.then_some((at, at + word.len()))
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
