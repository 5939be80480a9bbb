//! Answers to the question of a step.

use crate::lessons::Task;
use crate::lessons::grade::Mark;
use crate::tui::app::model::Model;
use crate::tui::screens::learn::draft::Stage;
use crate::tui::screens::learn::update::forward;

/// Enter: the next thing to do.
pub(super) fn enter(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let Some(step) = open.session.step() else { return };
    let predicts = matches!(step.task, Task::Predict(_));
    if open.asks() {
        if open.needed().is_some() {
            return model.info("r runs the experiment that the answer needs");
        }
        open.look();
        if open.draft.enter(predicts) {
            answer(model);
        }
        return;
    }
    let may_fail = matches!(step.task, Task::Change(_) | Task::Write(_));
    if may_fail && open.session.mark(&step.id) != Some(Mark::Right) {
        return model.info("this step is not done: ] goes on without it");
    }
    forward(model);
}

/// Locks the answer to a question.
fn answer(model: &mut Model) {
    let now = model.now;
    let Some(learn) = &mut model.learn else { return };
    let time = learn.time(now);
    let Some(open) = &mut learn.open else { return };
    let Some((question, predicts)) = open
        .session
        .step()
        .and_then(|step| Some((step.task.question()?, matches!(step.task, Task::Predict(_)))))
    else {
        return;
    };
    let Some(answer) = open.draft.answer(question) else { return };
    let confidence = predicts.then_some(open.draft.confidence);
    open.draft.stage = Stage::Choose;
    (open.scroll, open.told) = (0, true);
    match open.session.answer(answer, confidence, time) {
        Err(refused) => model.bad(refused.to_string()),
        Ok(None) => model.good("locked: the run will show"),
        Ok(Some(Mark::Right)) => model.good("right"),
        Ok(Some(mark)) => model.info(format!("{}: read what is shown now", mark.name())),
    }
}
