//! Land, pictures, grids and plane geometry.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_8/grids");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// The triangles of a square of `side` x `side` cells, two in each, and what is behind their edges.
fn mesh(side: i32) -> [Vec<i32>; 2] {
    let (mut triangles, mut neighbours) = (Vec::new(), Vec::new());
    let inside = |x: i32, y: i32, half: i32| {
        let there = (0..side).contains(&x) && (0..side).contains(&y);
        if there { 2 * (y * side + x) + half } else { -1 }
    };
    for y in 0..side {
        for x in 0..side {
            let low = y * (side + 1) + x;
            let high = low + side + 1;
            triangles.extend([low, low + 1, high + 1, low, high + 1, high]);
            neighbours.extend([inside(x, y - 1, 1), inside(x + 1, y, 1), inside(x, y, 1)]);
            neighbours.extend([inside(x, y, 0), inside(x, y + 1, 0), inside(x - 1, y, 0)]);
        }
    }
    [triangles, neighbours]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("hill_shade", "maps", [150, 900, 6_000], &[[32, 8, 1], [48, 5, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 30.0, 1));
        s.output(U8, n * n, Check::Sum);
        s.float(10.0);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("flow_directions", "maps", [150, 800, 4_000], &[[32, 4, 1], [24, 8, 1]], |s, n| {
        s.input(ints(n * n, 5_000, 1));
        s.output(U8, n * n, Check::Bits);
        s.output(U32, 1, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("cahn_hilliard", "stencils", [90, 400, 2_400], &[[32, 8, 1], [16, 10, 1]], |s, n| {
        let share = |word: u32| f64::from(word) / 4_294_967_296.0 - 0.5;
        s.input(HostBuffer::F64(words(n * n, 1).map(share).collect()));
        s.output(Element::F64, n * n, Check::Sum);
        s.long(0.5_f64.to_bits());
        s.long(0.01_f64.to_bits());
        s.int(n);
        s.plane(n, n);
    }),
    kernel("sphere_trace", "rays", [64, 250, 1_500], &[[16, 16, 1], [24, 4, 1]], |s, n| {
        s.output(F32, n * n, Check::Sum);
        s.output(U8, n * n, Check::Sum);
        s.float(1.2);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("co_occurrence", "textures", [3, 20, 90], &[[256, 1, 1], [160, 1, 1]], |s, n| {
        let side = 64 * n;
        s.input(bytes(side * side, 1));
        s.output(U32, 2 * n * n, Check::Bits);
        s.int(side);
        s.grid([n, n, 1]);
    }),
    kernel("bit_quads", "bit tricks", [800, 5_000, 32_000], &[[256, 1, 1], [192, 1, 1]], |s, n| {
        let wide = n / 32;
        s.input(u32s(wide * n, 1));
        s.output(U32, 3, Check::Bits);
        s.int(wide);
        s.int(n);
        s.blocks((wide * (n - 1)).div_ceil(2 * s.block[0]).min(1_056));
    }),
    kernel(
        "segment_crossings",
        "geometry",
        [500, 2_500, 8_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let segment = |word: u32| {
                let from = [word, word.wrapping_mul(0x9e37_79b9)]
                    .map(|half| fraction(half, 60_000) as i32 - 30_000);
                let way = [word.wrapping_mul(0x85eb_ca6b), word.wrapping_mul(0xc2b2_ae35)]
                    .map(|half| fraction(half, 4_001) as i32 - 2_000);
                [from[0], from[1], from[0] + way[0], from[1] + way[1]]
            };
            s.input(HostBuffer::I32(words(n, 1).flat_map_iter(segment).collect()));
            s.output(U32, n, Check::Bits);
            s.each(n);
            s.shared(16 * s.block[0]);
        },
    ),
    kernel(
        "triangle_walk",
        "meshes",
        [2_000, 30_000, 700_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            const SIDE: u32 = 300;
            let near = |word: u32| 0.4 * (word >> 8) as f32 / 16_777_216.0 - 0.2;
            let corner = |(at, word): (usize, u32)| {
                let at = at as u32;
                let turned = word.rotate_left(16);
                [(at % (SIDE + 1)) as f32 + near(word), (at / (SIDE + 1)) as f32 + near(turned)]
            };
            let corners = words((SIDE + 1) * (SIDE + 1), 1).enumerate().flat_map_iter(corner);
            s.input(HostBuffer::F32(corners.collect()));
            let [triangles, neighbours] = mesh(SIDE as i32);
            s.input(HostBuffer::I32(triangles));
            s.input(HostBuffer::I32(neighbours));
            let goal =
                |word: u32| [word << 16, word & 0xffff_0000].map(|half| fraction(half, SIDE * 256));
            let point = |word: u32| goal(word).map(|at| at as f32 / 256.0);
            s.input(HostBuffer::F32(words(n, 2).flat_map_iter(point).collect()));
            // Within ten cells of the point in each direction.
            let start = |word: u32| {
                let [x, y] = goal(word).map(|at| at / 256);
                let [x, y] = [x + word % 21, y + (word >> 8) % 21]
                    .map(|at| at.saturating_sub(10).min(SIDE - 1));
                (2 * (y * SIDE + x)) as i32
            };
            s.input(HostBuffer::I32(words(n, 2).map(start).collect()));
            s.output(Element::I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("mip_levels", "pyramids", [4, 30, 190], &[[256, 1, 1], [96, 1, 1]], |s, n| {
        let side = 32 * n;
        s.input(below_one(side * side));
        s.output(F32, 341 * n * n, Check::Sum);
        s.int(side);
        s.grid([n, n, 1]);
    }),
];

/// Floats of which every sum of a few is exact.
fn below_one(count: u32) -> HostBuffer {
    let HostBuffer::U32(steps) = below(count, 256, 1) else { unreachable!() };
    HostBuffer::F32(steps.into_par_iter().map(|step| step as f32 / 256.0).collect())
}
