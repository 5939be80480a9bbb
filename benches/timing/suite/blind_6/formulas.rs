//! Integrals, roots, differential equations, random numbers, prices, physics, numbers.

use warpscope::work::Element;

use super::super::setup::{doubles, floats, ints, module};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_6/formulas");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "adaptive_simpson",
        "local arrays",
        [1_000, 8_000, 500_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(n, 1.0, 60.0, 1));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("durand_kerner", "roots", [500, 5_000, 300_000], &[[128, 1, 1], [192, 1, 1]], |s, n| {
        s.input(floats(5 * n, -2.0, 2.0, 1));
        s.output(F32, 10 * n, Check::Sum);
        s.each(n);
    }),
    kernel(
        "van_der_pol",
        "f64 numerics",
        [500, 3_000, 200_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.output(F64, n, Check::Sum);
            s.output(I32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "heston_paths",
        "Monte Carlo",
        [1_000, 15_000, 800_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.output(F32, n, Check::Sum);
            for value in [100.0, 1.5, 0.5, -0.7] {
                s.float(value);
            }
            s.each(n);
        },
    ),
    kernel(
        "polar_normals",
        "random numbers",
        [2_000, 40_000, 3_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.output(F32, 12 * n, Check::Sum);
            s.int(77);
            s.each(n);
        },
    ),
    kernel(
        "cordic",
        "bit tricks",
        [10_000, 250_000, 12_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(ints(n, 1_000_000_000, 1));
            s.output(I32, 2 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("boids_tile", "physics", [500, 1_400, 20_000], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        s.input(floats(4 * n, -1.0, 1.0, 1));
        s.output(F32, 2 * n, Check::Sum);
        s.float(0.2);
        s.int(n);
        s.threads(n);
        s.shared(16 * s.block[0]);
    }),
    kernel(
        "galton_board",
        "atomics",
        [5_000, 100_000, 1_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.output(U32, 49, Check::Bits);
            s.int(5);
            s.int(6);
            s.each(n);
        },
    ),
    kernel(
        "totients",
        "divergent loops",
        [3_000, 20_000, 600_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.output(U32, n, Check::Bits);
            s.int(1);
            s.each(n);
        },
    ),
];
