//! Volumes, surfaces, trees of boxes, moments of bodies, waves in solids and the joint brightness
//! of two pictures.

use std::f32::consts::PI;

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_12/meshes");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// From 0 to 1.
fn share(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// The corners of the two triangles of a square of a sheet.
fn square(at: u32, side: u32) -> [u32; 6] {
    let first = at / side * (side + 1) + at % side;
    let below = first + side + 1;
    [first, below, first + 1, first + 1, below, below + 1]
}

/// A corner of a sheet with waves.
fn bump(at: usize, word: u32, side: u32) -> [f32; 3] {
    let (x, y) = ((at as u32 % (side + 1)) as f32, (at as u32 / (side + 1)) as f32);
    [x + 0.3 * share(word), y + 0.3 * share(again(word)), 4.0 * (x / 9.0).sin() * (y / 13.0).cos()]
}

/// A ball somewhere.
fn ball(word: u32) -> [f32; 4] {
    let other = again(word);
    [share(word), share(other), share(again(other)), 0.001 + (word & 15) as f32 / 4_096.0]
}

/// A corner of a ball with dents, from its ring and its place there.
fn dented(ring: u32, place: u32) -> [f32; 4] {
    let (down, around) = (ring as f32 * PI / 12.0, place as f32 * PI / 12.0);
    let radius = 0.7 + 0.1 * (3.0 * around).sin() * down.sin();
    let flat = radius * down.sin();
    [flat * around.cos(), flat * around.sin(), radius * down.cos(), 0.0]
}

/// The corners of the 576 triangles of a ball with dents.
fn dents() -> Vec<f32> {
    let triangles = |at: u32| {
        let (ring, place) = (at / 24, at % 24);
        let [a, b] = [dented(ring, place), dented(ring, place + 1)];
        let [c, d] = [dented(ring + 1, place), dented(ring + 1, place + 1)];
        [a, c, d, a, d, b].concat()
    };
    (0..12 * 24).flat_map(triangles).collect()
}

/// A field that is zero on a surface with many holes.
fn gyroid(side: u32) -> Vec<f32> {
    let each = |at: u32| {
        let [x, y, z] = [at % side, at / side % side, at / (side * side)]
            .map(|place| place as f32 / side as f32 * 25.0);
        x.sin() * y.cos() + y.sin() * z.cos() + z.sin() * x.cos() - 0.2
    };
    (0..side * side * side).into_par_iter().map(each).collect()
}

/// A grey picture of waves with some noise.
fn waves(side: u32, stream: u64) -> Vec<u8> {
    let pixel = |(at, word): (usize, u32)| {
        let (x, y) = ((at as u32 % side) as f32, (at as u32 / side) as f32);
        (110.0 + 90.0 * (x / 47.0).sin() * (y / 61.0 + x / 200.0).cos() + 40.0 * share(word)) as u8
    };
    words(side * side, stream).enumerate().map(pixel).collect()
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("volume_to_bricks", "layouts", [30, 150, 420], &[[256, 1, 1], [192, 1, 1]], |s, n| {
        let wide = n.div_ceil(8);
        let cells = 512 * wide * wide * wide;
        s.input(floats(n * n * n, -1.0, 1.0, 1));
        s.output(F32, cells, Check::Bits);
        s.long(u64::from(cells));
        s.int(wide);
        s.int(n);
        s.threads(cells);
    }),
    kernel(
        "cotangent_weights",
        "float atomics",
        [40, 350, 1_800],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let corners = (n + 1) * (n + 1);
            let squares = (0..n * n).into_par_iter().flat_map_iter(|at| square(at, n));
            let bumps = words(corners, 1).enumerate();
            s.input(HostBuffer::U32(squares.collect()));
            s.input(HostBuffer::F32(bumps.flat_map_iter(|(at, word)| bump(at, word, n)).collect()));
            s.output(F32, 3 * corners, Check::Sum);
            s.output(F32, corners, Check::Sum);
            s.each(2 * n * n);
        },
    ),
    kernel(
        "karras_nodes",
        "trees",
        [4_000, 200_000, 4_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let code = |word: u32| u64::from(word) << 31 | u64::from(again(word) >> 1);
            let mut codes: Vec<u64> = words(n, 1).map(code).collect();
            codes.par_sort_unstable();
            s.input(HostBuffer::U64(codes));
            s.output(I32, 2 * (n - 1), Check::Bits);
            s.output(I32, 2 * n - 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "refit_boxes",
        "trees",
        [4_000, 150_000, 3_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(HostBuffer::F32(words(n, 1).flat_map_iter(ball).collect()));
            s.output(F32, 8 * (2 * n - 1), Check::Bits);
            s.scratch(U32, n);
            s.each(n);
        },
    ),
    kernel(
        "solid_angles",
        "n bodies",
        [1_000, 15_000, 150_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(4 * n, -1.0, 1.0, 1));
            s.input(HostBuffer::F32(dents()));
            s.output(F32, n, Check::Sum);
            s.int(576);
            s.each(n);
        },
    ),
    kernel(
        "inertia_last_block",
        "last block",
        [4_000, 250_000, 12_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(2 * s.block[0]).min(528);
            s.input(floats(9 * n, 0.0, 1.0, 1));
            s.scratch(Element::F64, 10 * blocks);
            s.scratch(U32, 1);
            s.output(Element::F64, 10, Check::Sum);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel("surface_nets", "stencils", [24, 100, 290], &[[32, 4, 2], [20, 4, 3]], |s, n| {
        let wide = n - 1;
        s.input(HostBuffer::F32(gyroid(n)));
        s.output(U8, wide * wide * wide, Check::Bits);
        s.output(F32, 3 * wide * wide * wide, Check::Sum);
        s.int(n);
        s.volume(wide, wide, wide);
    }),
    kernel("elastic_stress", "stencils", [24, 90, 200], &[[32, 4, 2], [24, 5, 2]], |s, n| {
        let cells = n * n * n;
        for stream in 1..4 {
            s.input(floats(cells, -1.0, 1.0, stream));
        }
        s.input(floats(cells, 1.0, 3.0, 4));
        s.input(floats(cells, 0.5, 1.5, 5));
        for stream in 6..12 {
            s.changed(floats(cells, -1.0, 1.0, stream), Check::Sum);
        }
        s.float(0.1);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "joint_intensities",
        "histograms",
        [100, 1_000, 7_500],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(waves(n, 1)));
            s.input(HostBuffer::U8(waves(n, 2)));
            s.output(U32, 64 * 64, Check::Bits);
            s.int(65_454);
            s.int(3_275);
            s.int(n);
            s.blocks((n * n).div_ceil(4 * s.block[0]).min(528));
        },
    ),
];
