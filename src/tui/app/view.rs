//! Draws the model. Every panel has its file and draws through a `Ui`, which
//! notes what was drawn where, so that the mouse can find it.
//!
//! ```text
//! header                      device · provenance            screens   help
//! selection                   the one case that all screens are about
//! form        chart                   (about: what is compared, where there is room)
//!             legend: the values under the crosshair
//!             output          (below the form where there is little room)
//! explain     the difference in one sentence
//! status      progress, verified, wrong, rate
//! keys        buttons
//! ```

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::app::model::{Model, Screen};
use crate::tui::dialogs::state::Overlay;
use crate::tui::theme;
use crate::tui::theme::Theme;

use crate::tui::dialogs::picker::view as picker;
use crate::tui::dialogs::terms::view as terms;
use crate::tui::dialogs::why::{large, view as why};
use crate::tui::dialogs::{copied, export, help, leave};
use crate::tui::screens::class;
use crate::tui::screens::learn::view as learn;
use crate::tui::screens::runs::view as runs;
use crate::tui::screens::step::view as step;
use crate::tui::screens::sweep::{present, view as sweep};
use crate::tui::screens::tune::view as tune;
use crate::tui::screens::{counters, output, source};
use crate::tui::widgets::too_small;
use crate::tui::widgets::ui::{Drawn, Ui};
use crate::units::text;

#[cfg(test)]
mod chaos;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod desk_tests;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod walk_tests;

/// The smallest terminal that the screen fits in.
pub const LEAST: (u16, u16) = (80, 24);

/// Draws the whole screen.
pub fn draw(frame: &mut Frame, model: &Model) -> Drawn {
    let area = frame.area();
    let mut ui = Ui {
        theme: Theme::new(model.look.theme, model.look.colour),
        buffer: frame.buffer_mut(),
        model,
        drawn: Drawn::default(),
        cursor: None,
    };
    ui.buffer.set_style(area, ui.theme.base);
    if area.width < LEAST.0 || area.height < LEAST.1 {
        too_small::draw(&mut ui, area);
    } else if class::update::is_shown(model) {
        class::view::draw(&mut ui, area);
        overlay(&mut ui, area);
    } else if model.present && model.screen == Screen::Sweep {
        present::draw(&mut ui, area);
        overlay(&mut ui, area);
    } else {
        match model.screen {
            Screen::Sweep => sweep::draw(&mut ui, area),
            Screen::Output => output::page::draw(&mut ui, area),
            Screen::Tune => tune::draw(&mut ui, area),
            Screen::Runs => runs::draw(&mut ui, area),
            Screen::Counters => counters::draw(&mut ui, area),
            Screen::Source => source::draw(&mut ui, area),
            Screen::Learn => learn::draw(&mut ui, area),
            Screen::Step => step::draw(&mut ui, area),
        }
        overlay(&mut ui, area);
    }
    if model.look.ascii {
        theme::ascii::replace(ui.buffer);
    }
    hide(ui.buffer);
    let (drawn, cursor) = (ui.drawn, ui.cursor);
    if let Some(cursor) = cursor.filter(|cursor| area.contains(*cursor)) {
        frame.set_cursor_position(cursor);
    }
    drawn
}

/// Takes away what a terminal would obey instead of showing it: text from files, devices and
/// workers is on the screen too, and this is the one way to the terminal.
fn hide(buffer: &mut Buffer) {
    // Nearly every cell is one printable character, and this sees every cell of every frame.
    let plain = |symbol: &str| matches!(symbol.as_bytes(), [b' '..=b'~']);
    for cell in &mut buffer.content {
        if !plain(cell.symbol()) && cell.symbol().contains(text::is_hidden) {
            let shown = cell.symbol().replace(text::is_hidden, "");
            cell.set_symbol(if shown.is_empty() { " " } else { &shown });
        }
    }
}

/// What lies over the screen.
fn overlay(ui: &mut Ui, area: Rect) {
    match &ui.model.overlay {
        Some(Overlay::Help) => help::draw(ui, area),
        Some(Overlay::Export(dialog)) => export::draw(ui, area, dialog),
        Some(Overlay::Why) if ui.model.present && ui.model.screen == Screen::Sweep => {
            large::draw(ui, area);
        }
        Some(Overlay::Why) => why::draw(ui, area),
        Some(Overlay::Pick(list)) => picker::draw(ui, area, list),
        Some(Overlay::Copied(command)) => copied::draw(ui, area, command),
        Some(Overlay::Terms(terms)) => terms::draw(ui, area, *terms),
        Some(Overlay::Leave(reason)) => leave::draw(ui, area, reason),
        None => {}
    }
}
