#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use super::launch::Data;
use super::launches::turnovers;
use super::*;
use crate::emulator::{self, Kernel, Memory, Options, Outcome};
use crate::work::{Arg, Dim3};

// ---- the kernels, on the emulator -------------------------------------------------

/// What a probe did on the emulator, with its kernel, what `cycles` and what the
/// first words of `data` hold then.
fn emulate(probe: &ProbeLaunch) -> (Outcome, Kernel, Vec<u32>, Vec<u32>) {
    let (work, inputs) = probe.work().unwrap();
    let mut memory = Memory::new();
    let addresses: Vec<u64> =
        work.buffers.iter().map(|buffer| memory.allocate(buffer.bytes())).collect();
    for (buffer, address) in work.buffers.iter().zip(&addresses) {
        if let Some(input) = buffer.given(&inputs).unwrap() {
            memory.write_u32(*address, &input.words());
        }
    }
    let mut last = None;
    for launch in work.launches() {
        let kernel = emulator::load(work.module.ptx, work.module.path, &launch.kernel).unwrap();
        let address = |index: usize| addresses.get(index).copied();
        let words = |arg: &Arg| arg.words(address, |map, at| Ok(map.words(at))).unwrap();
        let args: Vec<u64> = launch.args.iter().flat_map(words).collect();
        assert_eq!(launch.args[..2], [Arg::Buffer(0), Arg::Buffer(1)]);
        let options = Options { budget: 50_000_000, ..Options::default() };
        let Dim3 { x, .. } = launch.grid;
        let grid = Dim3::linear(x.min(probe.grid.max(2)));
        let outcome = emulator::launch(
            &kernel,
            grid,
            launch.block,
            launch.shared_bytes,
            &args,
            &memory,
            options,
        )
        .unwrap_or_else(|trap| panic!("{}: {trap}", launch.kernel));
        last = Some((outcome, kernel));
    }
    let (outcome, kernel) = last.unwrap();
    let (cycles, data) = (memory.read_u32(addresses[0]), memory.read_u32(addresses[1]));
    (outcome, kernel, cycles, data)
}

/// Lanes that carried out instructions whose word begins so.
fn executed(outcome: &Outcome, kernel: &Kernel, word: &str) -> u64 {
    let counts = outcome.instructions.iter().enumerate();
    counts
        .filter(|(index, _)| kernel.instruction(*index).unwrap().word.starts_with(word))
        .map(|(_, count)| count.lanes)
        .sum()
}

#[test]
fn a_round_of_arithmetic_has_as_many_instructions_as_its_rate_counts() {
    for (kernel, words) in [
        ("probe_integer_add", "add.u32"),
        ("probe_integer_multiply", "mad.lo.u32"),
        ("probe_multiply_high", "mul.hi.u32"),
        ("probe_logic", "lop3.b32"),
        ("probe_shift", "sh"),
        ("probe_minimum", "m"),
        ("probe_select", "selp.b32"),
        ("probe_population", "popc.b32"),
        ("probe_to_float", "cvt.rn.f32.u32"),
        ("probe_to_integer", "cvt.rzi.u32.f32"),
        ("probe_f32", "fma.rn.f32"),
        ("probe_f64", "fma.rn.f64"),
        ("probe_f16x2", "fma.rn.f16x2"),
        ("probe_special", "ex2.approx.ftz.f32"),
        ("probe_divide_integer", "div.u32"),
        ("probe_divide_float", "div.rn.f32"),
        ("probe_shuffle", "shfl.sync"),
        ("probe_vote", "vote.sync.ballot"),
    ] {
        let kind = arithmetic::KINDS.iter().find(|kind| kind.kernel == kernel).unwrap();
        let run = |rounds| {
            let (outcome, loaded, cycles, data) = emulate(&arithmetic::probe(kernel, 64, rounds));
            assert_eq!(data[32], 0, "{kernel} came to the sum that nobody expects");
            assert!(cycles[0] > 0, "{kernel} left no cycles");
            executed(&outcome, &loaded, words)
        };
        assert_eq!(run(6) - run(2), 4 * 64 * u64::from(kind.per_round), "{kernel}");
    }
}

