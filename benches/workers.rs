//! What workers cost and what several of them gain.
//!
//! ```text
//! cargo bench --bench workers
//! ```
//!
//! **Hop.** The same cases on the scripted backend, which takes no time of its
//! own, in this process and through a worker; the difference over the number of
//! cases is what a case pays for the process between.
//!
//! **Spread.** One sweep on the emulator by one worker with a single thread, and
//! by two of them. `WARPSCOPE_PROGRAM` names another program than the one built
//! with this benchmark.

use std::ops::ControlFlow;
use std::time::Instant;

use warpscope::backend;
use warpscope::experiment::{BackendChoice, Experiment, Sizes, Stopping, Target};
use warpscope::runner::measure::Measurer;
use warpscope::runner::plan;
use warpscope::runner::scheduler::{self, Control, Event, Options, WorkerSpec};
use warpscope::units::BlockSize;

/// Rounds of each figure.
const ROUNDS: usize = 7;

fn program() -> String {
    std::env::var("WARPSCOPE_PROGRAM")
        .unwrap_or_else(|_| env!("CARGO_BIN_EXE_warpscope").to_owned())
}

/// 640 cases, ten samples each.
fn tiny() -> Experiment {
    Experiment {
        sizes: Sizes::range(64, 64 << 9, 2),
        blocks: (1..=32).filter_map(|warps| BlockSize::new(warps * 32).ok()).collect(),
        target: Target { backend: BackendChoice::Scripted, ..Target::default() },
        stopping: Stopping { least_samples: 10, most_samples: 10, ..Stopping::default() },
        ..Experiment::default()
    }
}

/// Seconds and cases of a whole session, from its plan to its end.
fn through(workers: Vec<WorkerSpec>, experiment: &Experiment) -> (f64, usize) {
    let options = Options { workers, ..Options::default() };
    let mut start = Instant::now();
    let mut cases = 0;
    let result = scheduler::run(experiment, &options, &Control::new(), &mut |event| match event {
        Event::Planned { .. } => start = Instant::now(),
        Event::Finished { .. } => cases += 1,
        _ => {}
    });
    let tally = result.expect("the session runs");
    assert_eq!((tally.wrong, tally.verified), (0, cases));
    (start.elapsed().as_secs_f64(), cases)
}

/// Seconds of the same cases in this process.
fn here(experiment: &Experiment) -> f64 {
    let mut backend = backend::open(&experiment.target).expect("the backend opens");
    let limits = backend.device().limits;
    let start = Instant::now();
    let plan = plan::plan(experiment, &limits).expect("the plan is sound");
    let mut measurer = Measurer::new();
    for group in &plan.groups {
        let cases: Vec<_> = group.cases.iter().map(|planned| planned.case.clone()).collect();
        measurer
            .group(backend.as_mut(), &cases, &experiment.stopping, &mut |_| {
                ControlFlow::Continue(())
            })
            .expect("the group is measured");
    }
    start.elapsed().as_secs_f64()
}

/// A few seconds of emulation, in enough groups to share them evenly.
fn heavy() -> Experiment {
    Experiment {
        sizes: Sizes::range(1 << 20, 1 << 23, 2),
        blocks: [64, 128, 256, 512]
            .iter()
            .filter_map(|block| BlockSize::new(*block).ok())
            .collect(),
        target: Target { backend: BackendChoice::Emulator, ..Target::default() },
        ..Experiment::default()
    }
}

fn show(name: &str, mut values: Vec<f64>, unit: &str) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values[0], values[values.len() - 1]);
    let median = values[values.len() / 2];
    println!("{name:<44} {median:>9.3} {unit}   ({low:.3} to {high:.3})");
    median
}

fn main() {
    println!(
        "{ROUNDS} rounds, {} cores",
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    let worker = || WorkerSpec::command([program(), "worker".to_owned()]);
    let (mut hop, mut per_case) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let own = here(&tiny());
        let (seconds, cases) = through(vec![worker()], &tiny());
        per_case.push(seconds / cases as f64 * 1e3);
        hop.push((seconds - own) / cases as f64 * 1e3);
    }
    show("a case through a worker", per_case, "ms");
    show("of which the hop takes", hop, "ms");

    let single = || {
        let words = ["worker", "--threads", "1"].map(str::to_owned);
        WorkerSpec::command(std::iter::once(program()).chain(words))
    };
    let (mut one, mut two) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        one.push(through(vec![single()], &heavy()).0);
        two.push(through(vec![single(), single()], &heavy()).0);
    }
    let one = show("emulated sweep, one worker of one thread", one, "s");
    let two = show("emulated sweep, two of them", two, "s");
    println!("{:<44} {:>9.2} x", "two over one", one / two);
}
