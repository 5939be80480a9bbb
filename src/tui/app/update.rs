//! What each action does: the model changes, and effects are asked for. Pure:
//! no clock, no file, no thread.

use std::time::Duration;

use crate::figure::{Scale, YAxis};
use crate::tui::app::action::{Action, Command, ExportError};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model, Origin, Panel, Screen, ShownOutput};
use crate::tui::dialogs::picker::state::Kind;
use crate::tui::dialogs::state::{ExportState, Overlay, TextLine};
use crate::tui::dialogs::why::state as why;
use crate::tui::screens::sweep::form::state::Field;

use crate::tui::app::keep;
use crate::tui::dialogs::update as dialog;
use crate::tui::screens::profile::{looking, update as profile};
use crate::tui::screens::sweep::form::update as form;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod lab_tests;
use crate::tui::app::run::update as run;
use crate::tui::dialogs::picker::update as picker;
use crate::tui::screens::runs::update as runs;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
use crate::tui::screens::sweep::zoom;
use crate::tui::screens::tune::update as tune;

/// Applies `action`, which happened `now` after the start.
pub fn update(model: &mut Model, action: Action, now: Duration) -> Vec<Effect> {
    model.now = model.now.max(now);
    let back = matches!(action, Action::Do(Command::Undo | Command::Redo));
    let before = model.form.experiment.clone();
    let kept = model.kept.clone();
    let mut effects = apply(model, action);
    effects.extend(profile::follow(model));
    looking::remember(model);
    why::remember(&mut model.chart);
    if model.kept != kept {
        // Before anything that ends the loop.
        effects.insert(0, Effect::Keep(Box::new(model.kept.clone())));
    }
    if !back && model.form.experiment != before {
        model.history.edited(before);
    }
    effects
}

fn apply(model: &mut Model, action: Action) -> Vec<Effect> {
    match action {
        Action::Do(command) => do_command(model, command),
        Action::Edit(edit) => dialog::edit(model, edit),
        Action::Drawn(style, pixels) => {
            dialog::drawn(model, style, pixels);
            Vec::new()
        }
        Action::Paste(text) => {
            dialog::paste(model, &text);
            Vec::new()
        }
        Action::Cross(x) => {
            model.chart.crosshair =
                crate::tui::screens::sweep::state::nearest(&model.chart.stops(), x);
            Vec::new()
        }
        Action::Session { run, event } => run::report(model, run, event),
        Action::Ended { run, tally } => run::ended(model, run, tally),
        Action::Preview(output) => {
            // Whatever a kernel has computed is worth more than a preview.
            let kept = model.output.as_ref().filter(|shown| shown.origin != Origin::Reference);
            // One for settings that have changed since came too late.
            if !kept.is_some_and(|shown| fits_form(model, shown)) && fits_form(model, &output) {
                model.output = Some(*output);
            }
            Vec::new()
        }
        Action::Runs(news) => runs::news(model, news),
        Action::Stores { run, file } => {
            runs::stores(model, run, file);
            Vec::new()
        }
        Action::NotKept(reason) => {
            model.tell(Level::Bad, reason);
            Vec::new()
        }
        Action::Profiled { id, result } => {
            profile::profiled(model, id, result);
            Vec::new()
        }
        Action::Exported(result) => {
            exported(model, result);
            Vec::new()
        }
        Action::Tick => Vec::new(),
    }
}

/// The effects to start with: an output for the settings at hand.
pub fn start(model: &Model) -> Vec<Effect> {
    form::preview(model)
}

/// Whether an output is one of the experiment that the form describes.
fn fits_form(model: &Model, shown: &ShownOutput) -> bool {
    let case = &shown.case;
    form::preview_case(&model.selection).is_some_and(|preview| {
        preview.algorithm == case.algorithm
            && preview.params == case.params
            && preview.dist == case.dist
            && preview.seed == case.seed
    })
}

