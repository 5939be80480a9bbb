//! Every variant equals the CPU reference, for every size, block size,
//! coarsening, number of bins, binning and distribution.
//!
//! `cargo test` runs a pairwise cover: cases chosen so that every two values of
//! two axes meet in at least one of them. All 104,976 cases run with
//!
//! ```text
//! cargo test --release --test integration matrix -- --ignored
//! ```
//!
//! `WARPSCOPE_TEST_BACKEND` names the backend, `emulator` unless given. The test
//! binary needs nothing beside it, so that it can be carried to a machine with
//! a GPU and no compiler (`target/release/deps/integration-…`):
//!
//! ```text
//! WARPSCOPE_TEST_BACKEND=cuda ./integration-… matrix --include-ignored
//! ```

use std::ops::ControlFlow;

use crate::pairs;
use crate::support::builders::{TWO_RUNS, chosen_backend};
use warpscope::backend::Backend;
use warpscope::experiment::{Case, Distribution, Experiment, ParamValue};
use warpscope::results::record::Outcome;
use warpscope::runner::measure::{Measurer, Step};
use warpscope::runner::plan;
use warpscope::units::BlockSize;

const SIZES: [u64; 12] = [0, 1, 31, 32, 33, 127, 1000, 1023, 1024, 1025, 65_537, 1_000_000];
const BLOCKS: [u32; 9] = [32, 33, 64, 96, 128, 255, 256, 512, 1024];
const COARSENINGS: [u32; 3] = [1, 3, 16];
const BINS: [u64; 6] = [2, 7, 8, 256, 2048, 65_536];
const BINNINGS: [&str; 2] = ["modulo", "range"];
const VARIANTS: [&str; 3] = ["global", "shared", "shared-wide"];

/// The axes in the order of a row.
const AXES: [usize; 7] = [
    SIZES.len(),
    BLOCKS.len(),
    COARSENINGS.len(),
    BINS.len(),
    BINNINGS.len(),
    Distribution::ALL.len(),
    VARIANTS.len(),
];
const BINS_AXIS: usize = 3;
const VARIANT_AXIS: usize = 6;

/// 256 KiB of private bins fit on no GPU: a cover must not rely on those cases.
fn can_run(row: &[Option<usize>]) -> bool {
    let private = row[VARIANT_AXIS].is_some_and(|variant| VARIANTS[variant] != "global");
    !(private && row[BINS_AXIS] == Some(BINS.len() - 1))
}

fn blocks(sizes: &[u32]) -> Vec<BlockSize> {
    sizes.iter().map(|&block| BlockSize::new(block).unwrap()).collect()
}

fn words(words: &[&str]) -> Vec<ParamValue> {
    words.iter().map(|word| ParamValue::Word((*word).to_owned())).collect()
}

fn sizes(sizes: &[u64]) -> warpscope::experiment::Sizes {
    let listed: Vec<String> = sizes.iter().map(u64::to_string).collect();
    listed.join(",").parse().unwrap()
}

/// The experiment of a single row.
fn experiment(row: &[usize]) -> Experiment {
    Experiment {
        variants: vec![VARIANTS[row[6]].to_owned()],
        blocks: blocks(&[BLOCKS[row[1]]]),
        coarsenings: vec![COARSENINGS[row[2]]],
        sizes: sizes(&[SIZES[row[0]]]),
        params: [
            ("bins".to_owned(), vec![ParamValue::Int(BINS[row[3]])]),
            ("binning".to_owned(), words(&[BINNINGS[row[4]]])),
        ]
        .into(),
        dist: Distribution::ALL[row[5]],
        ..Experiment::default()
    }
}

/// What came of some experiments.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    verified: usize,
    skipped: usize,
}

/// Runs every case; each must be verified, or skipped for the one good reason.
fn run(backend: &mut dyn Backend, experiments: &[Experiment]) -> Counts {
    let limits = backend.device().limits;
    let mut measurer = Measurer::new();
    let mut counts = Counts::default();
    for experiment in experiments {
        for group in plan::plan(experiment, &limits).unwrap().groups {
            let mut cases: Vec<Case> = Vec::new();
            for planned in group.cases {
                let bytes = planned.case.int("bins").unwrap() * 4;
                let too_large =
                    planned.case.variant != "global" && bytes > u64::from(limits.shared_per_block);
                let reason = planned.skip.unwrap_or_default();
                assert_eq!(reason.contains("shared memory"), too_large, "{}", planned.case);
                assert_eq!(reason.is_empty(), !too_large, "{}: {reason}", planned.case);
                if too_large {
                    counts.skipped += 1;
                } else {
                    cases.push(planned.case);
                }
            }
            let mut ended = 0;
            let result = measurer.group(backend, &cases, &TWO_RUNS, &mut |step| {
                if let Step::Done { record, .. } = step {
                    let told = record.wrong.as_ref().map(|wrong| &wrong.message);
                    assert_eq!(record.outcome(), Outcome::Verified, "{} {told:?}", record.case());
                    ended += 1;
                }
                ControlFlow::Continue(())
            });
            assert_eq!((result, ended), (Ok(()), cases.len()));
            counts.verified += ended;
        }
    }
    counts
}

#[test]
fn a_pairwise_cover_of_the_matrix_equals_the_reference() {
    let rows = pairs::cover(&AXES, can_run);
    pairs::assert_covered(&AXES, can_run, &rows);
    // By size, as inputs are kept from one case to the next.
    let mut experiments: Vec<Experiment> = rows.iter().map(|row| experiment(row)).collect();
    experiments.sort_by_key(|it| (it.sizes.values(), it.dist.to_string()));
    let counts = run(chosen_backend().as_mut(), &experiments);
    assert_eq!(counts, Counts { verified: rows.len(), skipped: 0 });
    println!("{} cases cover every pair", rows.len());
}

#[test]
fn too_many_private_bins_are_skipped_whatever_the_rest() {
    let experiments: Vec<Experiment> = (0..SIZES.len())
        .map(|row| {
            let at = |axis: usize| row % AXES[axis];
            experiment(&[row, at(1), at(2), BINS.len() - 1, at(4), at(5), 1 + row % 2])
        })
        .collect();
    let counts = run(chosen_backend().as_mut(), &experiments);
    assert_eq!(counts, Counts { verified: 0, skipped: SIZES.len() });
}

#[test]
#[ignore = "all 104,976 cases take minutes; the cover above runs every time"]
fn the_whole_matrix_equals_the_reference() {
    let mut backend = chosen_backend();
    let mut total = Counts::default();
    for dist in Distribution::ALL {
        let experiment = Experiment {
            blocks: blocks(&BLOCKS),
            coarsenings: COARSENINGS.to_vec(),
            sizes: sizes(&SIZES),
            params: [
                ("bins".to_owned(), BINS.map(ParamValue::Int).to_vec()),
                ("binning".to_owned(), words(&BINNINGS)),
            ]
            .into(),
            dist,
            ..Experiment::default()
        };
        let counts = run(backend.as_mut(), &[experiment]);
        println!("{dist}: {} verified, {} skipped", counts.verified, counts.skipped);
        total.verified += counts.verified;
        total.skipped += counts.skipped;
    }
    let all: usize = AXES.iter().product();
    assert_eq!(total.verified + total.skipped, all);
    // Of all but the global one, those of the most bins.
    assert_eq!(total.skipped, all / BINS.len() / VARIANTS.len() * (VARIANTS.len() - 1));
}
