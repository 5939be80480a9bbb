//! The Counters and Source screens: profiling cases, and moving over their profiles.

use crate::analysis::kernel_profile;
use crate::figure::listing::Heat;
use crate::runner::scheduler::ProfiledCase;
use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model, Screen};
use crate::tui::app::selection;
use crate::tui::dialogs::state::Overlay;
use crate::tui::dialogs::why::counting;
use crate::tui::own::update as own;
use crate::tui::screens::class::state::Desk;
use crate::tui::screens::class::update as teacher;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::profile::state::{
    Known, Pane, Running, Side, Wanted, cursor, kernels, places, rows, texts,
};
use crate::tui::screens::step::state::{Seek, Text};
use crate::tui::screens::step::update as step;
use crate::work::metric::{Counter, Metric};
use crate::work::trace::Marks;

/// Marks of a bank conflict, of loads and stores or of atomics.
const CONFLICT: &[Marks] = &[Marks::CONFLICT, Marks::SERIAL];

/// Marks of a divergent branch.
const DIVERGES: &[Marks] = &[Marks::DIVERGES];

/// Lines that a page key moves by.
const PAGE: isize = 15;

/// Columns that the text moves sideways at a time.
const SHIFT: u16 = 8;

/// Most columns that it moves.
const MOST_SHIFT: u16 = 160;

/// Whether a screen is one of the two.
fn shows_profile(screen: Screen) -> bool {
    matches!(screen, Screen::Counters | Screen::Source)
}

/// Another case was selected: its kernels are looked at from the start.
pub(crate) fn another_case(model: &mut Model) {
    (model.profile.line, model.profile.shift) = (None, 0);
    let hottest = hottest_kernel(model);
    model.profile.kernel = hottest;
}

/// Profiles what the screen needs and is not known yet; ends a profile that it no longer needs.
pub(crate) fn follow(model: &mut Model) -> Vec<Effect> {
    // A class that sees the result also gets its explanation.
    let class = model.run.is_none() && model.class.as_ref().is_some_and(Desk::shows_chart);
    let wanted: Vec<Wanted> = if class {
        teacher::wanted(model)
    } else if model.overlay == Some(Overlay::Why) {
        counting::wanted(model)
    } else if shows_profile(model.screen) {
        profile::sides(model).into_iter().map(|side| side.wanted).collect()
    } else {
        Vec::new()
    };
    let mut effects = Vec::new();
    if let Some(running) = &model.profile.running {
        if wanted.contains(&running.wanted) {
            return effects;
        }
        model.profile.running = None;
        effects.push(Effect::StopProfiling);
    }
    if profile::disturbs(model) {
        return effects;
    }
    let unknown = wanted.into_iter().find(|wanted| model.profile.find(wanted).is_none());
    if let Some(wanted) = unknown {
        model.profile.attempts += 1;
        let id = model.profile.attempts;
        let running = Running { id, wanted: wanted.clone(), since: model.now };
        model.profile.running = Some(running);
        effects.push(Effect::Profile { id, wanted: Box::new(wanted) });
    }
    effects
}

/// A case was profiled, or failed.
pub(crate) fn profiled(model: &mut Model, id: u64, result: Result<Box<ProfiledCase>, String>) {
    let running = model.profile.running.take_if(|running| running.id == id);
    let Some(Running { wanted, .. }) = running else { return };
    let known = match result {
        Ok(profiled) if profiled.profile.is_some() => Known::Counted((*profiled).into()),
        Ok(profiled) => {
            let record = profiled.record;
            let wrong = record.wrong.map(|wrong| format!("kernel failed: {}", wrong.message));
            let skipped = record.skip.map(|reason| format!("cannot run: {reason}"));
            Known::Not(wrong.or(skipped).unwrap_or_else(|| "no counters".to_owned()))
        }
        Err(reason) => Known::Not(reason),
    };
    let first = model.selected.as_ref().is_some_and(|selected| selected.case == wanted.case);
    model.profile.learn(wanted, known);
    if first && model.profile.line.is_none() && model.profile.row == 0 {
        let hottest = hottest_kernel(model);
        model.profile.kernel = hottest;
    }
}

/// Esc: ends the counting that is in progress.
pub(crate) fn cancel(model: &mut Model) -> Option<Vec<Effect>> {
    if !shows_profile(model.screen) {
        return None;
    }
    let running = model.profile.running.take()?;
    model.profile.learn(running.wanted, Known::Not("cancelled: press Enter to count".to_owned()));
    model.tell(Level::Info, "counting cancelled; press Enter to count again");
    Some(vec![Effect::StopProfiling])
}

