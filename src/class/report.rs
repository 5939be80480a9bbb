//! What is left of a class: a page with questions, distributions, charts and explanations, and
//! a table with one row per vote.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};

use super::journal::Opened;
use super::question::{Answers, Grid, Question};
use super::room::{Class, Phase, Round, Shown};
use super::vote::{Answer, Tally};
use crate::export::report::html::page;
use crate::units::{superscript, text};

/// How sure a student is, by confidence.
pub const SURE: [&str; 3] = ["a guess", "fairly sure", "sure"];

const ROUNDS: [&str; 2] = ["First vote", "Second vote"];

/// The page. It names nobody.
pub fn html(opened: &Opened, class: &Class) -> String {
    let day = opened.time.get(..10).unwrap_or(&opened.time);
    let left = class.rounds().filter(|(_, round)| !was_asked(round)).count();
    let body = html! {
        header {
            h1 { (opened.title) }
            p { "Class of " (day) ", " (students(class.seats().len())) "." }
        }
        main {
            @for (index, (question, round)) in class.rounds().enumerate() {
                @if was_asked(round) { (section(index, question, round)) }
            }
            @if left > 0 { p { (left) " of " (class.len()) " questions were not asked." } }
        }
    };
    page(&format!("{} · class of {day}", opened.title), &body)
}

/// Whether the class voted on a question, or saw its result.
fn was_asked(round: &Round) -> bool {
    let has_votes = round.votes.iter().any(|votes| !votes.is_empty());
    round.phase > Phase::Ask || has_votes || round.shown.is_some()
}

