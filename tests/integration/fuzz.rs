//! Random kernels on the emulator and on a plain reference, and broken PTX on
//! the parser and the loader.
//!
//! `cargo test` tries a few seconds' worth. To go on for an hour, both halves
//! side by side, from a seed of your own:
//!
//!     WARPSCOPE_FUZZ_SECONDS=3600 WARPSCOPE_FUZZ_SEED=1 cargo test --release --test integration fuzz -- --nocapture
//!
//! With `kernels` or `broken` behind it, only that half runs. How far each has
//! come is printed every 10,000 tries.
//! What went wrong is printed with its seed, and its PTX is left in the
//! system's folder for temporary files.

mod reference;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use reference::Random;
use reference::exchange;
use reference::generate::{Abilities, generate};
use reference::interpret::{Results, interpret};
use reference::mutate::mutate;
use reference::ops::{self, Class};
use reference::program::{
    Action, Block, COLLECTIVES, End, INPUT_WORDS, OWN, Program, REGISTERS, Segment, Source, Step,
    cells_per_thread, print,
};
use reference::warp::WARPS;
use warpscope::emulator::trace::{Moment, Setup, record};
use warpscope::emulator::{self, Counters, Follow, HostVectors, Kernel, Memory, Options, Setting};
use warpscope::work::Dim3;

/// How long to go on, and from which seed.
struct Effort {
    until: Option<Instant>,
    runs: u64,
    seed: u64,
}

impl Effort {
    fn new(runs: u64) -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
        let until =
            number("WARPSCOPE_FUZZ_SECONDS").map(|s| Instant::now() + Duration::from_secs(s));
        Self { until, runs, seed: number("WARPSCOPE_FUZZ_SEED").unwrap_or(0) << 32 }
    }

    fn goes_on(&self, what: &str, run: u64) -> bool {
        if run > 0 && run.is_multiple_of(10_000) && self.until.is_some() {
            println!("{run} {what} so far, from seed {}", self.seed);
        }
        self.until.map_or(run < self.runs, |until| Instant::now() < until)
    }
}

fn input() -> Vec<u32> {
    let mut random = Random(7);
    (0..INPUT_WORDS)
        .map(|at| match at % 4 {
            0 => random.next() as u32,
            // Floats of everyday size, and edge cases.
            1 | 2 => (random.below(20_000) as f32 / 64.0 - 150.0).to_bits(),
            _ => {
                [0, 0x8000_0000, 1, 0x7f80_0000, 0xff80_0000, 0x7f7f_ffff, 0x0080_0000, 0x3f80_0000]
                    [at as usize / 4 % 8]
            }
        })
        .collect()
}

/// The buffers of a program: its input, cells, counted cells, bytes of the threads, and room.
fn buffers(program: &Program, input: &[u32], counted: usize) -> (Memory, [u64; 5]) {
    let all = u64::from(program.threads * program.blocks);
    let mut memory = Memory::new();
    let addresses = [
        input.len() as u64 * 4,
        all * cells_per_thread() * 8,
        counted as u64 * 4,
        all * OWN,
        u64::from(program.blocks * exchange::bytes(program.threads)),
    ]
    .map(|bytes| memory.allocate(bytes));
    memory.write_u32(addresses[0], input);
    (memory, addresses)
}

/// Records the last block of a program and steps through it, forwards, backwards and to and
/// fro; says what differs.
fn step_difference(program: &Program, seed: u64) -> Option<String> {
    let text = print(program);
    let module = match emulator::Module::load(&text) {
        Ok(module) => module,
        Err(error) => return Some(error.to_string()),
    };
    let input = input();
    let (memory, args) = buffers(program, &input, interpret(program, &input).counted.len());
    let setup = Setup {
        grid: Dim3::linear(program.blocks),
        block: Dim3::linear(program.threads),
        args: args.to_vec(),
        ..Setup::default()
    };
    let block = u64::from(program.blocks - 1);
    let mut trace = match record(&module, "k", setup, memory, block) {
        Ok(trace) => trace,
        Err(error) => return Some(error.to_string()),
    };
    let count = trace.steps().len();
    let mut random = Random(seed);
    let mut at: Vec<usize> = (0..8).map(|_| random.below(count as u64) as usize).collect();
    at.extend([0, count - 1]);
    at.sort_unstable();
    let forwards: Vec<_> = at.iter().map(|&at| trace.moment(at)).collect();
    if forwards.iter().zip(&at).any(|(moment, at)| moment.as_ref().map(|it| it.step) != Some(*at)) {
        return Some(format!("steps {at:?} are not all there"));
    }
    for (at, moment) in at.iter().zip(&forwards).rev() {
        if trace.moment(*at) != *moment {
            return Some(format!("step {at} of {count} differs on the way back"));
        }
    }
    let (from, to) = (at[4].min(count - 1), (at[4] + 3).min(count));
    for moment in trace.moments(from..to, None) {
        if trace.moment(moment.step).map(Moment::shown).as_ref() != Some(&moment) {
            return Some(format!("step {} differs among others", moment.step));
        }
    }
    None
}

