//! The Counters and Source screens: having cases taken apart, and moving over
//! what came of it.

use crate::analysis::kernel_profile;
use crate::experiment::Case;
use crate::runner::scheduler::ProfiledCase;
use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model, Screen};
use crate::tui::screens::profile::state as closeup;
use crate::tui::screens::profile::state::{
    Known, Pane, Running, Side, Wanted, cursor, places, rows, texts,
};
use crate::units::Elements;

/// Lines that a page key moves by.
const PAGE: isize = 15;

/// Columns that the text moves sideways at a time.
const SHIFT: u16 = 8;

/// Most columns that it moves.
const MOST_SHIFT: u16 = 160;

/// Whether a screen is one of the two.
fn is_closeup(screen: Screen) -> bool {
    matches!(screen, Screen::Counters | Screen::Source)
}

/// Takes over what the screen that is left has under its cursor.
pub(crate) fn open(model: &mut Model, screen: Screen) {
    if !is_closeup(screen) || is_closeup(model.screen) {
        return;
    }
    let chosen = closeup::choose(model).or_else(|| of_form(model));
    let closeup = &mut model.closeup;
    let before = closeup.case.take();
    if let Some((case, beside, gpu)) = chosen {
        let same = before.as_ref() == Some(&case);
        (closeup.case, closeup.beside, closeup.gpu) = (Some(case), beside, gpu);
        if !same {
            (closeup.row, closeup.line, closeup.shift) = (0, None, 0);
            let hottest = hottest_kernel(model);
            model.closeup.kernel = hottest;
        }
    }
}

/// What the form asks for first, at its largest size.
fn of_form(model: &Model) -> Option<closeup::Choice> {
    let case = crate::tui::screens::sweep::form::update::preview_case(&model.selection)?;
    let n = model.selection.sizes.values().last().copied().unwrap_or(case.n);
    closeup::choice(model, Case { n, ..case }, None, None)
}

/// Has taken apart what the screen needs and nobody has seen yet; ends what it
/// does not need any more.
pub(crate) fn follow(model: &mut Model) -> Vec<Effect> {
    let wanted: Vec<Wanted> = if is_closeup(model.screen) {
        closeup::sides(model).into_iter().map(|side| side.wanted).collect()
    } else {
        Vec::new()
    };
    let mut effects = Vec::new();
    if let Some(running) = &model.closeup.running {
        if wanted.contains(&running.wanted) {
            return effects;
        }
        model.closeup.running = None;
        effects.push(Effect::StopDissecting);
    }
    if closeup::disturbs(model) {
        return effects;
    }
    let unknown = wanted.into_iter().find(|wanted| model.closeup.find(wanted).is_none());
    if let Some(wanted) = unknown {
        model.closeup.attempts += 1;
        let id = model.closeup.attempts;
        let running = Running { id, wanted: wanted.clone(), since: model.now };
        model.closeup.running = Some(running);
        effects.push(Effect::Dissect { id, wanted: Box::new(wanted) });
    }
    effects
}

/// A case has been taken apart, or not.
pub(crate) fn dissected(model: &mut Model, id: u64, result: Result<Box<ProfiledCase>, String>) {
    let running = model.closeup.running.take_if(|running| running.id == id);
    let Some(Running { wanted, .. }) = running else { return };
    let known = match result {
        Ok(dissected) if dissected.profile.is_some() => Known::Counted((*dissected).into()),
        Ok(dissected) => {
            let record = dissected.record;
            let wrong = record.wrong.map(|wrong| format!("kernel failed: {}", wrong.message));
            let skipped = record.skip.map(|reason| format!("cannot run: {reason}"));
            Known::Not(wrong.or(skipped).unwrap_or_else(|| "no counters".to_owned()))
        }
        Err(reason) => Known::Not(reason),
    };
    let first = model.closeup.case.as_ref() == Some(&wanted.case);
    model.closeup.learn(wanted, known);
    if first && model.closeup.line.is_none() && model.closeup.row == 0 {
        let hottest = hottest_kernel(model);
        model.closeup.kernel = hottest;
    }
}

