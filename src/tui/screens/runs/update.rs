//! The Runs screen: moving over the list, and what is done with a stored run.

use std::path::PathBuf;

use crate::experiment::Experiment;
use crate::results::record::{Record, Shared};
use crate::tui::app::action::Command;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::app::run::state::{Phase, Replay, Run};
use crate::tui::recording;
use crate::tui::screens::runs::state::{Entry, Holds, News, Overlaid, Purpose, Request, Source};
use crate::tui::screens::sweep::state::{experiment_of, selects};
use crate::tui::screens::tune::state::Tune;
use crate::units::Bytes;

/// Looks what is stored.
pub(crate) fn refresh(model: &mut Model) {
    model.runs.busy = true;
    model.effects.push(Effect::Runs(Request::List));
}

/// Asks for a stored run that has what the form says, where one could have more.
pub(crate) fn look_for_offer(model: &Model) -> Option<Effect> {
    let experiment = Box::new(model.selection.clone());
    model.could_be_offered().then_some(Effect::Runs(Request::Fit(experiment)))
}

/// Shows the stored run that is offered, if one is.
pub(crate) fn take_offer(model: &mut Model) -> bool {
    let Some(offer) = model.offer.take() else { return false };
    model.runs.busy = true;
    model.effects.push(Effect::Runs(Request::Read(Purpose::Load, offer.entry)));
    true
}

/// What is offered, with the keys that take it.
pub(crate) fn offered(model: &Model) -> Option<String> {
    let offer = model.offer.as_ref()?;
    let keys = if model.fresh || model.panel == Panel::Chart { "Enter" } else { "Tab Enter" };
    Some(format!("Run of {} has these settings: {keys} shows it", offer.when))
}

/// A command that means something of its own on the Runs screen.
pub(crate) fn command(model: &mut Model, command: Command) -> bool {
    if let Some(table) = &mut model.runs.table {
        let last = table.rows.len().saturating_sub(2);
        let at = table.scroll;
        table.scroll = match command {
            Command::Up => at.saturating_sub(1),
            Command::Down => (at + 1).min(last),
            Command::PanLeft => at.saturating_sub(10),
            Command::PanRight => (at + 10).min(last),
            Command::First => 0,
            Command::Last => last,
            Command::Enter | Command::Compare | Command::Show(_) => {
                model.runs.table = None;
                return !matches!(command, Command::Show(_));
            }
            _ => return false,
        };
        return true;
    }
    match command {
        Command::Up => model.runs.go(-1),
        Command::Down => model.runs.go(1),
        Command::PanLeft => model.runs.go(-10),
        Command::PanRight => model.runs.go(10),
        Command::First => model.runs.go(isize::MIN / 2),
        Command::Last => model.runs.go(isize::MAX / 2),
        Command::Entry(row) if row == model.runs.cursor => read(model, Purpose::Load),
        Command::Entry(row) => model.runs.cursor = row,
        Command::Enter => read(model, Purpose::Load),
        Command::Overlay => overlay(model),
        Command::Replay => read(model, Purpose::Replay),
        Command::Mark => mark(model),
        Command::Compare => compare(model),
        Command::Discard => discard(model),
        Command::Undo => undo(model),
        Command::Refresh => refresh(model),
        Command::Run => {
            // To where its points appear.
            model.screen = Screen::Sweep;
            return false;
        }
        Command::Find => model.runs.finding = true,
        // There is no form to go to.
        Command::NextPanel | Command::Left | Command::Right => {}
        _ => return false,
    }
    true
}

/// What to do where the screen is another one.
pub(crate) fn elsewhere(model: &mut Model, command: Command) {
    match command {
        Command::Replay => return replay_shown(model),
        Command::Refresh => {}
        _ => model.info("select a stored run first"),
    }
    model.screen = Screen::Runs;
    model.panel = Panel::Chart;
    refresh(model);
}

