//! Particles, motion, layers of networks, rays and boxes.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_5/models");

const F32: Element = Element::F32;
const I32: Element = Element::I32;

/// A number from 0 to 1 out of the bits after the first `shift`.
fn unit(word: u32, shift: u32) -> f32 {
    fraction(word << shift, 1_024) as f32 / 1_024.0
}

/// Particles of a square of cells in the order of their cells, two to six in each, and where
/// those of a cell start.
fn liquid(side: u32) -> (HostBuffer, HostBuffer) {
    let mut particles = Vec::new();
    let mut first = vec![0_i32];
    for (cell, word) in (0..side * side).zip(words(side * side, 1).collect::<Vec<_>>()) {
        for k in 0..2 + fraction(word, 5) {
            let word = word.wrapping_mul(2 * k + 3).rotate_left(11);
            particles.push((cell % side) as f32 + unit(word, 0));
            particles.push((cell / side) as f32 + unit(word, 11));
        }
        first.push(particles.len() as i32 / 2);
    }
    (HostBuffer::F32(particles), HostBuffer::I32(first))
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("atom_forces", "all pairs", [800, 5_000, 20_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        let atom = |word: u32| {
            let place = |shift| 24.0 * unit(word.wrapping_mul(0x9e37_79b1), shift);
            [place(0), place(10), place(20), 0.8 + 0.4 * unit(word, 0)]
        };
        s.input(HostBuffer::F32(words(n, 1).flat_map_iter(atom).collect()));
        s.output(F32, 4 * n, Check::Sum);
        s.float(6.25);
        s.each(n);
        s.shared(16 * s.block[0]);
    }),
    kernel(
        "push_charges",
        "particles in cells",
        [20_000, 500_000, 5_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            const SIDE: u32 = 128;
            for stream in 1..3 {
                s.changed(floats(n, 0.0, SIDE as f32 - 0.01, stream), Check::Sum);
            }
            for stream in 3..5 {
                s.changed(floats(n, -1.0, 1.0, stream), Check::Sum);
            }
            s.input(floats(2 * SIDE * SIDE, -1.0, 1.0, 5));
            s.float(0.2);
            s.float(0.05);
            s.int(SIDE);
            s.each(n);
        },
    ),
    kernel(
        "liquid_density",
        "particles in cells",
        [24, 180, 700],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let (particles, first) = liquid(n);
            let many = particles.len() as u32 / 2;
            s.input(particles);
            s.input(first);
            s.output(F32, many, Check::Sum);
            s.int(n);
            s.each(many);
        },
    ),
    kernel(
        "double_pendulums",
        "motion",
        [500, 15_000, 100_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(2 * n, -2.0, 2.0, 1));
            s.output(F32, 2 * n, Check::Sum);
            s.float(0.01);
            s.int(50);
            s.each(n);
        },
    ),
    kernel("attention_scores", "layers", [60, 300, 1_100], &[[16, 16, 1], [24, 24, 1]], |s, n| {
        const WIDTH: u32 = 64;
        const HEADS: u32 = 8;
        let side = s.block[0];
        s.input(floats(HEADS * WIDTH * n, -1.0, 1.0, 1));
        s.input(floats(HEADS * WIDTH * n, -1.0, 1.0, 2));
        s.output(F32, HEADS * n * n, Check::Sum);
        s.int(WIDTH);
        s.int(n);
        s.grid([n.div_ceil(side), n.div_ceil(side), HEADS]);
        s.shared(8 * side * (side + 1));
    }),
    kernel(
        "softmax_gradient",
        "rows",
        [500, 20_000, 150_000],
        &[[32, 8, 1], [32, 5, 1]],
        |s, n| {
            const COLUMNS: u32 = 200;
            s.input(floats(COLUMNS * n, 0.0, 0.01, 1));
            s.input(floats(COLUMNS * n, -1.0, 1.0, 2));
            s.output(F32, COLUMNS * n, Check::Sum);
            s.int(COLUMNS);
            s.int(n);
            s.blocks(n.div_ceil(s.block[1]));
        },
    ),
    kernel(
        "unpack_weights",
        "quantised",
        [40_000, 1_000_000, 8_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.input(floats(n.div_ceil(4), 0.01, 0.1, 2));
            s.output(F32, 8 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("cross_entropy", "rows", [60, 3_000, 40_000], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        const CLASSES: u32 = 1_000;
        s.input(floats(CLASSES * n, -4.0, 4.0, 1));
        s.input(below(n, CLASSES, 2));
        s.output(F32, n, Check::Sum);
        s.int(CLASSES);
        s.blocks(n);
    }),
    kernel(
        "ray_boxes",
        "geometry",
        [2_000, 30_000, 300_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            const BOXES: u32 = 300;
            s.input(floats(3 * n, -40.0, 40.0, 1));
            s.input(floats(3 * n, -1.0, 1.0, 2));
            let corners = words(BOXES, 3).flat_map_iter(|word| {
                let low = [0, 9, 18].map(|shift| 40.0 * unit(word, shift) - 20.0);
                let size = 0.5 + 2.0 * unit(word, 22);
                low.into_iter().chain(low.map(|low| low + size))
            });
            s.input(HostBuffer::F32(corners.collect()));
            s.output(F32, n, Check::Sum);
            s.output(I32, n, Check::Sum);
            s.int(BOXES);
            s.each(n);
        },
    ),
    kernel(
        "visible_spheres",
        "compaction",
        [50_000, 1_500_000, 12_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let sphere = |word: u32| {
                let word = word.wrapping_mul(0x9e37_79b1);
                let place = |shift| 200.0 * unit(word, shift) - 100.0;
                [place(0), place(10), place(20), 0.1 + unit(word, 5)]
            };
            s.input(HostBuffer::F32(words(n, 1).flat_map_iter(sphere).collect()));
            s.output(I32, n, Check::Sorted);
            s.output(Element::U32, 1, Check::Bits);
            s.each(n);
        },
    ),
];
