#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::algorithms::tests;
use crate::work::{Arg, PhaseKind, Step};

fn case(variant: &str, n: u64, block: u32, coarsen: u32, sums: &str, dtype: &str) -> Case {
    let shape = [n, block.into(), coarsen.into()];
    tests::case(&Scan, variant, shape, &[("sums", sums), ("dtype", dtype)])
}

fn phases(case: &Case) -> Vec<(String, PhaseKind)> {
    Scan.work(case).phases().names.into_iter().map(|phase| (phase.name, phase.kind)).collect()
}

#[test]
fn the_reference_adds_by_hand() {
    let sums = |values: HostBuffer, sums: &str| {
        let case = case(LOOKBACK, values.len() as u64, 32, 1, sums, "u32");
        Scan.reference(&case, &vec![Arc::new(values)]).remove(0)
    };
    let values = || HostBuffer::U32(vec![3, 1, u32::MAX, 2]);
    assert_eq!(sums(values(), "inclusive"), HostBuffer::U32(vec![3, 4, 3, 5]));
    assert_eq!(sums(values(), "exclusive"), HostBuffer::U32(vec![0, 3, 4, 3]));
    let floats = || HostBuffer::F32(vec![0.5, 16_777_216.0, 0.5]);
    let expected = vec![0.5, 16_777_216.5, 16_777_217.0];
    assert_eq!(sums(floats(), "inclusive"), HostBuffer::F64(expected));
    assert_eq!(sums(HostBuffer::U32(Vec::new()), "exclusive"), HostBuffer::U32(Vec::new()));
}

#[test]
fn totals_are_scanned_on_the_cpu_or_by_the_same_kernels() {
    let kernel = |name: &str| (name.to_owned(), PhaseKind::Kernel);
    let (scan, back) = (kernel("scan blocks"), kernel("add back"));
    let of = |variant, n| phases(&case(variant, n, 128, 4, "inclusive", "u32"));
    let on_gpu = [scan.clone(), kernel("scan totals"), back.clone()];
    assert_eq!(of("blelloch+totals=gpu", 513), on_gpu);
    // A single block leaves nothing to add back.
    assert_eq!(of("blelloch+totals=gpu", 512), std::slice::from_ref(&scan));
    assert_eq!(of("hillis-steele+totals=cpu", 0), std::slice::from_ref(&scan));
    let stage = |name: &str, kind| (name.to_owned(), kind);
    assert_eq!(
        of("hillis-steele+totals=cpu", 513),
        [
            scan,
            stage("scan totals: to the host", PhaseKind::Copy),
            stage("scan totals", PhaseKind::Host),
            stage("scan totals: to the GPU", PhaseKind::Copy),
            back,
        ]
    );
    assert_eq!(of(LOOKBACK, 1 << 20), [kernel("scan")]);
}

#[test]
fn totals_of_totals_follow_each_other_in_one_buffer() {
    // 8 elements per block: 1000 values, 125 totals, and 32 per block from there.
    let work = Scan.work(&case("hillis-steele+totals=gpu", 1000, 8, 1, "inclusive", "u32"));
    assert_eq!(work.buffers[2].bytes(), 4 * (125 + 4 + 1));
    let launches: Vec<_> = work.launches().collect();
    let grids: Vec<u32> = launches.iter().map(|launch| launch.grid.x).collect();
    assert_eq!(grids, [125, 4, 1, 4, 125]);
    let at = |byte| Arg::BufferAt { buffer: 2, byte };
    assert_eq!(launches[0].args[2], at(0));
    assert_eq!(launches[1].args[..3], [at(0), at(0), at(500)]);
    assert_eq!(launches[2].args[..3], [at(500), at(500), at(516)]);
    assert_eq!(launches[3].args[..2], [at(0), at(500)]);
    assert_eq!(launches[4].args[..2], [Arg::Buffer(SUMS), at(0)]);
    // Totals are scanned exclusively, whatever the values are.
    let last = |index: usize| launches[index].args.last().unwrap().clone();
    assert_eq!([last(0), last(1), last(2)], [Arg::U32(0), Arg::U32(1), Arg::U32(1)]);
}

#[test]
fn blocks_of_one_element_come_to_an_end() {
    let work = Scan.work(&case("hillis-steele+totals=gpu", 100_000, 1, 1, "inclusive", "u32"));
    let grids: Vec<u32> = work.launches().map(|launch| launch.grid.x).collect();
    assert_eq!(grids, [100_000, 3125, 98, 4, 1, 4, 98, 3125, 100_000]);
}

