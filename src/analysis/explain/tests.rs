//! Sentences for counters as the emulator gives them.

use std::collections::BTreeMap;

use super::*;
use crate::experiment::{Distribution, ParamValue};
use crate::results::record::{DeviceRecord, ModelRecord, Provenance, Summary};

/// A modelled case that takes `seconds`, `part` of them on `bound_by`.
fn record(
    variant: &str,
    seconds: f64,
    (bound_by, part): (&str, f64),
    counters: &[(&str, u64)],
) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: variant.to_owned(),
        block: 128,
        coarsen: 4,
        n: 1 << 20,
        params: [("bins".to_owned(), ParamValue::Int(8))].into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let device = DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: "p".to_owned() };
    let mut record = Record::new(&case, device, "emulator", Provenance::Modelled);
    record.seconds =
        Some(Summary { median: seconds, q1: None, q3: None, samples: Vec::new(), taken: None });
    record.verified = Some(true);
    record.bytes = 1 << 22;
    record.counters = counters.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    record.model = Some(ModelRecord {
        bound_by: bound_by.into(),
        parts: BTreeMap::from([(bound_by.into(), part), ("launch".into(), 2.7e-6)]),
        occupancy: 0.5,
        occupancy_limit: "warps".to_owned(),
        extrapolated: Vec::new(),
    });
    record
}

fn global() -> Record {
    let counters = [
        ("global_atomic_requests", 32_768),
        ("global_atomic_lanes", 1 << 20),
        ("global_atomic_addresses", 8 * 32_768),
        ("global_atomic_passes", 230_000),
        ("hottest_chunk_passes", 230_000),
    ];
    record("global", 160e-6, ("l2_atomics", 157e-6), &counters)
}

fn shared() -> Record {
    let counters = [
        ("shared_atomic_requests", 32_768),
        ("shared_atomic_wavefronts", 230_000),
        ("global_load_sectors", 131_072),
    ];
    record("shared", 5e-6, ("shared", 3e-6), &counters)
}

#[test]
fn lanes_that_meet_are_counted_in_the_sentence() {
    let found = difference(&shared(), &global()).unwrap();
    assert_eq!(
        found.headline,
        "shared: 5.00 µs, 32.0× faster than global at n = 2^20 (modelled · H200 SXM)"
    );
    assert_eq!(
        found.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "global: each warp's 32 atomics hit 8 addresses, so L2 serialises them, all in one \
             slice: 157 µs of 160 µs",
            "shared: lanes hit the same word or bank of shared memory, so each warp's atomic takes \
             7.02 passes: 3.00 µs of 5.00 µs",
        ]
    );
    // In the order in which the two were given.
    let lanes = found.evidence.iter().find(|it| it.counter == Counter::GlobalAtomicLanes).unwrap();
    assert_eq!(lanes.values, [0, 1 << 20]);
    let next = found.next.unwrap();
    assert_eq!(next.case.variant, "global");
    assert_eq!(next.case.int("bins"), Some(64));
}

#[test]
fn nothing_is_said_that_the_counters_do_not_show() {
    let mut measured = global();
    measured.counters.clear();
    measured.model = None;
    assert!(matches!(one(&measured), Err(Silence::NoCounters(name)) if name == "global"));

    let mut skipped = global();
    skipped.skip = Some("too large".to_owned());
    assert!(matches!(difference(&skipped, &shared()), Err(Silence::NoTime(_))));

    let near = record("other", 159e-6, ("l2_atomics", 150e-6), &[("global_atomic_lanes", 1)]);
    let silence = difference(&global(), &near).unwrap_err();
    assert_eq!(silence.to_string(), "other and global take the same time within 5 %");

    // The model names atomics, and the kernel has none.
    let odd = record("odd", 1.0, ("l2_atomics", 0.9), &[("barriers", 3)]);
    assert_eq!(one(&odd).unwrap_err(), Silence::NoReason("odd".to_owned()));
    // No resource takes most of the time.
    let spread = record("spread", 1.0, ("issue", 0.2), &[("warp_instructions", 3)]);
    assert_eq!(one(&spread).unwrap_err(), Silence::NoReason("spread".to_owned()));
    // A resource that a later version may name.
    let new = record("new", 1.0, ("tensor", 0.9), &[("warp_instructions", 3)]);
    assert_eq!(one(&new).unwrap_err(), Silence::NoReason("new".to_owned()));
}

#[test]
fn memory_traffic_is_compared_with_what_has_to_move() {
    let counters = [("global_load_requests", 32_768), ("global_load_sectors", 1 << 20)];
    let found = one(&record("global", 10e-6, ("dram", 8e-6), &counters)).unwrap();
    assert_eq!(
        found.reasons.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["global: 32.0 MiB move through DRAM, 8.00× the 4.00 MiB needed, since each warp's load \
             touches 32 sectors (4 if coalesced): 8.00 µs of 10.0 µs"]
    );
}

#[test]
fn cases_are_named_by_what_differs() {
    let (a, mut b) = (global(), global());
    b.block = 256;
    b.seconds.as_mut().unwrap().median = 300e-6;
    let found = difference(&a, &b).unwrap();
    assert_eq!(
        found.headline,
        "global · block 128: 160 µs, 1.87× faster than global · block 256 at n = 2^20 (modelled · \
         H200 SXM)"
    );
}

#[test]
fn a_small_case_is_told_to_grow() {
    let found =
        one(&record("shared", 3e-6, ("launch", 2.7e-6), &[("warp_instructions", 40)])).unwrap();
    let next = found.next.unwrap();
    assert_eq!(next.case.n, 1 << 22);
}
