//! Random games, prices, flows, chemistry, special functions, sound, roots and polygons.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_10/sciences");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U8: Element = Element::U8;

/// From 0 to 1.
fn share(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

/// The waves of a frame of 128 samples: a window, and cosines of 512 angles.
fn waves() -> (Vec<f32>, Vec<f32>) {
    use std::f64::consts::PI;
    let window = (0..128).map(|at| (PI * (f64::from(at) + 0.5) / 128.0).sin() as f32);
    let cosines = (0..512).map(|at| (PI * f64::from(at) / 256.0).cos() as f32);
    (window.collect(), cosines.collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "craps_games",
        "Monte Carlo",
        [2_000, 40_000, 250_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U8, n, Check::Bits);
            s.output(Element::U16, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "sabr_smile",
        "finance",
        [5_000, 300_000, 5_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let model = |word: u32| {
                let part = |shift: u32| (word >> shift & 255) as f32 / 256.0;
                let (alpha, beta) = (0.02 + 0.04 * part(0), 0.3 + 0.6 * part(8));
                [alpha, beta, 0.9 * part(16) - 0.6, 0.2 + 0.6 * part(24)]
            };
            s.input(floats(n, 0.02, 0.08, 1));
            s.input(floats(n, 0.02, 0.08, 2));
            s.input(floats(n, 0.1, 10.0, 3));
            s.input(HostBuffer::F32(words(n, 4).flat_map_iter(model).collect()));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("biot_savart", "flows", [1_000, 5_000, 16_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        let vortices = n / 4;
        s.input(floats(4 * n, 0.0, 8.0, 1));
        s.input(floats(4 * vortices, 0.0, 8.0, 2));
        s.input(floats(4 * vortices, -0.5, 0.5, 3));
        s.output(F32, 4 * n, Check::Sum);
        s.float(0.01);
        s.int(vortices);
        s.int(n);
        s.shared(32 * s.block[0]);
        s.threads(n);
    }),
    kernel(
        "robertson_steps",
        "chemistry",
        [1_000, 10_000, 80_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let rate =
                |(at, word): (usize, u32)| [0.04, 3e7, 1e4][at / n as usize] * (0.5 + share(word));
            s.input(HostBuffer::F64(words(3 * n, 1).enumerate().map(rate).collect()));
            s.output(F64, 3 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "airy_disk",
        "special functions",
        [100, 700, 2_000],
        &[[32, 4, 1], [24, 8, 1]],
        |s, n| {
            s.output(F32, 4 * n * n, Check::Sum);
            s.float(0.1);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "digamma_doubles",
        "special functions",
        [3_000, 100_000, 1_500_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            let number = |word: u32| 20.0 * share(word) - 5.0;
            s.input(HostBuffer::F64(words(n, 1).map(number).collect()));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "mdct_frames",
        "transforms",
        [100, 4_000, 30_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            let (window, cosines) = waves();
            let many = s.block[0] / 64;
            s.input(floats(64 * n + 64, -1.0, 1.0, 1));
            s.input(HostBuffer::F32(window));
            s.input(HostBuffer::F32(cosines));
            s.output(F32, 64 * n, Check::Sum);
            s.int(n);
            s.shared(4 * 128 * many);
            s.blocks(n.div_ceil(many));
        },
    ),
    kernel(
        "section_roots",
        "warp votes",
        [500, 10_000, 120_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            // Rising, below zero at 0, above zero at 1.
            let term = |(at, word): (usize, u32)| match at % 8 {
                0 => -share(word),
                1 => 1.0 + share(word),
                _ => share(word),
            };
            s.input(HostBuffer::F64(words(8 * n, 1).enumerate().map(term).collect()));
            s.output(F64, n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "clip_polygons",
        "geometry",
        [3_000, 80_000, 800_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(6 * n, -0.5, 1.5, 1));
            s.output(F32, n, Check::Sum);
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
];
