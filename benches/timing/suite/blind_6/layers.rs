//! Matrix products, and layers of networks.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_6/layers");

const F32: Element = Element::F32;

/// Pairs of halves between 1/8 and 2, of either sign.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let pair = |word: u32| word & 0x8fff_8fff | 0x3000_3000;
    HostBuffer::U32(words(count, stream).map(pair).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "product_split_k",
        "matrix products",
        [48, 112, 1_000],
        &[[16, 16, 1], [12, 12, 1]],
        |s, n| {
            const INNER: u32 = 512;
            const PARTS: u32 = 8;
            s.input(floats(n * INNER, 0.0, 1.0, 1));
            s.input(floats(n * INNER, 0.0, 1.0, 2));
            s.output(F32, n * n, Check::Sum);
            s.int(n);
            s.int(INNER);
            s.int(INNER / PARTS);
            let blocks = n.div_ceil(s.block[0]);
            s.grid([blocks, blocks, PARTS]);
            s.shared(8 * s.block[0] * s.block[0]);
        },
    ),
    kernel(
        "product_complex",
        "matrix products",
        [64, 144, 1_000],
        &[[16, 16, 1], [8, 8, 1]],
        |s, n| {
            s.input(floats(2 * n * n, -1.0, 1.0, 1));
            s.input(floats(2 * n * n, -1.0, 1.0, 2));
            s.output(F32, 2 * n * n, Check::Sum);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "window_attention",
        "attention",
        [200, 1_500, 60_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            for list in 1..4 {
                s.input(floats(64 * n, -1.0, 1.0, list));
            }
            s.output(F32, 64 * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel("group_norm", "norms", [40, 600, 30_000], &[[256, 1, 1], [160, 1, 1]], |s, n| {
        const GROUPS: u32 = 8;
        const CHANNELS: u32 = 8;
        const PIXELS: u32 = 256;
        s.input(floats(n * CHANNELS * PIXELS, -1.0, 3.0, 1));
        s.input(floats(GROUPS * CHANNELS, 0.5, 1.5, 2));
        s.input(floats(GROUPS * CHANNELS, -0.5, 0.5, 3));
        s.output(F32, n * CHANNELS * PIXELS, Check::Sum);
        s.int(GROUPS);
        s.int(CHANNELS);
        s.int(PIXELS);
        s.blocks(n);
    }),
    kernel("gumbel_rows", "sampling", [30, 600, 40_000], &[[128, 1, 1], [288, 1, 1]], |s, n| {
        const COLUMNS: u32 = 1_200;
        s.input(floats(n * COLUMNS, -4.0, 4.0, 1));
        s.output(F32, n, Check::Sum);
        s.scratch(Element::I32, n);
        s.float(0.8);
        s.int(COLUMNS);
        s.blocks(n);
    }),
    kernel(
        "dot_halves",
        "half precision",
        [500, 10_000, 300_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            const LOADS: u32 = 64;
            s.input(halves(4 * LOADS * n, 1));
            s.input(halves(4 * LOADS * n, 2));
            s.output(F32, n, Check::Sum);
            s.int(LOADS);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "adagrad_rows",
        "optimisers",
        [1_000, 25_000, 600_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let rows = (n + n / 2).next_power_of_two();
            // An odd factor gives every number its own row.
            let row = |number: u32| number.wrapping_mul(2_654_435_769) % rows;
            s.input(HostBuffer::U32((0..n).into_par_iter().map(row).collect()));
            s.input(floats(32 * n, -1.0, 1.0, 1));
            s.changed(floats(32 * rows, -1.0, 1.0, 2), Check::Sum);
            s.changed(floats(32 * rows, 0.1, 2.0, 3), Check::Sum);
            s.float(0.05);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel("roi_align", "detection", [12, 150, 10_000], &[[256, 1, 1], [224, 1, 1]], |s, n| {
        const CHANNELS: u32 = 16;
        const SIDE: u32 = 200;
        s.input(floats(CHANNELS * SIDE * SIDE, -1.0, 1.0, 1));
        let values = |word: u32| {
            let part = |shift: u32| (word >> shift & 255) as f32 / 256.0;
            [150.0 * part(0), 150.0 * part(8), 5.0 + 45.0 * part(16), 5.0 + 45.0 * part(24)]
        };
        s.input(HostBuffer::F32(words(n, 2).flat_map_iter(values).collect()));
        s.output(F32, 49 * CHANNELS * n, Check::Sum);
        s.int(CHANNELS);
        s.int(SIDE);
        s.each(49 * CHANNELS * n);
    }),
];
