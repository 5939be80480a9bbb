//! What a prediction costs on top of emulating: every system at a small and a larger
//! size, emulated with and without what the model needs, and predicted.

use std::io::Write;
use std::time::Instant;

use warpscope::algorithms;
use warpscope::emulator::{self, Options, Outcome};
use warpscope::gpu::{self, Geometry, GpuSpec, History};
use warpscope::work::{Step, Work};

use crate::speed::{arguments, loaded};

/// Repetitions; the shortest time counts.
const ROUNDS: usize = 7;

/// Writes a table.
pub(crate) fn run(out: &mut impl Write) {
    let profile = gpu::find_spec(gpu::DEFAULT_GPU).unwrap();
    writeln!(out, "| case | emulated | with courses | predicted | more |").unwrap();
    writeln!(out, "|---|--:|--:|--:|--:|").unwrap();
    let (mut plain, mut whole) = (0.0, 0.0);
    for (name, sizes) in [
        ("histogram", [1 << 14, 1 << 20]),
        ("reduce", [1 << 14, 1 << 20]),
        ("scan", [1 << 14, 1 << 20]),
        ("matmul", [64, 256]),
        ("radix-partition", [1 << 14, 1 << 18]),
        ("merge-sort", [1 << 12, 1 << 16]),
        ("dominant-peaks", [512, 4096]),
        ("distance-histogram", [512, 4096]),
    ] {
        let algorithm = algorithms::find(name).unwrap();
        for n in sizes {
            let mut case = algorithms::opening(algorithm);
            case.sizes = warpscope::experiment::Sizes::range(n, n, 2);
            let limits = warpscope::backend::Backend::device(
                &warpscope::backend::emulated::Emulated::open(None).unwrap(),
            )
            .limits;
            let plan = warpscope::runner::plan::plan(&case, &limits).unwrap();
            for planned in plan.cases().filter(|planned| planned.skip.is_none()) {
                let case = &planned.case;
                let work = algorithm.work(case);
                if work.steps.iter().any(|step| matches!(step, Step::Host(_))) {
                    continue;
                }
                let inputs = algorithm.inputs(case);
                let [without, with, predicted] = times(&work, &inputs, &profile);
                plain += without;
                whole += with + predicted;
                writeln!(
                    out,
                    "| {name} {}, n = {n} | {:.2} ms | {:.2} ms | {:.1} µs | {:+.1} % |",
                    case.variant,
                    without * 1e3,
                    with * 1e3,
                    predicted * 1e6,
                    ((with + predicted) / without - 1.0) * 100.0
                )
                .unwrap();
                out.flush().unwrap();
            }
        }
    }
    writeln!(
        out,
        "| **all** | {:.1} ms | | | **{:+.1} %** |",
        plain * 1e3,
        (whole / plain - 1.0) * 100.0
    )
    .unwrap();
}

/// Least seconds of emulating without timelines, with them, and of predicting.
fn times(work: &Work, inputs: &warpscope::work::Inputs, profile: &GpuSpec) -> [f64; 3] {
    let mut least = [f64::MAX; 3];
    for _ in 0..ROUNDS {
        for (index, with) in [false, true].into_iter().enumerate() {
            let (memory, buffers) = loaded(work, inputs);
            let mut spent = 0.0;
            let mut outcomes: Vec<(Geometry, Outcome)> = Vec::new();
            for step in &work.steps {
                let Step::Launch(launch) = step else { continue };
                let kernel =
                    emulator::load(work.module.ptx, work.module.path, &launch.kernel).unwrap();
                let code = work.module.machine_code(&launch.kernel, profile.compute_capability);
                let kernel = kernel.with_machine_code(code);
                let resources =
                    work.module.resources(&launch.kernel, profile.compute_capability).unwrap();
                let args = arguments(launch, &buffers);
                let geometry = Geometry::new(launch, resources);
                let timelines = with.then(|| geometry.follow(profile));
                let start = Instant::now();
                let outcome = emulator::launch(
                    &kernel,
                    launch.grid,
                    launch.block,
                    launch.shared_bytes,
                    &args,
                    &memory,
                    Options { timelines, ..Options::default() },
                )
                .unwrap();
                spent += start.elapsed().as_secs_f64();
                outcomes.push((geometry, outcome));
            }
            least[index] = least[index].min(spent);
            if with {
                let start = Instant::now();
                let mut history = History::default();
                for (geometry, outcome) in &outcomes {
                    std::hint::black_box(gpu::predict_next(
                        &mut history,
                        outcome,
                        geometry,
                        profile,
                    ));
                }
                least[2] = least[2].min(start.elapsed().as_secs_f64());
            }
        }
    }
    least
}