/// What looks at a kernel while it runs.
#[derive(Debug, Clone, Copy)]
enum Watched {
    Not,
    ByTimelines,
    BySanitizer,
}

impl Watched {
    /// Each for some seeds, on one host thread and on several.
    fn for_seed(seed: u64) -> Self {
        [Self::Not, Self::Not, Self::ByTimelines, Self::BySanitizer][(seed / 2 % 4) as usize]
    }
}

/// Runs a program on the emulator, with the vectors of several machines, and compares; says what
/// differs. What is counted is the same on all of them.
fn difference(program: &Program, threads: usize, watched: Watched) -> Option<String> {
    let text = print(program);
    let kernel = match emulator::load(&text, "fuzz.ptx", "k") {
        Ok(kernel) => kernel,
        Err(error) => return Some(error.to_string()),
    };
    let input = input();
    let expected = interpret(program, &input);
    let mut first = None;
    for vectors in [HostVectors::Avx512Bits, HostVectors::Avx2, HostVectors::Plain] {
        HostVectors::limit(vectors);
        let found = counted(program, &text, &kernel, (threads, watched), (&input, &expected));
        HostVectors::limit(HostVectors::Avx512Bits);
        let counters = match found {
            Ok(counters) => counters,
            Err(why) => return Some(format!("{why}, with {vectors:?}, watched: {watched:?}")),
        };
        // Several host threads, as several multiprocessors, meet in any order.
        if threads > 1 {
            continue;
        }
        let first = first.get_or_insert_with(|| counters.clone());
        if *first != counters {
            return Some(format!("{counters:?} is counted with {vectors:?}, not {first:?}"));
        }
    }
    None
}

/// What a run of it counts, or how it differs.
fn counted(
    program: &Program,
    text: &str,
    kernel: &Kernel,
    (threads, watched): (usize, Watched),
    (input, expected): (&[u32], &Results),
) -> Result<(Counters, Vec<Vec<u64>>), String> {
    let (memory, args) = buffers(program, input, expected.counted.len());
    let [_, at_cells, at_counted, at_own, _] = args;
    let (grid, block) = (Dim3::linear(program.blocks), Dim3::linear(program.threads));
    let follow =
        Follow { cache_bytes: 1 << 17, l2_bytes: 1 << 20, resident: 2, multiprocessors: 1 };
    let timelines = matches!(watched, Watched::ByTimelines).then_some(follow);
    let options = Options { threads, budget: 10_000_000, timelines, ..Options::default() };
    let ran = if matches!(watched, Watched::BySanitizer) {
        let module = emulator::ptx::parse(text, "fuzz.ptx").map_err(|error| error.to_string())?;
        let setting = Setting { grid, block, shared_bytes: 0, args: &args, unwritten: &[] };
        emulator::check(kernel, &module, setting, &memory, options).ran
    } else {
        emulator::run(kernel, grid, block, 0, &args, &memory, options)
    };
    if let Some(trap) = ran.trap {
        return Err(trap.to_string());
    }
    let counted = memory.read_u32(at_counted);
    if counted != expected.counted {
        return Err(format!("global cells are {counted:x?}, not {:x?}", expected.counted));
    }
    let own: Vec<u8> = memory.read_u32(at_own).iter().flat_map(|word| word.to_le_bytes()).collect();
    if own != expected.own {
        return Err("the threads' bytes in global memory differ".to_owned());
    }
    let found = memory.read_u32(at_cells);
    for (at, &expected) in expected.cells.iter().enumerate() {
        let found = u64::from(found[2 * at]) | u64::from(found[2 * at + 1]) << 32;
        let (thread, cell) = (at as u64 / cells_per_thread(), at as u64 % cells_per_thread());
        let class = Class::ALL.get((cell / u64::from(REGISTERS)) as usize);
        // Which NaN it is, is for tests/integration/ptx_cases.rs to check.
        let nans = class == Some(&Class::G)
            && f64::from_bits(found).is_nan()
            && f64::from_bits(expected).is_nan();
        if found != expected && !nans {
            let name = class.map_or("byte", |class| class.register().1);
            let number = cell % u64::from(REGISTERS);
            return Err(format!(
                "{name}{number} of thread {thread} is {found:#x}, not {expected:#x}"
            ));
        }
    }
    Ok((ran.outcome.counters, ran.outcome.atomic_chunks))
}

