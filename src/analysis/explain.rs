//! Why one case is faster than another, or what one case takes its time for: a [`Cause`],
//! the numbers of both cases, and the line of source. Where nothing differs enough, that is
//! said.

mod effects;
mod evidence;
mod lines;
mod sentences;
pub mod test;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use serde::Serialize;

use crate::gpu::counterfactual::{seconds_of, total};
use crate::results::record::{
    Amount, CaseProfile, Cause, Counter, KernelProfile, LaunchCost, ModelRecord, Provenance,
    Record, Resource,
};
use crate::units::{Elements, Seconds, significant};

pub(crate) use effects::{limit, saved, times_without};
pub use lines::{SourceLine, seconds_of_instructions};
pub use test::Next;

/// Times closer than this count as the same.
pub const LEAST_RATIO: f64 = 1.05;

/// A modelled and a recorded ratio further apart than this contradict each other.
const CONTRADICTION: f64 = 1.25;

/// Most counters shown as evidence.
const MOST_EVIDENCE: usize = 6;

/// Most causes in the list of what each saves.
const MOST_COSTS: usize = 5;

/// A further cause is named if its effect is at least this share of the first one's.
const ALSO: f64 = 0.4;

/// The time that is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Span {
    /// Kernels alone.
    #[default]
    Kernels,
    /// Kernels, host stages and copies.
    EndToEnd,
}

/// A case to explain.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The result with the time to explain: measured, recorded or modelled.
    pub record: &'a Record,
    /// The emulator's result for the same case. `None` if it was not counted.
    pub counted: Option<&'a Record>,
    /// What each instruction of the case did. `None` if it was not profiled.
    pub profile: Option<&'a CaseProfile>,
}

impl<'a> From<&'a Record> for Subject<'a> {
    fn from(record: &'a Record) -> Self {
        let counted = (record.model.is_some() && !record.counters.is_empty()).then_some(record);
        Self { record, counted, profile: None }
    }
}

/// Why a case takes its time, or why one of two is faster.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// What is explained: `shared: 5.00 µs, 32.0× faster than global at n = 2^20`.
    pub headline: String,
    /// Where the times come from: `modelled · H200 SXM · sampled`.
    pub source: String,
    /// Names of the cases, the slower one first.
    pub cases: Vec<String>,
    /// The cause that accounts for most of the difference, or of the time of a single case.
    pub cause: Cause,
    /// The line of source that the cause is about.
    pub line: Option<SourceLine>,
    /// The evidence in short: `global needs 29,561 passes, shared 65`.
    pub brief: String,
    /// Cause, evidence and consequence; then further causes, and what contradicts them.
    pub reasons: Vec<String>,
    /// What each case would take without the work of one cause, the largest effect first.
    pub costs: Vec<Cost>,
    /// The counters that the cause rests on.
    pub evidence: Vec<Evidence>,
    /// Experiments that could test the explanation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Next>,
}

/// What cases take without the work of one cause. Costs overlap: they do not add up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cost {
    /// The cause whose work is free.
    pub cause: Cause,
    /// Modelled seconds without it, the slower case first.
    pub without: Vec<f64>,
    /// Modelled seconds with it.
    pub of: Vec<f64>,
}

/// One counter of one or two cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The counter.
    pub counter: Counter,
    /// Its value for each case, the slower one first.
    pub values: Vec<u64>,
}

/// Why there is no explanation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Silence {
    /// The case was not counted by the emulator.
    #[error(
        "{0} has no counters: a GPU's timer gives the time, not its cause; run it on the \
         emulator (`--backend emulator`)"
    )]
    NoCounters(String),
    /// The case was skipped or failed.
    #[error("{0} has no time to explain")]
    NoTime(String),
}

/// One case with its counters and the model's amounts of work.
struct Facts<'a> {
    name: String,
    /// The result whose time is explained.
    record: &'a Record,
    counted: &'a Record,
    model: &'a ModelRecord,
    launches: Vec<LaunchCost>,
    profile: Option<&'a CaseProfile>,
    /// Seconds to explain.
    seconds: f64,
    /// Modelled seconds of the same span.
    modelled: f64,
    /// Seconds of host stages and copies, where they count.
    host: Option<f64>,
}

