//! What the box explains: the pair, what the emulator counts for it, and the test.

use crate::analysis::explain::test::Verdict;
use crate::analysis::explain::{self, Explanation, Next, Silence, Subject};
use crate::experiment::{Case, Experiment};
use crate::results::record::Record;
use crate::tui::app::model::{Level, Model};
use crate::tui::app::selection;
use crate::tui::dialogs::state::Overlay;
use crate::tui::dialogs::why::state::{pairs, single, span};
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::profile::state::{Known, Wanted};
use crate::units::BlockSize;

/// What was chosen in the box, and the test of its explanation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Why {
    /// Which pair, counted from the one that differs most.
    pub at: usize,
    /// The test that is running.
    pub testing: Option<Next>,
    /// What the last test showed.
    pub verdict: Option<Verdict>,
}

/// The results that are explained: two, the slower one first, or a single one.
pub fn shown(model: &Model) -> Vec<&Record> {
    let mut pairs = pairs(&model.chart);
    if pairs.is_empty() {
        return single(&model.chart).into_iter().collect();
    }
    let pair = pairs.swap_remove(model.why.at.min(pairs.len() - 1));
    vec![pair.slow, pair.fast]
}

/// Goes to the next pair, or the one before; in a cycle.
pub(crate) fn turn(model: &mut Model, by: isize) {
    let many = pairs(&model.chart).len();
    if many > 1 {
        let now = model.why.at.min(many - 1);
        model.why.at = (now as isize + by).rem_euclid(many as isize) as usize;
        model.why.verdict = None;
    }
}

/// What to count for a result.
pub(crate) fn wanted_of(model: &Model, record: &Record) -> Wanted {
    let gpu = selection::gpu_of(model, Some(record));
    Wanted { case: record.case(), gpu, sample: model.selection.target.sample }
}

fn subject<'a>(model: &'a Model, record: &'a Record) -> Subject<'a> {
    let own = Subject::from(record);
    match model.profile.find(&wanted_of(model, record)) {
        Some(Known::Counted(found)) => Subject {
            counted: own.counted.or(Some(&found.record)),
            profile: found.profile.as_ref(),
            ..own
        },
        _ => own,
    }
}

/// The explanation as far as the cases are counted; nothing where nothing is shown.
pub fn explanation(model: &Model) -> Option<Result<Explanation, Silence>> {
    let span = span(model.chart.choice.time);
    match shown(model).as_slice() {
        [slow, fast, ..] => {
            Some(explain::difference(subject(model, slow), subject(model, fast), span))
        }
        [only] => Some(explain::one(subject(model, only), span)),
        [] => None,
    }
}

/// The explanation as one text, for large letters.
pub fn words(model: &Model) -> String {
    let verdict = model.why.verdict.iter().map(ToString::to_string);
    let found: Vec<String> = match explanation(model) {
        Some(Ok(found)) => std::iter::once(found.headline).chain(found.reasons).collect(),
        // What is being counted says more than that it is not counted.
        Some(Err(_)) if progress(model).is_some() => Vec::new(),
        Some(Err(silence)) => vec![silence.to_string()],
        None => vec!["Nothing to explain yet: press r to run.".to_owned()],
    };
    verdict.chain(found).chain(progress(model)).collect::<Vec<_>>().join(" ")
}

/// Why there is no explanation, once nothing is counted for it any more.
pub fn silence(model: &Model) -> Option<String> {
    let silence = explanation(model)?.err()?;
    match uncountable(model) {
        Some(reason) => Some(reason),
        None if progress(model).is_some() => None,
        None => Some(silence.to_string()),
    }
}

/// Which of the explained cases cannot be counted, and why.
fn uncountable(model: &Model) -> Option<String> {
    shown(model).into_iter().map(|record| wanted_of(model, record)).find_map(|it| {
        match model.profile.find(&it)? {
            Known::Not(reason) => Some(format!("cannot count {}: {reason}", it.case.variant)),
            Known::Counted(_) => None,
        }
    })
}

/// The cases to count for the box, in this order: what it explains, then experiments until
/// the model predicts an effect for one.
pub fn wanted(model: &Model) -> Vec<Wanted> {
    let shown = shown(model);
    let mut wanted: Vec<Wanted> = shown.iter().map(|it| wanted_of(model, it)).collect();
    let counted = wanted.iter().all(|it| model.profile.find(it).is_some());
    if let Some(Ok(explanation)) = explanation(model).filter(|_| counted)
        && let Some(record) = shown.first()
        && test_of(model, &explanation, record).is_none()
    {
        let cases = explanation.next.into_iter().map(|next| next.case);
        wanted.extend(cases.map(|case| Wanted { case, ..wanted_of(model, record) }));
    }
    wanted
}

