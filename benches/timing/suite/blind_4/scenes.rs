//! Corners, noise, dither, triangles, splats, meshes, sound.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, floats, fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;
use super::physics::{square_mesh, square_nodes};

module!("blind_4/scenes");

const F32: Element = Element::F32;

/// A number from 0 to 1 out of the bits after the first `shift`.
fn unit(word: u32, shift: u32) -> f32 {
    fraction(word << shift, 1_024) as f32 / 1_024.0
}

/// Corners of triangles up to 14 pixels wide, with a depth each.
fn triangles(count: u32, side: u32) -> HostBuffer {
    let centres: Vec<u32> = words(count, 2).collect();
    let all: Vec<u32> = words(3 * count, 1).collect();
    let corner = |(at, &word): (usize, &u32)| {
        let centre = centres[at / 3];
        let place = |shift: u32| unit(centre, shift) * side as f32 + 14.0 * unit(word, shift) - 7.0;
        [place(0), place(11), 0.1 + unit(word, 22)]
    };
    HostBuffer::F32(all.iter().enumerate().flat_map(corner).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("harris_corners", "pictures", [250, 900, 2_200], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.int(n);
        s.plane(n, n);
        s.shared(4 * (s.block[0] + 4) * (s.block[1] + 4));
    }),
    kernel("nonlocal_means", "pictures", [64, 250, 800], &[[16, 16, 1], [32, 2, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(2.0);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("dither", "pictures", [4, 60, 500], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        const WIDTH: u32 = 128;
        let pixels = n * WIDTH * s.block[0];
        s.scrambled(floats(pixels, 0.0, 1.0, 1));
        s.output(Element::U8, pixels, Check::Sum);
        s.int(WIDTH);
        s.blocks(n);
    }),
    kernel(
        "raster_depth",
        "triangles",
        [1_000, 40_000, 280_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const SIDE: u32 = 1_024;
            s.input(triangles(n, SIDE));
            s.changed(HostBuffer::U64(vec![u64::MAX; (SIDE * SIDE) as usize]), Check::Sum);
            s.int(SIDE);
            s.each(n);
        },
    ),
    kernel(
        "ambient_occlusion",
        "rendering",
        [120, 600, 1_500],
        &[[32, 8, 1], [8, 8, 1]],
        |s, n| {
            s.input(floats(n * n, 1.0, 2.0, 1));
            s.output(F32, n * n, Check::Sum);
            s.float(1.5);
            s.int(n);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel("splat_tiles", "rendering", [4, 14, 34], &[[16, 16, 1]], |s, n| {
        // Splats are near the tile that their number is of, and drawn there and beside.
        const EACH: u32 = 64;
        let (tiles, many) = (n * n, n * n * EACH);
        let mut starts = vec![0_i32];
        let mut order = Vec::new();
        for (tile, word) in (0..tiles).zip(words(tiles, 1).collect::<Vec<_>>()) {
            for k in 0..40 + fraction(word, 260) {
                let near = fraction(word.wrapping_mul(2 * k + 1).rotate_left(9), 2 * EACH);
                order.push((tile * EACH + near) % many);
            }
            starts.push(order.len() as i32);
        }
        s.input(HostBuffer::I32(starts));
        s.input(HostBuffer::U32(order));
        let shape = words(many, 2).flat_map_iter(|word| {
            let size = 0.02 + 0.2 * unit(word, 0);
            [size, 0.01 * unit(word, 8), size, 0.2 + 0.7 * unit(word, 16)]
        });
        s.input(HostBuffer::F32(shape.collect()));
        s.input(floats(4 * many, 0.0, 1.0, 3));
        let centres: Vec<u32> = words(many, 4).collect();
        let centre = |(id, &word): (usize, &u32)| {
            let tile = id as u32 / EACH;
            let off = |at: u32, shift: u32| 16.0 * at as f32 + 32.0 * unit(word, shift) - 8.0;
            [off(tile % n, 0), off(tile / n, 16)]
        };
        s.input(HostBuffer::F32(centres.iter().enumerate().flat_map(centre).collect()));
        s.output(F32, 4 * 256 * tiles, Check::Sum);
        s.int(16 * n);
        s.grid([n, n, 1]);
    }),
    kernel(
        "skin_vertices",
        "animation",
        [100_000, 1_200_000, 4_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            const BONES: u32 = 64;
            s.input(floats(3 * n, -1.0, 1.0, 1));
            s.input(HostBuffer::U32(words(n, 2).map(|word| word & 0x3f3f_3f3f).collect()));
            s.input(floats(4 * n, 0.0, 0.5, 3));
            s.input(floats(12 * BONES, -1.0, 1.0, 4));
            s.output(F32, 3 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("mesh_normals", "meshes", [200, 1_100, 1_900], &[[256, 1, 1], [64, 1, 1]], |s, n| {
        s.input(square_mesh(n));
        s.input(square_nodes(n, true));
        s.output(F32, 3 * (n + 1) * (n + 1), Check::Sum);
        s.each(2 * n * n);
    }),
    kernel(
        "mulaw_expand",
        "sound",
        [1_000_000, 20_000_000, 60_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(bytes(n, 1));
            s.output(Element::I16, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "resample",
        "sound",
        [200_000, 7_000_000, 14_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.input(floats(160 * 16, -0.2, 0.2, 2));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
];
