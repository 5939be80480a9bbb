//! The page of a step: its text, its hints, what can be answered, and what the results say.

use ratatui::style::Style;

use crate::figure::pen::Pen;
use crate::lessons::grade::Answer;
use crate::lessons::{Ask, Formula, Question, Right, Step, Task};
use crate::tui::app::action::Command;
use crate::tui::screens::learn::draft::{MOST_SURE, Stage, sure};
use crate::tui::screens::learn::state::Open;
use crate::tui::screens::learn::update::digits;
use crate::tui::screens::learn::view::doc::Doc;
use crate::tui::screens::learn::view::result;
use crate::tui::theme::Theme;
use crate::tui::widgets::ui::Ui;
use crate::units::{Elements, Seconds, significant};

/// The page, in lines of this many cells.
pub(super) fn page(ui: &Ui, open: &Open, step: &Step, room: u16) -> Doc {
    let mut page = Doc::new(room);
    let value = |name: &str| open.session.shown(name);
    page.prose(ui, &step.text, &value, "");
    let hints = open.session.hints(&step.id);
    if !hints.is_empty() {
        page.gap();
    }
    let before = page.rows();
    for (at, hint) in hints.iter().enumerate() {
        page.prose(ui, hint, &value, &format!("hint {}  ", at + 1));
    }
    if !hints.is_empty() {
        page.see(before);
    }
    match &step.task {
        Task::Say => result::recorded(ui, &mut page, open, step),
        Task::Predict(question) | Task::Observe(question) => {
            answers(ui, &mut page, open, (step, question));
        }
        Task::Why { question, value } => {
            result::counters(ui, &mut page, open, question, value);
            answers(ui, &mut page, open, (step, question));
            if open.session.is_revealed(&step.id) {
                result::explanation(ui, &mut page, open, value);
                if !open.asks() || open.told {
                    page.see_on();
                }
            }
        }
        Task::Run { experiment, .. } => result::run(ui, &mut page, open, experiment),
        Task::Change(change) => result::change(ui, &mut page, open, change),
        Task::Write(write) => result::write(ui, &mut page, open, write),
    }
    page
}

/// The options with the cursor, or the answer that is locked.
fn answers(ui: &Ui, page: &mut Doc, open: &Open, (step, question): (&Step, &Question)) {
    page.gap();
    let theme = &ui.theme;
    let given = open.session.answers(&step.id).last();
    let asks = open.asks();
    if matches!(question.ask, Ask::Cell { .. } | Ask::Draw { .. }) {
        pointed(ui, page, open, question);
    } else {
        let chosen = match given.map(|given| &given.answer) {
            Some(Answer::Choice(key)) if !asks => {
                question.options.iter().position(|option| option.key == *key)
            }
            _ => Some(open.draft.option),
        };
        let truth = open.session.truth(&step.id).and_then(Result::ok);
        let truth = truth.filter(|_| open.session.is_revealed(&step.id));
        let digits = digits(ui.model);
        let from = page.rows();
        for (at, option) in question.options.iter().enumerate() {
            let here = chosen == Some(at);
            // Once a cause is found, the explanation needs the room of the others.
            if matches!(step.task, Task::Why { .. }) && !asks {
                continue;
            }
            let style = match here {
                true if asks && open.draft.stage == Stage::Choose => theme.selected,
                true => theme.title,
                false => theme.base,
            };
            let pen = Pen::of_variant(at);
            let marker = if matches!(option.right, Right::Curve(_)) {
                (format!("{} ", Theme::marker(pen)), theme.curve(pen))
            } else {
                (String::new(), theme.base)
            };
            let number = match digits {
                Some(_) => format!("{}) ", at + 1),
                None => String::new(),
            };
            let right = truth.as_ref().is_some_and(|truth| truth.keys.contains(&option.key));
            let mark: [(&str, Style); 4] = [
                (if here { "▸ " } else { "  " }, theme.accent),
                (&number, theme.dim),
                (if right { "✓ " } else { "" }, theme.good),
                (&marker.0, marker.1),
            ];
            page.item(ui, &mark, &option.text, style, Some(Command::Pick(at)));
        }
        if asks {
            let row = chosen.unwrap_or(0) as u16;
            // Where not all is in sight, the option under the cursor and those before it are.
            if row > 0 || open.draft.stage != Stage::Choose {
                page.see(from);
            }
        }
    }
    confidence(ui, page, open, step);
    result::verdict(ui, page, open, step, question);
}

/// The cell or the point under the cursor.
fn pointed(ui: &Ui, page: &mut Doc, open: &Open, question: &Question) {
    if !open.asks() {
        return;
    }
    let draft = &open.draft;
    let text = match question.options.get(draft.option).map(|option| &option.right) {
        Some(Right::Cell { block, coarsen }) => {
            format!("▸ block {block}, coarsening {coarsen}")
        }
        _ => match draft.points.get(draft.point) {
            Some((n, value)) => {
                let unit = open.session.lesson().values.get(question.ask.value().unwrap_or(""));
                let value = match unit.and_then(Formula::unit) {
                    Some(crate::lessons::Unit::Seconds) => Seconds(*value).to_string(),
                    Some(crate::lessons::Unit::Times) => format!("{}×", significant(*value)),
                    _ => significant(*value),
                };
                format!("▸ n = {}: {value}", Elements(*n))
            }
            None => return,
        },
    };
    page.text(ui, &text, ui.theme.title);
}

/// How sure the student is, while that is asked and after the answer is locked.
fn confidence(ui: &Ui, page: &mut Doc, open: &Open, step: &Step) {
    let given = open.session.answers(&step.id).last().and_then(|given| given.confidence);
    let asked =
        (open.asks() && open.draft.stage != Stage::Choose && matches!(step.task, Task::Predict(_)))
            .then_some(open.draft.confidence);
    let Some(level) = given.filter(|_| !open.asks()).or(asked) else { return };
    page.gap();
    let from = page.rows();
    if open.asks() {
        let mut parts = vec![("how sure: ".to_owned(), ui.theme.dim)];
        parts.extend((1..=MOST_SURE).map(|it| match it == level {
            true if open.draft.stage == Stage::Confidence => {
                (format!("[{it} {}]", sure(it)), ui.theme.selected)
            }
            true => (format!("[{it} {}]", sure(it)), ui.theme.title),
            false => (format!(" {it} {} ", sure(it)), ui.theme.base),
        }));
        page.row(parts);
    } else {
        page.item(ui, &[("how sure: ", ui.theme.dim)], sure(level), ui.theme.base, None);
    }
    if open.asks() && open.draft.stage == Stage::Lock {
        page.text(
            ui,
            "Lock this prediction? Enter locks it for good, Esc changes it.",
            ui.theme.warn,
        );
    }
    if open.asks() {
        page.see(from);
    }
}