fn exported(model: &mut Model, result: Result<std::path::PathBuf, ExportError>) {
    let state = match result {
        Ok(path) => {
            model.tell(Level::Good, format!("saved {}", path.display()));
            ExportState::Saved(path)
        }
        Err(ExportError::Exists) => ExportState::Exists,
        Err(ExportError::Failed(reason)) => {
            model.tell(Level::Bad, reason.clone());
            ExportState::Failed(reason)
        }
    };
    if let Some(Overlay::Export(export)) = &mut model.overlay {
        if matches!(&state, ExportState::Saved(_)) && export.format.keeps_numbers() {
            model.unsaved = false;
        }
        export.state = state;
    }
}

pub(crate) fn do_command(model: &mut Model, command: Command) -> Vec<Effect> {
    if command != Command::Nothing {
        model.notice = None; // it answered the command before
    }
    match command {
        Command::Leave => return leave(model),
        Command::Suspend => return vec![Effect::Suspend],
        Command::Redraw => return vec![Effect::Redraw],
        Command::Nothing => return Vec::new(),
        Command::Cancel => return cancel(model),
        Command::Theme => {
            theme(model);
            return Vec::new();
        }
        Command::Mouse => {
            model.mouse = !model.mouse;
            model.kept.mouse = Some(model.mouse);
            let word = if model.mouse { "on" } else { "mouse off: the terminal selects text" };
            model.tell(Level::Info, format!("mouse {word}"));
            return vec![Effect::Mouse(model.mouse)];
        }
        Command::Ascii => {
            keep::ascii(model);
            return Vec::new();
        }
        Command::Motion => return keep::motion(model),
        Command::Present => {
            model.present = !model.present;
            model.screen = Screen::Sweep;
            return Vec::new();
        }
        _ => {}
    }
    match &model.overlay {
        Some(Overlay::Pick(_)) => return picker::command(model, command),
        Some(Overlay::Export(_)) => return dialog::command(model, command),
        Some(Overlay::Help) => {
            let last = crate::tui::app::keys::HELP_PAGES - 1;
            let page = match command {
                Command::Down | Command::Right | Command::PanRight => model.help_page + 1,
                Command::Up | Command::Left | Command::PanLeft => model.help_page.saturating_sub(1),
                _ => usize::MAX,
            };
            if page != usize::MAX {
                model.help_page = page.min(last);
                return Vec::new();
            }
            // A line of the help is a button: it closes the help and acts.
            model.overlay = None;
            if command == Command::Help {
                return Vec::new();
            }
        }
        Some(Overlay::Why) => {
            model.overlay = None;
            match command {
                Command::Enter => return run::test_why(model),
                Command::Why => return Vec::new(),
                _ => {}
            }
        }
        Some(Overlay::Copied(_)) => {
            model.overlay = None;
            if matches!(command, Command::Enter | Command::Copy) {
                return Vec::new();
            }
        }
        Some(Overlay::Leave(_)) => {
            if matches!(command, Command::Enter | Command::Quit) {
                return leave(model);
            }
            if command == Command::Export {
                model.overlay = None;
            } else {
                return Vec::new();
            }
        }
        None => {}
    }
    if !matches!(command, Command::Enter) && model.form.editor.is_some() {
        form::finish_edit(model);
    }
    if std::mem::take(&mut model.runs.finding) && command == Command::Enter {
        return Vec::new(); // the first Enter ends the typing
    }
    screen_command(model, command)
}

