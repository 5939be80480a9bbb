//! Why one case is faster than another, or what bounds one case: sentences from the
//! emulator's counters and the timing model's breakdown. Where those show no cause, no
//! cause is given.

mod causes;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::fmt;

use serde::Serialize;

use crate::experiment::Case;
use crate::results::record::{Counter, Metric, ModelRecord, Record, Resource};
use crate::units::{Elements, Seconds, significant};

/// Times closer than this count as the same: the model cannot tell them apart.
const LEAST_RATIO: f64 = 1.05;

/// Most counters shown as evidence.
const MOST_EVIDENCE: usize = 6;

/// Why a case takes its time, or why one of two is faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What is explained: `shared: 5.00 µs, 32.0× faster than global at n = 2^20`.
    pub headline: String,
    /// Where the times come from: `modelled · H200 SXM · sampled`.
    pub source: String,
    /// The cause for each case, the slower case first.
    pub reasons: Vec<Reason>,
    /// The counters that the causes rest on.
    pub evidence: Vec<Evidence>,
    /// An experiment that tests the explanation.
    pub next: Option<Next>,
}

/// What bounds one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// Name of the case.
    pub case: String,
    /// Cause and evidence.
    pub says: String,
    /// Seconds that the cause takes by itself.
    pub seconds: f64,
    /// Seconds of the case.
    pub of: f64,
}

impl fmt::Display for Reason {
    /// `global: each warp's 32 atomics hit 8 addresses, …: 157 µs of 160 µs`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, says, seconds, of } = self;
        write!(f, "{case}: {says}: {} of {}", Seconds(*seconds), Seconds(*of))
    }
}

/// One counter of one or two cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The counter.
    pub counter: Counter,
    /// Its value for each case, in the order of the arguments.
    pub values: Vec<u64>,
}

/// An experiment that tests an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    /// What changes, and what to expect of it.
    pub says: String,
    /// The case to run.
    pub case: Case,
}

/// Why there is no explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// A measurement has no counters.
    #[error(
        "{0} has no counters: a GPU's timer tells the time, not its cause; run it on the emulator \
         (`--backend emulator`)"
    )]
    NoCounters(String),
    /// The case was skipped or failed.
    #[error("{0} has no time to explain")]
    NoTime(String),
    /// The two are equally fast.
    #[error("{0} and {1} take the same time within 5 %")]
    NoDifference(String, String),
    /// No resource takes most of the time, or the counters do not confirm it.
    #[error("the counters of {0} show no single cause of its time")]
    NoReason(String),
}

/// One case with its counters and the model's breakdown.
struct Facts<'a> {
    name: String,
    record: &'a Record,
    model: &'a ModelRecord,
    seconds: f64,
}

impl<'a> Facts<'a> {
    fn of(record: &'a Record, other: Option<&Record>) -> Result<Self, Silence> {
        let name = name(record, other);
        let failed = !record.outcome().is_result();
        let Some(seconds) = record.median().filter(|seconds| !failed && *seconds > 0.0) else {
            return Err(Silence::NoTime(name));
        };
        match &record.model {
            Some(model) if !record.counters.is_empty() => Ok(Self { name, record, model, seconds }),
            _ => Err(Silence::NoCounters(name)),
        }
    }

    fn count(&self, counter: Counter) -> f64 {
        super::count(&self.record.counters, counter)
    }

    fn ratio(&self, counter: Counter, other: Counter) -> Option<f64> {
        super::ratio(&self.record.counters, counter, other)
    }

    /// Seconds that a resource takes by itself.
    fn part(&self, resource: Resource) -> f64 {
        self.model.parts.get(resource.name()).copied().unwrap_or_default()
    }

    fn silence(&self) -> Silence {
        Silence::NoReason(self.name.clone())
    }
}

/// What bounds one case.
///
/// # Errors
/// If the record has no time or no counters, or they show no cause.
pub fn one(record: &Record) -> Result<Explanation, Silence> {
    let facts = Facts::of(record, None)?;
    let cause = causes::of(&facts).ok_or_else(|| facts.silence())?;
    let source = record.provenance_label();
    Ok(Explanation {
        headline: format!("{}: {} ({source})", facts.name, Seconds(facts.seconds)),
        source,
        reasons: vec![cause.reason],
        evidence: evidence(&cause.counters, &[record]),
        next: cause.next,
    })
}

/// Why one of two cases is the faster one.
///
/// # Errors
/// If a record has no time or no counters, the times are the same, or the counters show no
/// cause.
pub fn difference(a: &Record, b: &Record) -> Result<Explanation, Silence> {
    let (first, second) = (Facts::of(a, Some(b))?, Facts::of(b, Some(a))?);
    let (slow, fast) =
        if first.seconds >= second.seconds { (&first, &second) } else { (&second, &first) };
    let ratio = slow.seconds / fast.seconds;
    if ratio < LEAST_RATIO {
        return Err(Silence::NoDifference(fast.name.clone(), slow.name.clone()));
    }
    let cause = causes::of(slow).ok_or_else(|| slow.silence())?;
    let (mut counters, mut reasons) = (cause.counters, vec![cause.reason]);
    if let Some(other) = causes::of(fast) {
        reasons.push(other.reason);
        let more: Vec<_> =
            other.counters.into_iter().filter(|counter| !counters.contains(counter)).collect();
        counters.extend(more);
    }
    let mut source = slow.record.provenance_label();
    let other = fast.record.provenance_label();
    if other != source {
        source = format!("{source}; {other}");
    }
    Ok(Explanation {
        headline: format!(
            "{}: {}, {}× faster than {} at n = {} ({source})",
            fast.name,
            Seconds(fast.seconds),
            significant(ratio),
            slow.name,
            Elements(slow.record.n)
        ),
        source,
        reasons,
        evidence: evidence(&counters, &[a, b]),
        next: cause.next,
    })
}

/// Name of a case: its variant, and what else differs from `other`.
fn name(record: &Record, other: Option<&Record>) -> String {
    let mut name = record.variant.clone();
    let Some(other) = other else { return name };
    let mut differs = |differs: bool, text: String| {
        if differs {
            name.push_str(" · ");
            name.push_str(&text);
        }
    };
    differs(record.algorithm != other.algorithm, record.algorithm.clone());
    differs(record.block != other.block, format!("block {}", record.block));
    differs(record.coarsen != other.coarsen, format!("×{}", record.coarsen));
    differs(record.n != other.n, format!("n = {}", Elements(record.n)));
    differs(record.dist != other.dist, record.dist.to_string());
    for (key, value) in &record.params {
        differs(other.params.get(key) != Some(value), format!("{key} {value}"));
    }
    name
}

fn evidence(counters: &[Counter], records: &[&Record]) -> Vec<Evidence> {
    let value = |record: &Record, counter| super::count(&record.counters, counter) as u64;
    let of = |&counter: &Counter| Evidence {
        counter,
        values: records.iter().map(|record| value(record, counter)).collect(),
    };
    counters.iter().take(MOST_EVIDENCE).map(of).collect()
}
