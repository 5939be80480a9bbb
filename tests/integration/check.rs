//! `--check` over kernels that are wrong on purpose and as many right ones:
//! nothing missed, no false alarm, and the line named.
//!
//! `tests/check/cases.csv` says how each kernel is launched and what has to be
//! found; in the sources, lines where something is wrong end in `BAD`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use crate::support::{Place, Ran};
use serde_json::Value;

const CASES: &str = include_str!("../check/cases.csv");

/// What each tool of compute-sanitizer 2025.3.1 reported on an H200 (driver
/// 580.159.04) when `exec --backend cuda` ran the same cases. `fault`: the
/// kernel faulted under a tool that looks for something else; `host`: the copy
/// back to the host read what nobody wrote; `hangs`: no end after 25 seconds; `unrecorded`:
/// written after the recording.
const REFERENCE: &str = include_str!("../check/compute_sanitizer.csv");

/// Its reports that `--check` does not share, and why.
const NOT_SHARED: [(&str, &str); 3] = [
    ("barrier_good_flag", "racecheck takes volatile flags for plain accesses"),
    ("progress_bad_shared", "racecheck takes volatile flags for plain accesses"),
    ("progress_good_shared", "racecheck takes volatile flags for plain accesses"),
];

/// Wrong kernels, by the start of their name, on which no tool reports
/// anything, and why.
const ONLY_HERE: [(&str, &str); 7] = [
    ("race_global", "racecheck looks at shared memory only"),
    ("race_shared_bad_clear", "racecheck lets a plain write and an atomic pass"),
    ("uninit_bad_shared", "initcheck looks at global memory only"),
    ("barrier_bad_loop", "synccheck lets threads that have ended pass"),
    ("barrier_bad_return", "synccheck lets threads that have ended pass"),
    ("mask_bad", "synccheck lets named lanes that do not exist pass"),
    ("progress_bad_flag", "it asks how an H200 runs it, where lanes progress by themselves"),
];

