//! The CUDA backend on a real GPU. Without one, each test says so and passes.

use std::sync::Arc;

use crate::support::builders::cuda;
use warpscope::backend::cuda::Cuda;
use warpscope::backend::{Backend, Failure, cuda_devices};
use warpscope::work::{
    Arg, Buffer, Dim3, Element, HostBuffer, HostStage, Init, Inputs, Launch, Module, TrapKind, Work,
};

const HISTOGRAM: Module = Module {
    name: "histogram",
    path: "kernels/ptx/histogram.ptx",
    ptx: include_str!("../../kernels/ptx/histogram.ptx"),
    source: include_str!("../../kernels/histogram.cu"),
    resources: include_str!("../../kernels/ptx/histogram.csv"),
};

/// A backend, or leave the test.
macro_rules! device {
    () => {
        match cuda() {
            Some(cuda) => cuda,
            None => return,
        }
    };
}

fn values(n: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_u32;
    (0..n)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            state
        })
        .collect()
}

fn count(values: &[u32], bins: u32, range: bool) -> Vec<u32> {
    let mut counts = vec![0; bins as usize];
    for value in values {
        let bin = if range {
            ((u64::from(*value) * u64::from(bins)) >> 32) as usize
        } else {
            (value % bins) as usize
        };
        counts[bin] += 1;
    }
    counts
}

fn histogram(kernel: &str, n: usize, bins: u32, block: u32, coarsen: u32) -> Work {
    let shared = kernel.starts_with("histogram_shared");
    let grid = (n as u32).div_ceil(block * coarsen).max(1);
    let buffers = vec![
        Buffer::input("values", 0, Element::U32, n as u64),
        Buffer::zeroed("bins", Element::U32, bins as usize),
    ];
    let launch = Launch {
        phase: "count",
        kernel: kernel.to_owned(),
        grid: Dim3::linear(grid),
        block: Dim3::linear(block),
        shared_bytes: if shared { bins * 4 } else { 0 },
        args: vec![Arg::Buffer(0), Arg::U32(n as u32), Arg::Buffer(1), Arg::U32(bins)],
    };
    Work::of_launches(HISTOGRAM, buffers, [launch])
}

/// Runs every combination twice, unheld and held, and compares with a plain count.
fn check_all(cuda: &mut Cuda, sizes: &[usize], blocks: &[u32], all_bins: &[u32]) {
    let opt_in = cuda.device().limits.shared_per_block;
    let mut cases = 0;
    for &n in sizes {
        let input = values(n);
        let inputs: Inputs = vec![Arc::new(HostBuffer::U32(input.clone()))];
        for &bins in all_bins {
            for range in [false, true] {
                let expected = count(&input, bins, range);
                for variant in ["global", "shared"] {
                    if variant == "shared" && bins * 4 > opt_in {
                        continue;
                    }
                    let binning = if range { "range" } else { "modulo" };
                    let kernel = format!("histogram_{variant}_{binning}");
                    for &block in blocks {
                        for coarsen in [1, 3, 16] {
                            let work = histogram(&kernel, n, bins, block, coarsen);
                            let prepared = cuda.prepare(&work, &inputs).unwrap();
                            cuda.sample(prepared).unwrap();
                            let sample = cuda.sample(prepared).unwrap();
                            assert_eq!(sample.phases.len(), 1);
                            let found = cuda.read(prepared, 1).unwrap();
                            assert_eq!(
                                found.as_u32().unwrap(),
                                expected,
                                "{kernel} n={n} bins={bins} block={block} coarsen={coarsen}"
                            );
                            cuda.release(prepared);
                            cases += 1;
                        }
                    }
                }
            }
        }
    }
    println!("{cases} cases on {} equal a plain count", cuda.device().name);
}

#[test]
fn histograms_equal_a_plain_count() {
    let mut cuda = device!();
    check_all(
        &mut cuda,
        &[0, 1, 31, 33, 127, 1000, 1025, 65_537, 1_000_000],
        &[32, 33, 255, 256, 1024],
        &[2, 7, 256, 2048, 12_289, 58_112, 65_536],
    );
}

/// Few enough for compute-sanitizer.
#[test]
fn a_few_histograms_equal_a_plain_count() {
    let mut cuda = device!();
    check_all(&mut cuda, &[0, 33, 5000], &[33, 256], &[7, 300, 12_289]);
}

/// Doubles each of 64 words at an address.
const TWICE: Module = Module {
    name: "twice",
    path: "tests/twice.ptx",
    ptx: include_str!("../twice.ptx"),
    source: "",
    resources: "",
};

fn twice(phase: &'static str, values: Arg) -> Launch {
    Launch {
        phase,
        kernel: "twice".to_owned(),
        grid: Dim3::linear(1),
        block: Dim3::linear(64),
        shared_bytes: 0,
        args: vec![values],
    }
}

