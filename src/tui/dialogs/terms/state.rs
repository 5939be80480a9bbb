//! Which word the box explains.

use crate::analysis::glossary::{self, Entry};
use crate::results::record::{Metric, Provenance};
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::screens::learn::state as learn;
use crate::tui::screens::profile::state as profile;

/// The box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// The word that comes before those of the screen: the one under the cursor, or one
    /// that was asked for.
    pub first: Option<&'static str>,
    /// Rows from the first word; the view goes round.
    pub at: isize,
}

impl Terms {
    /// The words of the screen, that under the cursor first.
    pub fn of(model: &Model) -> Self {
        let label = match model.screen {
            Screen::Counters => {
                let rows = profile::rows(model);
                let chosen = model.profile.row.min(rows.len().saturating_sub(1));
                rows.get(chosen).map(|row| row.name.to_owned())
            }
            Screen::Sweep if model.panel == Panel::Chart => {
                // `recorded kernel time (median)`: the first term is the provenance.
                let label = model.chart.figure.as_ref().map(|figure| figure.y.label.clone());
                let terms = label.map(|label| glossary::within([label.as_str()]));
                let term = terms.unwrap_or_default().into_iter().find(|it| !is_provenance(it));
                return Self { first: term.map(|entry| entry.name), at: 0 };
            }
            Screen::Learn => return Self { first: learn::first_term(model), at: 0 },
            Screen::Sweep | Screen::Tune => Some(model.form.label(model.form.field)),
            _ => None,
        };
        let entry = label.and_then(|label| glossary::find(&label));
        Self { first: entry.map(|entry| entry.name), at: 0 }
    }

    /// The words to explain, for a screen with these lines.
    pub(crate) fn entries<'a>(
        &self,
        lines: impl IntoIterator<Item = &'a str>,
    ) -> Vec<&'static Entry> {
        let mut entries: Vec<&'static Entry> =
            self.first.and_then(glossary::find).into_iter().collect();
        for entry in glossary::within(lines) {
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        entries
    }

    /// The chosen one of `count` words.
    pub(crate) fn chosen(&self, count: usize) -> usize {
        self.at.rem_euclid(count.max(1) as isize) as usize
    }
}

fn is_provenance(entry: &Entry) -> bool {
    Provenance::ALL.iter().any(|provenance| provenance.label() == entry.name)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
