//! How the file shows: on the line of progress, and as text with what is wrong with it.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::app::model::{Level, Model, Screen};
use crate::tui::own::state::{Own, Problem, Stage};
pub(crate) use crate::tui::own::update::is_text_shown as is_shown;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::source::pane::{self, Emphasis};
use crate::tui::widgets::ui::{Ui, width, wrap};

/// Columns of a mark: those of the percentage and its bar.
const MARK: u16 = 9;

/// What is going on with the file, for the line of progress; nothing once it runs.
pub(crate) fn progress(model: &Model) -> Option<String> {
    let own = model.own.as_ref()?;
    let (name, next) = (&own.name, own.version);
    // Counts of the last sweep are those of another text.
    let stays = || format!("{name}: the chart shows {}, the last version that ran", own.label());
    match own.stage {
        Stage::Compiling => Some(format!("{name}: compiling …")),
        Stage::Broken if own.version == 0 => Some(format!("{name}: saving it tries again")),
        Stage::Checking => Some(format!("{name}: checking v{next} at a small size …")),
        Stage::Broken | Stage::Gone(_) if model.run.is_none() && next > 0 => Some(stays()),
        Stage::Broken | Stage::Ready | Stage::Gone(_) => None,
    }
}

/// What is wrong with the file, where nothing else is to be told.
pub(crate) fn notice(model: &Model) -> Option<(String, Level)> {
    // The Source screen has all of it above that line.
    let above = model.screen == Screen::Source && is_shown(model);
    let own = model.own.as_ref().filter(|_| !above)?;
    let bad = own.has_errors() || matches!(own.stage, Stage::Gone(_));
    own.says().map(|text| (text, if bad { Level::Bad } else { Level::Info }))
}

/// The name and version, for the header.
pub(crate) fn header(own: &Own) -> String {
    match own.version {
        0 => own.name.clone(),
        _ => format!("{} {}", own.name, own.label()),
    }
}

/// Draws the text of the file on the Source screen, if it shows that now; the sentence for
/// the line under the cursor.
pub(crate) fn draw(ui: &mut Ui, area: Rect) -> Option<String> {
    let own = ui.model.own.as_ref().filter(|_| is_shown(ui.model))?;
    let cursor = profile::cursor(ui.model);
    let kept = if own.version > 0 {
        format!(" · {} stays on the chart", own.label())
    } else {
        String::new()
    };
    let errors = own.problems.len();
    let found = if errors == 1 { "1 message".to_owned() } else { format!("{errors} messages") };
    let inner = ui.panel(area, &format!("{} · {found}{kept}", own.name), true);
    let lines = &own.listing.lines;
    let number = lines.get(cursor).map_or(0, |line| line.number);
    let here = own.on_line(number).or_else(|| own.first());
    let told = here.map(|problem| told(problem, inner)).unwrap_or_default();
    let split = told.len() as u16 + u16::from(!told.is_empty());
    let inner = Rect { height: inner.height - split, ..inner };
    let below = Rect { y: inner.bottom() + 1, height: split.saturating_sub(1), ..inner };
    let style = if here.is_some_and(|it| it.warning) { ui.theme.warn } else { ui.theme.bad };
    ui.lines(below, told.into_iter().map(|line| (line, style)));
    let top = pane::top(cursor, lines.len(), usize::from(inner.height));
    for (y, (index, line)) in (inner.y..inner.bottom()).zip(lines.iter().enumerate().skip(top)) {
        let row = Rect { y, height: 1, ..inner };
        let emphasis = if index == cursor { Emphasis::Cursor } else { Emphasis::None };
        pane::draw_line(ui, row, (&own.listing, line), 0.0, emphasis, " ");
        mark(ui, row, own, line.number);
        ui.hit(row, Command::Row(index));
    }
    Some("n goes to the next message · E opens your editor here · saving tries again".to_owned())
}

/// The message in lines: all of it where there is room, at most half of the panel.
fn told(problem: &Problem, inner: Rect) -> Vec<String> {
    let place = problem.line.map(|line| format!("line {line}: ")).unwrap_or_default();
    let text = format!("{place}{}", problem.text);
    // Columns stay columns where they fit.
    let lines = text.lines().flat_map(|line| match width(line) {
        wide if wide <= inner.width => vec![line.to_owned()],
        _ => wrap(line, inner.width),
    });
    lines.take(usize::from(inner.height / 2)).collect()
}

/// Marks a line with what is wrong on it, in the columns of the heat.
pub(crate) fn mark(ui: &mut Ui, row: Rect, own: &Own, line: u32) {
    let Some(problem) = own.on_line(line) else { return };
    let (word, style) =
        if problem.warning { ("warning", ui.theme.warn) } else { ("error", ui.theme.bad) };
    ui.text(row.x, row.y, MARK, &format!("{word:<width$}", width = usize::from(MARK)), style);
}
