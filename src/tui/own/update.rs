//! What news of the user's file change.

use crate::algorithms;
use crate::algorithms::Algorithm;
use crate::experiment::{Case, Experiment};
use crate::results::record::Flag;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Live, Model, Screen};
use crate::tui::app::run::update as run;
use crate::tui::app::selection;
use crate::tui::own::state::{MOST_OLDER, News, Older, Own, Problem, Stage};
use crate::tui::screens::sweep::form::state::Form;

/// Takes in what the thread that watches the file reports.
pub(crate) fn news(model: &mut Model, news: News) {
    let Some(own) = &mut model.own else { return };
    match news {
        News::Saved(text) => {
            own.stage = Stage::Compiling;
            own.take(text);
            // What was said is about the version before.
            model.notice = None;
        }
        News::Gone(reason) => own.stage = Stage::Gone(reason),
        News::Refused(problems) => {
            (own.stage, own.problems) = (Stage::Broken, problems);
            model.profile.line = None;
            show_text_at_first(model);
        }
        News::Compiled(warnings) => {
            model.notice = None;
            compiled(model, warnings);
        }
        News::Checked { version, problems, unsound } if version == own.version => {
            checked(model, problems, &unsound);
        }
        News::Checked { .. } => {}
        News::Assembled => assembled(model),
    }
}

/// Where nothing ever ran the text with its errors is all that can be seen.
fn show_text_at_first(model: &mut Model) {
    if model.own.as_ref().is_some_and(|own| own.version <= 1) && model.results.is_empty() {
        model.screen = Screen::Source;
    }
}

/// Another version is registered: what the one before gave stays as a faint curve.
fn compiled(model: &mut Model, warnings: Vec<Problem>) {
    let Some(own) = &mut model.own else { return };
    let Some(system) = algorithms::find(&own.name) else { return };
    let name = own.name.clone();
    let replaced =
        |live: &Live| live.record.algorithm == name && is_of_file(system, &live.record.variant);
    let (gone, kept): (Vec<Live>, Vec<Live>) =
        std::mem::take(&mut model.results).into_iter().partition(replaced);
    model.results = kept;
    if own.version > 0 {
        let records = gone.into_iter().map(|live| live.record).collect();
        let text = std::mem::replace(&mut own.compiled, own.text.clone());
        own.older.push_front(Older { number: own.version, text, records });
        own.older.truncate(MOST_OLDER);
    }
    own.compiled = own.text.clone();
    own.version += 1;
    (own.stage, own.problems) = (Stage::Checking, warnings);
    let version = own.version;
    model.profile.forget(&name);
    model.step.forget(&name);
    model.outputs.forget(|case| case.algorithm == name && is_of_file(system, &case.variant));
    let experiment = fitting(&model.form.experiment, system);
    model.form = Form { experiment: experiment.clone(), ..model.form.clone() };
    model.selection = experiment.clone();
    model.rebuild_chart();
    let of_file = system.variants().iter().map(|variant| variant.name);
    let variants: Vec<String> =
        of_file.filter(|name| is_of_file(system, name)).map(str::to_owned).collect();
    if version == 1 {
        select(model, variants.first());
    }
    model.effects.push(Effect::Check { version, experiment: Box::new(experiment), variants });
}

/// Selects a variant: the first kernel of the file, not of the system that it is like.
fn select(model: &mut Model, variant: Option<&String>) {
    selection::follow(model);
    if let (Some(selected), Some(variant)) = (&model.selected, variant) {
        let case = Case { variant: variant.clone(), ..selected.case.clone() };
        selection::set(model, case);
    }
}

/// Whether a variant is a kernel of the file; others are those of the built-in system that
/// the file is like.
fn is_of_file(system: &dyn Algorithm, variant: &str) -> bool {
    system.module(variant).name == system.name()
}

/// The experiment as far as another version of the system allows it.
fn fitting(asked: &Experiment, system: &'static dyn Algorithm) -> Experiment {
    let opening = algorithms::opening(system);
    if asked.algorithm != system.name() {
        return Experiment { target: asked.target.clone(), ..opening };
    }
    let mut experiment = asked.clone();
    let known = |name: &String| system.variants().iter().any(|variant| variant.name == *name);
    experiment.variants.retain(known);
    experiment.params.retain(|name, values| {
        let param = system.params().iter().find(|param| param.name == name);
        values.retain(|value| param.is_some_and(|param| param.allows(value)));
        !values.is_empty()
    });
    if !system.distributions().iter().any(|dist| dist.is_like(asked.dist)) {
        experiment.dist = opening.dist;
    }
    experiment
}

/// Runs what is sound; what is not stands on its line.
fn checked(model: &mut Model, problems: Vec<Problem>, unsound: &[String]) {
    let Some(own) = &mut model.own else { return };
    own.problems.extend(problems);
    own.problems.sort_by_key(|problem| problem.line);
    own.stage = Stage::Ready;
    let first = own.version == 1;
    let Some(system) = algorithms::find(&own.name) else { return };
    let ticked = &model.form.experiment.variants;
    let mut runs: Vec<String> = system
        .variants()
        .iter()
        .map(|variant| variant.name.to_owned())
        .filter(|name| ticked.is_empty() || ticked.contains(name))
        .filter(|name| !unsound.contains(name))
        .collect();
    // The curves of the built-in variants are there already.
    let ran = |name: &String| model.results.iter().any(|live| live.record.variant == *name);
    if !first {
        runs.retain(|name| is_of_file(system, name) || !ran(name));
    }
    if !unsound.is_empty() {
        model.profile.line = None;
    }
    if runs.iter().all(|name| !is_of_file(system, name)) {
        show_text_at_first(model);
    }
    if runs.is_empty() {
        return;
    }
    run_soon(model, runs);
}

