//! The stored setting that comes closest to one that nobody stored, so that the chart
//! opens on curves and says whose they are.

use std::collections::BTreeMap;

use crate::algorithms;
use crate::experiment::{Experiment, ParamValue};
use crate::results::record::Record;
use crate::units::BlockSize;

/// Other settings than the form's, which have results.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// What selects these results.
    pub experiment: Experiment,
    /// Which settings these are, and which of the form's are missing: `recorded at
    /// block 256; block 128 is not recorded`.
    pub says: String,
}

/// All settings of a curve but its variant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Setting<'a> {
    block: u32,
    coarsen: u32,
    params: &'a BTreeMap<String, ParamValue>,
    dist: String,
}

/// The setting of `records` that is closest to the form's: the same parameters and input
/// count most, then block size and coarsening by their ratios, then the number of
/// results. `None` where no case of the algorithm has a time. `word` says what the
/// records are: `recorded` or `stored`.
pub fn nearest(experiment: &Experiment, records: &[Record], word: &str) -> Option<Nearest> {
    let algorithm = algorithms::find(&experiment.algorithm)?;
    let variants = &experiment.variants;
    let chosen = |record: &&Record| variants.is_empty() || variants.contains(&record.variant);
    let timed = |record: &&Record| {
        record.algorithm == experiment.algorithm
            && record.seconds.is_some()
            && record.outcome().is_result()
    };
    let mut found: BTreeMap<Setting, (usize, &Record)> = BTreeMap::new();
    for record in records.iter().filter(timed).filter(chosen) {
        let Record { block, coarsen, params, dist, .. } = record;
        let setting = Setting { block: *block, coarsen: *coarsen, params, dist: dist.to_string() };
        found.entry(setting).or_insert((0, record)).0 += 1;
    }
    let wanted = |name: &str| -> Vec<ParamValue> {
        let values = experiment.params.get(name).filter(|values| !values.is_empty());
        let default =
            || algorithm.params().iter().find(|it| it.name == name).map(algorithms::Param::default);
        values.cloned().unwrap_or_else(|| default().into_iter().collect())
    };
    let differs = |record: &Record| -> Vec<String> {
        let other = |(name, value): &(&String, &ParamValue)| {
            !wanted(name).iter().any(|it| it.identity() == value.identity())
        };
        record.params.iter().filter(other).map(|(name, _)| name.clone()).collect()
    };
    let apart = |values: &[u32], value: u32| -> f64 {
        let log = |value: u32| f64::from(value.max(1)).log2();
        values.iter().map(|it| (log(*it) - log(value)).abs()).fold(f64::INFINITY, f64::min)
    };
    let blocks: Vec<u32> = experiment.blocks.iter().map(|block| block.get()).collect();
    let (_, (_, best)) = found.into_iter().min_by(|(_, (many, a)), (_, (more, b))| {
        let rank = |record: &Record| {
            let other_input = usize::from(record.dist != experiment.dist);
            differs(record).len() + other_input
        };
        let far = |record: &Record| {
            apart(&blocks, record.block) + apart(&experiment.coarsenings, record.coarsen)
        };
        rank(a).cmp(&rank(b)).then(far(a).total_cmp(&far(b))).then(more.cmp(many))
    })?;

    let (mut has, mut lacks) = (Vec::new(), Vec::new());
    let mut tell = |name: &str, value: &str, wanted: &[String]| {
        has.push(format!("{name} {value}"));
        lacks.push(format!("{name} {}", wanted.join(", ")));
    };
    if !blocks.contains(&best.block) {
        tell("block", &best.block.to_string(), &texts(&blocks));
    }
    if !experiment.coarsenings.contains(&best.coarsen) {
        tell("coarsening", &best.coarsen.to_string(), &texts(&experiment.coarsenings));
    }
    for name in differs(best) {
        let value = best.params.get(&name).map(ToString::to_string).unwrap_or_default();
        tell(&name, &value, &texts(&wanted(&name)));
    }
    if best.dist != experiment.dist {
        tell("input", &best.dist.to_string(), &texts(&[experiment.dist]));
    }
    let is = if lacks.len() > 1 { "are" } else { "is" };
    let says = format!("{word} at {}; {} {is} not {word}", has.join(", "), lacks.join(", "));
    let params = best.params.iter().map(|(name, value)| (name.clone(), vec![value.clone()]));
    let experiment = Experiment {
        blocks: BlockSize::new(best.block).into_iter().collect(),
        coarsenings: vec![best.coarsen],
        params: params.collect(),
        dist: best.dist,
        ..experiment.clone()
    };
    Some(Nearest { experiment, says })
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::Distribution;
    use crate::tui::recording;
    use crate::tui::screens::sweep::state::selects;

    fn asked(algorithm: &str, block: u32, coarsen: u32) -> Experiment {
        let opening = algorithms::opening(algorithms::find(algorithm).unwrap());
        Experiment {
            blocks: vec![BlockSize::new(block).unwrap()],
            coarsenings: vec![coarsen],
            ..opening
        }
    }

    #[test]
    fn the_closest_block_and_coarsening_are_found_and_named() {
        let records = recording::records("dominant-peaks");
        let near = nearest(&asked("dominant-peaks", 96, 1), &records, "recorded").unwrap();
        assert!(
            near.says == "recorded at block 128; block 96 is not recorded"
                || near.says == "recorded at block 64; block 96 is not recorded",
            "{}",
            near.says
        );
        assert!(records.iter().any(|record| selects(&near.experiment, record)));
        let near = nearest(&asked("reduce", 300, 8), &recording::records("reduce"), "recorded");
        let says = near.unwrap().says;
        let end = "; block 300, coarsening 8 are not recorded";
        assert!(says.starts_with("recorded at block 256, coarsening ") && says.ends_with(end));
    }

    #[test]
    fn parameters_and_input_count_more_than_the_launch() {
        let mut experiment = asked("merge-sort", 32, 1);
        experiment.params =
            [("payload".to_owned(), vec![ParamValue::Word("index".to_owned())])].into();
        let near = nearest(&experiment, &recording::records("merge-sort"), "stored").unwrap();
        let payload = near.experiment.params.get("payload").unwrap();
        assert_eq!(payload, &[ParamValue::Word("index".to_owned())]);
        experiment.dist = Distribution::Sorted;
        let near = nearest(&experiment, &recording::records("merge-sort"), "stored").unwrap();
        assert!(near.says.ends_with("input sorted are not stored"), "{}", near.says);
    }

    #[test]
    fn nothing_is_near_where_nothing_has_a_time() {
        assert_eq!(nearest(&asked("reduce", 256, 4), &[], "recorded"), None);
        let other = recording::records("scan");
        assert_eq!(nearest(&asked("reduce", 256, 4), &other, "recorded"), None);
    }
}
