//! How fast the emulator runs the kernels of the suite and of the blind sets, counters on.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, Instant};

use warpscope::emulator::{self, Kernel, Memory, Options};
use warpscope::work::{Arg, Init, Inputs, Launch, Work};

use crate::suite::{Case, cases};

/// Least time that a kernel is measured.
const LEAST: Duration = Duration::from_millis(150);

/// What a kernel has to reach, one or the other: millions a second.
const MARK: [f64; 2] = [1000.0, 30.0];

/// What one kernel reaches.
struct Speed {
    /// Millions of thread- and of warp-instructions a second.
    rates: [f64; 2],
    /// Fastest launch.
    took: Duration,
}

/// A line for each kernel of `set`, or of all sets where it is `all`, whose name is among
/// `names` if there are any: at its middle size with its first block, on two cores, the fastest
/// of at least two launches. Then, as comments, a line for each set.
pub(crate) fn run(set: &str, names: &[String], out: &mut impl Write) {
    writeln!(
        out,
        "set,kernel,class,n,million_thread_instructions,million_warp_instructions,milliseconds"
    )
    .unwrap();
    let mut rates: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
    for case in cases() {
        let (kernel, own) = (case.kernel, case.kernel.half.set());
        let wanted = set == "all" || own == set;
        let named = names.is_empty() || names.iter().any(|name| name == kernel.name);
        if !wanted || !named || case.n != kernel.sizes[1] || case.block != kernel.blocks[0] {
            continue;
        }
        let Speed { rates: [threads, warps], took } = speed(&case);
        let milliseconds = took.as_secs_f64() * 1e3;
        let (name, class, n) = (kernel.name, kernel.class, case.n);
        writeln!(out, "{own},{name},{class},{n},{threads:.0},{warps:.1},{milliseconds:.2}")
            .unwrap();
        out.flush().unwrap();
        rates.entry(own).or_default().push([threads, warps]);
    }
    if rates.is_empty() {
        eprintln!("there is no such kernel in `{set}`: `suite-names --set SET` lists them");
    }
    for (set, rates) in rates {
        let logarithms: f64 = rates.iter().map(|[threads, _]| threads.ln()).sum();
        let mean = (logarithms / rates.len() as f64).exp();
        let below = |rates: &&[f64; 2]| rates[0] < MARK[0] && rates[1] < MARK[1];
        let slow = rates.iter().filter(below).count();
        let kernels = rates.len();
        writeln!(
            out,
            "# {set}: {kernels} kernels, geometric mean {mean:.0}, {slow} below both marks"
        )
        .unwrap();
    }
}

fn speed(case: &Case) -> Speed {
    let (work, inputs, _) = case.work();
    let launch = work.launches().next().expect("a case is a launch");
    let kernel = emulator::load(work.module.ptx, work.module.path, &launch.kernel)
        .expect("the suite can be loaded");
    let (mut took, mut measured, mut runs) = (Duration::MAX, Duration::ZERO, 0);
    let mut counted = [0; 2];
    while measured < LEAST || runs < 2 {
        let (once, counts) = launch_once(&kernel, &work, launch, &inputs);
        (took, counted) = (took.min(once), counts);
        (measured, runs) = (measured + once, runs + 1);
    }
    Speed { rates: counted.map(|count| count as f64 / took.as_secs_f64() / 1e6), took }
}

/// One launch on fresh memory: its time, thread- and warp-instructions.
fn launch_once(
    kernel: &Kernel,
    work: &Work,
    launch: &Launch,
    inputs: &Inputs,
) -> (Duration, [u64; 2]) {
    let (memory, buffers) = loaded(work, inputs);
    let args = arguments(launch, &buffers);
    let options = Options { threads: 2, ..Options::default() };
    let (grid, block, shared) = (launch.grid, launch.block, launch.shared_bytes);
    let start = Instant::now();
    let done = emulator::launch(kernel, grid, block, shared, &args, &memory, options);
    let took = start.elapsed();
    let counters = done.expect("the suite runs").counters;
    (took, [counters.thread_instructions, counters.warp_instructions])
}

/// Fresh memory with the buffers of a piece of work, and where they are.
pub(crate) fn loaded(work: &Work, inputs: &Inputs) -> (Memory, Vec<u64>) {
    let mut memory = Memory::new();
    let mut addresses = Vec::new();
    for buffer in &work.buffers {
        let address = memory.allocate(buffer.bytes());
        match (buffer.init, buffer.given(inputs).unwrap()) {
            (Init::Filled { word, .. }, _) => {
                memory.write_u32(address, &vec![word; (buffer.bytes() / 4) as usize]);
            }
            (_, Some(input)) => memory.write_bytes(address, &input.to_bytes()),
            (_, None) => {}
        }
        addresses.push(address);
    }
    (memory, addresses)
}

/// The words of a launch's arguments, where buffers are at these addresses.
pub(crate) fn arguments(launch: &Launch, buffers: &[u64]) -> Vec<u64> {
    let address = |index: usize| buffers.get(index).copied();
    let words = |arg: &Arg| arg.words(address, |map, at| Ok(map.words(at))).unwrap();
    launch.args.iter().flat_map(words).collect()
}
