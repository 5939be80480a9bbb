//! What a student points at: options, points of a curve, parameters, and lines of the page.

use crate::lessons::{Ask, Formula, Task};
use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Screen};
use crate::tui::screens::learn::draft::{MOST_SURE, Stage, round};
use crate::tui::screens::learn::state::{self, Open};
use crate::tui::widgets::ui::Page;

/// Lines that a key scrolls.
pub(crate) const PAGE: isize = 8;

/// An arrow key: right and down are positive.
pub(super) fn arrow(open: &mut Open, right: isize, down: isize) {
    open.look();
    let asks = open.asks();
    let lesson = open.session.lesson();
    let Some(step) = open.session.step() else { return };
    match (&step.task, step.task.question()) {
        (_, Some(question)) if asks => match open.draft.stage {
            Stage::Confidence => open.draft.be_sure(right - down),
            Stage::Lock => {}
            Stage::Choose if matches!(question.ask, Ask::Draw { .. }) => {
                let value = question.ask.value().and_then(|name| lesson.values.get(name));
                open.draft.go_point(right);
                open.draft.lift(-down as i32, value.and_then(Formula::unit));
            }
            Stage::Choose => {
                let question = question.clone();
                open.draft.go(&question, right, down);
            }
        },
        (Task::Change(change), _) => {
            let axes = change.axes.len();
            if down != 0 {
                open.setting.axis = round(open.setting.axis, down, axes);
                open.setting.value = None;
            } else if let Some((axis, values)) = change.axes.iter().nth(open.setting.axis) {
                let from = open.setting.value.or_else(|| open.start(axis));
                let last = values.len().saturating_sub(1);
                let to = from.map_or(0, |from| from.saturating_add_signed(right).min(last));
                open.setting.value = Some(to);
            }
        }
        _ => {}
    }
}

/// A click on an option or a parameter.
pub(super) fn pick(open: &mut Open, row: usize) {
    open.look();
    let Some(step) = open.session.step() else { return };
    if let Task::Change(change) = &step.task {
        if row < change.axes.len() && row != open.setting.axis {
            (open.setting.axis, open.setting.value) = (row, None);
        }
    } else if let Some(question) = step.task.question()
        && open.asks()
        && row < question.options.len()
    {
        open.draft.option = row;
        open.draft.leave();
    }
}

/// The largest number that a digit can answer now: while the question of a step is open, its
/// digits belong to the lesson. `None` where they go to another screen.
pub(crate) fn digits(model: &Model) -> Option<u8> {
    let open = state::open(model).filter(|_| model.screen == Screen::Learn)?;
    let task = &open.session.step()?.task;
    let question = task.question().filter(|_| open.asks() && open.needed().is_none())?;
    let predicts = matches!(task, Task::Predict(_));
    match open.draft.stage {
        Stage::Confidence | Stage::Lock if predicts => Some(MOST_SURE),
        Stage::Choose if matches!(question.ask, Ask::Cell { .. } | Ask::Draw { .. }) => None,
        _ => u8::try_from(question.options.len()).ok().filter(|many| (1..=9).contains(many)),
    }
}

/// A digit: an option, or how sure the student is.
pub(super) fn number(model: &mut Model, number: u8) {
    let Some(most) = digits(model) else { return };
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    if !(1..=most).contains(&number) {
        return model.info(format!("1 to {most} answer; ] and [ change the step, Esc leaves"));
    }
    let predicts = open.session.step().is_some_and(|step| matches!(step.task, Task::Predict(_)));
    if predicts && open.draft.stage != Stage::Choose {
        open.look();
        open.draft.confidence = number;
    } else {
        pick(open, usize::from(number) - 1);
    }
}

/// The command of a key that scrolls the page of a lesson, given how far it is scrolled;
/// the command as it is where it does something else.
pub(crate) fn scrolled(model: &Model, command: Command, page: Option<&Page>) -> Command {
    let open =
        state::open(model).filter(|_| model.screen == Screen::Learn && model.overlay.is_none());
    let (Some(open), Some(page)) = (open, page) else { return command };
    let arrows = open.session.step().is_some_and(|step| {
        let points = matches!(step.task, Task::Change(_)) || open.asks();
        !points
    });
    let by = match command {
        Command::PanLeft => -PAGE,
        Command::PanRight => PAGE,
        Command::First => isize::MIN / 2,
        Command::Last => isize::MAX / 2,
        Command::Up if arrows => -1,
        Command::Down if arrows => 1,
        _ => return command,
    };
    Command::Scroll(page.scrolled(by))
}
