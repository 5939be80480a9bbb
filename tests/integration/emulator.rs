//! The emulator against plain Rust: results, counters, and what goes wrong.

use warpscope::emulator::{self, Memory, Options, Outcome};
use warpscope::work::{Dim3, Trap, TrapKind};

const HISTOGRAM: &str = include_str!("../../kernels/ptx/histogram.ptx");

fn options(threads: usize) -> Options<'static> {
    Options { threads, ..Options::default() }
}

/// Runs one of our histogram kernels; gives the bins and what was counted.
fn histogram(
    name: &str,
    values: &[u32],
    bins: u32,
    grid: u32,
    block: u32,
    threads: usize,
) -> (Vec<u32>, Outcome) {
    let kernel = emulator::load(HISTOGRAM, "histogram.ptx", name).unwrap();
    let mut memory = Memory::new();
    let input = memory.allocate(values.len() as u64 * 4);
    let output = memory.allocate(u64::from(bins) * 4);
    memory.write_u32(input, values);
    let shared = if name.contains("shared") { bins * 4 } else { 0 };
    let args = [input, values.len() as u64, output, u64::from(bins)];
    let (grid, block) = (Dim3::linear(grid), Dim3::linear(block));
    let outcome =
        emulator::launch(&kernel, grid, block, shared, &args, &memory, options(threads)).unwrap();
    (memory.read_u32(output), outcome)
}

fn values(n: usize) -> Vec<u32> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    };
    (0..n).map(|_| next()).collect()
}

#[test]
fn every_kernel_equals_the_plain_count() {
    for n in [0, 1, 31, 32, 33, 1000, 4097] {
        let values = values(n);
        for (bins, grid, block) in
            [(2, 1, 32), (7, 3, 33), (8, 5, 128), (256, 2, 255), (2048, 4, 1024)]
        {
            for binning in ["modulo", "range"] {
                let mut expected = vec![0; bins as usize];
                for &value in &values {
                    let bin = match binning {
                        "modulo" => value % bins,
                        _ => ((u64::from(value) * u64::from(bins)) >> 32) as u32,
                    };
                    expected[bin as usize] += 1;
                }
                for variant in ["global", "shared"] {
                    let name = format!("histogram_{variant}_{binning}");
                    let (found, _) = histogram(&name, &values, bins, grid, block, 0);
                    assert_eq!(
                        found, expected,
                        "{name} n={n} bins={bins} grid={grid} block={block}"
                    );
                }
            }
        }
    }
}

#[test]
fn counters_are_the_same_on_any_number_of_threads() {
    let values = values(100_000);
    for name in ["histogram_global_modulo", "histogram_shared_range"] {
        let one = histogram(name, &values, 64, 50, 96, 1);
        for threads in [2, 16] {
            assert_eq!(histogram(name, &values, 64, 50, 96, threads), one, "{name} on {threads}");
        }
    }
}

/// A thousand rounds, in each of which lane 0 loads and others skip it; then a sum of floats,
/// whose rounding depends on the order of the threads.
const SKIPS: &str = "
.version 7.0
.target sm_70
.address_size 64
.visible .entry skips(.param .u64 values, .param .u64 out) {
    .reg .pred %p<3>;
    .reg .b32 %r<4>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [values];
    ld.param.u64 %rd2, [out];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, 0;
    mov.f32 %f1, 0f00000000;
LOOP:
    mul.lo.u32 %r3, %r1, %r2;
    and.b32 %r3, %r3, 4;
    setp.ne.u32 %p1, %r3, 0;
    @%p1 bra SKIP;
    ld.global.f32 %f2, [%rd1];
    add.f32 %f1, %f1, %f2;
SKIP:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 1000;
    @%p2 bra LOOP;
    red.global.add.f32 [%rd2], %f1;
    ret;
}";