/// Text with powers set as such and `code` in it.
fn rich(text: &str) -> Markup {
    let text = superscript(text);
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn students(count: usize) -> String {
    if count == 1 { "1 student".to_owned() } else { format!("{count} students") }
}

fn section(index: usize, question: &Question, round: &Round) -> Markup {
    let tallies = round.tallies(question);
    html! {
        section aria-labelledby={ "question-" (index + 1) } {
            h2 id={ "question-" (index + 1) } { "Question " (index + 1) }
            @for paragraph in &question.context { p { (rich(paragraph)) } }
            p { strong { (rich(&question.text)) } }
            @match &question.answers {
                Answers::Choice(choices) => (choice(choices, &tallies, round.shown.as_ref())),
                Answers::Curve(grid) => {
                    @for (name, tally) in ROUNDS.iter().zip(&tallies) { (curves(grid, name, tally)) }
                }
            }
            @if let Some(shown) = &round.shown { (answer(shown)) }
        }
    }
}

/// Counts of one round with their shares and confidences.
fn cell(tally: &Tally, choice: usize) -> String {
    let Tally::Choice(counts) = tally else { return String::new() };
    let [guess, fair, sure] = counts.get(choice).copied().unwrap_or_default();
    let (count, votes) = (guess + fair + sure, tally.votes());
    if votes == 0 {
        return "–".to_owned();
    }
    let percent = (100.0 * f64::from(count) / votes as f64).round();
    format!("{count} ({percent} %): {sure} sure, {fair} fairly sure, {guess} guesses")
}

fn choice(choices: &[String], tallies: &[Tally; 2], shown: Option<&Shown>) -> Markup {
    let right = shown.and_then(|shown| shown.right);
    html! {
        div.scroll role="region" aria-label="Votes" tabindex="0" {
            table {
                caption { "Votes" }
                thead {
                    tr {
                        th scope="col" { "Answer" }
                        @for (name, tally) in ROUNDS.iter().zip(tallies) {
                            th scope="col" { (name) ", " (tally.votes()) " votes" }
                        }
                    }
                }
                tbody {
                    @for (index, text) in choices.iter().enumerate() {
                        tr {
                            th scope="row" {
                                (char::from(b'A' + index as u8)) ". " (rich(text)) @if right == Some(index) { " ✓ (right)" }
                            }
                            @for tally in tallies { td { (cell(tally, index)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The drawn curves as a bundle with their median.
fn curves(grid: &Grid, name: &str, tally: &Tally) -> Markup {
    let Tally::Curve { curves, median } = tally else { return html! {} };
    let (wide, high) = (600.0, 240.0);
    let points = |curve: &[f64]| {
        let last = (grid.sizes.len().max(2) - 1) as f64;
        let top = (grid.heights.len().max(2) - 1) as f64;
        let point = |(at, height): (usize, &f64)| {
            let (x, y) = (wide * at as f64 / last, high * (1.0 - height / top));
            format!("{x:.1},{y:.1}")
        };
        curve.iter().enumerate().map(point).collect::<Vec<_>>().join(" ")
    };
    let middle = |(size, height): (&String, &f64)| {
        let text = grid.heights.get(height.round() as usize).cloned().unwrap_or_default();
        format!("{size}: {text}")
    };
    let told: Vec<String> = grid.sizes.iter().zip(median).map(middle).collect();
    let label = format!("{name}: {} curves, median {}", curves.len(), told.join(", "));
    html! {
        figure {
            svg.drawn viewBox=(format!("-4 -4 {} {}", wide + 8.0, high + 8.0)) role="img"
                aria-label=(label) {
                @for curve in curves {
                    polyline.bundle points=(points(&curve.iter().map(|it| f64::from(*it)).collect::<Vec<_>>())) {}
                }
                @if !median.is_empty() { polyline.median points=(points(median)) {} }
            }
            figcaption {
                (name) ": " (curves.len()) " curves of " (grid.up) " by " (grid.across)
                "; the thick line is the median. " (told.join(", "))
            }
        }
    }
}

/// What the measurement said.
fn answer(shown: &Shown) -> Markup {
    html! {
        @if !shown.headline.is_empty() { p { strong { (rich(&shown.headline)) } } }
        @if !shown.chart.is_empty() {
            figure {
                // As a picture, so that nothing in it can run, wherever the file came from.
                img.drawn alt=(shown.caption)
                    src={ "data:image/svg+xml;base64," (STANDARD.encode(&shown.chart)) };
                figcaption { (shown.caption) }
            }
        }
        // The sentence above begins it.
        @for paragraph in shown.explanation.iter().filter(|it| !shown.headline.ends_with(*it)) {
            p { (rich(paragraph)) }
        }
    }
}

/// The table: one row per vote. Names are a column if `names` are kept.
///
/// # Errors
/// If memory for the table is not there.
pub fn csv(class: &Class, names: bool) -> Result<Vec<u8>, csv::Error> {
    let mut table = csv::Writer::from_writer(Vec::new());
    let mut head = vec!["question", "id", "round", "seat", "answer", "text", "confidence"];
    if names {
        head.push("name");
    }
    table.write_record(&head)?;
    for (index, (question, round)) in class.rounds().enumerate() {
        for (turn, votes) in (1..).zip(&round.votes) {
            for (seat, vote) in votes {
                let (number, text) = told(&question.answers, &vote.answer);
                let mut row = vec![
                    (index + 1).to_string(),
                    safe(&question.id),
                    turn.to_string(),
                    (seat + 1).to_string(),
                    number,
                    safe(&text),
                    vote.confidence.to_string(),
                ];
                if names {
                    let name = class.seats().get(*seat).and_then(|seat| seat.name.as_deref());
                    row.push(safe(name.unwrap_or_default()));
                }
                table.write_record(&row)?;
            }
        }
    }
    table.into_inner().map_err(|error| error.into_error().into())
}

/// An answer as numbers from 1, and as text.
fn told(answers: &Answers, answer: &Answer) -> (String, String) {
    match (answers, answer) {
        (Answers::Choice(choices), Answer::Choice(index)) => {
            ((index + 1).to_string(), choices.get(*index).cloned().unwrap_or_default())
        }
        (Answers::Curve(grid), Answer::Curve(heights)) => {
            let numbers: Vec<String> = heights.iter().map(|it| (it + 1).to_string()).collect();
            let texts = grid.sizes.iter().zip(heights).map(|(size, height)| {
                let height = grid.heights.get(usize::from(*height));
                format!("{size}: {}", height.map_or("", String::as_str))
            });
            (numbers.join(" "), texts.collect::<Vec<_>>().join("; "))
        }
        _ => (String::new(), String::new()),
    }
}

/// A cell that no spreadsheet takes for a formula.
fn safe(cell: &str) -> String {
    let line = text::line(cell);
    if line.starts_with(['=', '+', '-', '@']) { format!("'{line}") } else { line.into_owned() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
