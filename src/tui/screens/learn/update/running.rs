//! The runs of a lesson: what they start with, and what they report.

use crate::lessons::Task;
use crate::lessons::grade::{Answer, Mark};
use crate::results::record::Record;
use crate::runner::scheduler::{Event, Tally};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::Model;
use crate::tui::app::run::update as run;
use crate::tui::screens::learn::state::{News, Running};
use crate::tui::screens::learn::update::kernel;

/// Runs what the step needs: its experiment, or the changed parameter.
pub(super) fn start(model: &mut Model) {
    let Some(learn) = &model.learn else { return };
    let Some(open) = &learn.open else { return };
    let Some(step) = open.session.step() else { return };
    if let Task::Write(_) = step.task {
        return kernel::attempt(model);
    }
    let lesson = open.session.lesson();
    let (trial, change) = match (&step.task, open.changed()) {
        (Task::Change(_), Some((_, _, Err(reason)))) => return model.bad(reason),
        (Task::Change(_), Some((axis, value, Ok(trial)))) => (trial, Some((axis, value))),
        (Task::Change(_), None) => return model.info("first choose a value with ← or →"),
        _ => match open.needed().and_then(|name| lesson.experiments.get(name)) {
            Some(trial) => (trial.clone(), None),
            None => return model.info("nothing is to be run in this step"),
        },
    };
    let experiment = learn.experiment(&trial);
    if model.run.is_none() {
        model.form.experiment = experiment.clone();
    }
    if run::start_with(model, experiment) {
        let run = model.run_id;
        if let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) {
            open.running = Some(Running { run, change });
        }
    }
}

/// A run reports: its results are those of the lesson.
pub(crate) fn hear(model: &mut Model, run: u64, event: &Event) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let ours = open.running.as_ref().is_some_and(|running| running.run == run);
    if let Event::Finished { record, .. } = event
        && ours
    {
        open.session.add(record.clone());
    }
}

/// A run has ended.
pub(crate) fn ended(model: &mut Model, run: u64, tally: &Result<Tally, String>) {
    let now = model.now;
    let Some(learn) = &mut model.learn else { return };
    let time = learn.time(now);
    let Some(open) = &mut learn.open else { return };
    let Some(running) = open.running.take_if(|running| running.run == run) else { return };
    if tally.is_err() {
        return; // the reason is told already
    }
    if let Some((axis, value)) = running.change {
        match open.session.answer(Answer::Change { axis, value }, None, time) {
            Ok(Some(Mark::Right)) => model.good("goal reached"),
            Ok(_) => model.info("not yet: try another value or parameter"),
            Err(refused) => model.bad(refused.to_string()),
        }
    }
    count(model);
}

/// Lets the emulator count what only a GPU measured: causes rest on counters.
fn count(model: &mut Model) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    let results = open.session.results();
    let cases = open.session.uncounted();
    let records: Vec<Record> = results.records(cases).cloned().collect();
    if !records.is_empty() && !open.counting {
        open.counting = true;
        model.effects.push(Effect::Count(records));
    }
}

/// Something that a thread reports.
pub(crate) fn news(model: &mut Model, news: News) {
    let Some(open) = model.learn.as_mut().and_then(|learn| learn.open.as_mut()) else { return };
    match news {
        News::Results { entry, records } if entry == open.entry => {
            for record in records {
                open.session.add(Box::new(record));
            }
            count(model);
        }
        News::Recorded { entry, recorded } if entry == open.entry => {
            open.session.set_recorded(*recorded);
        }
        News::Results { .. } | News::Recorded { .. } => {}
        News::Counted(Some(record)) => open.session.count(record),
        News::Counted(None) => open.counting = false,
        News::Judged { step, judged: found } => kernel::judged(model, &step, found),
    }
}
