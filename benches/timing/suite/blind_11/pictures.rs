//! Grids, fields, pictures and tomography.

use std::f32::consts::PI;

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_11/pictures");

const F32: Element = Element::F32;

/// From 0 to 1.
fn share(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// The distance to the surface of a dented ball, below zero inside.
fn ball(side: u32) -> Vec<f32> {
    let each = |at: u32| {
        let [x, y, z] = [at % side, at / side % side, at / (side * side)]
            .map(|place| place as f32 / side as f32 - 0.5);
        let dent = 0.05 * (20.0 * x).sin() * (25.0 * y).cos();
        (x * x + y * y + z * z).sqrt() - 0.3 + dent * (1.0 - z)
    };
    (0..side * side * side).into_par_iter().map(each).collect()
}

/// Ice in the middle of a plane, with a soft border.
fn seed(side: u32) -> Vec<f32> {
    let each = |(at, word): (usize, u32)| {
        let (x, y) = ((at as u32 % side) as f32, (at as u32 / side) as f32);
        let away = (x - side as f32 / 2.0).hypot(y - side as f32 / 2.0) - side as f32 / 5.0;
        0.5 - 0.5 * (away / 3.0).tanh() + 0.01 * share(word)
    };
    words(side * side, 1).enumerate().map(each).collect()
}

/// A grey picture of waves with some noise.
fn waves(side: u32) -> Vec<u8> {
    let pixel = |(at, word): (usize, u32)| {
        let (x, y) = ((at as u32 % side) as f32, (at as u32 / side) as f32);
        (120.0 + 70.0 * (x / 23.0).sin() * (y / 17.0 + x / 90.0).cos() + 40.0 * share(word)) as u8
    };
    words(side * side, 1).enumerate().map(pixel).collect()
}

/// Centres of superpixels: a colour, and a place that is near the middle of its square.
fn centre(at: usize, word: u32, wide: u32) -> [f32; 5] {
    let part = |shift: u32| (word >> shift & 63) as f32 / 64.0;
    let (x, y) = (at as u32 % wide * 16, at as u32 / wide * 16);
    [part(0), part(6), part(12), x as f32 + 4.0 + 8.0 * part(18), y as f32 + 4.0 + 8.0 * part(24)]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("quantum_step", "stencils", [90, 1_000, 5_000], &[[32, 8, 1], [40, 6, 1]], |s, n| {
        s.changed(floats(n * n, -1.0, 1.0, 1), Check::Sum);
        s.input(floats(n * n, -1.0, 1.0, 2));
        s.input(floats(n * n, 0.0, 0.5, 3));
        s.output(F32, n * n, Check::Sum);
        s.float(0.1);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("curvature_flow", "stencils", [22, 100, 280], &[[32, 4, 2], [20, 5, 2]], |s, n| {
        s.input(HostBuffer::F32(ball(n)));
        s.output(F32, n * n * n, Check::Sum);
        s.float(0.1);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "crystal_growth",
        "phase fields",
        [60, 500, 2_200],
        &[[32, 8, 1], [24, 6, 1]],
        |s, n| {
            let ice = seed(n);
            let heat = ice.iter().map(|ice| 0.6 * ice).collect();
            s.input(HostBuffer::F32(ice));
            s.input(HostBuffer::F32(heat));
            s.output(F32, n * n, Check::Sum);
            s.output(F32, n * n, Check::Sum);
            s.float(0.02);
            s.int(n);
            s.shared(16 * (s.block[0] + 2) * (s.block[1] + 2));
            s.plane(n, n);
        },
    ),
    kernel(
        "recursive_blur",
        "image filters",
        [36, 600, 5_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(n * n, 0.0, 1.0, 1));
            s.output(F32, n * n, Check::Sum);
            s.float(0.05);
            s.float(1.45);
            s.float(-0.5);
            s.int(n);
            s.int(n);
            s.threads(n);
        },
    ),
    kernel("log_polar", "image warps", [90, 900, 6_000], &[[32, 8, 1], [48, 4, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float((0.5 * n as f32).ln() / n as f32);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "gradient_cells",
        "shared atomics",
        [96, 1_000, 6_000],
        &[[32, 8, 1], [56, 8, 1]],
        |s, n| {
            s.input(HostBuffer::U8(waves(n)));
            s.output(F32, n * n / 64 * 9, Check::Sum);
            s.int(n);
            s.shared(4 * 9 * s.block[0] / 8);
            s.plane(n, n);
        },
    ),
    kernel("back_project", "tomography", [40, 250, 1_000], &[[16, 16, 1], [32, 6, 1]], |s, n| {
        let detectors = n + n / 4;
        let turn = |k: u32| {
            let angle = k as f32 * PI / 180.0;
            [angle.cos(), angle.sin()]
        };
        s.input(floats(180 * detectors, -0.5, 1.0, 1));
        s.input(HostBuffer::F32((0..180).flat_map(turn).collect()));
        s.output(F32, n * n, Check::Sum);
        s.int(detectors);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "merge_exposures",
        "pictures",
        [6_000, 400_000, 14_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let response = (0..256).map(|k| 2.2 * ((k as f32 + 0.5) / 256.0).ln());
            s.input(bytes(4 * n, 1));
            s.input(bytes(4 * n, 2));
            s.input(bytes(4 * n, 3));
            s.input(HostBuffer::F32(response.collect()));
            s.output(F32, 4 * n, Check::Sum);
            s.float(1.386);
            s.each(n);
        },
    ),
    kernel("superpixels", "clusters", [80, 800, 4_000], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        let wide = n / 16;
        let centres = words(wide * wide, 2).enumerate();
        let centres = centres.flat_map_iter(|(at, word)| centre(at, word, wide));
        s.input(floats(3 * n * n, 0.0, 1.0, 1));
        s.input(HostBuffer::F32(centres.collect()));
        s.output(Element::U32, n * n, Check::Bits);
        s.output(F32, n * n, Check::Sum);
        s.float(0.002);
        s.int(n);
        s.plane(n, n);
    }),
];