/// Asks for the records of the chosen run.
fn read(model: &mut Model, purpose: Purpose) {
    let Some(entry) = model.runs.chosen().cloned() else {
        return model.info("no run selected");
    };
    if let Err(reason) = &entry.holds {
        return model.bad(format!("{}: {reason}", entry.name));
    }
    if model.run.is_some() && purpose != Purpose::Overlay {
        return model.info("a run is in progress: Esc cancels it");
    }
    if entry.source == Source::Sitting {
        let records = sitting(model);
        return taken(model, purpose, entry, records);
    }
    model.runs.busy = true;
    model.effects.push(Effect::Runs(Request::Read(purpose, entry)));
}

/// Results of this sitting that no file has.
fn sitting(model: &Model) -> Vec<Record> {
    model.aside.iter().chain(&model.results).map(|live| live.record.clone()).collect()
}

/// Lays the chosen run over the chart, or takes it off.
fn overlay(model: &mut Model) {
    let Some(entry) = model.runs.chosen() else { return };
    let (source, name) = (entry.source.clone(), entry.name.clone());
    let before = model.overlaid.len();
    model.overlaid.retain(|overlaid| overlaid.source != source);
    if model.overlaid.len() < before {
        model.rebuild_chart();
        return model.info(format!("{name} removed from the chart"));
    }
    read(model, Purpose::Overlay);
}

/// Marks the chosen run, or takes the mark away; of three the oldest goes.
fn mark(model: &mut Model) {
    let runs = &mut model.runs;
    let Some(entry) = runs.chosen() else { return };
    if let Err(reason) = &entry.holds {
        let text = format!("{}: {reason}", entry.name);
        return model.bad(text);
    }
    let source = entry.source.clone();
    if let Some(at) = runs.marked.iter().position(|marked| *marked == source) {
        runs.marked.remove(at);
        return;
    }
    if runs.marked.len() == 2 {
        runs.marked.remove(0);
    }
    runs.marked.push(source);
    let text = match runs.marked.len() {
        1 => "marked as baseline: mark another run with x, then press c",
        _ => "two runs marked: c compares the second with the first",
    };
    model.info(text);
}

/// Holds the second of the marked runs, or the chosen one, against the first.
fn compare(model: &mut Model) {
    let runs = &mut model.runs;
    let find = |source: &Source| runs.entries.iter().find(|it| it.source == *source).cloned();
    let mut chosen: Vec<Entry> = runs.marked.iter().filter_map(find).collect();
    if chosen.len() == 1
        && let Some(entry) = runs.chosen().filter(|entry| entry.source != chosen[0].source)
    {
        chosen.push(entry.clone());
    }
    let Ok(pair) = <[Entry; 2]>::try_from(chosen) else {
        return model.info("mark the baseline with x, move to another run, then press c");
    };
    if let Some((name, reason)) =
        pair.iter().find_map(|it| Some((it.name.clone(), it.holds.as_ref().err()?.clone())))
    {
        return model.bad(format!("{name}: {reason}"));
    }
    runs.busy = true;
    let unsaved = pair.iter().any(|it| it.source == Source::Sitting).then(|| sitting(model));
    let unsaved = unsaved.unwrap_or_default();
    model.effects.push(Effect::Runs(Request::Compare(Box::new(pair), unsaved)));
}

/// Moves the chosen run to the trash.
fn discard(model: &mut Model) {
    let Some(entry) = model.runs.chosen() else { return };
    match &entry.source {
        Source::File(path) => model.effects.push(Effect::Runs(Request::Discard(path.clone()))),
        Source::BuiltIn(_) => model.info("built-in recordings cannot be deleted"),
        Source::Sitting => model.info("these results are not in a file; e exports them"),
    }
}

/// Brings back what was discarded last.
fn undo(model: &mut Model) {
    match model.runs.discarded.last().cloned() {
        Some(last) => model.effects.push(Effect::Runs(Request::Restore(last))),
        None => model.info("nothing to restore (u on other screens undoes form edits)"),
    }
}

