//! Kernels outside the eight systems: what they are run on, measured on a GPU or
//! emulated. Nothing of the model is fitted to them.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Arc;

use serde_json::json;
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::gpu;
use warpscope::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Work};

use crate::facts;

const MODULE: Module = Module {
    name: "outside",
    path: "benches/timing/outside.ptx",
    source: include_str!("outside.cu"),
    ptx: include_str!("outside.ptx"),
    resources: include_str!("outside.csv"),
};

/// One kernel at one size and shape.
pub(crate) struct Outside {
    kernel: &'static str,
    n: u64,
    block: u32,
    coarsen: u32,
}

/// Every kernel at a few sizes, blocks and coarsenings.
pub(crate) fn all() -> Vec<Outside> {
    const WHOLE: &[u32] = &[10, 14, 18, 22, 24, 26];
    let kernels: [(&str, &[u32]); 13] = [
        ("saxpy", WHOLE),
        ("copy_wide", WHOLE),
        ("transpose_plain", &[10, 14, 18, 22, 24]),
        ("transpose_tiled", &[10, 14, 18, 22, 24]),
        ("stencil", &[10, 14, 18, 22, 24]),
        ("n_body", &[8, 10, 12, 14, 16]),
        ("mandelbrot", &[10, 14, 18, 20, 22]),
        ("gather", &[10, 14, 18, 22, 24]),
        ("options", WHOLE),
        ("softmax", &[10, 14, 18, 22, 24]),
        ("sparse", &[10, 14, 18, 20, 22]),
        ("mixing", &[10, 14, 18, 20, 22]),
        ("polynomial", &[10, 14, 18, 20, 22]),
    ];
    let mut cases = Vec::new();
    for (kernel, sizes) in kernels {
        for &power in sizes {
            for block in [32, 64, 128, 256, 512, 1024] {
                for coarsen in [1, 8] {
                    cases.push(Outside { kernel, n: 1 << power, block, coarsen });
                }
            }
        }
    }
    cases
}

/// Numbers that look random.
fn words(count: u64) -> impl Iterator<Item = u32> {
    (0..count).map(|index| {
        let mut bits = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (bits >> 32) as u32
    })
}

fn floats(count: u64) -> Arc<HostBuffer> {
    let fraction = |word: u32| word as f32 / u32::MAX as f32 * 200.0;
    Arc::new(HostBuffer::F32(words(count).map(fraction).collect()))
}

