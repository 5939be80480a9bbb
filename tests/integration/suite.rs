//! The outside suite (`benches/timing/suite`) on the emulator: what its kernels compute and
//! count against what an H200 computed and Nsight Compute counted there.
//!
//! `benches/data/h200/suite_exceptions.csv` names every counter that is not equal, with its
//! cause. One that differs and is not listed fails the test, and so does one that is listed
//! and equal, unless its cause says that it varies from run to run.

#[path = "../../benches/timing/suite/mod.rs"]
#[allow(dead_code)]
mod cases;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use cases::{Case, contents};
use serde_json::Value;
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::emulator::Counters;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/data/h200");

/// A counter's name and the metrics that add up to it.
type Row = (&'static str, fn(&Counters) -> u64, &'static [&'static str]);

const COUNTERS: [Row; 13] = [
    (
        "global_load_requests",
        |c| c.global_load_requests,
        &["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    ),
    (
        "global_load_sectors",
        |c| c.global_load_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    ),
    (
        "global_store_requests",
        |c| c.global_store_requests,
        &["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"],
    ),
    (
        "global_store_sectors",
        |c| c.global_store_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    ),
    (
        "global_atomic_requests",
        |c| c.global_atomic_requests,
        &[
            "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
            "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
        ],
    ),
    (
        "global_atomic_passes",
        |c| c.global_atomic_passes,
        &[
            "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
            "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
        ],
    ),
    (
        "shared_load_wavefronts",
        |c| c.shared_load_wavefronts,
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    ),
    (
        "shared_store_wavefronts",
        |c| c.shared_store_wavefronts,
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"],
    ),
    (
        "shared_atomic_wavefronts",
        |c| c.shared_atomic_wavefronts,
        &["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"],
    ),
    (
        "local_load_requests",
        |c| c.local_load_requests,
        &["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"],
    ),
    (
        "local_load_sectors",
        |c| c.local_load_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"],
    ),
    (
        "local_store_requests",
        |c| c.local_store_requests,
        &["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"],
    ),
    (
        "local_store_sectors",
        |c| c.local_store_sectors,
        &["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
    ),
];

/// What was measured of each case: kernel, n and block; and what its outputs held.
fn held() -> HashMap<(String, u64, u64), Vec<Value>> {
    let text = std::fs::read_to_string(format!("{FOLDER}/suite.jsonl")).unwrap();
    text.lines()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            let case = &value["case"];
            let number = |name: &str| case[name].as_u64().unwrap();
            let key = (case["variant"].as_str().unwrap().to_owned(), number("n"), number("block"));
            (key, value["holds"].as_array().unwrap().clone())
        })
        .collect()
}

/// What was counted of each case.
fn counted() -> HashMap<(String, u64, u64), BTreeMap<String, u64>> {
    let path = format!("{FOLDER}/suite_counters.csv");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let counts = header
                .iter()
                .zip(record.iter())
                .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
            let number = |column: usize| record[column].parse().unwrap();
            ((record[0].to_owned(), number(1), number(2)), counts.collect())
        })
        .collect()
}

/// Counters listed as different, by kernel and counter; and whether they vary.
fn exceptions() -> BTreeMap<(String, String), bool> {
    let path = format!("{FOLDER}/suite_exceptions.csv");
    csv::Reader::from_path(path)
        .unwrap()
        .records()
        .map(|record| {
            let record = record.unwrap();
            assert!(!record[2].is_empty(), "{record:?} has no cause");
            ((record[0].to_owned(), record[1].to_owned()), record[2].starts_with("varies"))
        })
        .collect()
}

/// Runs `cases` and compares them with the recordings: outputs and counters that differ,
/// by kernel and counter.
fn compare(cases: impl Iterator<Item = Case>) -> BTreeMap<(String, String), String> {
    let (held, counted) = (held(), counted());
    let mut emulator = Emulated::open(Some("H200 SXM")).unwrap().keeping();
    let mut differ = BTreeMap::new();
    for case in cases {
        let (name, n) = (case.kernel.name, case.n);
        let key = (name.to_owned(), u64::from(n), u64::from(case.threads()));
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

#[test]
fn small_cases_compute_and_count_what_an_h200_does() {
    let small = |case: &Case| case.n == case.kernel.sizes[0] && case.block == case.kernel.blocks[0];
    let differ = compare(cases::cases().filter(small));
    let listed = exceptions();
    let news: Vec<_> = differ.iter().filter(|(key, _)| !listed.contains_key(*key)).collect();
    assert!(news.is_empty(), "these differ, and are not listed: {news:#?}");
    let stale: Vec<_> =
        listed.iter().filter(|(key, varies)| !**varies && !differ.contains_key(*key)).collect();
    assert!(stale.is_empty(), "these are listed, and are equal: {stale:#?}");
}

#[test]
#[ignore = "a minute in a release build; the small cases always run"]
fn all_cases_compute_and_count_what_an_h200_does() {
    let listed = exceptions();
    let differ = compare(cases::cases().filter(|case| case.block == case.kernel.blocks[0]));
    let news: Vec<_> = differ.iter().filter(|(key, _)| !listed.contains_key(*key)).collect();
    assert!(news.is_empty(), "these differ, and are not listed: {news:#?}");
}

#[test]
fn both_halves_have_every_class_of_two_kernels() {
    let mut halves: BTreeMap<&str, BTreeMap<&str, String>> = BTreeMap::new();
    for case in cases::cases() {
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
