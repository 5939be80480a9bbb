//! Opening the box, and moving over its words.

use crate::tui::app::action::Command;
use crate::tui::app::model::Model;
use crate::tui::dialogs::state::Overlay;
use crate::tui::dialogs::terms::state::Terms;

/// Opens the box on the word under the cursor.
pub(crate) fn open(model: &mut Model) {
    model.overlay = Some(Overlay::Terms(Terms::of(model)));
}

/// Opens the box on one word.
pub(crate) fn define(model: &mut Model, word: &'static str) {
    model.overlay = Some(Overlay::Terms(Terms { first: Some(word), at: 0 }));
}

/// A command while the box is open; false leaves it to the screen, with the box closed.
pub(crate) fn command(model: &mut Model, command: Command) -> bool {
    let Some(Overlay::Terms(terms)) = &mut model.overlay else { return false };
    match command {
        Command::Up | Command::Left => terms.at -= 1,
        Command::Down | Command::Right | Command::NextPanel => terms.at += 1,
        Command::First => terms.at = 0,
        Command::Last => terms.at = -1,
        Command::Pick(row) => terms.at = row as isize,
        Command::Palette => {
            model.overlay = None;
            return false;
        }
        _ => {
            model.overlay = None;
            return matches!(command, Command::Enter | Command::Terms);
        }
    }
    true
}
