//! How fast the emulator runs: PTX thread-instructions per second, counters on.
//!
//! ```text
//! cargo bench --bench emulator
//! ```
//!
//! Criterion's throughput line reads "elements" for thread-instructions. Other
//! emulators on the same kernels: `benches/peers/run.py`.

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
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

/// One kernel of each kind: what the README and `benches/data` quote.
fn speed(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("speed");
    group.sample_size(20);
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
        group.throughput(Throughput::Elements(counters.thread_instructions));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(case.run())));
    }
    group.finish();
}

/// Whether the cost is linear: one kernel from 2^10 to 2^26 elements.
fn sizes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sizes");
    group.sample_size(10);
    for power in (10..=26).step_by(4) {
        let case = Case::new("axpy_u32", 1 << power).expect("our PTX loads");
        group.throughput(Throughput::Elements(case.run().counters.thread_instructions));
        group.bench_function(format!("2^{power}"), |bencher| {
            bencher.iter(|| black_box(case.run()));
        });
    }
    group.finish();
}

/// 2^20 uniform values into 8 and 2048 bins, 128 threads per block, coarsening 4.
fn histogram(criterion: &mut Criterion) {
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
    let mut group = criterion.benchmark_group("histogram");
    group.sample_size(20);
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
            group.throughput(Throughput::Elements(run().counters.thread_instructions));
            group.bench_function(format!("{name}/{bins}"), |bencher| {
                bencher.iter(|| black_box(run()));
            });
        }
    }
    group.finish();
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
fn decode(criterion: &mut Criterion) {
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
    let mut group = criterion.benchmark_group("decode");
    group.sample_size(20).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function(file.as_str(), |bencher| {
        bencher.iter(|| emulator::load(black_box(&text), &file, slowest).expect("our PTX loads"));
    });
    group.finish();
}

criterion_group!(benches, speed, sizes, histogram, decode);
criterion_main!(benches);