/// The kernel of the case that takes longest, if that is known.
fn hottest_kernel(model: &Model) -> usize {
    let sides = profile::sides(model);
    let Some(profile) = sides.first().and_then(Side::profile) else { return 0 };
    let kernels = profile.kernels.iter().enumerate();
    kernels.max_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds)).map_or(0, |(index, _)| index)
}

/// A command that means something else on these screens.
pub(crate) fn command(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    if !shows_profile(model.screen) {
        return None;
    }
    match command {
        Command::Why => return open_step(model),
        Command::PrevKernel => kernel(model, -1),
        Command::NextKernel => kernel(model, 1),
        Command::Kernel(index) => set_kernel(model, index),
        Command::Pin => keep(model),
        Command::Unpin => unkeep(model),
        Command::Enter => again(model),
        _ if model.screen == Screen::Counters => return counters(model, command),
        _ => return source(model, command),
    }
    Some(Vec::new())
}

/// Opens the Step screen at the first bank conflict or divergent branch, where the cursor is
/// on one.
fn open_step(model: &mut Model) -> Option<Vec<Effect>> {
    let kernel = kernels(model, &profile::sides(model)).into_iter().next().flatten()?.name.clone();
    let (line, marks) = if model.screen == Screen::Counters {
        let rows = rows(model);
        let row = rows.get(model.profile.row.min(rows.len().saturating_sub(1)))?;
        row.readings.first()?.as_ref()?.value.filter(|value| *value > 0.0)?;
        let marks =
            [(Counter::SharedBankConflicts, CONFLICT), (Counter::DivergentBranches, DIVERGES)];
        (None, marks.into_iter().find(|(counter, _)| counter.label() == row.name)?.1)
    } else {
        if model.profile.diff || model.own.as_ref().is_some_and(|own| own.changes.is_some()) {
            return None;
        }
        let texts = texts(model).into_iter().next()??;
        let pane = model.profile.pane;
        let line = texts.of(pane).lines.get(cursor(model))?;
        let marks = match (line.work.excess_wavefronts, line.work.diverged) {
            (0, 0) => return None,
            (0, _) => DIVERGES,
            (_, 1..) if model.profile.heat == Heat::Divergent => DIVERGES,
            _ => CONFLICT,
        };
        let text = if pane == Pane::Cuda { Text::Source } else { Text::Ptx };
        (Some((text, line.number)), marks)
    };
    step::open_at(model, &kernel, Seek { line, marks });
    Some(Vec::new())
}

fn counters(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    match command {
        Command::Up => row(model, -1),
        Command::Down => row(model, 1),
        Command::First => row(model, isize::MIN / 2),
        Command::Last => row(model, isize::MAX / 2),
        Command::Row(index) => model.profile.row = index,
        Command::Left => kernel(model, -1),
        Command::Right => kernel(model, 1),
        Command::PanLeft => selection::resize(model, -1),
        Command::PanRight => selection::resize(model, 1),
        Command::Flip | Command::NextPanel => {
            model.profile.roofline = !model.profile.roofline;
        }
        Command::Hottest => worst(model),
        Command::Difference => exchange(model),
        _ => return None,
    }
    Some(Vec::new())
}

fn source(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    match command {
        Command::Up => line(model, -1),
        Command::Down => line(model, 1),
        Command::First => line(model, isize::MIN / 2),
        Command::Last => line(model, isize::MAX / 2),
        Command::PanLeft => line(model, -PAGE),
        Command::PanRight => line(model, PAGE),
        Command::Row(index) => model.profile.line = Some(index),
        Command::Left => model.profile.shift = model.profile.shift.saturating_sub(SHIFT),
        Command::Right => model.profile.shift = (model.profile.shift + SHIFT).min(MOST_SHIFT),
        Command::NextPanel => match model.profile.pane {
            Pane::Cuda => pane(model, Pane::Ptx),
            Pane::Ptx => pane(model, Pane::Cuda),
        },
        Command::Pane(to) => pane(model, to),
        Command::Flip => {
            model.profile.heat = model.profile.heat.next();
            let heat = model.profile.heat;
            let none = if places(model).0.is_empty() { "; no line has any" } else { "" };
            model.tell(Level::Info, format!("heat: {}, the {}{none}", heat.name(), heat.about()));
        }
        Command::Hottest => hottest(model),
        Command::Difference => diff(model),
        _ => return None,
    }
    Some(Vec::new())
}

fn set_kernel(model: &mut Model, index: usize) {
    let profile = &mut model.profile;
    if profile.kernel != index {
        (profile.kernel, profile.line, profile.shift) = (index, None, 0);
    }
}

