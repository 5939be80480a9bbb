//! Times ptoxide on the naive 128x128x128 float product of `speed.ptx`. Prints
//! the least seconds of three launches.

use std::time::Instant;

use ptoxide::{Argument, Context, LaunchParams};

const SPEED: &str = include_str!("../../../kernels/speed.ptx");

/// Side of the matrices.
const N: u32 = 128;

fn main() {
    // ptoxide reads whole modules or not at all: give it the one kernel.
    let header = SPEED.find(".visible").expect("a kernel");
    let start = SPEED.find(".visible .entry product(").expect("the product");
    let end = start + SPEED[start..].find("\n}").expect("its end") + 2;
    let module = format!("{}{}\n", &SPEED[..header], &SPEED[start..end]);
    let mut context = Context::new_with_module(&module).expect("ptoxide reads the kernel");
    let len = (N * N) as usize;
    let values: Vec<f32> = (0..len).map(|i| (i % 7) as f32).collect();
    let (a, b, c) = (context.alloc(len), context.alloc(len), context.alloc::<f32>(len));
    context.write(a, &values);
    context.write(b, &values);
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        let params = LaunchParams::func("product").grid2d(N / 16, N / 16).block2d(16, 16);
        let args = [Argument::ptr(a), Argument::ptr(b), Argument::ptr(c), Argument::U32(N)];
        context.run(params, &args).expect("ptoxide runs the kernel");
        best = best.min(start.elapsed().as_secs_f64());
    }
    let mut result = vec![0.0; len];
    context.read(c, &mut result);
    let n = N as usize;
    for (at, &value) in result.iter().enumerate() {
        let sum = |k: usize| values[at / n * n + k] * values[k * n + at % n];
        assert!(value == (0..n).map(sum).sum::<f32>(), "ptoxide's result is wrong at {at}");
    }
    println!("{best}");
}
