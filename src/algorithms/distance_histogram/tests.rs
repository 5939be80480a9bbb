#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::algorithms::tests;

fn case(variant: &str, n: u64, block: u32, coarsen: u32, width: u64, copies: u64) -> Case {
    let params = [("width", &*width.to_string()), ("copies", &*copies.to_string())];
    tests::case(&DistanceHistogram, variant, [n, block.into(), coarsen.into()], &params)
}

/// What a kernel counts.
fn as_a_kernel(case: &Case, inputs: &Inputs) -> Vec<u64> {
    let axis = |index: usize| inputs[index].as_f32().unwrap();
    let [x, y, z] = [axis(0), axis(1), axis(2)];
    let per_width = 1.0 / width(case) as f32;
    let mut counts = vec![0; buckets(width(case)) as usize];
    for i in 0..x.len() {
        for j in i + 1..x.len() {
            let (dx, dy, dz) = (x[i] - x[j], y[i] - y[j], z[i] - z[j]);
            let distance = dz.mul_add(dz, dx.mul_add(dx, dy * dy)).sqrt();
            counts[(distance * per_width) as usize] += 1;
        }
    }
    counts
}

#[test]
fn a_case_becomes_one_launch() {
    let launch = |case: &Case| {
        let work = DistanceHistogram.work(case);
        let launch = work.launches().next().unwrap().clone();
        assert!(
            SPEC.module.ptx.contains(&format!(".entry {}(", launch.kernel)),
            "{}",
            launch.kernel
        );
        (launch.grid.x, launch.block.x, launch.shared_bytes)
    };
    // The diagonal is 79.7 widths long.
    assert_eq!(buckets(500), 81);
    assert_eq!(launch(&case("global", 1000, 48, 1, 500, 1)), (21, 48, 0));
    assert_eq!(launch(&case("privatised", 1000, 128, 3, 500, 4)), (3, 128, 1296));
    assert_eq!(launch(&case("tiled-privatised", 1000, 128, 1, 500, 1)), (8, 128, 2048 + 324));
    assert_eq!(launch(&case("shuffle-tiled", 0, 128, 1, 500, 1)), (1, 128, 324));
    let traffic = DistanceHistogram.traffic(&case("global", 1000, 48, 1, 500, 1));
    assert_eq!((traffic.bytes, traffic.flops), (12_648, 4_995_000));
}

#[test]
fn blocks_with_several_anchors_take_a_chunk_of_the_atoms() {
    let shape = |variant: &str, coarsen| {
        let work = DistanceHistogram.work(&case(variant, 5000, 128, coarsen, 500, 2));
        let launch = work.launches().next().unwrap().clone();
        (launch.kernel, launch.grid.x, launch.grid.y, launch.shared_bytes)
    };
    for (variant, name) in [("register-tiled", "register"), ("approximate-root", "approximate")] {
        let (kernel, x, y, shared) = shape(variant, 4);
        assert!(kernel.contains(name) && kernel.ends_with("_4"), "{kernel}");
        assert_eq!((x, y, shared), (10, 3, 2048 + 8 * 81));
        let obstacle = DistanceHistogram.obstacle(&case(variant, 9, 32, 3, 500, 1));
        assert!(obstacle.unwrap().contains("1, 2, 4, 8"));
        // No 32-bit counter of a block of any size overflows.
        let most = 1024 * u64::from(HELD[HELD.len() - 1]) * u64::from(CHUNK);
        assert!(u32::try_from(most).is_ok());
    }
}

#[test]
fn copies_that_make_no_sense_are_told_why() {
    let why = |variant, copies| DistanceHistogram.obstacle(&case(variant, 9, 32, 1, 500, copies));
    assert!(why("global", 2).unwrap().contains("no private buckets"));
    assert!(why("privatised", 3).unwrap().contains("power of two"));
    assert_eq!((why("global", 1), why("shuffle-tiled", 32)), (None, None));
}

