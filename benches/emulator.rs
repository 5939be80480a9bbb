//! How fast the emulator runs: PTX thread-instructions per second, counters on.
//!
//! ```text
//! cargo bench --bench emulator
//! ```
//!
//! Prints the median of several runs and their range. A word behind `--` picks the benchmarks
//! with it in their name. Other emulators on the same kernels: `benches/peers/run.py`.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use warpscope::emulator::{self, Kernel, LoadError, Memory, Options, Outcome};
use warpscope::work::Dim3;

const HISTOGRAM: &str = include_str!("../kernels/ptx/histogram.ptx");

const SPEED: &str = include_str!("kernels/speed.ptx");

/// A kernel of `kernels/speed.cu` with everything that a launch of it needs.
struct Case {
    kernel: Kernel,
    memory: Memory,
    grid: Dim3,
    block: Dim3,
    args: Vec<u64>,
}

impl Case {
    /// `n` is the side of the matrices for the product, and else a number of
    /// elements.
    fn new(name: &str, n: u32) -> Result<Self, LoadError> {
        let product = name.starts_with("product");
        let len = if product { n * n } else { n };
        let kernel = emulator::load(SPEED, "speed.ptx", name)?;
        let mut memory = Memory::new();
        let mut buffer = |filled: bool| {
            let address = memory.allocate(u64::from(len) * 4);
            if filled {
                // Small whole numbers: the low 16 bits spread over many bins,
                // and as floats they are normal numbers.
                let word = |i: u32| 1.0_f32.to_bits() + i.wrapping_mul(0x9E37_79B1) % (1 << 22);
                memory.write_u32(address, &(0..len).map(word).collect::<Vec<u32>>());
            }
            address
        };
        let n = u64::from(n);
        let by_256 = Dim3::linear(len.div_ceil(256));
        let (grid, args) = match name {
            "product" | "product_u32" => {
                let tiles = len.isqrt().div_ceil(16);
                let grid = Dim3 { x: tiles, y: tiles, z: 1 };
                (grid, vec![buffer(true), buffer(true), buffer(false), n])
            }
            "axpy" => (by_256, vec![u64::from(2.5_f32.to_bits()), buffer(true), buffer(true), n]),
            "axpy_u32" => (by_256, vec![3, buffer(true), buffer(true), n]),
            "reduction" => (by_256, vec![buffer(true), buffer(false), n]),
            // Eight values per thread.
            "histogram" => (Dim3::linear(len.div_ceil(2048)), vec![buffer(true), buffer(false), n]),
            _ => (by_256, vec![buffer(false), n]),
        };
        let block = if product { Dim3 { x: 16, y: 16, z: 1 } } else { Dim3::linear(256) };
        Ok(Self { kernel, memory, grid, block, args })
    }

    fn run(&self) -> Outcome {
        let Self { kernel, memory, grid, block, args } = self;
        emulator::launch(kernel, *grid, *block, 0, args, memory, Options::default())
            .expect("our kernel runs")
    }
}

/// Runs of each benchmark, at least, and for how long further ones begin.
const RUNS: usize = 10;
const PERIOD: Duration = Duration::from_secs(2);

/// How many millions a second of something `run` does, of which it does `amount`.
fn measure<T>(name: &str, amount: u64, unit: &str, run: impl Fn() -> T) {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if wanted.is_some_and(|wanted| !name.contains(&wanted)) {
        return;
    }
    black_box(run());
    let (began, mut seconds) = (Instant::now(), Vec::new());
    while seconds.len() < RUNS || began.elapsed() < PERIOD {
        let start = Instant::now();
        black_box(run());
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let [best, median, worst] = [0, seconds.len() / 2, seconds.len() - 1].map(|at| seconds[at]);
    let rate = |seconds: f64| amount as f64 / seconds / 1e6;
    println!(
        "{name:40} {:9.1} M {unit}/s ({:.1} to {:.1}), {amount} in {median:.3e} s",
        rate(median),
        rate(worst),
        rate(best)
    );
}

const INSTRUCTIONS: &str = "thread-instructions";

/// One kernel of each kind: what the README and `benches/data` quote.
fn speed() {
    for name in ["product", "product_u32", "axpy", "axpy_u32", "reduction", "histogram", "collatz"]
    {
        let n = if name.starts_with("product") { 128 } else { 1 << 20 };
        let case = match Case::new(name, n) {
            Ok(case) => case,
            Err(refused) => {
                eprintln!("{name} is left out: {refused}");
                continue;
            }
        };
        let counters = case.run().counters;
        eprintln!(
            "{name}: {} thread-instructions in {} warp-instructions",
            counters.thread_instructions, counters.warp_instructions
        );
        let name = format!("speed/{name}");
        measure(&name, counters.thread_instructions, INSTRUCTIONS, || case.run());
    }
}

/// Whether the cost is linear: one kernel from 2^10 to 2^26 elements.
fn sizes() {
    for power in (10..=26).step_by(4) {
        let case = Case::new("axpy_u32", 1 << power).expect("our PTX loads");
        let amount = case.run().counters.thread_instructions;
        measure(&format!("sizes/2^{power}"), amount, INSTRUCTIONS, || case.run());
    }
}

/// 2^20 uniform values into 8 and 2048 bins, 128 threads per block, coarsening 4.
fn histogram() {
    let n: u32 = 1 << 20;
    let mut state = 1_u32;
    let values: Vec<u32> = (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        })
        .collect();
    for name in ["histogram_global_modulo", "histogram_shared_modulo", "histogram_shared_range"] {
        for bins in [8, 2048_u32] {
            let kernel = emulator::load(HISTOGRAM, "histogram.ptx", name).expect("our PTX loads");
            let mut memory = Memory::new();
            let input = memory.allocate(u64::from(n) * 4);
            let output = memory.allocate(u64::from(bins) * 4);
            memory.write_u32(input, &values);
            let shared = if name.contains("shared") { bins * 4 } else { 0 };
            let args = [input, u64::from(n), output, u64::from(bins)];
            let (grid, block) = (Dim3::linear(n / 512), Dim3::linear(128));
            let run = || {
                emulator::launch(&kernel, grid, block, shared, &args, &memory, Options::default())
                    .expect("our kernel runs")
            };
            let amount = run().counters.thread_instructions;
            measure(&format!("{name}/{bins}"), amount, INSTRUCTIONS, run);
        }
    }
}

/// The largest of our PTX files: its path and its text.
fn largest() -> (PathBuf, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["kernels/ptx", "kernels/device/ptx", "benches/kernels", "benches/h200"];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(root.join(folder)));
    files
        .flatten()
        .filter_map(|file| Some(file.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)))
        .max_by_key(|(_, text)| text.len())
        .expect("the repository has PTX files")
}

/// From PTX text to something that can be launched: the largest file, and in it
/// the kernel that takes longest.
fn decode() {
    let (path, text) = largest();
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<&str> = text
        .split(".entry ")
        .skip(1)
        .filter_map(|rest| rest.split(|c: char| c != '_' && !c.is_ascii_alphanumeric()).next())
        .collect();
    let seconds = |name: &&str| {
        let start = Instant::now();
        (0..10).for_each(|_| drop(black_box(emulator::load(&text, &file, name))));
        start.elapsed()
    };
    let slowest = *names.iter().max_by_key(|name| seconds(name)).expect("it has kernels");
    measure(&format!("decode/{file}"), text.len() as u64, "bytes", || {
        emulator::load(black_box(&text), &file, slowest).expect("our PTX loads")
    });
}

fn main() {
    speed();
    sizes();
    histogram();
    decode();
}
