//! The report of a session, for handing in: predictions, results, reasons and settings on
//! one page.

use jiff::Timestamp;
use maud::{Markup, html};

use super::beside::{self, RECORDED};
use super::grade::{Answer, Mark};
use super::lesson::{Question, Step, Task, Trial, View};
use super::progress::Given;
use super::prose;
use super::session::{KernelTry, Session};
use super::value::{Value, written};
use crate::analysis::explain::Explanation;
use crate::export::report::{ReportError, html as page};
use crate::figure::tune::Tune;
use crate::figure::{self, Choice, Picture, Time};
use crate::results::record::{Metric, PROGRAM, Record};
use crate::units::{Elements, Seconds, grouped, superscript};

/// Words for a confidence from 1 to 3.
const CONFIDENCE: [&str; 3] = ["a guess", "fairly sure", "sure"];

/// The page. `kernels` are the student's kernels by step; `now` is the time of the report.
///
/// # Errors
/// If a chart cannot be drawn.
pub fn render(
    session: &Session,
    kernels: &[(String, KernelTry)],
    now: Timestamp,
) -> Result<String, ReportError> {
    let lesson = session.lesson();
    let steps: Vec<Markup> = lesson
        .steps
        .iter()
        .map(|step| of_step(session, step, kernels))
        .collect::<Result<_, _>>()?;
    let body = html! {
        a.skip href="#main" { "Skip to the answers" }
        header {
            h1 { (lesson.title) }
            p { (lesson.summary) }
            p { b { (if session.is_passed() { "Passed" } else { "Not passed" }) } }
        }
        main #main tabindex="-1" {
            (overview(session))
            h2 { "The claim" }
            p { (lesson.claim.text) " " span.faint { "Source: " (lesson.claim.source) "." } }
            @for paragraph in prose::plain(&lesson.claim.today, &|name| session.recorded_text(name)) {
                p { (marked(&paragraph)) " " span.faint { "(" (RECORDED) ")" } }
            }
            @if let Some(tally) = beside::tally(session) { p { (tally) } }
            @for step in &steps { (step) }
            (settings(session, now))
        }
    };
    Ok(page::page(&lesson.title, &body))
}

/// Every prediction beside what was computed.
fn overview(session: &Session) -> Markup {
    let asked = session
        .lesson()
        .steps
        .iter()
        .filter(|step| !matches!(step.task, Task::Say | Task::Run { .. }));
    html! {
        h2 { "Answers" }
        div.scroll role="region" aria-label="Answers" tabindex="0" {
            table {
                thead { tr {
                    @for name in ["step", "kind", "answer", "confidence", "time", "computed", "mark", "H200, recorded"] {
                        th scope="col" { (name) }
                    }
                } }
                tbody {
                    @for step in asked {
                        @let given = session.answers(&step.id).last();
                        tr {
                            th scope="row" { (step.title) }
                            td { (step.task.name()) }
                            td { (marked(&given.map_or("no answer".to_owned(), |it| answer(session, step, it)))) }
                            td { (given.and_then(|it| confidence(it.confidence)).unwrap_or("–")) }
                            td { (given.map_or("–", |it| if it.time.is_empty() { "–" } else { &it.time })) }
                            td { (marked(&computed(session, step))) }
                            td { (session.mark(&step.id).map_or("–", Mark::name)) }
                            td { (recorded(session, step)) }
                        }
                    }
                }
            }
        }
        p.faint {
            "A prediction need not be right to pass. Every other answer must be. Computed answers \
             come from the results on this page."
        }
    }
}

fn confidence(given: Option<u8>) -> Option<&'static str> {
    CONFIDENCE.get(usize::from(given?.checked_sub(1)?)).copied()
}