fn kernel(model: &mut Model, by: isize) {
    let sides = profile::sides(model);
    let many = sides.first().and_then(Side::profile).map_or(0, |profile| profile.kernels.len());
    if many < 2 {
        return model.tell(Level::Info, "this case has one kernel");
    }
    let now = model.profile.kernel.min(many - 1);
    set_kernel(model, (now as isize + by).rem_euclid(many as isize) as usize);
}

/// Keeps the case beside whatever comes.
fn keep(model: &mut Model) {
    let Some(case) = model.selected.as_ref().map(|it| it.case.clone()) else { return };
    let text = format!("{} pinned; v shows other variants beside it (A unpins)", case.variant);
    model.profile.kept = Some(case);
    model.tell(Level::Good, text);
}

fn unkeep(model: &mut Model) {
    let text =
        if model.profile.kept.take().is_some() { "unpinned" } else { "nothing is pinned here" };
    model.tell(Level::Info, text);
}

/// Counts again what was cancelled or failed.
fn again(model: &mut Model) {
    let failed: Vec<Wanted> = profile::sides(model)
        .into_iter()
        .filter(|side| matches!(side.known, Some(Known::Not(_))))
        .map(|side| side.wanted)
        .collect();
    model.profile.known.retain(|(wanted, _)| !failed.contains(wanted));
}

/// Selects the other case, where the form has it, and puts this one beside it.
fn exchange(model: &mut Model) {
    let selected = model.selected.as_ref();
    let Some((first, second)) = selected.and_then(|it| Some((it.case.clone(), it.beside.clone()?)))
    else {
        return model.tell(Level::Info, "no second case to swap with");
    };
    if !selection::is_in_form(model, &second) {
        let name = &second.variant;
        let text = format!("the form does not select B, {name}: tick it on the Sweep screen");
        return model.tell(Level::Info, text);
    }
    if second.n != first.n {
        model.chart.crosshair = Some(second.n as f64);
    }
    if model.profile.kept.is_some() {
        model.profile.kept = Some(first.clone());
    }
    selection::set(model, second);
    model.profile.beside = Some(first);
}

fn row(model: &mut Model, by: isize) {
    let many = rows(model).len();
    let now = model.profile.row.min(many.saturating_sub(1));
    model.profile.row = now.saturating_add_signed(by).min(many.saturating_sub(1));
}

/// To the next row that has something bad.
fn worst(model: &mut Model) {
    let rows = rows(model);
    let bad = |row: &kernel_profile::Row| row.readings.iter().flatten().any(|it| it.bad.is_some());
    let from = model.profile.row + 1;
    let next = (from..rows.len()).chain(0..from.min(rows.len())).find(|at| bad(&rows[*at]));
    match next {
        Some(at) => model.profile.row = at,
        None => model.tell(Level::Info, "no counter of this kernel is marked"),
    }
}

fn line(model: &mut Model, by: isize) {
    let (_, many) = places(model);
    let to = cursor(model).saturating_add_signed(by).min(many.saturating_sub(1));
    model.profile.line = Some(to);
}

/// To the hottest line; on one already, to the next hottest.
fn hottest(model: &mut Model) {
    let (hot, _) = places(model);
    let now = cursor(model);
    let chosen = model.profile.line.is_some();
    let at = hot.iter().position(|place| *place == now).filter(|_| chosen);
    let next = at.map_or(0, |at| (at + 1) % hot.len().max(1));
    if let Some(place) = hot.get(next) {
        model.profile.line = Some(*place);
    } else {
        let text = format!("no line of this kernel is {}", model.profile.heat.name());
        model.tell(Level::Info, text);
    }
}

/// To a text, with the cursor on what belongs to the line it was on.
fn pane(model: &mut Model, to: Pane) {
    if model.profile.pane == to {
        return;
    }
    if model.profile.diff {
        model.profile.line = None;
    } else {
        let (from, heat) = (model.profile.pane, model.profile.heat);
        let now = cursor(model);
        if let Some(Some(texts)) = texts(model).first() {
            model.profile.line = texts.of(from).partner_in(now, texts.of(to), heat);
        }
    }
    (model.profile.pane, model.profile.shift) = (to, 0);
}

/// Both cases' texts side by side, or one case's two texts.
fn diff(model: &mut Model) {
    model.profile.line = None;
    let compares = model.own.as_ref().is_some_and(|own| own.changes.is_some());
    if model.profile.diff || compares {
        model.profile.diff = false;
        own::compare_next(model);
        return;
    }
    if profile::sides(model).len() < 2 {
        if own::compare_next(model) {
            return;
        }
        return model.tell(Level::Info, "no second case to compare with");
    }
    model.profile.diff = true;
    model.profile.shift = 0;
}
