//! The one case that every screen is about. The user changes it: in the form, with the
//! crosshair, with the keys for variant and size, or with a cell of the Tune screen.
//! Looking at a screen never does.

use crate::algorithms;
use crate::experiment::{Case, Experiment, ParamValue};
use crate::gpu;
use crate::results::record::{Outcome, Provenance, Record};
use crate::runner::plan;
use crate::tui::app::model::{Model, Screen};
use crate::tui::dialogs::why::state as why;
use crate::tui::screens::profile::update as profile;
use crate::tui::screens::tune::state as tune;
use crate::tui::widgets::sized::sized;

/// Most combinations of the form's values that the key for the next variant walks.
const MOST_COMBINATIONS: usize = 4096;

/// A case, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Variant, n, block size, coarsening, parameters and input.
    pub case: Case,
    /// Where its newest result comes from.
    pub known: Known,
    /// The GPU to predict for, so that a prediction compares with that result; the
    /// default one where none is named.
    pub gpu: Option<String>,
    /// The case to compare it with.
    pub beside: Option<Case>,
    /// What the above was found in: drawings of the chart, the kept case, the case put
    /// beside it.
    seen: (u64, Option<Case>, Option<Case>),
}

/// What is known of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It has a time, from there: `recorded · NVIDIA H200`.
    Timed(Provenance, String),
    /// It was skipped.
    Skipped,
    /// Its output is wrong.
    Wrong,
    /// The attempt failed, whatever the kernel does.
    Failed,
    /// Nothing.
    NotRun,
}

impl Known {
    fn of(record: Option<&Record>) -> Self {
        match record {
            None => Self::NotRun,
            Some(record) => match record.outcome() {
                Outcome::Skipped => Self::Skipped,
                Outcome::Wrong => Self::Wrong,
                Outcome::Failed => Self::Failed,
                _ => Self::Timed(record.provenance, record.provenance_label()),
            },
        }
    }

    /// In words, with the device.
    pub fn told(&self) -> String {
        match self {
            Self::Timed(_, label) => label.clone(),
            _ => self.brief(),
        }
    }

    /// In one or two words.
    pub fn brief(&self) -> String {
        match self {
            Self::Timed(provenance, _) => provenance.to_string(),
            Self::Skipped => "skipped".to_owned(),
            Self::Wrong => "WRONG".to_owned(),
            Self::Failed => "failed".to_owned(),
            Self::NotRun => "not run".to_owned(),
        }
    }
}

/// Brings the selection in line with the form, the crosshair and the results. What the
/// form still has stays as it was.
pub(crate) fn follow(model: &mut Model) {
    let before = model.selected.take();
    // Nothing of a file that never compiled can be selected.
    if model.own.as_ref().is_some_and(|own| own.version == 0) {
        return;
    }
    let Some(case) = case(model, before.as_ref().map(|before| &before.case)) else { return };
    let same = before.as_ref().is_some_and(|before| before.case == case);
    let seen = (model.chart.drawn, model.profile.kept.clone(), model.profile.beside.clone());
    if let Some(before) = before.as_ref().filter(|before| same && before.seen == seen) {
        model.selected = Some(before.clone());
        return;
    }
    let other = before.is_none_or(|before| Case { n: case.n, ..before.case } != case);
    let record = record_of(model, &case);
    let (known, gpu) = (Known::of(record), gpu_of(model, record));
    let beside = beside(model, &case);
    model.selected = Some(Selection { case, known, gpu, beside, seen });
    if other {
        profile::another_case(model);
    }
}

/// The selected case: of the one before, whatever the form still selects.
fn case(model: &Model, before: Option<&Case>) -> Option<Case> {
    let experiment = &model.selection;
    let algorithm = algorithms::find(&experiment.algorithm)?;
    let before = before.filter(|case| case.algorithm == algorithm.name());
    let names = || algorithm.variants().iter().map(|variant| variant.name);
    let variant = before
        .map(|case| case.variant.as_str())
        .filter(|name| ticked(experiment, name))
        .or_else(|| names().find(|name| ticked(experiment, name)))?;
    let blocks = plan::blocks(algorithm, experiment, variant);
    let params = algorithm.params().iter().map(|param| {
        let values = values(experiment, param);
        let kept = before.and_then(|case| case.params.get(param.name));
        let value = kept.filter(|value| values.contains(value)).or(values.first());
        (param.name.to_owned(), value.cloned().unwrap_or_else(|| param.default()))
    });
    let chosen = model.chart.crosshair.filter(|x| *x >= 0.0).map(|x| x as u64);
    // Off the Sweep screen it stays where it was while points arrive.
    let stays = before.filter(|_| model.screen != Screen::Sweep).map(|case| case.n);
    let shown = || model.chart.cross().map(|x| x as u64);
    let n = chosen.or(stays).or_else(shown).or(experiment.sizes.values().last().copied())?;
    Some(Case {
        algorithm: algorithm.name().to_owned(),
        variant: variant.to_owned(),
        block: keep(before.map(|case| case.block), &blocks)?,
        coarsen: keep(before.map(|case| case.coarsen), &experiment.coarsenings)?,
        n,
        params: params.collect(),
        dist: experiment.dist,
        seed: experiment.seed,
    })
}

