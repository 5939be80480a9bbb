//! How fast the emulator runs: PTX thread-instructions per second, counters on.
//!
//! ```text
//! cargo bench --bench emulator
//! ```
//!
//! Criterion's throughput line reads "elements" for thread-instructions.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use warpscope::emulator::{self, Memory, Options};
use warpscope::launch::Dim3;

const HISTOGRAM: &str = include_str!("../kernels/ptx/histogram.ptx");

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

/// From PTX text to something that can be launched.
fn decode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decode");
    group.throughput(Throughput::Bytes(HISTOGRAM.len() as u64));
    group.bench_function("histogram.ptx", |bencher| {
        bencher.iter(|| {
            emulator::load(black_box(HISTOGRAM), "histogram.ptx", "histogram_shared_modulo")
        });
    });
    group.finish();
}

criterion_group!(benches, histogram, decode);
criterion_main!(benches);
