//! The built-in recordings: what the screen shows before anything ran here.

use std::path::Path;

use crate::results::record::Record;
use crate::results::store;

/// What they are called on the screen.
pub const SOURCE: &str = "built-in recording";

/// A sweep of one algorithm on one H200 each; `assets/recordings/README.md` has
/// the commands.
const FILES: &[(&str, &[u8])] = &[
    ("histogram", include_bytes!("../../assets/recordings/histogram_h200.jsonl")),
    ("reduce", include_bytes!("../../assets/recordings/reduce_h200.jsonl")),
    ("scan", include_bytes!("../../assets/recordings/scan_h200.jsonl")),
    ("matmul", include_bytes!("../../assets/recordings/matmul_h200.jsonl")),
    ("radix-partition", include_bytes!("../../assets/recordings/radix_partition_h200.jsonl")),
    ("merge-sort", include_bytes!("../../assets/recordings/merge_sort_h200.jsonl")),
    ("dominant-peaks", include_bytes!("../../assets/recordings/dominant_peaks_h200.jsonl")),
    ("distance-histogram", include_bytes!("../../assets/recordings/distance_histogram_h200.jsonl")),
];

/// The algorithms that there is a recording of.
pub fn algorithms() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// The records of the built-in recording of an algorithm; none if there is no
/// such recording.
pub fn records(algorithm: &str) -> Vec<Record> {
    let file = FILES.iter().find(|(name, _)| *name == algorithm);
    // A test reads the files; a reader without them would still have a screen.
    let read = |bytes| store::parse(bytes, Path::new(SOURCE)).ok();
    file.and_then(|(_, bytes)| read(bytes)).map(|contents| contents.records).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms;
    use crate::experiment::{Experiment, ParamValue};
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
                assert!(sizes >= 6, "{name} {}: {sizes} sizes", variant.name);
                assert!(blocks >= 2, "{name} {}: {blocks} block sizes", variant.name);
                let hash = algorithm.module(variant.name).hash();
                assert!(timed.iter().all(|record| record.ptx == hash), "{name} {}", variant.name);
            }
        }
    }
}