/// The value that there was, if it is still among these, else the first of them.
fn keep(before: Option<u32>, values: &[u32]) -> Option<u32> {
    before.filter(|value| values.contains(value)).or(values.first().copied())
}

fn ticked(experiment: &Experiment, variant: &str) -> bool {
    let variants = &experiment.variants;
    variants.is_empty() || variants.iter().any(|name| name == variant)
}

/// The values of a parameter in the form.
fn values(experiment: &Experiment, param: &algorithms::Param) -> Vec<ParamValue> {
    let chosen = experiment.params.get(param.name).filter(|values| !values.is_empty());
    chosen.cloned().unwrap_or_else(|| vec![param.default()])
}

/// Whether the form selects the case.
pub(crate) fn is_in_form(model: &Model, case: &Case) -> bool {
    let experiment = &model.selection;
    let Some(algorithm) = algorithms::find(&experiment.algorithm) else { return false };
    case.algorithm == experiment.algorithm
        && ticked(experiment, &case.variant)
        && plan::blocks(algorithm, experiment, &case.variant).contains(&case.block)
        && experiment.coarsenings.contains(&case.coarsen)
        && (case.dist, case.seed) == (experiment.dist, experiment.seed)
        && algorithm.params().iter().all(|param| {
            case.params.get(param.name).is_some_and(|it| values(experiment, param).contains(it))
        })
}

/// The next of the cases that the form selects at this size: its variants, then its block
/// sizes and so on.
pub(crate) fn next(model: &mut Model, by: isize) {
    let Some(selected) = &model.selected else { return };
    let all = combinations(&model.selection, &selected.case);
    let at = all.iter().position(|case| *case == selected.case);
    let next = at.map_or(0, |at| (at as isize + by).rem_euclid(all.len() as isize) as usize);
    match all.into_iter().nth(next).filter(|case| *case != selected.case) {
        Some(case) => {
            model.chart.light(&case);
            set(model, case);
        }
        None => model.info("the form has one variant only: tick more on the Sweep screen"),
    }
}

/// Selects the case of the curve that was chosen in the legend, at the selected size, if
/// the form has it: a pinned curve or one of another setting only stands out.
pub(crate) fn take_curve(model: &mut Model) {
    let Some(n) = model.selected.as_ref().map(|selected| selected.case.n) else { return };
    let chart = &model.chart;
    let chosen = chart.chosen.as_ref().and_then(|curve| chart.place(curve));
    let curve = chosen.and_then(|at| chart.series().get(at));
    let record = curve.and_then(|series| chart.record(series.points.last()?));
    let case = record.map(|record| Case { n, ..record.case() });
    if let Some(case) = case.filter(|case| is_in_form(model, case)) {
        set(model, case);
    }
}

/// Selects another case. The form must have it.
pub(crate) fn set(model: &mut Model, case: Case) {
    model.profile.beside = None;
    if let Some(selected) = &mut model.selected {
        // So that the next `follow` finds out what is known of it.
        selected.seen.0 = u64::MAX;
        selected.case = case;
    }
}

/// Every case of the form like this one that can run, in the form's order.
fn combinations(experiment: &Experiment, like: &Case) -> Vec<Case> {
    let Some(algorithm) = algorithms::find(&experiment.algorithm) else { return Vec::new() };
    let mut cases = vec![like.clone()];
    let mut spread = |many: usize, with: &dyn Fn(&Case, usize) -> Case| {
        let all = (0..many).flat_map(|index| cases.iter().map(move |case| with(case, index)));
        cases = all.take(MOST_COMBINATIONS).collect();
    };
    let variants: Vec<&algorithms::Variant> =
        algorithm.variants().iter().filter(|it| ticked(experiment, it.name)).collect();
    spread(variants.len(), &|case, index| Case {
        variant: variants[index].name.to_owned(),
        ..case.clone()
    });
    spread(experiment.blocks.len(), &|case, index| Case {
        block: plan::blocks(algorithm, experiment, &case.variant)[index],
        ..case.clone()
    });
    spread(experiment.coarsenings.len(), &|case, index| Case {
        coarsen: experiment.coarsenings[index],
        ..case.clone()
    });
    for param in algorithm.params() {
        let values = values(experiment, param);
        spread(values.len(), &|case, index| {
            let mut case = case.clone();
            case.params.insert(param.name.to_owned(), values[index].clone());
            case
        });
    }
    let coarsens = |case: &Case| {
        case.coarsen == 1 || variants.iter().any(|it| it.name == case.variant && it.coarsens)
    };
    cases.retain(|case| case == like || coarsens(case) && algorithm.obstacle(case).is_none());
    cases
}

