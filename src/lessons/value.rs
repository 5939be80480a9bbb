//! A named value, computed from results.

use std::collections::BTreeMap;

use super::lesson::{Bounds, Formula, Lesson, Measure, Select, Unit};
use super::results::{Measured, Results};
use crate::analysis::explain::{self, Explanation, Silence, Span};
use crate::experiment::Case;
use crate::figure::Time;
use crate::results::record::{Counter, Metric};
use crate::units::{Elements, Seconds, grouped, significant};

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, in the unit of its formula.
    Number(f64),
    /// No size, of a crossing.
    Never,
    /// A variant.
    Variant(String),
    /// A cause, with its explanation.
    Cause(Box<Explanation>),
    /// The best cell.
    Cell {
        /// Block size and coarsening with the shortest time.
        best: (u32, u32),
        /// Seconds of every cell.
        seconds: BTreeMap<(u32, u32), f64>,
    },
    /// A number for each size, ascending.
    Curve(Vec<(u64, f64)>),
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The lesson has no such value.
    #[error("the lesson has no value `{0}`")]
    Unknown(String),
    /// A change that the step does not offer.
    #[error("{0}")]
    Refused(String),
    /// No case is selected.
    #[error("no case is selected")]
    Nothing,
    /// A case has no result yet.
    #[error("{0} has not run")]
    NotRun(String),
    /// A case has no time.
    #[error("{case}: {reason}")]
    Failed {
        /// The case.
        case: String,
        /// Why it has no time.
        reason: String,
    },
    /// There is no explanation.
    #[error(transparent)]
    Silent(#[from] Silence),
}

/// Computes a value of the lesson.
///
/// # Errors
/// If a case that it needs has no result or no counters.
pub fn evaluate(lesson: &Lesson, name: &str, results: &Results) -> Result<Value, Missing> {
    let formula = lesson.values.get(name).ok_or_else(|| Missing::Unknown(name.to_owned()))?;
    let trial = lesson.experiments.get(&formula.experiment).ok_or(Missing::Nothing)?;
    of(formula, &trial.cases, results)
}

/// Computes a formula over these cases.
///
/// # Errors
/// If a case that it needs has no result or no counters.
pub fn of(formula: &Formula, cases: &[Case], results: &Results) -> Result<Value, Missing> {
    let found = Found { cases, results, time: formula.time };
    match &formula.measure {
        Measure::Time(select) => Ok(Value::Number(found.seconds(found.case(select)?)?)),
        Measure::Ratio(pair) => {
            let (of, over) = (found.case(&pair.of)?, found.case(&pair.over)?);
            Ok(Value::Number(found.seconds(of)? / found.seconds(over)?))
        }
        Measure::Count { counter, of, over, per } => {
            let count = |select: &Select| {
                let case = found.case(select)?;
                let value = found.count(case, *counter)?;
                let per = per.map(|per| found.count(case, per)).transpose()?;
                Ok::<f64, Missing>(per.map_or(value, |per| value / per.max(1.0)))
            };
            let value = count(of)?;
            Ok(Value::Number(match over {
                Some(over) => value / count(over)?.max(f64::MIN_POSITIVE),
                None => value,
            }))
        }
        Measure::Crossing(pair) => Ok(crossing(&found.curve(&pair.of, Some(&pair.over))?)),
        Measure::Fastest(select) => {
            let times = found.each(select)?;
            let best = times.iter().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or(Missing::Nothing)?;
            Ok(Value::Variant(best.0.variant.clone()))
        }
        Measure::Best(select) => {
            let times = found.each(select)?;
            let best = times.iter().min_by(|a, b| a.1.total_cmp(&b.1)).ok_or(Missing::Nothing)?;
            let best = (best.0.block, best.0.coarsen);
            let seconds =
                times.iter().map(|(case, it)| ((case.block, case.coarsen), *it)).collect();
            Ok(Value::Cell { best, seconds })
        }
        Measure::Cause { of, over } => {
            let span = match formula.time {
                Time::Kernels => Span::Kernels,
                Time::EndToEnd => Span::EndToEnd,
            };
            let of = found.measured(found.case(of)?)?.subject();
            let explanation = match over {
                None => explain::one(of, span)?,
                Some(over) => {
                    let over = found.measured(found.case(over)?)?.subject();
                    explain::difference(of, over, span)?
                }
            };
            Ok(Value::Cause(Box::new(explanation)))
        }
        Measure::Curve { of, over } => Ok(Value::Curve(found.curve(of, over.as_ref())?)),
    }
}

/// Where a curve of ratios rises above 1 for good.
fn crossing(curve: &[(u64, f64)]) -> Value {
    let Some(last_below) = curve.iter().rposition(|(_, ratio)| *ratio <= 1.0) else {
        return curve.first().map_or(Value::Never, |(n, _)| Value::Number(*n as f64));
    };
    match (curve.get(last_below), curve.get(last_below + 1)) {
        (Some(&(n, ratio)), Some(&(next, above))) => {
            let share = -ratio.ln() / (above.ln() - ratio.ln());
            let (from, to) = ((n as f64).max(1.0).ln(), (next as f64).ln());
            Value::Number((from + share * (to - from)).exp())
        }
        _ => Value::Never,
    }
}

/// The results of some cases.
struct Found<'a> {
    cases: &'a [Case],
    results: &'a Results,
    time: Time,
}

