//! Which option is right, computed from results, and what an answer is worth.

use serde::{Deserialize, Serialize};

use super::lesson::{Ask, Change, Choice, Formula, Lesson, Question, Right, Rule};
use super::results::Results;
use super::value::{self, Missing, Value};
use crate::analysis::explain::LEAST_RATIO;
use crate::units::Elements;

/// What a student answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The key of an option.
    Choice(String),
    /// A drawn curve: a value for each size.
    Curve(Vec<(u64, f64)>),
    /// One changed parameter: axis and value.
    Change {
        /// The axis.
        axis: String,
        /// Its value.
        value: String,
    },
    /// Path of a file with a kernel.
    Kernel(String),
}

/// What an answer is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// As computed.
    Right,
    /// The next bucket, or a curve of the right kind.
    Near,
    /// Something else.
    Wrong,
}

impl Mark {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Near => "near",
            Self::Wrong => "wrong",
        }
    }
}

/// The right answer of a question at this moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Truth {
    /// Keys of the options that are right; the first one best. Empty where a curve is drawn.
    pub keys: Vec<String>,
    /// The value that decides, where one does.
    pub value: Option<Value>,
    /// The right answer in words, with the value: `10× (15.2×)`.
    pub text: String,
}

/// Points of a drawn curve that are at most this factor off are right.
pub const DRAWN_WITHIN: f64 = 2.0;

/// Share of the points of a drawn curve that must be right.
pub const DRAWN_SHARE: f64 = 0.75;

/// The options of a prediction of a factor: key and number; the last one is slower.
pub const FACTORS: [(&str, f64); 5] =
    [("1x", 1.0), ("2x", 2.0), ("5x", 5.0), ("10x", 10.0), ("100x", 100.0)];

/// Key of the option that the second case is slower.
pub const SLOWER: &str = "slower";

/// Computes which option of a question is right.
///
/// # Errors
/// If a result that it needs is missing.
pub fn truth(lesson: &Lesson, question: &Question, results: &Results) -> Result<Truth, Missing> {
    let Some(name) = question.ask.value() else { return reasons(lesson, question, results) };
    let formula = lesson.values.get(name).ok_or_else(|| Missing::Unknown(name.to_owned()))?;
    let value = value::evaluate(lesson, name, results)?;
    let keys: Vec<String> = match (&question.ask, &value) {
        (Ask::Draw { .. }, _) => Vec::new(),
        (Ask::Cell { .. }, Value::Cell { best, .. }) => {
            let best = value::cell_key(*best);
            let good = question.options.iter().filter(
                |it| matches!(it.right, Right::Cell { block, coarsen } if value.is_good((block, coarsen))),
            );
            let others = good.map(|it| it.key.clone()).filter(|key| *key != best);
            std::iter::once(best.clone()).chain(others).collect()
        }
        _ => nearest(&question.options, &value).map(|it| it.key.clone()).into_iter().collect(),
    };
    let text = in_words(question, &keys, formula, &value);
    Ok(Truth { keys, value: Some(value), text })
}

/// The option that is nearest to a number or a curve.
fn nearest<'a>(options: &'a [Choice], value: &Value) -> Option<&'a Choice> {
    if let Value::Number(number) = value {
        let slower = options.iter().find(|it| it.right == Right::Slower);
        if slower.is_some() && number * LEAST_RATIO < 1.0 {
            return slower;
        }
    }
    let far = |option: &Choice| match (&option.right, value) {
        (Right::Number(wanted), Value::Number(number)) => Some(apart(*wanted, *number)),
        (Right::Curve(points), Value::Curve(curve)) => {
            let squares = curve.iter().map(|(n, it)| apart(at(points, *n), *it).powi(2));
            Some(squares.sum::<f64>())
        }
        _ => None,
    };
    let known = options.iter().filter_map(|option| Some((option, far(option)?)));
    known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(option, _)| option)
}

/// How far two numbers are apart, as the logarithm of their ratio. Zero counts as a half, so
/// that a counter of 0 is nearer to 1 than to 100.
fn apart(a: f64, b: f64) -> f64 {
    let ln = |it: f64| if it > 0.0 { it.ln() } else { 0.5_f64.ln() };
    (ln(a) - ln(b)).abs()
}

/// The value of a curve at a size, between its points by interpolation on logarithmic axes,
/// beyond them constant. NaN without points.
pub fn at(points: &[(u64, f64)], n: u64) -> f64 {
    let after = points.partition_point(|(size, _)| *size < n);
    match (after.checked_sub(1).and_then(|it| points.get(it)), points.get(after)) {
        (_, Some((size, value))) if *size == n => *value,
        (Some(&(from, low)), Some(&(to, high))) => {
            let ln = |it: u64| (it.max(1) as f64).ln();
            let share = (ln(n) - ln(from)) / (ln(to) - ln(from));
            (low.ln() + share * (high.ln() - low.ln())).exp()
        }
        (None, Some((_, value))) | (Some((_, value)), None) => *value,
        (None, None) => f64::NAN,
    }
}

