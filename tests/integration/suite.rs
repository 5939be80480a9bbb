//! The outside suite (`benches/timing/suite`) on the emulator: what its kernels compute and
//! count against what an H200 computed and Nsight Compute counted there.
//!
//! `benches/data/h200/suite_exceptions.csv` names every counter that is not equal, with its
//! cause; `suite_blind_exceptions.csv` those of the blind set, and so on. One that differs and is not
//! listed fails the test, and so does one that is listed and equal, unless its cause says that
//! it varies from run to run.

#[path = "../../benches/timing/suite/mod.rs"]
#[allow(dead_code)]
pub(crate) mod cases;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cases::{Case, Half, contents};
use serde_json::Value;
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;

use crate::support::counters::{COUNTERS, Differences, counted, hold};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/data/h200");

/// The sets: both halves together, and each blind set.
fn sets() -> BTreeSet<String> {
    cases::cases().map(|case| case.kernel.half.set()).collect()
}

/// What the outputs of each case held: by kernel, n and block.
fn held(set: &str) -> HashMap<Vec<String>, Vec<Value>> {
    let text = std::fs::read_to_string(format!("{FOLDER}/{set}.jsonl")).unwrap();
    text.lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            let case = &value["case"];
            let kernel = case["variant"].as_str().unwrap().to_owned();
            let key = vec![kernel, case["n"].to_string(), case["block"].to_string()];
            (key, value["holds"].as_array().unwrap().clone())
        })
        .collect()
}

/// Runs the `cases` of a set and compares them with its recordings.
fn compare(set: &str, cases: impl Iterator<Item = Case>) -> Differences {
    let held = held(set);
    let counted = counted(&format!("{FOLDER}/{set}_counters.csv"), 3);
    let mut emulator = Emulated::open(Some("H200 SXM")).unwrap().keeping();
    let mut differ = Differences::new();
    for case in cases {
        let (name, n) = (case.kernel.name, case.n);
        let key = vec![name.to_owned(), n.to_string(), case.threads().to_string()];
        let (work, inputs, checks) = case.work();
        let prepared = emulator.prepare(&work, &inputs).unwrap();
        emulator.sample(prepared).unwrap();
        let holds = checks.iter().enumerate().filter_map(|(buffer, check)| {
            Some(contents(&emulator.read(prepared, buffer).unwrap(), (*check)?))
        });
        for (found, expected) in holds.zip(&held[&key]) {
            let equal = match (found.as_f64(), expected.as_f64()) {
                (Some(found), Some(expected)) => (found / expected - 1.0).abs() < 1e-4,
                _ => found == *expected,
            };
            if !equal {
                let text = format!("n = {n}: {found} on the emulator, {expected} on the H200");
                differ.insert((name.to_owned(), "output".to_owned()), text);
            }
        }
        emulator.release(prepared);
        let seen = emulator.take_seen();
        for (counter, get, metrics) in COUNTERS {
            let found: u64 = seen.iter().map(|seen| get(&seen.outcome.counters)).sum();
            let expected: u64 = metrics.iter().map(|metric| counted[&key][*metric]).sum();
            // Data that comes from L2 meanwhile takes passes of the same banks.
            let filled = counter.starts_with("shared") && n != case.kernel.sizes[0];
            let most = if filled { found + found / 10 } else { found };
            if !(found..=most).contains(&expected) {
                let text = format!("n = {n}: {found} on the emulator, {expected} on the H200");
                differ.insert((name.to_owned(), counter.to_owned()), text);
            }
        }
    }
    differ
}

/// The cases of a set with their kernels' first blocks.
fn first_blocks(set: &str) -> impl Iterator<Item = Case> {
    cases::cases()
        .filter(move |case| case.kernel.half.set() == set && case.block == case.kernel.blocks[0])
}

fn exceptions(set: &str) -> String {
    format!("{FOLDER}/{set}_exceptions.csv")
}

#[test]
fn small_cases_compute_and_count_what_an_h200_does() {
    for set in &sets() {
        let small = first_blocks(set).filter(|case| case.n == case.kernel.sizes[0]);
        hold(&compare(set, small), &exceptions(set), &[], false);
    }
}

#[test]
#[ignore = "two minutes in a release build; the small cases always run"]
fn all_cases_compute_and_count_what_an_h200_does() {
    for set in &sets() {
        hold(&compare(set, first_blocks(set)), &exceptions(set), &[], true);
    }
}

#[test]
fn both_halves_have_every_class_of_two_kernels() {
    let mut halves: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for case in cases::cases().filter(|case| matches!(case.kernel.half, Half::Fit | Half::Report)) {
        let kernel = case.kernel;
        halves.entry(kernel.class).or_default().insert(kernel.name, format!("{:?}", kernel.half));
    }
    for (class, kernels) in &halves {
        let distinct: BTreeSet<&String> = kernels.values().collect();
        assert!(kernels.len() == 1 || distinct.len() == 2, "{class}: {kernels:?}");
    }
    let kernels: usize = halves.values().map(BTreeMap::len).sum();
    assert!(kernels >= 44 && halves.len() >= 30, "{kernels} kernels, {} classes", halves.len());
}
