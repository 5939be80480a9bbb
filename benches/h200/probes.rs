//! The probes: what is launched, and what is written down.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use warpscope::backend::Backend;
use warpscope::backend::cuda::Cuda;
use warpscope::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Step, Work};

const PROBES: Module = module("probes", include_str!("probes_50.ptx"));
const PROGRESS_50: Module = module("progress_50", include_str!("progress_50.ptx"));
const PROGRESS_70: Module = module("progress_70", include_str!("progress_70.ptx"));
const HISTOGRAM: Module = module("histogram", include_str!("../../kernels/ptx/histogram.ptx"));

const fn module(name: &'static str, ptx: &'static str) -> Module {
    Module { name, path: name, ptx, source: "", resources: "" }
}

/// A probe: one launch, and the numbers that say which.
struct Probe {
    work: Work,
    inputs: Inputs,
    params: String,
}

fn word_buffer(name: &'static str, words: usize) -> Buffer {
    Buffer::zeroed(name, Element::U32, words)
}

/// A probe whose kernel takes `cycles`, a buffer of `words`, and these numbers.
fn probe(
    kernel: &str,
    (grid, block): (u32, u32),
    shared_bytes: u32,
    words: usize,
    numbers: &[(&str, u32)],
) -> Probe {
    let mut args = vec![Arg::Buffer(0), Arg::Buffer(1)];
    args.extend(numbers.iter().map(|(_, number)| Arg::U32(*number)));
    let params: Vec<String> =
        numbers.iter().map(|(name, number)| format!("{name}={number}")).collect();
    Probe {
        work: Work::of_launches(
            PROBES,
            vec![word_buffer("cycles", grid.max(2) as usize), word_buffer("out", words.max(1024))],
            [Launch {
                phase: "probe",
                kernel: kernel.to_owned(),
                grid: Dim3::linear(grid),
                block: Dim3::linear(block),
                shared_bytes,
                args,
            }],
        ),
        inputs: Vec::new(),
        params: params.join(" "),
    }
}

/// Its only launch.
fn first(work: &mut Work) -> &mut Launch {
    let Some(Step::Launch(launch)) = work.steps.first_mut() else { unreachable!() };
    launch
}

/// A probe whose lanes work at these bytes.
fn placed(
    kernel: &str,
    shape: (u32, u32),
    words: usize,
    repeat: u32,
    offsets: &[u32; 32],
) -> Probe {
    let mut probe = probe(kernel, shape, 4096, words, &[("repeat", repeat)]);
    let mut out = vec![0; words.max(1024)];
    out[64..96].copy_from_slice(offsets);
    probe.work.buffers[1] = Buffer::input("out", 0, Element::U32, out.len() as u64).written();
    probe.inputs = vec![Arc::new(HostBuffer::U32(out))];
    let offsets: Vec<String> = offsets.iter().map(u32::to_string).collect();
    write!(probe.params, " offsets={}", offsets.join(";")).unwrap();
    probe
}

/// Lane l at byte (l % wrap / sharers) * stride.
fn regular(wrap: u32, sharers: u32, stride: u32) -> [u32; 32] {
    std::array::from_fn(|lane| lane as u32 % wrap / sharers * stride)
}

/// Each lane at a random one of `slots` places of `width` bytes.
fn random(slots: u32, width: u32, seed: u32) -> [u32; 32] {
    let mut state = (slots << 16 | width << 8 | seed).wrapping_mul(2_654_435_761) | 1;
    std::array::from_fn(|_| xorshift(&mut state) % slots * width)
}

fn xorshift(state: &mut u32) -> u32 {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    *state
}

