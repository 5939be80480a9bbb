//! The experiments of a lesson and the values over their results.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;

use super::raw::{Kind, RawSelect, RawTrial, RawValue, elements};
use super::{LessonError, NAME, Reader, is_name};
use crate::algorithms;
use crate::experiment::{BackendChoice, Experiment, Target, UnknownName};
use crate::gpu;
use crate::lessons::lesson::{Bounds, Formula, Measure, Pair, Select, Trial};
use crate::results::record::{Cause, Metric};
use crate::runner::plan;

/// Maximum number of cases of one experiment: a lesson runs in minutes on a laptop.
const MOST_CASES: usize = 1000;

impl Reader<'_> {
    pub(super) fn experiments(
        &self,
        raw: &BTreeMap<String, Spanned<RawTrial>>,
    ) -> Result<BTreeMap<String, Trial>, LessonError> {
        let mut trials = BTreeMap::new();
        for (name, raw) in raw {
            let key = format!("experiment `{name}`");
            if !is_name(name) {
                return self.fail(raw.span(), &key, NAME);
            }
            match trial(raw.get_ref()) {
                Ok(trial) => trials.insert(name.clone(), trial),
                Err(reason) => return self.fail(raw.span(), &key, reason),
            };
        }
        Ok(trials)
    }

    pub(super) fn values(
        &self,
        raw: &BTreeMap<String, Spanned<RawValue>>,
        trials: &BTreeMap<String, Trial>,
    ) -> Result<BTreeMap<String, Formula>, LessonError> {
        let mut values = BTreeMap::new();
        for (name, raw) in raw {
            let key = format!("value `{name}`");
            if !is_name(name) {
                return self.fail(raw.span(), &key, NAME);
            }
            let (span, raw) = (raw.span(), raw.get_ref());
            let trial = self.named(trials, ("experiment", &raw.experiment), span.clone(), &key)?;
            let formula = self.formula(raw, trial, span, &key)?;
            values.insert(name.clone(), formula);
        }
        Ok(values)
    }

    fn formula(
        &self,
        raw: &RawValue,
        trial: &Trial,
        span: Range<usize>,
        key: &str,
    ) -> Result<Formula, LessonError> {
        let measure = measure(raw)
            .and_then(|measure| selects(&measure, trial).map(|()| measure))
            .or_else(|reason| self.fail(span.clone(), key, reason))?;
        let claims = bounds(raw.least.map(|it| it.0), raw.most.map(|it| it.0), raw.is.clone());
        if let Err(reason) = fits(&measure, &claims) {
            return self.fail(span, key, reason);
        }
        Ok(Formula { experiment: raw.experiment.clone(), measure, time: raw.time, claims })
    }
}

pub(super) fn bounds(least: Option<f64>, most: Option<f64>, is: Option<String>) -> Bounds {
    Bounds { least, most, is }
}

/// Whether bounds make sense for what a value measures.
pub(super) fn fits(measure: &Measure, bounds: &Bounds) -> Result<(), String> {
    let number = bounds.least.is_some() || bounds.most.is_some();
    match (measure, &bounds.is) {
        (Measure::Fastest(_) | Measure::Best(_) | Measure::Cause { .. }, _) if number => {
            Err("`least` and `most` are for numbers; use `is`".to_owned())
        }
        (Measure::Cause { .. }, Some(word)) if Cause::named(word).is_none() => {
            let known: Vec<&str> = Cause::ALL.iter().map(|cause| cause.name()).collect();
            Err(UnknownName::new("cause", word, &known).to_string())
        }
        (Measure::Fastest(_) | Measure::Best(_) | Measure::Cause { .. }, _) | (_, None) => Ok(()),
        (Measure::Crossing(_), Some(word)) if word == "never" => Ok(()),
        (Measure::Crossing(_), Some(_)) => Err("`is` of a crossing is \"never\"".to_owned()),
        (_, Some(_)) => Err("`is` is for words; use `least` and `most`".to_owned()),
    }
}

fn trial(raw: &RawTrial) -> Result<Trial, String> {
    let algorithm = plan::algorithm(&raw.algorithm).map_err(|error| error.to_string())?;
    let base = algorithms::opening(algorithm);
    if let Some(name) = raw.gpu.as_deref().filter(|name| gpu::find_spec(name).is_none()) {
        let known: Vec<&str> = gpu::specs().iter().map(|gpu| gpu.name.as_str()).collect();
        return Err(UnknownName::new("GPU profile", name, &known).to_string());
    }
    let experiment = Experiment {
        variants: raw.variants.clone().unwrap_or_default(),
        blocks: raw.blocks.clone().unwrap_or(base.blocks),
        coarsenings: raw.coarsenings.clone().unwrap_or(base.coarsenings),
        sizes: raw.sizes.clone().unwrap_or(base.sizes),
        params: raw.params.iter().map(|(name, it)| (name.clone(), it.values())).collect(),
        dist: raw.dist.unwrap_or(base.dist),
        seed: raw.seed.unwrap_or(base.seed),
        target: Target {
            backend: BackendChoice::Emulator,
            gpu: raw.gpu.clone(),
            ..Target::default()
        },
        algorithm: base.algorithm,
        stopping: base.stopping,
    };
    let cases = cases(&experiment)?;
    Ok(Trial { experiment, cases, recorded: raw.recorded })
}

