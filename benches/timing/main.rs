//! Compares the timing model with recordings.
//!
//!     timing counts RECORDING… [--budget WARP_INSTRUCTIONS] [--most N] [--known COUNTS]… > COUNTS
//!     timing measure > MEASURED
//!     timing outside MEASURED… [--budget WARP_INSTRUCTIONS] > COUNTS
//!     timing suite-measure [--set SET] > MEASURED
//!     timing suite MEASURED… [--report] [--estimated] > COUNTS
//!     timing suite-once [--set SET]
//!     timing suite-names [--set SET]
//!     timing suite-speed [--set SET|--set all] [--vectors=avx2] [KERNEL…]
//!     timing draw [--seed SEED] [--count COUNT] [--record] > RECORDING
//!     timing predict COUNTS… > PREDICTIONS
//!     timing fit COUNTS…
//!     timing folds COUNTS… [--folds FOLDS]
//!     timing cost
//!     timing shapes
//!
//! `counts` emulates the cases of recordings and writes what the model sees of each launch
//! beside what was measured, a line of JSON per case; cases that would issue more warp
//! instructions than the budget are left out. `measure` times kernels outside the eight systems
//! on a GPU, `outside` emulates them. `suite-measure` and `suite` do the same with the outside
//! suite, the latter with the half for fitting alone unless told `--report`, and with `--estimated`
//! as on a machine without `ptxas`; `suite-once`
//! launches each of its kernels once for a profiler to count (see `benches/timing/suite.sh`).
//! `--set suite_blind`, or one that ends in the number of a later set, `_2`, takes a blind set
//! instead of the two halves. `suite-speed` measures how fast the emulator runs them on two
//! cores, and prints CSV. `draw` draws random cases of the eight systems, and with `--record`
//! measures them. With `--emulated`, what measures tries itself out on the emulator. `predict`
//! has the program's model predict what `counts`, `outside` and `suite` wrote; `fit` fits the
//! model's factors to those of the cases that are for fitting, then again without each system,
//! which it predicts. `folds` predicts kernels of no system by fits that have not seen them.
//! `cost` measures what predicting costs on top of emulating; `shapes` predicts what others
//! reported of GPUs that nobody here measured.
#![allow(missing_docs, clippy::unwrap_used)]

use std::io::{BufWriter, Write};

use serde_json::{Value, json};
use warpscope::emulator::HostVectors;
use warpscope::gpu::{self, Factors, History};

mod cost;
mod counts;
mod draw;
mod facts;
mod fit;
mod outside;
mod record;
mod shapes;
mod speed;
mod suite;
mod validate;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(mode) = arguments.next() else { return };
    let mut files = Vec::new();
    let mut known = Vec::new();
    let mut budget = 100_000_000_u64;
    let mut most = u64::MAX;
    let mut factors = Factors::FITTED;
    let (mut report, mut estimated, mut emulated, mut recording) = (false, false, false, false);
    let mut set = "suite".to_owned();
    let (mut seed, mut count, mut folds) = (1, 240, 8);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--budget" => budget = arguments.next().unwrap().parse().unwrap(),
            "--most" => most = arguments.next().unwrap().parse().unwrap(),
            "--factors" => factors = fit::read(&arguments.next().unwrap()),
            "--known" => known.push(arguments.next().unwrap()),
            "--report" => report = true,
            "--estimated" => estimated = true,
            "--set" => set = arguments.next().unwrap(),
            "--record" => recording = true,
            "--seed" => seed = arguments.next().unwrap().parse().unwrap(),
            "--folds" => folds = arguments.next().unwrap().parse().unwrap(),
            "--count" => count = arguments.next().unwrap().parse().unwrap(),
            "--emulated" => emulated = true,
            "--vectors=avx2" => HostVectors::limit(HostVectors::Avx2),
            _ => files.push(argument),
        }
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    match mode.as_str() {
        "counts" => counts::run(&files, budget, most, &known, &mut out),
        "measure" => outside::measure(&mut out),
        "outside" => {
            for file in &files {
                let measured = std::fs::read_to_string(file).unwrap();
                outside::counts(&measured, budget, &mut out);
            }
        }
        "suite" => {
            for file in &files {
                let measured = std::fs::read_to_string(file).unwrap();
                record::counts(&measured, report, estimated, &mut out);
            }
        }
        "suite-measure" => record::measure(&set, emulated, &mut out),
        "suite-once" => record::once(&set, emulated, &mut out),
        "suite-speed" => speed::run(&set, &files, &mut out),
        "suite-names" => record::names(&set, &mut out),
        "draw" => draw::run(seed, count, recording, emulated, &mut out),
        "cost" => cost::run(&mut out),
        "shapes" => shapes::run(&mut out),
        "fit" => validate::fit(&files, &mut out),
        "folds" => validate::folds(&files, folds, &mut out),
        "predict" => predict(&files, &factors, &mut out),
        other => eprintln!(
            "there is no `{other}`: counts, measure, outside, suite, draw, predict, fit, folds, cost or shapes"
        ),
    }
}

/// Predicts the cases of files that `counts` wrote.
fn predict(files: &[String], factors: &Factors, out: &mut impl Write) {
    let profile = gpu::find_spec(gpu::DEFAULT_GPU).unwrap();
    for file in files {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let mut value: Value = serde_json::from_str(line).unwrap();
            let mut history = History::default();
            let mut seconds = 0.0;
            let mut launches = Vec::new();
            for launch in value["launches"].as_array().unwrap() {
                let (geometry, outcome) = facts::read(launch);
                let prediction =
                    gpu::predict_with(factors, &mut history, &outcome, &geometry, &profile);
                seconds += prediction.seconds;
                launches.push(json!({
                    "phase": launch["phase"], "kernel": launch["kernel"],
                    "seconds": prediction.seconds, "bound_by": prediction.bound_by,
                    "parts": prediction.parts, "occupancy": prediction.occupancy,
                    "low_confidence": prediction.extrapolated, "error": prediction.error,
                    "weak": prediction.weak,
                }));
            }
            let part = fit::part(&value).to_owned();
            value["part"] = part.into();
            value["predicted"] = seconds.into();
            value["launches"] = launches.into();
            writeln!(out, "{value}").unwrap();
        }
    }
}