/// Esc: ends the counting that is in progress.
pub(crate) fn cancel(model: &mut Model) -> Option<Vec<Effect>> {
    if !is_closeup(model.screen) {
        return None;
    }
    let running = model.closeup.running.take()?;
    model.closeup.learn(running.wanted, Known::Not("cancelled: press Enter to count".to_owned()));
    model.tell(Level::Info, "counting cancelled; press Enter to count again");
    Some(vec![Effect::StopDissecting])
}

/// The kernel of the case that takes longest, if that is known.
fn hottest_kernel(model: &Model) -> usize {
    let sides = closeup::sides(model);
    let Some(profile) = sides.first().and_then(Side::profile) else { return 0 };
    let kernels = profile.kernels.iter().enumerate();
    kernels.max_by(|a, b| a.1.seconds.total_cmp(&b.1.seconds)).map_or(0, |(index, _)| index)
}

/// A command that means something else on these screens.
pub(crate) fn command(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    if !is_closeup(model.screen) {
        return None;
    }
    match command {
        Command::PrevKernel => kernel(model, -1),
        Command::NextKernel => kernel(model, 1),
        Command::Kernel(index) => set_kernel(model, index),
        Command::NextVariant => variant(model),
        Command::Pin => keep(model),
        Command::Unpin => unkeep(model),
        Command::Enter => again(model),
        _ if model.screen == Screen::Counters => return counters(model, command),
        _ => return source(model, command),
    }
    Some(Vec::new())
}

