//! What results say: the verdict on an answer, the counters side by side, the explanation,
//! what a changed parameter and a kernel came to.

use crate::analysis::explain::Explanation;
use crate::experiment::{Case, Experiment};
use crate::lessons::beside::{self, RECORDED};
use crate::lessons::grade::{Answer, Mark};
use crate::lessons::value::{self, Value};
use crate::lessons::{
    Bounds, Change, Formula, Measure, Question, Right, Select, Session, Step, Unit, Write, prose,
    words,
};
use crate::results::record::{Counter, Metric};
use crate::tui::app::action::Command;
use crate::tui::screens::learn::state::{self, Open};
use crate::tui::screens::learn::view::doc::Doc;
use crate::tui::screens::learn::view::picture;
use crate::tui::widgets::ui::{Ui, fit};
use crate::units::{Elements, Seconds, grouped, significant};

/// How far the lesson is, for the line of progress.
pub(super) fn summary(open: &Open) -> String {
    let session = &open.session;
    let (mut locked, mut right, mut known) = (0, 0, 0);
    for step in session.lesson().steps.iter().filter(|step| step.task.question().is_some()) {
        if !session.answers(&step.id).is_empty() {
            locked += 1;
            known += usize::from(session.mark(&step.id).is_some());
            right += usize::from(session.mark(&step.id) == Some(Mark::Right));
        }
    }
    let counting = if open.counting { " · the emulator counts" } else { "" };
    let right = if known > 0 { format!(" · {right} of {known} right") } else { String::new() };
    match locked {
        0 => format!("no answer yet{counting}"),
        1 => format!("1 answer{right}{counting}"),
        many => format!("{many} answers{right}{counting}"),
    }
}

/// The mark of an answer with its word.
fn marked(ui: &Ui, mark: Mark) -> (&'static str, ratatui::style::Style) {
    match mark {
        Mark::Right => ("✓ right", ui.theme.good),
        Mark::Near => ("≈ near", ui.theme.warn),
        Mark::Wrong => ("✗ wrong", ui.theme.bad),
    }
}

/// What an answer came to, once that is known.
pub(super) fn verdict(ui: &Ui, page: &mut Doc, open: &Open, step: &Step, question: &Question) {
    let session = &open.session;
    let Some(given) = session.answers(&step.id).last() else { return };
    page.gap();
    let from = page.rows();
    match session.truth(&step.id) {
        Some(Ok(truth)) => {
            if let Some(mark) = session.mark(&step.id) {
                let (word, style) = marked(ui, mark);
                let mark = [(word, style), (" · result: ", ui.theme.dim)];
                page.item(ui, &mark, &truth.text, ui.theme.base, None);
                let chosen = |key: &String| question.options.iter().find(|it| it.key == *key);
                if let (Answer::Choice(key), true) = (&given.answer, mark_is_wrong(session, step))
                    && let Some(note) = chosen(key).and_then(|option| option.note.as_ref())
                {
                    page.text(ui, note, ui.theme.base);
                }
                if let Some(recorded) = beside::answer(session, step) {
                    page.text(ui, &recorded, ui.theme.dim);
                }
            }
        }
        _ => page.text(ui, "Locked. The run will show the result.", ui.theme.dim),
    }
    if !open.asks() || open.told {
        page.see(from);
    }
}

fn mark_is_wrong(session: &Session, step: &Step) -> bool {
    session.mark(&step.id) == Some(Mark::Wrong)
}

/// The answer in words.
fn told(session: &Session, question: &Question, answer: &Answer) -> String {
    match answer {
        Answer::Choice(key) => {
            let option = question.options.iter().find(|option| option.key == *key);
            match option.map(|option| (&option.right, &option.text)) {
                Some((Right::Cell { block, coarsen }, _)) => {
                    format!("block {block}, coarsening {coarsen}")
                }
                Some((_, text)) => text.clone(),
                None => key.clone(),
            }
        }
        Answer::Curve(points) => {
            let name = question.ask.value().unwrap_or("");
            let unit = session.lesson().values.get(name).and_then(Formula::unit);
            Value::Curve(points.clone()).text(unit)
        }
        Answer::Change { axis, value } => format!("{axis} = {value}"),
        Answer::Kernel(path) => path.clone(),
    }
}

