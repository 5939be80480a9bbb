//! Predictions for GPUs that nobody here measured, beside what others reported of them.

use std::io::Write;

use warpscope::algorithms::{self, sampling};
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::experiment::{Case, ParamValue, Sizes};
use warpscope::units::BlockSize;
use warpscope::work::Sampling;

/// One configuration that was reported.
struct Reported {
    gpu: &'static str,
    algorithm: &'static str,
    n: u64,
    block: u32,
    /// Two variants, and the milliseconds that were reported of each.
    variants: [(&'static str, f64); 2],
}

const fn reported(
    gpu: &'static str,
    algorithm: &'static str,
    n: u64,
    block: u32,
    variants: [(&'static str, f64); 2],
) -> Reported {
    Reported { gpu, algorithm, n, block, variants }
}

/// From `assets/reported/reported.csv`. Where no block size was stated, 256 threads.
const REPORTED: [Reported; 13] = {
    const OLD: &str = "GTX 745";
    const HISTOGRAM: &str = "histogram";
    [
        reported(OLD, HISTOGRAM, 1024, 32, [("global", 0.411_104), ("shared", 0.335_808)]),
        reported(OLD, HISTOGRAM, 65_536, 32, [("global", 0.561_231), ("shared", 0.535_328)]),
        reported(OLD, HISTOGRAM, 1 << 20, 32, [("global", 1.226_4), ("shared", 0.985_856)]),
        reported(OLD, HISTOGRAM, 1 << 24, 32, [("global", 14.686), ("shared", 11.707)]),
        reported(OLD, HISTOGRAM, 1 << 28, 32, [("global", 231.637), ("shared", 182.782)]),
        reported(OLD, "matmul", 128, 256, [("global", 0.108_032), ("tiled", 0.078_272)]),
        reported(OLD, "matmul", 512, 256, [("global", 5.830_91), ("tiled", 3.376_256)]),
        reported(OLD, "matmul", 1024, 256, [("global", 64.213), ("tiled", 22.313)]),
        reported(OLD, "matmul", 2048, 256, [("global", 512.123), ("tiled", 171.156)]),
        reported(OLD, "matmul", 8192, 256, [("global", 35_143.3), ("tiled", 10_715.5)]),
        reported(
            OLD,
            "reduce",
            1 << 20,
            256,
            [("sequential+final=cpu", 0.736_908), ("sequential+final=gpu", 1.99)],
        ),
        reported(
            "Titan X (Pascal)",
            "distance-histogram",
            16_384,
            128,
            [("global", f64::NAN), ("tiled-privatised", f64::NAN)],
        ),
        reported(
            "Titan X (Pascal)",
            "distance-histogram",
            65_536,
            128,
            [("global", f64::NAN), ("tiled-privatised", f64::NAN)],
        ),
    ]
};

/// Writes a table, and where the histogram's variants part ways.
pub(crate) fn run(out: &mut impl Write) {
    writeln!(out, "| GPU, system, n, block | reported | | predicted | |").unwrap();
    writeln!(out, "|---|--:|--:|--:|--:|").unwrap();
    for it in &REPORTED {
        let [(first, a), (second, b)] = it.variants;
        let [x, y] = [first, second].map(|variant| 1e3 * seconds(it, variant));
        let told = |value: f64| if value.is_nan() { String::new() } else { format!("{value:.3}") };
        let ratio = if a.is_nan() { String::new() } else { format!("{:.2}x", a / b) };
        writeln!(
            out,
            "| {}, {} `{first}`, `{second}`, {}, {} | {}, {} ms | {ratio} | {x:.3}, {y:.3} ms | {:.2}x |",
            it.gpu, it.algorithm, it.n, it.block, told(a), told(b), x / y,
        )
        .unwrap();
        out.flush().unwrap();
    }
    for gpu in ["GTX 745", "H200 SXM"] {
        let it =
            |n| Reported { gpu, algorithm: "histogram", n, block: 32, variants: [("", 0.0); 2] };
        let slower = |n: u64| seconds(&it(n), "global") > seconds(&it(n), "shared");
        let first = (4..20).map(|power| 1_u64 << power).find(|&n| slower(n));
        writeln!(
            out,
            "\nhistogram, block 32, 8 bins, {gpu}: `shared` is the faster one from n = {first:?} on"
        )
        .unwrap();
    }
}

/// Predicted seconds of kernels, coarsening 1, sampled where the program would.
fn seconds(it: &Reported, variant: &str) -> f64 {
    let algorithm = algorithms::find(it.algorithm).unwrap();
    let mut experiment = algorithms::opening(algorithm);
    experiment.variants = vec![variant.to_owned()];
    experiment.sizes = Sizes::range(it.n, it.n, 2);
    if it.algorithm == "histogram" {
        experiment.params.insert("bins".to_owned(), vec![ParamValue::Int(8)]);
    }
    experiment.blocks = vec![BlockSize::new(it.block).unwrap()];
    experiment.coarsenings = vec![1];
    let mut emulator = Emulated::open(Some(it.gpu)).unwrap();
    let plan = warpscope::runner::plan::plan(&experiment, &emulator.device().limits).unwrap();
    let case: Case = plan.cases().next().unwrap().case.clone();
    let work = algorithm.work(&case);
    let allowed = algorithm.sampling(&case);
    let many = algorithm.operations(&case) > sampling::MANY_OPERATIONS;
    if many && !matches!(allowed, Sampling::Refused(_)) {
        return emulator.run_sampled(&work, &allowed).unwrap().seconds;
    }
    let prepared = emulator.prepare(&work, &algorithm.inputs(&case)).unwrap();
    emulator.sample(prepared).unwrap().seconds
}
