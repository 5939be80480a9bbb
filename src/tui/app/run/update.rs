//! Starting, steering and following a run.

use std::sync::Arc;

use crate::experiment::{Experiment, Sizes};
use crate::results::record::{Outcome, Provenance, Record};
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Live, Model, Origin, Screen, ShownOutput};
use crate::tui::app::run::state::{Finished, Phase, Replay, Run, work};
use crate::tui::dialogs::why::state as why;
use crate::tui::widgets::sized::sized;
use crate::units::BlockSize;
use crate::work::View;

/// Runs what the form says.
pub(crate) fn start(model: &mut Model) -> Vec<Effect> {
    start_with(model, model.form.experiment.clone())
}

/// Runs what the form says, or a variation of it.
pub(crate) fn start_with(model: &mut Model, experiment: Experiment) -> Vec<Effect> {
    if model.read_only {
        model.tell(
            Level::Info,
            "stored results are read-only; start `warpscope` without `show` to run",
        );
        return Vec::new();
    }
    if model.run.is_some() {
        model.tell(Level::Info, "a run is in progress: space pauses it, Esc cancels it");
        return Vec::new();
    }
    model.notice = None;
    model.selection = model.form.experiment.clone();
    // The new run draws over the recording, not over its own predecessor.
    let sizes = experiment.sizes.values();
    let whole = experiment == model.selection;
    model.results.retain(|live| {
        live.target != experiment.target
            || !crate::tui::screens::sweep::state::selects(&experiment, &live.record)
            || !(whole || sizes.contains(&live.record.n))
    });
    model.chart.crosshair = None;
    model.run = Some(Run::new(experiment.clone()));
    model.rebuild_chart();
    model.run_id += 1;
    vec![Effect::Start { run: model.run_id, experiment: Box::new(experiment) }]
}

/// Runs the experiment that would test the explanation: both variants of the
/// pair, as the suggestion says.
pub(crate) fn test_why(model: &mut Model) -> Vec<Effect> {
    let chart = &model.chart;
    let next = why::explain(chart).and_then(Result::ok).and_then(|explanation| explanation.next);
    let Some(next) = next else {
        model.tell(Level::Info, "no experiment can test this");
        return Vec::new();
    };
    if model.run.is_some() || model.read_only {
        return start(model); // which says why not
    }
    let variants = match why::pair(chart) {
        Some(pair) => vec![pair.slow.variant.clone(), pair.fast.variant.clone()],
        None => vec![next.case.variant.clone()],
    };
    let experiment = &mut model.form.experiment;
    let Ok(block) = BlockSize::new(next.case.block) else { return Vec::new() };
    experiment.algorithm.clone_from(&next.case.algorithm);
    experiment.variants = variants;
    experiment.blocks = vec![block];
    experiment.coarsenings = vec![next.case.coarsen];
    experiment.params =
        next.case.params.iter().map(|(name, value)| (name.clone(), vec![value.clone()])).collect();
    (experiment.dist, experiment.seed) = (next.case.dist, next.case.seed);
    let sizes = experiment.sizes.values();
    if sizes.last().is_none_or(|largest| *largest < next.case.n) {
        let smallest = sizes.first().copied().unwrap_or(next.case.n).max(1);
        experiment.sizes = Sizes::range(smallest, next.case.n, 4);
    }
    let mut effects = start(model);
    model.tell(Level::Info, next.says);
    effects.extend(crate::tui::screens::sweep::form::update::preview(model));
    effects
}

/// Pauses, or goes on.
pub(crate) fn pause(model: &mut Model) -> Vec<Effect> {
    let Some(run) = &mut model.run else {
        let text = if crate::tui::app::update::on_tick_box(model) {
            "Enter selects; space pauses a run, but none is in progress"
        } else {
            "nothing runs: r starts"
        };
        model.tell(Level::Info, text);
        return Vec::new();
    };
    match run.phase {
        Phase::Opening | Phase::Running => {
            run.phase = Phase::Pausing;
            vec![Effect::Pause(true)]
        }
        Phase::Pausing | Phase::Paused => {
            run.phase = Phase::Running;
            vec![Effect::Pause(false)]
        }
        Phase::Cancelling => Vec::new(),
    }
}

/// Cancels the run. What was measured stays.
pub(crate) fn cancel(model: &mut Model) -> Vec<Effect> {
    match &mut model.run {
        Some(run) if run.phase != Phase::Cancelling => {
            run.phase = Phase::Cancelling;
            vec![Effect::Cancel]
        }
        _ => Vec::new(),
    }
}

