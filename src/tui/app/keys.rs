//! Keys and mouse to actions. One table holds every key, its command and its
//! texts; the key line, the help and the palette all read it.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use crate::tui::app::action::{Action, Command};
use crate::tui::app::model::{Model, Screen};
use crate::tui::app::update::typing;
use crate::tui::dialogs::state::{Edit, Overlay};
use crate::tui::screens::class;
use crate::tui::screens::learn::update as learn;
use crate::tui::widgets::ui::Drawn;

mod hints;
mod mouse;

pub(crate) use hints::hints;

/// A key with what it does.
#[derive(Debug)]
pub(crate) struct Binding {
    /// The keys that do it.
    keys: &'static [(KeyModifiers, KeyCode)],
    /// How they are written.
    pub(crate) shown: &'static str,
    /// The command.
    pub(crate) command: Command,
    /// Its name in the key line; empty if it is never there.
    hint: &'static str,
    /// Its line in the help and the palette.
    pub(crate) help: &'static str,
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

const fn bind(
    keys: &'static [(KeyModifiers, KeyCode)],
    shown: &'static str,
    command: Command,
    hint: &'static str,
    help: &'static str,
) -> Binding {
    Binding { keys, shown, command, hint, help }
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
pub(crate) static BINDINGS: &[Binding] = &[
    bind(&[key!('r')], "r", Command::Run, "run", "run the experiment in the form"),
    bind(&[key!(' ')], "space", Command::Pause, "pause", "pause or resume the run"),
    bind(&[key!(Esc)], "Esc", Command::Cancel, "cancel", "cancel the run; close a box"),
    bind(
        &[key!(Tab), key!(BackTab)],
        "Tab",
        Command::NextPanel,
        "panel",
        "form or chart; 5 7: other text",
    ),
    bind(&[key!(Up), key!('k')], "↑", Command::Up, "scroll", "row up; chart: zoom in"),
    bind(&[key!(Down), key!('j')], "↓", Command::Down, "", "row down; chart: zoom out"),
    bind(&[key!(Left), key!('h')], "←", Command::Left, "", "previous value; 7: instruction"),
    bind(&[key!(Right)], "→", Command::Right, "step", "next value; 7: instruction"),
    bind(&[key!(Home)], "Home", Command::First, "", "first row, step; smallest n"),
    bind(&[key!(End)], "End", Command::Last, "", "last row, step; largest n"),
    bind(&[key!(Enter)], "Enter", Command::Enter, "load", "tick or type; 7: run to cursor"),
    bind(
        &[key!(':'), key!(ctrl 'p')],
        ":",
        Command::Palette,
        "find",
        "find a command, setting or term",
    ),
    bind(&[key!('K')], "K", Command::Terms, "", "explain the words on screen"),
    bind(&[key!('Y')], "Y", Command::YAxis, "axis", "y axis: time, rates, speed-up"),
    bind(&[key!('H')], "H", Command::Time, "", "time: kernels or end to end"),
    bind(&[key!('E')], "E", Command::Edit, "edit", "open your file in the editor"),
    bind(&[key!('b')], "b", Command::Baseline, "", "choose the baseline"),
    bind(&[key!('y')], "y", Command::Copy, "", "copy the command of the chart"),
    bind(&[key!('l')], "l", Command::LogY, "", "y axis: log or linear"),
    bind(&[key!('L')], "L", Command::LogX, "", "x axis: log or linear"),
    bind(&[key!('+'), key!('=')], "+", Command::ZoomIn, "warp", "zoom in; 7: warp; 8: faster"),
    bind(&[key!('-')], "-", Command::ZoomOut, "warp", "zoom out; 7: warp; 8: slower"),
    bind(&[key!('z')], "z", Command::ZoomAll, "whole axis", "show the whole x axis"),
    bind(
        &[key!('<'), key!(','), key!(PageUp)],
        "<",
        Command::PanLeft,
        "n",
        "pan left; smaller n; text up",
    ),
    bind(
        &[key!('>'), key!('.'), key!(PageDown)],
        ">",
        Command::PanRight,
        "n",
        "pan right; larger n; text down",
    ),
    bind(&[key!('a')], "a", Command::Pin, "pin", "pin results; 7: watch registers"),
    bind(&[key!('A')], "A", Command::Unpin, "", "unpin all; 7: clear watch list"),
    bind(&[key!('o')], "o", Command::Published, "", "published times; 7: over a call"),
    bind(&[key!('w')], "w", Command::Why, "", "explain the difference"),
    bind(&[key!('e')], "e", Command::Export, "export", "export PNG, SVG, HTML, data"),
    bind(&[key!('t')], "t", Command::Theme, "theme", "theme: dark, light, contrast"),
    bind(&[key!('T')], "T", Command::Ascii, "", "toggle ASCII characters"),
    bind(&[key!('B')], "B", Command::Dots, "", "dots of curves; 7: breakpoint"),
    bind(&[key!('M')], "M", Command::Motion, "", "toggle reduced motion"),
    bind(&[key!('P')], "P", Command::Present, "", "presenter layout"),
    bind(&[key!('m')], "m", Command::Mouse, "", "toggle the mouse"),
    bind(&[key!('1')], "1", Command::Show(Screen::Sweep), "sweep", "Sweep screen"),
    bind(&[key!('2')], "2", Command::Show(Screen::Output), "", "Output screen"),
    bind(&[key!('3')], "3", Command::Show(Screen::Tune), "", "Tune screen"),
    bind(&[key!('4')], "4", Command::Show(Screen::Counters), "", "Counters screen"),
    bind(&[key!('5')], "5", Command::Show(Screen::Source), "source", "Source screen"),
    bind(&[key!('6')], "6", Command::Show(Screen::Runs), "", "Runs screen"),
    bind(&[key!('7')], "7", Command::Show(Screen::Step), "", "Step screen"),
    bind(
        &[key!('8')],
        "8",
        Command::Show(Screen::Learn),
        "lesson",
        "8: lessons (`warpscope learn`)",
    ),
    bind(&[key!('v')], "v", Command::NextVariant, "variant", "next curve, next variant"),
    bind(&[key!('V')], "V", Command::PrevVariant, "", "previous curve, variant"),
    bind(
        &[key!('['), key!(Backspace)],
        "[",
        Command::PrevKernel,
        "back",
        "4 5 7: kernel before; 8: step",
    ),
    bind(&[key!(']')], "]", Command::NextKernel, "skip", "4 5 7: next kernel; 8: step"),
    bind(&[], "1–9", Command::Number(0), "answer", "8: answer by number"),
    bind(&[key!('i')], "i", Command::Hint, "hint", "8: next hint of the step"),
    bind(&[key!('n')], "n", Command::Hottest, "hottest", "next marked row; 7: next line"),
    bind(&[key!('f')], "f", Command::Flip, "heat", "ladder, roofline, heat or plots"),
    bind(&[key!('D')], "D", Command::Difference, "difference", "4: swap cases; 5: difference"),
    bind(&[key!('O')], "O", Command::Overlay, "overlay", "6: overlay; 7: back over a call"),
    bind(&[key!('x')], "x", Command::Mark, "mark", "6: mark; 7: next costly step"),
    bind(&[key!('c')], "c", Command::Compare, "compare", "6: compare; 7: to a breakpoint"),
    bind(&[key!('d'), key!(Delete)], "d", Command::Discard, "delete", "6: delete (u restores)"),
    bind(
        &[key!('R'), (NONE, KeyCode::F(5))],
        "R",
        Command::Refresh,
        "",
        "6: read the folder again",
    ),
    bind(&[key!('/')], "/", Command::Find, "find", "6: find by typing; 7: go to"),
    bind(&[key!('N')], "N", Command::LineBack, "", "7: previous line"),
    bind(&[key!('X')], "X", Command::MarkBack, "", "7: previous costly step"),
    bind(&[key!('G')], "G", Command::CursorBack, "", "7: back to the cursor"),
    bind(&[key!('C')], "C", Command::ContinueBack, "", "7: back to a breakpoint"),
    bind(&[key!('(')], "(", Command::PrevBlock, "", "7: previous block"),
    bind(&[key!(')')], ")", Command::NextBlock, "block", "7: next block"),
    bind(&[key!('p')], "p", Command::Replay, "replay", "replay a stored run"),
    bind(&[key!('s')], "s", Command::Speed, "", "speed of the replay"),
    bind(&[key!('u')], "u", Command::Undo, "undo", "undo an edit or a deletion"),
    bind(&[key!('U'), key!(ctrl 'r')], "U", Command::Redo, "", "redo the edit"),
    bind(&[key!(ctrl 'l')], "Ctrl-L", Command::Redraw, "", "redraw the screen"),
    bind(&[key!(ctrl 'z')], "Ctrl-Z", Command::Suspend, "", "suspend (fg resumes)"),
    bind(&[key!('?')], "?", Command::Help, "help", "this help"),
    bind(&[key!('q')], "q", Command::Quit, "quit", "quit"),
    bind(&[key!(ctrl 'c')], "Ctrl-C", Command::Leave, "", "quit without asking"),
];

/// Pages that the help has on the smallest screen.
pub(crate) const HELP_PAGES: usize = 3;

/// What an event of the terminal means, given what is on the screen.
pub(crate) fn action(event: &Event, model: &Model, drawn: &Drawn) -> Option<Action> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            let action = press(*key, model)?;
            Some(match action {
                Action::Do(command) => {
                    Action::Do(learn::scrolled(model, command, drawn.page.as_ref()))
                }
                other => other,
            })
        }
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
    if model.overlay.is_none()
        && class::update::is_shown(model)
        && let Some(command) = class::keys::bound(key)
    {
        return Some(Action::Do(command));
    }
    if let KeyCode::Char(digit @ '1'..='9') = key.code
        && key.modifiers.is_empty()
        && model.overlay.is_none()
        && into_text.is_none()
        && learn::digits(model).is_some()
    {
        return Some(Action::Do(Command::Number(digit as u8 - b'0')));
    }
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
