//! Starting, steering and following a run.

use crate::experiment::Experiment;
use crate::results::record::{Outcome, Provenance, Record};
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Live, Model, Origin, Screen, ShownOutput};
use crate::tui::app::run::state::{Finished, Phase, Replay, Run, work};
use crate::tui::app::update::on_tick_box;
use crate::tui::dialogs::why::counting;
use crate::tui::own::state::Stage;
use crate::tui::own::update as own;
use crate::tui::screens::learn::state as learn;
use crate::tui::screens::runs::update as runs;
use crate::tui::screens::sweep::state::{Layer, selects};
use crate::tui::widgets::sized::sized;
use crate::work::View;

/// Runs what the form says.
pub(crate) fn start(model: &mut Model) {
    start_with(model, model.form.experiment.clone());
}

/// Runs what the form says, or a variation of it; whether it could start.
pub(crate) fn start_with(model: &mut Model, experiment: Experiment) -> bool {
    if model.read_only {
        model.info("stored results are read-only; start `warpscope` without `show` to run");
        return false;
    }
    if let Some(own) = model.own.as_ref().filter(|own| own.version == 0) {
        let name = &own.name;
        let text = if own.stage == Stage::Compiling {
            format!("{name} is being compiled; its kernels run right after that")
        } else {
            format!("no version of {name} runs yet: saving it tries again")
        };
        model.info(text);
        return false;
    }
    if model.run.is_some() {
        model.info("a run is in progress: space pauses it, Esc cancels it");
        return false;
    }
    model.notice = None;
    model.offer = None;
    model.selection = model.form.experiment.clone();
    // The new run draws over the recording, not over its own predecessor.
    let sizes = experiment.sizes.values();
    let whole = experiment == model.selection;
    model.results.retain(|live| {
        live.target != experiment.target
            || !selects(&experiment, &live.record)
            || !(whole || sizes.contains(&live.record.n))
    });
    model.chart.crosshair = None;
    model.revealed = false;
    model.run = Some(Run::new(experiment.clone()));
    model.rebuild_chart();
    model.run_id += 1;
    let (run, store) = (model.run_id, learn::store(model));
    // In a lesson results appear one after the other.
    let pace = learn::is_open(model).then_some(model.speed.times());
    model.effects.push(Effect::Start { run, experiment: Box::new(experiment), store, pace });
    true
}

/// Pauses, or goes on.
pub(crate) fn pause(model: &mut Model) {
    let Some(run) = &mut model.run else {
        if model.present && model.screen == Screen::Sweep {
            model.revealed = !model.revealed;
            return;
        }
        let text = if on_tick_box(model) {
            "Enter selects; space pauses a run, but none is in progress"
        } else {
            "nothing runs: r starts"
        };
        return model.info(text);
    };
    match run.phase {
        Phase::Opening | Phase::Running => {
            run.phase = Phase::Pausing;
            model.effects.push(Effect::Pause(true));
        }
        Phase::Pausing | Phase::Paused => {
            run.phase = Phase::Running;
            model.effects.push(Effect::Pause(false));
        }
        Phase::Cancelling => {}
    }
}

/// Cancels the run. What was measured stays.
pub(crate) fn cancel(model: &mut Model) {
    if let Some(run) = &mut model.run
        && run.phase != Phase::Cancelling
    {
        run.phase = Phase::Cancelling;
        model.effects.push(Effect::Cancel);
    }
}

/// A running session reports.
pub(crate) fn report(model: &mut Model, id: u64, event: Event) {
    let now = model.now;
    let Some(run) = model.run.as_mut().filter(|_| id == model.run_id) else { return };
    match event {
        Event::Ready { worker, of, device } => {
            run.devices.insert(worker, device);
            run.workers = of;
            if run.phase == Phase::Opening {
                run.phase = Phase::Running;
            }
        }
        Event::Lost { worker, of, reason } => {
            run.devices.remove(&worker);
            run.workers = of;
            let worker = worker + 1;
            model.bad(format!(
                "worker {worker} of {of} lost; other workers take its cases: {reason}"
            ));
        }
        Event::Planned { cases, .. } => run.cases = Some(cases),
        Event::Replanned { cases, left } => {
            run.cases = Some(cases);
            let running: f64 = run.current.iter().map(|case| work(case.n)).sum();
            run.work_all = run.work_done + running + left.into_iter().map(work).sum::<f64>();
        }
        Event::Progress(done) => run.launch = Some(done),
        Event::Started(case) => {
            run.launch = None;
            run.began.get_or_insert(now);
            run.current.push(case);
        }
        Event::Paused(paused) => {
            if paused {
                if run.phase == Phase::Pausing {
                    run.phase = Phase::Paused;
                }
                run.paused_at = Some(now);
            } else if let Some(since) = run.paused_at.take() {
                run.paused += now.saturating_sub(since);
            }
        }
        Event::Finished { record, view, from_store } => {
            finished(model, *record, view, from_store);
        }
    }
}

