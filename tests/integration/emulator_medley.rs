//! A medley of CUDA (`tests/ptx_medley`: 128-bit integers, 16-bit floats,
//! function pointers, recursion, groups of lanes, bytes) as NVRTC 11.8, 12.9
//! and 13.5 compile it for several architectures: all of it loads, and gives
//! the same.

use warpscope::emulator::{self, Memory, Options};
use warpscope::work::Dim3;

macro_rules! medleys {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../ptx_medley/medley_", $name, ".ptx")))),*]
    };
}
const MEDLEYS: [(&str, &str); 9] = medleys![
    "11.8_compute_53",
    "11.8_compute_70",
    "11.8_compute_80",
    "11.8_compute_90",
    "12.9_compute_70",
    "12.9_compute_80",
    "12.9_compute_90",
    "13.5_compute_75",
    "13.5_compute_90"
];
const GRID: u32 = 3;
const BLOCK: u32 = 96;

/// What a kernel writes, with one version's PTX.
fn run(version: &str, text: &str, name: &str) -> Vec<u32> {
    let kernel = emulator::load(text, "medley.ptx", name)
        .unwrap_or_else(|error| panic!("{version}: {error}"));
    let mut memory = Memory::new();
    let out = memory.allocate(u64::from(GRID * BLOCK) * 4);
    let options = Options { threads: 2, budget: 10_000_000, ..Options::default() };
    let (grid, block) = (Dim3::linear(GRID), Dim3::linear(BLOCK));
    emulator::launch(&kernel, grid, block, 0, &[out], &memory, options)
        .unwrap_or_else(|trap| panic!("{version} {name}: {trap}"));
    memory.read_u32(out)
}

/// Runs a kernel with every version's PTX against what `expected` says of a thread.
fn check(name: &str, expected: impl Fn(u32) -> u32) {
    let expected: Vec<u32> = (0..GRID * BLOCK).map(expected).collect();
    for (version, text) in MEDLEYS {
        assert_eq!(run(version, text, name), expected, "{version} {name}");
    }
}

fn mix(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x7feb_352d);
    let x = (x ^ x >> 15).wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

fn mix64(x: u32) -> u64 {
    u64::from(mix(x)) << 32 | u64::from(mix(x + 1000))
}

#[test]
fn integers_of_128_bits_carry() {
    check("wide_integers", |t| {
        let a = u128::from(mix64(t)) << 64 | u128::from(mix64(t + 7));
        let b = u128::from(mix64(t + 9)) << 64 | u128::from(mix64(t + 31));
        let (mut sum, mut difference) = (a.wrapping_add(b), a.wrapping_sub(b));
        let product = a.wrapping_mul(b);
        if t.is_multiple_of(3) {
            sum = sum.wrapping_add(product >> (t % 60));
        } else {
            difference = difference.wrapping_add(sum << (t % 50));
        }
        let all = sum ^ difference ^ product;
        let high = ((u128::from(mix64(t)) * u128::from(mix64(t + 1))) >> 64) as u64;
        let word = all as u64 ^ (all >> 64) as u64 ^ high ^ u64::from(a < b);
        word as u32 ^ (word >> 32) as u32
    });
}

#[test]
fn functions_are_called_through_pointers() {
    check("pointers", |t| {
        let f = |a: u32, b: u32| match t % 3 {
            0 => a.wrapping_add(b),
            1 => a.wrapping_mul(b),
            _ => (0..b).fold(1_u32, |power, _| power.wrapping_mul(a)),
        };
        (0..=t % 5).fold(t, |result, i| f(result, i + 2))
    });
}

#[test]
fn groups_of_lanes_reduce() {
    check("groups", |t| {
        let (block, own) = (t / BLOCK, t % BLOCK);
        let value = |thread: u32| mix(thread + block);
        let group = |thread: u32| {
            let first = thread / 8 * 8;
            (first..first + 8).fold(0_u32, |sum, at| sum.wrapping_add(value(at)))
        };
        let all = (0..BLOCK).step_by(8).fold(0_u32, |sum, at| sum.wrapping_add(group(at)));
        let warp = own / 32 * 32;
        let same = (warp..warp + 32).filter(|&at| group(at) & 1 != 0).count() as u32;
        all ^ group(own) ^ same
    });
}

#[test]
fn floats_of_16_bits_that_keep_8_of_32_are_rounded() {
    fn brain(value: f32) -> u32 {
        let bits = value.to_bits();
        (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    }
    check("brains", |t| {
        let a = brain((mix(t) % 4001) as f32 / 16.0 - 125.0);
        let b = brain((mix(t + 1) % 977) as f32 / 64.0 + 0.25);
        let sum = f32::from_bits(a << 16) + f32::from_bits(b << 16);
        brain(sum) << 16 | a
    });
}

#[test]
fn every_compiler_and_architecture_gives_the_same() {
    for name in ["halves", "bytes"] {
        let first = run(MEDLEYS[0].0, MEDLEYS[0].1, name);
        assert!(first.windows(2).any(|pair| pair[0] != pair[1]), "{name}");
        for (version, text) in MEDLEYS {
            assert_eq!(run(version, text, name), first, "{version} {name}");
        }
    }
}