#[test]
fn loops_run_as_often_as_is_assumed() {
    let (outcome, kernel, ..) = emulate(&arithmetic::probe("probe_loop", 32, 1000));
    assert_eq!(executed(&outcome, &kernel, "add.u32"), 1000 * 32);
}

#[test]
fn shared_accesses_meet_as_their_level_says() {
    use super::shared::{FLOATS_PER_ROUND, PER_ROUND, probe};
    // Per round 16 accesses of each of 2 warps.
    let per_round = |kernel, threads, sharers, hop, of: fn(&Outcome) -> u64| {
        let run = |repeat| of(&emulate(&probe(kernel, threads, sharers, hop).repeated(repeat)).0);
        (run(3) - run(1)) / 2
    };
    for level in [1, 2, 4, 8, 16, 32] {
        let accesses = u64::from(2 * PER_ROUND);
        let all = accesses * u64::from(level);
        let loads = |outcome: &Outcome| outcome.counters.shared_load_wavefronts;
        let stores = |outcome: &Outcome| outcome.counters.shared_store_wavefronts;
        let atomics = |outcome: &Outcome| outcome.counters.shared_atomic_wavefronts;
        assert_eq!(per_round("probe_shared_load", 64, 1, level, loads), all);
        assert_eq!(per_round("probe_shared_store", 64, 1, level, stores), all);
        assert_eq!(per_round("probe_shared_add", 64, level, 1, atomics), all);
        // Increments of lanes on one word go together.
        assert_eq!(per_round("probe_shared_increment", 64, level, 1, atomics), accesses);
        let requests = |outcome: &Outcome| outcome.counters.shared_atomic_requests;
        let floats = u64::from(2 * FLOATS_PER_ROUND);
        assert_eq!(per_round("probe_shared_float", 64, level, 1, requests), floats);
    }
    let requests = |outcome: &Outcome| outcome.counters.shared_load_requests;
    assert_eq!(per_round("probe_shared_chase", 1, 1, 1, requests), u64::from(PER_ROUND));
    let barriers = |outcome: &Outcome| outcome.counters.barriers;
    assert_eq!(per_round("probe_barrier", 128, 1, 1, barriers), u64::from(4 * PER_ROUND));
}

#[test]
fn chases_go_round_the_ring() {
    let words = 2048;
    for (kernel, hop, before, word) in [
        ("probe_chase_l1", 32, 64, "ld.global.u32"),
        ("probe_chase_l2", 32, 64, "ld.global.cg.u32"),
        ("probe_chase_l2", 0, 0, "ld.global.cg.u32"),
        ("probe_chase_atomic", 32, 64, "atom.global.add.u32"),
    ] {
        let probe = ProbeLaunch::new(kernel, (1, 1), [100, words, hop])
            .on(Data::Written(u64::from(words)))
            .after("probe_ring", [0, words, 32]);
        let (outcome, loaded, cycles, data) = emulate(&probe);
        let before = if word.starts_with("atom") { 0 } else { before };
        assert_eq!(executed(&outcome, &loaded, word), 100 + before, "{kernel} {hop}");
        assert_eq!((data[0], data[32], data[2016]), (32, 64, 0));
        assert!(cycles[0] > 0);
    }
}

