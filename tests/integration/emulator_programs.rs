//! Kernels of the patterns that CUDA programs are made of, as two versions of
//! NVRTC compile them for two architectures each, and some of Triton (`tests/ptx_programs`).

use warpscope::emulator::{self, Memory, Options, Outcome};
use warpscope::work::{Dim3, Trap, TrapKind};

const PROGRAMS: [(&str, &str); 4] = [
    ("11.8 sm_70", include_str!("../ptx_programs/programs_11.8_sm_70.ptx")),
    ("11.8 sm_90", include_str!("../ptx_programs/programs_11.8_sm_90.ptx")),
    ("12.9 sm_70", include_str!("../ptx_programs/programs_12.9_sm_70.ptx")),
    ("12.9 sm_90", include_str!("../ptx_programs/programs_12.9_sm_90.ptx")),
];

/// Numbers that look random.
fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(13) >> 8).collect()
}

/// Memory with an allocation for each of `buffers`.
fn memory(buffers: &[&[u32]]) -> (Memory, Vec<u64>) {
    let mut memory = Memory::new();
    let addresses = buffers
        .iter()
        .map(|words| {
            let address = memory.allocate(words.len() as u64 * 4);
            memory.write_u32(address, words);
            address
        })
        .collect();
    (memory, addresses)
}

fn launch(
    text: &str,
    name: &str,
    (grid, block): (u32, u32),
    args: &[u64],
    memory: &Memory,
    threads: usize,
) -> Result<Outcome, Trap> {
    let kernel = emulator::load(text, "programs.ptx", name).unwrap();
    let options = Options { threads, budget: 10_000_000, ..Options::default() };
    let (grid, block) = (Dim3::linear(grid), Dim3::linear(block));
    emulator::launch(&kernel, grid, block, 0, args, memory, options)
}

#[test]
fn sums_and_scans_are_right_on_any_number_of_threads() {
    let values = numbers(3000);
    let sum = values.iter().fold(0_u32, |sum, &value| sum.wrapping_add(value));
    let scan: Vec<u32> = values
        .iter()
        .scan(0_u32, |sum, &value| {
            *sum = sum.wrapping_add(value);
            Some(*sum)
        })
        .collect();
    for (version, text) in PROGRAMS {
        for threads in [1, 2, 16] {
            let (memory, at) =
                memory(&[&values, &[0; 1], &[0; 24], &[0; 1], &[0; 48], &[0; 1], &[0; 3000]]);
            let run = |name, args: &[u64]| {
                launch(text, name, (24, 128), args, &memory, threads)
                    .unwrap_or_else(|trap| panic!("{version}, {threads} threads: {trap}"))
            };
            run("sum_by_shuffles", &[at[0], 3000, at[1]]);
            assert_eq!(memory.read_u32(at[1]), [sum], "{version}");
            // Twice: the counter of blocks has to be back at 0.
            for _ in 0..2 {
                run("sum_by_last_block", &[at[0], 3000, at[2], at[3]]);
                assert_eq!(memory.read_u32(at[3]), [sum], "{version}");
            }
            run("scan_by_look_back", &[at[0], 3000, at[4], at[5], at[6]]);
            assert_eq!(memory.read_u32(at[6]), scan, "{version}");
        }
    }
}

#[test]
fn recursion_and_tables_of_functions_work() {
    fn ackermann(m: u32, n: u32) -> u32 {
        match (m, n) {
            (0, n) => n + 1,
            (m, 0) => ackermann(m - 1, 1),
            (m, n) => ackermann(m - 1, ackermann(m, n - 1)),
        }
    }
    for (version, text) in PROGRAMS {
        let (memory, at) = memory(&[&[0; 40]]);
        launch(text, "recurse", (1, 40), &at, &memory, 1).unwrap();
        let expected: Vec<u32> = (0..40).map(|t| ackermann(t % 3, t / 3 % 4)).collect();
        assert_eq!(memory.read_u32(at[0]), expected, "{version}");
        launch(text, "through_table", (1, 40), &at, &memory, 1).unwrap();
        let weights = [3, 1, 4, 1, 5];
        let expected: Vec<u32> = (0..40)
            .map(|t| [2 * t, t * t, t + 1][t as usize % 3] * weights[t as usize % 5])
            .collect();
        assert_eq!(memory.read_u32(at[0]), expected, "{version}");
    }
}

#[test]
fn arrays_of_a_thread_sort() {
    let values = numbers(8 * 70);
    let mut expected = values.clone();
    expected.chunks_mut(8).for_each(<[u32]>::sort_unstable);
    for (version, text) in PROGRAMS {
        let (memory, at) = memory(&[&values, &[0; 8 * 70]]);
        let outcome = launch(text, "sort_in_local", (1, 70), &at, &memory, 1).unwrap();
        assert_eq!(memory.read_u32(at[1]), expected, "{version}");
        let counters = outcome.counters;
        assert!(counters.local_load_requests > 0, "{version}");
        assert!(counters.local_load_sectors > counters.local_load_requests, "{version}");
    }
}