/// The probes that a profiler counts.
fn counted() -> Vec<Probe> {
    let mut probes = Vec::new();
    let groups = [1, 2, 4, 8, 16, 32].map(|sharers| regular(32, sharers, 4));
    for kind in ["one_unused", "one_used", "register_unused", "register_used"] {
        let kernel = format!("probe_shared_{kind}");
        let mut places = groups.to_vec();
        places.extend([regular(32, 1, 8), regular(32, 1, 128), regular(32, 4, 128)]);
        for (slots, seed) in [8, 32, 64, 256, 1024].into_iter().flat_map(|n| [(n, 1), (n, 2)]) {
            places.push(random(slots, 4, seed));
        }
        for places in &places {
            for block in [32, 1024] {
                probes.push(placed(&kernel, (1, block), 0, 256, places));
            }
        }
        let kernel = format!("probe_global_{kind}");
        let mut places = groups.to_vec();
        places.extend([regular(32, 1, 32), regular(32, 1, 128)]);
        for (slots, seed) in [4, 8, 32, 64, 256].into_iter().flat_map(|n| [(n, 1), (n, 2)]) {
            places.push(random(slots, 4, seed));
        }
        for places in &places {
            for (grid, block) in [(1, 32), (1056, 256)] {
                let words = 1024 * (grid * block / 32 + 1) as usize;
                probes.push(placed(&kernel, (grid, block), words, 64, places));
            }
        }
    }
    for access in ["load", "store"] {
        for width in [4, 8, 16] {
            let kernel = format!("probe_shared_{access}{width}");
            let mut places = Vec::new();
            for stride in [width, 2 * width, 4 * width, 64, 128] {
                places.push(regular(32, 1, stride));
            }
            for sharers in [2, 4, 8, 16, 32] {
                places.push(regular(32, sharers, width));
            }
            for wrap in [2, 4, 8, 16] {
                places.push(regular(wrap, 1, width));
            }
            for (slots, seed) in [4, 8, 16, 32, 64, 256]
                .into_iter()
                .flat_map(|slots| [(slots, 1), (slots, 2), (slots, 3)])
            {
                places.push(random(slots, width, seed));
            }
            for places in &places {
                probes.push(placed(&kernel, (1, 512), 0, 256, places));
            }
        }
    }
    for words in [8, 64, 256, 2048] {
        for shape in [(1, 32), (1, 1024), (1056, 256)] {
            let numbers = [("words", words), ("repeat", 256)];
            probes.push(probe("probe_shared_random", shape, words * 4, 0, &numbers));
        }
    }
    for words in [1, 8, 32, 64, 128, 256, 512, 1024, 2048, 4096, 1 << 14, 1 << 16, 1 << 20, 1 << 22]
    {
        let numbers = [("words", words), ("repeat", 64)];
        probes.push(probe("probe_global_random", (1056, 256), 0, words as usize, &numbers));
    }
    probes.push(probe("probe_random_only", (1056, 256), 0, 0, &[("words", 8), ("repeat", 256)]));
    probes
}

/// The probes that are only timed.
fn timed() -> Vec<Probe> {
    let mut probes = Vec::new();
    for block in [32, 128, 256, 1024] {
        for grid in [1, 132, 1056, 10_000, 100_000, 1_000_000] {
            let mut empty = probe("probe_empty", (grid, block), 0, 0, &[]);
            first(&mut empty.work).args.truncate(1);
            probes.push(empty);
        }
    }
    let steps = (1..32).map(|step| 16 * step);
    for distance in [8].into_iter().chain(steps).chain((9..22).map(|power| 1 << power)) {
        let numbers = [("distance", distance), ("repeat", 16)];
        probes.push(probe("probe_global_pair", (1056, 256), 0, 1 << 22, &numbers));
    }
    for (words, step, rounds) in
        [(1 << 12, 32, 2), (1 << 20, 32, 1), (1 << 22, 32, 1), (1 << 28, 64, 0)]
    {
        let numbers = [("words", words), ("step", step), ("rounds", rounds), ("repeat", 8192)];
        probes.push(probe("probe_chase", (1, 1), 0, words as usize, &numbers));
    }
    for kernel in ["probe_read4", "probe_copy4", "probe_copy16"] {
        for grid in [132 * 8, 132 * 32, 1 << 18] {
            let n = 1 << 28;
            let mut copy = probe(kernel, (grid, 256), 0, n, &[]);
            copy.work.buffers.push(word_buffer("to", n));
            first(&mut copy.work).args.extend([Arg::Buffer(2), Arg::U32(n as u32)]);
            copy.params = format!("n={n}");
            probes.push(copy);
        }
    }
    probes
}

