//! What each action does: the model changes, and effects are asked for. Pure:
//! no clock, no file, no thread.

use std::time::Duration;

use crate::figure::{Scale, YAxis};
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::keep;
use crate::tui::app::keys::HELP_PAGES;
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::app::run::update as run;
use crate::tui::app::selection;
use crate::tui::app::tour;
use crate::tui::dialogs::picker::state::Kind;
use crate::tui::dialogs::picker::update as picker;
use crate::tui::dialogs::state::{Overlay, TextLine};
use crate::tui::dialogs::terms::update as terms;
use crate::tui::dialogs::update as dialog;
use crate::tui::dialogs::why::{counting, state as why};
use crate::tui::own::update as own;
use crate::tui::screens::class::update as class;
use crate::tui::screens::learn::update as learn;
use crate::tui::screens::output::state as outputs;
use crate::tui::screens::profile::{looking, update as profile};
use crate::tui::screens::runs::update as runs;
use crate::tui::screens::step::update as step;
use crate::tui::screens::sweep::form::state::Field;
use crate::tui::screens::sweep::form::update as form;
use crate::tui::screens::sweep::state::nearest;
use crate::tui::screens::sweep::zoom;
use crate::tui::screens::tune::{state as mapped, update as tune};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod lab_tests;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

/// Applies `action`, which happened `now` after the start.
pub(crate) fn update(model: &mut Model, action: Action, now: Duration) -> Vec<Effect> {
    model.now = model.now.max(now);
    let back = matches!(action, Action::Do(Command::Undo | Command::Redo));
    let before = model.form.experiment.clone();
    let kept = model.kept.clone();
    apply(model, action);
    model.chart.show_cross();
    selection::follow(model);
    outputs::follow(model);
    let follow = profile::follow(model);
    model.effects.extend(follow);
    let follow = step::follow(model);
    model.effects.extend(follow);
    looking::remember(model);
    mapped::remember(model);
    learn::follow(model);
    why::remember(&mut model.chart);
    class::follow(model);
    if model.kept != kept {
        // Before anything that ends the loop.
        model.effects.insert(0, Effect::Keep(Box::new(model.kept.clone())));
    }
    if !back && model.form.experiment != before {
        model.history.edited(before);
    }
    std::mem::take(&mut model.effects)
}

fn apply(model: &mut Model, action: Action) {
    match action {
        Action::Do(command) => do_command(model, command),
        Action::Edit(edit) => dialog::edit(model, edit),
        Action::Drawn(style, pixels) => dialog::drawn(model, style, pixels),
        Action::Paste(text) => dialog::paste(model, &text),
        Action::Cross(x) => model.chart.crosshair = nearest(model.chart.stops(), x),
        Action::Hover(index) => model.chart.hover(index),
        Action::Session { run, event } => {
            learn::hear(model, run, &event);
            run::report(model, run, event);
        }
        Action::Ended { run, tally } => {
            let ended = tally.clone();
            run::ended(model, run, tally);
            learn::ended(model, run, &ended);
        }
        Action::Learn(news) => learn::news(model, news),
        Action::Preview(output) => model.outputs.expect(*output),
        Action::Runs(news) => runs::news(model, news),
        Action::Stores { run, file } => runs::stores(model, run, file),
        Action::NotKept(reason) => model.bad(reason),
        Action::Profiled { id, result } => profile::profiled(model, id, result),
        Action::Recording { id, done } => step::progressed(model, id, done),
        Action::Recorded { id, result } => step::recorded(model, id, result),
        Action::Exported(result) => dialog::exported(model, result),
        Action::Own(news) => own::news(model, news),
        Action::Class(news) => class::news(model, news),
        Action::Tick => {}
    }
}

/// The effects to start with: an output for the settings at hand, and a stored run that
/// has these settings; or what a lesson needs.
pub(crate) fn start(model: &Model) -> Vec<Effect> {
    if model.learn.is_some() {
        return learn::results(model).into_iter().collect();
    }
    let case = outputs::expected_case(model);
    let preview = case.map(|case| Effect::Preview(Box::new(case)));
    let own = model.own.as_ref();
    let target = &model.form.experiment.target;
    let watch = own.map(|own| Effect::Watch {
        path: own.path.clone(),
        like: own.like.clone(),
        target: target.clone(),
    });
    watch.into_iter().chain(preview).chain(runs::look_for_offer(model)).collect()
}

