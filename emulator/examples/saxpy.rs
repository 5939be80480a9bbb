//! Runs a kernel with no GPU and checks its result, its counters and its memory
//! accesses: `cargo run -p warpscope-emulator --example saxpy`.

use warpscope_emulator::{Launch, LoadError, Module};

/// `y[i] = a * x[i] + y[i]`, as `nvcc --ptx` compiles it.
const SAXPY: &str = include_str!("saxpy.ptx");

fn main() -> Result<(), LoadError> {
    let x: Vec<f32> = (0..1000_u16).map(f32::from).collect();
    let y = vec![1.0_f32; 1000];

    let module = Module::load_file(SAXPY, "saxpy.ptx")?;
    let kernel = module.kernel("saxpy")?;
    let report = Launch::new(&kernel)
        .grid(4)
        .block(256)
        .value(1000_u32)
        .value(2.0_f32)
        .input(&x)
        .input(&y)
        .sanitize(&module)
        .run();

    assert_eq!(report.trap, None);
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    let result: Vec<f32> = report.buffer(1);
    assert_eq!(result, x.iter().map(|x| 2.0 * x + 1.0).collect::<Vec<f32>>());
    // Coalesced: 1000 floats of x and of y lie in 125 sectors each.
    assert_eq!(report.counters.global_load_sectors, 250);
    // Only the last warp has threads beyond n.
    assert_eq!(report.counters.divergent_branches, 1);

    println!("y[999] = {}", result[999]);
    for (name, count) in report.counters.named().iter().filter(|(_, count)| **count > 0) {
        println!("{name:>24} {count:>6}");
    }
    Ok(())
}
