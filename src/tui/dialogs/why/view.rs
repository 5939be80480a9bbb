//! The box behind `w`: why one of two results is the faster one, the counters
//! that say so, and the experiment that would test it.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::analysis::explain::{Evidence, Explanation, Silence};
use crate::tui::app::action::Command;
use crate::tui::dialogs::why::state as why;
use crate::tui::widgets::ui::{Ui, fit, wrap};
use crate::units::grouped;

/// Columns of the box, where the screen has them.
const WIDTH: u16 = 96;

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let room = WIDTH.min(area.width).saturating_sub(4);
    let found = why::explain(&ui.model.chart);
    let lines = match &found {
        Some(Ok(explanation)) => told(ui, explanation, room),
        Some(Err(silence)) => silent(ui, silence, room),
        None => plain(ui, "Nothing to explain yet: press r to run.", room),
    };
    let next = found.and_then(Result::ok).and_then(|explanation| explanation.next);
    let inner = ui.dialog(area, WIDTH, lines.len() as u16 + 5, "Why");
    ui.lines(Rect::new(inner.x + 1, inner.y + 1, room, inner.height.saturating_sub(3)), lines);
    let y = inner.bottom().saturating_sub(1);
    let mut x = inner.x + 1;
    if next.is_some() && !ui.model.read_only {
        x = ui.button(x, y, 16, " Enter test it ", ui.theme.selected, Command::Enter) + 2;
    }
    ui.button(x, y, 12, " Esc close ", ui.theme.accent, Command::Cancel);
}

type Lines = Vec<(String, Style)>;

fn plain(ui: &Ui, text: &str, room: u16) -> Lines {
    wrap(text, room).into_iter().map(|line| (line, ui.theme.base)).collect()
}

fn told(ui: &Ui, explanation: &Explanation, room: u16) -> Lines {
    let (base, dim) = (ui.theme.base, ui.theme.dim);
    let mut lines: Lines = wrap(&ui.set(&explanation.headline), room)
        .into_iter()
        .map(|line| (line, ui.theme.title))
        .collect();
    for (index, reason) in explanation.reasons.iter().enumerate() {
        if index > 0 {
            lines.push((String::new(), base));
        }
        lines.extend(wrap(&reason.to_string(), room).into_iter().map(|line| (line, base)));
    }
    lines.push((String::new(), base));
    lines.push((heading(explanation, room), dim));
    lines.extend(explanation.evidence.iter().map(|evidence| (row(evidence, room), base)));
    if let Some(next) = &explanation.next {
        lines.push((String::new(), base));
        let text = format!("To test it: {}.", next.says);
        lines.extend(wrap(&ui.set(&text), room).into_iter().map(|line| (line, base)));
    }
    lines
}

/// Columns of a number and its gap.
const NUMBER: usize = 20;

fn row(evidence: &Evidence, room: u16) -> String {
    let name = evidence.counter.to_string();
    let numbers: String =
        evidence.values.iter().map(|value| format!("{:>NUMBER$}", grouped(*value))).collect();
    columns(&name, &numbers, evidence.values.len(), room)
}

/// Who is who in the columns: the slower case was given first.
fn heading(explanation: &Explanation, room: u16) -> String {
    let cases: Vec<&str> = explanation.reasons.iter().map(|reason| reason.case.as_str()).collect();
    let columns_shown = explanation.evidence.first().map_or(0, |evidence| evidence.values.len());
    let named: String = (0..columns_shown)
        .map(|at| {
            let case = cases.get(at).copied().unwrap_or("the faster one");
            format!("{:>NUMBER$}", fit(case, NUMBER as u16 - 2))
        })
        .collect();
    columns("counted by the emulator", &named, columns_shown, room)
}

fn columns(name: &str, numbers: &str, count: usize, room: u16) -> String {
    let left = usize::from(room).saturating_sub(NUMBER * count).min(40);
    format!("{:<left$}{numbers}", fit(name, left as u16))
}

fn silent(ui: &Ui, silence: &Silence, room: u16) -> Lines {
    let mut text = match silence {
        Silence::NoCounters(case) => format!(
            "A GPU's timer says how long {case} took, not why. The emulator counts what a kernel \
             does: set Backend to emulator in the form, press r, and then w again."
        ),
        other => {
            let mut text = other.to_string();
            text.push('.');
            text
        }
    };
    if let Some(first) = text.get(..1).map(str::to_uppercase) {
        text.replace_range(..1, &first);
    }
    plain(ui, &text, room)
}