#[test]
fn readers_read_every_word_as_often_as_asked() {
    let words = 1 << 14;
    for (kernel, bytes) in [
        ("probe_read_4x1", 4),
        ("probe_read_4x4", 4),
        ("probe_read_16x1", 16),
        ("probe_read_16x4", 16),
    ] {
        for repeat in [1, 3] {
            let probe = ProbeLaunch::new(kernel, (3, 96), [repeat, words, 0])
                .on(Data::Zeros(u64::from(words)));
            let (outcome, kernel, ..) = emulate(&probe);
            let lanes = executed(&outcome, &kernel, "ld.global.cg");
            // Beyond the end of the words the last steps read one again.
            let least = u64::from(repeat * words * 4 / bytes);
            assert!((least..least + 1200 * u64::from(repeat)).contains(&lanes), "{lanes} {least}");
        }
    }
    let probe = ProbeLaunch::new("probe_read_l1", (1, 1024), [8, 0, 0]).on(Data::Zeros(8192));
    let run = |repeat| {
        let (outcome, kernel, ..) = emulate(&probe.repeated(repeat));
        executed(&outcome, &kernel, "ld.global.u32")
    };
    assert_eq!(run(24) - run(8), 16 * 1024 * 8);
    let stride =
        ProbeLaunch::new("probe_read_stride", (2, 128), [0, 1 << 16, 64]).on(Data::Zeros(1 << 16));
    let sectors = emulate(&stride).0.counters.global_load_sectors;
    assert_eq!(sectors, (1 << 16) / 64);
}

#[test]
fn writers_and_copies_touch_all_their_words() {
    let words = 1 << 12;
    let data = Data::Written(words);
    let write = ProbeLaunch::new("probe_write", (3, 64), [7, words as u32, 0]).on(data);
    assert!(emulate(&write).3.iter().all(|word| *word == 7));
    let copy =
        ProbeLaunch::new("probe_copy", (3, 64), [0, words as u32, 0]).on(Data::Written(words));
    let counters = emulate(&copy).0.counters;
    assert_eq!(counters.global_load_sectors, words / 2 * 4 / 32);
    assert_eq!(counters.global_store_sectors, words / 2 * 4 / 32);
}

#[test]
fn atomics_are_as_many_as_their_rate_counts() {
    let shape = (2, 64);
    for (kernel, bytes) in [
        ("probe_atomic_add", 4),
        ("probe_atomic_add_used", 4),
        ("probe_atomic_add_u64", 8),
        ("probe_atomic_add_f32", 4),
        ("probe_atomic_add_f64", 8),
        ("probe_atomic_max", 4),
        ("probe_atomic_exchange", 4),
        ("probe_atomic_compare", 4),
    ] {
        let lanes = emulate(&atomics::probe(kernel, shape, 5, 256, bytes)).0.counters;
        assert_eq!(lanes.global_atomic_lanes, 5 * 2 * 64, "{kernel}");
    }
    let (.., data) = emulate(&atomics::probe("probe_atomic_add", shape, 5, 1000, 4));
    assert_eq!(data.iter().sum::<u32>(), 5 * 2 * 64);
    assert!(data[..1000].iter().filter(|count| **count > 0).count() > 300, "not spread");
    for sharers in [1, 2, 32] {
        let mut probe = atomics::probe("probe_atomic_lanes", shape, 5, 4096, 4);
        probe.numbers[2] = sharers;
        let counters = emulate(&probe).0.counters;
        assert_eq!(counters.global_atomic_addresses, 5 * 4 * u64::from(32 / sharers));
    }
    let mut pair = atomics::probe("probe_atomic_pair", shape, 5, 1024, 4);
    pair.numbers[2] = 512;
    let (.., data) = emulate(&pair);
    assert_eq!((data[0], data[512]), (320, 320));
}

#[test]
fn launches_leave_what_they_say() {
    let probe = ProbeLaunch::new("probe_stamp", (5, 32), [0, 200, 0]).on(Data::Written(64));
    let (.., data) = emulate(&probe);
    for block in data.as_chunks::<4>().0.iter().take(5) {
        assert!(block[2].wrapping_sub(block[1]) >= 200, "{block:?}");
    }
    assert_eq!(
        emulate(&ProbeLaunch::new("probe_empty", (5, 32), [0; 3])).0.counters.divergent_branches,
        0
    );
    let store = ProbeLaunch::new("probe_store", (3, 32), [0; 3]).on(Data::Written(64));
    assert_eq!(emulate(&store).3[..4], [1, 1, 1, 0]);
    let clock = ProbeLaunch::new("probe_clock", (1, 1), [0, 5000, 0]).on(Data::Written(64));
    let (.., data) = emulate(&clock);
    assert!(data[0] >= 5000 && data[1] > 0, "{:?}", &data[..2]);
}