/// The cases of an experiment of a lesson.
pub(super) fn cases(experiment: &Experiment) -> Result<Vec<crate::experiment::Case>, String> {
    plan::check(experiment).map_err(|error| error.to_string())?;
    let algorithm = plan::algorithm(&experiment.algorithm).map_err(|error| error.to_string())?;
    let variants = match experiment.variants.len() {
        0 => algorithm.variants().len(),
        some => some,
    };
    let axes = [experiment.blocks.len(), experiment.coarsenings.len()];
    let sizes = experiment.sizes.values().len();
    let params = experiment.params.values().map(Vec::len);
    let count = axes.into_iter().chain(params).fold(variants * sizes, usize::saturating_mul);
    if count > MOST_CASES {
        return Err(format!("{count} cases; a lesson has at most {MOST_CASES} in an experiment"));
    }
    plan::cases(experiment).map_err(|error| error.to_string())
}

fn measure(raw: &RawValue) -> Result<Measure, String> {
    let select = |raw: &RawSelect| {
        Ok::<Select, String>(Select {
            variant: raw.variant.clone(),
            block: raw.block,
            coarsen: raw.coarsen,
            n: raw.n.map(elements).transpose()?,
            params: raw.params.clone(),
        })
    };
    let of = select(&raw.of)?;
    let over = raw.over.as_ref().map(select).transpose()?;
    let counts = raw.kind == Kind::Count;
    if !counts && (raw.counter.is_some() || raw.per.is_some()) {
        return Err("`counter` and `per` belong to kind \"count\"".to_owned());
    }
    let pair = |over: Option<Select>| match over {
        Some(over) => Ok(Pair { of: of.clone(), over }),
        None => Err("this kind compares two cases: it needs `of` and `over`".to_owned()),
    };
    let alone = |over: &Option<Select>| match over {
        None => Ok(of.clone()),
        Some(_) => Err("this kind has no `over`".to_owned()),
    };
    Ok(match raw.kind {
        Kind::Time => Measure::Time(alone(&over)?),
        Kind::Ratio => Measure::Ratio(pair(over)?),
        Kind::Crossing => Measure::Crossing(pair(over)?),
        Kind::Fastest => Measure::Fastest(alone(&over)?),
        Kind::Best => Measure::Best(alone(&over)?),
        Kind::Cause => Measure::Cause { of, over },
        Kind::Curve => Measure::Curve { of, over },
        Kind::Count => {
            let counter = raw.counter.ok_or("kind \"count\" needs a `counter`")?;
            Measure::Count { counter, of, over, per: raw.per }
        }
    })
}

/// Whether each selection means the cases that the measure needs.
pub(super) fn selects(measure: &Measure, trial: &Trial) -> Result<(), String> {
    match measure {
        Measure::Time(of) => one(of, "of", trial),
        Measure::Ratio(Pair { of, over }) => {
            one(of, "of", trial).and_then(|()| one(over, "over", trial))
        }
        Measure::Count { of, over, .. } | Measure::Cause { of, over } => {
            one(of, "of", trial)?;
            over.as_ref().map_or(Ok(()), |over| one(over, "over", trial))
        }
        Measure::Crossing(Pair { of, over }) => {
            each(of, "of", trial)?;
            each(over, "over", trial)
        }
        Measure::Curve { of, over } => {
            each(of, "of", trial)?;
            over.as_ref().map_or(Ok(()), |over| each(over, "over", trial))
        }
        Measure::Fastest(of) => distinct(of, trial, |case| case.variant.clone(), "variant"),
        Measure::Best(of) => distinct(
            of,
            trial,
            |case| format!("{}/{}", case.block, case.coarsen),
            "pair of block and coarsening",
        ),
    }
}

fn one(select: &Select, key: &str, trial: &Trial) -> Result<(), String> {
    let found: Vec<String> =
        trial.cases.iter().filter(|case| select.takes(case)).map(ToString::to_string).collect();
    match found.as_slice() {
        [_] => Ok(()),
        [] => Err(format!("`{key}` selects no case of the experiment")),
        [first, second, ..] => Err(format!(
            "`{key}` selects {} cases, but one is needed; give what differs between {first} and \
             {second}",
            found.len()
        )),
    }
}

/// One case for each size of the experiment.
fn each(select: &Select, key: &str, trial: &Trial) -> Result<(), String> {
    if select.n.is_some() {
        return Err(format!("`{key}` has an `n`, but a curve goes over all sizes"));
    }
    let sizes: BTreeSet<u64> = trial.cases.iter().map(|case| case.n).collect();
    for n in sizes {
        one(&Select { n: Some(n), ..select.clone() }, key, trial)?;
    }
    Ok(())
}

/// At least two cases, which differ in a key.
fn distinct(
    select: &Select,
    trial: &Trial,
    of: impl Fn(&crate::experiment::Case) -> String,
    what: &str,
) -> Result<(), String> {
    let keys: Vec<String> = trial.cases.iter().filter(|case| select.takes(case)).map(of).collect();
    let different: BTreeSet<&String> = keys.iter().collect();
    if different.len() != keys.len() || keys.len() < 2 {
        return Err(format!(
            "`of` selects {} cases with {} different values; it needs at least two cases, one for \
             each {what}",
            keys.len(),
            different.len()
        ));
    }
    Ok(())
}
