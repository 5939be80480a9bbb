//! Every algorithm of the registry, every variant: equal to the CPU reference.
//!
//! `cargo test` runs a pairwise cover for each algorithm: cases chosen so that
//! every two values of two axes (size, block size, coarsening, distribution,
//! variant, each parameter) meet in at least one case that the device can run,
//! as far as there is one. `WARPSCOPE_TEST_BACKEND` names the backend,
//! `emulator` unless given; `WARPSCOPE_TEST_ALGORITHM` names one algorithm. The
//! test binary needs nothing beside it, so that it can be carried to a machine
//! with a GPU:
//!
//! ```text
//! WARPSCOPE_TEST_BACKEND=cuda ./integration-… systems --include-ignored --nocapture --test-threads 1
//! ```

mod grid;
mod sanitizer;

use std::ops::ControlFlow;
use std::time::Instant;

use grid::Grid;

use crate::support::builders::{TWO_RUNS, case, chosen_backend, emulator};
use warpscope::algorithms::{self, Algorithm};
use warpscope::backend::Backend;
use warpscope::experiment::{Case, ParamValue};
use warpscope::results::record::Outcome;
use warpscope::runner::measure::{Measurer, Step};
use warpscope::runner::plan;
use warpscope::work::View;

/// The algorithms to test.
fn chosen() -> Vec<&'static dyn Algorithm> {
    let only = std::env::var("WARPSCOPE_TEST_ALGORITHM").ok();
    let wanted = |it: &&&dyn Algorithm| only.as_ref().is_none_or(|name| name == it.name());
    let chosen: Vec<_> = algorithms::ALL.iter().filter(wanted).copied().collect();
    assert!(!chosen.is_empty(), "there is no {only:?}");
    chosen
}

/// Runs cases one by one; each must be verified and have a view that fits.
fn run(backend: &mut dyn Backend, cases: &[Case]) {
    let mut measurer = Measurer::new();
    for case in cases {
        let mut verified = false;
        let result = measurer.group(backend, std::slice::from_ref(case), &TWO_RUNS, &mut |step| {
            if let Step::Done { record, view, .. } = step {
                let told = record.wrong.as_ref().map(|wrong| &wrong.message);
                assert_eq!(record.outcome(), Outcome::Verified, "{case} {told:?}");
                assert!(!record.phases.is_empty() && record.median().is_some(), "{case}");
                check_view(case, view.as_ref());
                verified = true;
            }
            ControlFlow::Continue(())
        });
        assert_eq!((result, verified), (Ok(()), true), "{case}");
    }
}

/// A view has to fit where it is sent, and to come back as it was.
fn check_view(case: &Case, view: Option<&View>) {
    let Some(view) = view else { return };
    let text = serde_json::to_string(view).unwrap();
    assert!(text.len() <= warpscope::work::view::MOST_BYTES, "{case}: {}", text.len());
    assert_eq!(&serde_json::from_str::<View>(&text).unwrap(), view, "{case}");
}

#[test]
fn a_pairwise_cover_of_every_algorithm_equals_its_reference() {
    let mut backend = chosen_backend();
    let limits = backend.device().limits;
    for algorithm in chosen() {
        let grid = Grid::of(algorithm);
        let began = Instant::now();
        let cases = grid.cover(|case| plan::obstacle(algorithm, case, &limits).is_none());
        for variant in algorithm.variants() {
            let count = cases.iter().filter(|case| case.variant == variant.name).count();
            assert!(count > 0, "no case of {} {} can run", algorithm.name(), variant.name);
        }
        run(backend.as_mut(), &cases);
        println!("{}: {} cases in {:?}", algorithm.name(), cases.len(), began.elapsed());
    }
}

#[test]
fn no_kernel_does_what_it_must_not() {
    // The checks are the emulator's, whatever runs the other tests.
    let limits = emulator().device().limits;
    for algorithm in chosen() {
        let began = Instant::now();
        let ran =
            sanitizer::check(algorithm, |case| plan::obstacle(algorithm, case, &limits).is_none());
        assert!(ran > 0, "nothing of {} was checked", algorithm.name());
        println!("{}: {ran} cases checked in {:?}", algorithm.name(), began.elapsed());
    }
}