/// Carries out a command, whatever lies over the screen.
pub(crate) fn do_command(model: &mut Model, command: Command) {
    let fresh = std::mem::take(&mut model.fresh);
    if command != Command::Nothing {
        model.notice = None; // it answered the command before
    }
    tour::follow(model, command);
    let takes_offer = command == Command::Offered
        || command == Command::Enter
            && model.overlay.is_none()
            && model.screen == Screen::Sweep
            && (fresh || model.panel == Panel::Chart);
    if takes_offer && runs::take_offer(model) {
        return;
    }
    match command {
        Command::Leave => leave(model),
        Command::Suspend => model.effects.push(Effect::Suspend),
        Command::Redraw => model.effects.push(Effect::Redraw),
        Command::Nothing => {}
        Command::Cancel => cancel(model),
        Command::Class(command) => class::command(model, command),
        Command::Address => class::address(model),
        Command::Slower => class::speed(model, false),
        Command::Faster => class::speed(model, true),
        // A step of a lesson has a file of its own.
        Command::Edit if model.screen != Screen::Learn => own::edit(model),
        Command::Theme => keep::theme(model),
        Command::Mouse => keep::mouse(model),
        Command::Time => keep::time(model),
        Command::Ascii => keep::ascii(model),
        Command::Dots if model.screen != Screen::Step => keep::dots(model),
        Command::Motion => keep::motion(model),
        Command::Present => {
            model.present = !model.present;
            model.revealed = false;
            model.choose_speed();
            model.screen = Screen::Sweep;
        }
        command if overlay_takes(model, command) => {}
        command => {
            if command != Command::Enter {
                form::finish_edit(model);
            }
            // The first Enter ends the typing.
            let typed = std::mem::take(&mut model.runs.finding) && command == Command::Enter;
            if !typed {
                screen_command(model, command);
            }
        }
    }
}

/// Whether what lies over the screen takes the command.
fn overlay_takes(model: &mut Model, command: Command) -> bool {
    match &model.overlay {
        None => false,
        Some(Overlay::Pick(_)) => {
            picker::command(model, command);
            true
        }
        Some(Overlay::Export(_)) => {
            dialog::command(model, command);
            true
        }
        Some(Overlay::Terms(_)) => terms::command(model, command),
        Some(Overlay::Help) => {
            match command {
                Command::Down | Command::Right | Command::PanRight => model.help_page += 1,
                Command::Up | Command::Left | Command::PanLeft => {
                    model.help_page = model.help_page.saturating_sub(1);
                }
                // A line of the help is a button: it closes the help and acts.
                _ => {
                    model.overlay = None;
                    return command == Command::Help;
                }
            }
            model.help_page = model.help_page.min(HELP_PAGES - 1);
            true
        }
        Some(Overlay::Why) if model.present && matches!(command, Command::Up | Command::Down) => {
            let page = model.why_page;
            let down = command == Command::Down;
            model.why_page = if down { page + 1 } else { page.saturating_sub(1) };
            true
        }
        Some(Overlay::Why) => {
            match command {
                Command::Left => counting::turn(model, -1),
                Command::Right => counting::turn(model, 1),
                Command::Enter => counting::start_test(model),
                _ => {
                    model.overlay = None;
                    return command == Command::Why;
                }
            }
            true
        }
        Some(Overlay::Copied(_)) => {
            model.overlay = None;
            matches!(command, Command::Enter | Command::Copy)
        }
        Some(Overlay::Leave(_)) => {
            match command {
                Command::Enter | Command::Quit => leave(model),
                Command::Export => model.overlay = None,
                _ => {}
            }
            command != Command::Export
        }
    }
}

