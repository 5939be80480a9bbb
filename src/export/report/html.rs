//! A report for a browser: one file with everything in it, no script and no
//! request. Charts are inline SVG; every number of them is also in a table.
//!
//! ```text
//! title, where it comes from
//! contents
//! what was found, per group of cases that compare:
//!     charts, ladder, fastest setting of each variant, counters and why, verdicts, commands
//! skipped and failed cases
//! all cases
//! sources of users' files
//! devices, method, terms
//! ```

mod charts;
mod counters;
mod facts;
mod page;
mod sources;
mod tables;
mod terms;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use maud::{Markup, html};

pub use counters::Counted;
pub use page::page;

use super::{ReportError, groups};
use crate::algorithms;
use crate::figure::{self, Picture};
use crate::results::record::{Outcome, Record};
use crate::units::grouped;
use groups::Group;

/// Most groups whose variants are counted, and most variants of each.
const MOST_COUNTED: (usize, usize) = (6, 4);

/// The cases that the report explains, if someone counts them on the emulator.
pub fn to_count(records: &[Record]) -> Vec<Record> {
    let (groups, _) = groups::of(records);
    let mut cases = Vec::new();
    for group in groups.iter().take(MOST_COUNTED.0) {
        let rivals = group.rivals();
        // The slowest and the fastest are explained.
        let ends = rivals.iter().take(1).chain(rivals.iter().skip(1).rev());
        cases.extend(ends.take(MOST_COUNTED.1).map(|record| (*record).clone()));
    }
    cases
}

/// The page. `sources` says where the records are from: names of files, for example.
/// `counted` is what the emulator counted of the cases of [`to_count`]; without it only
/// records that hold counters are explained.
pub fn render(
    records: &[Record],
    sources: &[String],
    counted: &[Counted],
) -> Result<String, ReportError> {
    let (groups, more) = groups::of(records);
    let mut used = terms::Used::default();
    let sections: Vec<Markup> =
        groups.iter().map(|it| group(it, counted, &mut used)).collect::<Result<_, _>>()?;
    let title = title(records);
    let body = html! {
        a.skip href="#main" { "Skip to the results" }
        header {
            h1 { (title) }
            p { (lead(records)) }
            @if !sources.is_empty() {
                p.faint { "From " (sources.join(", ")) }
            }
        }
        (contents(&groups, sources::any(records)))
        main #main tabindex="-1" {
            @if records.is_empty() { p { "No cases." } }
            @for section in &sections { (section) }
            @if more > 0 {
                p {
                    (grouped(more as u64)) " more groups of cases are left out; a filter \
                     such as --bins or --dist selects them."
                }
            }
            (tables::missing(records))
            (tables::cases(records))
            (sources::section(records))
            (facts::devices(records))
            (facts::method(records))
            (used.section())
        }
    };
    Ok(page::page(&title, &body))
}

/// A picture for a page, with a heading and its caption. `id` is used by no other element.
///
/// # Errors
/// If it cannot be drawn.
pub fn picture(picture: &Picture, heading: &str, id: &str) -> Result<Markup, ReportError> {
    charts::drawn(picture, heading, id, None, &html! {})
}

/// `histogram, scan on NVIDIA H200`.
fn title(records: &[Record]) -> String {
    let names = groups::distinct(records.iter().map(|record| record.algorithm.as_str()));
    let devices = groups::distinct(records.iter().map(|record| record.device.name.as_str()));
    if names.is_empty() {
        return "Empty report".to_owned();
    }
    format!("{} on {}", names.join(", "), devices.join(", "))
}

/// How many cases there are, and how they ended.
fn lead(records: &[Record]) -> String {
    let count = |outcome| records.iter().filter(|record| record.outcome() == outcome).count();
    let reference = if sources::any(records) {
        "verified against a reference"
    } else {
        "verified against a CPU reference"
    };
    let parts: Vec<String> = [
        (Outcome::Verified, reference),
        (Outcome::Unchecked, "not checked"),
        (Outcome::Wrong, "WRONG"),
        (Outcome::Failed, "FAILED"),
        (Outcome::Skipped, "skipped"),
    ]
    .into_iter()
    .filter(|(outcome, _)| count(*outcome) > 0)
    .map(|(outcome, words)| format!("{} {words}", grouped(count(outcome) as u64)))
    .collect();
    let kinds = groups::distinct(records.iter().map(|record| record.provenance.to_string()));
    let cases = if records.len() == 1 { "case" } else { "cases" };
    let timed = if records.iter().any(|record| record.seconds.is_some()) {
        format!(" Times are {}.", kinds.join(" and "))
    } else {
        " None has a time.".to_owned()
    };
    if parts.is_empty() {
        return String::new();
    }
    format!("{} {cases}: {}.{timed}", grouped(records.len() as u64), parts.join(", "))
}

fn contents(groups: &[Group], sources: bool) -> Markup {
    html! {
        nav aria-labelledby="contents" {
            h2 #contents { "Contents" }
            ul {
                @for group in groups {
                    li { a href={ "#" (group.id) } { (group.heading) } }
                }
                li { a href="#missing" { "Skipped and failed cases" } }
                li { a href="#cases" { "All cases" } }
                @if sources { li { a href="#sources" { "Source" } } }
                li { a href="#devices" { "Devices" } }
                li { a href="#method" { "Method" } }
                li { a href="#terms" { "Terms" } }
            }
        }
    }
}

/// What one group of cases shows.
fn group(
    group: &Group,
    counted: &[Counted],
    used: &mut terms::Used,
) -> Result<Markup, ReportError> {
    let id = &group.id;
    let summary = algorithms::find(&group.algorithm).map(algorithms::Algorithm::summary);
    let charts = charts::of(group)?;
    let ladder = charts::rungs(group)?;
    Ok(html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (group.heading) }
            @if let Some(summary) = summary { p { (tables::capitalised(summary)) "." } }
            @if group.left_out > 0 {
                p {
                    "Charts and tables show " (grouped(group.records.len() as u64)) " of "
                    (grouped((group.records.len() + group.left_out) as u64)) " cases: the fastest \
                     launch of each variant, and all launches at one size. " code {
                        "warpscope export --format csv"
                    } " writes every case."
                }
            }
            @if charts.is_empty() && ladder.is_none() {
                p { "There is nothing to draw: it takes two sizes or two settings with a time." }
            }
            @for chart in &charts { (chart) }
            @if let Some(ladder) = &ladder { (ladder) }
            (tables::fastest(group))
            (counters::of(group, counted, used))
            (tables::verdicts(group))
            (commands(group))
        }
    })
}

/// Columns of a command.
const WIDE: usize = 96;

/// The commands that a reader can type.
fn commands(group: &Group) -> Markup {
    let sweeps = figure::command_for(&group.records);
    if sweeps.is_empty() {
        return html! {};
    }
    let file = format!("{}.jsonl", group.algorithm);
    let report = format!("warpscope export {file} --format html -o {}.html", group.algorithm);
    let text = format!("{sweeps}\n{report}");
    let lines = figure::wrapped(&text, WIDE).map_or(text, |lines| lines.join("\n"));
    let label = format!("Commands for {}", group.heading);
    html! {
        h3 { "Commands" }
        p { "They run these cases again and write this report." }
        div.scroll role="region" aria-label=(label) tabindex="0" { pre { code { (lines) } } }
    }
}
