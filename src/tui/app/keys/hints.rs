//! The key line: which keys it shows on which screen, most useful first.

use super::{BINDINGS, Binding};
use crate::tui::app::action::Command::{self, *};
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::app::run::state::Phase;

/// The keys to show now, each with its name. `side_by_side` says that counters and
/// roofline are both on the screen.
pub(crate) fn hints(model: &Model, side_by_side: bool) -> Vec<(&'static Binding, &'static str)> {
    let run: &[Command] = match &model.run {
        Some(_) => &[Pause, Cancel],
        None if model.closeup.running.is_some()
            && matches!(model.screen, Screen::Counters | Screen::Source) =>
        {
            &[Cancel, Run]
        }
        None => &[Run],
    };
    let (own, common): (&[Command], &[Command]) = match model.screen {
        Screen::Sweep => (&[NextPanel, YAxis, Pin, Export], &[Theme, Palette, Help, Quit]),
        Screen::Output => (&[Show(Screen::Sweep), Pin, Export], &[Theme, Palette, Help, Quit]),
        Screen::Tune => {
            (&[NextPanel, PanLeft, PanRight, NextVariant], &[Theme, Palette, Help, Quit])
        }
        Screen::Counters => (
            &[Flip, NextVariant, PanLeft, PanRight, Show(Screen::Source), Pin],
            &[Theme, Palette, Help, Quit],
        ),
        Screen::Source => (
            &[NextPanel, Flip, Hottest, Difference, NextVariant, Pin],
            &[Theme, Palette, Help, Quit],
        ),
        Screen::Runs if model.runs.table.is_some() => (&[Up, Cancel], &[Help, Quit]),
        Screen::Runs => {
            (&[Enter, Overlay, Replay, Mark, Compare, Discard, Undo, Find], &[Help, Quit])
        }
    };
    // On the Runs screen its own keys come first, and `r` runs nothing there.
    let order = if model.screen == Screen::Runs { [own, run] } else { [run, own] };
    let shown = |command: &Command| match command {
        Run => !model.read_only && model.screen != Screen::Runs,
        Flip => !(side_by_side && model.screen == Screen::Counters),
        _ => true,
    };
    let mut commands: Vec<Command> = Vec::new();
    for command in order.into_iter().chain([common]).flatten().copied().filter(shown) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands.into_iter().filter_map(|command| hint(command, model)).collect()
}

/// The key of a command and its name at this moment.
fn hint(command: Command, model: &Model) -> Option<(&'static Binding, &'static str)> {
    let binding = BINDINGS.iter().find(|binding| binding.command == command)?;
    let paused = || {
        model.run.as_ref().is_some_and(|run| matches!(run.phase, Phase::Paused | Phase::Pausing))
    };
    let name = match command {
        Pause if paused() => "resume",
        Cancel if model.runs.table.is_some() && model.screen == Screen::Runs => "close",
        NextPanel => match (model.screen, model.panel) {
            (Screen::Source, _) => "text",
            (Screen::Tune, Panel::Form) => "map",
            (_, Panel::Form) => "chart",
            _ => "form",
        },
        Flip if model.screen == Screen::Counters && model.closeup.roofline => "counters",
        Flip if model.screen == Screen::Counters => "roofline",
        _ => binding.hint,
    };
    Some((binding, name))
}
