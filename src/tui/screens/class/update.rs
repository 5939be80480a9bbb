//! What the teacher's keys and the server's news do.

use std::sync::Arc;

use crate::analysis::explain::Subject;
use crate::class::lesson::{self, Decided};
use crate::class::{self, News, Overview};
use crate::experiment::Experiment;
use crate::figure::XAxis;
use crate::lessons::Results;
use crate::results::record::Record;
use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model, Panel, Screen};
use crate::tui::app::run::update as run;
use crate::tui::dialogs::why::counting;
use crate::tui::screens::class::state::{Answered, Desk, Sent};
use crate::tui::screens::class::votes::letter;
use crate::tui::screens::profile::state::{Known, Wanted};
use crate::tui::screens::runs::update as runs;
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::state::selects;

/// Whether the class is what the screen shows.
pub(crate) fn is_shown(model: &Model) -> bool {
    model.class.is_some() && model.present && model.screen == Screen::Sweep
}

/// Begins: the screen is that of the class.
pub(crate) fn open(model: &mut Model, desk: Desk) {
    model.class = Some(desk);
    model.present = true;
    model.choose_speed();
    model.screen = Screen::Sweep;
    model.panel = Panel::Chart;
    model.notice = None;
}

/// A command of the class.
pub(crate) fn command(model: &mut Model, command: class::Command) {
    let Some(desk) = &mut model.class else { return };
    let sure = std::mem::take(&mut desk.ending);
    if desk.overview.ended {
        return model.info("the class has ended: q quits");
    }
    if command == class::Command::End && !sure {
        desk.ending = true;
        return model.info("E again ends the class for everyone and writes its files");
    }
    desk.address = false;
    model.effects.push(Effect::Class(command));
}

/// Shows or hides the address over the question.
pub(crate) fn address(model: &mut Model) {
    if let Some(desk) = &mut model.class {
        desk.address = !desk.address;
    }
}

/// One step slower or faster.
pub(crate) fn speed(model: &mut Model, faster: bool) {
    let now = model.speed;
    model.speed = if faster { now.faster() } else { now.slower() };
    if model.speed == now {
        let text = format!("{} is the {} speed", now.text(), if faster { "last" } else { "first" });
        return model.info(text);
    }
    runs::say_speed(model);
}

/// Something about the class.
pub(crate) fn news(model: &mut Model, news: News) {
    match news {
        News::Problem(text) => model.bad(text),
        News::Written(Ok(files)) => {
            if let Some(desk) = &mut model.class {
                desk.files = files;
            }
        }
        News::Written(Err(reason)) => model.bad(reason),
        News::Class(overview) => changed(model, *overview),
    }
}

/// The class is now so.
fn changed(model: &mut Model, overview: Overview) {
    let Some(desk) = &mut model.class else { return };
    let (at, showed) = (desk.overview.at, desk.shows_chart());
    desk.overview = overview;
    let (another, shows) = (desk.overview.at != at, desk.shows_chart());
    if another {
        load(model);
    }
    if shows && (another || !showed) {
        measure(model, !another);
    }
}

/// Puts the experiment of the question into the form.
fn load(model: &mut Model) {
    let asked = model.class.as_ref().and_then(|desk| desk.overview.question.clone());
    let Some(experiment) = asked.and_then(|question| question.experiment) else { return };
    let now = &model.form.experiment;
    let experiment =
        Experiment { target: now.target.clone(), stopping: now.stopping, ..experiment };
    if experiment == *now && model.run.is_some() {
        return;
    }
    run::cancel(model);
    model.form.experiment = experiment.clone();
    model.form.editor = None;
    model.selection = experiment;
    model.chart.crosshair = None;
    model.chart.zoom = None;
    model.why.at = 0;
    model.rebuild_chart();
}

/// Lets the answer be measured before everybody's eyes: where the reveal is `fresh`, a recording
/// is replayed; without one the experiment runs. What was measured in this sitting is there
/// already.
fn measure(model: &mut Model, fresh: bool) {
    if model.run.is_some() {
        return;
    }
    let timed = |record: &&Record| record.seconds.is_some() && selects(&model.selection, record);
    let live = model.results.iter().map(|live| &live.record).any(|record| timed(&record));
    if live {
        return;
    }
    // A question about what was seen, or one that is gone back to: the chart stands as it was.
    let asked = model.class.as_ref().and_then(|desk| desk.overview.question.as_ref());
    let stands = !fresh || asked.is_some_and(|question| question.seen);
    if model.shown.iter().any(|record| timed(&record)) {
        if stands {
            return;
        }
        runs::elsewhere(model, Command::Replay);
        let speed = model.speed.text();
        model.info(format!("replaying a recording, {speed}: - slower, + faster, space pauses"));
    } else {
        run::start(model);
    }
}

/// What the results on the chart say about a question of the lesson.
fn decided(model: &Model, desk: &Desk) -> Option<Decided> {
    let (lesson, question) = (desk.lesson.as_ref()?, desk.overview.question.as_ref()?);
    let mut results = Results::default();
    for record in &model.chart.records {
        results.add(Box::new(record.clone()));
    }
    for (_, known) in &model.profile.known {
        if let Known::Counted(found) = known {
            results.count(Box::new(found.record.clone()));
        }
    }
    lesson::decided(lesson, &question.id, &results)
}