/// A program that does one thing.
fn single(segment: Segment) -> Program {
    Program { threads: 32, blocks: 1, cluster: 1, fuel: 0, segments: vec![segment], local: false }
}

/// Whether the emulator accepts a program.
fn accepts(program: &Program) -> bool {
    emulator::load(&print(program), "fuzz.ptx", "k").is_ok()
}

/// What to make kernels of: what the emulator does not refuse.
fn abilities() -> Abilities {
    let alone = |op: usize| {
        let s = ops::op(op).s.iter().map(|_| Source::Register(1)).collect();
        let steps = vec![Step { guard: None, action: Action::Compute { op, d: 0, s } }];
        single(Segment::Region(vec![Block { steps, end: End::Go(1) }]))
    };
    let collective = |kind| single(Segment::Collective { kind, d: 0, s: 1, p: 2, amount: 3 });
    let exchange = |way| single(Segment::Exchange { way, d: 0, s: 1, index: 2 });
    let warp = |kind| single(Segment::Warp { kind, d: 0, s: 1, amount: 2 });
    Abilities {
        ways: (0..exchange::WAYS).filter(|&way| accepts(&exchange(way))).collect(),
        warps: (0..WARPS.len()).filter(|&kind| accepts(&warp(kind))).collect(),
        ops: (0..ops::count()).filter(|&op| accepts(&alone(op))).collect(),
        collectives: (0..COLLECTIVES.len()).filter(|&kind| accepts(&collective(kind))).collect(),
        local: accepts(&Program { local: true, ..single(Segment::Barrier) }),
    }
}

