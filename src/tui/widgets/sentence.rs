//! Sentences that fit: of several wordings, from long to short, the longest one that a
//! place has room for. Every wording names both cases and the reason; what a shorter one
//! loses is letters of names, then the device, then all but the mark of the provenance.

use crate::algorithms;
use crate::algorithms::Variant;
use crate::results::record::Provenance;
use crate::tui::widgets::ui::{fit, width, wrap};

/// The lines of the first wording that takes at most `rows` lines of `room` cells; of the
/// last one, cut off, where none does.
pub(crate) fn fitting(
    wordings: impl IntoIterator<Item = String>,
    room: u16,
    rows: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    for wording in wordings {
        lines = wrap(&wording, room);
        if lines.len() <= rows {
            return lines;
        }
    }
    lines.truncate(rows);
    lines
}

/// The first wording that fits into `room` cells; the last one where none does.
pub(crate) fn line(wordings: impl IntoIterator<Item = String>, room: u16) -> String {
    fitting(wordings, room, 1).into_iter().next().unwrap_or_default()
}

/// The mark of a provenance, where there is no room for the word.
pub(crate) fn mark(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Measured => "meas.",
        Provenance::Recorded => "rec.",
        Provenance::Modelled => "mod.",
        Provenance::Reported => "rep.",
    }
}

/// The name of a variant in `room` cells: its short name where the whole one has no room.
pub(crate) fn variant_name(algorithm: &str, name: &str, room: u16) -> String {
    if width(name) <= room {
        return name.to_owned();
    }
    fit(algorithms::short_name(algorithm, name), room)
}

/// Cells that the name of a variant may take: any, or those of a short name.
pub(crate) const NAMES: [u16; 2] = [u16::MAX, Variant::MOST_SHORT as u16];
