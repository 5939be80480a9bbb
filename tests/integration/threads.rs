//! Every kernel that the tests have, on 1, 2 and 16 host threads: the same
//! buffers, text and counters, unless the kernel is marked to depend on who comes
//! first, or `--check` says that it races.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use warpscope::emulator::ptx::{self, Item};
use warpscope::emulator::{self, FindingKind, Kernel, Memory, Options, Setting};
use warpscope::work::Dim3;

const GRID: Dim3 = Dim3 { x: 19, y: 1, z: 1 };
const BLOCK: Dim3 = Dim3 { x: 96, y: 1, z: 1 };

/// Bytes of each buffer: enough for what the kernels of the tests index.
const BYTES: u64 = 1 << 16;

/// What each buffer starts with.
static VALUES: LazyLock<Vec<u32>> =
    LazyLock::new(|| (0..BYTES as u32 / 4).map(|i| i.wrapping_mul(2_654_435_761) >> 20).collect());

/// What a launch leaves behind, or its trap.
#[derive(Debug, PartialEq)]
struct Left {
    outcome: Option<emulator::Outcome>,
    trap: Option<warpscope::work::Trap>,
    printed: Vec<u8>,
    buffers: Vec<Vec<u8>>,
}

/// Where the tests' kernels are. Those of `tests/check` that are wrong on
/// purpose race.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in [
        "tests/ptx",
        "tests/ptx_programs",
        "tests/check",
        "tests/arith",
        "kernels/ptx",
        "kernels/device/ptx",
        "benches/h200",
    ] {
        for entry in fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The words of arguments for parameters of these types: buffers for 64-bit
/// ones, small numbers for others.
fn arguments(params: &[ptx::Param], memory: &mut Memory) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut words, mut buffers) = (Vec::new(), Vec::new());
    for param in params {
        if param.count != 1 {
            return None;
        }
        match param.ty {
            "u64" | "s64" | "b64" => {
                let address = memory.allocate(BYTES);
                memory.write_u32(address, &VALUES);
                buffers.push(address);
                words.push(address);
            }
            "f32" => words.push(u64::from(1.5_f32.to_bits())),
            "f64" => words.push(1.5_f64.to_bits()),
            _ => words.push(64),
        }
    }
    Some((words, buffers))
}

/// Runs a kernel; nothing if it takes what this cannot give, or is refused.
fn run(kernel: &Kernel, function: &ptx::Function, threads: usize) -> Option<(Left, bool)> {
    let mut memory = Memory::new();
    let (args, buffers) = arguments(&function.params, &mut memory)?;
    let options = Options { threads, budget: 200_000, ..Options::default() };
    let ran = emulator::run(kernel, GRID, BLOCK, 1024, &args, &memory, options);
    let dependent = ran.outcome.schedule_dependent;
    let printed = ran.outcome.printed.clone();
    let whole = ran.trap.is_none();
    let left = Left {
        outcome: whole.then_some(ran.outcome),
        printed,
        // Blocks behind one that traps may or may not have run.
        buffers: if whole {
            buffers.iter().map(|&at| memory.read_bytes(at)).collect()
        } else {
            Vec::new()
        },
        trap: ran.trap,
    };
    Some((left, dependent))
}

/// Whether `--check` says that it races: cases of single instructions, made for
/// one block, do where several run.
fn races(text: &str, module: &ptx::Module, function: &ptx::Function) -> bool {
    let kernel = emulator::load(text, "k.ptx", function.name).unwrap();
    let mut memory = Memory::new();
    let Some((args, _)) = arguments(&function.params, &mut memory) else { return false };
    let setting =
        Setting { grid: GRID, block: BLOCK, shared_bytes: 1024, args: &args, unwritten: &[] };
    let options = Options { budget: 200_000, ..Options::default() };
    let checked = emulator::check(&kernel, module, setting, &memory, options);
    checked.findings.iter().any(|finding| finding.kind == FindingKind::Race)
}

/// Loads a kernel from its own part of the file where that suffices: parsing all of a
/// large file for each of its kernels takes longer than running them.
fn load(text: &str, name: &str) -> Option<Kernel> {
    let mut parts = text.split("\n.visible .entry ");
    let head = parts.next()?;
    let own = parts.find(|part| part.starts_with(&format!("{name}(")))?;
    let alone = format!("{head}\n.visible .entry {own}");
    let load = |text: &str| emulator::load(text, "k.ptx", name).ok();
    load(&alone).or_else(|| load(text))
}

#[test]
fn results_and_counters_do_not_depend_on_the_number_of_host_threads() {
    let mut wrong = BTreeSet::new();
    let (mut compared, mut trapped, mut dependent, mut left_out) = (0, 0, 0, 0);
    for path in files() {
        let text = fs::read_to_string(&path).unwrap();
        let Ok(module) = ptx::parse(&text, "k.ptx") else { continue };
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            if !function.entry || function.name.contains("_bad_") {
                continue;
            }
            let kernel = load(&text, function.name);
            let Some((kernel, (one, depends))) =
                kernel.and_then(|kernel| run(&kernel, function, 1).map(|ran| (kernel, ran)))
            else {
                left_out += 1;
                continue;
            };
            if depends {
                dependent += 1;
                continue;
            }
            compared += 1;
            trapped += usize::from(one.trap.is_some());
            for threads in [2, 16] {
                let (other, _) = run(&kernel, function, threads).unwrap();
                if other != one && !races(&text, &module, function) {
                    let name = path.file_name().unwrap().to_string_lossy().into_owned();
                    wrong.insert(format!("{name}: {} on {threads} threads", function.name));
                }
            }
        }
    }
    println!("{compared} compared ({trapped} trap), {dependent} marked, {left_out} left out");
    assert!(wrong.is_empty(), "{}: {wrong:#?}", wrong.len());
    assert!(compared > 500 && trapped < compared / 5, "{compared} compared, {trapped} trap");
}