impl<'a> Facts<'a> {
    fn of(subject: Subject<'a>, other: Option<&Record>, span: Span) -> Result<Self, Silence> {
        let Subject { record, counted, profile } = subject;
        let name = name(record, other);
        let failed = !record.outcome().is_result();
        let time = |record: &Record| match span {
            Span::Kernels => record.median(),
            Span::EndToEnd => record.end_to_end(),
        };
        let Some(seconds) = time(record).filter(|seconds| !failed && *seconds > 0.0) else {
            return Err(Silence::NoTime(name));
        };
        let host = match (span, record.median()) {
            (Span::EndToEnd, Some(kernels)) => Some((seconds - kernels).max(0.0)),
            _ => None,
        };
        let Some((counted, model)) = counted.and_then(|it| Some((it, it.model.as_deref()?))) else {
            return Err(Silence::NoCounters(name));
        };
        let modelled = time(counted).unwrap_or(seconds);
        let launches = model.launches.to_vec();
        Ok(Self { name, record, counted, model, launches, profile, seconds, modelled, host })
    }

    fn count(&self, counter: Counter) -> f64 {
        super::count(&self.counted.counters, counter)
    }

    fn ratio(&self, counter: Counter, other: Counter) -> Option<f64> {
        super::ratio(&self.counted.counters, counter, other)
    }

    fn launches(&self) -> &[LaunchCost] {
        &self.launches
    }

    /// Total of an amount of work over all launches.
    fn amount(&self, amount: Amount) -> f64 {
        total(self.launches(), amount)
    }

    /// Seconds that a resource takes by itself.
    fn part(&self, resource: Resource) -> f64 {
        self.model.parts.get(resource).unwrap_or_default()
    }

    fn kernels(&self) -> &[KernelProfile] {
        self.profile.map_or(&[], |profile| &profile.kernels)
    }
}

/// What one case takes its time for.
///
/// # Errors
/// If the record has no time or was not counted.
pub fn one<'a>(subject: impl Into<Subject<'a>>, span: Span) -> Result<Explanation, Silence> {
    let facts = Facts::of(subject.into(), None, span)?;
    let source = facts.record.provenance_label();
    let (cause, saved) = sentences::most(&facts);
    let line = lines::find(cause, &facts);
    let says = sentences::alone(cause, saved, &facts);
    Ok(Explanation {
        headline: format!("{}: {} ({source})", facts.name, Seconds(facts.seconds)),
        source,
        cases: vec![facts.name.clone()],
        cause,
        brief: String::new(),
        reasons: vec![sentences::at(line.as_ref(), &says, &[])],
        line,
        costs: costs(&[&facts], None),
        evidence: evidence(cause, &[&facts]),
        next: test::candidates(cause, &facts),
    })
}

/// Why one of two cases is the faster one, or that nothing differs enough.
///
/// # Errors
/// If a record has no time or was not counted.
pub fn difference<'a>(
    a: impl Into<Subject<'a>>,
    b: impl Into<Subject<'a>>,
    span: Span,
) -> Result<Explanation, Silence> {
    let (a, b) = (a.into(), b.into());
    let (first, second) =
        (Facts::of(a, Some(b.record), span)?, Facts::of(b, Some(a.record), span)?);
    let (slow, fast) =
        if first.seconds >= second.seconds { (&first, &second) } else { (&second, &first) };
    let mut source = slow.record.provenance_label();
    let other = fast.record.provenance_label();
    if other != source {
        source = format!("{source}; {other}");
    }
    let ratio = slow.seconds / fast.seconds;
    let n = Elements(slow.record.n);
    let (slow_name, fast_name) = (&slow.name, &fast.name);
    let same = ratio < LEAST_RATIO;
    let headline = if same {
        format!(
            "{fast_name} and {slow_name} take the same time within 5 % at n = {n}: {} and {} \
             ({source})",
            Seconds(fast.seconds),
            Seconds(slow.seconds)
        )
    } else {
        format!(
            "{fast_name}: {}, {}× faster than {slow_name} at n = {n} ({source})",
            Seconds(fast.seconds),
            significant(ratio)
        )
    };
    let found = effects::effects(slow, fast);
    let (mut reasons, mut brief) = (Vec::new(), String::new());
    let (cause, line) = match found.first().filter(|it| !same && it.seconds > 0.0) {
        None if same => {
            reasons.extend(sentences::no_difference(slow, fast));
            (Cause::NoDifference, None)
        }
        None => {
            reasons.push(sentences::no_cause(slow, fast));
            (Cause::NoDifference, None)
        }
        Some(first) => {
            let line = lines::find(first.cause, slow).or_else(|| lines::find(first.cause, fast));
            brief = evidence::evidence(first.cause, slow, fast);
            let effect = sentences::consequence(first, slow, fast);
            reasons.push(sentences::at(
                line.as_ref(),
                &format!("{brief}. {effect}"),
                &[slow, fast],
            ));
            let also = found.get(1).filter(|second| second.seconds >= ALSO * first.seconds);
            reasons.extend(also.map(|second| sentences::also(second, slow, fast)));
            (first.cause, line)
        }
    };
    reasons.extend(sentences::contradiction(slow, fast));
    let shown = if same { sentences::differs_most(slow, fast).unwrap_or(cause) } else { cause };
    Ok(Explanation {
        headline,
        source,
        cases: vec![slow.name.clone(), fast.name.clone()],
        cause,
        line,
        brief,
        reasons,
        costs: costs(&[slow, fast], Some(cause).filter(|it| *it != Cause::NoDifference)),
        evidence: evidence(shown, &[slow, fast]),
        next: match cause {
            Cause::NoDifference => Vec::new(),
            cause => test::candidates(cause, slow),
        },
    })
}

