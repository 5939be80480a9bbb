//! The users' files that cases come from.

use maud::{Markup, html};

use super::groups::distinct;
use crate::results::record::Record;
use crate::units::text;

/// Most files that are shown.
const MOST_FILES: usize = 8;

/// Most characters of one file.
const MOST_TEXT: usize = 1 << 16;

/// Whether a case comes from a user's file.
pub(super) fn any(records: &[Record]) -> bool {
    records.iter().any(|record| !record.source.is_empty())
}

/// The text of each user's file, as it was when its cases ran.
pub(super) fn section(records: &[Record]) -> Markup {
    if !any(records) {
        return html! {};
    }
    let own = records.iter().rev().filter(|record| !record.source.is_empty());
    let mut files: Vec<(&str, &'static str)> = own
        .filter_map(|record| {
            let module = record.own_module()?;
            let source = if module.source.is_empty() { module.ptx } else { module.source };
            (module.hash() == *record.ptx).then_some((record.algorithm.as_ref(), source))
        })
        .take(1 << 16)
        .collect();
    files = distinct(files.into_iter());
    html! {
        section aria-labelledby="sources" {
            h2 #sources { "Source" }
            @for (name, source) in files.iter().take(MOST_FILES) {
                h3 { (name) }
                div.scroll role="region" aria-label=(name) tabindex="0" {
                    pre { code { (text::excerpt(source, MOST_TEXT)) } }
                }
            }
        }
    }
}
