//! The mouse: what was drawn where decides what a click means.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use crate::tui::app::action::{Action, Command};
use crate::tui::app::model::{Model, Screen};
use crate::tui::dialogs::state::Overlay;
use crate::tui::widgets::ui::Drawn;

/// Lines of a page that one turn of the wheel scrolls.
const WHEEL: isize = 3;

/// What a mouse event means.
pub(crate) fn action(event: MouseEvent, model: &Model, drawn: &Drawn) -> Option<Action> {
    let at = Position::new(event.column, event.row);
    let on_plot = || {
        let plot = drawn.plot.as_ref().filter(|_| model.overlay.is_none())?;
        plot.area.contains(at).then(|| plot.value_at(at.x)).flatten()
    };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => {
            if let Some(x) = on_plot() {
                return Some(Action::Cross(x));
            }
            let hit = drawn.hits.iter().rev().find(|hit| hit.area.contains(at));
            hit.map(|hit| Action::Do(hit.command))
        }
        MouseEventKind::Moved | MouseEventKind::Drag(MouseButton::Left) => {
            let entry = entry(at, model, drawn);
            if entry != hovered(model) {
                return Some(Action::Hover(entry));
            }
            // Passing over the chart selects nothing.
            if event.kind == MouseEventKind::Moved {
                return None;
            }
            let x = on_plot()?;
            // Nothing to draw while the pointer stays near the same point.
            let stop = crate::tui::screens::sweep::state::nearest(model.chart.stops(), x)?;
            (model.chart.crosshair != Some(stop)).then_some(Action::Cross(stop))
        }
        MouseEventKind::ScrollUp if on_legend(at, model, drawn) => {
            Some(Action::Do(Command::PrevVariant))
        }
        MouseEventKind::ScrollDown if on_legend(at, model, drawn) => {
            Some(Action::Do(Command::NextVariant))
        }
        MouseEventKind::ScrollUp | MouseEventKind::ScrollDown
            if model.screen == Screen::Learn
                && model.overlay.is_none()
                && let Some(page) = &drawn.page =>
        {
            let up = event.kind == MouseEventKind::ScrollUp;
            Some(Action::Do(Command::Scroll(page.scrolled(if up { -WHEEL } else { WHEEL }))))
        }
        MouseEventKind::ScrollUp => Some(Action::Do(scroll(on_plot().is_some(), true, model)?)),
        MouseEventKind::ScrollDown => Some(Action::Do(scroll(on_plot().is_some(), false, model)?)),
        _ => None,
    }
}

/// Whether the pointer is over the legend.
fn on_legend(at: Position, model: &Model, drawn: &Drawn) -> bool {
    model.overlay.is_none() && drawn.legend.is_some_and(|area| area.contains(at))
}

/// The curve whose entry in the legend is under the pointer.
fn entry(at: Position, model: &Model, drawn: &Drawn) -> Option<usize> {
    if !on_legend(at, model, drawn) {
        return None;
    }
    match drawn.hits.iter().rev().find(|hit| hit.area.contains(at))?.command {
        Command::Curve(index) => Some(index),
        _ => None,
    }
}

/// The curve that the pointer was over before.
fn hovered(model: &Model) -> Option<usize> {
    model.chart.place(model.chart.hovered.as_ref()?)
}

/// The wheel zooms over the chart and walks the rows of lists and elsewhere.
fn scroll(on_plot: bool, up: bool, model: &Model) -> Option<Command> {
    if let Some(overlay) = &model.overlay {
        let scrolls = matches!(overlay, Overlay::Pick(_) | Overlay::Help | Overlay::Terms(_));
        return scrolls.then_some(if up { Command::Up } else { Command::Down });
    }
    Some(match (on_plot, up) {
        (true, true) => Command::ZoomIn,
        (true, false) => Command::ZoomOut,
        (false, true) => Command::Up,
        (false, false) => Command::Down,
    })
}
