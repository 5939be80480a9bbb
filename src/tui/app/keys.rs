//! Keys and mouse to actions. One table holds every key, what it does and how
//! the help names it, so that the three cannot disagree.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::tui::app::action::{Action, Command};
use crate::tui::app::model::{Model, Screen};
use crate::tui::app::update::typing;
use crate::tui::dialogs::state::{Edit, Overlay};
use crate::tui::widgets::ui::Drawn;

mod mouse;

/// A key with what it does.
#[derive(Debug)]
pub struct Binding {
    /// The keys that do it.
    keys: &'static [(KeyModifiers, KeyCode)],
    /// How they are written.
    pub shown: &'static str,
    /// What they do.
    pub command: Command,
    /// … in words.
    pub help: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

const fn bind(
    keys: &'static [(KeyModifiers, KeyCode)],
    shown: &'static str,
    command: Command,
    help: &'static str,
) -> Binding {
    Binding { keys, shown, command, help }
}

macro_rules! key {
    ($c:literal) => {
        (NONE, KeyCode::Char($c))
    };
    ($name:ident) => {
        (NONE, KeyCode::$name)
    };
    (ctrl $c:literal) => {
        (CTRL, KeyCode::Char($c))
    };
}

/// Every key outside of text, in the order of the help.
pub static BINDINGS: &[Binding] = &[
    bind(&[key!('r')], "r", Command::Run, "run the experiment in the form"),
    bind(&[key!(' ')], "space", Command::Pause, "pause the run, or go on"),
    bind(&[key!(Esc)], "Esc", Command::Cancel, "cancel the run; close a box"),
    bind(&[key!(Tab), key!(BackTab)], "Tab", Command::NextPanel, "arrows go to form or chart"),
    bind(&[key!(Up), key!('k')], "↑", Command::Up, "row up; in the chart: closer"),
    bind(&[key!(Down), key!('j')], "↓", Command::Down, "row down; in the chart: back"),
    bind(&[key!(Left), key!('h')], "←", Command::Left, "value back, crosshair left"),
    bind(&[key!(Right)], "→", Command::Right, "value on, crosshair right"),
    bind(&[key!(Home)], "Home", Command::First, "first row, smallest n"),
    bind(&[key!(End)], "End", Command::Last, "last row, largest n"),
    bind(&[key!(Enter)], "Enter", Command::Enter, "tick a variant, type a value"),
    bind(&[key!(':'), key!(ctrl 'p')], ":", Command::Palette, "find anything by typing"),
    bind(&[key!('Y')], "Y", Command::YAxis, "y axis: time, rates, speed-up"),
    bind(&[key!('b')], "b", Command::Baseline, "what a speed-up is over"),
    bind(&[key!('y')], "y", Command::Copy, "copy the command of the chart"),
    bind(&[key!('l')], "l", Command::LogY, "y axis logarithmic or linear"),
    bind(&[key!('L')], "L", Command::LogX, "x axis logarithmic or linear"),
    bind(&[key!('+'), key!('=')], "+", Command::ZoomIn, "zoom in around the crosshair"),
    bind(&[key!('-')], "-", Command::ZoomOut, "zoom out"),
    bind(&[key!('z')], "z", Command::ZoomAll, "show everything again"),
    bind(&[key!('<'), key!(','), key!(PageUp)], "<", Command::PanLeft, "left; smaller n; text up"),
    bind(
        &[key!('>'), key!('.'), key!(PageDown)],
        ">",
        Command::PanRight,
        "right; larger n; text down",
    ),
    bind(&[key!('a')], "a", Command::Pin, "pin results to compare with"),
    bind(&[key!('A')], "A", Command::Unpin, "unpin them"),
    bind(&[key!('o')], "o", Command::Published, "published times over it, or not"),
    bind(&[key!('w')], "w", Command::Why, "why one is the faster one"),
    bind(&[key!('e')], "e", Command::Export, "export PNG, SVG, HTML, data"),
    bind(&[key!('t')], "t", Command::Theme, "dark, light, high contrast"),
    bind(&[key!('T')], "T", Command::Ascii, "ASCII characters only, or not"),
    bind(&[key!('M')], "M", Command::Motion, "less motion, or all of it"),
    bind(&[key!('P')], "P", Command::Present, "presenter: for a projector"),
    bind(&[key!('m')], "m", Command::Mouse, "mouse on or off"),
    bind(&[key!('1')], "1", Command::Show(Screen::Sweep), "the Sweep screen"),
    bind(&[key!('2')], "2", Command::Show(Screen::Output), "the Output screen"),
    bind(&[key!('3')], "3", Command::Show(Screen::Tune), "the Tune screen"),
    bind(&[key!('4')], "4", Command::Show(Screen::Counters), "the Counters screen"),
    bind(&[key!('5')], "5", Command::Show(Screen::Source), "the Source screen"),
    bind(&[key!('6')], "6", Command::Show(Screen::Runs), "the Runs screen"),
    bind(&[key!('v')], "v", Command::NextVariant, "3 4 5: the next variant"),
    bind(&[key!('[')], "[", Command::PrevKernel, "4 5: the kernel before"),
    bind(&[key!(']')], "]", Command::NextKernel, "4 5: the kernel after"),
    bind(&[key!('n')], "n", Command::Hottest, "4 5: next bad row, hottest line"),
    bind(&[key!('f')], "f", Command::Flip, "4: roofline; 5: which heat"),
    bind(&[key!('D')], "D", Command::Difference, "4: exchange; 5: difference"),
    bind(&[key!('O')], "O", Command::Overlay, "Runs: over the chart, or off"),
    bind(&[key!('x')], "x", Command::Mark, "Runs: mark to compare"),
    bind(&[key!('c')], "c", Command::Compare, "Runs: compare two marked"),
    bind(&[key!('d'), key!(Delete)], "d", Command::Discard, "Runs: delete (u brings back)"),
    bind(&[key!('R'), (NONE, KeyCode::F(5))], "R", Command::Refresh, "Runs: look again"),
    bind(&[key!('/')], "/", Command::Find, "Runs: type to find"),
    bind(&[key!('p')], "p", Command::Replay, "replay what is stored"),
    bind(&[key!('s')], "s", Command::Speed, "speed of the replay"),
    bind(&[key!('u')], "u", Command::Undo, "undo an edit or a deletion"),
    bind(&[key!('U'), key!(ctrl 'r')], "U", Command::Redo, "redo the edit"),
    bind(&[key!(ctrl 'l')], "Ctrl-L", Command::Redraw, "draw everything again"),
    bind(&[key!(ctrl 'z')], "Ctrl-Z", Command::Suspend, "background (fg returns)"),
    bind(&[key!('?')], "?", Command::Help, "this help"),
    bind(&[key!('q')], "q", Command::Quit, "quit"),
    bind(&[key!(ctrl 'c')], "Ctrl-C", Command::Leave, "quit without asking"),
];

/// Pages that the help has on the smallest screen.
pub const HELP_PAGES: usize = 2;

/// What an event of the terminal means, given what is on the screen.
pub fn action(event: &Event, model: &Model, drawn: &Drawn) -> Option<Action> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => press(*key, model),
        Event::Mouse(event) if model.mouse => mouse::action(*event, model, drawn),
        Event::Paste(text) => Some(Action::Paste(text.clone())),
        Event::Resize(..) | Event::FocusGained => Some(Action::Tick),
        _ => None,
    }
}