/// A command while nothing lies over the screen.
fn screen_command(model: &mut Model, command: Command) {
    let taken = match model.screen {
        Screen::Tune => tune::command(model, command),
        Screen::Runs => runs::command(model, command),
        Screen::Learn => learn::command(model, command),
        Screen::Step => step::command(model, command),
        _ => false,
    };
    if taken {
        return;
    }
    if let Some(effects) = profile::command(model, command) {
        return model.effects.extend(effects);
    }
    match command {
        Command::NextVariant if model.screen != Screen::Sweep => return selection::next(model, 1),
        Command::PrevVariant if model.screen != Screen::Sweep => return selection::next(model, -1),
        Command::PanLeft if model.screen == Screen::Output => return selection::resize(model, -1),
        Command::PanRight if model.screen == Screen::Output => return selection::resize(model, 1),
        _ => {}
    }
    if model.screen != Screen::Sweep && command.is_for_the_chart() {
        return model.info("the chart is on the Sweep screen: press 1");
    }
    let on_form = model.panel == Panel::Form;
    match command {
        Command::Run => run::start(model),
        Command::Pause => run::pause(model),
        Command::Quit => match model.would_lose() {
            Some(what) => model.overlay = Some(Overlay::Leave(what.to_owned())),
            None => leave(model),
        },
        Command::Palette => picker::open(model, Kind::Palette),
        Command::Terms => terms::open(model),
        Command::Baseline => picker::open(model, Kind::Baseline),
        Command::Copy => copy(model),
        Command::Help => {
            model.help_page = 0;
            model.overlay = Some(Overlay::Help);
        }
        Command::Why => {
            model.why_page = 0;
            model.why.at = 0;
            model.overlay = Some(Overlay::Why);
        }
        Command::Export => dialog::open(model),
        Command::Show(Screen::Learn) if model.learn.is_none() => {
            model.info("lessons open with `warpscope learn`");
        }
        Command::Show(screen) => {
            if model.screen == Screen::Sweep {
                model.sweep_panel = model.panel;
            }
            model.screen = screen;
            match screen {
                Screen::Sweep => model.panel = model.sweep_panel,
                Screen::Output => model.panel = Panel::Form, // there is nothing else
                _ => model.panel = Panel::Chart,
            }
            if screen == Screen::Runs {
                runs::refresh(model);
            }
        }
        Command::NextPanel => model.panel = if on_form { Panel::Chart } else { Panel::Form },
        Command::Panel(panel) => model.panel = panel,
        Command::Up if on_form => model.form.go(-1),
        Command::Down if on_form => model.form.go(1),
        Command::First if on_form => model.form.go(isize::MIN / 2),
        Command::Last if on_form => model.form.go(isize::MAX / 2),
        Command::Left if on_form => form::step(model, model.form.field, -1),
        Command::Right if on_form => form::step(model, model.form.field, 1),
        Command::Enter if on_form => form::enter(model),
        Command::Click(field) => form::click(model, field),
        Command::Step(field, forward) => {
            model.panel = Panel::Form;
            model.form.field = field;
            form::step(model, field, if forward { 1 } else { -1 });
        }
        Command::Left => model.chart.step(-1),
        Command::Right => model.chart.step(1),
        Command::First => model.chart.step(isize::MIN / 2),
        Command::Last => model.chart.step(isize::MAX / 2),
        Command::Up | Command::ZoomIn => zoom::by(model, 0.5),
        Command::Down | Command::ZoomOut => zoom::by(model, 2.0),
        Command::ZoomAll => zoom::all(model),
        Command::PanLeft => zoom::pan(model, -0.25),
        Command::PanRight => zoom::pan(model, 0.25),
        Command::Hottest if model.screen == Screen::Sweep => runs::next_point(model),
        Command::NextVariant => {
            model.chart.choose_next(1);
            selection::take_curve(model);
        }
        Command::PrevVariant => {
            model.chart.choose_next(-1);
            selection::take_curve(model);
        }
        Command::Curve(index) => {
            model.chart.choose(index);
            selection::take_curve(model);
        }
        Command::Pin => run::pin(model),
        Command::Unpin => run::unpin(model),
        Command::Published => published(model),
        Command::Overlay
        | Command::Mark
        | Command::Compare
        | Command::Discard
        | Command::Refresh
        | Command::Find
        | Command::Replay => runs::elsewhere(model, command),
        Command::Speed => runs::speed(model),
        Command::Undo => form::undo(model, false),
        Command::Redo => form::undo(model, true),
        Command::YAxis => y_axis(model),
        Command::LogY => {
            model.chart.choice.log_y = !model.chart.choice.log_y;
            model.chart.redraw();
        }
        Command::LogX => {
            model.chart.choice.log_x = !model.chart.choice.log_x;
            model.chart.zoom = None;
            model.chart.redraw();
        }
        _ => {}
    }
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
        return model.info(text);
    }
    let without = match skipped {
        0 => String::new(),
        some => format!("; {some} more are invalid: their grid had zero blocks"),
    };
    let text = "published by others: one cold run each, with managed memory in most";
    model.info(format!("{text}{without}"));
}