#[test]
fn shared_memory_follows_from_the_method() {
    let bytes = |variant, block, coarsen| {
        let case = case(variant, 1 << 20, block, coarsen, "inclusive", "u32");
        Scan.work(&case).launches().next().unwrap().shared_bytes
    };
    assert_eq!(bytes("hillis-steele+totals=gpu", 100, 16), 800);
    assert_eq!(bytes("blelloch+totals=gpu", 100, 16), 8192);
    assert_eq!(bytes("blelloch-padded+totals=gpu", 100, 16), 8448);
    assert_eq!(bytes(LOOKBACK, 100, 16), 6400);
    // Far beyond what a GPU has, and nothing wraps around.
    assert_eq!(bytes("blelloch+totals=gpu", 1024, u32::MAX), u32::MAX);
    assert_eq!(bytes(LOOKBACK, 1024, u32::MAX), u32::MAX);
}

#[test]
fn looking_back_needs_blocks_that_wait_for_each_other() {
    let least = |variant| Scan.module(variant).target().map(|target| target.least);
    assert_eq!(least(LOOKBACK), Some(70));
    assert_eq!(least("blelloch+totals=gpu"), Some(50));
}

#[test]
fn single_passes_refuse_the_shapes_that_they_have_no_kernel_for() {
    let obstacle = |variant, block, coarsen| {
        Scan.obstacle(&case(variant, 1 << 20, block, coarsen, "inclusive", "u32"))
    };
    assert_eq!(obstacle(LOOKBACK, 33, 7), None);
    for (variant, coarsenings, most) in [(REGISTERS, [4, 32], 1024), (AHEAD, [4, 28], 960)] {
        assert_eq!(obstacle(variant, 32, coarsenings[0]), None);
        assert_eq!(obstacle(variant, most, coarsenings[0]), None);
        assert!(obstacle(variant, 48, 4).is_some_and(|why| why.contains("multiple of 32")));
        assert!(obstacle(variant, 64, 5).is_some_and(|why| why.contains("coarsening 4, ")));
        assert_eq!(obstacle(variant, 256, coarsenings[1]), None);
    }
    assert!(obstacle(AHEAD, 1024, 4).is_some_and(|why| why.contains("at most 960")));
    // 2 tiles of 960 threads with 28 values, and a word each, are 217.5 KiB: they still fit.
    assert_eq!(obstacle(AHEAD, 960, 28), None);
}

#[test]
fn blocks_that_stay_have_as_many_stages_as_fit() {
    let launch = |n, block, coarsen| {
        let work = Scan.work(&case(AHEAD, n, block, coarsen, "exclusive", "f32"));
        work.launches().next().unwrap().clone()
    };
    let best = launch(1 << 28, 256, 20);
    assert_eq!((best.kernel.as_str(), best.grid.x, best.block.x), ("scan_ahead_20_f32", 264, 320));
    // Nine tiles of 5120 values, and a word per scanning thread.
    assert_eq!(best.shared_bytes, 9 * 4 * (5120 + 256));
    assert_eq!(best.args[5..], [Arg::U32(9), Arg::U32(5), Arg::U32(1)]);
    let large = launch(1 << 28, 960, 28);
    assert_eq!(
        (large.shared_bytes, &large.args[5..7]),
        (2 * 4 * 29 * 960, &[Arg::U32(2), Arg::U32(0)][..])
    );
    assert_eq!(launch(5121, 256, 20).grid.x, 2);
    assert_eq!(launch(0, 256, 20).grid.x, 1);
    for block in (32..=960).step_by(32) {
        for coarsen in [4, 12, 20, 28] {
            let launch = launch(1 << 28, block, coarsen);
            let [Arg::U32(stages), Arg::U32(ahead)] = launch.args[5..7] else { panic!() };
            // Static shared memory is less than 3 KiB.
            assert!(launch.shared_bytes <= 224 << 10 && stages >= ahead + 2, "{block} {coarsen}");
        }
    }
}

#[test]
fn newer_single_passes_name_what_they_need() {
    let target = |variant| Scan.module(variant).target().map(|target| target.least);
    assert_eq!((target(REGISTERS), target(AHEAD)), (Some(70), Some(90)));
}

