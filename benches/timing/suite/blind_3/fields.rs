//! Maps, molecules, rays, series, hidden states, orbits.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, doubles, floats, fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_3/fields");

const F32: Element = Element::F32;

/// A number from 0 to 1.
fn unit(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// Triangles in places of a Morton curve, and the boxes of the complete tree above them.
fn tree(leaves: u32) -> (Vec<f32>, Vec<f32>) {
    let all: Vec<u32> = words(9 * leaves, 1).collect();
    let corners = (0..leaves).zip(all.chunks_exact(9)).flat_map(|(leaf, near)| {
        let mut cell = [0; 3];
        for bit in 0..11 {
            cell[bit % 3] |= (leaf >> bit & 1) << (bit / 3);
        }
        let place = move |(k, &word): (usize, &u32)| cell[k % 3] as f32 + 1.5 * unit(word);
        near.iter().enumerate().map(place)
    });
    let corners: Vec<f32> = corners.collect();
    let inner = leaves as usize - 1;
    let mut boxes = vec![[0.0_f32; 6]; 2 * inner + 1];
    for (triangle, b) in corners.chunks_exact(9).zip(&mut boxes[inner..]) {
        for axis in 0..3 {
            let of = [triangle[axis], triangle[axis + 3], triangle[axis + 6]];
            b[axis] = of.into_iter().fold(f32::MAX, f32::min) - 1e-3;
            b[axis + 3] = of.into_iter().fold(f32::MIN, f32::max) + 1e-3;
        }
    }
    for node in (0..inner).rev() {
        let (left, right) = (boxes[2 * node + 1], boxes[2 * node + 2]);
        for axis in 0..3 {
            boxes[node][axis] = left[axis].min(right[axis]);
            boxes[node][axis + 3] = left[axis + 3].max(right[axis + 3]);
        }
    }
    (boxes.concat(), corners)
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "nearest_city",
        "maps",
        [1_000, 50_000, 1_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const CITIES: u32 = 60;
            s.input(floats(2 * n, -1.4, 1.4, 1));
            s.input(floats(2 * CITIES, -1.4, 1.4, 2));
            s.output(F32, n, Check::Sum);
            s.int(CITIES);
            s.each(n);
        },
    ),
    kernel(
        "verlet_forces",
        "molecules",
        [3_000, 100_000, 1_500_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            const MOST: u32 = 40;
            let side = f64::from(n).cbrt() as u32;
            let jitter: Vec<u32> = words(3 * n, 1).collect();
            let atoms = (0..n).into_par_iter().zip(jitter.par_chunks_exact(3)).flat_map_iter(
                |(i, near)| {
                    let place = |k: usize, cell: u32| 1.1 * cell as f32 + 0.2 * unit(near[k]);
                    let (x, y, z) = (i % side, i / side % side, i / side / side);
                    [place(0, x), place(1, y), place(2, z), 1.0]
                },
            );
            s.input(HostBuffer::F32(atoms.collect()));
            let near = words(MOST * n, 2).enumerate().map(|(k, word)| {
                let steps = [0, 8, 16].map(|shift| fraction(word << shift, 5) + n - 2);
                let by = u64::from(steps[0])
                    + u64::from(steps[1] % n * side % n)
                    + u64::from(steps[2]) % u64::from(n) * u64::from(side * side);
                ((k as u64 + by) % u64::from(n)) as u32
            });
            s.input(HostBuffer::U32(near.collect()));
            s.input(HostBuffer::U32(words(n, 3).map(|word| 20 + fraction(word, 21)).collect()));
            s.output(F32, 4 * n, Check::Sum);
            s.float(6.25);
            s.each(n);
        },
    ),
    kernel(
        "inside_polygon",
        "geometry",
        [4_000, 300_000, 6_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            const CORNERS: u32 = 100;
            s.input(floats(2 * CORNERS, 0.1, 0.9, 1));
            s.int(CORNERS);
            s.input(floats(2 * n, 0.0, 1.0, 2));
            s.output(Element::U8, n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
    kernel("bvh_hits", "rays", [400, 50_000, 800_000], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        const LEAVES: u32 = 2_048;
        let (boxes, corners) = tree(LEAVES);
        s.input(HostBuffer::F32(boxes));
        s.input(HostBuffer::F32(corners));
        let ray = words(n, 2).flat_map_iter(|word| {
            let [a, b, c, d] = word.to_le_bytes().map(|byte| f32::from(byte) / 256.0);
            [16.0 * a, 16.0 * b, -2.0, c - 0.499, d - 0.499, 0.75]
        });
        s.input(HostBuffer::F32(ray.collect()));
        s.output(F32, n, Check::Sum);
        s.int(LEAVES - 1);
        s.each(n);
    }),
    kernel(
        "garch_likelihoods",
        "series",
        [500, 25_000, 400_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const DAYS: u32 = 250;
            s.input(floats(DAYS * n, -2.0, 2.0, 1));
            s.input(floats(n, 0.7, 0.9, 2));
            s.output(F32, n, Check::Sum);
            s.int(DAYS);
            s.each(n);
        },
    ),
    kernel(
        "viterbi_paths",
        "hidden states",
        [60, 4_000, 50_000],
        &[[128, 1, 1], [32, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 64;
            s.input(bytes(LENGTH * n, 1));
            s.input(floats(1_024, -5.0, 0.0, 2));
            s.input(floats(256 * 32, -5.0, 0.0, 3));
            s.scratch(Element::U8, LENGTH * n * 32);
            s.output(Element::U8, LENGTH * n, Check::Bits);
            s.int(LENGTH);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "spin_bodies",
        "particles",
        [8_000, 400_000, 8_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.changed(floats(13 * n, -1.0, 1.0, 1), Check::Sum);
            s.float(0.01);
            s.each(n);
        },
    ),
    kernel("gray_scott", "grid", [100, 1_300, 5_000], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        s.input(floats(2 * n * n, 0.0, 1.0, 1));
        s.output(F32, 2 * n * n, Check::Sum);
        s.float(0.035);
        s.float(0.065);
        s.int(n);
        s.plane(n, n);
        s.shared(8 * (s.block[0] + 2) * (s.block[1] + 2));
    }),
    kernel(
        "incircle",
        "geometry",
        [4_000, 400_000, 12_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            const POINTS: u32 = 100_000;
            s.input(doubles(2 * POINTS, 1));
            s.input(below(4 * n, POINTS, 2));
            s.output(Element::I8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "kepler",
        "double precision",
        [1_000, 100_000, 8_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.input(doubles(n, 2));
            s.output(Element::F64, n, Check::Sum);
            s.each(n);
        },
    ),
];