/// Runs variants, once a run in progress is cancelled.
fn run_soon(model: &mut Model, variants: Vec<String>) {
    if model.run.is_some() {
        run::cancel(model);
        if let Some(own) = &mut model.own {
            own.waiting = Some(variants);
        }
    } else {
        start(model, variants);
    }
}

/// The registers of the version are known now: what was predicted without runs again.
fn assembled(model: &mut Model) {
    let Some(own) = model.own.as_ref().filter(|own| own.stage == Stage::Ready) else { return };
    if model.run.as_ref().is_some_and(|run| run.replay.is_some() || run.map_at.is_some()) {
        return;
    }
    let Some(system) = algorithms::find(&own.name) else { return };
    let estimated = |live: &&Live| live.record.flags.contains(&Flag::RegistersEstimated);
    let shown = model.results.iter().filter(estimated).map(|live| live.record.variant.to_string());
    let running = model.run.iter().flat_map(|run| run.experiment.variants.iter().cloned());
    let mut runs: Vec<String> = Vec::new();
    for variant in own.waiting.iter().flatten().cloned().chain(running).chain(shown) {
        if !runs.contains(&variant) {
            runs.push(variant);
        }
    }
    if runs.iter().any(|variant| is_of_file(system, variant)) {
        model.profile.forget(system.name());
        model.step.forget(system.name());
        run_soon(model, runs);
    }
}

/// A run has ended: the newest version may wait for that.
pub(crate) fn ended(model: &mut Model) {
    if let Some(runs) = model.own.as_mut().and_then(|own| own.waiting.take()) {
        start(model, runs);
    }
}

fn start(model: &mut Model, variants: Vec<String>) {
    let experiment = Experiment { variants, ..model.form.experiment.clone() };
    let notice = model.notice.take();
    run::start_with(model, experiment);
    model.notice = model.notice.take().or(notice);
}

/// Compares with the next older version on the Source screen; whether there is one.
pub(crate) fn compare_next(model: &mut Model) -> bool {
    let Some(own) = &mut model.own else { return false };
    let next = own.next_since();
    own.compare(next);
    next.is_some()
}

/// Opens the editor at the line under the cursor.
pub(crate) fn edit(model: &mut Model) {
    let Some(own) = &model.own else {
        return model.info("no file of yours is open: start with `warpscope my.cu`");
    };
    let line = line_to_edit(model, own);
    let header = crate::own::place_in_header(&own.text, line);
    let (path, line) = match header {
        Some((name, line)) => (own.path.with_file_name("").join(name), line),
        None => (own.path.clone(), line),
    };
    model.effects.push(Effect::Edit { path, line, template: None });
}

/// The line under the cursor of the CUDA source, else that of the first problem.
fn line_to_edit(model: &Model, own: &Own) -> u32 {
    use crate::tui::screens::profile::state as profile;
    let on_screen = || {
        let at = profile::cursor(model);
        if let Some(changes) = &own.changes {
            let rows = &changes.texts.rows;
            return rows.get(at..)?.iter().find_map(|row| row.right).map(|at| at as u32 + 1);
        }
        if is_text_shown(model) {
            return Some(at as u32 + 1);
        }
        let texts = profile::texts(model).into_iter().next()??;
        let shown = texts.of(model.profile.pane);
        let place = match model.profile.pane {
            profile::Pane::Cuda => at,
            profile::Pane::Ptx => shown.partner_in(at, &texts.cuda, model.profile.heat)?,
        };
        texts.cuda.lines.get(place).map(|line| line.number)
    };
    let of_file = model.selected.as_ref().is_some_and(|it| it.case.algorithm == own.name);
    let source = model.screen == Screen::Source && (of_file || own.version == 0);
    let found = if source { on_screen() } else { None };
    found.or_else(|| own.first()?.line).unwrap_or(1)
}

/// Places of lines with something to look at, in the order of `n`, and how many places there
/// are, where the Source screen shows the file as text or what changed in it.
pub(crate) fn places(model: &Model) -> Option<(Vec<usize>, usize)> {
    let own = model.own.as_ref()?;
    if is_text_shown(model) {
        let lines = own.problems.iter().filter_map(|problem| problem.line);
        let mut places: Vec<usize> = lines.map(|line| line.saturating_sub(1) as usize).collect();
        places.dedup();
        let many = own.listing.lines.len();
        places.retain(|place| *place < many);
        return Some((places, many));
    }
    let rows = &own.changes.as_ref()?.texts.rows;
    let differs = rows.iter().enumerate().filter(|(_, row)| !row.same);
    // The first row of each change.
    let first = differs.map(|(at, _)| at).filter(|at| *at == 0 || rows[at - 1].same);
    Some((first.collect(), rows.len()))
}

/// Whether the Source screen shows the file's newest contents with what is wrong with them,
/// in place of counted lines: nothing of them runs, or not the selected variant.
pub(crate) fn is_text_shown(model: &Model) -> bool {
    let Some(own) = &model.own else { return false };
    let selected = model.selected.as_ref().filter(|it| it.case.algorithm == own.name);
    let counted = || {
        crate::tui::screens::profile::state::sides(model)
            .first()
            .is_some_and(|side| side.profile().is_some())
    };
    match own.stage {
        Stage::Broken => true,
        Stage::Compiling | Stage::Checking | Stage::Ready => {
            own.has_errors() && (selected.is_none() || !counted())
        }
        Stage::Gone(_) => false,
    }
}