// ---- from samples to numbers --------------------------------------------------------

/// A GPU whose every figure is known, that answers like one: with overheads, noise
/// and outliers.
struct Synthetic {
    noise: u32,
}

const HZ: f64 = 1.5e9;

impl Synthetic {
    /// Within 0.2 % of 1, now and then half as much again.
    fn noisy(&mut self, value: f64) -> f64 {
        self.noise = self.noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(self.noise >> 16) / 65536.0;
        value * if noise > 0.95 { 1.5 } else { 1.0 + 0.004 * (noise - 0.5) }
    }

    /// Cycles of the measured part, and seconds between the events.
    fn truth(probe: &ProbeLaunch) -> (f64, f64) {
        let [repeat, size, last] = probe.numbers.map(f64::from);
        let warps = f64::from(probe.block.div_ceil(32));
        let threads = f64::from(probe.grid) * f64::from(probe.block);
        let arithmetic = arithmetic::KINDS.iter().find(|kind| kind.kernel == probe.kernel);
        // Every warp's instruction: 6 cycles after the last, 3 a cycle at most.
        let rounds = |count: f64, latency: f64, each: f64| {
            100.0 + repeat * count * latency.max(warps * each)
        };
        let cycles = match probe.kernel {
            _ if arithmetic.is_some() => {
                rounds(f64::from(arithmetic.unwrap().per_round), 6.0, 1.0 / 3.0)
            }
            "probe_loop" => 50.0 + 17.0 * repeat,
            "probe_shared_load" | "probe_shared_store" => rounds(16.0, 25.0, last),
            "probe_shared_float" => rounds(4.0, 80.0, 5.0 * size),
            "probe_shared_add" | "probe_shared_increment" => rounds(16.0, 60.0, 2.0 * size),
            "probe_shared_chase" => rounds(16.0, 23.0, 0.0),
            "probe_shared_atomic_chase" => rounds(16.0, 70.0, 0.0),
            "probe_barrier" => rounds(16.0, 10.0 + 2.0 * warps, 0.0),
            "probe_chase_l1" => 500.0 + repeat * 33.0,
            "probe_chase_l2" if last > 0.0 => 500.0 + repeat * 210.0,
            "probe_chase_l2" => 500.0 + repeat * 600.0,
            "probe_chase_atomic" => 500.0 + repeat * 650.0,
            "probe_read_l1" => 700.0 + repeat * 1024.0 * 32.0 / 64.0,
            _ => 0.0,
        };
        let launch = 4e-6;
        let bytes = 4.0 * size;
        // Little's law: what each thread has under way, over 400 ns.
        let flight = |each: f64, most: f64| (threads * each / 400e-9).min(most);
        let each = match probe.kernel {
            "probe_read_4x1" => 4.0,
            "probe_read_4x4" | "probe_read_16x1" => 16.0,
            _ => 64.0,
        };
        let seconds = match probe.kernel {
            "probe_empty" => {
                let blocks = f64::from(probe.grid - 1) * 2.0 / HZ;
                launch + blocks + f64::from(probe.launches - 1) * 5e-6
            }
            "probe_store" => launch + 3e-7 + f64::from(probe.launches - 1) * 5.3e-6,
            "probe_stamp" if probe.grid == 1 => 3e-6 + size / HZ,
            _ if probe.kernel.starts_with("probe_read_") && probe.kernel != "probe_read_l1" => {
                if probe.kernel == "probe_read_stride" {
                    launch + size / last * 32.0 / 4e11
                } else if probe.before.is_some() {
                    let most = if bytes > 6e6 { 9e11 } else { 2e12 };
                    launch + repeat * bytes / flight(each, most)
                } else {
                    launch + 3e-6 + repeat * bytes / flight(each, 5e11)
                }
            }
            "probe_write" => launch + bytes / 6e11,
            "probe_copy" => launch + bytes / 5.5e11,
            "probe_atomic_pair" => launch + repeat * threads / if last < 64.0 { 1e9 } else { 2e9 },
            _ if probe.kernel.starts_with("probe_atomic") => {
                launch + repeat * threads / (1e9 * size).min(24e9)
            }
            _ => launch + cycles / HZ,
        };
        (cycles, seconds)
    }
}

