//! The recording of the H200 beside a student's results: what it has for the same cases, and
//! in words how far both differ. Counters are the emulator's in both, so they are not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::grade::{Truth, truth};
use super::lesson::{Lesson, Measure, Step, Task};
use super::results::{Results, key};
use super::session::Session;
use super::value::{Value, evaluate};
use super::words;
use crate::algorithms;
use crate::figure::Time;
use crate::results::record::Provenance;
use crate::results::store;
use crate::units::Seconds;

/// Name of the recording on charts and in sentences.
pub const RECORDED: &str = "H200, recorded";

/// The results that the recording has for the cases of a lesson, those of its changes included.
pub fn recording(lesson: &Lesson) -> Results {
    let changes = lesson.steps.iter().filter_map(|step| match &step.task {
        Task::Change(change) => Some((change, lesson.experiments.get(&change.experiment)?)),
        _ => None,
    });
    let changed = changes.flat_map(|(change, trial)| {
        let all =
            change.axes.iter().flat_map(|(axis, values)| values.iter().map(move |it| (axis, it)));
        all.filter_map(|(axis, value)| change.applied(trial, axis, value).ok())
    });
    let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for trial in lesson.experiments.values().cloned().chain(changed) {
        let keys = wanted.entry(trial.experiment.algorithm.clone()).or_default();
        keys.extend(trial.cases.iter().map(key));
    }
    let mut results = Results::default();
    for (algorithm, keys) in wanted {
        let bytes = algorithms::find(&algorithm).map(|it| it.spec().recording);
        let contents = bytes.and_then(|it| store::parse(it, Path::new("recording")).ok());
        // The last record of a case counts, as it does on screens.
        for record in contents.into_iter().flat_map(|contents| contents.records) {
            if keys.contains(&key(&record.case())) {
                results.add(Box::new(record));
            }
        }
    }
    results
}

/// A value by the student's results and by the recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Both {
    /// The value in words.
    pub name: String,
    /// By the student's results.
    pub here: String,
    /// By the recording.
    pub recorded: String,
    /// The difference in words: `+20 %`, `same`, `other`.
    pub apart: String,
}

/// What the student's results come from: `emulator`, or a device.
pub fn source(session: &Session) -> String {
    match session.results().all().next().map(|it| &it.record) {
        Some(record) if record.provenance != Provenance::Modelled => record.device.name.clone(),
        _ => "emulator".to_owned(),
    }
}

/// These values by both, as far as both have them and time decides them.
pub fn values<'a>(session: &Session, names: impl Iterator<Item = &'a str>) -> Vec<Both> {
    let lesson = session.lesson();
    let both = |name: &str| {
        let formula = lesson.values.get(name)?;
        let trial = lesson.experiments.get(&formula.experiment)?;
        if matches!(formula.measure, Measure::Count { .. }) {
            return None;
        }
        let here = session.value(name).ok()?;
        let recorded = evaluate(lesson, name, session.recorded()).ok()?;
        let apart = match (&here, &recorded) {
            (Value::Number(here), Value::Number(recorded)) => percent(recorded / here),
            (Value::Curve(_), Value::Curve(_)) => String::new(),
            (here, recorded) if here.word() == recorded.word() => "same".to_owned(),
            _ => "other".to_owned(),
        };
        let name = words::full(formula, trial);
        let unit = formula.unit();
        Some(Both { name, here: here.text(unit), recorded: recorded.text(unit), apart })
    };
    names.filter_map(both).collect()
}

/// A ratio as a difference: `+20 %`.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match percent.abs() {
        small if small < 0.5 => "same".to_owned(),
        _ if percent < 0.0 => format!("−{:.0} %", percent.abs()),
        _ => format!("+{percent:.0} %"),
    }
}

/// How far the times of an experiment are from the recorded ones, in two sentences; none where
/// the recording has no case that ran.
pub fn times(session: &Session, experiment: &str) -> Option<String> {
    let trial = session.lesson().experiments.get(experiment)?;
    let records = || session.results().records(&trial.cases);
    let time = Time::fitting(records());
    let mut apart: Vec<(f64, String, f64, f64)> = trial
        .cases
        .iter()
        .filter_map(|case| {
            let of = |results: &Results| {
                let record = &results.get(case)?.record;
                time.of(record).filter(|seconds| record.outcome().is_result() && *seconds > 0.0)
            };
            let (here, recorded) = (of(session.results())?, of(session.recorded())?);
            Some(((recorded / here).ln().abs(), words::case(case, trial), here, recorded))
        })
        .collect();
    apart.sort_by(|a, b| a.0.total_cmp(&b.0));
    let source = match source(session) {
        emulator if emulator == "emulator" => "the emulator".to_owned(),
        device => format!("this {device}"),
    };
    let half = apart.get(apart.len().checked_sub(1)? / 2)?.0.exp() - 1.0;
    let (_, case, here, recorded) = apart.last()?;
    Some(format!(
        "{RECORDED}: half of the {} times lie within {:.0} % of {source}. The largest difference: \
         {case} takes {} on the H200, {} here ({}).",
        apart.len(),
        (half * 100.0 - 1e-6).ceil(),
        Seconds(*recorded),
        Seconds(*here),
        percent(recorded / here),
    ))
}

