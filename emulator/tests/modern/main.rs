//! Instructions for matrices, barriers in shared memory, bulk copies and clusters, against
//! what an H200 gave.
//!
//! `tests/ptx_modern/cases.csv` lists the kernels with their inputs; `expected.txt` has a hash
//! per block of results. `benches/h200/modern` wrote both. To see all results:
//!
//!     WARPSCOPE_MODERN_OUT=folder cargo test -p warpscope-emulator --test modern

#![allow(clippy::unwrap_used)]

mod inputs;

use std::collections::BTreeMap;
use std::path::Path;

use warpscope_emulator::{Launch, Module, Report};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/ptx_modern");

/// A kernel and its launch.
struct Case {
    file: String,
    kernel: String,
    grid: [u32; 3],
    block: u32,
    bytes_in: usize,
    bytes_out: usize,
    /// Bytes of results per hash.
    chunk: usize,
    input: Vec<String>,
}

fn read(name: &str) -> String {
    let path = Path::new(FOLDER).join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn cases() -> Vec<Case> {
    let case = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields[index].parse::<usize>().unwrap();
        let grid: Vec<u32> = fields[2].split(' ').map(|axis| axis.parse().unwrap()).collect();
        Case {
            file: fields[0].to_owned(),
            kernel: fields[1].to_owned(),
            grid: grid.try_into().unwrap(),
            block: number(3) as u32,
            bytes_in: number(4),
            bytes_out: number(5),
            chunk: number(6),
            input: fields[7].split(' ').map(str::to_owned).collect(),
        }
    };
    read("cases.csv").lines().skip(1).map(case).collect()
}

/// The rows that each pattern of addresses names, one per lane.
fn offsets() -> Vec<Vec<u32>> {
    let line = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
    read("offsets.txt").lines().map(line).collect()
}

fn input(case: &Case) -> Vec<u8> {
    let words: Vec<&str> = case.input.iter().map(String::as_str).collect();
    let bytes = match words.as_slice() {
        ["mma", kinds @ ..] => inputs::product(kinds, u64::from(case.grid[0])),
        ["wmma", factor, sum] => inputs::stored(factor, sum),
        ["rows"] => offsets().concat().into_iter().flat_map(u32::to_le_bytes).collect(),
        ["count"] => {
            (0..case.bytes_in as u32 / 4).flat_map(|i| (i * 3 + 1).to_le_bytes()).collect()
        }
        ["zero"] => vec![0; case.bytes_in],
        other => panic!("no input {other:?}"),
    };
    assert_eq!(bytes.len(), case.bytes_in, "{}", case.kernel);
    bytes
}

fn run(case: &Case, text: &str) -> Report {
    let module = Module::load_file(text, &case.file).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.kernel(&case.kernel).unwrap_or_else(|error| panic!("{error}"));
    let launch = Launch::new(&kernel).grid(case.grid).block(case.block);
    launch.input(&input(case)).output::<u8>(case.bytes_out).run()
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Runs the kernels of `file`; all have to give what was recorded.
fn check(file: &str) {
    let text = read(&format!("{file}.ptx"));
    let expected = read("expected.txt");
    let expected: BTreeMap<&str, Vec<u64>> = expected
        .lines()
        .filter_map(|line| {
            let (kernel, hashes) = line.split_once(' ')?;
            let hashes = hashes.split(' ').map(|hash| u64::from_str_radix(hash, 16).unwrap());
            Some((kernel, hashes.collect()))
        })
        .collect();
    let mut wrong = Vec::new();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.file == file).collect();
    assert!(!cases.is_empty());
    for case in &cases {
        let report = run(case, &text);
        let found = report.buffer::<u8>(1);
        if let Some(folder) = std::env::var_os("WARPSCOPE_MODERN_OUT") {
            std::fs::write(Path::new(&folder).join(format!("{}.bin", case.kernel)), &found)
                .unwrap();
        }
        let hashes: Vec<u64> = found.chunks(case.chunk).map(hash).collect();
        let expected = &expected[case.kernel.as_str()];
        let differ = hashes.iter().zip(expected).filter(|(found, expected)| found != expected);
        let count = differ.count();
        if count > 0 || report.trap.is_some() || hashes.len() != expected.len() {
            wrong.push(format!("{}: {count} of {} {:?}", case.kernel, expected.len(), report.trap));
        }
    }
    assert!(wrong.is_empty(), "{file}: {wrong:#?}");
}

#[test]
fn products_are_those_of_an_h200() {
    check("matrix");
}

#[test]
fn rows_of_matrices_move_as_on_an_h200() {
    check("rows");
}

#[test]
fn rows_of_matrices_take_the_passes_of_an_h200() {
    let (text, offsets) = (read("rows.ptx"), offsets());
    let module = Module::load_file(&text, "rows.ptx").unwrap();
    for line in read("wavefronts.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields[index].parse::<u64>().unwrap();
        let kernel = module.kernel(fields[0]).unwrap();
        let launch = Launch::new(&kernel).block(32).input(&offsets[number(1) as usize]);
        let counters = launch.output::<u32>(32 * 64).run().counters;
        let passes = if fields[0].starts_with("ld") {
            counters.shared_load_wavefronts
        } else {
            // The kernel sets all 8 KiB of its shared memory to zero first.
            counters.shared_store_wavefronts - 64
        };
        assert_eq!((passes, counters.shared_bank_conflicts), (number(2), number(3)), "{line}");
    }
}
