//! Memory of large files of results: 100,000 records at a bounded number of bytes each.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use warpscope::results::record::Record;
use warpscope::results::store;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

const RECORDS: u64 = 100_000;

/// Most bytes of a record in memory, all included: a million must fit in 1 GB.
const MOST: usize = 1000;

/// Lines like `pattern`, each of another case, time and date.
fn lines(pattern: &str) -> Vec<u8> {
    let mut line: Value = serde_json::from_str(pattern).unwrap();
    let mut bytes = Vec::new();
    for index in 0..RECORDS {
        line["n"] = json!(1024 + index / 8);
        line["coarsen"] = json!(1 << (index % 8));
        line["seconds"]["median"] = json!(1.234_567_890_123e-5 + index as f64 * 1.234_567e-11);
        line["time"] = json!(format!("2026-11-22T{:05}Z", index / 5));
        serde_json::to_writer(&mut bytes, &line).unwrap();
        bytes.push(b'\n');
    }
    bytes
}

/// Bytes that each record of a file like `pattern` takes once it is read.
fn bytes_per_record(pattern: &str) -> usize {
    let bytes = lines(pattern);
    let region = Region::new(ALLOCATOR);
    let records = store::parse(&bytes, Path::new("made")).unwrap().records;
    let change = region.change();
    assert_eq!(records.len() as u64, RECORDS);
    // What growing vectors hold beyond their records is not touched.
    let spare = (records.capacity() - records.len()) * size_of::<Record>();
    (change.bytes_allocated - change.bytes_deallocated - spare) / records.len()
}

#[test]
fn a_million_records_fit_in_a_gigabyte() {
    let modelled = include_str!("data/modelled.jsonl");
    let measured = include_str!("../assets/recordings/histogram_h200.jsonl").lines().next();
    for (kind, pattern) in [("modelled", modelled), ("measured", measured.unwrap())] {
        let bytes = bytes_per_record(pattern);
        assert!(bytes < MOST, "a {kind} record takes {bytes} bytes");
        assert!(bytes > size_of::<Record>(), "not all of a {kind} record is counted");
    }
}
