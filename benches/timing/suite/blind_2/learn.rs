//! Steps of learning and of inference.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_2/learn");

const F32: Element = Element::F32;
const I32: Element = Element::I32;

/// Halves from about -2 to 2, as their bits.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let each =
        |word: u32| (((word >> 16) & 0x8000) | (0x2c00 + fraction(word << 1, 0x1400))) as u16;
    HostBuffer::U16(words(count, stream).map(each).collect())
}

/// Pairs of such halves.
fn pairs(count: u32, stream: u64) -> HostBuffer {
    let HostBuffer::U16(all) = halves(2 * count, stream) else { return u32s(count, stream) };
    let pair = |pair: &[u16]| u32::from(pair[0]) | u32::from(pair[1]) << 16;
    HostBuffer::U32(all.chunks_exact(2).map(pair).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "adam_step",
        "stream",
        [20_000, 1_500_000, 20_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.changed(floats(n, -1.0, 1.0, 1), Check::Sum);
            s.input(floats(n, -1.0, 1.0, 2));
            s.changed(floats(n, -0.1, 0.1, 3), Check::Sum);
            s.changed(floats(n, 0.0, 0.1, 4), Check::Sum);
            s.float(0.001);
            s.float(1.2);
            s.float(1.1);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
    kernel("lstm_gates", "layers", [16, 800, 25_000], &[[256, 1, 1], [128, 1, 1]], |s, n| {
        const WIDTH: u32 = 512;
        s.input(floats(4 * WIDTH * n, -2.0, 2.0, 1));
        s.input(floats(4 * WIDTH, -0.5, 0.5, 2));
        s.changed(floats(WIDTH * n, -1.0, 1.0, 3), Check::Sum);
        s.output(F32, WIDTH * n, Check::Sum);
        s.int(WIDTH);
        s.int(n);
        s.grid([WIDTH.div_ceil(s.block[0]), n, 1]);
    }),
    kernel("rotary_halves", "layers", [20, 1_000, 60_000], &[[256, 1, 1], [192, 1, 1]], |s, n| {
        const HEADS: u32 = 12;
        const WIDTH: u32 = 64;
        s.changed(halves(HEADS * WIDTH * n, 1), Check::Sum);
        s.int(HEADS);
        s.int(WIDTH);
        s.int(n);
        s.blocks(n);
    }),
    kernel(
        "route_experts",
        "layers",
        [3_000, 100_000, 1_500_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(floats(16 * n, -3.0, 3.0, 1));
            s.output(I32, 2 * n, Check::Bits);
            s.output(F32, 2 * n, Check::Sum);
            s.output(I32, 16, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "gemv_int4",
        "matrix times vector",
        [200, 8_000, 60_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const COLUMNS: u32 = 2_048;
            s.input(u32s(COLUMNS / 8 * n, 1));
            s.input(floats(COLUMNS / 64 * n, 0.0, 0.1, 2));
            s.input(floats(COLUMNS, -1.0, 1.0, 3));
            s.output(F32, n, Check::Sum);
            s.int(COLUMNS);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "norm_gradients",
        "sums of columns",
        [64, 4_000, 40_000],
        &[[32, 8, 1], [32, 16, 1]],
        |s, n| {
            const COLUMNS: u32 = 1_000;
            s.input(floats(COLUMNS * n, -1.0, 1.0, 1));
            s.input(floats(COLUMNS * n, -1.0, 1.0, 2));
            s.output(F32, COLUMNS, Check::Sum);
            s.output(F32, COLUMNS, Check::Sum);
            s.int(n);
            s.int(COLUMNS);
            s.blocks(COLUMNS.div_ceil(32));
        },
    ),
    kernel(
        "embedding_gradient",
        "atomics",
        [1_000, 30_000, 700_000],
        &[[64, 4, 1], [64, 2, 1]],
        |s, n| {
            s.input(below(n, 10_000, 1));
            s.input(floats(64 * n, -1.0, 1.0, 2));
            s.output(F32, 64 * 10_000, Check::Sum);
            s.int(n);
            s.blocks(n.div_ceil(s.block[1]));
        },
    ),
    kernel("overlap_masks", "pairs", [500, 5_000, 20_000], &[[64, 1, 1]], |s, n| {
        let HostBuffer::F32(mut boxes) = floats(4 * n, 0.0, 1.0, 1) else { return };
        for corners in boxes.chunks_exact_mut(4) {
            corners[2] = corners[0] + 0.02 + 0.1 * corners[2];
            corners[3] = corners[1] + 0.02 + 0.1 * corners[3];
        }
        let tiles = n.div_ceil(64);
        s.input(HostBuffer::F32(boxes));
        s.output(Element::U64, n * tiles, Check::Bits);
        s.int(n);
        s.grid([tiles, tiles, 1]);
    }),
    kernel("manhattan_pairs", "pairs", [100, 1_200, 4_000], &[[16, 16, 1]], |s, n| {
        s.input(floats(128 * n, -1.0, 1.0, 1));
        s.input(floats(128 * n, -1.0, 1.0, 2));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.tiles(n, n, 16);
    }),
    kernel("pixel_shuffle", "permutation", [1, 24, 300], &[[256, 1, 1], [1024, 1, 1]], |s, n| {
        const SIDE: u32 = 56;
        const CHANNELS: u32 = 16;
        let total = n * 4 * CHANNELS * SIDE * SIDE;
        s.input(floats(total, -1.0, 1.0, 1));
        s.output(F32, total, Check::Bits);
        s.int(CHANNELS);
        s.int(SIDE);
        s.int(SIDE);
        s.each(total);
    }),
    kernel(
        "forest_votes",
        "trees",
        [2_000, 60_000, 1_200_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const TREES: u32 = 32;
            // Limit, then feature and left child in halves of a word.
            let node = |(at, word): (u32, u32)| {
                let limit = 0.1 + (word >> 8) as f32 * (0.8 / 16_777_216.0);
                [limit.to_bits(), (word % 16) | ((at % 511 * 2 + 1) << 16)]
            };
            let nodes: Vec<u32> =
                (0..).zip(words(511 * TREES, 1).collect::<Vec<_>>()).flat_map(node).collect();
            s.input(HostBuffer::U32(nodes));
            s.input(floats(16 * n, 0.0, 1.0, 2));
            s.output(Element::U8, n, Check::Bits);
            s.int(TREES);
            s.each(n);
        },
    ),
    kernel(
        "dropout_residual",
        "stream",
        [20_000, 2_000_000, 20_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(pairs(n, 1));
            s.input(pairs(n, 2));
            s.output(Element::U32, n, Check::Bits);
            s.int(77);
            s.each(n);
        },
    ),
];
