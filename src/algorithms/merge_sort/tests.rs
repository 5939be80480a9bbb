#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::algorithms::tests;

const INSERTION: &str = "insertion-per-thread";
const MERGE_PATH: &str = "merge-path";
const BITONIC: &str = "bitonic-block+merge-path";
const REGISTERS: &str = "register-tiles+merge-path";
const FOUR_WAY: &str = "register-tiles+four-way";
const NETWORKS: &str = "networks+four-way";

fn case(variant: &str, n: u64, block: u32, coarsen: u32, payload: &str) -> Case {
    let shape = [n, block.into(), coarsen.into()];
    tests::case(&MergeSort, variant, shape, &[("payload", payload)])
}

fn kernels(case: &Case) -> Vec<(&'static str, String, u32)> {
    let work = MergeSort.work(case);
    work.launches().map(|launch| (launch.phase, launch.kernel.clone(), launch.grid.x)).collect()
}

#[test]
fn the_reference_is_stable() {
    let reference = |keys: Vec<u32>, payload: &str| {
        let case = case(MERGE_PATH, keys.len() as u64, 32, 1, payload);
        let inputs = vec![Arc::new(words_from(0, keys, payload == "index"))];
        MergeSort.reference(&case, &inputs).remove(0)
    };
    assert_eq!(reference(vec![3, 1, 3, 0], "none"), HostBuffer::U32(vec![0, 1, 3, 3]));
    let word = |key: u64, place: u64| key << 32 | place;
    assert_eq!(
        reference(vec![3, 1, 3, 1], "index"),
        HostBuffer::U64(vec![word(1, 1), word(1, 3), word(3, 0), word(3, 2)])
    );
    assert_eq!(reference(Vec::new(), "none"), HostBuffer::U32(Vec::new()));
}

#[test]
fn equal_keys_out_of_order_are_wrong() {
    let case = case(MERGE_PATH, 2, 32, 1, "index");
    let verify = |words: [u64; 2]| {
        let reference = [HostBuffer::U64(vec![7 << 32, 7 << 32 | 1])];
        MergeSort.verify(&case, &Vec::new(), &reference, &[HostBuffer::U64(words.to_vec())])
    };
    assert_eq!(verify([7 << 32, 7 << 32 | 1]), Ok(()));
    assert_eq!(verify([7 << 32 | 1, 7 << 32]).unwrap_err().index, 0);
}

#[test]
fn a_single_block_merges_the_runs_of_all() {
    let launches = kernels(&case(INSERTION, 10_000, 100, 8, "none"));
    let kernel = |name: &str| format!("merge_sort_{name}_u32");
    assert_eq!(
        launches,
        [
            ("sort slices", kernel("slices"), 13),
            ("merge in blocks", kernel("pairs"), 13),
            ("merge runs", kernel("pairs"), 1),
        ]
    );
    // 7 levels for 100 slices and 4 for 13 blocks.
    assert_eq!(steps::output(&case(INSERTION, 10_000, 100, 8, "none")), 2);
    assert_eq!(kernels(&case(INSERTION, 0, 1, 8, "none")).len(), 1);
}

#[test]
fn levels_of_the_merge_path_are_launches() {
    let launches = kernels(&case(MERGE_PATH, 1000, 32, 16, "index"));
    assert_eq!(launches.len(), 1 + 6);
    assert_eq!(launches[0], ("sort slices", "merge_sort_slices_u64".to_owned(), 2));
    assert_eq!(launches[6], ("merge", "merge_sort_path_u64".to_owned(), 2));
    let launches = kernels(&case(BITONIC, 1000, 32, 8, "none"));
    assert_eq!(launches.len(), 1 + 2 * 2);
    assert_eq!(launches[3], ("find splits", "merge_sort_splits_u32".to_owned(), 1));
    assert_eq!(launches[4], ("merge", "merge_sort_merge_tiles_u32".to_owned(), 4));
}

#[test]
fn two_tiles_of_shared_memory() {
    let bytes = |block, coarsen, payload| {
        let work = MergeSort.work(&case(BITONIC, 1 << 20, block, coarsen, payload));
        work.launches().map(|launch| launch.shared_bytes).max()
    };
    assert_eq!(bytes(256, 16, "none"), Some(2 * (4096 + 128) * 4));
    assert_eq!(bytes(256, 16, "index"), Some(2 * (4096 + 256) * 8));
    assert_eq!(bytes(1024, u32::MAX, "index"), Some(u32::MAX));
}

#[test]
fn what_would_take_too_long_is_refused() {
    let refused = |variant, n, coarsen| {
        MergeSort.obstacle(&case(variant, n, 128, coarsen, "none")).unwrap_or_default()
    };
    assert!(refused(INSERTION, (1 << 24) + 1, 16).contains("use merge-path"));
    assert!(refused(INSERTION, 1000, 1025).contains("by insertion"));
    assert!(refused(MERGE_PATH, 1000, 1025).contains("by insertion"));
    for (variant, n) in [(INSERTION, 1 << 24), (MERGE_PATH, 1 << 30), (BITONIC, 1 << 30)] {
        assert_eq!(refused(variant, n, 16), "");
    }
}