/// Name of a case: its variant, and what else differs from `other`.
fn name(record: &Record, other: Option<&Record>) -> String {
    let mut name = record.variant.to_string();
    let Some(other) = other else { return name };
    let mut differs = |differs: bool, text: String| {
        if differs {
            name.push_str(" · ");
            name.push_str(&text);
        }
    };
    differs(record.algorithm != other.algorithm, record.algorithm.to_string());
    differs(record.block != other.block, format!("block {}", record.block));
    differs(record.coarsen != other.coarsen, format!("×{}", record.coarsen));
    differs(record.n != other.n, format!("n = {}", Elements(record.n)));
    differs(record.dist != other.dist, record.dist.to_string());
    for (key, value) in &*record.params {
        differs(other.params.get(key) != Some(value), format!("{key} {value}"));
    }
    name
}

/// What the cases take without the work of the causes that cost most, `first` before them.
fn costs(cases: &[&Facts], first: Option<Cause>) -> Vec<Cost> {
    let saved: Vec<Vec<(Cause, f64)>> = cases.iter().map(|case| saved(case.launches())).collect();
    let of = |at: usize, cause: Cause| {
        saved[at].iter().find(|(other, _)| *other == cause).map_or(0.0, |(_, saved)| *saved)
    };
    let mut causes: Vec<(Cause, f64)> = effects::kernel_causes()
        .map(|cause| (cause, (0..cases.len()).map(|at| of(at, cause)).fold(0.0, f64::max)))
        .filter(|(cause, most)| {
            let longest = cases.iter().map(|case| seconds_of(case.launches())).fold(0.0, f64::max);
            Some(*cause) == first || *most > 0.02 * longest
        })
        .collect();
    causes
        .sort_by(|a, b| (Some(b.0) == first).cmp(&(Some(a.0) == first)).then(b.1.total_cmp(&a.1)));
    causes.retain(|(cause, _)| *cause != Cause::Host);
    causes
        .into_iter()
        .filter(|_| cases.iter().all(|case| !case.launches().is_empty()))
        .take(MOST_COSTS)
        .map(|(cause, _)| {
            let of_all: Vec<f64> = cases.iter().map(|case| seconds_of(case.launches())).collect();
            let without = of_all.iter().enumerate().map(|(at, all)| all - of(at, cause)).collect();
            Cost { cause, without, of: of_all }
        })
        .collect()
}

fn evidence(cause: Cause, cases: &[&Facts]) -> Vec<Evidence> {
    let counters = cause.counters().iter().take(MOST_EVIDENCE);
    let all = counters.map(|&counter| Evidence {
        counter,
        values: cases.iter().map(|case| case.count(counter) as u64).collect(),
    });
    all.filter(|evidence| evidence.values.iter().any(|value| *value > 0)).collect()
}

/// Whether a time is one of the model, and not of a GPU.
fn is_modelled(facts: &Facts) -> bool {
    facts.record.provenance == Provenance::Modelled
}
