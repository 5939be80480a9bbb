//! PTX from `rustc` 1.95: `tests/ptx_programs/rust.rs`.

use warpscope_emulator::{Launch, Module};

#[test]
fn a_kernel_in_rust_runs() {
    let text = super::read("../ptx_programs/rust.ptx");
    let module = Module::load_file(&text, "rust.ptx").unwrap();
    let kernel = module.kernel("hash").unwrap();
    for n in [0_u32, 5, 8, 35] {
        let launch = Launch::new(&kernel).grid(2).block(48).value(n).output::<u32>(96);
        let report = launch.sanitize(&module).run();
        assert!(report.trap.is_none() && report.findings.is_empty());
        let step = |x: u32| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let expected: Vec<u32> = (0..96).map(|i| (0..n).fold(i, |x, _| step(x))).collect();
        assert_eq!(report.buffer::<u32>(0), expected, "{n}");
    }
}
