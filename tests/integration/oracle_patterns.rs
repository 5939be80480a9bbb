//! The kernels of `benches/h200/patterns.cu` on the emulator: counters against
//! those of Nsight Compute on an H200 and, where there is a GPU, results too.
//!
//! `benches/data/h200/patterns_exceptions.csv` names every counter that is not
//! equal, with its cause; kernels that the emulator refuses are left out. One that is listed and equal fails the test, and so
//! does one that is not listed and differs. To profile anew, with this test's
//! binary on a machine with a GPU:
//!
//!     benches/h200/patterns.sh BINARY > benches/data/h200/patterns.csv

use warpscope::emulator::{self, Counters, Memory, Options};
use warpscope::work::Dim3;

use crate::support::counters::{COUNTERS, Differences, counted, hold};

const PATTERNS: &str = include_str!("../../benches/h200/patterns_80.ptx");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/data/h200/patterns.csv");
const EXCEPTIONS: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/benches/data/h200/patterns_exceptions.csv");

/// Words of output; there are 64 more of input.
const WORDS: usize = 1 << 14;
const GRID: u32 = 8;
const BLOCK: u32 = 256;

fn kernels() -> Vec<&'static str> {
    let entry = |line: &'static str| line.strip_prefix(".visible .entry ")?.strip_suffix('(');
    PATTERNS.lines().filter_map(entry).collect()
}

fn input() -> Vec<u32> {
    let mut state = 1_u32;
    (0..WORDS + 64)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 7
        })
        .collect()
}

/// Results and counters on the emulator, or why it does not run the kernel.
fn emulate(name: &str) -> Result<(Vec<u32>, Counters), String> {
    let kernel = emulator::load(PATTERNS, "patterns_80.ptx", name).map_err(|e| e.to_string())?;
    let input = input();
    let mut memory = Memory::new();
    let from = memory.allocate(input.len() as u64 * 4);
    let to = memory.allocate(WORDS as u64 * 4);
    memory.write_u32(from, &input);
    let args = [from, to, WORDS as u64];
    let (grid, block) = (Dim3::linear(GRID), Dim3::linear(BLOCK));
    let outcome = emulator::launch(&kernel, grid, block, 0, &args, &memory, Options::default())
        .map_err(|trap| trap.to_string())?;
    Ok((memory.read_u32(to), outcome.counters))
}

#[test]
fn counters_equal_those_of_an_h200() {
    let measured = counted(DATA, 1);
    let mut differ = Differences::new();
    let mut refused = Vec::new();
    for name in kernels() {
        let counters = match emulate(name) {
            Ok((_, counters)) => counters,
            Err(error) => {
                assert!(error.contains("not supported yet"), "{error}");
                refused.push(name);
                continue;
            }
        };
        // The patterns have no local memory, and nobody counted it.
        for (counter, get, metrics) in
            COUNTERS.into_iter().filter(|row| !row.0.starts_with("local"))
        {
            let measured = &measured[&vec![name.to_owned()]];
            let expected: u64 = metrics.iter().map(|metric| measured[*metric]).sum();
            let found = get(&counters);
            if found != expected {
                let text = format!("{found} on the emulator, {expected} on the H200");
                differ.insert((name.to_owned(), counter.to_owned()), text);
            }
        }
    }
    hold(&differ, EXCEPTIONS, &refused, false);
    let compared = kernels().len() - refused.len();
    println!("{compared} kernels compared; not executed yet: {refused:?}");
    assert!(compared >= 80, "{compared}");
}

#[cfg(target_os = "linux")]
#[test]
fn gpu_gives_the_same_results() {
    use crate::support::builders::cuda;
    use std::sync::Arc;
    use warpscope::backend::Backend;
    use warpscope::work::{Arg, Buffer, Element, HostBuffer, Inputs, Launch, Module, Work};

    let Some(mut cuda) = cuda() else { return };
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32(input()))];
    let mut wrong = Vec::new();
    for name in kernels() {
        let module = Module {
            name: "patterns",
            path: "patterns_80.ptx",
            ptx: PATTERNS,
            source: "",
            resources: "",
        };
        let buffers = vec![
            Buffer::input("in", 0, Element::U32, inputs[0].len() as u64),
            Buffer::zeroed("out", Element::U32, WORDS),
        ];
        let launch = Launch {
            phase: "pattern",
            kernel: name.to_owned(),
            grid: Dim3::linear(GRID),
            block: Dim3::linear(BLOCK),
            shared_bytes: 0,
            args: vec![Arg::Buffer(0), Arg::Buffer(1), Arg::U32(WORDS as u32)],
        };
        let work = Work::of_launches(module, buffers, [launch]);
        let prepared = cuda.prepare(&work, &inputs).unwrap();
        cuda.sample(prepared).unwrap();
        let found = cuda.read(prepared, 1).unwrap();
        cuda.release(prepared);
        match emulate(name) {
            Ok((expected, _)) if found.as_u32().unwrap() != expected => wrong.push(name),
            Ok(_) => {}
            Err(error) => println!("{name}: {error}"),
        }
    }
    assert!(wrong.is_empty(), "other results than on the emulator: {wrong:?}");
}
