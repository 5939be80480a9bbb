//! Physics, statistics, random numbers, vectors, splines, transforms, powers.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_7/numbers");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U32: Element = Element::U32;

/// Odd numbers between 2^63 and 2^64.
fn odd(count: u32, stream: u64) -> HostBuffer {
    let wide = |word: u32| u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 | 1 << 63;
    HostBuffer::U64(words(count, stream).map(wide).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "bond_angles",
        "molecules",
        [4_000, 100_000, 1_500_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            const KINDS: u32 = 40;
            // The middle atom, and two that are not far from it.
            let angle = |(at, word): (usize, u32)| {
                let at = at as u32;
                let [a, b] = [at + 1 + word % 6, at + 7 + (word >> 8) % 50].map(|atom| atom % n);
                [a, at, b, fraction(word, KINDS)]
            };
            let angles = words(n, 1).enumerate().flat_map_iter(angle);
            s.input(HostBuffer::U32(angles.collect()));
            s.input(floats(4 * n, -1.0, 1.0, 2));
            s.input(floats(2 * KINDS, 0.1, 0.9, 3));
            s.output(F32, 3 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "student_tails",
        "divergent loops",
        [3_000, 40_000, 2_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(n, 0.05, 5.0, 1));
            let degrees = |word: u32| 1 + fraction(word, 200);
            s.input(HostBuffer::U32(words(n, 2).map(degrees).collect()));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "attitude_steps",
        "physics",
        [1_000, 10_000, 120_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const STEPS: u32 = 64;
            s.input(floats(3 * STEPS * n, -2.0, 2.0, 1));
            s.changed(floats(4 * n, 0.1, 1.0, 2), Check::Sum);
            s.float(0.01);
            s.int(STEPS);
            s.each(n);
        },
    ),
    kernel(
        "avoiding_walks",
        "Monte Carlo",
        [1_000, 12_000, 400_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            s.output(U32, n, Check::Bits);
            s.int(0x1234_5678);
            s.each(n);
        },
    ),
    kernel(
        "bootstrap_means",
        "random numbers",
        [40, 600, 40_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(2048, 0.0, 10.0, 1));
            s.output(F32, n, Check::Sum);
            s.int(99);
            s.blocks(n);
        },
    ),
    kernel(
        "eight_dots",
        "reductions",
        [10_000, 150_000, 1_300_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.input(doubles(8 * n, 2));
            s.output(F64, 8, Check::Sum);
            s.int(n);
            s.blocks(n.div_ceil(4 * s.block[0]).min(264));
        },
    ),
    kernel(
        "spline_values",
        "f64 numerics",
        [5_000, 150_000, 6_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            const KNOTS: u32 = 500;
            let knot = |k: u32| (f64::from(k) / f64::from(KNOTS)).powf(1.5);
            s.input(HostBuffer::F64((0..KNOTS).map(knot).collect()));
            s.input(doubles(4 * KNOTS, 1));
            s.input(doubles(n, 2));
            s.output(F64, n, Check::Sum);
            s.int(KNOTS);
            s.each(n);
            s.shared(8 * KNOTS);
        },
    ),
    kernel(
        "fft_sixteen",
        "transforms",
        [4_000, 60_000, 390_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(32 * n, -1.0, 1.0, 1));
            s.output(F32, 32 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "montgomery_powers",
        "64-bit integers",
        [2_000, 20_000, 1_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(odd(n, 1));
            s.input(u32s(n, 2));
            s.input(odd(n, 3));
            s.output(Element::U64, n, Check::Bits);
            s.each(n);
        },
    ),
];
