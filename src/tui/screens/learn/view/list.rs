//! The list of lessons, and what the chosen one is about.

use ratatui::layout::Rect;

use crate::tui::app::action::Command;
use crate::tui::screens::learn::state::Entry;
use crate::tui::screens::learn::view::{Doc, MOST_READ};
use crate::tui::widgets::ui::{Ui, fit, width};

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let Some(learn) = &ui.model.learn else { return };
    let rows = learn.lessons.len() + learn.problems.len();
    let high = (rows as u16 + 2).clamp(3, area.height.saturating_sub(8).max(3));
    let upper = Rect { height: high, ..area };
    let inner = ui.panel(upper, "lessons", true);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let page = usize::from(inner.height);
    let top = (learn.row + 1).saturating_sub(page);
    for (y, (at, entry)) in
        (inner.y..inner.bottom()).zip(learn.lessons.iter().enumerate().skip(top))
    {
        draw_row(ui, Rect { y, height: 1, ..inner }, entry, at == learn.row);
        ui.hit(Rect { y, height: 1, ..inner }, Command::Pick(at));
    }
    let free = inner.y + (learn.lessons.len() - top.min(learn.lessons.len())) as u16;
    for (y, problem) in (free..inner.bottom()).zip(&learn.problems) {
        let text = format!("✗ {problem}");
        ui.text(inner.x, y, inner.width, &text, ui.theme.bad);
    }
    let lower = Rect { y: upper.bottom(), height: area.height - upper.height, ..area };
    let inner = ui.panel(lower, "about", false);
    let room = inner.width.saturating_sub(2).min(MOST_READ);
    let inner = Rect { x: inner.x + 1, width: room, ..inner };
    let mut page = Doc::new(room);
    if let Some(entry) = learn.lessons.get(learn.row) {
        about(ui, &mut page, entry);
    }
    page.draw(ui, inner, 0);
}

fn draw_row(ui: &mut Ui, row: Rect, entry: &Entry, chosen: bool) {
    let steps = entry.lesson.steps.len();
    let (told, style) = match (&entry.progress, entry.passed) {
        (_, true) => ("✓ passed".to_owned(), ui.theme.good),
        (None, _) => (format!("{steps} steps"), ui.theme.dim),
        (Some(_), _) => (format!("step {} of {steps}", entry.done + 1), ui.theme.base),
    };
    let minutes = format!("{} min", entry.lesson.minutes);
    let right = row.right().saturating_sub(26);
    let title = fit(&entry.lesson.title, right.saturating_sub(row.x + 3));
    let base = if chosen { ui.theme.selected } else { ui.theme.base };
    ui.text(row.x, row.y, 2, if chosen { "▸" } else { " " }, ui.theme.accent);
    ui.text(row.x + 2, row.y, width(&title), &title, base);
    let x = right + 7u16.saturating_sub(width(&minutes));
    ui.text(x, row.y, 8, &minutes, ui.theme.dim);
    ui.text(right + 10, row.y, 16, &told, style);
}

fn about(ui: &Ui, page: &mut Doc, entry: &Entry) {
    let lesson = &entry.lesson;
    let theme = &ui.theme;
    page.text(ui, &lesson.summary, theme.base);
    page.gap();
    page.text(ui, &format!("Published: {}", lesson.claim.text), theme.base);
    page.text(ui, &format!("({})", lesson.claim.source), theme.dim);
    if !lesson.needs.is_empty() {
        page.gap();
        page.text(ui, &format!("Needs: {}.", lesson.needs.join("; ")), theme.dim);
    }
    if let Some(problem) = &entry.problem {
        page.gap();
        page.text(ui, problem, theme.bad);
    }
}