#[test]
fn lanes_of_a_kernel_that_sums_floats_meet_in_every_round() {
    let kernel = emulator::load(SKIPS, "skips.ptx", "skips").unwrap();
    let mut memory = Memory::new();
    let args = [memory.allocate(4), memory.allocate(4)];
    memory.write_u32(args[0], &[1.0_f32.to_bits()]);
    memory.write_u32(args[1], &[0]);
    let one = Dim3::linear(1);
    let outcome =
        emulator::launch(&kernel, one, Dim3::linear(32), 0, &args, &memory, options(1)).unwrap();
    assert!(outcome.schedule_dependent);
    assert_eq!(outcome.counters.global_load_requests, 1000);
}

#[test]
fn counters_of_a_simple_launch_are_those_of_a_hand_count() {
    // One warp, one value per lane, all in different bins of one 128-byte line.
    let values: Vec<u32> = (0..32).collect();
    let (_, Outcome { counters, schedule_dependent, atomic_chunks, .. }) =
        histogram("histogram_global_modulo", &values, 32, 1, 32, 1);
    assert!(!schedule_dependent);
    // 10 instructions up to the first branch, 4 before the loop, 10 in it, 1 to return.
    assert_eq!(counters.warp_instructions, 10 + 4 + 10 + 1);
    assert_eq!(counters.thread_instructions, 32 * counters.warp_instructions);
    assert_eq!((counters.global_load_requests, counters.global_load_sectors), (1, 4));
    assert_eq!((counters.global_atomic_requests, counters.global_atomic_sectors), (1, 4));
    assert_eq!((counters.global_atomic_addresses, counters.global_atomic_depth), (32, 1));
    assert_eq!((counters.global_atomic_passes, counters.hottest_chunk_passes), (4, 4));
    assert_eq!(atomic_chunks, [vec![], vec![4]]);
    assert_eq!(counters.divergent_branches, 0);

    // All lanes on one bin: one sector, one address, 32 deep.
    let (_, Outcome { counters, .. }) =
        histogram("histogram_global_modulo", &[5; 32], 32, 1, 32, 1);
    assert_eq!((counters.global_atomic_sectors, counters.global_atomic_depth), (1, 32));
    assert_eq!(counters.hottest_chunk_passes, 32);

    // 33 values in two warps: the second has one lane that goes on.
    let (_, Outcome { counters, .. }) =
        histogram("histogram_global_modulo", &[5; 33], 32, 1, 64, 1);
    assert_eq!(counters.divergent_branches, 1);
    assert_eq!(counters.global_atomic_lanes, 33);
}

/// Wraps a body into a kernel with a pointer and an integer parameter; the
/// body starts on line 9.
fn kernel(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {{\n\
         .reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b16 %rs<8>;\n\
         .shared .align 4 .b8 tile[256];\n\
         ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n\
         mul.wide.u32 %rd2, %r2, 4; add.s64 %rd3, %rd1, %rd2;\n{body}\nret;\n}}"
    )
}

/// Runs a body on one block with 64 words of output.
fn run(body: &str, threads: u32, n: u64) -> Result<Vec<u32>, Trap> {
    let kernel = emulator::load(&kernel(body), "test.ptx", "k").unwrap();
    let mut memory = Memory::new();
    let out = memory.allocate(64 * 4);
    let budget = Options { threads: 1, budget: 1_000_000, ..Options::default() };
    emulator::launch(
        &kernel,
        Dim3::linear(1),
        Dim3::linear(threads),
        0,
        &[out, n],
        &memory,
        budget,
    )?;
    Ok(memory.read_u32(out))
}

#[test]
fn lanes_that_wait_for_each_other_make_progress() {
    // Every lane takes a lock that another lane of its warp may hold.
    let body = "add.s64 %rd4, %rd1, 252;
        LOOP: atom.global.cas.b32 %r3, [%rd4], 0, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra LOOP;
        ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, 1; st.global.u32 [%rd1], %r4;
        atom.global.exch.b32 %r5, [%rd4], 0;";
    assert_eq!(run(body, 64, 0).unwrap()[0], 64);
}