/// Rows, columns and depth of matrix products that end within a second tile of 128 or 256 rows
/// or columns, with groups of four numbers that are aligned and that are not. With less depth,
/// kernels load numbers from shared memory that nobody wrote, and do not use them.
const EDGES: [[u64; 3]; 4] = [[257, 132, 68], [129, 259, 65], [300, 128, 64], [260, 5, 50]];

#[test]
fn large_tiles_of_the_matrix_product_are_right_at_their_edges() {
    let matmul = algorithms::find("matmul").unwrap();
    let mut backend = chosen_backend();
    let limits = backend.device().limits;
    for variant in matmul.variants().iter().filter(|variant| !variant.coarsens) {
        for [m, n, k] in EDGES {
            let mut case = case(matmul, variant.name, n, 256, 1);
            for (name, extent) in [("m", m), ("k", k)] {
                case.params.insert(name.to_owned(), ParamValue::Int(extent));
            }
            if plan::obstacle(matmul, &case, &limits).is_none() {
                run(backend.as_mut(), std::slice::from_ref(&case));
                sanitizer::check_case(matmul, &case);
            }
        }
    }
}

#[test]
fn what_an_algorithm_says_of_itself_holds_together() {
    let limits = chosen_backend().device().limits;
    for algorithm in chosen() {
        let name = algorithm.name();
        let opening = algorithms::opening(algorithm);
        let planned = plan::plan(&opening, &limits).unwrap();
        assert!(planned.cases().all(|planned| planned.skip.is_none()), "{name}: a default skips");
        assert!(!algorithm.distributions().is_empty(), "{name} takes no input");
        let mut names: Vec<_> = algorithm.variants().iter().map(|variant| variant.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), algorithm.variants().len(), "{name}: two variants of one name");
        for planned in planned.cases() {
            let work = algorithm.work(&planned.case);
            let module = algorithm.module(&planned.case.variant);
            assert_eq!(work.module.hash(), module.hash(), "{}", planned.case);
            assert!(work.launches().count() > 0, "{}", planned.case);
            for launch in work.launches() {
                let kernel = &launch.kernel;
                assert!(module.ptx.contains(&format!(".entry {kernel}(")), "{name}: {kernel}");
                assert!(module.resources(kernel, 90).is_some(), "{name}: {kernel}");
                assert!(launch.grid.count() > 0 && launch.block.count() > 0, "{kernel}");
            }
            for output in algorithm.outputs(&planned.case) {
                assert!(work.buffers[output].written, "{}: nothing writes output", planned.case);
            }
        }
    }
}

/// The largest sizes that are checked on a GPU, where they are not the largest
/// that the algorithm takes.
fn largest(algorithm: &dyn Algorithm) -> u64 {
    let most = match algorithm.size().noun {
        "order" => 8192,
        "atoms" => 512_000,
        "peaks" => 65_536,
        _ => 1 << 26,
    };
    most.min(algorithm.size().most)
}

#[test]
#[ignore = "sizes for a GPU; the emulator would take hours"]
fn every_variant_is_right_at_its_largest() {
    let mut backend = chosen_backend();
    let limits = backend.device().limits;
    for algorithm in chosen() {
        let grid = Grid::of(algorithm);
        let defaults = algorithm.defaults();
        for params in grid.each_param() {
            for variant in algorithm.variants() {
                let coarsen = if variant.coarsens { defaults.coarsen } else { 1 };
                let n = largest(algorithm);
                let case = case(algorithm, variant.name, n, defaults.block, coarsen);
                let case = Case { params: params.clone(), ..case };
                if let Some(reason) = plan::obstacle(algorithm, &case, &limits) {
                    println!("{case}: skipped, {reason}");
                    continue;
                }
                let began = Instant::now();
                run(backend.as_mut(), std::slice::from_ref(&case));
                println!("{case}: right, {:?}", began.elapsed());
            }
        }
    }
}