#[test]
fn runs_halve_from_level_to_level() {
    let runs = |variant, n, block, coarsen| steps::runs(&case(variant, n, block, coarsen, "none"));
    assert_eq!(runs(MERGE_PATH, 1000, 32, 100), [10, 5, 3, 2, 1]);
    assert_eq!(runs(BITONIC, 1000, 32, 8), [4, 2, 1]);
    // Blocks of three slices: 100 slices, merged within 34 blocks, then by one.
    assert_eq!(runs(INSERTION, 1000, 3, 10), [100, 67, 34, 17, 9, 5, 3, 2, 1]);
    assert_eq!(runs(INSERTION, 0, 32, 1).last(), Some(&1));
}

#[test]
fn the_view_shows_keys_before_and_after() {
    for payload in ["none", "index"] {
        let case = case(BITONIC, 4, 32, 1, payload);
        let inputs = vec![Arc::new(words_from(0, vec![9, 2, 5, 2], payload == "index"))];
        let reference = MergeSort.reference(&case, &inputs);
        let Some(View::BeforeAfter(view)) = MergeSort.view(&case, &inputs, &reference) else {
            panic!("{payload}")
        };
        assert_eq!(view.before, [Some(9.0), Some(2.0), Some(5.0), Some(2.0)]);
        assert_eq!(view.after, [Some(2.0), Some(2.0), Some(5.0), Some(9.0)]);
        assert_eq!((view.runs_before, view.runs_after, view.levels), (3, 1, vec![1]));
    }
    let case = case(BITONIC, 0, 32, 1, "none");
    let nothing = || HostBuffer::U32(Vec::new());
    assert_eq!(MergeSort.view(&case, &vec![Arc::new(nothing())], &[nothing()]), None);
}

proptest! {
    #[test]
    fn words_end_in_one_run_in_the_array_that_is_read(
        n in 0u64..1 << 31, block in 1u32..=1024, coarsen in 1u32..=64, variant in 0usize..3,
    ) {
        let case = case([INSERTION, MERGE_PATH, BITONIC][variant], n, block, coarsen, "none");
        prop_assert_eq!(steps::runs(&case).last().copied(), Some(1));
        // Runs are listed once at first and once for every move.
        let moves = steps::runs(&case).len() - 1;
        prop_assert_eq!(steps::output(&case), 1 + moves % 2);
    }
}

#[test]
fn four_runs_become_one_in_half_as_many_passes() {
    // 10,000 keys in tiles of 512 are 20 runs.
    let passes = |variant: &str| {
        let case = case(variant, 10_000, 64, 8, "index");
        let launches = kernels(&case);
        let merges = launches.iter().filter(|(phase, ..)| *phase == "merge");
        let names: Vec<&str> = merges.map(|(_, kernel, _)| kernel.as_str()).collect();
        assert!(names.iter().all(|name| *name == names[0] && name.ends_with("_merge_8_u64")));
        let work = MergeSort.work(&case);
        (names.len(), work.buffers[steps::SPLITS].bytes(), steps::output(&case), steps::runs(&case))
    };
    assert_eq!(passes(REGISTERS), (5, 4 * 20, steps::ARRAYS[1], vec![20, 10, 5, 3, 2, 1]));
    assert_eq!(passes(FOUR_WAY), (3, 16 * 20, steps::ARRAYS[1], vec![20, 5, 2, 1]));
    assert_eq!(passes(NETWORKS), (3, 16 * 20, steps::ARRAYS[1], vec![20, 5, 2, 1]));
    let odd = MergeSort.obstacle(&case(FOUR_WAY, 100, 64, 3, "none"));
    assert!(odd.is_some_and(|told| told.contains("4, 8, 16, 32")));
    assert_eq!(MergeSort.obstacle(&case(FOUR_WAY, 1 << 28, 64, 16, "none")), None);
}

#[test]
fn networks_take_whole_warps_and_a_part_more_than_these() {
    let told = MergeSort.obstacle(&case(NETWORKS, 100, 48, 4, "none"));
    assert!(told.is_some_and(|told| told.contains("a multiple of 32")));
    let bytes = |block, coarsen, payload| {
        let work = MergeSort.work(&case(NETWORKS, 1 << 20, block, coarsen, payload));
        work.launches().map(|launch| launch.shared_bytes).max()
    };
    // Five parts of 32 rows, and 7 rows.
    assert_eq!(bytes(128, 32, "none"), Some((5 * 32 + 7) * (32 * 4 + 16)));
    assert_eq!(bytes(128, 32, "index"), Some((5 * 32 + 7) * (32 * 8 + 16)));
    assert_eq!(bytes(1024, u32::MAX, "index"), Some(u32::MAX));
}