/// Histograms of random or ascending values.
fn histograms(n: u32, dist: &str, coarsenings: &[u32]) -> Vec<Probe> {
    let mut state = 0x2545_f491_u32;
    let values = match dist {
        "random" => (0..n).map(|_| xorshift(&mut state)).collect(),
        _ => (0..n).collect(),
    };
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32(values))];
    let mut probes = Vec::new();
    for bins in [8, 256, 2048] {
        for variant in ["global", "shared"] {
            for &coarsen in coarsenings {
                let shared = if variant == "shared" { bins * 4 } else { 0 };
                let grid = n.div_ceil(256 * coarsen);
                let values = Buffer::input("values", 0, Element::U32, n.into());
                let work = Work::of_launches(
                    HISTOGRAM,
                    vec![values, word_buffer("bins", bins as usize)],
                    [Launch {
                        phase: "count",
                        kernel: format!("histogram_{variant}_modulo"),
                        grid: Dim3::linear(grid),
                        block: Dim3::linear(256),
                        shared_bytes: shared,
                        args: vec![Arg::Buffer(0), Arg::U32(n), Arg::Buffer(1), Arg::U32(bins)],
                    }],
                );
                let params = format!("n={n} dist={dist} bins={bins} coarsen={coarsen}");
                probes.push(Probe { work, inputs: inputs.clone(), params });
            }
        }
    }
    probes
}

const HEADER: &str = "index,kernel,grid,block,shared_bytes,params,registers,samples,median_seconds,least_seconds,most_seconds,cycles_median,cycles_most\n";

/// Runs a probe `samples` times after its warm-up and gives its line.
fn measure(cuda: &mut Cuda, index: usize, probe: &Probe, samples: usize) -> String {
    let launch = probe.work.launches().next().unwrap();
    let prepared = cuda.prepare(&probe.work, &probe.inputs).unwrap();
    let mut seconds = vec![cuda.sample(prepared).unwrap().seconds];
    if samples > 0 {
        seconds = (0..samples)
            .map(|_| {
                let sample = cuda.sample(prepared).unwrap();
                assert!(!sample.unheld, "{} was not held", launch.kernel);
                sample.seconds
            })
            .collect();
    }
    seconds.sort_by(f64::total_cmp);
    let registers = cuda.resources(prepared).unwrap()[0].registers;
    // Histograms leave no cycles.
    let mut cycles = match probe.work.buffers[0].name {
        "cycles" => cuda.read(prepared, 0).unwrap().as_u32().unwrap().to_vec(),
        _ => vec![0],
    };
    cycles.truncate(launch.grid.x as usize);
    cycles.sort_unstable();
    cuda.release(prepared);
    format!(
        "{index},{},{},{},{},{},{registers},{samples},{:e},{:e},{:e},{},{}\n",
        launch.kernel,
        launch.grid.x,
        launch.block.x,
        launch.shared_bytes,
        probe.params,
        seconds[seconds.len() / 2],
        seconds[0],
        seconds[seconds.len() - 1],
        cycles[cycles.len() / 2],
        cycles[cycles.len() - 1],
    )
}

/// Runs every counted probe and small histograms once, unheld.
pub(crate) fn once(cuda: &mut Cuda) {
    print!("{HEADER}");
    let all = counted().into_iter().chain(histograms(1 << 22, "random", &[1, 16]));
    for (index, probe) in all.enumerate() {
        print!("{}", measure(cuda, index, &probe, 0));
    }
}