/// Another size, of those that have results or are in the form.
pub(crate) fn resize(model: &mut Model, by: isize) {
    let Some(now) = model.selected.as_ref().map(|selected| selected.case.n) else { return };
    let sizes = tune::sizes(model);
    let next = if by < 0 {
        sizes.iter().rev().find(|n| **n < now)
    } else {
        sizes.iter().find(|n| **n > now)
    };
    let Some(n) = next.copied() else {
        let end = if by < 0 { "smallest" } else { "largest" };
        return model.info(format!("{end} size with results"));
    };
    model.chart.crosshair = Some(n as f64);
    model.info(format!("n = {}", sized(&model.selection.algorithm, n)));
}

/// Whether a record is a result of this case.
pub(crate) fn is_of(record: &Record, case: &Case) -> bool {
    record.n == case.n
        && record.block == case.block
        && record.coarsen == case.coarsen
        && record.variant == case.variant
        && record.algorithm == case.algorithm
        && (record.dist, record.seed) == (case.dist, case.seed)
        && *record.params == case.params
}

/// The newest result of a case.
pub(crate) fn record_of<'a>(model: &'a Model, case: &Case) -> Option<&'a Record> {
    let live = model.results.iter().rev().filter(|live| live.target == model.selection.target);
    let live = live.map(|live| &live.record);
    let stored = model.pinned.iter().chain(model.shown.iter());
    live.chain(stored).find(|record| is_of(record, case))
}

/// The GPU to predict for so that a result compares: that of the result where its
/// profile is known, else the one that the form names.
pub(crate) fn gpu_of(model: &Model, record: Option<&Record>) -> Option<String> {
    let asked = model.selection.target.gpu.clone();
    // Before anything ran, the GPU of what is shown.
    let Some(record) = record.or_else(|| model.chart.records.first()) else { return asked };
    // A profile from a file has a name of its own, and only its path opens it.
    if record.backend == "emulator" && asked.is_some() {
        return asked;
    }
    let name = &record.device.name;
    let known = gpu::spec_of_device(name).or_else(|| gpu::find_spec(name));
    known.map(|profile| profile.name.clone()).or(asked)
}

/// The case to stand beside `case`: the one that was kept, else a pinned one of the same
/// size, else the one that was put there, else the other one of the pair that the chart
/// compares, else the next variant.
fn beside(model: &Model, case: &Case) -> Option<Case> {
    let profile = &model.profile;
    let other = |candidate: &Case| candidate != case && candidate.algorithm == case.algorithm;
    if let Some(kept) = profile.kept.clone().filter(other) {
        return Some(kept);
    }
    let pinned = model.pinned.iter().map(Record::case).filter(|it| it.n == case.n).find(other);
    if pinned.is_some() {
        return pinned;
    }
    let put = profile.beside.clone().map(|beside| Case { n: case.n, ..beside });
    let variant = |name: &str| Some(Case { variant: name.to_owned(), ..case.clone() });
    let compared = || {
        let pair = why::pair(&model.chart)?;
        if is_of(pair.slow, case) {
            return Some(pair.fast.case());
        }
        if is_of(pair.fast, case) {
            return Some(pair.slow.case());
        }
        variant(&pair.fast.variant).filter(other).or_else(|| variant(&pair.slow.variant))
    };
    put.filter(other)
        .or_else(|| compared().filter(other).filter(exists))
        .or_else(|| next_variant(case))
}

/// Whether this program knows the case: files can name others.
fn exists(case: &Case) -> bool {
    algorithms::find(&case.algorithm)
        .is_some_and(|algorithm| algorithm.variants().iter().any(|it| it.name == case.variant))
}

/// The same case of the next variant that can run it.
fn next_variant(case: &Case) -> Option<Case> {
    let algorithm = algorithms::find(&case.algorithm)?;
    let variants = algorithm.variants();
    let at = variants.iter().position(|variant| variant.name == case.variant)?;
    let others = (1..variants.len()).map(|step| &variants[(at + step) % variants.len()]);
    let of = |variant: &algorithms::Variant| Case {
        variant: variant.name.to_owned(),
        coarsen: if variant.coarsens { case.coarsen } else { 1 },
        ..case.clone()
    };
    others.map(of).find(|case| algorithm.obstacle(case).is_none())
}
