//! How fast the emulator runs whatever kernel it is given, counters on.
//!
//! ```text
//! cargo bench --bench speed -- suite [NAME…]      # kernels of every class
//! cargo bench --bench speed -- families [NAME…]   # one instruction at a time
//! ```
//!
//! Both print Markdown tables. Names pick the rows whose names contain them. `--vectors=avx2` and
//! `--vectors=none` measure what machines without AVX-512, or without AVX2, would do.

mod families;
mod forms;
mod programs;
mod suite;

use std::time::{Duration, Instant};

use warpscope_emulator::{Counters, Dim3, Follow, HostVectors, Kernel, Memory, Options, run};

/// A kernel with everything that a launch of it needs.
struct Case {
    kernel: Kernel,
    memory: Memory,
    grid: u32,
    /// Threads of every block.
    block: u32,
    args: Vec<u64>,
    /// Buffer that is zeroed before every launch.
    output: u64,
}

/// Threads of most blocks.
const BLOCK: u32 = 256;

impl Case {
    /// Launches it once: time and counters.
    fn launch(&mut self, threads: usize) -> (Duration, Counters) {
        self.memory.clear(self.output);
        let options = Options { threads, ..Options::default() };
        let (grid, block) = (Dim3::linear(self.grid), Dim3::linear(self.block));
        let start = Instant::now();
        let ran = run(&self.kernel, grid, block, 0, &self.args, &self.memory, options);
        let took = start.elapsed();
        assert!(ran.trap.is_none(), "{}: {:?}", self.kernel.name(), ran.trap);
        (took, ran.outcome.counters)
    }

    /// Places of constants, beyond the first of each load, that its block reads one after the other.
    fn further_constants(&self) -> u64 {
        let timelines = Some(Follow {
            cache_bytes: 128 << 10,
            l2_bytes: 32 << 20,
            resident: 1,
            multiprocessors: 0,
        });
        let options = Options { threads: 1, timelines, ..Options::default() };
        let (grid, block) = (Dim3::linear(self.grid), Dim3::linear(self.block));
        let ran = run(&self.kernel, grid, block, 0, &self.args, &self.memory, options);
        ran.outcome.timelines.first().map_or(0, |timeline| timeline.constant_reads.0)
    }
}

/// Pseudo-random words.
fn words(count: usize, mut state: u32) -> Vec<u32> {
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..count).map(|_| word()).collect()
}

/// Processor time of this process so far, where the system tells it.
fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

fn main() {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    words.retain(|word| match word.as_str() {
        "--bench" => false,
        "--vectors=avx2" => {
            HostVectors::limit(HostVectors::Avx2);
            false
        }
        "--vectors=none" => {
            HostVectors::limit(HostVectors::Plain);
            false
        }
        _ => true,
    });
    match words.split_first() {
        Some((what, names)) if what == "suite" => suite::measure(names),
        Some((what, names)) if what == "families" => families::measure(names),
        // What `cargo test --benches` asks for is not measured.
        Some((what, _)) if what.starts_with("--") => {}
        _ => {
            suite::measure(&[]);
            println!();
            families::measure(&[]);
        }
    }
}