/// A running session reports.
pub(crate) fn report(model: &mut Model, id: u64, event: Event) -> Vec<Effect> {
    let now = model.now;
    if id != model.run_id {
        return Vec::new();
    }
    let Some(run) = &mut model.run else { return Vec::new() };
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
            let text = format!(
                "worker {} of {of} lost; other workers take its cases: {reason}",
                worker + 1
            );
            model.tell(Level::Bad, text);
        }
        Event::Planned { cases, .. } => run.cases = Some(cases),
        Event::Replanned { cases, left } => {
            run.cases = Some(cases);
            let running: f64 = run.current.iter().map(|case| work(case.n)).sum();
            run.work_all = run.work_done + running + left.into_iter().map(work).sum::<f64>();
        }
        Event::Started(case) => {
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
    Vec::new()
}

fn finished(model: &mut Model, record: Record, view: Option<View>, from_store: bool) {
    let Some(run) = &mut model.run else { return };
    run.done += 1;
    run.work_done += work(record.n);
    let ended = record.case();
    run.current.retain(|case| *case != ended);
    match record.outcome() {
        Outcome::Verified => run.verified += 1,
        Outcome::Wrong => run.wrong += 1,
        Outcome::Skipped => run.skipped += 1,
        Outcome::Unchecked => {}
    }
    if record.skip.is_none() && !from_store {
        run.ran += 1;
    }
    if let (Some(view), Some(origin)) = (view, Origin::of(record.outcome())) {
        model.output = Some({
            let (case, phases) = (record.case(), record.phases.clone());
            ShownOutput { view, case, origin, phases }
        });
    }
    if let Some(replay) = &mut run.replay {
        replay.arrived.push(record);
        model.rebuild_chart();
        return;
    }
    if let Some(wrong) = &record.wrong {
        let text = format!(
            "wrong: {} at {}: {}",
            record.variant,
            sized(&record.algorithm, record.n),
            wrong.message
        );
        model.tell(Level::Bad, text);
    }
    model.unsaved |= !model.stored && !from_store && record.provenance == Provenance::Measured;
    let target = run_target(model);
    model.results.push(Live { record, target });
    model.rebuild_chart();
}

fn run_target(model: &Model) -> crate::experiment::Target {
    let experiment = model.run.as_ref().map_or(&model.selection, |run| &run.experiment);
    experiment.target.clone()
}

/// A session has ended.
pub(crate) fn ended(model: &mut Model, id: u64, tally: Result<Tally, String>) -> Vec<Effect> {
    if id != model.run_id {
        return Vec::new();
    }
    let now = model.now;
    let Some(run) = model.run.take() else { return Vec::new() };
    match &tally {
        Err(reason) => model.tell(Level::Bad, reason.clone()),
        Ok(tally) if tally.ending == Ending::Cancelled => {
            let text = if run.replay.is_some() {
                "replay cancelled; the whole recording is shown"
            } else {
                "cancelled; results so far are kept"
            };
            model.tell(Level::Info, text);
        }
        Ok(_) => {}
    }
    model.last = Some(Finished {
        elapsed: run.elapsed(now),
        rate: run.rate(now),
        experiment: run.experiment,
        devices: run.devices,
        workers: run.workers,
        tally,
        done: run.done,
        replay: run.replay.is_some(),
    });
    if let Some(Replay { name, records, built_in, .. }) = run.replay {
        // All of it is there to be looked at, also of a cancelled replay.
        crate::tui::screens::runs::update::show(
            model,
            name,
            built_in,
            Arc::unwrap_or_clone(records),
        );
    }
    if model.screen == Screen::Runs {
        crate::tui::screens::runs::update::refresh(model)
    } else {
        Vec::new()
    }
}

/// Keeps the live results for comparison.
pub(crate) fn pin(model: &mut Model) {
    let live: Vec<Record> = model
        .chart
        .records
        .iter()
        .zip(&model.chart.layers)
        .filter(|(_, layer)| **layer == crate::tui::screens::sweep::state::Layer::Live)
        .map(|(record, _)| record.clone())
        .collect();
    if live.is_empty() {
        model.tell(Level::Info, "nothing new to pin: r runs, then a pins the result");
        return;
    }
    for record in live {
        let identity = record.identity();
        model.pinned.retain(|pinned| pinned.identity() != identity);
        model.pinned.push(record);
    }
    model.rebuild_chart();
    model.tell(Level::Good, "pinned: these curves stay when the form changes (A unpins)");
}

/// Forgets what was kept.
pub(crate) fn unpin(model: &mut Model) {
    if model.pinned.is_empty() && model.overlaid.is_empty() {
        model.tell(Level::Info, "nothing is pinned");
        return;
    }
    model.pinned.clear();
    model.overlaid.clear();
    model.rebuild_chart();
    model.tell(Level::Info, "unpinned");
}
