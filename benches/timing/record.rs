//! Measures the suite on a GPU, has a profiler count it, and emulates it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::Write;

use serde_json::{Value, json};
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::emulator::ptx;
use warpscope::experiment::{BackendChoice, Target};
use warpscope::gpu;
use warpscope::own;
use warpscope::work::{Module, ResourceTable};

use crate::facts;
use crate::suite::{Case, Half, cases, contents};

/// The cases of a set: all on a GPU, the smallest where a run is only tried out.
fn of(set: &str, emulated: bool) -> impl Iterator<Item = Case> {
    cases().filter(move |case| {
        case.kernel.half.set() == set && (!emulated || case.n == case.kernel.sizes[0])
    })
}

/// What identifies a case, in the form of the other parts.
fn about(case: &Case) -> Value {
    json!({
        "algorithm": "suite", "variant": case.kernel.name, "block": case.threads(),
        "coarsen": 1, "n": case.n, "params": {},
    })
}

/// The first GPU, or the emulator where a run is only tried out.
fn open(emulated: bool) -> Box<dyn Backend> {
    let backend = if emulated { BackendChoice::Emulator } else { BackendChoice::Cuda };
    warpscope::backend::open(&Target { backend, ..Target::default() }).unwrap()
}

/// Measures every case: the median of up to 31 samples after a first, fewer of cases that
/// take long. A line of JSON each, with what the outputs hold.
pub(crate) fn measure(set: &str, emulated: bool, out: &mut impl Write) {
    let mut gpu = open(emulated);
    for case in of(set, emulated) {
        let (work, inputs, checks) = case.work();
        let line = match gpu.prepare(&work, &inputs) {
            Ok(prepared) => {
                let line = match gpu.sample(prepared) {
                    Ok(first) => {
                        let more = if emulated { 0 } else { (1.0 / first.seconds) as usize };
                        let mut seconds: Vec<f64> = (0..more.clamp(1, 31))
                            .map(|_| gpu.sample(prepared).unwrap().seconds)
                            .collect();
                        seconds.sort_by(f64::total_cmp);
                        let holds = checks.iter().enumerate().filter_map(|(buffer, check)| {
                            Some(contents(&gpu.read(prepared, buffer).unwrap(), (*check)?))
                        });
                        json!({
                            "case": about(&case), "seconds": seconds[seconds.len() / 2],
                            "samples": seconds.len(), "holds": holds.collect::<Vec<_>>(),
                            "device": gpu.device().name,
                        })
                    }
                    Err(failure) => json!({"case": about(&case), "failed": failure.to_string()}),
                };
                gpu.release(prepared);
                line
            }
            Err(failure) => json!({"case": about(&case), "failed": failure.to_string()}),
        };
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    }
}

/// Launches each kernel once at each size, with its first block, for a profiler to count.
/// Prints a line per launch.
pub(crate) fn once(set: &str, emulated: bool, out: &mut impl Write) {
    let mut gpu = open(emulated);
    for case in of(set, emulated).filter(|case| case.kernel.blocks[0] == case.block) {
        let (work, inputs, _) = case.work();
        let prepared = gpu.prepare(&work, &inputs).unwrap();
        let done = gpu.sample(prepared).is_ok();
        gpu.release(prepared);
        writeln!(out, "launch,{},{},{},{done}", case.kernel.name, case.n, case.threads()).unwrap();
        out.flush().unwrap();
    }
}

/// The names of all kernels, a line each, with class and half.
pub(crate) fn names(set: &str, out: &mut impl Write) {
    let names: BTreeMap<_, _> = of(set, false)
        .map(|case| (case.kernel.name, (case.kernel.class, case.kernel.half.part())))
        .collect();
    for (name, (class, part)) in names {
        writeln!(out, "{name},{class},{part}").unwrap();
    }
}

/// The resource table of a module on a machine without `ptxas`.
fn estimates(module: &Module) -> String {
    let parsed = ptx::parse(module.ptx, module.path).unwrap();
    ResourceTable::HEADER.to_owned() + &own::estimates(&parsed)
}

/// Emulates the cases of `measured`: those of the half for fitting, or with `report` all,
/// and writes what the model sees of each; with `estimated`, as if no assembler were found.
pub(crate) fn counts(measured: &str, report: bool, estimated: bool, out: &mut impl Write) {
    let mut tables: HashMap<&str, &str> = HashMap::new();
    // Blocks of two shapes may have as many threads: their cases come in order.
    let mut times: HashMap<String, VecDeque<f64>> = HashMap::new();
    for line in measured.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        if let Some(seconds) = value["seconds"].as_f64() {
            times.entry(value["case"].to_string()).or_default().push_back(seconds);
        }
    }
    let mut emulator = Emulated::open(Some(gpu::DEFAULT_GPU)).unwrap().keeping();
    for case in cases().filter(|case| report || case.kernel.half == Half::Fit) {
        let of_case = times.get_mut(&about(&case).to_string());
        let Some(seconds) = of_case.and_then(VecDeque::pop_front) else { continue };
        let (mut work, inputs, _) = case.work();
        if estimated {
            // As long as the program, like those of the suite.
            let table = || &*estimates(&work.module).leak();
            work.module.resources = tables.entry(work.module.path).or_insert_with(table);
        }
        let start = std::time::Instant::now();
        let prepared = emulator.prepare(&work, &inputs).unwrap();
        let sample = emulator.sample(prepared);
        emulator.release(prepared);
        let seen = emulator.take_seen();
        if let Err(failure) = sample {
            eprintln!("{} {}: {failure}", case.kernel.name, case.n);
            continue;
        }
        let launches: Vec<_> = seen.iter().map(facts::write).collect();
        let line = json!({
            "case": about(&case), "seconds": seconds, "sampled": false,
            "class": case.kernel.class, "part": case.kernel.half.part(),
            "wall": start.elapsed().as_secs_f64(), "launches": launches,
        });
        writeln!(out, "{line}").unwrap();
        out.flush().unwrap();
    }
}