#[test]
fn additions_are_counted_along_the_longest_way() {
    let count = |variant, n, block, coarsen| {
        sums::additions(&case(variant, n, block, coarsen, "inclusive", "f32"))
    };
    // 7 steps and 4 tiles, twice, each added back.
    assert_eq!(count("hillis-steele+totals=gpu", 10_000, 128, 4), 2 * (7 + 4 + 1) - 3);
    assert_eq!(count("hillis-steele+totals=cpu", 10_000, 128, 4), 7 + 4 + 1 + 1);
    // Up and down a tree of 512 leaves.
    assert_eq!(count("blelloch+totals=gpu", 10_000, 128, 4), 2 * (2 * 9 + 1));
    assert_eq!(count("blelloch+totals=gpu", 0, 128, 4), 2 * 9 + 1);
    // 8 for the lane, 5 for the warp, 1 round, 8 for the warps, 20 tiles.
    assert_eq!(count(LOOKBACK, 10_000, 128, 4), 8 + 5 + 1 + 8 + 20);
    // The same in one round of four neighbours; with blocks that stay, twice per tile.
    assert_eq!(count(REGISTERS, 10_000, 128, 4), 8 + 5 + 1 + 8 + 20);
    assert_eq!(count(AHEAD, 10_000, 128, 4), 8 + 5 + 1 + 8 + 2 * 20 + 5);
    let bound = sums::error_bound(&case(LOOKBACK, 1 << 28, 256, 16, "inclusive", "f32"));
    assert!(bound > 0.003 && bound < 0.005, "{bound}");
}

#[test]
fn a_float_beyond_the_bound_is_wrong() {
    let case = case("blelloch+totals=gpu", 3, 32, 1, "inclusive", "f32");
    let reference = [HostBuffer::F64(vec![1.0, 2.0, 3.0])];
    let verify = |last: f32| {
        Scan.verify(&case, &Vec::new(), &reference, &[HostBuffer::F32(vec![1.0, 2.0, last])])
    };
    assert_eq!(verify(3.0), Ok(()));
    assert_eq!(verify(3.000_001), Ok(()));
    assert_eq!(verify(3.000_01).unwrap_err().index, 2);
    assert!(verify(f32::NAN).is_err());
    let short = Scan.verify(&case, &Vec::new(), &reference, &[HostBuffer::F32(vec![1.0, 2.0])]);
    assert!(short.is_err());
    assert!(Scan.verify(&case, &Vec::new(), &reference, &[]).is_err());
}

#[test]
fn the_view_shows_what_lies_before_each_block() {
    let view = |sums: &str, outputs: Vec<u32>| {
        let case = case(LOOKBACK, outputs.len() as u64, 2, 1, sums, "u32");
        Scan.view(&case, &Vec::new(), &[HostBuffer::U32(outputs)])
    };
    let Some(View::Curve(curve)) = view("inclusive", vec![1, 3, 6, 10, 15]) else { panic!() };
    assert_eq!(curve.label, "inclusive prefix sum");
    let blocks = curve.blocks.unwrap();
    assert_eq!((blocks.count, blocks.elements), (3, 2));
    assert_eq!(blocks.offsets, [Some(0.0), Some(3.0), Some(10.0)]);
    let Some(View::Curve(curve)) = view("exclusive", vec![0, 1, 3, 6, 10]) else { panic!() };
    assert_eq!(curve.blocks.unwrap().offsets, [Some(0.0), Some(3.0), Some(10.0)]);
    assert_eq!(view("inclusive", Vec::new()), None);
    // Sums that wrap around are drawn as they rise: 3e9, 6e9, 9e9.
    let wrapped = vec![3_000_000_000, 1_705_032_704, 410_065_408];
    let Some(View::Curve(curve)) = view("inclusive", wrapped) else { panic!() };
    assert_eq!((curve.last, curve.label.contains("without 32-bit wrap-around")), (Some(9e9), true));
    // Before a run, the reference stands in for the output.
    let case = case(LOOKBACK, 2, 2, 1, "inclusive", "f32");
    assert!(Scan.view(&case, &Vec::new(), &[HostBuffer::F64(vec![0.5, 1.5])]).is_some());
    assert_eq!(Scan.view(&case, &Vec::new(), &[]), None);
}

#[test]
fn the_host_stage_rounds_floats_once() {
    // In 32 bits the two ones would be lost one by one.
    let totals = HostBuffer::F32(vec![16_777_216.0, 1.0, 1.0, 5.0]);
    let expected = vec![0.0, 16_777_216.0, 16_777_216.0, 16_777_218.0];
    assert_eq!(sums::exclusive_totals(&totals, &[]), HostBuffer::F32(expected));
    let totals = HostBuffer::U32(vec![u32::MAX, 2, 3]);
    assert_eq!(sums::exclusive_totals(&totals, &[]), HostBuffer::U32(vec![0, u32::MAX, 1]));
}

proptest! {
    #[test]
    fn every_scan_of_totals_shrinks(n in 0u64..1 << 31, block in 1u32..=1024, coarsen in 1u32..70) {
        let case = case("blelloch+totals=gpu", n, block, coarsen, "inclusive", "u32");
        let levels = blocks::levels(&case);
        prop_assert!(levels.windows(2).all(|pair| pair[1].0 < pair[0].0 || pair[0].1 == 1));
        prop_assert!(levels.len() <= 8, "{levels:?}");
        prop_assert!(matches!(Scan.work(&case).steps[0], Step::Launch(_)));
    }
}