fn press(key: KeyEvent, model: &Model) -> Option<Action> {
    #[cfg(debug_assertions)]
    crate::tui::terminal::crash::provoke(key);
    let into_text = if typing(model) { text_key(key, model) } else { None };
    into_text.or_else(|| bound(key).map(Action::Do))
}

/// The command bound to a key.
fn bound(key: KeyEvent) -> Option<Command> {
    // Shift is part of the character; BackTab brings it along.
    let modifiers = key.modifiers.difference(KeyModifiers::SHIFT);
    BINDINGS
        .iter()
        .find(|binding| binding.keys.contains(&(modifiers, key.code)))
        .map(|binding| binding.command)
}

/// What a key means while text is being typed; `None` leaves it to the table.
fn text_key(key: KeyEvent, model: &Model) -> Option<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let edit = match key.code {
        KeyCode::Char('u') if control => Edit::Clear,
        KeyCode::Char('a') if control => Edit::Home,
        KeyCode::Char('e') if control => Edit::End,
        KeyCode::Char(_) if control || key.modifiers.contains(KeyModifiers::ALT) => return None,
        KeyCode::Char(c) => Edit::Insert(c),
        KeyCode::Backspace => Edit::Backspace,
        KeyCode::Delete => Edit::Delete,
        KeyCode::Left => Edit::Left,
        KeyCode::Right => Edit::Right,
        KeyCode::Home => Edit::Home,
        KeyCode::End => Edit::End,
        KeyCode::BackTab if matches!(model.overlay, Some(Overlay::Export(_))) => {
            return Some(Action::Do(Command::Up));
        }
        KeyCode::PageUp if matches!(model.overlay, Some(Overlay::Pick(_))) => {
            return Some(Action::Do(Command::PanLeft));
        }
        KeyCode::PageDown if matches!(model.overlay, Some(Overlay::Pick(_))) => {
            return Some(Action::Do(Command::PanRight));
        }
        KeyCode::PageUp | KeyCode::PageDown => return Some(Action::Do(Command::Nothing)),
        _ => return None,
    };
    Some(Action::Edit(edit))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        let mut seen = Vec::new();
        for key in BINDINGS.iter().flat_map(|binding| binding.keys) {
            assert!(!seen.contains(key), "{key:?} is bound twice");
            seen.push(*key);
        }
    }

    #[test]
    fn every_digit_of_a_screen_that_exists_is_bound_and_no_other() {
        for digit in '1'..='9' {
            let key = KeyEvent::new(KeyCode::Char(digit), KeyModifiers::NONE);
            let screen = Screen::ALL.into_iter().find(|screen| screen.digit() == digit);
            assert_eq!(bound(key), screen.map(Command::Show), "{digit}");
        }
    }

    #[test]
    fn the_keys_that_must_not_change_meaning_have_it() {
        for (code, command) in [
            (KeyCode::Char('r'), Command::Run),
            (KeyCode::Char(' '), Command::Pause),
            (KeyCode::Esc, Command::Cancel),
            (KeyCode::Char('q'), Command::Quit),
            (KeyCode::Char('?'), Command::Help),
            (KeyCode::Tab, Command::NextPanel),
            (KeyCode::Char('a'), Command::Pin),
            (KeyCode::Char('e'), Command::Export),
            (KeyCode::Char('t'), Command::Theme),
        ] {
            assert_eq!(bound(KeyEvent::new(code, KeyModifiers::NONE)), Some(command));
        }
    }
}