#[test]
fn printf_assert_and_structures_work() {
    for (version, text) in PROGRAMS {
        let (memory, at) = memory(&[&[0; 40]]);
        let outcome = launch(text, "talk", (10, 32), &[3], &memory, 2).unwrap();
        let expected: String = (0..10)
            .flat_map(|block| (0..3).map(move |thread| (block, thread)))
            .map(|(block, thread)| {
                format!("thread {thread} of block {}: {:x}!\n", -block, 1_u64 << 40 | thread)
            })
            .collect();
        assert_eq!(String::from_utf8_lossy(&outcome.printed), expected, "{version}");

        launch(text, "insist", (2, 33), &[33], &memory, 1).unwrap();
        let trap = launch(text, "insist", (2, 33), &[30], &memory, 1).unwrap_err();
        assert_eq!(trap.kind, TrapKind::Trap, "{version}");
        assert!(
            trap.message.contains("programs.cu:")
                && trap.message.contains("`threadIdx.x < limit` failed"),
            "{version}: {trap}"
        );

        // scale; then a[3], padding, b, c[5], padding in 48 bytes; then the output.
        let args = [10, 2 << 32 | 1, 3, 100, 2 << 32 | 1, 4 << 32 | 3, 5, at[0]];
        launch(text, "take_structure", (1, 40), &args, &memory, 1).unwrap();
        let expected: Vec<u32> = (0..40).map(|t| 10 * (t % 3 + 1) + 100 + t % 5 + 1).collect();
        assert_eq!(memory.read_u32(at[0]), expected, "{version}");
    }
}

#[test]
fn locks_and_matches_count_right() {
    let values = numbers(1000);
    for bins in [1_u32, 7] {
        let mut expected = vec![0; bins as usize];
        for value in &values {
            expected[(value % bins) as usize] += 1;
        }
        for (version, text) in PROGRAMS {
            for threads in [1, 4] {
                let (memory, at) = memory(&[&values, &[0; 7], &[0; 7], &[0; 7]]);
                let args = [at[0], 1000, u64::from(bins), at[1], at[2]];
                launch(text, "lock_per_bin", (16, 64), &args, &memory, threads).unwrap();
                assert_eq!(memory.read_u32(at[2])[..bins as usize], expected, "{version}");
                let args = [at[0], 1000, u64::from(bins), at[3]];
                launch(text, "count_by_match", (16, 64), &args, &memory, threads).unwrap();
                assert_eq!(memory.read_u32(at[3])[..bins as usize], expected, "{version}");
            }
        }
    }
}

/// What Triton makes of a kernel has no CUDA source: a fixed block, dynamic shared memory and
/// two pointers that it adds itself.
fn launch_triton(
    text: &str,
    name: &str,
    grid: [u32; 2],
    shared: u32,
    args: &[u64],
    memory: &Memory,
) {
    let kernel = emulator::load(text, "triton.ptx", name).unwrap();
    let grid = Dim3 { x: grid[0], y: grid[1], z: 1 };
    let args = [args, &[0, 0]].concat();
    let block = Dim3::linear(128);
    emulator::launch(&kernel, grid, block, shared, &args, memory, Options::default()).unwrap();
}

#[test]
fn rows_of_triton_sum_to_one() {
    let text = include_str!("../ptx_programs/triton_softmax_sm_70.ptx");
    let values: Vec<u32> = numbers(3 * 1000).iter().map(|v| (*v as f32 * 1e-7).to_bits()).collect();
    let (memory, at) = memory(&[&values, &[0; 3 * 1000]]);
    launch_triton(text, "softmax", [3, 1], 16, &[at[1], at[0], 1000, 1000], &memory);
    let float = |word: &u32| f64::from(f32::from_bits(*word));
    for (row, found) in values.chunks(1000).zip(memory.read_u32(at[1]).chunks(1000)) {
        let sum: f64 = row.iter().map(|value| float(value).exp()).sum();
        for (value, found) in row.iter().zip(found) {
            let expected = float(value).exp() / sum;
            assert!((float(found) / expected - 1.0).abs() < 1e-5, "{found} for {expected}");
        }
    }
}

#[test]
fn products_of_triton_are_exact_on_small_integers() {
    // With `mma.sync`, and with `wgmma`.
    for text in [
        include_str!("../ptx_programs/triton_product_sm_80.ptx"),
        include_str!("../ptx_programs/triton_product_sm_90.ptx"),
    ] {
        const SIDE: usize = 128;
        const K: usize = 64;
        // Halves from -4 to 3: sign, exponent and mantissa of integers are exact.
        let half = |v: u32| [0xc400, 0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200][v as usize];
        let small: Vec<u32> = numbers(2 * SIDE * K).iter().map(|v| v % 8).collect();
        let pairs: Vec<u32> =
            small.chunks(2).map(|pair| half(pair[0]) | half(pair[1]) << 16).collect();
        let (a, b) = pairs.split_at(SIDE * K / 2);
        let zeros = vec![0; SIDE * SIDE];
        let (memory, at) = memory(&[a, b, &zeros]);
        let size = [SIDE as u64, SIDE as u64, K as u64];
        launch_triton(text, "product", [2, 2], 16_384, &[&at[..], &size].concat(), &memory);
        let value = |at: usize| i64::from(small[at]) - 4;
        for (at, found) in memory.read_u32(at[2]).into_iter().enumerate() {
            let (i, j) = (at / SIDE, at % SIDE);
            let sum: i64 = (0..K).map(|k| value(i * K + k) * value(SIDE * K + k * SIDE + j)).sum();
            let off = f64::from(f32::from_bits(found)) - sum as f64;
            assert!(off.abs() < f64::EPSILON, "row {i}, column {j}: off by {off}");
        }
    }
}
