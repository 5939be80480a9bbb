//! Sparse matrices in other forms, graphs, trees, clusters and cells.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, doubles, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind/graphs");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const I32: Element = Element::I32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "ell_product",
        "sparse product",
        [2_000, 100_000, 1_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            const WIDTH: u32 = 16;
            // Rows have 8 to 16 entries.
            let filled: Vec<u32> = words(n, 1).map(|word| 8 + fraction(word, 9)).collect();
            let column = |(at, word): (usize, u32)| {
                if at as u32 / n < filled[at % n as usize] { fraction(word, n) as i32 } else { -1 }
            };
            s.input(HostBuffer::I32(words(WIDTH * n, 2).enumerate().map(column).collect()));
            s.input(floats(WIDTH * n, -1.0, 1.0, 3));
            s.input(floats(n, -1.0, 1.0, 4));
            s.output(F32, n, Check::Bits);
            s.int(WIDTH);
            s.each(n);
        },
    ),
    kernel(
        "coo_product",
        "sparse product",
        [10_000, 500_000, 5_000_000],
        &[[256, 1, 1]],
        |s, n| {
            let rows = n / 10;
            s.input(HostBuffer::I32((0..n).map(|entry| (entry / 10) as i32).collect()));
            s.input(below(n, rows, 2));
            s.input(doubles(n, 3));
            s.input(doubles(rows, 4));
            s.output(F64, rows, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "sparse_dense",
        "sparse product",
        [500, 20_000, 200_000],
        &[[32, 4, 1], [32, 8, 1]],
        |s, n| {
            let entries = rows(s, n, 5, 30);
            s.input(floats(entries, -1.0, 1.0, 3));
            s.input(floats(32 * n, -1.0, 1.0, 4));
            s.output(F32, 32 * n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[1]));
        },
    ),
    kernel(
        "bfs_queue",
        "graph",
        [5_000, 300_000, 2_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            rows(s, n, 2, 13);
            // A tenth of the vertices waits; they are seen.
            let waiting = n / 10;
            s.input(HostBuffer::I32((0..waiting).map(|vertex| (vertex * 10) as i32).collect()));
            s.changed(
                HostBuffer::I32((0..n).map(|vertex| i32::from(vertex % 10 == 0)).collect()),
                Check::Bits,
            );
            s.output(I32, n, Check::Sorted);
            s.output(I32, 1, Check::Bits);
            s.int(waiting);
            s.threads(waiting);
        },
    ),
    kernel("floyd_warshall", "graph", [128, 1_000, 4_000], &[[256, 1, 1], [1024, 1, 1]], |s, n| {
        s.changed(below(n * n, 1_000, 1), Check::Bits);
        s.int(n / 3);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("union_find", "graph", [4_000, 200_000, 2_000_000], &[[256, 1, 1]], |s, n| {
        let vertices = n * 3 / 4;
        s.input(below(2 * n, vertices, 1));
        s.scrambled(HostBuffer::I32((0..vertices as i32).collect()));
        s.output(I32, 1, Check::Bits);
        s.each(n);
    }),
    kernel("label_rows", "graph", [60, 1_000, 8_000], &[[512, 1, 1]], |s, n| {
        let width = s.block[0];
        let open = words(width * n, 1).map(|word| u8::from(fraction(word, 20) != 0));
        s.input(HostBuffer::U8(open.collect()));
        s.output(I32, width * n, Check::Bits);
        s.int(width);
        s.blocks(n);
        s.shared(4 * width);
    }),
    kernel("cluster_sums", "clusters", [10_000, 500_000, 4_000_000], &[[256, 1, 1]], |s, n| {
        s.input(floats(2 * n, 0.0, 1.0, 1));
        s.input(below(n, 16, 2));
        s.output(F32, 32, Check::Sum);
        s.output(I32, 16, Check::Bits);
        s.int(n);
        s.blocks(n.div_ceil(4 * s.block[0]).min(1_056));
    }),
    kernel("nearest_eight", "clusters", [500, 3_000, 10_000], &[[128, 1, 1]], |s, n| {
        s.input(floats(4 * n, 0.0, 1.0, 1));
        s.input(floats(4 * n, 0.0, 1.0, 2));
        s.output(I32, 8 * n, Check::Bits);
        s.int(n);
        s.each(n);
    }),
    kernel(
        "weighted_votes",
        "64-bit atomics",
        [10_000, 500_000, 5_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(bytes(n, 1));
            s.input(u32s(n, 2));
            s.output(Element::U64, 256, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "bin_maxima",
        "compare and swap",
        [10_000, 400_000, 3_000_000],
        &[[256, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.input(below(n, 4_096, 2));
            s.output(F64, 4_096, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "list_walk",
        "pointers",
        [4_000, 100_000, 1_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            // Pairs of the next node's index and a value.
            let HostBuffer::U32(next) = below(n, n, 1) else { return };
            s.input(HostBuffer::U32(
                next.iter().zip(0..n).flat_map(|(&next, i)| [next, i]).collect(),
            ));
            s.output(Element::I64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "lower_bounds",
        "searches",
        [10_000, 400_000, 4_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let HostBuffer::U32(mut table) = u32s(2 * n, 1) else { return };
            table.par_sort_unstable();
            s.input(HostBuffer::U32(table));
            s.input(u32s(n, 2));
            s.output(I32, n, Check::Bits);
            s.int(2 * n);
            s.each(n);
        },
    ),
    kernel("cell_forces", "cells", [2_000, 40_000, 300_000], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        // About four particles per cell.
        let side = (f64::from(n) / 4.0).cbrt() as u32;
        let HostBuffer::F32(all) = floats(4 * n, 0.0, 1.0, 1) else { return };
        let cell = |p: &[f32; 4]| ((p[2] as u32 * side) + p[1] as u32) * side + p[0] as u32;
        let mut particles: Vec<[f32; 4]> = all
            .chunks_exact(4)
            .map(|p| [p[0] * side as f32, p[1] * side as f32, p[2] * side as f32, p[3]])
            .map(|p| {
                [
                    p[0].min(side as f32 - 0.01),
                    p[1].min(side as f32 - 0.01),
                    p[2].min(side as f32 - 0.01),
                    p[3],
                ]
            })
            .collect();
        particles.par_sort_by_key(cell);
        let mut first = vec![0_i32; (side * side * side) as usize + 1];
        for particle in &particles {
            first[cell(particle) as usize + 1] += 1;
        }
        (1..first.len()).for_each(|at| first[at] += first[at - 1]);
        s.input(HostBuffer::F32(particles.concat()));
        s.input(HostBuffer::I32(first));
        s.output(F32, 4 * n, Check::Sum);
        s.int(side);
        s.each(n);
    }),
    kernel(
        "bucket_append",
        "compaction",
        [10_000, 800_000, 6_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(Element::U32, 16 * n, Check::Sorted);
            s.output(I32, 16, Check::Bits);
            s.int(n);
            s.each(n);
        },
    ),
];