/// What runs, and after the run the predictions beside the results.
pub(super) fn run(ui: &Ui, page: &mut Doc, open: &Open, experiment: &str) {
    let session = &open.session;
    let Some(trial) = session.lesson().experiments.get(experiment) else { return };
    page.gap();
    page.text(ui, &in_words(&trial.experiment), ui.theme.dim);
    let mut any = false;
    let from = page.rows() + 1;
    for step in picture::steps_of(open, experiment) {
        let Some(given) = session.answers(&step.id).last() else { continue };
        let Some(question) = step.task.question() else { continue };
        if !any {
            page.gap();
        }
        any = true;
        let told = told(session, question, &given.answer);
        match (session.truth(&step.id), session.mark(&step.id)) {
            (Some(Ok(truth)), Some(mark)) => {
                let (word, style) = marked(ui, mark);
                let text = format!("you: {told} · result: {}", truth.text);
                page.item(ui, &[(word, style), ("  ", ui.theme.base)], &text, ui.theme.base, None);
            }
            _ => page.text(ui, &format!("your prediction: {told}"), ui.theme.base),
        }
    }
    if session.missing(experiment).is_empty()
        && let Some(recorded) = beside::times(session, experiment)
    {
        page.gap();
        page.text(ui, &recorded, ui.theme.base);
    }
    if session.missing(experiment).is_empty() {
        page.see(from);
    }
    for (case, outcome) in session.unverified(experiment) {
        page.text(ui, &format!("✗ {case}: {outcome:?}"), ui.theme.bad);
    }
}

/// What an experiment runs, in a line or two.
fn in_words(experiment: &Experiment) -> String {
    let list = |values: Vec<String>| values.join(", ");
    let mut parts =
        vec![format!("{}: {}", experiment.algorithm, list(experiment.variants.clone()))];
    parts.push(format!("n = {}", experiment.sizes));
    parts.push(format!(
        "block {}",
        list(experiment.blocks.iter().map(|it| it.get().to_string()).collect())
    ));
    parts.push(format!(
        "coarsening {}",
        list(experiment.coarsenings.iter().map(ToString::to_string).collect())
    ));
    for (name, values) in &experiment.params {
        parts.push(format!("{name} {}", list(values.iter().map(ToString::to_string).collect())));
    }
    parts.push(format!("input {}", experiment.dist));
    parts.join(" · ")
}

/// Columns of a counter's value.
const NUMBER: usize = 18;

/// The counters behind all causes that can be chosen, of the cases side by side: which of them
/// decides is the question.
pub(super) fn counters(ui: &Ui, page: &mut Doc, open: &Open, question: &Question, value: &str) {
    let session = &open.session;
    let lesson = session.lesson();
    let Some(formula) = lesson.values.get(value) else { return };
    let Measure::Cause { of, over } = &formula.measure else { return };
    let Some(trial) = lesson.experiments.get(&formula.experiment) else { return };
    let case = |select: &Select| trial.cases.iter().find(|case| select.takes(case));
    let cases: Vec<&Case> = std::iter::once(of).chain(over).filter_map(case).collect();
    let Some(first) = cases.first() else { return };
    let mut wanted: Vec<Counter> = Vec::new();
    for option in &question.options {
        if let Right::Cause(reason) = &option.right {
            for counter in reason.cause.counters() {
                if !wanted.contains(counter) {
                    wanted.push(*counter);
                }
            }
        }
    }
    let number = |case: &Case, counter: Counter| -> Option<u64> {
        let counted = session.results().get(case)?.subject().counted?;
        Some(counted.counters.get(counter).unwrap_or_default())
    };
    let other = |at: usize| cases.get(1 - at.min(1)).copied().unwrap_or(first);
    let head: String = cases
        .iter()
        .enumerate()
        .map(|(at, case)| {
            let name =
                if cases.len() > 1 { words::column(case, other(at)) } else { case.variant.clone() };
            format!("{:>NUMBER$}", fit(&name, NUMBER as u16 - 2))
        })
        .collect();
    page.gap();
    let n = format!("at n = {}", Elements(first.n));
    page.text_row(ui, &row(&n, &head, cases.len(), page.room()), ui.theme.dim);
    let times: String = cases
        .iter()
        .map(|case| {
            let seconds = session.results().get(case).and_then(|it| formula.time.of(&it.record));
            format!("{:>NUMBER$}", seconds.map_or("–".to_owned(), |it| Seconds(it).to_string()))
        })
        .collect();
    page.text_row(ui, &row("time", &times, cases.len(), page.room()), ui.theme.base);
    for counter in wanted {
        let numbers: Vec<Option<u64>> = cases.iter().map(|case| number(case, counter)).collect();
        if numbers.iter().all(|number| *number == Some(0)) {
            continue;
        }
        let numbers: String = numbers
            .into_iter()
            .map(|number| format!("{:>NUMBER$}", number.map_or("–".to_owned(), grouped)))
            .collect();
        page.text_row(ui, &row(counter.label(), &numbers, cases.len(), page.room()), ui.theme.base);
    }
}

