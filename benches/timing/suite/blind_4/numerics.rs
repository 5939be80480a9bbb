//! State spaces, convolutions, sampling, solvers, interpolation, warping.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_4/numerics");

const F32: Element = Element::F32;
const F64: Element = Element::F64;

/// Pairs of halves between 1/8 and 2, of either sign.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let pair = |word: u32| word & 0x8fff_8fff | 0x3000_3000;
    HostBuffer::U32(words(count, stream).map(pair).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("state_scan", "layer", [500, 12_000, 100_000], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        const STEPS: u32 = 64;
        s.input(floats(STEPS * n, -1.0, 1.0, 1));
        s.input(floats(STEPS * n, 0.01, 0.2, 2));
        s.input(floats(16 * n, 0.5, 4.0, 3));
        s.input(floats(16 * STEPS, -1.0, 1.0, 4));
        s.input(floats(16 * STEPS, -1.0, 1.0, 5));
        s.output(F32, STEPS * n, Check::Sum);
        s.int(STEPS);
        s.each(n);
    }),
    kernel("winograd_tiles", "layer", [64, 1_000, 3_000], &[[128, 1, 1], [256, 1, 1]], |s, n| {
        const SIDE: u32 = 56;
        const TILES: u32 = SIDE * SIDE / 4;
        s.input(floats(SIDE * SIDE * n, -1.0, 1.0, 1));
        s.output(F32, 16 * TILES * n, Check::Sum);
        s.int(SIDE);
        s.int(TILES);
        s.grid([TILES.div_ceil(s.block[0]), n, 1]);
    }),
    kernel(
        "bias_gradient",
        "layer",
        [2_000, 30_000, 120_000],
        &[[32, 8, 1], [32, 32, 1]],
        |s, n| {
            const COLUMNS: u32 = 512;
            s.input(floats(COLUMNS * n, -1.0, 1.0, 1));
            s.output(F32, COLUMNS, Check::Sum);
            s.int(n);
            s.int(COLUMNS);
            s.grid([COLUMNS / 32, n.div_ceil(16 * s.block[1]).min(64), 1]);
        },
    ),
    kernel("top_p_threshold", "sampling", [8, 200, 1_000], &[[256, 1, 1], [512, 1, 1]], |s, n| {
        const TOKENS: u32 = 4_096;
        s.input(floats(TOKENS * n, 0.0, 2.0 / TOKENS as f32, 1));
        s.output(F32, n, Check::Sum);
        s.float(0.9);
        s.int(TOKENS);
        s.blocks(n);
        s.shared(4 * TOKENS);
    }),
    kernel(
        "prelu_halves",
        "half precision",
        [1_000_000, 10_000_000, 30_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            s.input(halves(n, 1));
            s.input(halves(64, 2));
            s.output(Element::U32, n, Check::Bits);
            s.int(1_568);
            s.int(64);
            s.each(n);
        },
    ),
    kernel(
        "conjugate_step",
        "solver",
        [300_000, 3_000_000, 10_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.changed(doubles(n, 1), Check::Sum);
            s.changed(doubles(n, 2), Check::Sum);
            s.input(doubles(n, 3));
            s.input(doubles(n, 4));
            s.output(F64, 1, Check::Sum);
            s.long(0.3_f64.to_bits());
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(528));
        },
    ),
    kernel("pivot_solves", "solver", [50, 1_500, 9_000], &[[32, 4, 1], [32, 1, 1]], |s, n| {
        s.input(doubles(600 * n, 1));
        s.output(F64, 24 * n, Check::Sum);
        s.int(n);
        s.blocks(n.div_ceil(s.block[1]));
    }),
    kernel(
        "tricubic",
        "volumes",
        [5_000, 150_000, 1_500_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const SIDE: u32 = 256;
            s.input(floats(SIDE * SIDE * SIDE, -1.0, 1.0, 1));
            s.input(floats(3 * n, 0.0, 1.0, 2));
            s.output(F32, n, Check::Sum);
            s.int(SIDE);
            s.each(n);
        },
    ),
    kernel(
        "time_warp",
        "series",
        [8, 200, 600],
        &[[128, 1, 1], [256, 1, 1], [64, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 128;
            s.input(floats(s.block[0] * n, -1.0, 1.0, 1));
            s.input(floats(LENGTH * n, -1.0, 1.0, 2));
            s.output(F32, n, Check::Sum);
            s.int(LENGTH);
            s.blocks(n);
        },
    ),
    kernel("frame_levels", "sound", [200, 20_000, 60_000], &[[256, 1, 1], [128, 1, 1]], |s, n| {
        let size = 4 * s.block[0];
        s.input(floats(size * n, -1.0, 1.0, 1));
        s.output(F32, n, Check::Sum);
        s.int(n);
        s.blocks(n.min(528));
        s.shared(8 * size);
    }),
];