#[test]
fn warps_that_wait_for_each_other_make_progress() {
    // Warp 0 spins until warp 1 has stored.
    let body = "setp.lt.u32 %p1, %r2, 32; @%p1 bra SPIN; st.global.u32 [%rd1], 7; bra END;
        SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.ne.u32 %p2, %r3, 7; @%p2 bra SPIN;
        st.global.u32 [%rd3+4], %r3; END:";
    assert_eq!(run(body, 64, 0).unwrap()[1..33], [7; 32]);
}

#[test]
fn nested_divergence_reconverges() {
    // r3 = tid odd ? (tid < 8 ? 1 : 2) : 3, then 10 more in each of tid rounds.
    let body = "and.b32 %r4, %r2, 1; setp.eq.u32 %p1, %r4, 0; @%p1 bra EVEN;
        setp.lt.u32 %p2, %r2, 8; @%p2 bra SMALL; mov.u32 %r3, 2; bra JOIN;
        SMALL: mov.u32 %r3, 1; bra JOIN; EVEN: mov.u32 %r3, 3;
        JOIN: mov.u32 %r5, 0; setp.eq.u32 %p3, %r2, 0; @%p3 bra DONE;
        LOOP: add.u32 %r3, %r3, 10; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, %r2; @%p4 bra LOOP;
        DONE: bar.sync 0; st.global.u32 [%rd3], %r3;";
    let found = run(body, 48, 0).unwrap();
    for tid in 0..48_u32 {
        let base = match (tid % 2, tid < 8) {
            (0, _) => 3,
            (_, true) => 1,
            (_, false) => 2,
        };
        assert_eq!(found[tid as usize], base + 10 * tid, "thread {tid}");
    }
}

#[test]
fn integer_forms_compute_what_the_isa_says() {
    let body = "add.u32 %r3, %r2, -5;
        setp.gt.s32 %p1|%p2, %r3, 0; selp.u32 %r4, 1, 2, %p1; @%p2 add.u32 %r4, %r4, 100;
        shr.s32 %r5, %r3, 1; cvt.s64.s32 %rd4, %r5; add.s64 %rd4, %rd4, 1; cvt.u32.u64 %r6, %rd4;
        cvt.u16.u32 %rs1, %r3; shr.s16 %rs2, %rs1, 1; cvt.s32.s16 %r7, %rs2; sub.u32 %r8, %r7, %r5;
        mad.lo.s32 %r9, %r4, 1000, %r6; add.u32 %r9, %r9, %r8;
        setp.lt.and.u32 %p3, %r2, 4, !%p1; @!%p3 xor.b32 %r9, %r9, 1;
        st.global.u32 [%rd3], %r9;";
    let found = run(body, 32, 0).unwrap();
    for tid in 0..32_i32 {
        let low = tid - 5;
        let chosen = if low > 0 { 1 } else { 102 };
        let mut expected = chosen * 1000 + (low >> 1) + 1;
        if !(tid < 4 && low <= 0) {
            expected ^= 1;
        }
        assert_eq!(found[tid as usize].cast_signed(), expected, "thread {tid}");
    }
}

#[test]
fn vectors_and_narrow_cells_reach_memory() {
    let body = "mov.u64 %rd4, tile; mul.wide.u32 %rd5, %r2, 8; add.s64 %rd6, %rd4, %rd5;
        st.shared.v2.u32 [%rd6], {%r2, 77}; bar.sync 0;
        ld.shared.v2.u32 {%r3, %r4}, [%rd6]; ld.shared.u8 %rs1, [%rd6+4]; cvt.u32.u16 %r5, %rs1;
        cvta.shared.u64 %rd7, %rd6; ld.u32 %r6, [%rd7];
        add.u32 %r7, %r3, %r4; add.u32 %r7, %r7, %r5; add.u32 %r7, %r7, %r6; st.global.u32 [%rd3], %r7;";
    let found = run(body, 32, 0).unwrap();
    for tid in 0..32 {
        assert_eq!(found[tid as usize], 2 * tid + 154);
    }
}