fn row(name: &str, numbers: &str, columns: usize, room: u16) -> String {
    let left = usize::from(room).saturating_sub(NUMBER * columns).min(36);
    format!("{:<left$}{numbers}", fit(name, left as u16))
}

/// The values of a text by the student's results and by the recording; behind the last step
/// also what the published claim came to.
pub(super) fn recorded(ui: &Ui, page: &mut Doc, open: &Open, step: &Step) {
    let session = &open.session;
    let lesson = session.lesson();
    let values = beside::values(session, prose::values(&step.text));
    if !values.is_empty() {
        page.gap();
        let source = beside::source(session);
        let row = |here: &str, recorded: &str, apart: &str, name: &str| {
            format!("{here:>10}  {recorded:>14}  {apart:>7}  {name}")
        };
        page.text_row(ui, &row(&fit(&source, 10), RECORDED, "", ""), ui.theme.dim);
        for both in values {
            let start = row(&both.here, &both.recorded, &both.apart, "");
            page.item(ui, &[(&start, ui.theme.base)], &both.name, ui.theme.dim, None);
        }
    }
    if session.is_last() && !session.recorded().is_empty() {
        let value = |name: &str| session.recorded_text(name);
        page.gap();
        page.prose(ui, &lesson.claim.today, &value, "");
        if let Some(tally) = beside::tally(session) {
            page.gap();
            page.text(ui, &tally, ui.theme.base);
        }
    }
}

/// The explanation of a cause, computed now.
pub(super) fn explanation(ui: &Ui, page: &mut Doc, open: &Open, value: &str) {
    page.gap();
    match open.session.value(value) {
        Ok(Value::Cause(explanation)) => explained(ui, page, &explanation),
        Ok(_) => {}
        Err(missing) => page.text(ui, &missing.to_string(), ui.theme.dim),
    }
}

fn explained(ui: &Ui, page: &mut Doc, explanation: &Explanation) {
    page.text(ui, &explanation.headline, ui.theme.title);
    for reason in &explanation.reasons {
        page.text(ui, reason, ui.theme.base);
    }
    for cost in explanation.costs.iter().take(2) {
        let each = cost.without.iter().zip(&cost.of).zip(&explanation.cases);
        let told: Vec<String> = each
            .map(|((without, of), case)| {
                format!("{case} {} instead of {}", Seconds(*without), Seconds(*of))
            })
            .collect();
        page.text(
            ui,
            &format!("Without {}: {} (model).", cost.cause, told.join(", ")),
            ui.theme.dim,
        );
    }
}