/// The answers of a question by both; none where one of them is missing, or counters decide.
fn truths(session: &Session, step: &Step) -> Option<(Truth, Truth)> {
    let lesson = session.lesson();
    let question = step.task.question()?;
    let formula = question.ask.value().and_then(|name| lesson.values.get(name));
    if formula.is_some_and(|it| matches!(it.measure, Measure::Count { .. })) {
        return None;
    }
    let here = truth(lesson, question, session.results()).ok()?;
    Some((here, truth(lesson, question, session.recorded()).ok()?))
}

/// Whether both give the same answer: as good a cell counts.
fn agree((here, recorded): &(Truth, Truth)) -> bool {
    match here.keys.first() {
        Some(best) => recorded.keys.contains(best),
        None => recorded.keys.is_empty(),
    }
}

/// What the recording says to a question, in a sentence.
pub fn answer(session: &Session, step: &Step) -> Option<String> {
    let both = truths(session, step)?;
    let recorded = &both.1;
    let drawn = both.0.keys.is_empty() && recorded.value.is_some();
    Some(match (agree(&both), &recorded.value) {
        (_, Some(_)) if drawn => format!("{RECORDED}: {}.", recorded.text),
        (true, Some(Value::Cause(_)) | None) => format!("{RECORDED}: the same answer."),
        (true, Some(_)) => format!("{RECORDED}: {}, the same answer.", recorded.text),
        (false, _) => format!("{RECORDED}: another answer, {}.", recorded.text),
    })
}

/// For how many questions both give the same answer, and which ones differ.
pub fn tally(session: &Session) -> Option<String> {
    let steps = session.lesson().steps.iter();
    let compared: Vec<(&Step, bool)> = steps
        .filter_map(|step| {
            let both = truths(session, step)?;
            // A drawn curve has no option that could differ.
            (!both.0.keys.is_empty()).then(|| (step, agree(&both)))
        })
        .collect();
    let all = compared.len();
    let others: Vec<&str> =
        compared.iter().filter(|(_, same)| !same).map(|(step, _)| step.title.as_str()).collect();
    match (all, others.len()) {
        (0, _) => None,
        (_, 0) => Some(format!("{RECORDED}: all {all} questions have the same answer.")),
        (_, other) => Some(format!(
            "{RECORDED}: {} of {all} questions have the same answer. Another one has: {}.",
            all - other,
            others.join("; ")
        )),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::lessons::shelf;

    /// A session whose results are the recorded ones, `factor` times as long for this variant.
    fn session(variant: &str, factor: f64) -> Session {
        let lesson = shelf::find("5", None).unwrap();
        let recorded = recording(&lesson);
        let mut session = Session::new(lesson);
        for measured in recorded.all() {
            let mut record = measured.record.clone();
            record.provenance = Provenance::Modelled;
            if record.variant.starts_with(variant) {
                record.seconds.as_mut().unwrap().median *= factor;
            }
            session.add(record);
        }
        session.set_recorded(recorded);
        session
    }

    fn step<'a>(session: &'a Session, value: &str) -> &'a Step {
        let asks = |step: &&Step| step.task.question().and_then(|it| it.ask.value()) == Some(value);
        session.lesson().steps.iter().find(asks).unwrap()
    }

    #[test]
    fn equal_ratios_are_the_same_answer_however_long_the_times() {
        let session = session("", 1.25);
        let told = times(&session, "trees").unwrap();
        assert!(told.starts_with("H200, recorded: half of the 8 times lie within 25 %"), "{told}");
        assert!(told.contains("emulator") && told.ends_with("here (−20 %)."), "{told}");
        assert_eq!(values(&session, ["ratio"].into_iter())[0].apart, "same");
        let told = answer(&session, step(&session, "ratio")).unwrap();
        assert!(told.ends_with("the same answer."), "{told}");
        assert!(tally(&session).unwrap().contains("questions have the same answer."));
    }

    #[test]
    fn another_answer_is_named() {
        let session = session("interleaved", 5.0);
        let both = &values(&session, ["ratio", "branches"].into_iter())[..];
        assert_eq!((both.len(), both[0].apart.as_str()), (1, "−80 %"), "{both:?}");
        let told = answer(&session, step(&session, "ratio")).unwrap();
        assert!(told.starts_with("H200, recorded: another answer, 2×"), "{told}");
        let told = tally(&session).unwrap();
        assert!(told.contains(&step(&session, "ratio").title), "{told}");
    }
}