/// Something was found out.
pub(crate) fn news(model: &mut Model, news: News) {
    if let News::Fits(offer) = news {
        // An answer about settings that have changed since came too late.
        if model.could_be_offered() && offer.experiment == model.selection {
            model.offer = Some(*offer);
        }
        return;
    }
    if let News::Reading { name, bytes, of } = news {
        return model.info(format!("reading {name}: {} of {}", Bytes(bytes), Bytes(of)));
    }
    model.runs.busy = false;
    match news {
        News::Fits(_) | News::Reading { .. } => {}
        News::Listed { entries, discarded, problems } => {
            listed(model, entries);
            model.runs.discarded = discarded;
            model.runs.problems = problems;
        }
        News::Read(_, entry, Err(reason)) => {
            model.bad(format!("{}: {reason}", entry.name));
            refresh(model);
        }
        News::Read(purpose, entry, Ok(records)) => taken(model, purpose, entry, records),
        News::Compared(Err(reason))
        | News::Discarded(Err(reason))
        | News::Restored(Err(reason)) => model.bad(reason),
        News::Compared(Ok(table)) => model.runs.table = Some(table),
        News::Discarded(Ok(discarded)) => {
            let name = file_name(&discarded.from);
            model.runs.discarded.push(discarded);
            model.good(format!("{name} moved to the trash: u restores it"));
            refresh(model);
        }
        News::Restored(Ok(path)) => {
            model.runs.discarded.pop();
            model.good(format!("{} is back", file_name(&path)));
            refresh(model);
        }
    }
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).display().to_string()
}

/// Takes a list over; the cursor stays with the run that it was on.
fn listed(model: &mut Model, mut entries: Vec<Entry>) {
    let held = sitting(model);
    if !held.is_empty() && (model.unsaved || !model.stored) {
        let holds = Ok(Holds::of(&held, None).into());
        let name = "this session (no file)".to_owned();
        entries.insert(0, Entry { source: Source::Sitting, name, holds });
    }
    let before = model.runs.chosen().map(|entry| entry.source.clone());
    model.runs.entries = entries;
    model.runs.marked.retain(|marked| model.runs.entries.iter().any(|it| it.source == *marked));
    let at = model.runs.shown().iter().position(|entry| Some(&entry.source) == before.as_ref());
    if let Some(at) = at {
        model.runs.cursor = at;
    }
    model.runs.go(0);
}

/// The records of a stored run are here.
fn taken(model: &mut Model, purpose: Purpose, entry: Entry, records: Vec<Record>) {
    match purpose {
        Purpose::Load if model.run.is_none() => load(model, &entry, records),
        Purpose::Replay if model.run.is_none() => {
            let built_in = matches!(entry.source, Source::BuiltIn(_));
            fit_form(model, &records);
            model.screen = Screen::Sweep;
            replay(model, entry.name, built_in, records.into());
        }
        Purpose::Load | Purpose::Replay => model.info("a run is in progress: Esc cancels it"),
        Purpose::Overlay => {
            let shown = records.iter().filter(|record| selects(&model.selection, record)).count();
            let Entry { name, source, .. } = entry;
            if shown == 0 {
                let text = format!("{name} has no result for the form's settings; Enter loads it");
                return model.info(text);
            }
            model.good(format!("{name} overlaid with {shown} cases (1 shows it, A removes it)"));
            model.overlaid.push(Overlaid { name: name.into(), source, records });
            model.rebuild_chart();
        }
    }
}

/// Shows a stored run and nothing else. What was run in this sitting is kept aside.
fn load(model: &mut Model, entry: &Entry, records: Vec<Record>) {
    let built_in = matches!(entry.source, Source::BuiltIn(_));
    fit_form(model, &records);
    model.aside.append(&mut model.results);
    model.overlaid.clear();
    model.pinned.clear();
    model.last = None;
    model.chart.crosshair = None;
    model.chart.zoom = None;
    show(model, entry.name.clone(), built_in, records.into());
    model.screen = Screen::Sweep;
    model.good(format!("the chart shows {}", entry.name));
}

