//! Turns an experiment into ordered cases. A case that cannot run is skipped with a
//! reason; a name or value that does not exist is an error.

mod axes;
mod obstacle;
#[cfg(test)]
mod tests;

use crate::algorithms::{self, Algorithm};
use crate::experiment::{Case, Experiment, UnknownName};
use crate::units::Elements;
use crate::work::Limits;
pub use obstacle::obstacle;

/// The cases of an experiment, in the order in which they run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Groups by ascending n, so that curves grow from left to right and each input is
    /// made once.
    pub groups: Vec<Group>,
}

/// The variants at one n, block size, coarsening and set of parameters. Their samples
/// are interleaved.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    /// The cases, in the order of the experiment's variants.
    pub cases: Vec<Planned>,
}

/// One case of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// The case.
    pub case: Case,
    /// Why it cannot run; `None` if it can.
    pub skip: Option<String>,
}

impl Plan {
    /// Every case, in order.
    pub fn cases(&self) -> impl Iterator<Item = &Planned> {
        self.groups.iter().flat_map(|group| &group.cases)
    }
}

/// Maximum number of cases of an experiment.
pub const MOST_CASES: usize = 1_000_000;

/// A name or value of an experiment that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A name that nothing has.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// An invalid value of a parameter.
    #[error("parameter {name} of {algorithm} cannot be {value}; allowed: {allowed}")]
    Parameter {
        /// The algorithm.
        algorithm: &'static str,
        /// The parameter.
        name: &'static str,
        /// The value given.
        value: String,
        /// The valid values.
        allowed: String,
    },
    /// A file of a parameter that cannot be used.
    #[error("parameter {name}: {reason}")]
    File {
        /// The parameter.
        name: &'static str,
        /// What is wrong, and how to fix it.
        reason: String,
    },
    /// A coarsening of 0.
    #[error("coarsening 0 gives threads no work; use 1 or more")]
    Coarsening,
    /// A size above the algorithm's maximum.
    #[error("n = {n} is too large for {algorithm}: {noun} up to {most}")]
    Size {
        /// The algorithm.
        algorithm: &'static str,
        /// The size given.
        n: Elements,
        /// The unit of the size.
        noun: &'static str,
        /// The maximum.
        most: Elements,
    },
    /// An axis without a value.
    #[error("the experiment has no {0}; give at least one")]
    Nothing(&'static str),
    /// More cases than [`MOST_CASES`].
    #[error("the experiment has {0} cases, more than {MOST_CASES}; narrow an axis")]
    TooMany(usize),
}

/// Checks without a device that every name and value of the experiment exists.
pub fn check(experiment: &Experiment) -> Result<(), PlanError> {
    check_of(algorithm(&experiment.algorithm)?, experiment)
}

/// The same for this version of the experiment's algorithm.
pub fn check_of(
    algorithm: &'static dyn Algorithm,
    experiment: &Experiment,
) -> Result<(), PlanError> {
    axes::Axes::of(algorithm, experiment).map(drop)
}

/// Every case of an experiment, whether a device can run it or not.
pub fn cases(experiment: &Experiment) -> Result<Vec<Case>, PlanError> {
    let axes = axes::Axes::of(algorithm(&experiment.algorithm)?, experiment)?;
    Ok(axes.points().flatten().collect())
}

/// The plan of an experiment for a device with these limits.
pub fn plan(experiment: &Experiment, limits: &Limits) -> Result<Plan, PlanError> {
    let axes = axes::Axes::of(algorithm(&experiment.algorithm)?, experiment)?;
    let planned = |case: Case| {
        let skip = obstacle(axes.algorithm, &case, limits);
        Planned { case, skip }
    };
    let groups = axes
        .points()
        .map(|variants| Group { cases: variants.into_iter().map(planned).collect() })
        .collect();
    Ok(Plan { groups })
}

/// The block sizes of a variant in an experiment. If the experiment has only the default, a variant
/// with its own block size runs with that.
pub fn blocks(algorithm: &dyn Algorithm, experiment: &Experiment, variant: &str) -> Vec<u32> {
    let blocks: Vec<u32> = experiment.blocks.iter().map(|block| block.get()).collect();
    match algorithm.own_block(variant) {
        Some(own) if blocks == [algorithm.defaults().block] => vec![own],
        _ => blocks,
    }
}

/// The algorithm of this name.
pub fn algorithm(name: &str) -> Result<&'static dyn Algorithm, PlanError> {
    algorithms::find(name).ok_or_else(|| {
        unknown("algorithm", name, algorithms::ALL.iter().map(|algorithm| algorithm.name()))
    })
}

/// The error for a name that is not among `known`.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> PlanError {
    UnknownName::new(what, name, &known.collect::<Vec<_>>()).into()
}
