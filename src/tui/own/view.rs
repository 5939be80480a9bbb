//! How the file shows: on the line of progress, and as text with what is wrong with it.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::app::model::{Level, Model};
use crate::tui::own::state::{Own, Stage};
use crate::tui::own::update::is_text_shown;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::source::pane::{self, Emphasis};
use crate::tui::widgets::ui::Ui;

/// What is going on with the file, for the line of progress; nothing once it runs.
pub(crate) fn progress(own: &Own) -> Option<String> {
    let (name, next) = (&own.name, own.version);
    match own.stage {
        Stage::Compiling => Some(format!("{name}: compiling …")),
        Stage::Checking => Some(format!("{name}: checking v{next} at a small size …")),
        Stage::Broken | Stage::Ready | Stage::Gone(_) => None,
    }
}

/// What is wrong with the file, where nothing else is to be told.
pub(crate) fn notice(model: &Model) -> Option<(String, Level)> {
    let own = model.own.as_ref()?;
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
    let own = ui.model.own.as_ref().filter(|_| is_text_shown(ui.model))?;
    let cursor = profile::cursor(ui.model);
    let kept = if own.version > 0 { format!(" · {} stays on the chart", own.label()) } else { String::new() };
    let errors = own.problems.len();
    let found = if errors == 1 { "1 message".to_owned() } else { format!("{errors} messages") };
    let inner = ui.panel(area, &format!("{} · {found}{kept}", own.name), true);
    let lines = &own.listing.lines;
    let top = pane::top(cursor, lines.len(), usize::from(inner.height));
    for (y, (index, line)) in (inner.y..inner.bottom()).zip(lines.iter().enumerate().skip(top)) {
        let row = Rect { y, height: 1, ..inner };
        let emphasis = if index == cursor { Emphasis::Cursor } else { Emphasis::None };
        pane::draw_line(ui, row, (&own.listing, line), 0.0, emphasis, " ");
        ui.hit(row, Command::Row(index));
    }
    let number = lines.get(cursor).map_or(0, |line| line.number);
    let here = own.on_line(number).map(|problem| problem.text.clone());
    Some(here.or_else(|| own.says()).unwrap_or_default())
}
