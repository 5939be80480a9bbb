//! What makes a time less certain, and what is said of it.

use super::*;

#[test]
fn weak_predictions_say_why() {
    let outcome = Outcome {
        timelines: vec![timeline(4.0)],
        touched: vec![Touched { bytes: 1 << 20, loads: 1 << 15, ..Touched::default() }],
        ..Outcome::default()
    };
    let (_, geometry) = rounds(16, 0);
    // Many rounds that wait for DRAM alone hang on one chain, one round hardly.
    let known = predict(&outcome, &geometry, &h200());
    assert_eq!(known.extrapolated, ["a chain of dependent instructions decides"]);
    let few = Geometry { blocks: 132, ..geometry };
    assert_eq!(predict(&outcome, &few, &h200()).extrapolated, [""; 0]);
    let old = crate::gpu::find_spec("GTX 745").unwrap();
    assert_eq!(
        predict(&outcome, &few, &old).extrapolated[0],
        "no GPU of this architecture was measured"
    );
    let large = Outcome {
        touched: vec![Touched { bytes: 1 << 40, ..Touched::default() }],
        ..outcome.clone()
    };
    assert_eq!(predict(&large, &few, &h200()).extrapolated, ["more memory than any measured case"]);
    let counters = Counters {
        local_load_requests: 1 << 25,
        local_load_sectors: 1 << 27,
        ..Counters::default()
    };
    let local = |found| {
        let followed = Timeline { local: (4, found), ..timeline(4.0) };
        let outcome = Outcome { counters, timelines: vec![followed], ..outcome.clone() };
        predict(&outcome, &geometry, &h200()).extrapolated
    };
    assert!(local(0).contains(&"local memory beyond L1"), "{:?}", local(0));
    assert!(!local(4).contains(&"local memory beyond L1"), "{:?}", local(4));
    let recursive = Outcome { recurses: true, ..outcome.clone() };
    let why = "a function calls itself";
    assert!(predict(&recursive, &geometry, &h200()).extrapolated.contains(&why));
    let passes = 1 << 24;
    let swapping = Outcome {
        counters: Counters {
            global_atomic_passes: passes,
            global_atomic_lanes: passes,
            ..Counters::default()
        },
        atomic_chunks: vec![vec![passes; 4]],
        swaps: Swaps { all: passes, updates: 1 << 10, tries: 1 << 10, locks: 0, words: 0 },
        ..outcome.clone()
    };
    // All at one word, where it may be any of 64.
    let swaps = Swaps { words: 1, ..swapping.swaps };
    let one_word = Outcome { swaps, ..swapping.clone() };
    let seconds = |outcome| predict(outcome, &geometry, &h200()).seconds;
    assert!(seconds(&one_word) > seconds(&swapping));
    let predicted = predict(&swapping, &geometry, &h200());
    let why = "compare-and-swap: its retries depend on the order of warps";
    assert_eq!(predicted.extrapolated, [why]);
    assert!(predicted.error > confidence::LARGE, "{}", predicted.error);
}

/// A time is less certain where blocks differ much in length and few are followed, and where a
/// sample leaves something open.
#[test]
fn errors_are_estimated_from_what_is_weakly_known() {
    let (_, geometry) = rounds(1 << 16, 0);
    let base = Outcome {
        timelines: vec![Timeline { instructions: 1000, ..timeline(40.0) }],
        counters: Counters { warp_instructions: 1000 * geometry.blocks, ..Counters::default() },
        heaviest: 1000,
        ..Outcome::default()
    };
    let error = |outcome: &Outcome| predict(outcome, &geometry, &h200()).error;
    let uneven = Outcome { heaviest: 9000, ..base.clone() };
    assert!(error(&uneven) > error(&base) + 0.1, "{} {}", error(&base), error(&uneven));
    let sampled = Outcome { left_open: 0.5, ..base.clone() };
    let doubts = predict(&sampled, &geometry, &h200());
    assert!(doubts.error > 0.4 && (doubts.left_open - 0.5).abs() < 1e-9);
    assert!(doubts.extrapolated.contains(&"the sample leaves much open"), "{doubts:?}");
    let first = Outcome { first_only: true, ..base.clone() };
    let doubts = predict(&first, &geometry, &h200()).extrapolated;
    assert_eq!(doubts[0], "only the first blocks ran, and others depend on them");
    let took = |instructions| {
        let timelines = vec![Timeline { instructions, ..timeline(40.0) }];
        let outcome = Outcome { timelines, takes_turns: true, ..base.clone() };
        predict(&outcome, &geometry, &h200()).extrapolated
    };
    let why = "blocks take their work from a counter";
    assert!(took(9000).contains(&why) && !took(1000).contains(&why), "{:?}", took(9000));
}

/// Threads whose swaps come too late go further rounds, which the emulator does not see.
#[test]
fn swaps_that_lead_elsewhere_make_a_time_uncertain() {
    let (_, geometry) = rounds(1 << 16, 0);
    let doubts = |all| {
        let swaps = crate::emulator::Swaps { all, ..Default::default() };
        let outcome = Outcome { timelines: vec![timeline(40.0)], swaps, ..Outcome::default() };
        predict(&outcome, &geometry, &h200()).extrapolated
    };
    let rounds = "compare-and-swap: who comes too late goes further rounds";
    assert!(!doubts(0).contains(&rounds));
    assert_eq!(doubts(1000), [rounds]);
}

/// Warps that wait for a word which another one writes: the emulator runs them one after the other.
#[test]
fn warps_that_wait_for_each_other_make_a_time_uncertain() {
    let (_, geometry) = rounds(1 << 16, 0);
    let doubts = |awaits_warps| {
        let outcome =
            Outcome { timelines: vec![timeline(40.0)], awaits_warps, ..Outcome::default() };
        predict(&outcome, &geometry, &h200()).extrapolated
    };
    let why = "warps wait for what others write to shared memory";
    assert!(!doubts(false).contains(&why) && doubts(true).contains(&why));
}