/// The first experiment for which the model predicts an effect; `record` is the result
/// that it starts from.
fn test_of(model: &Model, explanation: &Explanation, record: &Record) -> Option<Next> {
    explanation.next.iter().find_map(|next| {
        let counted = |case: &Case| {
            let wanted = Wanted { case: case.clone(), ..wanted_of(model, record) };
            match model.profile.find(&wanted)? {
                Known::Counted(found) => Some(&found.record),
                Known::Not(_) => None,
            }
        };
        next.clone().predicted(counted(&next.before)?.median()?, counted(&next.case)?)
    })
}

/// The experiment that tests the explanation, once its effect is predicted.
pub fn test(model: &Model, explanation: &Explanation) -> Option<Next> {
    let record = shown(model).into_iter().next()?;
    test_of(model, explanation, record)
}

/// Why the cases are not counted, or how far that is; nothing where all are.
pub fn progress(model: &Model) -> Option<String> {
    let wanted = wanted(model);
    if let Some(reason) = uncountable(model) {
        return Some(reason);
    }
    let missing = wanted.iter().find(|it| model.profile.find(it).is_none())?;
    let running = model.profile.running.as_ref().filter(|running| running.wanted == *missing);
    Some(match running {
        Some(running) => {
            let seconds = model.now.saturating_sub(running.since).as_secs();
            let what = &missing.case.variant;
            format!("counting {what} on the emulator, {seconds} s (Esc cancels)")
        }
        None if profile::disturbs(model) => {
            "counting starts when the measurement has ended".to_owned()
        }
        None => "counting starts".to_owned(),
    })
}

/// Runs the experiment that tests the explanation, or holds it against times that a GPU
/// gave already.
pub(crate) fn start_test(model: &mut Model) {
    let next = explanation(model).and_then(Result::ok).and_then(|it| test(model, &it));
    let Some(next) = next else {
        let text = match progress(model) {
            Some(progress) => progress,
            None => "the model predicts no effect of any simple change".to_owned(),
        };
        return model.tell(Level::Info, text);
    };
    let times = [&next.before, &next.case].map(|case| {
        let record = profile::measured(model, case)?;
        Some((model.chart.choice.time.of(record)?, record.provenance_label()))
    });
    if let [Some((before, source)), Some((after, _))] = times {
        model.why.verdict = next.judge((before, after), source);
        return;
    }
    if crate::tui::app::run::update::start_with(model, experiment(model, &next)) {
        model.overlay = None;
        let expected = next.expectation().unwrap_or_default();
        model.tell(Level::Info, format!("{}: {expected}", next.says));
        model.why.testing = Some(next);
        model.why.verdict = None;
    }
}

/// Both cases of a test as an experiment.
fn experiment(model: &Model, next: &Next) -> Experiment {
    let (a, b) = (&next.before, &next.case);
    let mut experiment = model.form.experiment.clone();
    experiment.algorithm.clone_from(&a.algorithm);
    experiment.variants = vec![a.variant.clone()];
    let both = |x: u32, y: u32| if x == y { vec![x] } else { vec![x, y] };
    experiment.blocks =
        both(a.block, b.block).into_iter().filter_map(|it| BlockSize::new(it).ok()).collect();
    experiment.coarsenings = both(a.coarsen, b.coarsen);
    experiment.sizes = crate::experiment::Sizes::range(a.n, a.n, 2);
    experiment.params = a
        .params
        .iter()
        .map(|(name, value)| {
            let other = b.params.get(name).filter(|other| *other != value);
            (name.clone(), std::iter::once(value).chain(other).cloned().collect())
        })
        .collect();
    (experiment.dist, experiment.seed) = (a.dist, a.seed);
    experiment
}

/// After the run of a test: the verdict, in the box.
pub(crate) fn judge(model: &mut Model) {
    let Some(next) = model.why.testing.take() else { return };
    let time = model.chart.choice.time;
    let found = |case: &Case| {
        let live = model.results.iter().rev().map(|live| &live.record);
        let record = live.into_iter().find(|record| record.case() == *case)?;
        Some((time.of(record)?, record.provenance_label()))
    };
    let (Some((before, source)), Some((after, _))) = (found(&next.before), found(&next.case))
    else {
        return model.tell(Level::Info, "the test has no result: a case has no time");
    };
    model.why.verdict = next.judge((before, after), source);
    if let Some(verdict) = &model.why.verdict {
        let level = if verdict.is_confirmed() { Level::Good } else { Level::Bad };
        let text = verdict.to_string();
        model.tell(level, text);
        if model.overlay.is_none() && model.form.editor.is_none() {
            model.overlay = Some(Overlay::Why);
        }
    }
}
