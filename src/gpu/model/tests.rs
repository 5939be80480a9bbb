//! The model against single cases that an H200 measured, and at its edges.

use super::atomics::slice;
use super::*;
use crate::emulator::{Counters, Course, Touched, Wait};

fn h200() -> std::sync::Arc<Profile> {
    crate::gpu::find_profile("H200 SXM").unwrap()
}

/// 2^28 values, 256 threads per block, as `findings.md` measured them: per
/// warp and round one load, one atomic, ten instructions.
fn rounds(coarsen: u64, shared_bins: u32) -> (Counters, Geometry) {
    let warps = (1 << 23) / coarsen;
    let rounds = 1 << 23;
    let counters = Counters {
        warp_instructions: rounds * 10 + warps * 15,
        divisions: rounds,
        global_load_requests: rounds,
        global_load_sectors: rounds * 4,
        ..Counters::default()
    };
    let geometry = Geometry {
        blocks: warps / 8,
        threads: 256,
        resources: Resources { registers: 18, static_shared: 0, stack: 0 },
        dynamic_shared: shared_bins * 4,
    };
    (counters, geometry)
}

#[test]
fn atomics_on_few_words_take_what_an_h200_took() {
    // (passes per warp, 256-byte chunks in use, recorded milliseconds)
    for (passes, chunks, measured) in [(7.05, 1, 43.2), (24.9, 4, 69.1), (31.0, 32, 13.7)] {
        let (mut counters, geometry) = rounds(16, 0);
        let all = (passes * f64::from(1 << 23)) as u64;
        counters.global_atomic_requests = 1 << 23;
        counters.global_atomic_passes = all;
        let outcome = Outcome {
            counters,
            atomic_chunks: vec![vec![], vec![all / chunks; chunks as usize]],
            ..Outcome::default()
        };
        let predicted = predict(&outcome, &geometry, &h200());
        assert_eq!(predicted.bound_by, "l2_atomics");
        let ratio = predicted.seconds * 1e3 / measured;
        assert!((0.75..1.25).contains(&ratio), "{chunks} chunks: {ratio}");
    }
}

/// A course of a block: how often its chain waits for memory.
fn course(far: f32) -> Course {
    let mut course = Course::default();
    course.chain.waits[Wait::Far as usize] = far;
    course
}

#[test]
fn blocks_that_wait_take_rounds_and_blocks_that_do_nothing_a_rate() {
    let geometry = |blocks| Geometry { blocks, ..rounds(1, 0).1 };
    let time = |far, blocks| {
        let outcome = Outcome { courses: vec![course(far)], ..Outcome::default() };
        predict(&outcome, &geometry(blocks), &h200()).seconds
    };
    // 132 multiprocessors hold 8 blocks of 256 threads each.
    assert!(time(10.0, 1) > time(1.0, 1));
    assert!((time(10.0, 132 * 8) / time(10.0, 1) - 1.0).abs() < 0.1);
    // Four rounds more; a wait for memory is 556 cycles.
    let round = (time(10.0, 132 * 64) - time(10.0, 132 * 32)) / 4.0;
    let chain = 10.0 * 556.0 / 1.98e9;
    assert!((1.0..1.1).contains(&(round / chain)), "{round}");
    // 0.6 ns a block.
    let many = time(0.0, 1 << 24) / f64::from(1 << 24);
    assert!((0.55e-9..0.75e-9).contains(&many), "{many}");
}

#[test]
fn what_an_earlier_launch_left_in_l2_comes_sooner() {
    let touched = Touched { bytes: 1 << 22, loads: 1 << 17, ..Touched::default() };
    let outcome =
        Outcome { courses: vec![course(4.0)], touched: vec![touched], ..Outcome::default() };
    let (_, geometry) = rounds(16, 0);
    let geometry = Geometry { blocks: 100, ..geometry };
    let mut history = History::default();
    let cold = predict_next(&mut history, &outcome, &geometry, &h200());
    let warm = predict_next(&mut history, &outcome, &geometry, &h200());
    assert!(warm.parts["dram"].abs() < f64::EPSILON && cold.parts["dram"] > 1e-6);
    assert!(warm.parts["latency"] < 0.7 * cold.parts["latency"]);
}

#[test]
fn an_empty_launch_costs_its_launch() {
    let (_, geometry) = rounds(1, 0);
    let predicted = predict(&Outcome::default(), &Geometry { blocks: 1, ..geometry }, &h200());
    assert_eq!(predicted.bound_by, "launch");
    assert!(predicted.seconds < 3.5e-6);
}

#[test]
fn a_copy_takes_its_latency_and_its_bytes() {
    let profile = crate::gpu::find_profile("H100 SXM").unwrap();
    let copy = |bytes| copy_seconds(bytes, &profile);
    assert!(copy(0).abs() < f64::EPSILON);
    assert!((copy(4) - 10e-6).abs() < 1e-9);
    assert!((copy(630_000_000) - 0.010_01).abs() < 1e-6);
}

#[test]
fn small_ranges_use_the_slices_that_were_measured() {
    for (bytes, slices) in [(256, 1), (1024, 2), (2048, 4), (4096, 8), (8192, 16)] {
        let used: std::collections::BTreeSet<_> =
            (0..bytes / 256).map(|chunk| slice(1, chunk, 96)).collect();
        assert_eq!(used.len(), slices, "{bytes} bytes");
    }
}
