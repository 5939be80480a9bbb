//! The key line: which keys it shows on which screen, most useful first.

use super::{BINDINGS, Binding};
use crate::lessons::Task;
use crate::tui::app::action::Command as Do;
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::app::run::state::Phase;
use crate::tui::screens::learn::draft::Stage;
use crate::tui::screens::learn::state;
use crate::tui::screens::learn::update as learn_keys;

/// The keys to show now, each with its name. `side_by_side` says that counters and
/// roofline are both on the screen.
pub(crate) fn hints(model: &Model, side_by_side: bool) -> Vec<(&'static Binding, &'static str)> {
    let run: &[Do] = match &model.run {
        Some(_) => &[Do::Pause, Do::Cancel],
        None if model.profile.running.is_some()
            && matches!(model.screen, Screen::Counters | Screen::Source) =>
        {
            &[Do::Cancel, Do::Run]
        }
        None if model.step.running.is_some() && model.screen == Screen::Step => &[Do::Cancel],
        // `r` would leave the step.
        None if model.screen == Screen::Step => &[],
        None => &[Do::Run],
    };
    let (own, common): (&[Do], &[Do]) = match model.screen {
        Screen::Sweep => (
            &[Do::NextPanel, Do::ZoomAll, Do::YAxis, Do::NextVariant, Do::Pin, Do::Export],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Output => (
            &[Do::Show(Screen::Sweep), Do::NextVariant, Do::PanLeft, Do::PanRight, Do::Export],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Tune => (
            &[Do::NextPanel, Do::Enter, Do::PanLeft, Do::PanRight, Do::Flip, Do::NextVariant],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Counters => (
            &[
                Do::Flip,
                Do::NextVariant,
                Do::PanLeft,
                Do::PanRight,
                Do::Show(Screen::Source),
                Do::Pin,
            ],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Source if model.own.is_some() => (
            &[Do::Edit, Do::NextPanel, Do::Flip, Do::Hottest, Do::Difference, Do::NextVariant],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Source => (
            &[Do::NextPanel, Do::Flip, Do::Hottest, Do::Difference, Do::NextVariant, Do::Pin],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Learn => (learn(model), &[Do::Theme, Do::Help, Do::Quit]),
        Screen::Step => (
            &[
                Do::Right,
                Do::Hottest,
                Do::Mark,
                Do::NextPanel,
                Do::ZoomIn,
                Do::NextBlock,
                Do::Find,
                Do::Export,
            ],
            &[Do::Theme, Do::Palette, Do::Help, Do::Quit],
        ),
        Screen::Runs if model.runs.table.is_some() => {
            (&[Do::Up, Do::Cancel], &[Do::Help, Do::Quit])
        }
        Screen::Runs => (
            &[
                Do::Enter,
                Do::Overlay,
                Do::Replay,
                Do::Mark,
                Do::Compare,
                Do::Discard,
                Do::Undo,
                Do::Find,
            ],
            &[Do::Help, Do::Quit],
        ),
    };
    // On the Runs screen its own keys come first, and `r` runs nothing there. A lesson says
    // which of its keys is next.
    let order = match model.screen {
        Screen::Runs => [own, run],
        Screen::Learn if model.run.is_none() => [own, &[]],
        _ => [run, own],
    };
    let shown = |command: &Do| match command {
        // A lesson waits for its run.
        Do::Enter if model.screen == Screen::Learn => model.run.is_none(),
        Do::Run if model.screen == Screen::Learn => {
            let runs = |open: &state::Open| {
                let tries = open.session.step().map(|step| &step.task);
                open.needed().is_some() || matches!(tries, Some(Task::Change(_) | Task::Write(_)))
            };
            model.run.is_none() && state::open(model).is_some_and(runs)
        }
        Do::Run => !model.read_only && model.screen != Screen::Runs,
        Do::NextVariant if model.screen == Screen::Sweep => model.chart.series().len() > 1,
        // Beside a run's keys there is no room for it.
        Do::Flip if model.screen == Screen::Tune => model.run.is_none(),
        Do::Flip => !(side_by_side && model.screen == Screen::Counters),
        Do::ZoomAll => model.chart.zoom.is_some(),
        Do::ZoomOut | Do::ZoomIn if model.screen == Screen::Learn => model.run.is_some(),
        Do::Number(_) => learn_keys::digits(model).is_some(),
        Do::Enter | Do::NextVariant if model.screen == Screen::Tune && model.tune.ladder => false,
        Do::Enter => {
            matches!(model.screen, Screen::Runs | Screen::Learn) || model.panel == Panel::Chart
        }
        _ => true,
    };
    let mut commands: Vec<Do> = Vec::new();
    for command in order.into_iter().chain([common]).flatten().copied().filter(shown) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands.into_iter().filter_map(|command| hint(command, model)).collect()
}

/// The keys of the step of a lesson.
fn learn(model: &Model) -> &'static [Do] {
    let Some(open) = state::open(model) else { return &[Do::Enter] };
    match open.session.step().map(|step| &step.task) {
        Some(Task::Run { .. }) => &[
            Do::Run,
            Do::Enter,
            Do::ZoomOut,
            Do::ZoomIn,
            Do::Flip,
            Do::PrevKernel,
            Do::Terms,
            Do::Cancel,
        ],
        Some(Task::Change(_)) => {
            &[Do::Run, Do::Enter, Do::Hint, Do::PrevKernel, Do::NextKernel, Do::Terms, Do::Cancel]
        }
        Some(Task::Write(_)) => &[
            Do::Edit,
            Do::Run,
            Do::Enter,
            Do::Hint,
            Do::PrevKernel,
            Do::NextKernel,
            Do::Terms,
            Do::Cancel,
        ],
        _ => &[Do::Number(0), Do::Enter, Do::Hint, Do::PrevKernel, Do::Terms, Do::Cancel],
    }
}

/// The key of a command and its name at this moment.
fn hint(command: Do, model: &Model) -> Option<(&'static Binding, &'static str)> {
    let binding = BINDINGS.iter().find(|binding| binding.command == command)?;
    let paused = || {
        model.run.as_ref().is_some_and(|run| matches!(run.phase, Phase::Paused | Phase::Pausing))
    };
    let name = match command {
        Do::Pause if paused() => "resume",
        Do::Cancel if model.runs.table.is_some() && model.screen == Screen::Runs => "close",
        Do::NextPanel => match (model.screen, model.panel) {
            (Screen::Source | Screen::Step, _) => "text",
            (Screen::Tune, Panel::Form) if !model.tune.ladder => "map",
            (Screen::Tune, Panel::Form) => "ladder",
            (_, Panel::Form) => "chart",
            _ => "form",
        },
        Do::NextVariant if model.screen == Screen::Sweep => "curve",
        Do::Enter if model.screen == Screen::Tune => "select",
        Do::Enter if model.screen == Screen::Learn => "next",
        Do::Terms => "words",
        Do::ZoomOut if model.screen == Screen::Learn => "slower",
        Do::ZoomIn if model.screen == Screen::Learn => "faster",
        Do::Cancel if model.screen == Screen::Learn && model.run.is_none() => {
            let chooses = state::open(model).is_none_or(|open| open.draft.stage == Stage::Choose);
            if chooses { "lessons" } else { "change" }
        }
        Do::Flip if model.screen == Screen::Learn => "times",
        Do::Hottest if model.screen == Screen::Step => "line",
        Do::Mark if model.screen == Screen::Step => "costly",
        Do::Find if model.screen == Screen::Step => "go to",
        Do::Flip if model.screen == Screen::Tune && model.tune.ladder => "map",
        Do::Flip if model.screen == Screen::Tune => "ladder",
        Do::Flip if model.screen == Screen::Counters && model.profile.roofline => "counters",
        Do::Flip if model.screen == Screen::Counters => "roofline",
        _ => binding.hint,
    };
    Some((binding, name))
}