/// An answer in words.
fn answer(session: &Session, step: &Step, given: &Given) -> String {
    match &given.answer {
        Answer::Choice(key) => {
            let options = step.task.question().map_or(&[][..], |it| &it.options);
            let option = options.iter().find(|option| option.key == *key);
            option.map_or_else(|| key.clone(), |option| option.text.clone())
        }
        Answer::Curve(points) => {
            let unit = unit(session, step.task.question());
            let point =
                |(n, value): &(u64, f64)| format!("{}: {}", Elements(*n), written(*value, unit));
            points.iter().map(point).collect::<Vec<_>>().join(", ")
        }
        Answer::Change { axis, value } => format!("{axis} = {value}"),
        Answer::Kernel(path) => path.clone(),
    }
}

fn unit(session: &Session, question: Option<&Question>) -> Option<super::Unit> {
    let name = question?.ask.value()?;
    session.lesson().values.get(name)?.unit()
}

/// The computed answer, for a student who has given one.
fn computed(session: &Session, step: &Step) -> String {
    let answered = !session.answers(&step.id).is_empty();
    match session.truth(&step.id).filter(|_| answered) {
        Some(Ok(truth)) => truth.text,
        Some(Err(missing)) => missing.to_string(),
        None => "–".to_owned(),
    }
}

/// What the recording says to a question that is answered.
fn recorded(session: &Session, step: &Step) -> String {
    let answered = !session.answers(&step.id).is_empty();
    let told = beside::answer(session, step).filter(|_| answered);
    let told = told.map(|it| it.trim_start_matches(RECORDED).trim_start_matches(": ").to_owned());
    told.unwrap_or_else(|| "–".to_owned())
}

/// What a step showed.
fn of_step(
    session: &Session,
    step: &Step,
    kernels: &[(String, KernelTry)],
) -> Result<Markup, ReportError> {
    let shown = prose::plain(&step.text, &|name| session.shown(name));
    let inner = match &step.task {
        Task::Run { experiment, view } => {
            let trial = session.lesson().experiments.get(experiment);
            trial.map_or_else(|| Ok(html! {}), |trial| chart(session, step, trial, *view))?
        }
        Task::Why { .. } if session.answers(&step.id).is_empty() => html! {},
        Task::Why { value, .. } => match session.value(value) {
            Ok(Value::Cause(explanation)) => explained(&explanation),
            Ok(_) => html! {},
            Err(missing) => html! { p.faint { (missing.to_string()) } },
        },
        Task::Write(_) => {
            let tried = kernels.iter().find(|(id, _)| *id == step.id).map(|(_, tried)| tried);
            tried.map_or_else(|| html! {}, kernel)
        }
        Task::Say => values(session, step),
        _ => html! {},
    };
    let given = session.answers(&step.id).last();
    Ok(html! {
        section {
            h2 { (step.title) }
            @for paragraph in &shown { p { (marked(paragraph)) } }
            @if let Some(given) = given {
                p {
                    b { "Answer: " } (marked(&answer(session, step, given)))
                    @if let Some(mark) = session.mark(&step.id) { " (" (mark.name()) ")" }
                }
            }
            @let hints = session.hints(&step.id).len();
            @if hints > 0 { p.faint { (hints) " of 3 hints shown" } }
            (inner)
        }
    })
}

/// The results of an experiment.
fn chart(session: &Session, step: &Step, trial: &Trial, view: View) -> Result<Markup, ReportError> {
    let records: Vec<Record> = session.results().records(&trial.cases).cloned().collect();
    if records.is_empty() {
        return Ok(html! { p.faint { "It has not run." } });
    }
    let time = Time::fitting(&records);
    let id = format!("chart-{}", step.id);
    let ran = trial.cases.iter().filter(|case| session.results().get(case).is_some());
    let recorded = session.recorded().records(ran).cloned();
    let both: Vec<Record> = records.iter().cloned().chain(recorded).collect();
    let picture = match view {
        View::Curves => Some(figure::build(&both, Choice { time, ..Choice::default() }).into()),
        View::Heat => Tune::of(&records, time).map(|tune| Picture::Tune(Box::new(tune))),
    };
    let drawn = picture.map(|it| page::picture(&it, "Chart", &id)).transpose()?;
    let drawn = drawn.unwrap_or_else(|| html! {});
    let Task::Run { experiment, .. } = &step.task else { return Ok(drawn) };
    Ok(html! {
        (drawn)
        @if let Some(apart) = beside::times(session, experiment) { p { (superscript(&apart)) } }
        (times(&both, time))
    })
}

