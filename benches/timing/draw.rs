//! Fresh random cases of the program's own systems: any variant, parameter and input, block
//! sizes that are no powers of two, odd n. A seed gives the same cases everywhere.

use std::io::Write;
use std::ops::ControlFlow;

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use warpscope::algorithms::{self, Algorithm, Param, ParamKind};
use warpscope::experiment::{BackendChoice, Case, ParamValue, Stopping, Target};
use warpscope::runner::measure::{Measurer, Step};
use warpscope::runner::plan;
use warpscope::work::Limits;

/// Values read, added or compared of a case, at most: the CPU takes about a second for its
/// reference.
const MOST_OPERATIONS: u64 = 1 << 28;

/// Draws `count` cases that a device with these limits can run, as many of each system.
fn cases(seed: u64, count: usize, limits: &Limits) -> Vec<Case> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut found = Vec::new();
    while found.len() < count {
        let algorithm = algorithms::ALL[found.len() % algorithms::ALL.len()];
        let case = case(algorithm, &mut rng);
        if plan::obstacle(algorithm, &case, limits).is_none()
            && algorithm.missing_input(&case).is_none()
            && algorithm.operations(&case) <= MOST_OPERATIONS
        {
            found.push(case);
        }
    }
    found
}

fn case(algorithm: &dyn Algorithm, rng: &mut ChaCha8Rng) -> Case {
    let variant = algorithm.variants().choose(rng).unwrap();
    // Most programs have whole warps; a fifth here does not.
    let block = loop {
        let block = if rng.random_ratio(4, 5) {
            32 * rng.random_range(1..=32_u32)
        } else {
            rng.random_range(17..=1023)
        };
        if !block.is_power_of_two() {
            break block;
        }
    };
    // Sizes are as likely in any octave, from one below the sweep that the system opens on
    // to two above it.
    let (low, high) = algorithm.defaults().sizes;
    let (low, high) = ((low as f64 / 2.0).log2(), (4.0 * high as f64).log2());
    let n = (low + (high - low) * rng.random::<f64>()).exp2() as u64 | 1;
    let coarsen =
        if variant.coarsens { *[1, 1, 2, 3, 4, 5, 8, 16].choose(rng).unwrap() } else { 1 };
    Case {
        algorithm: algorithm.name().to_owned(),
        variant: variant.name.to_owned(),
        block,
        coarsen,
        n: n.min(algorithm.size().most),
        params: algorithm.params().iter().map(|it| (it.name.to_owned(), value(it, rng))).collect(),
        dist: *algorithm.distributions().choose(rng).unwrap(),
        seed: rng.random_range(1..1000),
    }
}

fn value(param: &Param, rng: &mut ChaCha8Rng) -> ParamValue {
    match param.kind {
        ParamKind::Int { default, steps, .. } => {
            ParamValue::Int(steps.choose(rng).copied().unwrap_or(default))
        }
        ParamKind::Word(words) => ParamValue::Word((*words.choose(rng).unwrap()).to_owned()),
        ParamKind::File(_) => param.default(),
    }
}

/// Measures `count` cases on the first GPU as the program does, a record per line; without
/// `record`, only writes what they are.
pub(crate) fn run(seed: u64, count: usize, record: bool, emulated: bool, out: &mut impl Write) {
    let backend = if emulated { BackendChoice::Emulator } else { BackendChoice::Cuda };
    let target = Target { backend, ..Target::default() };
    let mut backend = warpscope::backend::open(&target).unwrap();
    let stopping = Stopping { most_samples: 100, wall_seconds: 0.1, ..Stopping::default() };
    let mut measurer = Measurer::new();
    let limits = backend.device().limits;
    for case in cases(seed, count, &limits) {
        if !record {
            writeln!(out, "{}", serde_json::to_string(&case).unwrap()).unwrap();
            continue;
        }
        let mut done = |step| {
            if let Step::Done { record, .. } = step {
                writeln!(out, "{}", serde_json::to_string(&record).unwrap()).unwrap();
                out.flush().unwrap();
            }
            ControlFlow::Continue(())
        };
        if let Err(stopped) = measurer.group(backend.as_mut(), &[case], &stopping, &mut done) {
            eprintln!("{stopped}");
            backend = warpscope::backend::open(&target).unwrap();
        }
    }
}