/// The parameters to change, the goal, and what was tried.
pub(super) fn change(ui: &Ui, page: &mut Doc, open: &Open, change: &Change) {
    page.gap();
    let theme = &ui.theme;
    let from = page.rows();
    for (at, (axis, values)) in change.axes.iter().enumerate() {
        let here = at == open.setting.axis;
        let start = open.start(axis);
        let chosen = open.setting.value.filter(|_| here).or(start);
        let told: Vec<String> = values
            .iter()
            .enumerate()
            .map(|(at, value)| {
                let is_start = if start == Some(at) { "=" } else { "" };
                if chosen == Some(at) {
                    format!("[{value}{is_start}]")
                } else {
                    format!("{value}{is_start}")
                }
            })
            .collect();
        let mark = if here { "▸ " } else { "  " };
        let style = if here { theme.selected } else { theme.base };
        let text = format!("{axis:<10} {}", told.join("  "));
        page.item(ui, &[(mark, theme.accent)], &text, style, Some(Command::Pick(at)));
    }
    page.text(ui, "= is where it starts; the other parameters stay there", theme.dim);
    page.gap();
    let session = &open.session;
    for rule in &change.goal {
        let Some(formula) = session.lesson().values.get(&rule.value) else { continue };
        let goal = bounds(&rule.bounds, formula.unit());
        page.text(ui, &format!("goal: {} {goal}", words::label(formula)), theme.title);
        let found = open.changed().and_then(|(axis, value, trial)| {
            let value_now = value::of(formula, &trial.ok()?.cases, session.results()).ok()?;
            Some((axis, value, value_now.text(formula.unit()), value_now.holds(&rule.bounds)))
        });
        if let Some((axis, value, text, holds)) = found {
            let (word, style) = if holds { ("✓ ", theme.good) } else { ("✗ ", theme.bad) };
            page.item(
                ui,
                &[(word, style)],
                &format!("with {axis} = {value}: {text}"),
                theme.base,
                None,
            );
        }
    }
    tries(ui, page, open);
    page.see(from);
}

/// What was tried before.
fn tries(ui: &Ui, page: &mut Doc, open: &Open) {
    let Some(step) = open.session.step() else { return };
    let given = open.session.answers(&step.id);
    let tried: Vec<String> = given
        .iter()
        .filter_map(|given| match (&given.answer, given.mark) {
            (Answer::Change { axis, value }, Some(Mark::Right)) => {
                Some(format!("{axis} {value} ✓"))
            }
            (Answer::Change { axis, value }, _) => Some(format!("{axis} {value} ✗")),
            _ => None,
        })
        .collect();
    if !tried.is_empty() {
        page.text(ui, &format!("tried: {}", tried.join(" · ")), ui.theme.dim);
    }
}

/// Bounds in words.
fn bounds(bounds: &Bounds, unit: Option<Unit>) -> String {
    let number = |number: f64| match unit {
        Some(Unit::Times) => format!("{}×", significant(number)),
        Some(Unit::Seconds) => Seconds(number).to_string(),
        _ => significant(number),
    };
    let mut parts = Vec::new();
    if let Some(least) = bounds.least {
        parts.push(format!("at least {}", number(least)));
    }
    if let Some(most) = bounds.most {
        parts.push(format!("at most {}", number(most)));
    }
    if let Some(word) = &bounds.is {
        parts.push(word.clone());
    }
    parts.join(" and ")
}

/// The kernel to write, and what the last attempt came to.
pub(super) fn write(ui: &Ui, page: &mut Doc, open: &Open, write: &Write) {
    page.gap();
    let theme = &ui.theme;
    let lesson = open.session.lesson();
    if let Some(trial) = lesson.experiments.get(&write.experiment) {
        let beat = trial.experiment.variants.join(", ");
        let goal = format!(
            "goal: right results, and at least {}× as fast as {beat}",
            significant(write.faster)
        );
        page.text(ui, &goal, theme.title);
        page.text(ui, &in_words(&trial.experiment), theme.dim);
    }
    if let Some(path) = state::kernel(ui.model) {
        page.text(ui, &format!("your file: {}", path.display()), theme.base);
    }
    let step = open.session.step();
    let mark = step.and_then(|step| open.session.mark(&step.id)).map(|mark| match mark {
        Mark::Near => ("≈ right, but too slow", theme.warn),
        other => marked(ui, other),
    });
    let says = &open.kernel.says;
    if !says.is_empty() {
        page.gap();
    }
    let from = page.rows();
    // What does not compile has no verdict; the one before it was on another text.
    if let Some((word, style)) = mark.filter(|_| says.is_empty() || open.kernel.tried) {
        page.text(ui, word, style);
    }
    for line in says {
        page.text(ui, line, theme.base);
    }
    if !says.is_empty() {
        page.see(from);
    }
}
