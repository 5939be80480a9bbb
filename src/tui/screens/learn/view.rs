//! Draws a lesson: what to read and to answer on the left or above, what is to be seen beside
//! or below it; in one line what to do now.

mod doc;
mod list;
mod picture;
mod result;
mod step;

use ratatui::layout::Rect;

use crate::lessons::Task;
use crate::tui::app::model::Level;
use crate::tui::screens::learn::state::{self, Open};
use crate::tui::screens::learn::todo;
use crate::tui::widgets::ui::{Ui, width};
use crate::tui::widgets::{header, status};
use doc::Doc;

/// Columns from which on text and picture stand side by side.
const WIDE: u16 = 110;

/// Columns that are good to read at most.
const MOST_READ: u16 = 90;

/// Fewest rows of a picture below the text, and of the one that a run is about.
const LEAST_PICTURE: u16 = 8;
const LEAST_RESULT: u16 = 12;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let row = |y: u16, height: u16| Rect::new(area.x, area.y + y, area.width, height);
    header::draw(ui, row(0, 1));
    bar(ui, row(1, 1));
    let body = row(2, area.height.saturating_sub(5));
    match state::open(ui.model) {
        None => list::draw(ui, body),
        Some(open) => draw_step(ui, body, open),
    }
    let now = row(area.height - 3, 1);
    let x = ui.text(now.x + 1, now.y, now.width, "▸ ", ui.theme.accent);
    let text = todo::now(ui.model);
    ui.text(x, now.y, now.right().saturating_sub(x + 1), &text, ui.theme.title);
    draw_status(ui, row(area.height - 2, 1));
    status::draw_keys(ui, row(area.height - 1, 1));
}

/// The lesson, how far it is, and the kind of the step.
fn bar(ui: &mut Ui, area: Rect) {
    let Some(open) = state::open(ui.model) else {
        let text = "Lessons: predict, run, observe, explain";
        ui.text(area.x + 1, area.y, area.width - 1, text, ui.theme.title);
        return;
    };
    let steps = open.session.lesson().steps.len();
    let at = open.session.at();
    let kind = open.session.step().map_or("", |step| step.task.name());
    let place = format!("step {} of {steps} · {kind} ", at + 1);
    let filled = (at + 1).min(steps);
    let wide = steps.min(20);
    let full = (wide * filled).checked_div(steps).unwrap_or(0);
    let right = area.right().saturating_sub(width(&place) + wide as u16 + 1);
    let title = &open.session.lesson().title;
    ui.text(area.x + 1, area.y, right.saturating_sub(area.x + 2), title, ui.theme.title);
    let x = ui.text(right, area.y, width(&place), &place, ui.theme.base);
    let x = ui.text(x, area.y, wide as u16, &"█".repeat(full), ui.theme.bars);
    ui.text(x, area.y, wide as u16, &"░".repeat(wide - full), ui.theme.bars);
}

/// The page of a step, and its picture.
fn draw_step(ui: &mut Ui, area: Rect, open: &Open) {
    let Some(step) = open.session.step() else { return };
    let shown = picture::of(ui, open);
    let side_by_side = area.width >= WIDE && shown.is_some();
    let outer = match (&shown, side_by_side) {
        (Some(_), true) => Rect { width: area.width / 2, ..area },
        _ => area,
    };
    let room = outer.width.saturating_sub(4).min(MOST_READ);
    let page = step::page(ui, open, step, room);
    let rows = page.rows() + 2;
    let below = shown.is_some() && !side_by_side;
    let least = match &step.task {
        Task::Run { experiment, .. }
            if open.running.is_some() || open.session.missing(experiment).is_empty() =>
        {
            LEAST_RESULT
        }
        _ => LEAST_PICTURE,
    };
    let most = if below { area.height.saturating_sub(least) } else { area.height };
    let high = if side_by_side { area.height } else { rows.min(most.max(3)) };
    let high = if shown.is_none() { area.height } else { high };
    let outer = Rect { height: high, ..outer };
    let inner = ui.panel(outer, &step.title, true);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2).min(room), ..inner };
    page.draw(ui, inner, open.scroll);
    if let Some(shown) = shown {
        let rest = if side_by_side {
            Rect { x: outer.right(), width: area.width - outer.width, ..area }
        } else {
            Rect { y: outer.bottom(), height: area.height - outer.height, ..area }
        };
        picture::draw(ui, rest, open, shown);
    }
}

/// What was answered last, the progress of a run, or how far the lesson is.
fn draw_status(ui: &mut Ui, area: Rect) {
    let model = ui.model;
    if let Some(notice) = &model.notice {
        let (mark, style) = match notice.level {
            Level::Info => ("", ui.theme.base),
            Level::Good => ("✓ ", ui.theme.good),
            Level::Bad => ("✗ ", ui.theme.bad),
        };
        let text = ui.set(&notice.text).into_owned();
        ui.text(area.x + 1, area.y, area.width - 2, &format!("{mark}{text}"), style);
    } else if let Some(run) = &model.run {
        status::draw_run(ui, area, run);
    } else if let Some(open) = state::open(model) {
        let text = result::summary(open);
        ui.text(area.x + 1, area.y, area.width - 2, &text, ui.theme.dim);
    }
}