impl Outside {
    fn work(&self) -> (Work, Inputs) {
        let n = self.n;
        let width = (n as f64).sqrt() as u32;
        let mut inputs: Inputs = Vec::new();
        let mut buffers = Vec::new();
        let mut args = Vec::new();
        let mut input = |name: &'static str, values: Arc<HostBuffer>, written: bool| {
            let buffer = Buffer::input(name, inputs.len(), values.element(), values.len() as u64);
            inputs.push(values);
            args.push(Arg::Buffer(buffers.len()));
            buffers.push(if written { buffer.written() } else { buffer });
        };
        let mut shared_bytes = 0;
        let mut output = Some((Element::F32, n));
        match self.kernel {
            "saxpy" => {
                input("x", floats(n), false);
                input("y", floats(n), true);
                output = None;
            }
            "n_body" => {
                input("bodies", floats(4 * n), false);
                output = Some((Element::F32, 4 * n));
                shared_bytes = 16 * self.block;
            }
            "mandelbrot" => output = Some((Element::U32, n)),
            "gather" => {
                input("from", Arc::new(HostBuffer::U32(words(n).collect())), false);
                output = Some((Element::U32, n));
            }
            "mixing" => {
                input("words", Arc::new(HostBuffer::U32(words(n).collect())), true);
                output = None;
            }
            "polynomial" => {
                let values = words(n).map(|word| f64::from(word) / f64::from(u32::MAX));
                input("x", Arc::new(HostBuffer::F64(values.collect())), false);
                output = Some((Element::F64, n));
            }
            "sparse" => {
                let mut starts = vec![0_u32];
                for word in words(n) {
                    starts.push(starts.last().unwrap() + 4 + word % 32);
                }
                let entries = u64::from(*starts.last().unwrap());
                let columns = words(entries).map(|word| word % n as u32).collect();
                input("starts", Arc::new(HostBuffer::U32(starts)), false);
                input("columns", Arc::new(HostBuffer::U32(columns)), false);
                input("vector", floats(n), false);
            }
            _ => input("from", floats(n), false),
        }
        if let Some((element, count)) = output {
            args.push(Arg::Buffer(buffers.len()));
            buffers.push(Buffer::zeroed("to", element, count as usize));
        }
        args.push(Arg::U32(n as u32));
        if ["transpose_plain", "transpose_tiled", "stencil", "mandelbrot"].contains(&self.kernel) {
            args.push(Arg::U32(width));
        }
        // A block does as many at a time as the kernel's first loop takes.
        let at_once = match self.kernel {
            "transpose_tiled" | "softmax" => 1024,
            "copy_wide" => 4 * u64::from(self.block),
            _ => u64::from(self.block),
        };
        let grid = n.div_ceil(at_once * u64::from(self.coarsen)).max(1);
        let launch = Launch {
            phase: "all",
            kernel: self.kernel.to_owned(),
            grid: Dim3::linear(grid as u32),
            block: Dim3::linear(self.block),
            shared_bytes,
            args,
        };
        (Work::of_launches(MODULE, buffers, [launch]), inputs)
    }

    fn about(&self) -> serde_json::Value {
        json!({
            "algorithm": "outside", "variant": self.kernel, "block": self.block,
            "coarsen": self.coarsen, "n": self.n, "params": {},
        })
    }
}

/// Measures every case on the first GPU: the median of 31 after a first. A line each.
pub(crate) fn measure(out: &mut impl Write) {
    let target = warpscope::experiment::Target {
        backend: warpscope::experiment::BackendChoice::Cuda,
        ..Default::default()
    };
    let mut gpu = warpscope::backend::open(&target).unwrap();
    for case in all() {
        let (work, inputs) = case.work();
        let prepared = gpu.prepare(&work, &inputs).unwrap();
        let mut seconds: Vec<f64> =
            (0..32).map(|_| gpu.sample(prepared).unwrap().seconds).skip(1).collect();
        gpu.release(prepared);
        seconds.sort_by(f64::total_cmp);
        let device = &gpu.device().name;
        let line = json!({"case": case.about(), "seconds": seconds[15], "device": device});
        writeln!(out, "{line}").unwrap();
    }
}

/// Emulates the cases that a file of measured ones has, within the budget.
pub(crate) fn counts(measured: &str, budget: u64, out: &mut impl Write) {
    let measured: HashMap<String, f64> = measured
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            (value["case"].to_string(), value["seconds"].as_f64().unwrap())
        })
        .collect();
    let mut emulator = Emulated::open(Some(gpu::DEFAULT_GPU)).unwrap().keeping();
    // Per kernel: warp instructions for each of n.
    let mut each: HashMap<(&str, u32, u32), f64> = HashMap::new();
    for case in all() {
        let Some(seconds) = measured.get(&case.about().to_string()) else { continue };
        let key = (case.kernel, case.block, case.coarsen);
        if each.get(&key).is_some_and(|each| each * case.n as f64 > budget as f64) {
            continue;
        }
        let (work, inputs) = case.work();
        let prepared = emulator.prepare(&work, &inputs).unwrap();
        emulator.sample(prepared).unwrap();
        emulator.release(prepared);
        let seen = emulator.take_seen();
        let cost: u64 = seen.iter().map(|it| it.outcome.counters.warp_instructions).sum();
        each.insert(key, cost as f64 / case.n as f64);
        let launches: Vec<_> = seen.iter().map(facts::write).collect();
        let line = json!({
            "case": case.about(), "seconds": seconds, "sampled": false, "launches": launches,
        });
        writeln!(out, "{line}").unwrap();
    }
}