/// The cases to count: those that the explanation rests on, and those that decide the question.
pub(crate) fn wanted(model: &Model) -> Vec<Wanted> {
    let mut wanted = counting::wanted(model);
    let asked = model
        .class
        .as_ref()
        .and_then(|desk| Some((desk.lesson.as_ref()?, desk.overview.question.as_ref()?)));
    let Some((lesson, question)) = asked else { return wanted };
    for case in lesson::counted(lesson, &question.id) {
        let of_case = |record: &&Record| record.case() == *case;
        let uncounted = |record: &&Record| Subject::from(*record).counted.is_none();
        let found = model.chart.records.iter().find(of_case).filter(uncounted);
        let also = found.map(|record| counting::wanted_of(model, record));
        wanted.extend(also.filter(|it| !wanted.contains(it)));
    }
    wanted
}

/// The right answer with its letter: `Answer: E. 100×; the result is 48.4×.`
fn in_words(decided: &Decided) -> String {
    let letter = decided.right.map(|at| format!("{}. ", letter(at))).unwrap_or_default();
    let stop = if decided.text.ends_with('.') { "" } else { "." };
    format!("Answer: {letter}{}{stop}", decided.text)
}

/// Puts the crosshair where the question is about one size: what the screen says is said of it.
fn point(model: &mut Model) {
    if model.run.is_some() || model.chart.crosshair.is_some() || model.chart.choice.x != XAxis::N {
        return;
    }
    let Some(desk) = model.class.as_ref().filter(|desk| desk.shows_chart()) else { return };
    let (Some(lesson), Some(question)) = (&desk.lesson, &desk.overview.question) else { return };
    let size = lesson::size(lesson, &question.id).map(|n| n as f64);
    model.chart.crosshair = size.filter(|n| model.chart.stops().contains(n));
}

/// Sends students what the screen shows, when that has changed.
pub(crate) fn follow(model: &mut Model) {
    point(model);
    let Some(desk) = model.class.as_ref().filter(|desk| desk.shows_chart()) else { return };
    let Some(question) = desk.overview.at else { return };
    let running = model.run.is_some();
    let explanation: Vec<String> = match counting::explanation(model) {
        _ if running => Vec::new(),
        Some(Ok(it)) => std::iter::once(it.headline).chain(it.reasons).collect(),
        _ => counting::silence(model).map(|reason| no_explanation(&reason)).into_iter().collect(),
    };
    let told = explain::sentences(&model.chart).into_iter().next().filter(|_| !running);
    let headline = told.unwrap_or_default();
    let counted = (model.profile.attempts, model.profile.running.is_some());
    let sent = Sent { question, drawn: model.chart.drawn, running, headline, explanation, counted };
    if desk.sent.as_ref() == Some(&sent) {
        return;
    }
    // Costs more than all before it, so only when something is new.
    let decided = if running { None } else { decided(model, desk) };
    let (sentence, explanation) = explained(model, desk, decided.as_ref(), &sent);
    let answered = Answered {
        question,
        answer: decided.as_ref().map(in_words).unwrap_or_default(),
        sentence,
        explanation,
        right: decided.and_then(|it| it.right),
        picture: model.chart.figure.clone().filter(|it| !it.is_empty()).map(Into::into),
        settled: !running,
    };
    let ended = desk.sent.as_ref().is_some_and(|before| before.running && !running);
    if ended && model.notice.as_ref().is_some_and(|notice| notice.level == Level::Info) {
        model.notice = None; // it told how to steer the replay
    }
    if let Some(desk) = &mut model.class {
        desk.sent = Some(sent);
        desk.answered = Some(Arc::new(answered.clone()));
    }
    model.effects.push(Effect::ShowClass(Box::new(answered)));
}

/// The result in one sentence, and the explanation: of the cases that the question compares
/// where it does, else of the pair that the screen shows.
fn explained(
    model: &Model,
    desk: &Desk,
    decided: Option<&Decided>,
    sent: &Sent,
) -> (String, Vec<String>) {
    let asked = desk.lesson.as_ref().zip(desk.overview.question.as_ref());
    let compares = asked.is_some_and(|(lesson, question)| lesson::compares(lesson, &question.id));
    let screen = || (sent.headline.clone(), sent.explanation.clone());
    if sent.running || !compares {
        return screen();
    }
    let pairs = decided.map(|it| it.explanation.as_slice()).unwrap_or_default();
    let is_shown = |pair: &Vec<String>| pair.first() == sent.explanation.first();
    match pairs {
        [] => (sent.headline.clone(), missing(model).unwrap_or_else(|| sent.explanation.clone())),
        // That of the screen names the line of source too.
        [only] if is_shown(only) => screen(),
        [first, ..] => {
            let whole = |pair| if is_shown(pair) { &sent.explanation } else { pair };
            let sentence = first.first().cloned().unwrap_or_default();
            (sentence, pairs.iter().flat_map(whole).cloned().collect())
        }
    }
}

/// What is said while counters are missing: nothing as long as cases are counted, then which
/// one cannot be. `None` where none is missing.
fn missing(model: &Model) -> Option<Vec<String>> {
    let wanted = wanted(model);
    let known = |it: &Wanted| model.profile.find(it);
    let failed = wanted.iter().find_map(|it| match known(it)? {
        Known::Not(reason) => Some(format!("cannot count {}: {reason}", it.case.variant)),
        Known::Counted(_) => None,
    });
    match failed {
        Some(reason) => Some(vec![no_explanation(&reason)]),
        None => wanted.iter().any(|it| known(it).is_none()).then(Vec::new),
    }
}

fn no_explanation(reason: &str) -> String {
    format!("There is no explanation: {reason}.")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