fn y_axis(model: &mut Model) {
    let chart = &mut model.chart;
    let at = YAxis::ALL.iter().position(|y| *y == chart.choice.y).unwrap_or(0);
    let next = YAxis::ALL.into_iter().cycle().skip(at + 1).take(YAxis::ALL.len());
    let next = next.into_iter().find(|y| y.applies(&chart.records)).unwrap_or_default();
    (chart.choice.y, chart.choice.log_y) = (next, !next.is_from_zero());
    model.chart.redraw();
    if let Some(figure) = &model.chart.figure {
        let scale = if figure.y.scale == Scale::Linear { "linear" } else { "logarithmic" };
        let text = format!("y axis: {} ({scale}; l toggles)", figure.y.label);
        model.info(text);
    }
}

/// Esc: the innermost thing ends.
fn cancel(model: &mut Model) {
    if model.overlay.take().is_some() || model.form.editor.take().is_some() {
        return;
    }
    if model.screen == Screen::Learn && learn::cancel(model) {
        return;
    }
    if model.screen == Screen::Runs {
        let finding = std::mem::take(&mut model.runs.finding);
        let found = std::mem::take(&mut model.runs.find) != TextLine::default();
        if finding || found || model.runs.table.take().is_some() {
            return;
        }
    }
    if step::cancel(model) {
        return;
    }
    if let Some(effects) = profile::cancel(model) {
        model.effects.extend(effects);
    } else if model.run.is_some() {
        run::cancel(model);
    } else {
        model.notice = None;
        model.offer = None;
        model.chart.crosshair = None;
        model.chart.chosen = None;
        model.chart.hover(None);
    }
}

/// Puts the command that makes the shown numbers again on the clipboard.
fn copy(model: &mut Model) {
    let shown = model.chart.figure.as_ref().map(|figure| figure.command.clone());
    let command = shown
        .filter(|command| !command.is_empty())
        .unwrap_or_else(|| crate::figure::command(&model.form.experiment));
    model.overlay = Some(Overlay::Copied(command.clone()));
    model.effects.push(Effect::Copy(command));
}

/// What is still to be done when a signal ends the program.
pub(crate) fn closing(model: &mut Model) -> Effect {
    keep::experiment(model);
    Effect::Keep(Box::new(model.kept.clone()))
}

fn leave(model: &mut Model) {
    tour::end(model);
    keep::experiment(model);
    if model.run.is_some() {
        model.effects.push(Effect::Cancel);
    }
    model.effects.push(Effect::Leave);
}

/// Whether keys go into text instead of meaning commands.
pub(crate) fn typing(model: &Model) -> bool {
    match &model.overlay {
        Some(Overlay::Export(_) | Overlay::Pick(_)) => true,
        Some(_) => false,
        None => {
            model.form.editor.is_some()
                || model.screen == Screen::Runs && model.runs.finding
                || model.screen == Screen::Step && model.step.typed.is_some()
        }
    }
}

/// Whether the field under the keys is a tick box.
pub(crate) fn on_tick_box(model: &Model) -> bool {
    model.panel == Panel::Form && matches!(model.form.field, Field::Variant(_))
}
