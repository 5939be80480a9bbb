//! Kernels of every class: millions of thread-instructions and of warp-instructions a
//! second.

use std::time::Duration;

use warpscope_emulator::{Memory, Module};

use crate::{BLOCK, Case, processor_time, words};

const SOURCES: [(&str, &str); 6] = [
    ("stream", include_str!("kernels/stream.ptx")),
    ("compute", include_str!("kernels/compute.ptx")),
    ("block", include_str!("kernels/block.ptx")),
    ("shapes", include_str!("kernels/shapes.ptx")),
    ("debug", include_str!("kernels/debug.ptx")),
    ("modern", include_str!("kernels/modern.ptx")),
];

/// Elements of the buffers.
const ELEMENTS: u32 = 1 << 18;

/// Blocks that a kernel runs with: mostly a thread for each element.
fn blocks(name: &str) -> u32 {
    let all = ELEMENTS / threads(name);
    match name {
        // They do much per thread.
        "bodies" | "newton_double" | "sorting_network" | "fourier" | "primes" | "recursion"
        | "tensor_product" | "bulk_pipeline" => all / 8,
        "copy_bytes" | "string_search" => all / 2,
        "image_blur" => 4 * all,
        _ => all,
    }
}

/// Threads of a block.
fn threads(name: &str) -> u32 {
    match name {
        "small_blocks" => 32,
        "large_blocks" => 1024,
        _ => BLOCK,
    }
}

/// Least time that a kernel is measured.
const LEAST: Duration = Duration::from_millis(300);

/// Prints the table: rates by wall time, and by the processor time that two free cores
/// would need.
pub(crate) fn measure(names: &[String]) {
    println!(
        "| class | kernel | M thread-instructions/s | M warp-instructions/s | by processor time | warps |"
    );
    println!("|---|---|--:|--:|--:|--:|");
    let (mut logarithms, mut count) = ((0.0, 0.0), 0.0);
    for (class, source) in SOURCES {
        let module = Module::load(source).expect("the suite is PTX");
        let entries = source.lines().filter_map(|line| line.strip_prefix(".visible .entry "));
        for name in entries.filter_map(|line| line.strip_suffix('(')) {
            if !names.is_empty() && !names.iter().any(|wanted| name.contains(wanted.as_str())) {
                continue;
            }
            let mut memory = Memory::new();
            let (input, output) = (
                memory.allocate(4 * u64::from(ELEMENTS)),
                memory.allocate(4 * u64::from(ELEMENTS)),
            );
            let values = words(ELEMENTS as usize, 0x2545_f491);
            let values: Vec<u32> =
                values.iter().map(|word| 1.0_f32.to_bits() + (word >> 10)).collect();
            memory.write_u32(input, &values);
            let kernel = module.kernel(name).expect("the suite can be run");
            let args = vec![input, output, u64::from(ELEMENTS)];
            let mut case =
                Case { kernel, memory, grid: blocks(name), block: threads(name), args, output };
            let (_, counters) = case.launch(2);
            let (mut best, mut wall, mut runs) = (Duration::MAX, Duration::ZERO, 0);
            let before = processor_time();
            while wall < LEAST || runs < 3 {
                let (took, _) = case.launch(2);
                best = best.min(took);
                wall += took;
                runs += 1;
            }
            let rate = |count: u64| count as f64 / best.as_secs_f64() / 1e6;
            let threads = rate(counters.thread_instructions);
            let warps = rate(counters.warp_instructions);
            let used =
                before.zip(processor_time()).map(|(before, after)| after.saturating_sub(before));
            let free = used.map_or(threads, |used| {
                let seconds = used.as_secs_f64().max(0.01) / f64::from(runs) / 2.0;
                counters.thread_instructions as f64 / seconds / 1e6
            });
            println!(
                "| {class} | {name} | {threads:.0} | {warps:.0} | {free:.0} | {} |",
                counters.warp_instructions
            );
            logarithms = (logarithms.0 + threads.ln(), logarithms.1 + free.ln());
            count += 1.0;
        }
    }
    println!(
        "| | geometric mean of {count} | {:.0} | | {:.0} | |",
        (logarithms.0 / count).exp(),
        (logarithms.1 / count).exp()
    );
}
