#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::algorithms::tests;

fn case(variant: &str, n: u64, bits: u64) -> Case {
    tests::case(&RadixPartition, variant, [n, 128, 4], &[("bits", &bits.to_string())])
}

const STABLE: &str = "histogram=shared+scan=shared+reorder=stable";
const STAGED: &str = "histogram=shared+scan=shared+reorder=staged";
const ONE_SWEEP: &str = "histogram=wide+scan=warps+reorder=one-sweep";
const RESERVE: &str = "histogram=wide+scan=warps+reorder=reserve";
const UNORDERED: &str = "histogram=global+scan=single-thread+reorder=global";

#[test]
fn every_variant_is_named_after_its_stages() {
    let mut seen = Vec::new();
    for variant in stages::VARIANTS {
        let stages = Stages::of(variant.name);
        assert!(!seen.contains(&stages), "{} is there twice", variant.name);
        seen.push(stages);
    }
    assert_eq!(seen.len(), 2 * 2 * 4 + 2);
}

#[test]
fn tables_have_a_column_per_block_only_where_order_is_kept() {
    let entries = |variant| {
        let work = RadixPartition.work(&case(variant, 10_000, 8));
        work.buffers[COUNTS].bytes() / 4
    };
    // 10,000 keys in chunks of 512 are 20 blocks.
    assert_eq!(entries(STABLE), 256 * 20);
    assert_eq!(entries(STAGED), 256 * 20);
    assert_eq!(entries(UNORDERED), 256);
}

#[test]
fn tables_too_large_to_index_or_to_add_up_alone_are_obstacles() {
    let obstacle = |variant: &str, n, coarsen| {
        RadixPartition.obstacle(&Case { coarsen, ..case(variant, n, 16) })
    };
    let alone = "histogram=shared+scan=single-thread+reorder=stable";
    assert!(obstacle(STABLE, 1 << 28, 1).is_some_and(|told| told.contains("32-bit indices")));
    assert_eq!(obstacle(STABLE, 1 << 28, 1024), None);
    assert!(obstacle(alone, 1 << 28, 1024).is_some_and(|told| told.contains("one thread")));
    assert_eq!(obstacle(UNORDERED, (1 << 31) - 1, 1), None);
}

#[test]
fn a_tile_holds_no_more_keys_than_threads_have_registers_for() {
    let reorder = |coarsen| {
        let case = Case { coarsen, ..case(STAGED, 1 << 20, 8) };
        RadixPartition.work(&case).launches().last().cloned().unwrap()
    };
    // 4 bytes for each of 128 * 16 keys and of 256 digits, 2 for each digit in 4 warps.
    let most = (128 * 16 + 256) * 4 + 4 * 256 * 2;
    assert_eq!(reorder(16).shared_bytes, most);
    assert_eq!(reorder(1000).shared_bytes, most, "longer chunks take more tiles, not larger ones");
    assert_eq!(reorder(3).shared_bytes, most - 128 * 13 * 4);
    let blocks = |coarsen| reorder(coarsen).grid.count();
    assert_eq!((blocks(16), blocks(1000)), (512, 9));
}

#[test]
fn a_sweep_has_a_tile_per_block_and_a_state_per_digit_and_tile() {
    let shapes = |variant: &str| {
        let work = RadixPartition.work(&Case { coarsen: 8, ..case(variant, 100_000, 8) });
        let launches: Vec<_> = work.launches().cloned().collect();
        let grids: Vec<u64> = launches.iter().map(|launch| launch.grid.count()).collect();
        let shared: Vec<u32> = launches.iter().map(|launch| launch.shared_bytes).collect();
        (grids, shared, work.buffers[4].bytes() / 4)
    };
    // 128 * 128 keys for each block of the histogram, 128 * 8 for each tile.
    let (grids, shared, states) = shapes(ONE_SWEEP);
    assert_eq!((grids, states), (vec![7, 1, 98], 256 * 98));
    assert_eq!(shared, [1024, 0, 4 * 1024 + 4 * 256 + 2 * 256 * 4]);
    let (grids, shared, states) = shapes(RESERVE);
    assert_eq!((grids, states), (vec![7, 1, 98], 0));
    assert_eq!(shared, [1024, 0, 4 * 1024 + 8 * 256]);
}

#[test]
fn a_sweep_is_refused_where_no_kernel_holds_the_keys_or_counts_them() {
    let obstacle = |variant: &str, n, coarsen| {
        RadixPartition.obstacle(&Case { coarsen, ..case(variant, n, 8) })
    };
    for variant in [ONE_SWEEP, RESERVE] {
        assert!(obstacle(variant, 1000, 5).is_some_and(|told| told.contains("4, 8, 16, 24")));
        assert_eq!(obstacle(variant, 1 << 29, 24), None);
    }
    assert!(obstacle(ONE_SWEEP, 1 << 30, 8).is_some_and(|told| told.contains("look-back")));
    assert_eq!(obstacle(RESERVE, 1 << 30, 8), None);
}

#[test]
fn order_matters_to_the_variants_that_keep_it_alone() {
    let keys = vec![Arc::new(HostBuffer::U32(vec![0x300, 0x101, 0x200, 0x100]))];
    let reference = RadixPartition.reference(&case(STABLE, 4, 8), &keys);
    let moved = |keys: &[u32]| vec![reference[0].clone(), HostBuffer::U32(keys.to_vec())];
    let verify = |variant, keys_out: &[u32]| {
        RadixPartition.verify(&case(variant, 4, 8), &keys, &reference, &moved(keys_out))
    };
    let in_order = [0x300, 0x200, 0x100, 0x101];
    let out_of_order = [0x100, 0x200, 0x300, 0x101];
    for ordered in [STABLE, STAGED, ONE_SWEEP] {
        assert_eq!(verify(ordered, &in_order), Ok(()));
        assert!(verify(ordered, &out_of_order).is_err());
    }
    for unordered in [UNORDERED, RESERVE] {
        assert_eq!(verify(unordered, &out_of_order), Ok(()));
    }
    // A key in another digit, and a key that came twice, are wrong for all.
    for wrong in [[0x101, 0x200, 0x100, 0x300], [0x300, 0x300, 0x100, 0x101]] {
        for variant in [STABLE, STAGED, ONE_SWEEP, UNORDERED, RESERVE] {
            assert!(verify(variant, &wrong).is_err(), "{variant}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_reference_is_a_stable_sort_by_part(
        keys in prop::collection::vec(any::<u32>(), 0..300),
        low in 0u32..32,
        bits in 1u32..=16,
    ) {
        let field = Field { low, bits };
        let (offsets, moved) = partition(&keys, field);
        let mut sorted = keys.clone();
        sorted.sort_by_key(|key| field.digit(*key));
        prop_assert_eq!(&moved, &sorted);
        for (digit, &offset) in (0..).zip(&offsets) {
            let before = keys.iter().filter(|key| field.digit(**key) < digit).count();
            prop_assert_eq!(offset as usize, before);
        }
    }
}
