//! One tiny kernel per instruction and type form (`tests/ptx/`), on the
//! emulator and, where there is one, on a GPU, against what an H200 gave.
//!
//! `tests/ptx/unsupported.csv` lists the forms that the emulator refuses, and
//! those that it is known to get wrong, with the reason. A listed form that
//! starts to work fails the test, and so does any other that does not. To
//! bring the refused ones up to date:
//!
//!     WARPSCOPE_PTX_UPDATE=1 cargo test --test integration ptx_cases
//!
//! To record the results anew, on a machine with a GPU:
//!
//!     WARPSCOPE_PTX_RECORD=tests/ptx/expected cargo test --test integration ptx_cases::gpu
//!
//! or only of some files, with `WARPSCOPE_PTX_FILES=video,narrow` before it.

mod compare;
mod inputs;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use inputs::{CELLS, columns};
use warpscope::emulator::{self, Memory, Options};
use warpscope::work::Dim3;

macro_rules! files {
    ($($name:literal),*) => { &[$(($name, include_str!(concat!("../ptx/", $name, ".ptx")))),*] };
}
const FILES: &[(&str, &str)] = files![
    "atomic", "compare", "control", "convert", "float", "half", "integer", "logic", "memory",
    "move", "narrow", "video", "warp", "wide"
];
const CASES: &str = include_str!("../ptx/cases.csv");
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ptx");

const UPDATE: &str =
    "to update the list: WARPSCOPE_PTX_UPDATE=1 cargo test --test integration ptx_cases";

struct Case {
    file: &'static str,
    kernel: &'static str,
    operands: Vec<&'static str>,
    threads: u32,
    rule: &'static str,
}

fn cases() -> Vec<Case> {
    let case = |line: &'static str| {
        let [file, kernel, operands, threads, rule] =
            line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let (operands, threads) = (operands.split(' ').collect(), threads.parse().unwrap());
        Case { file, kernel, operands, threads, rule }
    };
    CASES.lines().skip(1).map(case).collect()
}

fn text(file: &str) -> &'static str {
    FILES.iter().find(|(name, _)| *name == file).unwrap().1
}

/// A file with one kernel only, on the lines where it stands, so that what is
/// wrong with another does not matter.
fn alone(text: &str, kernel: &str) -> String {
    const ENTRY: &str = "\n.visible .entry ";
    let head = text.find(ENTRY).unwrap();
    let start = text.find(&format!("{ENTRY}{kernel}(")).unwrap();
    let end = text[start + 1..].find(ENTRY).map_or(text.len(), |at| start + 1 + at);
    let blank = "\n".repeat(text[head..start].matches('\n').count());
    format!("{}{blank}{}", &text[..head], &text[start..end])
}

/// Words in hexadecimal; `x*n` stands for n times x.
fn pack(words: &[u64]) -> String {
    let mut line = String::new();
    for run in words.chunk_by(|a, b| a == b) {
        match run.len() {
            1 => write!(line, " {:x}", run[0]).unwrap(),
            n => write!(line, " {:x}*{n}", run[0]).unwrap(),
        }
    }
    line
}

fn unpack(words: &str) -> Vec<u64> {
    let run = |word: &str| {
        let (word, n) = word.split_once('*').unwrap_or((word, "1"));
        vec![u64::from_str_radix(word, 16).unwrap(); n.parse().unwrap()]
    };
    words.split_whitespace().flat_map(run).collect()
}

/// What was recorded, by file and kernel.
fn recorded() -> BTreeMap<(&'static str, String), Vec<u64>> {
    let mut found = BTreeMap::new();
    for (file, _) in FILES {
        let path = Path::new(FOLDER).join(format!("expected/{file}.txt"));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (kernel, words) = line.split_once(' ').unwrap();
            found.insert((*file, kernel.to_owned()), unpack(words));
        }
    }
    found
}

fn halves(cells: &[u64]) -> Vec<u32> {
    cells.iter().flat_map(|cell| [*cell as u32, (cell >> 32) as u32]).collect()
}

fn cells(halves: &[u32]) -> Vec<u64> {
    halves.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect()
}

