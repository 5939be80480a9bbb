//! The axes of an experiment, with every name and value checked.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;

use super::{MOST_CASES, PlanError, unknown};
use crate::algorithms::{self, Algorithm, Param};
use crate::experiment::{Case, Experiment, ParamValue};
use crate::units::Elements;

/// Every axis without duplicates.
pub(super) struct Axes<'a> {
    pub(super) algorithm: &'static dyn Algorithm,
    experiment: &'a Experiment,
    variants: Vec<&'static str>,
    blocks: Vec<u32>,
    coarsenings: Vec<u32>,
    sizes: Vec<u64>,
    params: Vec<BTreeMap<String, ParamValue>>,
}

impl<'a> Axes<'a> {
    /// The axes of `experiment` with this algorithm.
    pub(super) fn of(
        algorithm: &'static dyn Algorithm,
        experiment: &'a Experiment,
    ) -> Result<Self, PlanError> {
        let axes = Self {
            algorithm,
            experiment,
            variants: variants(algorithm, &experiment.variants)?,
            blocks: unique(experiment.blocks.iter().map(|block| block.get())),
            coarsenings: unique(experiment.coarsenings.iter().copied()),
            sizes: experiment.sizes.values(),
            params: params(algorithm, &experiment.params)?,
        };
        for (what, empty) in [
            ("block size", axes.blocks.is_empty()),
            ("coarsening", axes.coarsenings.is_empty()),
            ("input size", axes.sizes.is_empty()),
        ] {
            if empty {
                return Err(PlanError::Nothing(what));
            }
        }
        if axes.coarsenings.contains(&0) {
            return Err(PlanError::Coarsening);
        }
        let size = algorithm.size();
        if let Some(&n) = axes.sizes.iter().find(|&&n| n > size.most) {
            let algorithm = algorithm.name();
            return Err(PlanError::Size {
                algorithm,
                n: Elements(n),
                most: Elements(size.most),
                noun: size.noun,
            });
        }
        let cases =
            [axes.blocks.len(), axes.coarsenings.len(), axes.sizes.len(), axes.params.len()]
                .into_iter()
                .fold(axes.variants.len(), usize::saturating_mul);
        if cases > MOST_CASES {
            return Err(PlanError::TooMany(cases));
        }
        Ok(axes)
    }

    /// The variants at every point: n is outermost, then parameters, which share an input
    /// and a reference, then block size and coarsening.
    pub(super) fn points(&self) -> impl Iterator<Item = Vec<Case>> + '_ {
        self.sizes.iter().flat_map(move |&n| {
            self.params.iter().flat_map(move |params| {
                self.blocks.iter().flat_map(move |&block| {
                    self.coarsenings
                        .iter()
                        .map(move |&coarsen| self.variants_at(n, params, block, coarsen))
                })
            })
        })
    }

    fn variants_at(
        &self,
        n: u64,
        params: &BTreeMap<String, ParamValue>,
        block: u32,
        coarsen: u32,
    ) -> Vec<Case> {
        self.variants
            .iter()
            .map(|variant| Case {
                algorithm: self.algorithm.name().to_owned(),
                variant: (*variant).to_owned(),
                block: match super::blocks(self.algorithm, self.experiment, variant)[..] {
                    [only] => only,
                    _ => block,
                },
                coarsen,
                n,
                params: params.clone(),
                dist: self.experiment.dist,
                seed: self.experiment.seed,
            })
            .collect()
    }
}

/// The values in their order, without duplicates.
fn unique<T: Clone + Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(value.clone())).collect()
}

/// The named variants, or every variant if no name or `all` is given.
fn variants(
    algorithm: &'static dyn Algorithm,
    names: &[String],
) -> Result<Vec<&'static str>, PlanError> {
    let known = || algorithm.variants().iter().map(|variant| variant.name);
    if names.is_empty() || names.iter().any(|name| name == "all") {
        return Ok(known().collect());
    }
    let find = |name: &String| {
        let what = format!("variant of {}", algorithm.name());
        known().find(|known| known == name).ok_or_else(|| unknown(&what, name, known()))
    };
    let found = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok(unique(found.into_iter()))
}

/// Every combination of parameter values, with defaults; the last parameter changes
/// fastest.
fn params(
    algorithm: &'static dyn Algorithm,
    given: &BTreeMap<String, Vec<ParamValue>>,
) -> Result<Vec<BTreeMap<String, ParamValue>>, PlanError> {
    let known = algorithm.params();
    if let Some(name) = given.keys().find(|name| known.iter().all(|param| param.name != **name)) {
        let what = format!("parameter of {}", algorithm.name());
        return Err(unknown(&what, name, known.iter().map(|param| param.name)));
    }
    let mut combinations = vec![BTreeMap::new()];
    for param in known {
        let values = values(algorithm, param, given.get(param.name))?;
        if values.len().saturating_mul(combinations.len()) > MOST_CASES {
            return Err(PlanError::TooMany(values.len().saturating_mul(combinations.len())));
        }
        combinations = combinations
            .iter()
            .flat_map(|combination: &BTreeMap<String, ParamValue>| {
                values.iter().map(|value| {
                    let mut longer = combination.clone();
                    longer.insert(param.name.to_owned(), value.clone());
                    longer
                })
            })
            .collect();
    }
    Ok(combinations)
}

fn values(
    algorithm: &'static dyn Algorithm,
    param: &'static Param,
    given: Option<&Vec<ParamValue>>,
) -> Result<Vec<ParamValue>, PlanError> {
    let values = match given {
        None => vec![param.default()],
        Some(values) => {
            let meant = |value: &ParamValue| {
                algorithms::meant(algorithm, param, value)
                    .map_err(|reason| PlanError::File { name: param.name, reason })
            };
            unique(values.iter().map(meant).collect::<Result<Vec<_>, _>>()?.into_iter())
        }
    };
    if values.is_empty() {
        return Err(PlanError::Nothing(param.name));
    }
    match values.iter().find(|value| !param.allows(value)) {
        None => Ok(values),
        Some(value) => Err(PlanError::Parameter {
            algorithm: algorithm.name(),
            name: param.name,
            value: value.to_string(),
            allowed: param.allowed(),
        }),
    }
}