fn finished(model: &mut Model, record: Record, view: Option<View>, from_store: bool) {
    let Some(run) = &mut model.run else { return };
    run.done += 1;
    run.launch = None;
    run.work_done += work(record.n);
    let ended = record.case();
    run.current.retain(|case| *case != ended);
    match record.outcome() {
        Outcome::Verified => run.verified += 1,
        Outcome::Wrong => run.wrong += 1,
        Outcome::Failed => run.failed += 1,
        Outcome::Skipped => run.skipped += 1,
        Outcome::Unchecked => {}
    }
    if record.skip.is_none() && !from_store {
        run.ran += 1;
    }
    if let (Some(view), Some(origin)) = (view, Origin::of(record.outcome())) {
        let (case, phases) = (ended, record.phases.to_vec());
        model.outputs.add(ShownOutput { view, case, origin, phases });
    }
    if let Some(replay) = &mut run.replay {
        replay.arrived.push(record);
        model.rebuild_chart();
        return;
    }
    let target = run.experiment.target.clone();
    if let Some(wrong) = &record.wrong {
        let (blame, n) = (record.outcome().blame(), sized(&record.algorithm, record.n));
        model.bad(format!("{blame}: {} at {n}: {}", record.variant, wrong.message));
    }
    model.unsaved |= !model.stored && !from_store && record.provenance == Provenance::Measured;
    model.results.push(Live { record, target });
    model.rebuild_chart();
}

/// A session has ended.
pub(crate) fn ended(model: &mut Model, id: u64, tally: Result<Tally, String>) {
    let now = model.now;
    let Some(mut run) = model.run.take_if(|_| id == model.run_id) else { return };
    // The next run has been told of already.
    let replaced = model.own.as_ref().is_some_and(|own| own.waiting.is_some());
    match &tally {
        Err(reason) => model.bad(reason.clone()),
        Ok(_) if replaced => {}
        Ok(tally) if tally.ending == Ending::Cancelled => {
            model.info(if run.replay.is_some() {
                "replay cancelled; the whole recording is shown"
            } else {
                "cancelled; results so far are kept"
            });
        }
        Ok(_) => {}
    }
    let replay = run.replay.take();
    counting::judge(model);
    model.last = Some(Finished { run, tally, at: now, replay: replay.is_some() });
    if let Some(Replay { name, records, built_in, .. }) = replay {
        // All of it is there to be looked at, also of a cancelled replay.
        runs::show(model, name, built_in, records);
    }
    if model.screen == Screen::Runs {
        runs::refresh(model);
    }
    own::ended(model);
}

/// Keeps the live results for comparison.
pub(crate) fn pin(model: &mut Model) {
    let live: Vec<Record> = model
        .chart
        .records
        .iter()
        .zip(&model.chart.layers)
        .filter(|(_, layer)| **layer == Layer::Live)
        .map(|(record, _)| record.clone())
        .collect();
    if live.is_empty() {
        return model.info("nothing new to pin: r runs, then a pins the result");
    }
    for record in live {
        model.pinned.retain(|pinned| pinned.identity() != record.identity());
        model.pinned.push(record);
    }
    model.rebuild_chart();
    model.good("pinned: these curves stay when the form changes (A unpins)");
}

/// Forgets what was kept.
pub(crate) fn unpin(model: &mut Model) {
    if model.pinned.is_empty() && model.overlaid.is_empty() {
        return model.info("nothing is pinned");
    }
    model.pinned.clear();
    model.overlaid.clear();
    model.rebuild_chart();
    model.info("unpinned");
}