/// Leaves a text where someone can look at it.
fn keep(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn random_kernels_equal_the_reference() {
    let abilities = abilities();
    println!(
        "{} of {} instructions, {} of {} collectives, {} of {} exchanges, {} of {} matrices and votes, local memory: {}",
        abilities.ops.len(),
        ops::count(),
        abilities.collectives.len(),
        COLLECTIVES.len(),
        abilities.ways.len(),
        exchange::WAYS,
        abilities.warps.len(),
        WARPS.len(),
        abilities.local
    );
    // The emulator runs all of them today, and may lose none.
    let lost = (0..ops::count()).filter(|op| !abilities.ops.contains(op));
    let lost: Vec<&str> = lost.map(|op| ops::op(op).text).collect();
    assert!(lost.is_empty(), "refused: {lost:#?}");
    assert_eq!(abilities.collectives.len(), COLLECTIVES.len());
    assert_eq!((abilities.ways.len(), abilities.warps.len()), (exchange::WAYS, WARPS.len()));
    let effort = Effort::new(1000);
    let mut run = 0;
    while effort.goes_on("kernels", run) {
        let seed = effort.seed + run;
        let fails = |size: u64| {
            let program = generate(seed, size, &abilities);
            // Some on one host thread, some on several.
            let threads = if seed.is_multiple_of(2) { 1 } else { 3 };
            let result = catch_unwind(AssertUnwindSafe(|| {
                difference(&program, threads, Watched::for_seed(seed))
            }));
            result.unwrap_or_else(|_| Some("panicked".to_owned()))
        };
        let size = 1 + seed % 10;
        if fails(size).is_some() {
            let smallest = (1..=size).find(|&size| fails(size).is_some()).unwrap_or(size);
            let text = print(&generate(seed, smallest, &abilities));
            let path = keep(&format!("warpscope_fuzz_{seed}.ptx"), &text);
            panic!(
                "seed {seed}, size {smallest}: {} ({path})",
                fails(smallest).unwrap_or_default()
            );
        }
        run += 1;
    }
    println!("{run} kernels from seed {}", effort.seed);
}

#[test]
fn random_kernels_step_back_to_the_same_state() {
    let abilities = abilities();
    let effort = Effort::new(60);
    let mut run = 0;
    while effort.goes_on("stepped kernels", run) {
        let seed = effort.seed + run;
        let program = generate(seed, 1 + seed % 10, &abilities);
        let result = catch_unwind(AssertUnwindSafe(|| step_difference(&program, seed)));
        if let Some(why) = result.unwrap_or_else(|_| Some("panicked".to_owned())) {
            let path = keep(&format!("warpscope_step_{seed}.ptx"), &print(&program));
            panic!("seed {seed}: {why} ({path})");
        }
        run += 1;
    }
}

/// Texts that are right, to be broken.
fn originals() -> Vec<String> {
    let mut texts: Vec<String> = [
        include_str!("../../kernels/ptx/histogram.ptx"),
        include_str!("../../kernels/device/ptx/hold.ptx"),
        include_str!("../../benches/h200/probes_50.ptx"),
    ]
    .map(str::to_owned)
    .to_vec();
    for text in [
        include_str!("../ptx/atomic.ptx"),
        include_str!("../ptx/compare.ptx"),
        include_str!("../ptx/control.ptx"),
        include_str!("../ptx/convert.ptx"),
        include_str!("../ptx/float.ptx"),
        include_str!("../ptx/half.ptx"),
        include_str!("../ptx/integer.ptx"),
        include_str!("../ptx/logic.ptx"),
        include_str!("../ptx/memory.ptx"),
        include_str!("../ptx/move.ptx"),
        include_str!("../ptx/narrow.ptx"),
        include_str!("../ptx/video.ptx"),
        include_str!("../ptx/warp.ptx"),
        include_str!("../ptx/wide.ptx"),
        include_str!("../ptx_modern/bulk.ptx"),
        include_str!("../ptx_modern/cluster.ptx"),
        include_str!("../ptx_modern/matrix.ptx"),
        include_str!("../ptx_modern/mbar.ptx"),
        include_str!("../ptx_modern/other.ptx"),
        include_str!("../ptx_modern/rows.ptx"),
        include_str!("../ptx_modern/wmma.ptx"),
    ] {
        let mut parts = text.split("\n.visible .entry ");
        let head = parts.next().unwrap();
        texts.extend(parts.map(|part| format!("{head}\n.visible .entry {part}")));
    }
    // And what the generator writes: calls, vector registers, packed bytes.
    let abilities = abilities();
    texts.extend((0..40).map(|seed| print(&generate(seed, 3, &abilities))));
    texts
}

/// Loads every kernel of a text, and runs those that load.
fn load_and_run(text: &str) -> (u32, u32) {
    let (mut loaded, mut ran) = (0, 0);
    let names = text.match_indices(".entry").filter_map(|(at, entry)| {
        let rest = text[at + entry.len()..].trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c)))?;
        Some(&rest[..end])
    });
    for name in names.take(4) {
        let Ok(kernel) = emulator::load(text, "broken.ptx", name) else { continue };
        loaded += 1;
        let mut memory = Memory::new();
        let buffers = [(); 6].map(|()| memory.allocate(512 * 8 * 3));
        for count in 0..=buffers.len() {
            let options = Options { threads: 1, budget: 20_000, ..Options::default() };
            let result = emulator::launch(
                &kernel,
                Dim3::linear(1),
                Dim3::linear(64),
                64,
                &buffers[..count],
                &memory,
                options,
            );
            ran += u32::from(result.is_ok());
        }
    }
    (loaded, ran)
}

#[test]
fn broken_ptx_is_refused_or_runs() {
    let originals = originals();
    let effort = Effort::new(20_000);
    let (mut run, mut loaded, mut ran, mut slowest) = (0, 0, 0, Duration::ZERO);
    while effort.goes_on("broken texts", run) {
        let mut random = Random(effort.seed + run);
        let mut pick = || &originals[random.below(originals.len() as u64) as usize];
        let (text, other) = (pick(), pick());
        let broken = mutate(text, other, &mut random);
        let start = Instant::now();
        let Ok(counts) = catch_unwind(|| load_and_run(&broken)) else {
            let seed = effort.seed + run;
            panic!(
                "seed {seed} panics ({})",
                keep(&format!("warpscope_broken_{seed}.ptx"), &broken)
            );
        };
        slowest = slowest.max(start.elapsed());
        loaded += counts.0;
        ran += counts.1;
        run += 1;
    }
    println!(
        "{run} texts from seed {}: {loaded} kernels loaded, {ran} ran to the end, the slowest took {slowest:?}",
        effort.seed
    );
    assert!(loaded > 0 && ran > 0, "nothing that was tried loads");
}

#[test]
fn what_fuzzing_found_is_refused() {
    // The second `table` is too small for what the first one starts with.
    let text = ".version 7.8\n.target sm_70\n.address_size 64\n\
        .const .align 4 .u32 table[4] = {1, 2, 3, 4};\n.const .align 4 .u32 table[1];\n\
        .visible .entry k() { ret; }\n";
    let error = emulator::load(text, "twice.ptx", "k").unwrap_err().to_string();
    assert!(error.contains("`table` is declared twice"), "{error}");
}
