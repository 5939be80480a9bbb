//! Water, finite elements, neurons, neutrons, orbits, reactions.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, doubles, floats, fraction, module, rows, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_4/physics");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// Corners of two triangles in every cell of a square with `side` cells a side.
pub(super) fn square_mesh(side: u32) -> HostBuffer {
    let cell = |at: u32| {
        let a = at / side * (side + 1) + at % side;
        let (b, c, d) = (a + 1, a + side + 1, a + side + 2);
        [a, b, d, a, d, c]
    };
    HostBuffer::U32((0..side * side).flat_map(cell).collect())
}

/// Nodes of that mesh, each a little off its place; with `height`, a third coordinate.
pub(super) fn square_nodes(side: u32, height: bool) -> HostBuffer {
    let near: Vec<u32> = words((side + 1) * (side + 1), 3).collect();
    let node = |(at, &word): (usize, &u32)| {
        let (x, y) = (at as u32 % (side + 1), at as u32 / (side + 1));
        let off = |shift: u32| fraction(word << shift, 1000) as f32 / 2_500.0;
        let place = [x as f32 + off(0), y as f32 + off(11), off(21)];
        place.into_iter().take(if height { 3 } else { 2 })
    };
    HostBuffer::F32(near.iter().enumerate().flat_map(node).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("swe_step", "water", [400, 1_700, 3_000], &[[32, 8, 1], [16, 16, 1]], |s, n| {
        s.input(floats(n * n, 1.0, 1.5, 1));
        s.input(floats(n * n, -0.1, 0.1, 2));
        s.input(floats(n * n, -0.1, 0.1, 3));
        for _ in 0..3 {
            s.output(F32, n * n, Check::Sum);
        }
        s.float(0.05);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "fem_residual",
        "finite elements",
        [150, 1_200, 1_900],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let nodes = (n + 1) * (n + 1);
            s.input(square_mesh(n));
            s.input(square_nodes(n, false));
            s.input(floats(nodes, 0.0, 1.0, 4));
            s.output(F32, nodes, Check::Sum);
            s.float(1.0);
            s.each(2 * n * n);
        },
    ),
    kernel(
        "structure_factors",
        "crystals",
        [1_000, 8_000, 40_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            const WAVES: u32 = 300;
            s.input(floats(4 * n, 0.0, 1.0, 1));
            s.input(floats(3 * WAVES, -60.0, 60.0, 2));
            s.output(F32, 2 * WAVES, Check::Sum);
            s.int(n);
            s.blocks(WAVES);
        },
    ),
    kernel("moon_orbits", "orbits", [300, 6_000, 60_000], &[[128, 1, 1], [32, 1, 1]], |s, n| {
        s.input(doubles(2 * n, 1));
        s.output(F64, 2 * n, Check::Sum);
        s.output(I32, n, Check::Sum);
        s.long(1.0_f64.to_bits());
        s.each(n);
    }),
    kernel(
        "slab_transport",
        "particle transport",
        [10_000, 150_000, 1_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.output(U32, 64, Check::Sum);
            s.output(U32, 3, Check::Sum);
            s.int(0x1234_5678);
            s.float(6.0);
            s.each(n);
        },
    ),
    kernel("restrict_grid", "multigrid", [40, 100, 150], &[[32, 4, 1], [8, 8, 4]], |s, n| {
        s.input(doubles((2 * n + 1) * (2 * n + 1) * (2 * n + 1), 1));
        s.output(F64, n * n * n, Check::Sum);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "hodgkin_huxley",
        "neurons",
        [500, 12_000, 60_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(floats(n, 0.0, 20.0, 1));
            s.output(F32, n, Check::Sum);
            s.output(I32, n, Check::Sum);
            s.float(0.02);
            s.each(n);
        },
    ),
    kernel(
        "spike_delivery",
        "neurons",
        [20_000, 100_000, 400_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let synapses = rows(s, n, 40, 60);
            s.input(floats(synapses, 0.0, 1.0, 1));
            s.input(below(n / 3, n, 2));
            s.output(F32, n, Check::Sum);
            s.int(n / 3);
            s.threads(32 * (n / 3));
        },
    ),
    kernel(
        "flame_chemistry",
        "chemistry",
        [20_000, 500_000, 1_200_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.input(doubles(6 * n, 2));
            s.output(F64, 6 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("pair_histogram", "pairs", [500, 2_500, 7_000], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        for stream in 1..4 {
            s.input(floats(n, 0.0, 1.0, stream));
        }
        s.output(U32, 64, Check::Sum);
        s.float(0.5);
        s.int(n);
        s.threads(n);
        s.shared(12 * s.block[0]);
    }),
];
