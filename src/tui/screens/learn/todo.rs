//! What the student has to do now, and with which key, in one sentence.

use crate::lessons::grade::Mark;
use crate::lessons::{Ask, Task};
use crate::tui::app::model::Model;
use crate::tui::screens::learn::draft::Stage;
use crate::tui::screens::learn::state::{Learn, Open};

/// The sentence for the screen at hand.
pub(crate) fn now(model: &Model) -> String {
    let Some(learn) = &model.learn else {
        return "no lessons are open: `warpscope learn` opens them".to_owned();
    };
    match &learn.open {
        None => list(learn),
        Some(open) if open.running.is_some() => {
            let speed = model.speed.text();
            format!("points appear {speed}: - slower, + faster · space pauses, Esc cancels")
        }
        Some(open) => step(open),
    }
}

fn list(learn: &Learn) -> String {
    match learn.lessons.get(learn.row) {
        None => "no lesson can be opened: q quits".to_owned(),
        Some(entry) if entry.progress.is_some() => "↑ ↓ lesson · Enter continues it".to_owned(),
        Some(_) => "↑ ↓ lesson · Enter begins it".to_owned(),
    }
}

fn step(open: &Open) -> String {
    let Some(step) = open.session.step() else { return "Esc: list of lessons".to_owned() };
    let on = if open.session.is_last() {
        "Enter ends the lesson · e writes your report"
    } else {
        "Enter goes on"
    };
    if open.asks() {
        if open.needed().is_some() {
            return "the results are not here any more: r runs the experiment again".to_owned();
        }
        let tried = !open.session.answers(&step.id).is_empty();
        return question(open, &step.task, tried);
    }
    match &step.task {
        Task::Say if open.needed().is_some() => {
            format!("{on} · r runs what the text has no numbers of")
        }
        Task::Say => on.to_owned(),
        Task::Run { experiment, .. } => match open.session.missing(experiment).len() {
            0 => on.to_owned(),
            1 => "r runs the experiment: 1 case".to_owned(),
            many => format!("r runs the experiment: {many} cases"),
        },
        Task::Predict(_) => format!("locked · {on}"),
        Task::Observe(_) | Task::Why { .. } => format!("right · {on}"),
        Task::Change(_) if is_right(open, &step.id) => format!("goal reached · {on}"),
        Task::Change(_) => match open.setting.value {
            None => "↑ ↓ parameter · ← → value · then r runs it".to_owned(),
            Some(_) => "r runs it · ← → value · ↑ ↓ parameter · ] goes on".to_owned(),
        },
        Task::Write(_) if is_right(open, &step.id) => format!("done · {on}"),
        Task::Write(_) if open.kernel.busy => "the kernel is compiled, checked and run".to_owned(),
        Task::Write(_) if open.kernel.no_compiler => {
            "nothing compiles here · ] goes on without the kernel".to_owned()
        }
        Task::Write(_) => "E opens your editor · r tries the file again · ] goes on".to_owned(),
    }
}

fn is_right(open: &Open, id: &str) -> bool {
    open.session.mark(id) == Some(Mark::Right)
}

/// An answer that is not locked yet.
fn question(open: &Open, task: &Task, tried: bool) -> String {
    let ask = task.question().map(|question| &question.ask);
    let many = task.question().map_or(0, |question| question.options.len());
    let keys = format!("↑ ↓ or 1–{many}");
    match open.draft.stage {
        Stage::Confidence => {
            "how sure are you? 1 2 3 or ← → · Enter goes on · Esc changes the answer".to_owned()
        }
        Stage::Lock if matches!(task, Task::Predict(_)) => {
            "lock it? It cannot be changed afterwards. Enter locks · Esc changes it".to_owned()
        }
        Stage::Lock => "is this your answer? Enter gives it · Esc changes it".to_owned(),
        Stage::Choose => match ask {
            Some(Ask::Draw { .. }) => "← → size · ↑ ↓ value · Enter takes the curve".to_owned(),
            Some(Ask::Cell { .. }) => "arrows choose a cell · Enter takes it".to_owned(),
            _ if tried => format!("{keys} another answer · Enter takes it · ] goes on"),
            _ => format!("{keys} choose · Enter takes it"),
        },
    }
}
