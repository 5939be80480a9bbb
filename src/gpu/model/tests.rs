//! The model against single cases that an H200 measured, and at its edges.

mod doubts;
mod waiting;

use super::*;
use crate::emulator::{Class, Counters, Swaps, Timeline, Touched, Wait, slice};
use crate::gpu::{Key, Values, parse_spec, write_spec};
use crate::work::cause::Cause;

fn h200() -> std::sync::Arc<GpuSpec> {
    crate::gpu::find_spec("H200 SXM").unwrap()
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
        resources: Resources { registers: 18, static_shared: 0, stack: 0, estimated: false },
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
        assert_eq!(predicted.bound_by, Resource::L2Atomics);
        let ratio = predicted.seconds * 1e3 / measured;
        assert!((0.75..1.25).contains(&ratio), "{chunks} chunks: {ratio}");
    }
}

/// A timeline of a block: how often its chain waits for memory.
fn timeline(far: f32) -> Timeline {
    let mut timeline = Timeline::default();
    timeline.critical_path.waits[Wait::Dram as usize] = far;
    timeline
}

#[test]
fn blocks_that_wait_take_rounds_and_blocks_that_do_nothing_a_rate() {
    let geometry = |blocks| Geometry { blocks, ..rounds(1, 0).1 };
    let time = |far, blocks| {
        let outcome = Outcome { timelines: vec![timeline(far)], ..Outcome::default() };
        predict(&outcome, &geometry(blocks), &h200()).seconds
    };
    // 132 multiprocessors hold 8 blocks of 256 threads each.
    assert!(time(10.0, 1) > time(1.0, 1));
    assert!((time(10.0, 132 * 8) / time(10.0, 1) - 1.0).abs() < 0.1);
    // Four rounds more: ten waits for memory each, and the change of blocks.
    let round = (time(10.0, 132 * 64) - time(10.0, 132 * 32)) / 4.0;
    let (spec, fitted) = (h200(), Factors::FITTED);
    let chain = 10.0 * fitted.far * spec.get(Key::DramLatency)
        + fitted.turnover * spec.get(Key::BlockTurnover);
    let ratio = round / (chain / spec.boost_hz);
    assert!((0.99..1.01).contains(&ratio), "{ratio}");
    // 0.6 ns a block.
    let many = time(0.0, 1 << 24) / f64::from(1 << 24);
    assert!((0.55e-9..0.75e-9).contains(&many), "{many}");
}

#[test]
fn what_an_earlier_launch_left_in_l2_comes_sooner() {
    let touched = Touched { bytes: 1 << 22, loads: 1 << 17, ..Touched::default() };
    let outcome =
        Outcome { timelines: vec![timeline(4.0)], touched: vec![touched], ..Outcome::default() };
    let (_, geometry) = rounds(16, 0);
    let geometry = Geometry { blocks: 100, ..geometry };
    let mut history = History::default();
    let cold = predict_next(&mut history, &outcome, &geometry, &h200());
    let warm = predict_next(&mut history, &outcome, &geometry, &h200());
    assert!(warm.parts[&Resource::Dram].abs() < f64::EPSILON && cold.parts[&Resource::Dram] > 1e-6);
    let ratio = warm.parts[&Resource::Latency] / cold.parts[&Resource::Latency];
    assert!(ratio < 0.8, "{ratio}");
}

#[test]
fn an_empty_launch_costs_its_launch() {
    let (_, geometry) = rounds(1, 0);
    let predicted = predict(&Outcome::default(), &Geometry { blocks: 1, ..geometry }, &h200());
    assert_eq!(predicted.bound_by, Resource::Launch);
    assert!(predicted.seconds < 3.5e-6);
}

