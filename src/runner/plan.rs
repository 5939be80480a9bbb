//! Turns an experiment into ordered cases; an impossible case is a skip with a
//! reason, a case of something that does not exist is an error.

mod axes;
mod fit;
#[cfg(test)]
mod tests;

use crate::algorithms::{self, Algorithm};
use crate::experiment::{Case, Experiment};
use crate::units::Elements;
use crate::work::Limits;

/// What an experiment comes to, in the order in which it runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Groups by ascending n first, so that curves grow from left to right and
    /// an input is made once.
    pub groups: Vec<Group>,
}

/// The variants at one n, block size, coarsening and set of parameters: what is
/// measured interleaved.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The cases, in the order in which the experiment names the variants.
    pub cases: Vec<Planned>,
}

/// One case of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The case.
    pub case: Case,
    /// Why it cannot run, if it cannot.
    pub skip: Option<String>,
}

impl Plan {
    /// Every case, in order.
    pub fn cases(&self) -> impl Iterator<Item = &Planned> {
        self.groups.iter().flat_map(|group| &group.cases)
    }
}

/// Most cases that one experiment may come to.
pub const MOST_CASES: usize = 1_000_000;

/// What an experiment asks for that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A name that nothing has.
    #[error(
        "there is no {what} `{name}`{}; known: {known}",
        .nearest.as_ref().map(|near| format!(", did you mean `{near}`?")).unwrap_or_default()
    )]
    Unknown {
        /// What kind of thing.
        what: String,
        /// The name given.
        name: String,
        /// The known name that resembles it most, if one does.
        nearest: Option<String>,
        /// All known names.
        known: String,
    },
    /// A parameter with a value that it cannot take.
    #[error("parameter {name} of {algorithm} cannot be {value}; allowed: {allowed}")]
    Parameter {
        /// The algorithm.
        algorithm: &'static str,
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// What it can be.
        allowed: String,
    },
    /// A file that a parameter names and that cannot be used.
    #[error("parameter {name}: {reason}")]
    File {
        /// The parameter.
        name: &'static str,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// A coarsening of 0.
    #[error("coarsening 0 would give threads nothing to do; use 1 or more")]
    Coarsening,
    /// A size above the algorithm's largest.
    #[error("n = {n} is beyond what {algorithm} takes: {noun} up to {most}")]
    Size {
        /// The algorithm.
        algorithm: &'static str,
        /// The size given.
        n: Elements,
        /// What it counts.
        noun: &'static str,
        /// The most.
        most: Elements,
    },
    /// An axis without a value.
    #[error("the experiment names no {0}; give at least one")]
    Nothing(&'static str),
    /// More cases than [`MOST_CASES`].
    #[error("the experiment has {0} cases, more than {MOST_CASES}; narrow an axis")]
    TooMany(usize),
}

/// Checks, without a device, that everything the experiment asks for exists.
pub fn check(experiment: &Experiment) -> Result<(), PlanError> {
    axes::Axes::of(experiment).map(drop)
}

/// The groups of an experiment, for a device with these limits.
pub fn plan(experiment: &Experiment, limits: &Limits) -> Result<Plan, PlanError> {
    let axes = axes::Axes::of(experiment)?;
    let planned = |case: Case| {
        let skip = fit::obstacle(axes.algorithm, &case, limits);
        Planned { case, skip }
    };
    let groups = axes
        .points()
        .map(|variants| Group { cases: variants.into_iter().map(planned).collect() })
        .collect();
    Ok(Plan { groups })
}

/// What keeps a device with these limits from running a case whose names and
/// values exist, if anything does.
pub fn obstacle(algorithm: &'static dyn Algorithm, case: &Case, limits: &Limits) -> Option<String> {
    fit::obstacle(algorithm, case, limits)
}

/// The algorithm of this name.
pub fn algorithm(name: &str) -> Result<&'static dyn Algorithm, PlanError> {
    algorithms::find(name).ok_or_else(|| {
        unknown("algorithm", name, algorithms::ALL.iter().map(|algorithm| algorithm.name()))
    })
}

/// The error for a name that is not among `known`.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PlanError {
    /// Similarity, from 0 to 1, from which a name is worth suggesting.
    const ALIKE: f64 = 0.7;
    let known: Vec<&str> = known.collect();
    let nearest = known
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&name.to_lowercase(), candidate), *candidate))
        .filter(|(similarity, _)| *similarity >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned());
    PlanError::Unknown {
        what: what.to_owned(),
        name: name.to_owned(),
        nearest,
        known: known.join(", "),
    }
}