/// One row of the table.
struct Case {
    kernel: String,
    file: String,
    command: String,
    finding: Option<String>,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

fn cases() -> Vec<Case> {
    let mut reader = csv::Reader::from_reader(CASES.as_bytes());
    reader
        .records()
        .map(|record| {
            let record = record.unwrap();
            let [kernel, grid, block, shared, arguments, finding] =
                [0, 1, 2, 3, 4, 5].map(|at| record.get(at).unwrap());
            let end = kernel.find("_bad_").or(kernel.find("_good_")).unwrap();
            let file = kernel[..end].to_owned();
            let ptx = folder().join(format!("{file}.ptx"));
            let arguments = format!(" --arg {}", arguments.replace(' ', " --arg "));
            Case {
                command: format!(
                    "exec {} --entry {kernel} --grid {grid} --block {block} --shared {shared}{arguments}",
                    ptx.display()
                ),
                kernel: kernel.to_owned(),
                file,
                finding: (!finding.is_empty()).then(|| finding.to_owned()),
            }
        })
        .collect()
}

/// A place with the one input file that cases name.
fn place() -> Place {
    let place = Place::new();
    let far: Vec<u8> = (0..64_u32).flat_map(|i| (16896 + i).to_le_bytes()).collect();
    fs::write(place.path("far.raw"), far).unwrap();
    place
}

fn object(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

/// Lines of a source that end in `BAD`.
fn bad_lines(file: &str) -> BTreeSet<u64> {
    let text = fs::read_to_string(folder().join(format!("{file}.cu"))).unwrap();
    let bad = text.lines().zip(1..).filter(|(line, _)| line.ends_with("BAD"));
    bad.map(|(_, number)| number).collect()
}

#[test]
fn what_is_wrong_is_found_at_its_line_and_nothing_else() {
    let place = place();
    let mut wrong = Vec::new();
    for case in cases() {
        let ran = place.run(&format!("{} --check --json", case.command));
        let object = object(&ran);
        let findings = object["findings"].as_array().unwrap();
        let kinds: BTreeSet<&str> =
            findings.iter().map(|finding| finding["kind"].as_str().unwrap()).collect();
        let expected: BTreeSet<&str> = case.finding.as_deref().into_iter().collect();
        let lines = bad_lines(&case.file);
        let at_bad_line = |finding: &Value| {
            let line = |value: &Value| value.as_u64().is_some_and(|line| lines.contains(&line));
            line(&finding["line"]) || line(&finding["other"]["line"])
        };
        let placed = findings.iter().all(at_bad_line);
        let exit = if case.finding.is_some() { 3 } else { 0 };
        let seen_all = object["not_checked"].as_array().unwrap().is_empty();
        if kinds != expected || !placed || ran.code != Some(exit) || !seen_all {
            wrong.push(format!("{}: {object:#}", case.kernel));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn compute_sanitizer_finds_the_same_but_for_named_exceptions() {
    let expected: BTreeMap<String, Option<String>> =
        cases().into_iter().map(|case| (case.kernel, case.finding)).collect();
    let mut compared = 0;
    for record in csv::Reader::from_reader(REFERENCE.as_bytes()).records() {
        let record = record.unwrap();
        let kernel = &record[0];
        let finding = expected[kernel].as_deref();
        let reports: Vec<&str> =
            record.iter().skip(1).filter(|report| !["", "host"].contains(report)).collect();
        compared += 1;
        if reports == ["unrecorded"] {
            continue;
        }
        if reports.is_empty() {
            let named = ONLY_HERE.iter().any(|(start, _)| kernel.starts_with(start));
            assert!(finding.is_none() || named, "{kernel}: {finding:?} is found here only");
            continue;
        }
        let shared = reports.iter().all(|report| match *report {
            "invalid" => matches!(finding, Some("out-of-bounds" | "wrong-allocation")),
            "misaligned" => finding == Some("misaligned"),
            "uninitialised" => finding == Some("uninitialised"),
            "race" => finding == Some("race"),
            "divergent" => finding == Some("divergent-barrier"),
            "hangs" => finding == Some("progress"),
            "fault" => finding.is_some(),
            other => panic!("{kernel}: unknown report {other}"),
        });
        let named = NOT_SHARED.iter().any(|(name, _)| *name == kernel);
        assert!(shared != named, "{kernel}: {reports:?} there, {finding:?} here");
    }
    assert_eq!(compared, expected.len());
}

#[test]
fn every_class_has_five_wrong_kernels_and_as_many_right_ones() {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in cases() {
        let count = counts.entry(case.file).or_default();
        if case.finding.is_some() {
            count.0 += 1;
        } else {
            count.1 += 1;
        }
    }
    assert_eq!(counts.len(), 9);
    for (class, (wrong, right)) in counts {
        assert!(wrong >= 5 && right >= 5, "{class}: {wrong} wrong, {right} right");
    }
}

#[test]
fn findings_are_the_same_each_time() {
    let place = place();
    for case in cases().into_iter().filter(|case| case.kernel.starts_with("race")) {
        let findings =
            || object(&place.run(&format!("{} --check --json", case.command)))["findings"].clone();
        assert_eq!(findings(), findings(), "{}", case.kernel);
    }
}

#[test]
fn findings_are_told_in_words() {
    let place = place();
    let case = cases().into_iter().find(|case| case.kernel == "race_shared_bad_collide").unwrap();
    let ran = place.run(&format!("{} --check", case.command));
    let line = bad_lines("race_shared").into_iter().next_back().unwrap();
    for part in [
        "check             1 finding".to_owned(),
        format!("tests/check/race_shared.cu:{line}, block (0, 0, 0), 16 threads from 1 to 31"),
        "`st.shared.u32` by lane 1 ".to_owned(),
    ] {
        assert!(ran.out.contains(&part), "{part} is missing from: {}", ran.out);
    }
    let case = cases().into_iter().find(|case| case.kernel == "race_shared_good_reduce").unwrap();
    let ran = place.run(&format!("{} --check", case.command)).fine();
    assert!(ran.out.contains("no findings"), "{}", ran.out);
}

#[test]
fn our_own_kernels_are_clean() {
    let place = Place::new();
    let ptx = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("kernels/ptx/histogram.ptx");
    for variant in ["global", "shared"] {
        for (binning, n) in [("modulo", 5000), ("range", 4097)] {
            let ran = place.run(&format!(
                "exec {} --entry histogram_{variant}_{binning} --grid 5 --block 96 --shared 1024 \
                 --arg buffer=u32:{n}:random:3 --arg u32={n} --arg buffer=u32:256:zeros \
                 --arg u32=256 --check",
                ptx.display()
            ));
            assert!(ran.fine().out.contains("no findings"));
        }
    }
}

#[test]
fn an_access_that_goes_wrong_does_not_hide_the_next() {
    let place = place();
    let ptx = folder().join("bounds.ptx");
    // Too small a buffer, and one lane past it: the others still write.
    let ran = place.run(&format!(
        "exec {} --entry bounds_bad_end --grid 1 --block 64 --arg buffer=u32:48:ones \
         --arg u32=48 --check --json --dump 0=out.raw",
        ptx.display()
    ));
    assert_eq!(ran.code, Some(3));
    let object = object(&ran);
    assert_eq!(object["trap"], Value::Null);
    assert_eq!(object["findings"][0]["lanes"], serde_json::json!([48]));
    let expected: Vec<u8> = (0..48_u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(fs::read(place.path("out.raw")).unwrap(), expected);
}
