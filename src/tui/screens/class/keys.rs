//! The keys of the teacher. They come before the general ones while the class is on the
//! screen. Presenters (the small remote controls) send page keys.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::class;
use crate::tui::app::action::Command;

/// A key of the teacher.
#[derive(Debug)]
pub(crate) struct Key {
    codes: &'static [KeyCode],
    /// How it is written.
    pub(crate) shown: &'static str,
    pub(crate) command: Command,
    /// Its name in the key line; empty if it is never there.
    pub(crate) hint: &'static str,
}

const fn key(
    codes: &'static [KeyCode],
    shown: &'static str,
    command: Command,
    hint: &'static str,
) -> Key {
    Key { codes, shown, command, hint }
}

use KeyCode::{BackTab, Char, PageDown, PageUp, Tab};

/// Every key, in the order of the key line.
pub(crate) static KEYS: &[Key] = &[
    key(&[Char('n'), PageDown], "n", Command::Class(class::Command::Next), "next"),
    key(&[Char('b'), PageUp], "b", Command::Class(class::Command::Back), "back"),
    key(&[Char('v')], "v", Command::Class(class::Command::Vote), "vote"),
    key(&[Char('o')], "o", Command::Class(class::Command::Reveal), "reveal"),
    key(&[Char('h')], "h", Command::Class(class::Command::Hide), "hide"),
    key(&[Char(' ')], "space", Command::Pause, "pause"),
    key(&[Char('-')], "-", Command::Slower, "slower"),
    key(&[Char('+'), Char('=')], "+", Command::Faster, "faster"),
    key(&[Char('r')], "r", Command::Run, "run"),
    key(&[Char('p')], "p", Command::Replay, "replay"),
    key(&[Char('a')], "a", Command::Address, "address"),
    key(&[Char('E')], "E", Command::Class(class::Command::End), "end"),
    // There is no form to go to.
    key(&[Tab, BackTab], "", Command::Nothing, ""),
];

/// The command that a key has here.
pub(crate) fn bound(key: KeyEvent) -> Option<Command> {
    let plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    let found = KEYS.iter().find(|it| plain && it.codes.contains(&key.code));
    found.map(|it| it.command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        let mut seen = Vec::new();
        for code in KEYS.iter().flat_map(|key| key.codes) {
            assert!(!seen.contains(code), "{code:?} is bound twice");
            seen.push(*code);
        }
    }
}
