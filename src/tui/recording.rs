//! The built-in recordings: what the screen shows before anything ran here.

use std::path::Path;

use crate::algorithms;
use crate::results::record::Record;
use crate::results::store;

/// What they are called on the screen.
pub const SOURCE: &str = "built-in recording";

/// The algorithms with a recording: a sweep on one H200 each.
pub fn algorithms() -> impl Iterator<Item = &'static str> {
    let recorded = algorithms::ALL.iter().filter(|it| !it.spec().recording.is_empty());
    recorded.map(|algorithm| algorithm.name())
}

/// The records of the built-in recording of an algorithm; none if there is no
/// such recording.
pub fn records(algorithm: &str) -> Vec<Record> {
    let bytes = algorithms::find(algorithm).map(|algorithm| algorithm.spec().recording);
    // A test reads the files; a reader without them would still have a screen.
    let contents = bytes.and_then(|bytes| store::parse(bytes, Path::new(SOURCE)).ok());
    contents.map(|contents| contents.records).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Case, Experiment, ParamValue};
    use crate::results::record::{Outcome, Provenance};
    use crate::tui::screens::sweep::state::selects;

    #[test]
    fn the_recording_covers_what_the_screen_opens_on() {
        let records = records("histogram");
        let shown: Vec<&Record> =
            records.iter().filter(|record| selects(&Experiment::default(), record)).collect();
        for variant in ["global", "shared"] {
            let sizes = shown.iter().filter(|record| record.variant == variant).count();
            assert!(sizes >= 13, "{variant}: {sizes} sizes");
        }
        assert!(shown.iter().all(|record| record.provenance == Provenance::Recorded));
        assert!(shown.iter().all(|record| record.verified == Some(true)));
    }

    #[test]
    fn a_million_keys_fall_into_512_parts_with_any_block_size() {
        let records = records("radix-partition");
        let radix = algorithms::find("radix-partition").expect("it is in the registry");
        for variant in radix.variants() {
            for block in [32, 64, 128, 256, 512, 1024] {
                let there = records.iter().any(|record| {
                    record.variant == variant.name
                        && (record.n, record.block) == (1_000_000, block)
                        && record.params.get("bits") == Some(&ParamValue::Int(9))
                        && record.outcome() == Outcome::Verified
                });
                assert!(there, "{}, block {block}", variant.name);
            }
        }
    }

    #[test]
    fn every_variant_of_every_algorithm_is_recorded_on_the_kernels_of_today() {
        for algorithm in algorithms::ALL {
            let name = algorithm.name();
            let records = records(name);
            for variant in algorithm.variants() {
                let of_variant = records.iter().filter(|record| record.variant == variant.name);
                let timed: Vec<&Record> =
                    of_variant.filter(|record| record.outcome() == Outcome::Verified).collect();
                let distinct = |values: Vec<u64>| {
                    let mut values = values;
                    values.sort_unstable();
                    values.dedup();
                    values.len()
                };
                let sizes = distinct(timed.iter().map(|record| record.n).collect());
                let blocks = distinct(timed.iter().map(|record| record.block.into()).collect());
                assert!(sizes >= 5, "{name} {}: {sizes} sizes", variant.name);
                // Some kernels are made for one block size.
                let runs = |block: &&u32| {
                    let case = timed.first().map(|record| record.case());
                    case.is_some_and(|case| {
                        algorithm.obstacle(&Case { block: **block, ..case }).is_none()
                    })
                };
                let possible = [32, 64, 128, 256, 512, 1024].iter().filter(runs).count();
                let least = possible.min(2);
                assert!(blocks >= least, "{name} {}: {blocks} block sizes", variant.name);
                let hash = algorithm.module(variant.name).hash();
                assert!(timed.iter().all(|record| record.ptx == hash), "{name} {}", variant.name);
            }
        }
    }
}