/// Times everything.
pub(crate) fn facts(cuda: &mut Cuda, folder: &Path) {
    let mut notes = String::new();
    let device = cuda.device().clone();
    writeln!(notes, "{device:#?}").unwrap();
    let began = Instant::now();
    let mut clock = None;
    for _ in 0..100 {
        clock = cuda.megahertz();
    }
    writeln!(notes, "NVML clock {clock:?} MHz, {:?} a query", began.elapsed() / 100).unwrap();

    let mut times = "mode,seconds\n".to_owned();
    let mut empty = probe("probe_empty", (1, 32), 0, 0, &[]);
    first(&mut empty.work).args.truncate(1);
    let prepared = cuda.prepare(&empty.work, &Vec::new()).unwrap();
    cuda.sample(prepared).unwrap();
    let began = Instant::now();
    for _ in 0..1000 {
        writeln!(times, "held,{:e}", cuda.sample(prepared).unwrap().seconds).unwrap();
    }
    writeln!(notes, "{:?} of wall time a held sample of an empty kernel", began.elapsed() / 1000)
        .unwrap();
    for _ in 0..200 {
        // The first sample of a prepared piece of work is not held.
        let cold = cuda.prepare(&empty.work, &Vec::new()).unwrap();
        writeln!(times, "unheld,{:e}", cuda.sample(cold).unwrap().seconds).unwrap();
        cuda.release(cold);
    }
    empty.work.steps = vec![empty.work.steps[0].clone(); 256];
    let many = cuda.prepare(&empty.work, &Vec::new()).unwrap();
    cuda.sample(many).unwrap();
    for _ in 0..50 {
        let sample = cuda.sample(many).unwrap();
        writeln!(times, "held_256_in_a_row,{:e}", sample.seconds / 256.0).unwrap();
    }
    std::fs::write(folder.join("empty_kernel.csv"), times).unwrap();

    progress(cuda, &mut notes);

    let clock = probe("probe_globaltimer", (1, 1), 0, 0, &[("repeat", 100_000)]);
    let prepared = cuda.prepare(&clock.work, &Vec::new()).unwrap();
    let seconds = cuda.sample(prepared).unwrap().seconds;
    let cycles = cuda.read(prepared, 0).unwrap().as_u32().unwrap()[0];
    let out = cuda.read(prepared, 1).unwrap();
    if let [_, changes, smallest, total, ..] = out.as_u32().unwrap() {
        writeln!(
            notes,
            "%globaltimer: {changes} changes, least step {smallest} ns, {total} ns in all; \
             {cycles} cycles, {seconds:e} s by events"
        )
        .unwrap();
    }

    let mut table = HEADER.to_owned();
    let all = counted()
        .into_iter()
        .chain(timed())
        .chain(histograms(1 << 28, "random", &[1, 4, 16]))
        .chain(histograms(1 << 28, "iota", &[16]));
    for (index, probe) in all.enumerate() {
        table.push_str(&measure(cuda, index, &probe, 20));
    }
    writeln!(notes, "NVML clock at the end {:?} MHz", cuda.megahertz()).unwrap();
    std::fs::write(folder.join("times.csv"), table).unwrap();
    std::fs::write(folder.join("notes.txt"), &notes).unwrap();
    print!("{notes}");
}

/// Whether lanes of a warp make progress on their own.
fn progress(cuda: &mut Cuda, notes: &mut String) {
    for module in [PROGRESS_50, PROGRESS_70] {
        for kernel in ["probe_lock", "probe_flag"] {
            for block in [1, 32, 128] {
                let work = Work::of_launches(
                    module,
                    vec![word_buffer("out", 4)],
                    [Launch {
                        phase: "probe",
                        kernel: kernel.to_owned(),
                        grid: Dim3::linear(1),
                        block: Dim3::linear(block),
                        shared_bytes: 0,
                        args: vec![Arg::Buffer(0), Arg::U64(100_000_000)],
                    }],
                );
                let prepared = cuda.prepare(&work, &Vec::new()).unwrap();
                let seconds = cuda.sample(prepared).unwrap().seconds;
                let out = cuda.read(prepared, 0).unwrap();
                let out = out.as_u32().unwrap();
                writeln!(
                    notes,
                    "{} {kernel} block {block}: {} lanes done, {} gave up, {seconds:e} s",
                    module.name, out[1], out[2]
                )
                .unwrap();
                cuda.release(prepared);
            }
        }
    }
}