impl ProbeRunner for Synthetic {
    fn launch(&mut self, probe: &ProbeLaunch) -> Result<ProbeSamples, Failure> {
        assert!(probe.work().is_some(), "no kernel {}", probe.kernel);
        let (cycles, seconds) = Self::truth(probe);
        let mut reading = ProbeSamples::default();
        for _ in 0..15 {
            reading.seconds.push(self.noisy(seconds));
            let blocks = 0..probe.grid.min(64);
            reading.cycles.push(blocks.map(|_| self.noisy(cycles) as u32).collect());
            let length = probe.numbers[1];
            let data = match probe.kernel {
                "probe_clock" => vec![length, (f64::from(length) / HZ * 1e9) as u32],
                // 400 cycles between blocks, and a clock that wraps on the way.
                "probe_stamp" => (0..probe.grid)
                    .flat_map(|block| {
                        let (processor, turn) = (block % 20, block / 20);
                        let start = 0xffff_f000_u32.wrapping_add(turn * (length + 400));
                        [processor, start, start.wrapping_add(length), 0]
                    })
                    .collect(),
                _ => Vec::new(),
            };
            reading.data.push(data);
        }
        Ok(reading)
    }

    fn copy(&mut self, bytes: u64) -> Result<[Estimate; 2], Failure> {
        let seconds = 8e-6 + bytes as f64 / 6e9;
        Ok([0.9, 1.1].map(|way| Estimate { value: seconds * way, spread: 0.01 }))
    }
}

fn facts() -> DeviceFacts {
    DeviceFacts {
        name: "Known".to_owned(),
        compute_capability: 80,
        sms: 20,
        boost_hz: 1.6e9,
        dram_peak: 6e11,
        dram_bytes: (8 << 30, 7 << 30),
        l2_bytes: 6 << 20,
        shared_per_block: 163 << 10,
        occasion: "2026-11-21, driver 1.2".to_owned(),
    }
}

#[test]
fn a_gpu_of_known_figures_is_found_as_it_is() {
    let mut groups = 0;
    let found = measure(&mut Synthetic { noise: 1 }, &facts(), &mut |_, _| groups += 1).unwrap();
    assert_eq!(groups, GROUPS.len());
    let document = document(&facts(), &found);
    let text = crate::gpu::write_spec(&document);
    let profile = crate::gpu::parse_spec(&text, "known.toml").unwrap();
    let near = |key: Key, x: f64, truth: f64| {
        let value = profile.at(key, x);
        assert!((value / truth - 1.0).abs() < 0.03, "{key:?} at {x}: {value}, not {truth}");
    };
    near(Key::Clock, 0.0, HZ);
    near(Key::LaunchTime, 0.0, 4e-6);
    near(Key::NextLaunchTime, 0.0, 5e-6);
    near(Key::GridEdges, 0.0, 3e-6);
    near(Key::BlockStart, 256.0, 2.0);
    near(Key::BlockTurnover, 0.0, 400.0);
    near(Key::BusRate, 0.0, 6e9);
    near(Key::IssueF32, 0.0, 3.0);
    near(Key::LatencyF32, 0.0, 6.0);
    near(Key::LoopRound, 0.0, 17.0);
    near(Key::SharedLoadWavefront, 8.0, 8.0);
    near(Key::SharedAtomicAdd, 16.0, 32.0);
    near(Key::SharedAtomicFloat, 4.0, 20.0);
    near(Key::SharedLatency, 0.0, 23.0);
    near(Key::Barrier, 256.0, 26.0);
    near(Key::L1Latency, 0.0, 33.0);
    near(Key::L1Rate, 0.0, 64.0);
    near(Key::L2Latency, 0.0, 210.0);
    near(Key::DramLatency, 0.0, 600.0);
    near(Key::DramRead, 0.0, 5e11);
    near(Key::DramWrite, 0.0, 6e11);
    near(Key::DramCopy, 0.0, 5.5e11);
    near(Key::DramReadByStride, 64.0, 4e11);
    // A line between two places of a curve is no better than the places are dense.
    let flight = 20.0 * 4.0 * 32.0 * 4.0;
    near(Key::DramReadByFlight, flight, flight / 400e-9);
    near(Key::L2ReadByFlight, flight, flight / 400e-9);
    near(Key::L2ReadByFootprint, f64::from(3 << 20), 20.0 * 16.0 * 32.0 * 64.0 / 400e-9);
    near(Key::L2ReadByFootprint, f64::from(12 << 20), 9e11);
    near(Key::AtomicSlice, 0.0, 1e9);
    near(Key::AtomicAddF64, 0.0, 24e9);
    near(Key::AtomicByBytes, 32.0, 8e9);
    near(Key::AtomicLatency, 0.0, 650.0);
    near(Key::L2Slices, 0.0, 24.0);
    near(Key::L2Interleave, 0.0, 256.0);
    // A few per cent of the time that it is taken from.
    assert!((2.5e-7..3.5e-7).contains(&profile.get(Key::StoreDrain)));
    let measured = profile.number(Key::DramCopy);
    assert_eq!(measured.source, "measured by warpscope probe, 2026-11-21, driver 1.2");
    assert!(!profile.validated && profile.name == "Known");
}