/// Puts records behind the chart.
pub(crate) fn show(model: &mut Model, name: String, built_in: bool, records: Shared<Vec<Record>>) {
    model.shown = records;
    model.built_in = built_in;
    // Another algorithm brings another recording.
    model.source = if built_in { recording::SOURCE.to_owned() } else { name };
    model.rebuild_chart();
}

/// Sets the form to what the records have, unless it selects some of them.
fn fit_form(model: &mut Model, records: &[Record]) {
    let now = &model.form.experiment;
    if records.iter().any(|record| selects(now, record)) {
        model.selection = now.clone();
        return;
    }
    if let Some(fitting) = experiment_of(records) {
        let experiment =
            Experiment { target: now.target.clone(), stopping: now.stopping, ..fitting };
        if experiment.algorithm != model.selection.algorithm {
            model.tune = Tune::default();
        }
        model.form.experiment = experiment.clone();
        model.form.editor = None;
        model.selection = experiment;
    }
}

/// Replays what the chart shows of stored results.
fn replay_shown(model: &mut Model) {
    if model.run.is_some() {
        return model.info("a run is in progress: Esc cancels it");
    }
    let (name, built_in, records) = (model.source.clone(), model.built_in, model.shown.clone());
    model.selection = model.form.experiment.clone();
    replay(model, name, built_in, records);
}

fn replay(model: &mut Model, name: String, built_in: bool, records: Shared<Vec<Record>>) {
    let experiment = model.selection.clone();
    if !records.iter().any(|record| selects(&experiment, record)) {
        return model.info("no stored run for these settings: 6 lists all runs");
    }
    let replay = Some(Replay { name, records: records.clone(), built_in, arrived: Vec::new() });
    model.run = Some(Run { phase: Phase::Running, replay, ..Run::new(experiment.clone()) });
    model.last = None;
    model.revealed = false;
    model.run_id += 1;
    model.chart.crosshair = None;
    model.rebuild_chart();
    let speed = model.speed.text();
    model.info(format!("replaying a recording, {speed}: s changes the speed, space pauses"));
    let (run, experiment, speed) = (model.run_id, Box::new(experiment), model.speed.times());
    model.effects.push(Effect::Replay { run, records, experiment, speed });
}

/// The next point of the replay, which stops at each; begins one where nothing runs.
pub(crate) fn next_point(model: &mut Model) {
    if model.run.is_none() {
        replay_shown(model);
        pause_replay(model);
        return;
    }
    if model.run.as_ref().is_some_and(|run| run.replay.is_none()) {
        return model.info("only a replay goes point by point: Esc cancels the run");
    }
    pause_replay(model);
    model.effects.push(Effect::NextPoint);
}

fn pause_replay(model: &mut Model) {
    if let Some(run) = &mut model.run
        && matches!(run.phase, Phase::Opening | Phase::Running)
    {
        run.phase = Phase::Pausing;
        model.effects.push(Effect::Pause(true));
        model.info("n shows the next point, space goes on");
    }
}

/// Another speed of replays, also of one that goes on.
pub(crate) fn speed(model: &mut Model) {
    model.speed = model.speed.next();
    say_speed(model);
}

/// The speed was changed: it is kept, told, and taken by what runs.
pub(crate) fn say_speed(model: &mut Model) {
    model.kept.replay_speed = Some(model.speed.times());
    let lesson = crate::tui::screens::learn::state::is_open(model);
    let what = if lesson { "points appear" } else { "replays go" };
    model.info(format!("{what} {}", model.speed.text()));
    if model.run.as_ref().is_some_and(|run| run.replay.is_some() || lesson) {
        model.effects.push(Effect::Speed(model.speed.times()));
    }
}

/// The results of a run go to this file, or to none.
pub(crate) fn stores(model: &mut Model, run: u64, file: Result<PathBuf, String>) {
    if run != model.run_id {
        return;
    }
    match (file, &mut model.run) {
        (Ok(file), Some(run)) => run.file = Some(file),
        (Ok(_), None) => {}
        (Err(reason), _) => {
            model.stored = false;
            model.bad(format!("results are not stored: {reason}"));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