#[test]
fn a_copy_takes_its_latency_and_its_bytes() {
    let spec = crate::gpu::find_spec("H100 SXM").unwrap();
    let copy = |bytes| copy_seconds(bytes, &spec);
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

/// The H200's profile with one number times something.
fn altered(key: Key, times: f64) -> std::sync::Arc<GpuSpec> {
    let mut document = h200().document();
    let number = document.numbers.get_mut(&key).unwrap();
    number.values = match &number.values {
        Values::One(value) => Values::One(value * times),
        Values::Curve(points) => {
            Values::Curve(points.iter().map(|(x, y)| (*x, y * times)).collect())
        }
    };
    parse_spec(&write_spec(&document), "altered.toml").unwrap()
}

#[test]
fn what_a_profile_measures_decides_what_it_is_about() {
    // A launch with something of everything, in many rounds of blocks.
    let mut timeline = timeline(3.0);
    timeline.critical_path.waits =
        [9.0, 2.0, 3.0, 4.0, 1.0, 1.0, 5.0, 2.0, 6.0, 1.0, 3.0, 4.0, 9.0, 2.0, 2.0, 7.0];
    timeline.code = 100;
    let counters = Counters {
        warp_instructions: 1 << 24,
        global_load_sectors: 1 << 22,
        global_store_sectors: 1 << 22,
        global_atomic_passes: 1 << 22,
        shared_load_wavefronts: 1 << 22,
        shared_atomic_wavefronts: 1 << 22,
        ..Counters::default()
    };
    let mut outcome = Outcome {
        counters,
        mix: [1e6; crate::emulator::CLASSES],
        timelines: vec![timeline],
        touched: vec![Touched { bytes: 1 << 28, loads: 1 << 22, stores: 1 << 22, atomics: 0 }],
        atomic_chunks: vec![vec![1 << 20; 4]],
        awaits_others: true,
        ..Outcome::default()
    };
    let geometry = Geometry { blocks: 20_000, ..rounds(1, 0).1 };
    // (number, the part of the breakdown that it decides)
    let waits = [
        Key::LatencyF32,
        Key::LatencySpecial,
        Key::LatencyShuffle,
        Key::SharedLatency,
        Key::SharedAtomicLatency,
        Key::L1Latency,
        Key::L2Latency,
        Key::DramLatency,
        Key::AtomicLatency,
        Key::LoopRound,
        Key::BlockTurnover,
    ];
    let rest = [
        (Key::LaunchTime, Resource::Launch, 1.0),
        (Key::BlockStart, Resource::BlockStart, 1.0),
        (Key::SharedLoadWavefront, Resource::Shared, 1.0),
        (Key::SharedAtomicAdd, Resource::Shared, 1.0),
        (Key::L2Rate, Resource::L2, -1.0),
        (Key::DramCopy, Resource::Dram, -1.0),
        (Key::AtomicSlice, Resource::L2Atomics, -1.0),
    ];
    let part = |outcome: &Outcome, spec: &GpuSpec, part: Resource| {
        let parts = predict(outcome, &geometry, spec).parts;
        // Shared memory and L1 are one unit, named after the busier one.
        let other = if part == Resource::Shared { Resource::L1 } else { part };
        parts.get(&part).or(parts.get(&other)).copied().unwrap_or_default()
    };
    for (key, name, sign) in waits.into_iter().map(|key| (key, Resource::Latency, 1.0)).chain(rest)
    {
        let before = part(&outcome, &h200(), name);
        let after = part(&outcome, &altered(key, 1.5), name);
        assert!((after - before) * sign > 1e-9, "{name:?} by {key:?}: {before}, then {after}");
    }
    // The rates of units count where nothing else is busier.
    for (class, key) in [
        (Class::Product, Key::IssueIntegerMultiply),
        (Class::Double, Key::IssueF64),
        (Class::Special, Key::IssueSpecial),
    ] {
        outcome.mix = [0.0; crate::emulator::CLASSES];
        outcome.mix[class as usize] = 1e9;
        let [before, after] =
            [h200(), altered(key, 0.25)].map(|spec| part(&outcome, &spec, Resource::Issue));
        assert!(after > 1.9 * before, "{key:?}: {before}, then {after}");
    }
}

/// The emulator runs one block after the other, so the first takes all work from a counter, also
/// of few blocks. Of two, the second may just have little to do.
#[test]
fn few_blocks_share_the_work_that_one_took() {
    let seconds = |blocks: u64, takes_turns: bool| {
        let (_, geometry) = rounds(1 << 16, 0);
        let geometry = Geometry { blocks, ..geometry };
        let mean = 1000;
        let took = mean * blocks - 20 * (blocks - 1);
        let outcome = Outcome {
            timelines: vec![Timeline { instructions: took, ..timeline(400.0) }],
            counters: Counters { warp_instructions: mean * blocks, ..Counters::default() },
            heaviest: took,
            takes_turns,
            ..Outcome::default()
        };
        predict(&outcome, &geometry, &h200()).parts[&Resource::Latency]
    };
    for blocks in 3..9 {
        let (alone, shared) = (seconds(blocks, false), seconds(blocks, true));
        let times = alone / shared / blocks as f64;
        assert!((0.9..1.1).contains(&times), "{blocks}: {alone} {shared}");
    }
    assert_eq!(seconds(2, false).to_bits(), seconds(2, true).to_bits());
}

/// Where blocks that all start at once differ, some multiprocessor has more of the long ones.
#[test]
fn the_busiest_multiprocessor_has_more_than_its_share() {
    let (blocks, sms) = (1056.0, 132.0);
    let of = |uneven: f64, resident: f64| {
        let counters = Counters { warp_instructions: 1000 * 1056, ..Counters::default() };
        let outcome = Outcome { counters, heaviest: 2000, uneven, ..Outcome::default() };
        unevenness(&outcome, (blocks, 8.0), resident, sms)
    };
    assert_eq!(of(0.0, 8.0).to_bits(), 1.125_f64.to_bits(), "one heavy block");
    assert!((1.8..2.0).contains(&of(1.0, 8.0)), "half of the blocks are empty: {}", of(1.0, 8.0));
    assert!(of(1.0, 4.0) < 1.2, "later blocks even it out: {}", of(1.0, 4.0));
}

/// Loads of single sectors over `bytes` of memory: sectors, and whether they are in no order.
fn loads_over(bytes: u64, sectors: u64, scattered: bool) -> Prediction {
    let far = if scattered { (32_000, 0) } else { (0, 0) };
    let followed = Timeline {
        sectors: (32_000, 0),
        lines: 32_000,
        scattered: far,
        span: bytes,
        ..timeline(10.0)
    };
    let counters = Counters { global_load_sectors: sectors, ..Counters::default() };
    let touched = vec![Touched { bytes, loads: sectors, ..Touched::default() }];
    let outcome = Outcome { counters, touched, timelines: vec![followed], ..Outcome::default() };
    let (_, geometry) = rounds(16, 0);
    predict(&outcome, &geometry, &h200())
}

/// As `classes.csv` has it: random single sectors from more memory than L2 holds come at
/// 36 to 41 G/s, and the prediction says that it is weak.
#[test]
fn scattered_loads_beyond_l2_open_a_row_for_each_sector() {
    let sectors = 1 << 26;
    let [within, beyond] = [1 << 24, 1 << 30].map(|bytes| loads_over(bytes, sectors, true));
    let rate = sectors as f64 / beyond.parts[&Resource::Dram] / 1e9;
    // The fit to whole kernels takes a sixth more than the microbenchmark.
    assert!((34.0..52.0).contains(&rate), "{rate} G sectors/s");
    assert!(beyond.parts[&Resource::Dram] > 5.0 * within.parts[&Resource::Dram]);
    let scattered = "scattered accesses to more memory than L2 holds";
    assert!(beyond.extrapolated.contains(&scattered));
    assert!(!within.extrapolated.contains(&scattered));
    assert!(!loads_over(1 << 30, sectors, false).extrapolated.contains(&scattered));
}

/// As `in_place.csv` has it: 50 µs for four arrays of 8 million floats.
#[test]
fn changes_in_place_take_longer_where_blocks_have_half_a_line() {
    let bytes = 4 * 4 * 8_192_000;
    let sectors = bytes / 32;
    let dram = |pieces| {
        let followed = Timeline { fetched: (1000, 0), pieces, ..timeline(1.0) };
        let counters = Counters {
            global_load_sectors: sectors,
            global_store_sectors: sectors,
            ..Counters::default()
        };
        let touched =
            vec![Touched { bytes, loads: sectors, stores: sectors, ..Touched::default() }];
        let outcome =
            Outcome { counters, touched, timelines: vec![followed], ..Outcome::default() };
        predict(&outcome, &rounds(16, 0).1, &h200()).parts[&Resource::Dram]
    };
    let longer = dram(1000) - dram(0);
    assert!((45e-6..55e-6).contains(&longer), "{longer} s");
    assert!((dram(500) - dram(0) - longer / 2.0).abs() < 1e-9);
}

#[test]
fn strided_loads_cost_l2_more_than_dense_ones() {
    let time = |lines| {
        let timeline = Timeline { sectors: (1000, 0), lines, ..timeline(1.0) };
        let counters = Counters { global_load_sectors: 1 << 28, ..Counters::default() };
        let outcome = Outcome { timelines: vec![timeline], counters, ..Outcome::default() };
        predict(&outcome, &rounds(16, 0).1, &h200()).parts[&Resource::L2]
    };
    assert!((time(500) / time(250) - 1.0).abs() < 1e-9);
    let single = 1.0 + Factors::FITTED.single;
    assert!((time(1000) / time(250) / single - 1.0).abs() < 1e-9);
}

/// An H200 loads a further sector from L2 in 3.9 ps, stores one in 7.1, and loads and stores one in 7.8.
#[test]
fn l2_takes_stores_at_half_of_the_rate_of_loads() {
    let time = |loads: u64, stores: u64| {
        let counters = Counters {
            global_load_sectors: loads << 24,
            global_store_sectors: stores << 24,
            ..Counters::default()
        };
        let timeline = Timeline { sectors: (4000, 0), lines: 1000, ..timeline(1.0) };
        let timeline = Timeline { stored: (4000, 1000), ..timeline };
        let outcome = Outcome { timelines: vec![timeline], counters, ..Outcome::default() };
        predict(&outcome, &rounds(16, 0).1, &h200()).parts[&Resource::L2] * 1e12
            / f64::from(1 << 24)
    };
    for (loads, stores, measured) in [(1, 0, 3.9), (0, 1, 7.1), (1, 1, 7.8)] {
        let took = time(loads, stores);
        assert!((took / measured - 1.0_f64).abs() < 0.03, "{loads} {stores}: {took}");
    }
}

/// Lanes store a few words in part, bulk copies all others as a whole.
#[test]
fn bulk_copies_are_not_taken_for_the_few_words_beside_them() {
    let time = |partial| {
        let followed = Timeline { stored: (10, 10), partial, instructions: 1000, ..timeline(1.0) };
        let counters = Counters {
            global_store_sectors: 1 << 28,
            warp_instructions: 1 << 20,
            ..Counters::default()
        };
        let outcome = Outcome { timelines: vec![followed], counters, ..Outcome::default() };
        predict(&outcome, &rounds(16, 0).1, &h200()).parts[&Resource::L2]
    };
    assert!(time(10) < 1.01 * time(0), "{} {}", time(10), time(0));
}

/// Quotients of numbers beyond 32 bits take a way that the tables of machine code leave out:
/// 66 instructions each (`miller_rabin` of the blind set, by Nsight Compute: 64).
#[test]
fn wide_quotients_add_their_instructions() {
    let time = |wide_divisions| {
        let followed = Timeline { instructions: 100, wide_divisions, ..timeline(0.0) };
        let counters = Counters { warp_instructions: 1 << 26, ..Counters::default() };
        let issued = [f64::from(1 << 26), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let outcome = Outcome { timelines: vec![followed], counters, issued, ..Outcome::default() };
        predict(&outcome, &rounds(1 << 16, 0).1, &h200()).parts[&Resource::Issue]
    };
    // Half a quotient for each: 25 products at two a cycle, where four issue.
    let ratio = time(50) / time(0);
    assert!((ratio - 50.0).abs() < 1.0, "{ratio}");
}

/// Atomics on random words push out what they wrote: beyond L2 they take twice the time
/// (`benches/data/h200/atomics.csv`: 75, 36 and 16 billion a second over 16 MiB to 1 GiB).
#[test]
fn random_atomics_beyond_l2_write_back() {
    let dram = |bytes: u64| {
        let touched = vec![Touched { bytes, atomics: 1 << 26, ..Touched::default() }];
        let outcome = Outcome { touched, timelines: vec![timeline(1.0)], ..Outcome::default() };
        predict(&outcome, &rounds(1 << 16, 0).1, &h200()).parts[&Resource::Dram]
    };
    let rate = |bytes| f64::from(1 << 26) / dram(bytes) / 1e9;
    assert!((12.0..28.0).contains(&rate(1 << 30)), "{}", rate(1 << 30));
    assert!(rate(1 << 26) > 2.0 * rate(1 << 30), "{}", rate(1 << 26));
}

#[test]
fn amounts_of_work_give_the_predicted_time_and_follow_the_counters() {
    let (mut counters, geometry) = rounds(16, 2048);
    counters.shared_load_requests = 1 << 24;
    counters.shared_load_wavefronts = 1 << 28;
    counters.shared_bank_conflicts = (1 << 28) - (1 << 24);
    counters.thread_instructions = 20 * counters.warp_instructions;
    let predicted = |counters| {
        let outcome = Outcome { counters, timelines: vec![timeline(40.0)], ..Outcome::default() };
        predict(&outcome, &geometry, &h200())
    };
    let slow = predicted(counters);
    let again = counterfactual::seconds_of(&slow.launches);
    assert!((again / slow.seconds - 1.0).abs() < 1e-12, "{again} is not {}", slow.seconds);
    // Without conflicts, the counters and the amounts lead to the same time.
    let fewer = Counters { shared_load_wavefronts: 1 << 24, shared_bank_conflicts: 0, ..counters };
    let fast = predicted(fewer);
    let pairs = counterfactual::aligned(&slow.launches, &fast.launches);
    let (saved, lost) = counterfactual::exchanged(&pairs, Cause::BankConflicts);
    for change in [saved, lost] {
        let ratio = change / (slow.seconds - fast.seconds);
        assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    }
    assert!(saved > 0.4 * slow.seconds, "{saved} of {}", slow.seconds);
    let other = counterfactual::exchanged(&pairs, Cause::Barriers);
    assert!(other.0.abs() + other.1.abs() < 1e-15, "{other:?}");
    let without = counterfactual::seconds_without(&slow.launches, Cause::BankConflicts);
    assert!((without / fast.seconds - 1.0).abs() < 1e-9, "{without}");
    let alone = counterfactual::seconds_alone(&slow.launches, Cause::BankConflicts);
    assert!(alone > 0.5 * slow.seconds && alone < slow.seconds, "{alone}");
}