#[test]
fn the_reference_counts_by_hand() {
    // Distances 3, 4 and 5 of a triangle, and all of them on an edge of width 1.
    let inputs: Inputs = [vec![0.0, 3.0, 0.0], vec![0.0, 0.0, 4.0], vec![0.0; 3]]
        .map(|axis| Arc::new(HostBuffer::F32(axis)))
        .to_vec();
    let reference = |width| {
        let reference = DistanceHistogram.reference(&case("global", 3, 32, 1, width, 1), &inputs);
        reference.iter().map(|it| it.as_u64().unwrap()[..7].to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(reference(1), [[0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1, 0]]);
    assert_eq!(reference(2), [[0, 1, 2, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0, 0]]);
    assert_eq!(reference(500), [[3, 0, 0, 0, 0, 0, 0], [0; 7]]);
}

#[test]
fn a_pair_may_only_move_over_the_edge_that_it_is_near() {
    let differs = |near_edge: &[u64], got: &[u64]| {
        pairs::agree(&[5, 3, 2], near_edge, got).err().map(|mismatch| mismatch.index)
    };
    assert_eq!(differs(&[0, 0, 0], &[5, 3, 2]), None);
    assert_eq!(differs(&[0, 0, 0], &[5, 2, 3]), Some(1));
    assert_eq!(differs(&[0, 0, 1], &[5, 2, 3]), None);
    assert_eq!(differs(&[0, 0, 1], &[5, 4, 1]), None);
    assert_eq!(differs(&[0, 1, 0], &[5, 2, 3]), Some(1));
    // Two that move by one bucket each are not one that moves by two.
    assert_eq!(differs(&[0, 1, 1], &[4, 3, 3]), None);
    assert_eq!(differs(&[0, 1, 0], &[4, 3, 3]), Some(1));
    // The total is exact, and a count that makes no sense is no overflow.
    assert_eq!(differs(&[9, 9, 9], &[5, 3, 1]), Some(2));
    assert_eq!(differs(&[9, 9, 9], &[u64::MAX, u64::MAX, 2]), Some(0));
}

#[test]
fn counts_with_32_bits_agree_and_a_lost_pair_does_not() {
    let mut moved = 0;
    for dist in Distribution::ALL {
        // 39,838 buckets, so that many pairs are near an edge.
        let case = Case { dist, ..case("global", 1200, 32, 1, 1, 1) };
        let inputs = DistanceHistogram.inputs(&case);
        let reference = DistanceHistogram.reference(&case, &inputs);
        let total: u64 = reference[0].as_u64().unwrap().iter().sum();
        assert_eq!(total, pair_count(1200), "{dist}");
        let mut counts = as_a_kernel(&case, &inputs);
        let expected = reference[0].as_u64().unwrap();
        moved += counts.iter().zip(expected).filter(|(got, expected)| got != expected).count();
        let verify = |counts: &[u64]| {
            let outputs = [HostBuffer::U64(counts.to_vec())];
            DistanceHistogram.verify(&case, &inputs, &reference, &outputs)
        };
        assert_eq!(verify(&counts), Ok(()), "{dist}");
        *counts.iter_mut().find(|count| **count > 0).unwrap() -= 1;
        assert!(verify(&counts).is_err(), "{dist}");
        assert!(verify(&counts[1..]).is_err());
    }
    assert!(moved > 0, "the tolerance was not needed");
}

#[test]
fn atoms_lie_in_the_box_and_differ_by_axis() {
    for dist in Distribution::ALL {
        let inputs = DistanceHistogram.inputs(&Case { dist, ..case("global", 500, 1, 1, 1, 1) });
        let axes: Vec<&[f32]> = inputs.iter().map(|axis| axis.as_f32().unwrap()).collect();
        let inside = |value: &f32| (0.0..=BOX as f32).contains(value);
        assert!(axes.iter().all(|axis| axis.iter().all(inside)), "{dist}");
        let same = matches!(dist, Distribution::Constant | Distribution::Ones | Distribution::Iota);
        assert_eq!((axes[0] == axes[1], axes[1] == axes[2]), (same, same), "{dist}");
    }
}

#[test]
fn the_view_names_distances() {
    let case = case("global", 3, 32, 1, 250, 1);
    let view = |outputs: &[HostBuffer]| DistanceHistogram.view(&case, &Vec::new(), outputs);
    let Some(View::Bins(bins)) = view(&[HostBuffer::U64(vec![0, 3])]) else { panic!() };
    assert_eq!(
        (bins.total, bins.counted(), bins.bin(1)),
        (3, "pairs", "bin 1 (250 to 500)".into())
    );
    assert!(view(&[]).is_none());
}

proptest! {
    #[test]
    fn every_distance_in_the_box_has_a_bucket(width in 1u32..=BOX as u32) {
        let diagonal = 3f64.sqrt() * BOX as f64 * (1.0 + 1e-6);
        prop_assert!((diagonal / f64::from(width)) < f64::from(buckets(width)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_pair_is_counted_once(n in 0usize..400, width in 1u32..=BOX as u32, seed: u64) {
        let axes = [0, 1, 2].map(|axis| coordinates(Distribution::Normal, seed ^ axis, n));
        let counted = pairs::count(axes.each_ref().map(Vec::as_slice), width, buckets(width) as usize);
        prop_assert_eq!(counted.counts.iter().sum::<u64>(), pair_count(n as u64));
    }
}