/// What the emulator gives: an error if it refuses the kernel.
fn emulate(case: &Case) -> Result<Vec<u64>, String> {
    let path = format!("{}.ptx", case.file);
    let kernel = emulator::load(&alone(text(case.file), case.kernel), &path, case.kernel)
        .map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let input = memory.allocate(3 * CELLS as u64 * 8);
    let output = memory.allocate(u64::from(case.threads) * 8);
    memory.write_u32(input, &halves(&columns(&case.operands)));
    let (grid, block) = (Dim3::linear(1), Dim3::linear(case.threads));
    let options = Options { threads: 1, budget: 10_000_000, ..Options::default() };
    match emulator::launch(&kernel, grid, block, 0, &[input, output], &memory, options) {
        Ok(_) => Ok(cells(&memory.read_u32(output))),
        // A trap gives no results, which differ from any.
        Err(trap) => {
            println!("{}: {trap}", case.kernel);
            Ok(Vec::new())
        }
    }
}

/// How results differ from the recorded ones, in words; empty if they do not.
fn differences(case: &Case, found: &[u64], expected: &[u64]) -> String {
    if found.len() != expected.len() {
        return format!("{} results, not {}", found.len(), expected.len());
    }
    let wrong: Vec<usize> = (0..found.len())
        .filter(|&at| !compare::same(case.kernel, case.rule, found[at], expected[at]))
        .collect();
    let columns = columns(&case.operands);
    let mut text = String::new();
    for &at in wrong.iter().take(4) {
        let operands: Vec<String> =
            (0..case.operands.len()).map(|c| format!("{:x}", columns[c * CELLS + at])).collect();
        write!(text, " [{at}] {}: {:x} not {:x};", operands.join(", "), found[at], expected[at])
            .unwrap();
    }
    if wrong.is_empty() { text } else { format!("{} wrong:{text}", wrong.len()) }
}

/// A row of the table of forms that do not work.
#[derive(Debug, PartialEq)]
struct Gap {
    file: String,
    kernel: String,
    state: String,
    reason: String,
}

/// The table of gaps.
fn listed() -> Vec<Gap> {
    let path = Path::new(FOLDER).join("unsupported.csv");
    csv::Reader::from_path(path)
        .unwrap()
        .records()
        .map(|record| {
            let record = record.unwrap();
            let [file, kernel, state, reason] =
                record.iter().map(str::to_owned).collect::<Vec<_>>().try_into().unwrap();
            assert!(!reason.is_empty(), "{file} {kernel} has no reason");
            Gap { file, kernel, state, reason }
        })
        .collect()
}

#[test]
fn every_form_gives_what_an_h200_gives() {
    let recorded = recorded();
    let listed = listed();
    let mut gaps = Vec::new();
    for case in &cases() {
        let (state, reason) = match emulate(case) {
            Err(reason) => ("refused", reason),
            Ok(found) => {
                let expected = &recorded[&(case.file, case.kernel.to_owned())];
                ("wrong", differences(case, &found, expected))
            }
        };
        if !reason.is_empty() {
            let (file, kernel) = (case.file.to_owned(), case.kernel.to_owned());
            gaps.push(Gap { file, kernel, state: state.to_owned(), reason });
        }
    }
    let count = |state: &str| gaps.iter().filter(|gap| gap.state == state).count();
    println!("{} forms, {} refused, {} wrong", cases().len(), count("refused"), count("wrong"));
    if std::env::var_os("WARPSCOPE_PTX_UPDATE").is_some() {
        update(&gaps, &listed);
        return;
    }
    let is = |a: &Gap, b: &Gap| (&a.file, &a.kernel, &a.state) == (&b.file, &b.kernel, &b.state);
    let news: Vec<_> = gaps.iter().filter(|gap| !listed.iter().any(|old| is(gap, old))).collect();
    assert!(news.is_empty(), "these do not work, and are not listed: {news:#?}\n{UPDATE}");
    let stale: Vec<_> = listed.iter().filter(|old| !gaps.iter().any(|gap| is(gap, old))).collect();
    assert!(
        stale.is_empty(),
        "these are listed as not working, and are not so: {stale:#?}\n{UPDATE}"
    );
}