#[test]
fn every_number_of_a_profile_is_told_or_measured_by_one_group() {
    let facts = facts();
    let found = measure(&mut Synthetic { noise: 7 }, &facts, &mut |_, _| ()).unwrap();
    let mut listed = BTreeSet::new();
    for key in GROUPS.iter().flat_map(|group| group.keys) {
        assert!(listed.insert(*key), "{key:?} is in two groups");
        assert!(found.0.contains_key(key), "{key:?} is not found");
    }
    assert_eq!(found.0.len(), listed.len(), "something is found that no group lists");
    let document = document(&facts, &found);
    for key in Key::ALL {
        assert!(document.numbers.contains_key(key), "no number for {key:?}");
    }
}

#[test]
fn what_drowns_in_noise_is_not_found_and_no_file_breaks() {
    let mut found = ProbeResults::default();
    let estimate = |value| Estimate { value, spread: 0.1 };
    for (key, value) in [(Key::StoreDrain, -1e-9), (Key::AtomicLatency, f64::NAN)] {
        found.put(key, estimate(value));
    }
    found.put(Key::LoopRound, estimate(5.0).less(estimate(5.0)));
    found.curve(Key::Barrier, &[(32.0, estimate(-1.0)), (64.0, estimate(2.0))]);
    assert_eq!(found.0.keys().collect::<Vec<_>>(), [&Key::Barrier]);
    assert!(found.missing().contains(&Key::StoreDrain));
    let text = crate::gpu::write_spec(&document(&facts(), &found));
    let profile = crate::gpu::parse_spec(&text, "x.toml").unwrap();
    assert!(profile.number(Key::StoreDrain).source.starts_with("assumed"));
}

#[test]
fn blocks_that_ran_side_by_side_tell_no_turnover() {
    // Two on one multiprocessor, the second before the first ended.
    let data = vec![vec![0, 100, 200, 0, 0, 150, 250, 0, 1, 50, 90, 0, 1, 110, 190, 0]];
    assert_eq!(turnovers(&ProbeSamples { data, ..ProbeSamples::default() }), [20.0]);
}

#[test]
fn words_part_where_their_time_halves() {
    use super::atomics::interleave;
    assert_eq!(interleave(&[(32, 2.0), (64, 2.1), (128, 1.1), (256, 2.0)]), Some(128));
    assert_eq!(interleave(&[(32, 2.0), (64, 2.1)]), None);
    assert_eq!(interleave(&[]), None);
}
