//! From records to the sweeps that run their cases and no others.

use std::collections::{BTreeMap, BTreeSet};

use super::command;
use crate::algorithms;
use crate::experiment::{BackendChoice, Case, Experiment, ParamValue, Sizes, Target};
use crate::results::record::{Provenance, Record};
use crate::units::BlockSize;

/// Where the cases of one device need more sweeps than this, one sweep runs every
/// combination of their values.
const MOST_SWEEPS: usize = 4;

/// The commands that reproduce `records`, one per line: for each algorithm, distribution,
/// seed and device, sweeps that run its cases. Where that takes too many, one sweep runs
/// every combination of the values that occur.
pub fn command_for<'a>(records: impl IntoIterator<Item = &'a Record>) -> String {
    let mut groups: Vec<Vec<&Record>> = Vec::new();
    // No command reproduces a published time.
    let own = records.into_iter().filter(|record| record.provenance != Provenance::Reported);
    for record in own {
        let same = |group: &&mut Vec<&Record>| {
            group.first().is_some_and(|first| {
                first.algorithm == record.algorithm
                    && first.dist == record.dist
                    && first.seed == record.seed
                    && first.backend == record.backend
                    && (record.backend != "emulator" || first.device.name == record.device.name)
            })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    let lines = groups.iter().filter_map(|group| {
        let first = group.first()?;
        let points: BTreeSet<Point> = group.iter().map(|record| Point::from(*record)).collect();
        let line = |points: &BTreeSet<Point>| {
            command(&experiment(first.case(), &points.iter().collect::<Vec<_>>(), target(first)))
        };
        let sweeps = products(points.clone(), MOST_SWEEPS).unwrap_or_else(|| vec![points]);
        Some(sweeps.iter().map(line).collect::<Vec<_>>().join("\n"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Where a case lies on the axes of its experiment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point<'a> {
    variant: &'a str,
    params: Vec<(&'a str, &'a ParamValue)>,
    block: u32,
    coarsen: u32,
    n: u64,
}

impl<'a> Point<'a> {
    /// The place of `case`.
    pub(super) fn of(case: &'a Case) -> Self {
        Self::at(&case.variant, &case.params, (case.block, case.coarsen, case.n))
    }

    fn at(
        variant: &'a str,
        params: &'a BTreeMap<String, ParamValue>,
        (block, coarsen, n): (u32, u32, u64),
    ) -> Self {
        let params = params.iter().map(|(name, value)| (name.as_str(), value)).collect();
        Self { variant, params, block, coarsen, n }
    }

    /// Its value on an axis, and the point without it.
    fn without(&self, axis: usize) -> (Place<'a>, Self) {
        let mut rest = self.clone();
        let place = match axis {
            0 => Place::Word(std::mem::take(&mut rest.variant)),
            1 => Place::Number(std::mem::take(&mut rest.block).into()),
            2 => Place::Number(std::mem::take(&mut rest.coarsen).into()),
            3 => Place::Number(std::mem::take(&mut rest.n)),
            axis => match rest.params.get_mut(axis - AXES) {
                Some(param) => {
                    let value = Place::Value(param.1);
                    rest.params.remove(axis - AXES);
                    value
                }
                None => Place::Number(0),
            },
        };
        (place, rest)
    }
}

impl<'a> From<&'a Record> for Point<'a> {
    fn from(record: &'a Record) -> Self {
        let Record { variant, block, coarsen, n, params, .. } = record;
        Self::at(variant, params, (*block, *coarsen, *n))
    }
}

/// Axes beside the parameters: variant, block size, coarsening, size.
const AXES: usize = 4;

/// A value on an axis.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place<'a> {
    Word(&'a str),
    Number(u64),
    Value(&'a ParamValue),
}

/// `points` in at most `most` parts, each with every combination of its values.
fn products(points: BTreeSet<Point<'_>>, most: usize) -> Option<Vec<BTreeSet<Point<'_>>>> {
    let axes = 0..AXES + points.first().map_or(0, |first| first.params.len());
    let values = |axis| points.iter().map(|point| point.without(axis).0).collect::<BTreeSet<_>>();
    let combinations = axes.clone().map(|axis| values(axis).len()).fold(1, usize::saturating_mul);
    if combinations == points.len() {
        return Some(vec![points]);
    }
    let parts = axes.filter_map(|axis| parts(&points, axis, most)).min_by_key(Vec::len)?;
    let (mut found, mut left) = (Vec::new(), most);
    for (index, part) in parts.iter().enumerate() {
        // Every part that is still to come takes one at least.
        let others = parts.len() - index - 1;
        let of_part = products(part.clone(), left.checked_sub(others)?)?;
        left -= of_part.len();
        found.extend(of_part);
    }
    Some(found)
}

/// `points` by their values on `axis`, where values with the same rest stay together.
/// `None` where that is one part, or more than `most`.
fn parts<'a>(
    points: &BTreeSet<Point<'a>>,
    axis: usize,
    most: usize,
) -> Option<Vec<BTreeSet<Point<'a>>>> {
    let mut rests: BTreeMap<Place, BTreeSet<Point>> = BTreeMap::new();
    for point in points {
        let (place, rest) = point.without(axis);
        rests.entry(place).or_default().insert(rest);
    }
    let mut alike: Vec<(&BTreeSet<Point>, BTreeSet<&Place>)> = Vec::new();
    for (place, rest) in &rests {
        if let Some((_, places)) = alike.iter_mut().find(|(known, _)| *known == rest) {
            places.insert(place);
        } else if alike.len() < most {
            alike.push((rest, BTreeSet::from([place])));
        } else {
            return None;
        }
    }
    let part = |(_, places): &(_, BTreeSet<&Place>)| {
        let here = |point: &&Point| places.contains(&point.without(axis).0);
        points.iter().filter(here).cloned().collect()
    };
    (alike.len() > 1).then(|| alike.iter().map(part).collect())
}

/// The backend of a record, and the GPU of a prediction.
pub(super) fn target(record: &Record) -> Target {
    let backend = record.backend.parse().unwrap_or_default();
    let gpu = (backend == BackendChoice::Emulator).then(|| record.device.name.clone());
    Target { backend, gpu, ..Target::default() }
}

/// The experiment with every combination of the values in `points`, and all else as in
/// `case`.
pub(super) fn experiment(case: Case, points: &[&Point], target: Target) -> Experiment {
    let mut variants = distinct(points.iter().map(|point| point.variant));
    // The order of the registry reads better than the alphabet's.
    if let Some(algorithm) = algorithms::find(&case.algorithm) {
        let place = |name: &&str| algorithm.variants().iter().position(|v| v.name == *name);
        variants.sort_by_key(|name| place(name).unwrap_or(usize::MAX));
    }
    let mut params: BTreeMap<&str, BTreeSet<&ParamValue>> = BTreeMap::new();
    for (name, value) in points.iter().flat_map(|point| &point.params) {
        params.entry(name).or_default().insert(value);
    }
    let owned = |(name, values): (&str, BTreeSet<&ParamValue>)| {
        (name.to_owned(), values.into_iter().cloned().collect())
    };
    Experiment {
        algorithm: case.algorithm,
        variants: variants.into_iter().map(str::to_owned).collect(),
        blocks: distinct(points.iter().filter_map(|point| BlockSize::new(point.block).ok())),
        coarsenings: distinct(points.iter().map(|point| point.coarsen)),
        sizes: Sizes::of(&distinct(points.iter().map(|point| point.n))),
        params: params.into_iter().map(owned).collect(),
        dist: case.dist,
        seed: case.seed,
        target,
        ..Experiment::default()
    }
}

fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    values.collect::<BTreeSet<T>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Distribution;
    use crate::results::record::DeviceRecord;

    fn records(cases: &[(&str, u32, u64)]) -> Vec<Record> {
        let record = |(variant, block, n): &(&str, u32, u64)| {
            let case = Case {
                algorithm: "histogram".to_owned(),
                variant: (*variant).to_owned(),
                block: *block,
                coarsen: 4,
                n: *n,
                params: BTreeMap::new(),
                dist: Distribution::Uniform,
                seed: 7,
            };
            let device = DeviceRecord { name: "T4".to_owned(), driver: None, id: String::new() };
            Record::new(&case, device, "emulator", Provenance::Modelled)
        };
        cases.iter().map(record).collect()
    }

    #[test]
    fn cases_that_are_no_full_grid_take_several_sweeps() {
        let text = command_for(&records(&[
            ("global", 128, 1024),
            ("global", 128, 2048),
            ("shared", 256, 1024),
            ("shared", 256, 2048),
            ("shared", 512, 1024),
            ("shared", 512, 2048),
        ]));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert!(lines[0].contains("--variant global --block 128 --coarsen 4 -n 2^10,2^11 "));
        assert!(lines[1].contains("--variant shared --block 256,512 --coarsen 4 -n 2^10,2^11 "));
    }

    #[test]
    fn scattered_cases_take_one_sweep_over_every_combination() {
        let cases: Vec<(&str, u32, u64)> =
            (0..9).map(|i| ("shared", 32 << (i % 5), 1000 + i)).collect();
        let text = command_for(&records(&cases));
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.contains("--block 32,64,128,256,512"), "{text}");
    }
}