/// A command while nothing lies over the screen.
fn screen_command(model: &mut Model, command: Command) -> Vec<Effect> {
    if model.screen == Screen::Tune
        && let Some(effects) = tune_command(model, command)
    {
        return effects;
    }
    if model.screen == Screen::Runs
        && let Some(effects) = runs::command(model, command)
    {
        return effects;
    }
    if let Some(effects) = profile::command(model, command) {
        return effects;
    }
    if model.screen != Screen::Sweep && command.is_for_the_chart() {
        model.tell(Level::Info, "the chart is on the Sweep screen: press 1");
        return Vec::new();
    }
    let on_form = model.panel == Panel::Form;
    match command {
        Command::Run => return run::start(model),
        Command::Pause => return run::pause(model),
        Command::Quit => match model.would_lose() {
            Some(what) => model.overlay = Some(Overlay::Leave(what.to_owned())),
            None => return leave(model),
        },
        Command::Palette => picker::open(model, Kind::Palette),
        Command::Baseline => picker::open(model, Kind::Baseline),
        Command::Copy => return copy(model),
        Command::Help => {
            model.help_page = 0;
            model.overlay = Some(Overlay::Help);
        }
        Command::Why => model.overlay = Some(Overlay::Why),
        Command::Export => return dialog::open(model),
        Command::Show(screen) => {
            profile::open(model, screen);
            model.screen = screen;
            model.panel = match screen {
                Screen::Sweep => model.panel,
                Screen::Output => Panel::Form, // there is nothing else
                Screen::Tune | Screen::Counters | Screen::Source | Screen::Runs => Panel::Chart,
            };
            if screen == Screen::Runs {
                return runs::refresh(model);
            }
        }
        Command::NextPanel => {
            model.panel = if on_form { Panel::Chart } else { Panel::Form };
        }
        Command::Panel(panel) => model.panel = panel,
        Command::Up if on_form => model.form.go(-1),
        Command::Down if on_form => model.form.go(1),
        Command::First if on_form => model.form.go(isize::MIN / 2),
        Command::Last if on_form => model.form.go(isize::MAX / 2),
        Command::Left if on_form => return form::step(model, model.form.field, -1),
        Command::Right if on_form => return form::step(model, model.form.field, 1),
        Command::Enter if on_form => return form::enter(model),
        Command::Click(field) => return form::click(model, field),
        Command::Step(field, forward) => {
            model.panel = Panel::Form;
            model.form.field = field;
            return form::step(model, field, if forward { 1 } else { -1 });
        }
        Command::Left => model.chart.step(-1),
        Command::Right => model.chart.step(1),
        Command::First => model.chart.step(isize::MIN / 2),
        Command::Last => model.chart.step(isize::MAX / 2),
        Command::Up | Command::ZoomIn => zoom::by(model, 0.5),
        Command::Down | Command::ZoomOut => zoom::by(model, 2.0),
        Command::ZoomAll => model.chart.zoom = None,
        Command::PanLeft => zoom::pan(model, -0.25),
        Command::PanRight => zoom::pan(model, 0.25),
        Command::Pin => run::pin(model),
        Command::Unpin => run::unpin(model),
        Command::Published => published(model),
        Command::Overlay
        | Command::Mark
        | Command::Compare
        | Command::Discard
        | Command::Refresh
        | Command::Find
        | Command::Replay => return runs::elsewhere(model, command),
        Command::Speed => return runs::speed(model),
        Command::Undo => return form::undo(model, false),
        Command::Redo => return form::undo(model, true),
        Command::YAxis => y_axis(model),
        Command::LogY => {
            let choice = &mut model.chart.choice;
            choice.log_y = !choice.log_y;
            model.chart.redraw();
        }
        Command::LogX => {
            let choice = &mut model.chart.choice;
            choice.log_x = !choice.log_x;
            model.chart.zoom = None;
            model.chart.redraw();
        }
        _ => {}
    }
    Vec::new()
}

/// A command that means something else on the Tune screen.
fn tune_command(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    let on_map = model.panel == Panel::Chart;
    match command {
        Command::Run => return Some(tune::run(model)),
        Command::NextPanel => {
            model.panel = if on_map { Panel::Form } else { Panel::Chart };
        }
        Command::Panel(panel) => model.panel = panel,
        Command::Cell(block, coarsen) => {
            model.panel = Panel::Chart;
            model.tune.cursor = Some((block, coarsen));
        }
        Command::Left if on_map => tune::go(model, -1, 0),
        Command::Right if on_map => tune::go(model, 1, 0),
        Command::Up if on_map => tune::go(model, 0, -1),
        Command::Down if on_map => tune::go(model, 0, 1),
        Command::First if on_map => tune::go(model, isize::MIN / 2, 0),
        Command::Last if on_map => tune::go(model, isize::MAX / 2, 0),
        Command::Enter if on_map => return Some(tune::take(model)),
        Command::PanLeft => tune::resize(model, -1),
        Command::PanRight => tune::resize(model, 1),
        Command::NextVariant => tune::next_variant(model),
        _ => return None,
    }
    Some(Vec::new())
}