/// Writes what is refused, keeping the known wrong ones that still are wrong.
fn update(gaps: &[Gap], listed: &[Gap]) {
    let mut table = csv::Writer::from_path(Path::new(FOLDER).join("unsupported.csv")).unwrap();
    table.write_record(["file", "kernel", "state", "reason"]).unwrap();
    for gap in gaps {
        let known = listed.iter().find(|old| {
            old.state == "wrong" && (&old.file, &old.kernel) == (&gap.file, &gap.kernel)
        });
        let reason = match gap.state.as_str() {
            "refused" => &gap.reason,
            _ => match known {
                Some(known) => &known.reason,
                None => continue,
            },
        };
        table.write_record([&gap.file, &gap.kernel, &gap.state, reason]).unwrap();
    }
    table.flush().unwrap();
}

#[cfg(target_os = "linux")]
mod gpu {
    use std::sync::Arc;

    use super::*;
    use crate::support::builders::cuda;
    use warpscope::backend::cuda::Cuda;
    use warpscope::backend::{Backend, Failure};
    use warpscope::work::{Arg, Buffer, Element, HostBuffer, Inputs, Launch, Module, Work};

    fn run(cuda: &mut Cuda, case: &Case) -> Result<Vec<u64>, Failure> {
        let inputs: Inputs = vec![Arc::new(HostBuffer::U32(halves(&columns(&case.operands))))];
        let words = case.threads as usize * 2;
        let module = Module {
            name: case.file,
            path: case.file,
            ptx: text(case.file),
            source: "",
            resources: "",
        };
        let buffers = vec![
            Buffer::input("in", 0, Element::U32, inputs[0].len() as u64),
            Buffer::zeroed("out", Element::U32, words),
        ];
        let launch = Launch {
            phase: "case",
            kernel: case.kernel.to_owned(),
            grid: Dim3::linear(1),
            block: Dim3::linear(case.threads),
            shared_bytes: 0,
            args: vec![Arg::Buffer(0), Arg::Buffer(1)],
        };
        let work = Work::of_launches(module, buffers, [launch]);
        let prepared = cuda.prepare(&work, &inputs)?;
        cuda.sample(prepared)?;
        let found = cells(cuda.read(prepared, 1)?.as_u32().unwrap());
        cuda.release(prepared);
        Ok(found)
    }

    #[test]
    fn gpu_gives_what_is_recorded() {
        let Some(mut cuda) = cuda() else { return };
        let folder = std::env::var_os("WARPSCOPE_PTX_RECORD");
        let recorded = if folder.is_some() { BTreeMap::new() } else { recorded() };
        let device = cuda.device().clone();
        let only = std::env::var("WARPSCOPE_PTX_FILES").unwrap_or_default();
        let wanted = |file: &str| only.is_empty() || only.split(',').any(|name| name == file);
        for (file, _) in FILES.iter().filter(|(file, _)| wanted(file)) {
            let mut lines = format!(
                "# Results of {file}.ptx, a line per kernel: its output cells in hexadecimal, x*n for n times x.\n\
                 # Device: {}\n# Driver: {}\n# Date: {}\n\
                 # Command: WARPSCOPE_PTX_RECORD=tests/ptx/expected cargo test --test integration ptx_cases::gpu\n",
                device.name,
                device.driver.as_deref().unwrap_or("unknown"),
                jiff::Timestamp::now().strftime("%Y-%m-%d"),
            );
            for case in cases().iter().filter(|case| case.file == *file) {
                let found = match run(&mut cuda, case) {
                    Ok(found) => found,
                    Err(error) if folder.is_some() => {
                        println!("{file} {}: {error}", case.kernel);
                        continue;
                    }
                    Err(error) => panic!("{}: {error}", case.kernel),
                };
                writeln!(lines, "{}{}", case.kernel, pack(&found)).unwrap();
                if folder.is_none() {
                    let expected = &recorded[&(case.file, case.kernel.to_owned())];
                    assert_eq!(found, *expected, "{file} {}", case.kernel);
                }
            }
            if let Some(folder) = &folder {
                std::fs::create_dir_all(folder).unwrap();
                std::fs::write(Path::new(folder).join(format!("{file}.txt")), lines).unwrap();
            }
        }
    }
}
