//! Why one case is faster than another, or what holds one back: sentences made
//! of the emulator's counters and the model's breakdown, and of nothing else.
//! Where those show no reason, none is given.

mod facts;
mod limits;
pub mod sheet;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::fmt;

use serde::Serialize;

use crate::experiment::Case;
use crate::results::record::Record;
use crate::units::{Elements, Seconds, significant};
use facts::Facts;

/// Times closer than this are called the same: no sentence is built on a
/// difference that the model cannot tell.
const LEAST_RATIO: f64 = 1.05;

/// Most counters that are shown as evidence.
const MOST_EVIDENCE: usize = 6;

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What is to be explained: `shared takes 64 times less than global`.
    pub headline: String,
    /// Where the times come from: `modelled · H200 SXM · sampled`.
    pub source: String,
    /// Why, one for each case, the slower one first.
    pub reasons: Vec<Reason>,
    /// The counters that the sentences rest on.
    pub evidence: Vec<Evidence>,
    /// What would test the explanation.
    pub next: Option<Next>,
}

/// What holds one case back.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// What the case is called.
    pub case: String,
    /// What takes the time.
    pub says: String,
    /// Seconds that it takes by itself.
    pub seconds: f64,
    /// Seconds that the case takes.
    pub of: f64,
}

impl fmt::Display for Reason {
    /// `global: 32 lanes … a lane at a time: 157 µs of 160 µs`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { case, says, seconds, of } = self;
        write!(f, "{case}: {says}: {} of {}", Seconds(*seconds), Seconds(*of))
    }
}

/// One counter, for one case or for both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Its name, as records store it.
    pub counter: String,
    /// What it counted in each case, in the order in which they were given.
    pub values: Vec<u64>,
}

/// An experiment that would test an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Next {
    /// What to change and what to expect: `8 times the bins spread the atomics
    /// over more addresses; global should come closer`.
    pub says: String,
    /// The case to run.
    pub case: Case,
}

/// Why nothing can be said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// A GPU's timer says how long, not why.
    #[error(
        "{0} has no counters: a GPU's timer says how long a kernel took, not why; the emulator \
         counts (`--backend emulator`)"
    )]
    NoCounters(String),
    /// A case that was skipped or went wrong.
    #[error("{0} has no time to explain")]
    NoTime(String),
    /// The two are equally fast.
    #[error("{0} and {1} take the same time within 5 %")]
    NoDifference(String, String),
    /// The breakdown names no resource that the counters bear out.
    #[error("the counters of {0} show no single reason for its time")]
    NoReason(String),
}

/// What holds one case back.
pub fn one(record: &Record) -> Result<Explanation, Silence> {
    let facts = Facts::of(record, name(record, None))?;
    let limit = limits::limit(&facts).ok_or_else(|| Silence::NoReason(facts.name.clone()))?;
    Ok(Explanation {
        headline: format!("{} takes {}", facts.name, Seconds(facts.seconds)),
        source: record.provenance_label(),
        reasons: vec![limit.reason],
        evidence: evidence(&limit.counters, &[record]),
        next: limit.next,
    })
}

/// Why one of two cases is the faster one.
pub fn difference(a: &Record, b: &Record) -> Result<Explanation, Silence> {
    let first = Facts::of(a, name(a, Some(b)))?;
    let second = Facts::of(b, name(b, Some(a)))?;
    let (slow, fast) =
        if first.seconds >= second.seconds { (&first, &second) } else { (&second, &first) };
    let ratio = slow.seconds / fast.seconds;
    if ratio < LEAST_RATIO {
        return Err(Silence::NoDifference(fast.name.clone(), slow.name.clone()));
    }
    let why = limits::limit(slow).ok_or_else(|| Silence::NoReason(slow.name.clone()))?;
    let mut counters = why.counters;
    let mut reasons = vec![why.reason];
    if let Some(other) = limits::limit(fast) {
        reasons.push(other.reason);
        for counter in other.counters {
            if !counters.contains(&counter) {
                counters.push(counter);
            }
        }
    }
    Ok(Explanation {
        headline: format!(
            "{} is {}× faster than {} at n = {}",
            fast.name,
            significant(ratio),
            slow.name,
            Elements(slow.record.n)
        ),
        source: source(slow.record, fast.record),
        reasons,
        evidence: evidence(&counters, &[a, b]),
        next: why.next,
    })
}

/// Where the times of two cases come from.
fn source(a: &Record, b: &Record) -> String {
    let (mut source, other) = (a.provenance_label(), b.provenance_label());
    if other != source {
        source.push_str("; ");
        source.push_str(&other);
    }
    source
}

/// What to call a case: its variant, and what else tells it from `other`.
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

fn evidence(counters: &[&'static str], records: &[&Record]) -> Vec<Evidence> {
    let value = |record: &Record, counter: &str| record.counters.get(counter).copied();
    counters
        .iter()
        .take(MOST_EVIDENCE)
        .map(|counter| Evidence {
            counter: (*counter).to_owned(),
            values: records
                .iter()
                .map(|record| value(record, counter).unwrap_or_default())
                .collect(),
        })
        .collect()
}
