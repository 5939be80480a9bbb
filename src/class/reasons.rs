//! What explains the answer to a question: the difference of the cases that it compares.

use super::lesson::values;
use crate::experiment::Case;
use crate::lessons::value::{self, Value};
use crate::lessons::{Formula, Lesson, Measure, Pair, Question, Results, Select};

/// Most pairs of cases that one question is explained by.
const MOST: usize = 2;

/// The pairs that a question compares, each as the value that names the cause of the
/// difference; none where it compares no two cases. A curve is explained at its largest size.
pub(super) fn pairs(lesson: &Lesson, asked: &Question) -> Vec<Formula> {
    let mut found: Vec<Formula> = Vec::new();
    for formula in values(lesson, asked) {
        let largest = |select: &Select| {
            let trial = lesson.experiments.get(&formula.experiment);
            let cases = trial.into_iter().flat_map(|trial| &trial.cases);
            let n = cases.filter(|case| select.takes(case)).map(|case| case.n).max();
            Select { n, ..select.clone() }
        };
        let (of, over) = match &formula.measure {
            Measure::Cause { of, over } => (of.clone(), over.clone()),
            Measure::Ratio(Pair { of, over }) | Measure::Count { of, over: Some(over), .. } => {
                (of.clone(), Some(over.clone()))
            }
            Measure::Crossing(Pair { of, over }) | Measure::Curve { of, over: Some(over) } => {
                (largest(of), Some(largest(over)))
            }
            _ => continue,
        };
        let pair = Formula { measure: Measure::Cause { of, over }, ..formula.clone() };
        let known = |other: &Formula| {
            (&other.experiment, &other.measure) == (&pair.experiment, &pair.measure)
        };
        if found.len() < MOST && !found.iter().any(known) {
            found.push(pair);
        }
    }
    found
}

/// The explanation of each pair, its headline first; nothing while counters are missing.
pub(super) fn explained(
    lesson: &Lesson,
    asked: &Question,
    results: &Results,
) -> Option<Vec<Vec<String>>> {
    let explain = |pair: &Formula| {
        let trial = lesson.experiments.get(&pair.experiment)?;
        match value::of(pair, &trial.cases, results).ok()? {
            Value::Cause(found) => {
                Some(std::iter::once(found.headline).chain(found.reasons).collect())
            }
            _ => None,
        }
    };
    pairs(lesson, asked).iter().map(explain).collect()
}

/// The cases whose counters a question needs: for its answer, and for the explanation.
pub(super) fn counted<'a>(lesson: &'a Lesson, asked: &Question) -> Vec<&'a Case> {
    let mut cases: Vec<&Case> = Vec::new();
    let pairs = pairs(lesson, asked);
    let mut formulas: Vec<&Formula> = values(lesson, asked).collect();
    formulas.extend(&pairs);
    for formula in formulas {
        let trial = lesson.experiments.get(&formula.experiment);
        for case in trial.into_iter().flat_map(|trial| &trial.cases) {
            if formula.counts(case) && !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    cases
}
