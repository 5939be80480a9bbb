//! Recording and stepping a block of a million steps.
//!
//! ```text
//! cargo bench -p warpscope-emulator --bench trace
//! ```
//!
//! Per kernel: steps, seconds to record them, seconds of the ordinary run of the block, bytes of
//! the trace, and the time to show a step: the next one, the one before, and one at random (median
//! and slowest). `sums` computes with floats that differ in every lane; `scatter` writes each
//! lane to a place of its own in 16 MiB; `wide` has 32 warps that meet at barriers.

use std::error::Error;
use std::time::Instant;

use warpscope_emulator::trace::{Setup, Trace, record};
use warpscope_emulator::{Memory, Module, Options, launch};

/// Steps that each kernel has at least.
const STEPS: u64 = 1_000_000;

/// A loop of `rounds` rounds around `body`, which may use `%r1` (the thread), `%r2` (the
/// round), `%r3` to `%r8`, `%f1` to `%f8`, `%rd1` (the buffer) and `%rd2` to `%rd8`.
fn kernel(body: &str, rounds: u64) -> String {
    format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n\
         .visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<9>;\n\
         .reg .f32 %f<9>;\n.reg .b64 %rd<9>;\n.shared .align 4 .b8 s[8192];\n\
         ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n\
         cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f3F8147AE;\n\
         mul.wide.u32 %rd2, %r1, 4;\nmov.u64 %rd3, s;\nadd.s64 %rd4, %rd3, %rd2;\n\
         $L:\n{body}\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, {rounds};\n@%p1 bra $L;\n\
         ret;\n}}\n"
    )
}

const SUMS: &str = "fma.rn.f32 %f1, %f1, %f2, %f2;\nmul.f32 %f3, %f1, %f2;\n\
    add.f32 %f4, %f3, %f1;\nst.shared.f32 [%rd4], %f4;\nld.shared.f32 %f5, [%rd4];\n\
    fma.rn.f32 %f6, %f5, %f2, %f3;\nsub.f32 %f7, %f6, %f5;";

const SCATTER: &str = "mad.lo.u32 %r3, %r2, 40503, %r1;\nmul.lo.u32 %r3, %r3, 131101;\n\
    and.b32 %r3, %r3, 4194303;\nmul.wide.u32 %rd5, %r3, 4;\nadd.s64 %rd6, %rd1, %rd5;\n\
    add.u32 %r4, %r3, %r1;\nxor.b32 %r5, %r4, %r2;\nst.global.u32 [%rd6], %r5;";

const WIDE: &str = "fma.rn.f32 %f1, %f1, %f2, %f2;\nst.shared.f32 [%rd4], %f1;\nbar.sync 0;\n\
    ld.shared.f32 %f3, [%rd4+4];\nbar.sync 0;\nadd.f32 %f1, %f3, %f1;";

fn traced(text: &str, threads: u32) -> Result<(Trace, f64, f64), Box<dyn Error>> {
    let module = Module::load(text)?;
    let mut memory = Memory::new();
    let buffer = memory.allocate(16 << 20);
    let kernel = module.kernel("k")?;
    let start = Instant::now();
    let options = Options::default();
    launch(&kernel, 1.into(), threads.into(), 0, &[buffer], &memory, options)?;
    let ordinary = start.elapsed().as_secs_f64();
    let setup = Setup { block: threads.into(), args: vec![buffer], ..Setup::default() };
    let start = Instant::now();
    let trace = record(&module, "k", setup, memory, 0)?;
    Ok((trace, start.elapsed().as_secs_f64(), ordinary))
}

/// Milliseconds per step shown: median and slowest.
fn shown(trace: &mut Trace, steps: impl Iterator<Item = usize>) -> (f64, f64) {
    let mut times: Vec<f64> = steps
        .map(|step| {
            let start = Instant::now();
            std::hint::black_box(trace.moment(step));
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (
        times.get(times.len() / 2).copied().unwrap_or_default(),
        times.last().copied().unwrap_or_default(),
    )
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:<8} {:>8} {:>8} {:>9} {:>7}  {:>15} {:>15} {:>15}",
        "kernel", "steps", "record s", "ordinary", "MiB", "next ms", "back ms", "random ms"
    );
    for (name, body, threads) in
        [("sums", SUMS, 256), ("scatter", SCATTER, 256), ("wide", WIDE, 1024)]
    {
        let instructions = body.lines().count() as u64 + 3;
        let rounds = STEPS / (u64::from(threads) / 32 * instructions) + 1;
        let (mut trace, seconds, ordinary) = traced(&kernel(body, rounds), threads)?;
        let count = trace.steps().len();
        let middle = count / 2;
        let next = shown(&mut trace, middle..middle + 200);
        let back = shown(&mut trace, (middle..middle + 200).rev());
        let random = shown(&mut trace, (0..200).map(|at| at * 7_919 * 131 % count));
        let pair = |(median, slowest): (f64, f64)| format!("{median:.2} / {slowest:.2}");
        println!(
            "{name:<8} {count:>8} {seconds:>8.2} {ordinary:>9.3} {:>7.1}  {:>15} {:>15} {:>15}  {:?}",
            trace.bytes() as f64 / f64::from(1 << 20),
            pair(next),
            pair(back),
            pair(random),
            trace.ending()
        );
    }
    Ok(())
}
