//! Testing an explanation: experiments that change one thing, and what came of one.

use std::fmt;

use serde::Serialize;

use super::{Facts, LEAST_RATIO};
use crate::algorithms;
use crate::experiment::{Case, ParamValue};
use crate::results::record::{Cause, Metric, Provenance, Record};
use crate::units::{Seconds, significant};

/// A change that the model expects to have less effect than this is no test.
const LEAST_EFFECT: f64 = 1.1;

/// A measured ratio this close to the expected one confirms how much, and not only that.
const CLOSE: f64 = 1.5;

/// An experiment that could test an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    /// What changes: `64 bins instead of 8 spread the atomics over more addresses`.
    pub says: String,
    /// The case to start from.
    pub before: Case,
    /// The case to run.
    pub case: Case,
    /// Predicted seconds of `before` and `case`. `None` until the case is counted.
    pub expected: Option<(f64, f64)>,
}

impl Next {
    /// The same with the time that the model predicts for its case; `None` if the
    /// prediction shows no effect, so that nothing would be tested.
    #[must_use]
    pub fn predicted(mut self, before: f64, counted: &Record) -> Option<Self> {
        let after = counted.median().filter(|after| *after > 0.0 && before > 0.0)?;
        if before / after < LEAST_EFFECT {
            return None;
        }
        self.expected = Some((before, after));
        Some(self)
    }

    /// The expectation: `the model expects 15.5 µs instead of 691 µs`.
    pub fn expectation(&self) -> Option<String> {
        let (before, after) = self.expected?;
        Some(format!("the model expects {} instead of {}", Seconds(after), Seconds(before)))
    }

    /// Holds the times that were found before and after the change against the
    /// expectation; `source` is their provenance. `None` if nothing was expected.
    pub fn judge(&self, found: (f64, f64), source: String) -> Option<Verdict> {
        let expected = self.expected?;
        Some(Verdict { says: self.says.clone(), expected, found, source })
    }
}

/// What a test showed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// What changed.
    pub says: String,
    /// Expected seconds before and after the change.
    pub expected: (f64, f64),
    /// Seconds before and after the change, as found.
    pub found: (f64, f64),
    /// Where the found times come from: `recorded · NVIDIA H200`.
    pub source: String,
}

impl Verdict {
    fn ratios(&self) -> (f64, f64) {
        (self.expected.0 / self.expected.1, self.found.0 / self.found.1)
    }

    /// Whether the change did what was expected: the same direction, and at least half
    /// of the effect.
    pub fn is_confirmed(&self) -> bool {
        let (expected, found) = self.ratios();
        found >= LEAST_RATIO && (found - 1.0) >= 0.5 * (expected - 1.0)
    }
}

impl fmt::Display for Verdict {
    /// `Confirmed: …`, in full sentences.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, found) = self.ratios();
        let (before, after) = (Seconds(self.found.0), Seconds(self.found.1));
        let times = |ratio: f64| significant(if ratio < 1.0 { 1.0 / ratio } else { ratio });
        let change = |ratio: f64| match ratio {
            ratio if ratio >= LEAST_RATIO => format!("{}× faster", times(ratio)),
            ratio if ratio <= 1.0 / LEAST_RATIO => format!("{}× slower", times(ratio)),
            _ => "no change".to_owned(),
        };
        let verdict = if self.is_confirmed() { "Confirmed" } else { "Refuted" };
        write!(
            f,
            "{verdict}: expected {}, found {} ({before} before, {after} after; {}). ",
            change(expected),
            change(found),
            self.source
        )?;
        f.write_str(if !self.is_confirmed() && found < LEAST_RATIO {
            "The work that changed does not limit this case."
        } else if !self.is_confirmed() {
            "The work that changed is only part of the cause."
        } else if found / expected > CLOSE {
            "The change also saves other work."
        } else {
            "The work that changed limits this case."
        })?;
        if self.source.starts_with(Provenance::Modelled.name()) {
            f.write_str(" Only the times of a GPU can refute the model itself.")?;
        }
        Ok(())
    }
}

/// Experiments that reduce the work of a cause in a case, the most direct one first. Which
/// of them has an effect is for the model to predict: [`Next::predicted`].
pub(super) fn candidates(cause: Cause, facts: &Facts) -> Vec<Next> {
    let before = facts.record.case();
    let mut found = Vec::new();
    let mut add = |says: Option<(String, Case)>| {
        found.extend(says.map(|(says, case)| Next {
            says,
            before: before.clone(),
            case,
            expected: None,
        }));
    };
    match cause {
        Cause::GlobalAtomics => {
            for factor in [8, 64, 512] {
                add(spread(&before, factor));
            }
            add(coarser(&before, "send fewer atomics where blocks merge their counts"));
        }
        Cause::BlockStart | Cause::LookBack | Cause::Instructions | Cause::Barriers => {
            add(coarser(&before, "leave fewer blocks, each with more work"));
            add(block(&before, 2, "leave half of the blocks"));
        }
        Cause::Parallelism | Cause::MemoryLatency | Cause::DependentChain => {
            add(finer(&before, "put more blocks to work and shorten each thread's chain"));
            add(block(&before, -2, "put more blocks to work"));
            add(coarser(&before, "let each thread wait less often per element"));
        }
        Cause::Launches => add(block(&before, 2, "leave fewer blocks, and so fewer levels")),
        _ => {
            add(coarser(&before, "share the fixed work of a block among more elements"));
            add(finer(&before, "give each thread less work"));
        }
    }
    found
}

/// `factor` times the parameter that spreads atomics.
fn spread(case: &Case, factor: u64) -> Option<(String, Case)> {
    let params = algorithms::find(&case.algorithm)?.params();
    let name = params.iter().find(|param| param.spreads_atomics)?.name;
    let old = case.int(name)?;
    let value = old.checked_mul(factor)?;
    let mut case = case.clone();
    case.params.insert(name.to_owned(), ParamValue::Int(value));
    let says = format!("{value} {name} instead of {old} spread the atomics over more L2 slices");
    Some((says, case))
}

/// 4 times the coarsening.
fn coarser(case: &Case, why: &str) -> Option<(String, Case)> {
    let coarsen = case.coarsen.checked_mul(4).filter(|coarsen| *coarsen <= 64)?;
    Some(coarsened(case, coarsen, why))
}

/// A quarter of the coarsening.
fn finer(case: &Case, why: &str) -> Option<(String, Case)> {
    let coarsen = (case.coarsen > 1).then(|| (case.coarsen / 4).max(1))?;
    Some(coarsened(case, coarsen, why))
}

fn coarsened(case: &Case, coarsen: u32, why: &str) -> (String, Case) {
    let says = format!("coarsening {coarsen} instead of {}: {why}", case.coarsen);
    (says, Case { coarsen, ..case.clone() })
}

/// A larger block, or a smaller one for a negative factor.
fn block(case: &Case, factor: i32, why: &str) -> Option<(String, Case)> {
    let by = factor.unsigned_abs();
    let block = if factor > 0 { case.block * by } else { case.block / by };
    (32..=1024).contains(&block).then(|| {
        let says = format!("block {block} instead of {}: {why}", case.block);
        (says, Case { block, ..case.clone() })
    })
}