fn counters(model: &mut Model, command: Command) -> Option<Vec<Effect>> {
    match command {
        Command::Up => row(model, -1),
        Command::Down => row(model, 1),
        Command::First => row(model, isize::MIN / 2),
        Command::Last => row(model, isize::MAX / 2),
        Command::Row(index) => model.closeup.row = index,
        Command::Left => kernel(model, -1),
        Command::Right => kernel(model, 1),
        Command::PanLeft => size(model, -1),
        Command::PanRight => size(model, 1),
        Command::Flip | Command::NextPanel => {
            model.closeup.roofline = !model.closeup.roofline;
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
        Command::Row(index) => model.closeup.line = Some(index),
        Command::Left => model.closeup.shift = model.closeup.shift.saturating_sub(SHIFT),
        Command::Right => model.closeup.shift = (model.closeup.shift + SHIFT).min(MOST_SHIFT),
        Command::NextPanel => match model.closeup.pane {
            Pane::Cuda => pane(model, Pane::Ptx),
            Pane::Ptx => pane(model, Pane::Cuda),
        },
        Command::Pane(to) => pane(model, to),
        Command::Flip => {
            model.closeup.heat = model.closeup.heat.next();
            let heat = model.closeup.heat;
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
    let closeup = &mut model.closeup;
    if closeup.kernel != index {
        (closeup.kernel, closeup.line, closeup.shift) = (index, None, 0);
    }
}

fn kernel(model: &mut Model, by: isize) {
    let sides = closeup::sides(model);
    let many = sides.first().and_then(Side::profile).map_or(0, |profile| profile.kernels.len());
    if many < 2 {
        return model.tell(Level::Info, "this case has one kernel");
    }
    let now = model.closeup.kernel.min(many - 1);
    set_kernel(model, (now as isize + by).rem_euclid(many as isize) as usize);
}

fn variant(model: &mut Model) {
    let next = model.closeup.case.as_ref().and_then(|case| closeup::next_variant(case, 1));
    match next {
        Some(case) => {
            model.closeup.case = Some(case);
            model.closeup.beside = None;
            (model.closeup.line, model.closeup.shift) = (None, 0);
            let hottest = hottest_kernel(model);
            model.closeup.kernel = hottest;
        }
        None => model.tell(Level::Info, "no other variant can run this case"),
    }
}

/// Keeps the case beside whatever comes.
fn keep(model: &mut Model) {
    let Some(case) = model.closeup.case.clone() else { return };
    let text = format!("{} pinned; v shows other variants beside it (A unpins)", case.variant);
    model.closeup.kept = Some(case);
    model.tell(Level::Good, text);
}

fn unkeep(model: &mut Model) {
    let text =
        if model.closeup.kept.take().is_some() { "unpinned" } else { "nothing is pinned here" };
    model.tell(Level::Info, text);
}

/// Counts again what was cancelled or failed.
fn again(model: &mut Model) {
    let failed: Vec<Wanted> = closeup::sides(model)
        .into_iter()
        .filter(|side| matches!(side.known, Some(Known::Not(_))))
        .map(|side| side.wanted)
        .collect();
    model.closeup.known.retain(|(wanted, _)| !failed.contains(wanted));
}

/// Puts the other case first.
fn exchange(model: &mut Model) {
    let cases: Vec<_> = closeup::sides(model).into_iter().map(|side| side.wanted.case).collect();
    let [first, second] = cases.as_slice() else {
        return model.tell(Level::Info, "no second case to swap with");
    };
    if model.closeup.kept.is_some() {
        model.closeup.kept = Some(first.clone());
    }
    model.closeup.beside = Some(first.clone());
    model.closeup.case = Some(second.clone());
    model.closeup.line = None;
}

fn size(model: &mut Model, by: isize) {
    let sizes = closeup::sizes(model);
    let Some(case) = &mut model.closeup.case else { return };
    let at = sizes.iter().position(|size| *size == case.n).unwrap_or(0);
    let next = at.saturating_add_signed(by).min(sizes.len().saturating_sub(1));
    if next == at {
        let end = if by < 0 { "smallest" } else { "largest" };
        return model.tell(Level::Info, format!("{end} size with results"));
    }
    case.n = sizes[next];
    let text = format!("n = {}", Elements(case.n));
    model.tell(Level::Info, text);
}

fn row(model: &mut Model, by: isize) {
    let many = rows(model).len();
    let now = model.closeup.row.min(many.saturating_sub(1));
    model.closeup.row = now.saturating_add_signed(by).min(many.saturating_sub(1));
}

/// To the next row that has something bad.
fn worst(model: &mut Model) {
    let rows = rows(model);
    let bad = |row: &kernel_profile::Row| row.readings.iter().flatten().any(|it| it.bad.is_some());
    let from = model.closeup.row + 1;
    let next = (from..rows.len()).chain(0..from.min(rows.len())).find(|at| bad(&rows[*at]));
    match next {
        Some(at) => model.closeup.row = at,
        None => model.tell(Level::Info, "no counter of this kernel is marked"),
    }
}

fn line(model: &mut Model, by: isize) {
    let (_, many) = places(model);
    let to = cursor(model).saturating_add_signed(by).min(many.saturating_sub(1));
    model.closeup.line = Some(to);
}

/// To the hottest line; on one already, to the next hottest.
fn hottest(model: &mut Model) {
    let (hot, _) = places(model);
    let now = cursor(model);
    let chosen = model.closeup.line.is_some();
    let at = hot.iter().position(|place| *place == now).filter(|_| chosen);
    let next = at.map_or(0, |at| (at + 1) % hot.len().max(1));
    if let Some(place) = hot.get(next) {
        model.closeup.line = Some(*place);
    } else {
        let text = format!("no line of this kernel is {}", model.closeup.heat.name());
        model.tell(Level::Info, text);
    }
}

/// To a text, with the cursor on what belongs to the line it was on.
fn pane(model: &mut Model, to: Pane) {
    if model.closeup.pane == to {
        return;
    }
    if model.closeup.diff {
        model.closeup.line = None;
    } else {
        let (from, heat) = (model.closeup.pane, model.closeup.heat);
        let now = cursor(model);
        if let Some(Some(texts)) = texts(model).first() {
            model.closeup.line = texts.of(from).partner_in(now, texts.of(to), heat);
        }
    }
    (model.closeup.pane, model.closeup.shift) = (to, 0);
}

/// Both cases' texts side by side, or one case's two texts.
fn diff(model: &mut Model) {
    model.closeup.line = None;
    if model.closeup.diff {
        model.closeup.diff = false;
        return;
    }
    if closeup::sides(model).len() < 2 {
        return model.tell(Level::Info, "no second case to compare with");
    }
    model.closeup.diff = true;
    model.closeup.shift = 0;
}