impl<'a> Found<'a> {
    fn selected(&self, select: &Select) -> impl Iterator<Item = &'a Case> {
        self.cases.iter().filter(move |case| select.takes(case))
    }

    /// The first selected case; the reader has checked that there is one alone.
    fn case(&self, select: &Select) -> Result<&'a Case, Missing> {
        self.selected(select).next().ok_or(Missing::Nothing)
    }

    fn measured(&self, case: &Case) -> Result<&'a Measured, Missing> {
        self.results.get(case).ok_or_else(|| Missing::NotRun(case.to_string()))
    }

    fn seconds(&self, case: &Case) -> Result<f64, Missing> {
        let record = &self.measured(case)?.record;
        let time = self.time.of(record).filter(|_| record.outcome().is_result());
        time.filter(|seconds| *seconds > 0.0).ok_or_else(|| Missing::Failed {
            case: case.to_string(),
            reason: match (&record.skip, &record.wrong) {
                (Some(skip), _) => skip.to_string(),
                (None, Some(wrong)) => wrong.message.clone(),
                (None, None) => "it has no time".to_owned(),
            },
        })
    }

    fn count(&self, case: &Case, counter: Counter) -> Result<f64, Missing> {
        let subject = self.measured(case)?.subject();
        let counted = subject.counted.ok_or_else(|| Silence::NoCounters(case.to_string()))?;
        // A counter that no lane touched is not stored.
        Ok(counted.counters.get(counter).unwrap_or_default() as f64)
    }

    /// The selected cases with their seconds.
    fn each(&self, select: &Select) -> Result<Vec<(&'a Case, f64)>, Missing> {
        self.selected(select).map(|case| Ok((case, self.seconds(case)?))).collect()
    }

    fn curve(&self, of: &Select, over: Option<&Select>) -> Result<Vec<(u64, f64)>, Missing> {
        let mut curve = Vec::new();
        for case in self.selected(of) {
            let mut value = self.seconds(case)?;
            if let Some(over) = over {
                let at = Select { n: Some(case.n), ..over.clone() };
                value /= self.seconds(self.case(&at)?)?;
            }
            curve.push((case.n, value));
        }
        curve.sort_unstable_by_key(|(n, _)| *n);
        Ok(curve)
    }
}

impl Value {
    /// The word that [`Bounds::is`] compares; empty of a number.
    pub fn word(&self) -> String {
        match self {
            Self::Number(_) | Self::Curve(_) => String::new(),
            Self::Never => "never".to_owned(),
            Self::Variant(name) => name.clone(),
            Self::Cause(explanation) => explanation.cause.name().to_owned(),
            Self::Cell { best, .. } => cell_key(*best),
        }
    }

    /// Whether the bounds hold. A cell holds as well if its time is within a twentieth of
    /// the best one, a curve if every point is within the bounds.
    pub fn holds(&self, bounds: &Bounds) -> bool {
        let within = |number: f64| {
            bounds.least.is_none_or(|least| number >= least)
                && bounds.most.is_none_or(|most| number <= most)
        };
        let is = |word: &str| match self {
            Self::Cell { seconds, .. } => {
                seconds.keys().any(|cell| cell_key(*cell) == word && self.is_good(*cell))
            }
            other => other.word() == word,
        };
        let numbers = match self {
            Self::Number(number) => within(*number),
            Self::Curve(points) => points.iter().all(|(_, value)| within(*value)),
            _ => bounds.least.is_none() && bounds.most.is_none(),
        };
        numbers && bounds.is.as_deref().is_none_or(is)
    }

    /// Whether a cell is the best one, or within a twentieth of its time.
    pub fn is_good(&self, cell: (u32, u32)) -> bool {
        let Self::Cell { best, seconds } = self else { return false };
        match (seconds.get(&cell), seconds.get(best)) {
            (Some(time), Some(best)) => *time <= explain::LEAST_RATIO * best,
            _ => false,
        }
    }

    /// How it is written: `15.2×`, `4.20 µs`, `2^14`, `atomics in L2`.
    pub fn text(&self, unit: Option<Unit>) -> String {
        match self {
            Self::Number(number) => written(*number, unit),
            Self::Never => "never".to_owned(),
            Self::Variant(name) => name.clone(),
            Self::Cause(explanation) => explanation.cause.label().to_owned(),
            Self::Cell { best: (block, coarsen), .. } => {
                format!("block {block}, coarsening {coarsen}")
            }
            Self::Curve(points) => match (points.first(), points.last()) {
                (Some(first), Some(last)) => format!(
                    "{} at n = {}, {} at n = {}",
                    written(first.1, unit),
                    Elements(first.0),
                    written(last.1, unit),
                    Elements(last.0)
                ),
                _ => "no points".to_owned(),
            },
        }
    }
}

/// A number in its unit.
pub fn written(number: f64, unit: Option<Unit>) -> String {
    match unit {
        Some(Unit::Seconds) => Seconds(number).to_string(),
        Some(Unit::Times) => format!("{}×", significant(number)),
        Some(Unit::Elements) => about(number),
        Some(Unit::Count) if number.fract() == 0.0 && number < 1e15 => grouped(number as u64),
        Some(Unit::Count) | None => significant(number),
    }
}

/// A size between those that ran, rounded to two digits or to a power of two.
fn about(n: f64) -> String {
    let power = n.max(1.0).log2();
    if (power - power.round()).abs() < 0.01 {
        return Elements(1 << (power.round() as u32).min(62)).to_string();
    }
    grouped(significant(n).parse().map_or(n as u64, |rounded: f64| rounded as u64))
}

/// The key of a cell: `256/4`.
pub fn cell_key((block, coarsen): (u32, u32)) -> String {
    format!("{block}/{coarsen}")
}
