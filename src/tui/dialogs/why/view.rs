//! The box behind `w`: why one of two results is the faster one, the counters
//! that say so, and the experiment that would test it.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::analysis::explain::{Cost, Evidence, Explanation, Silence};
use crate::tui::app::action::Command;
use crate::tui::dialogs::why::counting;
use crate::tui::dialogs::why::state::pairs;
use crate::tui::widgets::ui::{Ui, fit, wrap};
use crate::units::{Seconds, grouped};

/// Columns of the box, where the screen has them.
const WIDTH: u16 = 96;

/// Draws it over `area`.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let room = WIDTH.min(area.width).saturating_sub(4);
    let found = counting::explanation(ui.model);
    let progress = counting::progress(ui.model);
    let mut lines = match &found {
        Some(Ok(explanation)) => told(ui, explanation, room),
        Some(Err(silence)) => silent(ui, silence, progress.is_some(), room),
        None => plain(ui, "Nothing to explain yet: press r to run.", room),
    };
    if let Some(progress) = &progress {
        lines.push((String::new(), ui.theme.base));
        lines.extend(wrap(progress, room).into_iter().map(|line| (line, ui.theme.accent)));
    }
    let many = pairs(&ui.model.chart).len();
    let title = match many {
        0 | 1 => "Why".to_owned(),
        many => format!("Why · pair {} of {many}", ui.model.why.at.min(many - 1) + 1),
    };
    let next = found.and_then(Result::ok).and_then(|it| counting::test(ui.model, &it));
    let inner = ui.dialog(area, WIDTH, lines.len() as u16 + 5, &title);
    ui.lines(Rect::new(inner.x + 1, inner.y + 1, room, inner.height.saturating_sub(3)), lines);
    let y = inner.bottom().saturating_sub(1);
    let mut x = inner.x + 1;
    if next.is_some() && !ui.model.read_only {
        x = ui.button(x, y, 16, " Enter test it ", ui.theme.selected, Command::Enter) + 2;
    }
    if many > 1 {
        x = ui.button(x, y, 11, " ← → pair ", ui.theme.accent, Command::Right) + 2;
    }
    ui.button(x, y, 12, " Esc close ", ui.theme.accent, Command::Cancel);
}

type Lines = Vec<(String, Style)>;

fn plain(ui: &Ui, text: &str, room: u16) -> Lines {
    wrap(text, room).into_iter().map(|line| (line, ui.theme.base)).collect()
}

fn told(ui: &Ui, explanation: &Explanation, room: u16) -> Lines {
    let (base, dim) = (ui.theme.base, ui.theme.dim);
    let mut lines = Lines::new();
    let mut paragraph = |text: &str, style: Style| {
        lines.extend(wrap(&ui.set(text), room).into_iter().map(|line| (line, style)));
    };
    paragraph(&explanation.headline, ui.theme.title);
    if let Some(verdict) = &ui.model.why.verdict {
        let style = if verdict.is_confirmed() { ui.theme.good } else { ui.theme.bad };
        paragraph(&format!("Test: {}.", verdict.says), base);
        paragraph(&verdict.to_string(), style);
    }
    for reason in &explanation.reasons {
        paragraph(reason, base);
    }
    let tested = ui.model.why.verdict.is_some();
    if let Some(next) = counting::test(ui.model, explanation).filter(|_| !tested) {
        let expected = next.expectation().unwrap_or_default();
        paragraph(&format!("To test it: {}; {expected}.", next.says), base);
    }
    if !explanation.costs.is_empty() {
        lines.push((String::new(), base));
        lines.push((heading("time without one cause (model)", explanation, room), dim));
        lines.extend(explanation.costs.iter().map(|cost| (cost_row(cost, room), base)));
    }
    if !explanation.evidence.is_empty() {
        lines.push((String::new(), base));
        lines.push((heading("counted by the emulator", explanation, room), dim));
        lines.extend(explanation.evidence.iter().map(|evidence| (row(evidence, room), base)));
    }
    lines
}

/// What the cases take without one cause.
fn cost_row(cost: &Cost, room: u16) -> String {
    let each = cost.without.iter().zip(&cost.of);
    let numbers: String = each
        .map(|(without, of)| {
            format!("{:>NUMBER$}", format!("{} of {}", Seconds(*without), Seconds(*of)))
        })
        .collect();
    columns(&format!("without {}", cost.cause), &numbers, cost.of.len(), room)
}

/// Columns of a number and its gap.
const NUMBER: usize = 20;

fn row(evidence: &Evidence, room: u16) -> String {
    let name = evidence.counter.to_string();
    let numbers: String =
        evidence.values.iter().map(|value| format!("{:>NUMBER$}", grouped(*value))).collect();
    columns(&name, &numbers, evidence.values.len(), room)
}

/// Who is who in the columns: the slower case comes first.
fn heading(name: &str, explanation: &Explanation, room: u16) -> String {
    let cases = &explanation.cases;
    let named: String =
        cases.iter().map(|case| format!("{:>NUMBER$}", fit(case, NUMBER as u16 - 2))).collect();
    columns(name, &named, cases.len(), room)
}

fn columns(name: &str, numbers: &str, count: usize, room: u16) -> String {
    let left = usize::from(room).saturating_sub(NUMBER * count).min(40);
    format!("{:<left$}{numbers}", fit(name, left as u16))
}

fn silent(ui: &Ui, silence: &Silence, counting: bool, room: u16) -> Lines {
    let mut text = match silence {
        Silence::NoCounters(case) if counting => format!(
            "A GPU's timer gives the time of {case}, not its cause. The emulator counts what the \
             kernel does."
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