#[test]
fn faults_name_kind_line_and_lanes() {
    for (body, n, kind, lanes, part) in [
        (
            "st.global.u32 [%rd3+192], %r2;",
            0,
            TrapKind::OutOfBounds,
            16,
            "past the end of an allocation of 256 bytes",
        ),
        ("st.global.u32 [%rd3+2], %r2;", 0, TrapKind::Misaligned, 32, "not a multiple of 4"),
        (
            "st.shared.u32 [%rd2+200], %r2;",
            0,
            TrapKind::OutOfBounds,
            18,
            "256 bytes of shared memory",
        ),
        (
            "st.shared.u32 [%rd2+-4], %r2;",
            0,
            TrapKind::OutOfBounds,
            1,
            "256 bytes of shared memory",
        ),
        ("ld.global.u32 %r3, [64];", 0, TrapKind::OutOfBounds, 32, "in no allocation"),
        (
            "setp.lt.u32 %p1, %r2, %r1; @%p1 bra W; bra E; W: bar.sync 0; bra D; E: bar.sync 1; D:",
            5,
            TrapKind::DivergentBarrier,
            5,
            "5 threads wait at barrier 0; 27 others",
        ),
        ("L: bra L;", 0, TrapKind::RunawayLoop, 32, "budget"),
        ("trap;", 0, TrapKind::Trap, 32, "trap"),
    ] {
        let trap = run(body, 32, n).unwrap_err();
        assert_eq!(trap.kind, kind, "{trap}");
        assert_eq!(trap.lanes.len(), lanes, "{trap}");
        assert!(trap.message.contains(part), "{trap}");
        assert_eq!(trap.block, Some([0, 0, 0]));
        if kind != TrapKind::RunawayLoop {
            assert_eq!((trap.file.as_deref(), trap.line), (Some("test.ptx"), Some(9)), "{trap}");
        }
    }
}

#[test]
fn threads_that_ended_are_not_waited_for() {
    let body = "setp.ge.u32 %p1, %r2, 40; @%p1 bra END; bar.sync 0; st.global.u32 [%rd3], 1; END:";
    assert_eq!(run(body, 64, 0).unwrap().iter().sum::<u32>(), 40);
}

#[test]
fn what_is_not_supported_is_refused_before_the_launch() {
    for (body, part) in [
        ("tcgen05.wait::ld.sync.aligned;", "`tcgen05.wait::ld.sync.aligned` "),
        ("add.s32 %r3, %r99, 1;", "`%r99` is neither"),
        ("bra NOWHERE;", "no label `NOWHERE`"),
        ("add.s32 %r3, %r2;", "takes 3 operands, not 2"),
        ("ld.param.u32 %r3, [missing];", "no parameter `missing`"),
        ("ld.param.u64 %rd4, [n];", "beyond parameter `n`"),
        ("add.s32 %rd3, %r2, 1;", "does not fit"),
        ("@%r1 bra E; E:", "not a predicate"),
        ("bar.sync 16;", "no barrier 16"),
        ("A: A:", "defined twice"),
        ("mul.f32.f16 %r3, %rs1, %rs1;", "not supported yet"),
    ] {
        let error = emulator::load(&kernel(body), "test.ptx", "k").unwrap_err().to_string();
        assert!(error.starts_with("test.ptx:9: ") && error.contains(part), "{body}: {error}");
    }
    let error = emulator::load(HISTOGRAM, "h.ptx", "histogram").unwrap_err().to_string();
    assert!(error.contains("histogram_global_modulo, "), "{error}");
}

#[test]
fn impossible_launches_are_refused() {
    let kernel = emulator::load(HISTOGRAM, "h.ptx", "histogram_global_modulo").unwrap();
    let memory = Memory::new();
    for (grid, block, args, part) in [
        (0, 32, 4, "nothing to run"),
        (1, 1025, 4, "at most 1024"),
        (1, 32, 3, "takes 4 arguments, not 3"),
    ] {
        let args = vec![0; args];
        let (grid, block) = (Dim3::linear(grid), Dim3::linear(block));
        let trap =
            emulator::launch(&kernel, grid, block, 0, &args, &memory, options(1)).unwrap_err();
        assert!(trap.kind == TrapKind::LaunchFailed && trap.message.contains(part), "{trap}");
    }
}
