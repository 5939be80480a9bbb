//! What keys do in a lesson.

mod answering;
mod kernel;
mod pointing;
mod running;

use std::path::PathBuf;

use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;
use crate::tui::screens::class::update as class;
use crate::tui::screens::learn::draft::round;
use crate::tui::screens::learn::state::Open;

pub(crate) use pointing::{PAGE, digits, scrolled};
pub(crate) use running::{ended, hear, news};

/// A command on the screen of lessons; whether it is done with.
pub(crate) fn command(model: &mut Model, command: Command) -> bool {
    if is_for_any_screen(command) {
        return false;
    }
    let Some(learn) = &mut model.learn else { return false };
    if learn.open.is_some() {
        step_command(model, command);
        return true;
    }
    let many = learn.lessons.len();
    match command {
        Command::Up => learn.row = round(learn.row, -1, many),
        Command::Down => learn.row = round(learn.row, 1, many),
        Command::First => learn.row = 0,
        Command::Last => learn.row = many.saturating_sub(1),
        Command::Pick(row) if row == learn.row => open(model, row),
        Command::Pick(row) => learn.row = row.min(many.saturating_sub(1)),
        Command::Enter | Command::NextKernel => {
            let row = learn.row;
            open(model, row);
        }
        _ => {}
    }
    true
}

fn is_for_any_screen(command: Command) -> bool {
    use Command as Do;
    matches!(
        command,
        Do::Pause | Do::Quit | Do::Palette | Do::Terms | Do::Help | Do::Show(_) | Do::Copy
    )
}

/// Writes the report of the open lesson, for handing in, into the folder where the program
/// was started.
fn report(model: &mut Model) {
    let now = model.now;
    let Some(learn) = &model.learn else { return };
    let Some(open) = &learn.open else { return };
    let path = PathBuf::from(format!("{}-report.html", open.session.lesson().name));
    let session = Box::new(open.session.clone());
    model.effects.push(Effect::Report { session, path, now: learn.time(now) });
}

/// Opens the lesson that the program was started on.
pub(crate) fn begin(model: &mut Model) {
    if let Some(row) = model.learn.as_mut().and_then(|learn| learn.first.take()) {
        open(model, row);
    }
}

/// Reads what earlier runs of the open lesson gave, and what the H200 did.
pub(crate) fn results(model: &Model) -> Option<Effect> {
    let learn = model.learn.as_ref()?;
    let entry = learn.open.as_ref()?.entry;
    let known = learn.lessons.get(entry)?;
    let lesson = Box::new(known.lesson.clone());
    Some(Effect::Learned { entry, file: known.keeper.results(), lesson })
}

/// Opens a lesson where it was left.
pub(crate) fn open(model: &mut Model, row: usize) {
    let Some(learn) = &mut model.learn else { return };
    let Some(entry) = learn.lessons.get(row) else { return };
    let (session, notes) = entry.session();
    learn.row = row;
    learn.open = Some(Open::new(row, session));
    let problem = entry.problem.clone().or_else(|| notes.into_iter().next());
    let results = results(model);
    model.effects.extend(results);
    if let Some(problem) = problem {
        model.bad(problem);
    }
}

/// Esc: back to choosing an answer, or to the list. Whether there was anything to leave.
pub(crate) fn cancel(model: &mut Model) -> bool {
    let Some(learn) = &mut model.learn else { return false };
    let Some(open) = &mut learn.open else { return false };
    if open.running.is_some() {
        return false;
    }
    if open.kernel.busy {
        model.effects.push(Effect::StopJudging);
        return true;
    }
    if !open.draft.leave() {
        close(model);
    }
    true
}

/// Shows the list.
fn close(model: &mut Model) {
    let Some(learn) = &mut model.learn else { return };
    let Some(open) = learn.open.take() else { return };
    if let Some(entry) = learn.lessons.get_mut(open.entry) {
        entry.look();
    }
}

fn step_command(model: &mut Model, command: Command) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    match command {
        Command::Up => pointing::arrow(open, 0, -1),
        Command::Down => pointing::arrow(open, 0, 1),
        Command::Left => pointing::arrow(open, -1, 0),
        Command::Right => pointing::arrow(open, 1, 0),
        Command::Scroll(to) => open.scroll = to,
        Command::Number(digit) => pointing::number(model, digit),
        Command::Pick(row) => pointing::pick(open, row),
        Command::Flip => open.times = !open.times,
        Command::PrevKernel => {
            open.session.back();
            open.arrive();
        }
        Command::NextKernel => forward(model),
        Command::Hint => hint(model),
        Command::Enter => answering::enter(model),
        Command::Export => report(model),
        Command::ZoomIn => class::speed(model, true),
        Command::ZoomOut => class::speed(model, false),
        Command::Run => running::start(model),
        Command::Edit => kernel::edit(model),
        Command::Why => model.info("the explanation comes with the answer of a why step"),
        _ => {}
    }
}

/// Goes to the next step; behind the last one the lesson ends.
fn forward(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    if open.session.is_last() && open.session.left().is_none() {
        let text = if open.session.is_passed() {
            "lesson passed"
        } else {
            "end of the lesson; some answers are not right yet"
        };
        close(model);
        return model.good(text);
    }
    match open.session.forward() {
        Ok(()) => open.arrive(),
        Err(refused) => model.info(refused.to_string()),
    }
}

fn hint(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let Some(step) = open.session.step() else { return };
    let (all, id) = (step.hints.len(), step.id.clone());
    if all == 0 {
        return model.info("this step has no hints");
    }
    open.look();
    let more = open.session.hint().is_some();
    let shown = open.session.hints(&id).len();
    let last = if shown == all { ": that is the last one" } else { "" };
    let text =
        if more { format!("hint {shown} of {all}{last}") } else { "no more hints".to_owned() };
    model.info(text);
}

/// After every action: progress that changed is kept.
pub(crate) fn follow(model: &mut Model) {
    let Some(learn) = &mut model.learn else { return };
    let Some(open) = &learn.open else { return };
    let Some(entry) = learn.lessons.get_mut(open.entry) else { return };
    let progress = open.session.progress();
    if entry.progress.as_ref() != Some(&progress) {
        entry.progress = Some(progress.clone());
        let keeper = entry.keeper.clone();
        model.effects.push(Effect::KeepAnswers(keeper, Box::new(progress)));
    }
}