#[test]
fn launches_of_one_phase_are_timed_together() {
    let mut cuda = device!();
    let n = 100_000;
    let input = values(n);
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32(input.clone()))];
    let mut work = histogram("histogram_global_modulo", n, 8, 128, 4);
    let count_all = work.launches().next().unwrap().clone();
    // More than one segment holds, in two phases.
    work.steps = (0..600)
        .map(|index| {
            let phase = if index % 3 == 0 { "third" } else { "rest" };
            Launch { phase, ..count_all.clone() }.into()
        })
        .collect();
    let prepared = cuda.prepare(&work, &inputs).unwrap();
    cuda.sample(prepared).unwrap();
    let sample = cuda.sample(prepared).unwrap();
    assert_eq!(sample.phases.len(), 2);
    assert!(sample.phases[0] > 0.0 && sample.phases[1] > sample.phases[0], "{sample:?}");
    let parts: f64 = sample.phases.iter().sum();
    assert!((parts - sample.seconds).abs() <= 0.01 * sample.seconds, "{parts} {}", sample.seconds);
    let expected: Vec<u32> = count(&input, 8, false).iter().map(|count| count * 600).collect();
    assert_eq!(cuda.read(prepared, 1).unwrap().as_u32().unwrap(), expected);
    assert_eq!(cuda.resources(prepared).unwrap().len(), 600);
}

#[test]
fn a_stage_on_the_host_sees_what_came_before_and_is_timed_apart() {
    let mut cuda = device!();
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32((0..64).collect()))];
    // (2 i) on the GPU, + 100 on the host into the second half of other words,
    // and twice those on the GPU.
    let add = HostStage {
        phase: "add",
        from: 0,
        to: 1,
        run: |values, args| {
            let added = values.as_u32().unwrap().iter().map(|value| value + args[0] as u32);
            HostBuffer::U32([u32::MAX; 64].into_iter().chain(added).collect())
        },
        args: vec![100],
    };
    let work = Work {
        module: TWICE,
        buffers: vec![
            Buffer::input("values", 0, Element::U32, 64).written(),
            Buffer::filled("other", Element::U32, 192, 7),
        ],
        steps: vec![
            twice("twice", Arg::Buffer(0)).into(),
            add.into(),
            twice("twice", Arg::BufferAt { buffer: 1, byte: 256 }).into(),
        ],
    };
    let names: Vec<_> = work.phases().names.iter().map(|phase| phase.kind.name()).collect();
    assert_eq!(names, ["kernel", "copy", "host", "copy"]);
    let prepared = cuda.prepare(&work, &inputs).unwrap();
    assert_eq!(cuda.read(prepared, 1).unwrap().as_u32().unwrap(), [7; 192]);
    for _ in 0..3 {
        let sample = cuda.sample(prepared).unwrap();
        println!("{:?} {}", sample.phases, sample.seconds);
        assert!(sample.phases.iter().all(|seconds| *seconds > 0.0));
        assert!((sample.phases[0] - sample.seconds).abs() <= 0.01 * sample.seconds);
        let found = cuda.read(prepared, 1).unwrap();
        let words = found.as_u32().unwrap();
        assert_eq!((&words[..64], &words[128..]), (&[u32::MAX; 64][..], &[7; 64][..]));
        let expected: Vec<u32> = (0..64).map(|value| 2 * (2 * value + 100)).collect();
        assert_eq!(words[64..128], expected);
    }
}

#[test]
fn a_stage_that_cannot_be_is_refused_and_harms_nothing() {
    let mut cuda = device!();
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32((0..64).collect()))];
    let stage = HostStage {
        phase: "too much",
        from: 0,
        to: 0,
        run: |_, _| HostBuffer::U32(vec![0; 65]),
        args: Vec::new(),
    };
    let buffers = vec![Buffer::input("values", 0, Element::U32, 64).written()];
    let mut work = Work { module: TWICE, buffers, steps: vec![stage.into()] };
    let prepared = cuda.prepare(&work, &inputs).unwrap();
    let Err(Failure::Load(text)) = cuda.sample(prepared) else { panic!("65 words fit into 64") };
    assert!(text.contains("`too much`"), "{text}");
    work.steps = vec![twice("twice", Arg::Buffer(0)).into()];
    let prepared = cuda.prepare(&work, &inputs).unwrap();
    cuda.sample(prepared).unwrap();
    assert_eq!(cuda.read(prepared, 0).unwrap().as_u32().unwrap()[63], 126);
}

#[test]
fn a_written_input_is_restored() {
    let mut cuda = device!();
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32((0..64).collect()))];
    let buffers = vec![Buffer::input("values", 0, Element::U32, 64).written()];
    let work = Work::of_launches(TWICE, buffers, [twice("twice", Arg::Buffer(0))]);
    let prepared = cuda.prepare(&work, &inputs).unwrap();
    assert_eq!(cuda.read(prepared, 0).unwrap(), *inputs[0]);
    let doubled: Vec<u32> = (0..64).map(|value| 2 * value).collect();
    for _ in 0..3 {
        cuda.sample(prepared).unwrap();
        assert_eq!(cuda.read(prepared, 0).unwrap().as_u32().unwrap(), doubled);
    }
    // Another case on the same input gets it unharmed.
    let again = cuda.prepare(&work, &inputs).unwrap();
    assert_eq!(cuda.read(again, 0).unwrap(), *inputs[0]);
}

