//! The tables of the report. Each has a caption and headed rows and columns, and
//! lies in a region that a keyboard can scroll.

use std::borrow::Cow;

use maud::{Markup, Render, html};

use super::super::comparison::Comparisons;
use super::super::{markdown, outcome, reason};
use super::groups::Group;
use crate::analysis::compare::pairs::{self, Pairs};
use crate::figure::Time;
use crate::results::record::Record;
use crate::units::{Elements, Seconds, grouped, significant, superscript};

/// Most rows of the tables of all cases, and of verdicts.
const MOST_ROWS: usize = 1_000;
const MOST_VERDICTS: usize = 100;

/// A table in its region: headings, whether each column holds numbers, and the rows. The
/// first cell names its row.
pub(super) fn table<H: Render>(
    id: &str,
    caption: &str,
    columns: &[(H, bool)],
    rows: &[Vec<String>],
) -> Markup {
    let class = |index: usize| match columns.get(index) {
        Some((_, true)) => Some("number"),
        _ => None,
    };
    html! {
        div.scroll role="region" aria-labelledby=(id) tabindex="0" {
            table {
                caption id=(id) { (superscript(caption)) }
                thead {
                    tr {
                        @for (index, (name, _)) in columns.iter().enumerate() {
                            th scope="col" class=[class(index)] { (name) }
                        }
                    }
                }
                tbody {
                    @for row in rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 {
                                    th scope="row" class=[class(index)] { (superscript(cell)) }
                                } @else {
                                    td class=[class(index)] { (superscript(cell)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Each variant at its best, at the size at which most of them have a time.
pub(super) fn fastest(group: &Group) -> Markup {
    let Some(n) = group.size_to_compare() else { return html! {} };
    let best = group.fastest(n);
    let Some((_, least)) = best.first().copied() else { return html! {} };
    let columns = [
        ("variant", false),
        ("block", true),
        ("coarsening", true),
        (group.time.name(), true),
        ("times the fastest", true),
        ("provenance", false),
    ]
    .map(|(name, number)| (name.to_owned(), number));
    let rows: Vec<Vec<String>> = best
        .iter()
        .map(|(record, time)| {
            vec![
                record.variant.to_string(),
                record.block.to_string(),
                record.coarsen.to_string(),
                Seconds(*time).to_string(),
                significant(time / least),
                record.provenance_label(),
            ]
        })
        .collect();
    let caption = format!("Fastest setting of each variant at n = {}", Elements(n));
    html! {
        h3 { "Fastest settings" }
        (table(&format!("{}-fastest", group.id), &caption, &columns, &rows))
    }
}

/// The first `most` pairs.
fn first(mut pairs: Pairs, most: usize) -> Pairs {
    pairs.both.truncate(most);
    pairs
}

/// Every variant against the first, case by case.
pub(super) fn verdicts(group: &Group) -> Markup {
    let variants = group.variants();
    let (Some(baseline), true) = (variants.first(), variants.len() > 1) else { return html! {} };
    let against = |records: &[Record]| pairs::against(records, "variant", baseline);
    let Ok(mut pairs) = against(&group.records) else { return html! {} };
    let mut records = Cow::Borrowed(&group.records[..]);
    // A verdict on every size of a long sweep is no longer read.
    let mut note = None;
    if let Some(n) = group.size_to_compare().filter(|_| pairs.both.len() > MOST_VERDICTS) {
        let at_n: Vec<Record> = records.iter().filter(|it| it.n == n).cloned().collect();
        if let Ok(fewer) = against(&at_n).map(|it| first(it, MOST_VERDICTS)) {
            let (shown, all) = (fewer.both.len() as u64, pairs.both.len() as u64);
            let (shown, all) = (grouped(shown), grouped(all));
            note = Some(format!(
                "{shown} of {all} pairs, at n = {}; warpscope compare gives all of them.",
                Elements(n)
            ));
            (records, pairs) = (Cow::Owned(at_n), fewer);
        }
    }
    if pairs.both.is_empty() {
        return html! {
            h3 { "Verdicts" }
            p { "No two variants ran with the same settings." }
        };
    }
    let names = [format!("variant={baseline}"), "every other variant".to_owned()];
    let both = (&*records, &*records);
    let comparisons = Comparisons::of(names, both, &pairs, Some(group.time), None);
    let (mut rows, shared) = comparisons.rows();
    let heading = rows.remove(0);
    let numbers = heading.len().saturating_sub(6)..heading.len().saturating_sub(3);
    let columns: Vec<(String, bool)> = heading
        .into_iter()
        .enumerate()
        .map(|(index, name)| (name, numbers.contains(&index)))
        .collect();
    let caption =
        format!("{} of every other variant against {baseline}", capitalised(group.time.name()));
    html! {
        h3 { "Verdicts" }
        @if let Some(note) = &note { p { (superscript(note)) } }
        p { (comparisons.summary()) "." }
        p.faint { "Below 1 is faster. " (comparisons.rule()) "." }
        @if !shared.is_empty() { p.faint { "All with " (shared.join(", ")) "." } }
        (table(&format!("{}-verdicts", group.id), &caption, &columns, &rows))
    }
}

/// Cases without a time, each with its reason.
pub(super) fn missing(records: &[Record]) -> Markup {
    let without = |record: &&Record| !record.outcome().is_result() || record.seconds.is_none();
    let all = records.iter().filter(without).count();
    let rows: Vec<Vec<String>> = records
        .iter()
        .filter(without)
        .take(MOST_ROWS)
        .map(|record| {
            let place = record.wrong.as_ref().and_then(|wrong| {
                let line = wrong.line.map_or_else(String::new, |line| format!(":{line}"));
                wrong.file.as_ref().map(|file| format!(" ({file}{line})"))
            });
            vec![
                record.case().to_string(),
                outcome(record).to_owned(),
                format!("{}{}", reason(record), place.unwrap_or_default()),
                record.device.name.clone(),
            ]
        })
        .collect();
    let columns = ["case", "outcome", "reason", "device"].map(|name| (name.to_owned(), false));
    html! {
        section aria-labelledby="missing" {
            h2 #missing { "Skipped and failed cases" }
            @if rows.is_empty() {
                p { "There are none: every case has a time and none was wrong." }
            } @else {
                p { "A wrong answer is never drawn as a time." (left_out(all)) }
                (table("missing-caption", "Cases that were skipped or failed", &columns, &rows))
            }
        }
    }
}

/// Says how many of `all` rows a table leaves out.
fn left_out(all: usize) -> String {
    let more = all.saturating_sub(MOST_ROWS);
    if more == 0 {
        return String::new();
    }
    format!(
        " The table has the first {} of {}; warpscope export --format csv writes all.",
        grouped(MOST_ROWS as u64),
        grouped(all as u64)
    )
}

/// Every case.
pub(super) fn cases(records: &[Record]) -> Markup {
    let all = records.len();
    let records = records.get(..MOST_ROWS).unwrap_or(records);
    let Some(first) = records.first() else {
        return html! {
            section aria-labelledby="cases" { h2 #cases { "All cases" } p { "None." } }
        };
    };
    let (columns, shared) = markdown::columns(records, first);
    let heading: Vec<(String, bool)> = columns
        .iter()
        .map(|(name, _)| ((*name).to_owned(), markdown::numeric(name)))
        .chain([("end to end".to_owned(), true), ("samples".to_owned(), true)])
        .collect();
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| {
            let whole = Time::EndToEnd.of(record).filter(|_| record.has_host_stages());
            let mut row: Vec<String> = columns.iter().map(|(_, cell)| cell(record)).collect();
            row.push(whole.map_or_else(|| "–".to_owned(), |time| Seconds(time).to_string()));
            row.push(record.seconds.as_ref().map_or_else(String::new, |it| grouped(it.count())));
            row
        })
        .collect();
    let facts: Vec<String> =
        shared.iter().map(|(name, cell)| format!("{name} {}", cell(first))).collect();
    html! {
        section aria-labelledby="cases" {
            h2 #cases { "All cases" }
            @if !facts.is_empty() { p { "All with " (facts.join(", ")) "." } }
            p.faint {
                "Median of the samples, with the quartiles as seen from it. Bandwidth is the bytes \
                 that the algorithm has to move, over the median. A modelled time has no samples."
                (left_out(all))
            }
            (table("cases-caption", "Every case with its time and where that comes from", &heading, &rows))
        }
    }
}

/// The text with a capital first letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