/// The options whose reasons hold.
fn reasons(lesson: &Lesson, question: &Question, results: &Results) -> Result<Truth, Missing> {
    let (mut keys, mut texts, mut cause) = (Vec::new(), Vec::new(), None);
    for option in &question.options {
        let right = match &option.right {
            Right::Rules(rules) => hold(lesson, rules, results)?,
            Right::Cause(reason) => {
                let value = value::evaluate(lesson, &reason.value, results)?;
                let right = matches!(&value, Value::Cause(it) if it.cause == reason.cause);
                cause = Some(value);
                right
            }
            _ => false,
        };
        if right {
            keys.push(option.key.clone());
            texts.push(option.text.clone());
        }
    }
    if keys.is_empty() {
        texts.push(match &cause {
            Some(value) => format!("none of these: {}", value.text(None)),
            None => "none of these".to_owned(),
        });
    }
    Ok(Truth { keys, value: cause, text: texts.join("; ") })
}

/// Whether all rules hold.
///
/// # Errors
/// If a result that they need is missing.
pub fn hold(lesson: &Lesson, rules: &[Rule], results: &Results) -> Result<bool, Missing> {
    for rule in rules {
        if !value::evaluate(lesson, &rule.value, results)?.holds(&rule.bounds) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a change of one parameter reaches its goal.
///
/// # Errors
/// If the change is not offered, or a result that the goal needs is missing.
pub fn reached(
    lesson: &Lesson,
    change: &Change,
    (axis, value): (&str, &str),
    results: &Results,
) -> Result<bool, Missing> {
    let trial = lesson.experiments.get(&change.experiment).ok_or(Missing::Nothing)?;
    let changed = change.applied(trial, axis, value).map_err(Missing::Refused)?;
    for rule in &change.goal {
        let formula = lesson.values.get(&rule.value);
        let formula = formula.ok_or_else(|| Missing::Unknown(rule.value.clone()))?;
        if !value::of(formula, &changed.cases, results)?.holds(&rule.bounds) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn in_words(question: &Question, keys: &[String], formula: &Formula, value: &Value) -> String {
    let computed = value.text(formula.unit());
    let option = |key: &String| question.options.iter().find(|it| it.key == *key);
    match (&question.ask, keys.first().and_then(option)) {
        (Ask::Cell { .. } | Ask::Draw { .. }, _) | (_, None) => computed,
        (_, Some(option)) => format!("{} ({computed})", option.text),
    }
}

/// What an answer to a question is worth.
pub fn mark(question: &Question, answer: &Answer, truth: &Truth) -> Mark {
    match answer {
        Answer::Choice(key) if truth.keys.contains(key) => Mark::Right,
        Answer::Choice(key) => {
            // Slower comes before 1×.
            let place = |key: &String| {
                let at = question.options.iter().position(|it| it.key == *key)?;
                Some(if question.options[at].right == Right::Slower { 0 } else { at + 1 })
            };
            let buckets = matches!(question.ask, Ask::Factor { .. } | Ask::Count { .. });
            match (place(key), truth.keys.first().and_then(place)) {
                (Some(a), Some(b)) if buckets && a.abs_diff(b) == 1 => Mark::Near,
                _ => Mark::Wrong,
            }
        }
        Answer::Curve(points) => match &truth.value {
            Some(Value::Curve(curve)) => drawn(points, curve),
            _ => Mark::Wrong,
        },
        Answer::Change { .. } | Answer::Kernel(_) => Mark::Wrong,
    }
}

/// What a drawn curve is worth.
fn drawn(points: &[(u64, f64)], curve: &[(u64, f64)]) -> Mark {
    let share = |within: f64| {
        let right = curve.iter().filter(|(n, it)| apart(at(points, *n), *it) <= within.ln());
        right.count() as f64 / curve.len().max(1) as f64
    };
    if points.is_empty() || curve.is_empty() {
        Mark::Wrong
    } else if share(DRAWN_WITHIN) >= DRAWN_SHARE {
        Mark::Right
    } else if share(DRAWN_WITHIN.powi(2)) >= DRAWN_SHARE {
        Mark::Near
    } else {
        Mark::Wrong
    }
}

/// What is wrong with an answer to a question, if it does not fit; `sizes` are those of the
/// curve to draw.
pub fn misfit(question: &Question, answer: &Answer, sizes: &[u64]) -> Option<String> {
    match (&question.ask, answer) {
        (Ask::Draw { .. }, Answer::Curve(points)) => {
            let fits =
                |(n, value): &(u64, f64)| sizes.contains(n) && *value > 0.0 && value.is_finite();
            let missing = sizes.iter().find(|n| !points.iter().any(|(at, _)| at == *n));
            match (points.iter().find(|it| !fits(it)), missing) {
                (Some((n, _)), _) => Some(format!(
                    "n = {}: a point needs a size of the experiment and a value above 0",
                    Elements(*n)
                )),
                (None, Some(n)) => Some(format!("the curve has no value at n = {}", Elements(*n))),
                (None, None) if !points.is_sorted_by(|a, b| a.0 < b.0) => {
                    Some("the sizes of a curve are ascending, each once".to_owned())
                }
                (None, None) => None,
            }
        }
        (Ask::Draw { .. }, _) => Some("the answer is a curve".to_owned()),
        (_, Answer::Choice(key)) if question.options.iter().any(|it| it.key == *key) => None,
        (_, answer) => {
            let known: Vec<&str> = question.options.iter().map(|it| it.key.as_str()).collect();
            let given = match answer {
                Answer::Choice(key) => format!("`{key}` is not one of the options"),
                _ => "the answer is an option".to_owned(),
            };
            Some(format!("{given}: {}", known.join(", ")))
        }
    }
}