#[test]
fn what_cannot_run_says_why() {
    let mut cuda = device!();
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32(values(64)))];

    let mut broken = histogram("histogram_global_modulo", 64, 8, 32, 1);
    broken.module.ptx =
        ".version 7.8\n.target sm_50\n.address_size 64\n.visible .entry f() { frobnicate; }\n";
    let Err(Failure::Load(text)) = cuda.prepare(&broken, &inputs) else {
        panic!("broken PTX was loaded");
    };
    println!("{text}");
    assert!(text.contains("kernels/ptx/histogram.ptx") && text.contains("frobnicate"), "{text}");

    let missing = histogram("no_such_kernel", 64, 8, 32, 1);
    let Err(Failure::Load(text)) = cuda.prepare(&missing, &inputs) else {
        panic!("a kernel that is not there was found");
    };
    println!("{text}");
    assert!(text.contains("no_such_kernel"), "{text}");

    let wide = histogram("histogram_global_modulo", 64, 8, 1025, 1);
    let greedy = histogram("histogram_shared_modulo", 64, 60_000, 32, 1);
    for work in [wide, greedy] {
        let Err(Failure::Trap(trap)) = cuda.prepare(&work, &inputs) else {
            panic!("a launch that cannot be was prepared");
        };
        println!("{trap}");
        assert_eq!(trap.kind, TrapKind::LaunchFailed);
    }

    let mut endless = histogram("histogram_global_modulo", 64, 8, 32, 1);
    endless.buffers[1].init = Init::Zeroed { elements: 1 << 40 };
    let Err(Failure::OutOfMemory(text)) = cuda.prepare(&endless, &inputs) else {
        panic!("4 TiB were allocated");
    };
    println!("{text}");
    assert!(text.contains("bins"), "{text}");

    // None of this harms the next case.
    let fine = cuda.prepare(&histogram("histogram_global_modulo", 64, 8, 32, 1), &inputs).unwrap();
    cuda.sample(fine).unwrap();
}

/// A kernel with 1,008 bytes of static shared memory beside the dynamic one: a multiple of 16,
/// as the assembler rounds up.
const BOTH: Module = Module {
    name: "both",
    path: "both.ptx",
    ptx: ".version 7.8\n.target sm_50\n.address_size 64\n\
          .extern .shared .align 4 .b8 dynamic[];\n\
          .visible .entry both(.param .u64 out) {\n\
          .shared .align 4 .b8 fixed[1008];\n\
          .reg .b32 %r<3>; .reg .b64 %rd<2>;\n\
          ld.param.u64 %rd1, [out]; cvta.to.global.u64 %rd1, %rd1;\n\
          mov.u32 %r1, 7; st.volatile.shared.u32 [fixed+1004], %r1; st.volatile.shared.u32 [dynamic], %r1;\n\
          ld.volatile.shared.u32 %r2, [fixed+1004]; st.global.u32 [%rd1], %r2; ret; }\n",
    source: "",
    resources: "",
};

#[test]
fn static_shared_memory_counts_for_the_opt_in_and_for_its_limit() {
    let mut cuda = device!();
    let most = cuda.device().limits.shared_per_block;
    // With 48 KiB of dynamic shared memory only the static part needs the opt-in.
    for (bytes, runs) in [(48 << 10, most > 49 << 10), (most - 1008, true), (most - 1004, false)] {
        let launch = Launch {
            phase: "run",
            kernel: "both".to_owned(),
            grid: Dim3::linear(1),
            block: Dim3::linear(1),
            shared_bytes: bytes,
            args: vec![Arg::Buffer(0)],
        };
        let out = Buffer::zeroed("out", Element::U32, 1);
        let prepared = cuda.prepare(&Work::of_launches(BOTH, vec![out], [launch]), &Vec::new());
        match prepared {
            Ok(prepared) => {
                assert!(runs, "{bytes}");
                cuda.sample(prepared).unwrap();
                assert_eq!(cuda.read(prepared, 0).unwrap().as_u32(), Some(&[7][..]), "{bytes}");
            }
            Err(Failure::Trap(trap)) => {
                assert!(!runs && trap.kind == TrapKind::LaunchFailed, "{bytes}: {trap}");
                assert!(trap.message.contains("static"), "{trap}");
            }
            Err(other) => panic!("{bytes}: {other}"),
        }
    }
}

#[test]
fn the_device_describes_itself() {
    let cuda = device!();
    let device = cuda.device();
    println!("{device:#?}\n{:?} MHz", cuda.megahertz());
    assert_eq!(device.backend, "cuda");
    assert!(!device.modelled && device.validated);
    assert!(device.limits.compute_capability >= 50);
    assert!(device.limits.shared_per_block >= 48 << 10);
    let listed = cuda_devices().unwrap();
    println!("{listed:#?}");
    assert_eq!(listed[0].uuid, device.id);
    assert!(listed[0].memory > device.limits.memory);
}