/// The values of a text by the student's results and by the recording.
fn values(session: &Session, step: &Step) -> Markup {
    let values = beside::values(session, prose::values(&step.text));
    html! {
        @if !values.is_empty() {
            div.scroll role="region" aria-label="Values" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "value" }
                        th.number scope="col" { (beside::source(session)) }
                        th.number scope="col" { (RECORDED) }
                        th.number scope="col" { "difference" }
                    } }
                    tbody {
                        @for both in &values {
                            tr {
                                th scope="row" { (superscript(&both.name)) }
                                td.number { (superscript(&both.here)) }
                                td.number { (superscript(&both.recorded)) }
                                td.number { (both.apart) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Every time of an experiment.
fn times(records: &[Record], time: Time) -> Markup {
    html! {
        details {
            summary { "Times" }
            div.scroll role="region" aria-label="Times" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "case" }
                        th.number scope="col" { (time.name()) }
                        th scope="col" { "source" }
                    } }
                    tbody {
                        @for record in records {
                            tr {
                                th scope="row" { (record.case().to_string()) }
                                td.number {
                                    (time.of(record).map_or("–".to_owned(), |it| Seconds(it).to_string()))
                                }
                                td { (record.provenance_label()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// An explanation with its counters.
fn explained(explanation: &Explanation) -> Markup {
    html! {
        p { b { (explanation.headline) } }
        ul { @for reason in &explanation.reasons { li { (reason) } } }
        @if !explanation.evidence.is_empty() {
            div.scroll role="region" aria-label="Counters" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "counter" }
                        @for case in &explanation.cases { th.number scope="col" { (case) } }
                    } }
                    tbody {
                        @for evidence in &explanation.evidence {
                            tr {
                                th scope="row" { (evidence.counter.label()) }
                                @for value in &evidence.values { td.number { (grouped(*value)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn kernel(tried: &KernelTry) -> Markup {
    html! {
        @if tried.findings.is_empty() {
            p {
                "Kernel " code { (tried.name) } " is right"
                @if let Some(ratio) = tried.ratio() {
                    ", and " (written(ratio, Some(super::Unit::Times))) " as fast as the variant to beat"
                }
                "."
            }
        } @else {
            p { "Kernel " code { (tried.name) } ":" }
            ul { @for finding in &tried.findings { li { (finding) } } }
        }
    }
}

/// Text with `code` between backquotes, and powers as such.
fn marked(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (superscript(part)) }
        }
    }
}

/// What ran, on what, and when.
fn settings(session: &Session, now: Timestamp) -> Markup {
    let trials = session.lesson().experiments.iter();
    html! {
        h2 { "Settings" }
        dl {
            dt { "Lesson" } dd { (session.lesson().name) }
            dt { "Program" } dd { (PROGRAM) }
            dt { "Report" } dd { (format!("{now:.0}")) }
            @for (name, trial) in trials {
                @let records: Vec<&Record> = session.results().records(&trial.cases).collect();
                dt { "Experiment " (name) }
                dd {
                    @match records.first() {
                        Some(first) => (format!("{} cases, {}", records.len(), first.provenance_label())),
                        None => "has not run",
                    }
                    @let owned: Vec<Record> = records.iter().map(|it| (*it).clone()).collect();
                    @if !owned.is_empty() {
                        br; code { (figure::command_for(&owned)) }
                    }
                }
            }
        }
    }
}