/// Lays published times of the algorithm over the chart, or takes them away.
fn published(model: &mut Model) {
    model.published = !model.published;
    model.rebuild_chart();
    if !model.published {
        return;
    }
    let (times, skipped) = model.published_times();
    let algorithm = &model.selection.algorithm;
    if times.is_empty() && skipped == 0 {
        let text = format!("no published times for these variants of {algorithm}");
        return model.tell(Level::Info, text);
    }
    let without = match skipped {
        0 => String::new(),
        some => {
            format!("; {some} more are invalid: their grid had zero blocks")
        }
    };
    let text = "published by others: one cold run each, with managed memory in most";
    model.tell(Level::Info, format!("{text}{without}"));
}

fn y_axis(model: &mut Model) {
    let choice = &mut model.chart.choice;
    (choice.y, choice.log_y) = match choice.y {
        YAxis::Time => (YAxis::Throughput, true),
        YAxis::Throughput => (YAxis::Bandwidth, true),
        // A factor is read from zero.
        YAxis::Bandwidth => (YAxis::Speedup, false),
        YAxis::Speedup => (YAxis::Time, true),
    };
    model.chart.redraw();
    if let Some(figure) = &model.chart.figure {
        let scale = if figure.y.scale == Scale::Linear { "linear" } else { "logarithmic" };
        let text = format!("y axis: {} ({scale}; l toggles)", figure.y.label);
        model.tell(Level::Info, text);
    }
}

fn theme(model: &mut Model) {
    if model.look.colour {
        model.look.theme = model.look.theme.next();
        model.kept.theme = Some(model.look.theme.kept());
        let name = model.look.theme.text();
        model.tell(Level::Info, format!("theme: {name}"));
    } else {
        model.tell(Level::Info, "NO_COLOR is set: only the theme without colour");
    }
}

/// Esc: the innermost thing ends.
fn cancel(model: &mut Model) -> Vec<Effect> {
    if model.overlay.take().is_some() {
        return Vec::new();
    }
    if model.form.editor.take().is_some() {
        return Vec::new();
    }
    if model.screen == Screen::Runs {
        if std::mem::take(&mut model.runs.finding) || model.runs.find != TextLine::default() {
            model.runs.find = TextLine::default();
            return Vec::new();
        }
        if model.runs.table.take().is_some() {
            return Vec::new();
        }
    }
    if let Some(effects) = profile::cancel(model) {
        return effects;
    }
    if model.run.is_some() {
        return run::cancel(model);
    }
    model.notice = None;
    model.chart.crosshair = None;
    Vec::new()
}

/// Puts the command that makes the shown numbers again on the clipboard.
fn copy(model: &mut Model) -> Vec<Effect> {
    let shown = model.chart.figure.as_ref().map(|figure| figure.command.clone());
    let command = shown
        .filter(|command| !command.is_empty())
        .unwrap_or_else(|| crate::figure::command(&model.form.experiment));
    model.overlay = Some(Overlay::Copied(command.clone()));
    vec![Effect::Copy(command)]
}

/// What is still to be done when a signal ends the program.
pub fn closing(model: &mut Model) -> Vec<Effect> {
    keep::experiment(model);
    vec![Effect::Keep(Box::new(model.kept.clone()))]
}

fn leave(model: &mut Model) -> Vec<Effect> {
    keep::experiment(model);
    let mut effects = Vec::new();
    if model.run.is_some() {
        effects.push(Effect::Cancel);
    }
    effects.push(Effect::Leave);
    effects
}

/// Whether keys go into text instead of meaning commands.
pub fn typing(model: &Model) -> bool {
    match &model.overlay {
        Some(Overlay::Export(_) | Overlay::Pick(_)) => true,
        Some(_) => false,
        None => model.form.editor.is_some() || model.screen == Screen::Runs && model.runs.finding,
    }
}

/// Whether the field under the keys is a tick box.
pub fn on_tick_box(model: &Model) -> bool {
    model.panel == Panel::Form && matches!(model.form.field, Field::Variant(_))
}
