//! What the emulator counted: the counters of the variants side by side, what is bad about
//! them, and why the fastest variant is faster than the slowest.

use maud::{Markup, html};

use super::groups::Group;
use super::terms::{Used, term};
use crate::analysis::explain::{self, Explanation, Span, Subject};
use crate::analysis::kernel_profile::{self, Kernel};
use crate::figure::{self, Time};
use crate::results::record::{CaseProfile, Cause, Counter, Flag, Metric, Record};
use crate::units::{Elements, Seconds, grouped, superscript};

/// What the emulator counted of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Counted {
    /// The case with its counters and predicted time.
    pub record: Record,
    /// Each of its kernels.
    pub profile: CaseProfile,
}

/// Most variants side by side.
const MOST_VARIANTS: usize = 6;

/// A variant with what was counted of it.
struct Side<'a> {
    /// As in the report.
    shown: &'a Record,
    /// With counters.
    counts: &'a Record,
    profile: Option<&'a CaseProfile>,
}

impl<'a> From<&Side<'a>> for Subject<'a> {
    fn from(side: &Side<'a>) -> Self {
        Self { record: side.shown, counted: Some(side.counts), profile: side.profile }
    }
}

/// The section of a group; empty where nothing was counted.
pub(super) fn of(group: &Group, counted: &[Counted], used: &mut Used) -> Markup {
    let rivals = group.rivals();
    let mut sides: Vec<Side> = rivals.iter().filter_map(|shown| side(shown, counted)).collect();
    // The slowest and the fastest stay.
    while sides.len() > MOST_VARIANTS {
        sides.remove(sides.len() - 2);
    }
    let Some(first) = sides.first() else { return html! {} };
    let caption = format!(
        "Counters at n = {}, block {}, coarsening {}",
        Elements(first.counts.n),
        first.counts.block,
        first.counts.coarsen
    );
    let span = match group.time {
        Time::Kernels => Span::Kernels,
        Time::EndToEnd => Span::EndToEnd,
    };
    let why = if let [slow, .., fast] = &sides[..] {
        why(slow, fast, span, used)
    } else {
        html! {}
    };
    html! {
        (why)
        h3 { "Counters" }
        p.faint { (origin(&sides)) }
        (table(&format!("{}-counters", group.id), &superscript(&caption), &sides, used))
        (remarks(&sides, used))
    }
}

/// What is known of the counts of a case.
fn side<'a>(shown: &'a Record, counted: &'a [Counted]) -> Option<Side<'a>> {
    let found = counted.iter().find(|it| it.record.case() == shown.case());
    let profile = found.map(|it| &it.profile);
    let counts = found.map_or(shown, |it| &it.record);
    (!counts.counters.is_empty()).then_some(Side { shown, counts, profile })
}

/// Where the counts come from.
fn origin(sides: &[Side]) -> String {
    let sampled = sides.iter().any(|side| side.counts.flags.contains(&Flag::Sampled));
    let exact = if sampled { "scaled from a sample of blocks" } else { "exact" };
    format!("The emulator counted them while it executed the kernels. They are {exact}.")
}

/// A row for each counter that some variant has.
fn table(id: &str, caption: &str, sides: &[Side], used: &mut Used) -> Markup {
    let count =
        |side: &Side, counter: &Counter| side.counts.counters.get(*counter).unwrap_or_default();
    let is_counted = |counter: &&Counter| sides.iter().any(|side| count(side, counter) > 0);
    let rows: Vec<&Counter> = Counter::ALL.iter().filter(is_counted).collect();
    for counter in &rows {
        used.note(counter.label());
    }
    html! {
        div.scroll role="region" aria-labelledby=(id) tabindex="0" {
            table {
                caption id=(id) { (caption) }
                thead {
                    tr {
                        th scope="col" { "counter" }
                        @for side in sides {
                            th.number scope="col" {
                                (side.shown.variant) br;
                                small { (time(side.counts)) }
                            }
                        }
                        th scope="col" { "unit" }
                    }
                }
                tbody {
                    @for counter in rows {
                        tr {
                            th scope="row" { (term(counter.label())) }
                            @for side in sides { td.number { (grouped(count(side, counter))) } }
                            td { (counter.unit()) }
                        }
                    }
                }
            }
        }
    }
}

