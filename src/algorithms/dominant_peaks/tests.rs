#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::algorithms::tests;
use crate::work::Init;

fn case(lattice: &str, n: u64, noise: u64) -> Case {
    let params = [("lattice", lattice), ("noise", &*noise.to_string())];
    tests::case(&DominantPeaks, "tiled", [n, 128, 1], &params)
}

/// Whether `found` lies within a pixel of a vector of the lattice.
#[allow(clippy::many_single_char_names, reason = "as the geometry has them")]
fn on_lattice(found: (f64, f64), [a, b]: [(f64, f64); 2]) -> bool {
    (-3..=3).any(|i| {
        (-3..=3).any(|j| {
            let (i, j) = (f64::from(i), f64::from(j));
            let (x, y) = (i * a.0 + j * b.0, i * a.1 + j * b.1);
            (found.0 - x).hypot(found.1 - y) <= 1.0
        })
    })
}

#[test]
fn every_lattice_is_recovered_within_a_pixel() {
    for name in Lattice::NAMES {
        for (n, noise) in [(200, 0), (500, 20), (2000, 40), (5000, 20)] {
            let case = case(name, n, noise);
            let inputs = DominantPeaks.inputs(&case);
            let outputs = DominantPeaks.reference(&case, &inputs);
            let Some(View::Scatter(view)) = DominantPeaks.view(&case, &inputs, &outputs) else {
                panic!("{name}: no view")
            };
            let truth = Lattice::find(name).unwrap().vectors();
            let [first, second] = view.vectors[..] else { panic!("{name} {n}: no lattice") };
            assert!(on_lattice(first, truth), "{name} {n}: {first:?} of {truth:?}");
            assert!(on_lattice(second, truth), "{name} {n}: {second:?} of {truth:?}");
            // Together they span one cell, not two.
            let area = |[a, b]: [(f64, f64); 2]| (a.0 * b.1 - a.1 * b.0).abs();
            let ratio = area([first, second]) / area(truth);
            assert!((0.8..1.25).contains(&ratio), "{name} {n}: cell of {ratio}");
        }
    }
}

#[test]
fn register_tiles_have_a_chunk_per_block_and_a_kernel_per_number_of_peaks() {
    let shaped = |n, coarsen| {
        tests::case(&DominantPeaks, REGISTER_TILED, [n, 128, coarsen], &[("noise", "20")])
    };
    let work = DominantPeaks.work(&shaped(10_000, 4));
    let launch = work.launches().next().unwrap();
    // 128 * 4 peaks and 1024 higher ones for each block.
    assert_eq!((launch.grid.x, launch.grid.y, launch.shared_bytes), (20, 10, 128 * 16));
    assert_eq!(launch.kernel, "peaks_register_tiled_4");
    let Init::Filled { word, .. } = work.buffers[LEAST].init else { panic!() };
    assert_eq!(word, NOTHING_HIGHER);
    assert!(DominantPeaks.obstacle(&shaped(100, 3)).unwrap().contains("1, 2, 4, 8"));
    assert_eq!(DominantPeaks.obstacle(&shaped(100, 8)), None);
    // Other variants take any coarsening.
    let tiled = tests::case(&DominantPeaks, "tiled", [100, 128, 3], &[]);
    assert_eq!(DominantPeaks.obstacle(&tiled), None);
}

#[test]
fn parts_of_squared_distances_fit_into_a_signed_word() {
    // The longest surface, and what the kernel's header allows.
    for most in [i64::from(surface::extent(surface::LONGEST)), 32_767] {
        let (farthest, own) = (2 * most * most, 2 * most * most);
        assert!(farthest < i64::from(i32::MAX) && -own > i64::from(i32::MIN), "{most}");
    }
}

#[test]
fn the_autocorrelation_is_that_of_the_definition() {
    let pattern = Pattern { lattice: Lattice::Oblique, noise: 30, side: 12, seed: 3 };
    let pixels = pattern.pixels();
    let side = 12i64;
    let mean = pixels.iter().map(|&p| i64::from(p)).sum::<i64>() / (side * side);
    let at = |x: i64, y: i64| {
        let inside = (0..side).contains(&x) && (0..side).contains(&y);
        if inside { i64::from(pixels[(y * side + x) as usize]) - mean } else { 0 }
    };
    let mut expected = Vec::new();
    for v in 1 - side..side {
        for u in 1 - side..side {
            let sum = |y: i64| (0..side).map(|x| at(x, y) * at(x + u, y + v)).sum::<i64>();
            expected.push((0..side).map(sum).sum::<i64>());
        }
    }
    assert_eq!(surface::autocorrelation(&pixels, 12), expected);
}

fn generated(case: &Case) -> Peaks {
    let pattern = pattern(case);
    surface::peaks(&pattern.pixels(), pattern.side, case.n as usize)
}

#[test]
fn the_surface_has_the_peaks_that_are_asked_for() {
    // Enough of them that none has to be made up, and where some are, no two
    // share a place.
    let Peaks { x, y } = generated(&case("square", 4096, 20));
    let mut places: Vec<_> = x.iter().zip(&y).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 4096);
}

#[test]
fn the_same_seed_gives_the_same_peaks_on_every_machine() {
    use sha2::Digest;
    let mut digest = sha2::Sha256::new();
    let Peaks { x, y } = generated(&case("hexagonal", 3000, 20));
    for value in x.iter().chain(&y) {
        digest.update(value.to_le_bytes());
    }
    let hex: String = digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, "b3e38280c43fb080");
}

proptest! {
    #[test]
    fn the_highest_has_nothing_higher_and_distances_are_least(
        points in prop::collection::vec((0u32..2047, 0u32..2047), 1..60),
    ) {
        let (x, y): (Vec<u32>, Vec<u32>) = points.iter().copied().unzip();
        let least = least_distances(&x, &y);
        prop_assert_eq!(least[0], NOTHING_HIGHER);
        for (i, &distance) in least.iter().enumerate().skip(1) {
            let to = |j: usize| {
                let (dx, dy) = (i64::from(x[i]) - i64::from(x[j]), i64::from(y[i]) - i64::from(y[j]));
                dx * dx + dy * dy
            };
            prop_assert!((0..i).all(|j| to(j) >= i64::from(distance)));
            prop_assert!((0..i).any(|j| to(j) == i64::from(distance)));
        }
    }
}
