//! The tour of the first launch: three hints in the line of keys, one after the other. It
//! goes away for good when each key was pressed, or at Esc.

use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Screen};

/// A key that a beginner should know, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) key: &'static str,
    pub(crate) text: &'static str,
    pub(crate) command: Command,
}

/// The hints in their order.
pub(crate) const HINTS: [Hint; 3] = [
    Hint { key: "r", text: "runs the experiment in the form", command: Command::Run },
    Hint { key: "w", text: "explains why one variant is faster", command: Command::Why },
    Hint { key: "e", text: "exports a picture or a report", command: Command::Export },
];

/// Which hints were followed; none once the tour is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tour(Option<[bool; HINTS.len()]>);

impl Tour {
    /// A tour from its beginning.
    pub fn begun() -> Self {
        Self(Some([false; HINTS.len()]))
    }

    /// The hint to show, with its number from 1.
    pub(crate) fn hint(self) -> Option<(usize, Hint)> {
        let at = self.0?.iter().position(|followed| !followed)?;
        Some((at + 1, HINTS[at]))
    }
}

/// The hint to show on the screen at hand: where nothing lies over it that has keys of its
/// own.
pub(crate) fn hint(model: &Model) -> Option<(usize, Hint)> {
    let shown = model.overlay.is_none() && !model.present && model.screen != Screen::Runs;
    model.tour.hint().filter(|_| shown)
}

/// Follows a command: each hint counts whenever its key is pressed. Esc with nothing else
/// to end ends the tour, and so does leaving.
pub(crate) fn follow(model: &mut Model, command: Command) {
    let Some(followed) = &mut model.tour.0 else { return };
    for (followed, hint) in followed.iter_mut().zip(HINTS) {
        *followed |= hint.command == command;
    }
    let over = followed.iter().all(|followed| *followed);
    let idle = model.overlay.is_none()
        && model.form.editor.is_none()
        && model.run.is_none()
        && model.profile.running.is_none();
    if over || command == Command::Cancel && idle {
        end(model);
    }
}

/// Ends the tour for good.
pub(crate) fn end(model: &mut Model) {
    if model.tour.0.take().is_some() {
        model.kept.tour_done = Some(true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::app::effect::Effect;
    use crate::tui::fixture::{self, PLAIN, press};

    fn beginner() -> Model {
        Model { tour: Tour::begun(), ..fixture::model(PLAIN) }
    }

    fn shown(model: &Model) -> Option<&'static str> {
        hint(model).map(|(_, hint)| hint.key)
    }

    #[test]
    fn three_hints_come_one_after_the_other_and_go_for_good() {
        let mut model = beginner();
        assert_eq!(shown(&model), Some("r"));
        press(&mut model, Command::Down, 0.0);
        assert_eq!(shown(&model), Some("r"), "other keys go on working");
        press(&mut model, Command::Why, 0.0);
        press(&mut model, Command::Cancel, 0.0);
        assert_eq!(shown(&model), Some("r"), "Esc closed the box, not the tour");
        press(&mut model, Command::Run, 0.0);
        assert_eq!(shown(&model), Some("e"), "w was pressed already");
        let effects = press(&mut model, Command::Export, 0.0);
        let kept = effects.iter().find_map(|effect| match effect {
            Effect::Keep(kept) => kept.tour_done,
            _ => None,
        });
        assert_eq!((kept, model.tour), (Some(true), Tour::default()));
    }

    #[test]
    fn esc_and_leaving_end_it() {
        for command in [Command::Cancel, Command::Leave] {
            let mut model = beginner();
            let effects = press(&mut model, command, 0.0);
            assert!(matches!(&effects[0], Effect::Keep(kept) if kept.tour_done == Some(true)));
            assert_eq!(shown(&model), None);
        }
    }

    #[test]
    fn a_hint_takes_the_line_of_keys_and_nothing_else() {
        use crate::tui::app::view::tests::text;
        for (width, height) in [(80, 24), (120, 40), (200, 60)] {
            let with = text(&beginner(), width, height);
            let without = text(&fixture::model(PLAIN), width, height);
            let (with, hint) = with.trim_end().rsplit_once('\n').unwrap_or_default();
            let (without, _) = without.trim_end().rsplit_once('\n').unwrap_or_default();
            assert_eq!(with, without);
            for part in ["1/3", "r runs the experiment in the form", "Esc ends the tour", "q quit"]
            {
                assert!(hint.contains(part), "{part}: {hint}");
            }
        }
    }
}