/// `15.5 µs modelled`.
fn time(record: &Record) -> String {
    let seconds = record.median().map_or_else(|| "–".to_owned(), |it| Seconds(it).to_string());
    format!("{seconds} {}", record.provenance)
}

/// What is bad about the kernels of each variant, in words.
fn remarks(sides: &[Side], used: &mut Used) -> Markup {
    let mut found: Vec<(&str, &str, &'static str, String, String)> = Vec::new();
    for side in sides {
        let Some(profile) = side.profile else { continue };
        for kernel in &profile.kernels {
            let one = Kernel { kernel, gpu: &profile.gpu };
            for row in kernel_profile::rows(&[Some(one)]) {
                let reading = row.readings.into_iter().flatten().next();
                if let Some((text, bad)) = reading.and_then(|it| Some((it.text, it.bad?))) {
                    used.note(row.name);
                    found.push((&side.shown.variant, &kernel.name, row.name, text, bad));
                }
            }
        }
    }
    if sides.iter().all(|side| side.profile.is_none()) {
        return html! {};
    }
    html! {
        h3 { "Remarks" }
        @if found.is_empty() { p { "No counter of these kernels is bad." } }
        @else {
            ul {
                @for (variant, kernel, name, text, bad) in &found {
                    li {
                        strong { (variant) } " · " code { (kernel) } " · " (term(name)) " " (text)
                        ": " (superscript(bad)) "."
                    }
                }
            }
        }
    }
}

/// Why the one is faster than the other.
fn why(slow: &Side, fast: &Side, span: Span, used: &mut Used) -> Markup {
    let (slow_name, fast_name) = (&slow.shown.variant, &fast.shown.variant);
    match explain::difference(slow, fast, span) {
        Ok(explanation) => html! {
            h3 {
                @if explanation.cause == Cause::NoDifference {
                    (fast_name) " and " (slow_name) " take the same time"
                } @else {
                    "Why " (fast_name) " is faster than " (slow_name)
                }
            }
            (explained(&explanation, fast, used))
        },
        Err(silence) => html! {
            h3 { (fast_name) " and " (slow_name) }
            p { (superscript(&sentence(&silence.to_string()))) }
        },
    }
}

fn explained(explanation: &Explanation, fast: &Side, used: &mut Used) -> Markup {
    for text in explanation.reasons.iter().chain([&explanation.headline]) {
        used.note_all(text);
    }
    let next = explanation.next.first().map(|next| {
        let command = figure::command_of(&next.case, Some(fast.counts));
        let lines = figure::wrapped(&command, super::WIDE);
        (sentence(&next.says), lines.map_or(command, |lines| lines.join("\n")))
    });
    html! {
        p { (superscript(&sentence(&explanation.headline))) }
        ul { @for reason in &explanation.reasons { li { (superscript(&sentence(reason))) } } }
        (costs(explanation, used))
        @if let Some((says, command)) = next {
            p { "To test it: " (superscript(&says)) }
            div.scroll role="region" aria-label="Command that tests the explanation" tabindex="0" {
                pre { code { (command) } }
            }
        }
    }
}

/// What each case takes without the work of one cause.
fn costs(explanation: &Explanation, used: &mut Used) -> Markup {
    if explanation.costs.is_empty() {
        return html! {};
    }
    for cost in &explanation.costs {
        used.note(cost.cause.label());
    }
    html! {
        p { "Predicted time without the work of one cause. The effects overlap." }
        ul {
            @for cost in &explanation.costs {
                li {
                    "without " (term(cost.cause.label())) ": "
                    @for (index, (case, (without, of))) in
                        explanation.cases.iter().zip(cost.without.iter().zip(&cost.of)).enumerate()
                    {
                        @if index > 0 { ", " }
                        (superscript(case)) " " (Seconds(*without)) " of " (Seconds(*of))
                    }
                }
            }
        }
    }
}

/// The text as a sentence: with a full stop, without the program's own quotes changed.
fn sentence(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}
