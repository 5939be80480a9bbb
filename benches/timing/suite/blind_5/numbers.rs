//! Polynomials, random paths, prices, hashes, ciphers, transforms, small sorts.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_5/numbers");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U32: Element = Element::U32;

/// Pairs of halves between 1/8 and 2, of either sign.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let pair = |word: u32| word & 0x8fff_8fff | 0x3000_3000;
    HostBuffer::U32(words(count, stream).map(pair).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "chebyshev_series",
        "polynomials",
        [20_000, 800_000, 8_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            const MANY: u32 = 30;
            s.input(doubles(n, 1));
            s.input(doubles(MANY, 2));
            s.output(F64, n, Check::Sum);
            s.int(MANY);
            s.each(n);
        },
    ),
    kernel(
        "horner_halves",
        "half precision",
        [200_000, 4_000_000, 30_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(halves(n, 1));
            s.input(halves(9, 2));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "asian_paths",
        "Monte Carlo",
        [2_000, 40_000, 400_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.output(F32, n, Check::Sum);
            s.float(100.0);
            s.float(0.0003);
            s.float(0.025);
            s.int(64);
            s.each(n);
        },
    ),
    kernel(
        "implied_volatility",
        "finance",
        [5_000, 200_000, 2_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(n, 90.0, 110.0, 1));
            s.input(floats(n, 0.25, 2.0, 2));
            s.input(floats(n, 12.0, 30.0, 3));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "halton_points",
        "random numbers",
        [30_000, 1_000_000, 10_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            s.output(F32, 3 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "md5_blocks",
        "hashes",
        [5_000, 200_000, 1_500_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(16 * n, 1));
            s.output(U32, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("rc4_streams", "ciphers", [500, 12_000, 90_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        s.input(bytes(16 * n, 1));
        s.output(U32, 16 * n, Check::Bits);
        s.each(n);
    }),
    kernel(
        "fft_warps",
        "transforms",
        [1_000, 50_000, 500_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(64 * n, -1.0, 1.0, 1));
            s.output(F32, 64 * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "pair_polynomial",
        "mixed precision",
        [20_000, 500_000, 6_000_000],
        &[[128, 1, 1], [320, 1, 1]],
        |s, n| {
            const DEGREE: u32 = 20;
            s.input(floats(n, -1.0, 1.0, 1));
            s.input(floats(2 * (DEGREE + 1), -1e-8, 1e-8, 2));
            s.output(F32, 2 * n, Check::Sum);
            s.int(DEGREE);
            s.each(n);
        },
    ),
    kernel(
        "insertion_sorts",
        "local arrays",
        [2_000, 60_000, 600_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(24 * n, -1.0, 1.0, 1));
            s.output(F32, 24 * n, Check::Bits);
            s.each(n);
        },
    ),
];
