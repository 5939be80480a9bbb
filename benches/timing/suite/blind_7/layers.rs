//! Layers of neural networks, and products of matrices.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_7/layers");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "layer_norm_gradient",
        "norms",
        [200, 4_000, 20_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(384 * n, -1.0, 3.0, 1));
            s.input(floats(384 * n, -1.0, 1.0, 2));
            s.input(floats(384, 0.5, 1.5, 3));
            s.output(F32, 384 * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "softmax_halves",
        "half precision",
        [40, 1_000, 12_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            // Pairs of halves between 2 and 4, of either sign.
            let pair = |word: u32| word & 0x83ff_83ff | 0x4000_4000;
            s.input(HostBuffer::U32(words(1024 * n, 1).map(pair).collect()));
            s.output(Element::U16, 2048 * n, Check::Sum);
            s.blocks(n);
        },
    ),
    kernel("adaptive_pool", "pooling", [100, 2_000, 16_000], &[[256, 1, 1], [96, 1, 1]], |s, n| {
        const SIDE: u32 = 37;
        s.input(floats(SIDE * SIDE * n, -1.0, 1.0, 1));
        s.output(F32, 49 * n, Check::Sum);
        s.int(SIDE);
        s.each(49 * n);
    }),
    kernel("conv_transposed", "convolutions", [24, 90, 600], &[[32, 4, 1], [16, 12, 1]], |s, n| {
        const CHANNELS: u32 = 8;
        const FILTERS: u32 = 4;
        s.input(floats(CHANNELS * n * n, 0.0, 1.0, 1));
        s.input(floats(CHANNELS * FILTERS * 16, -0.5, 1.0, 2));
        s.output(F32, FILTERS * 4 * n * n, Check::Sum);
        s.int(CHANNELS);
        s.int(n);
        let [x, y, _] = s.block;
        s.grid([(2 * n).div_ceil(x), (2 * n).div_ceil(y), FILTERS]);
    }),
    kernel(
        "gru_sequence",
        "recurrent layers",
        [10, 120, 3_000],
        &[[64, 1, 1], [96, 1, 1]],
        |s, n| {
            const STEPS: u32 = 24;
            let many = s.block[0];
            s.input(floats(3 * STEPS * many * n, -1.0, 1.0, 1));
            s.input(floats(3 * many * many, -0.2, 0.2, 2));
            s.output(F32, many * n, Check::Sum);
            s.int(STEPS);
            s.blocks(n);
            s.shared(8 * many);
        },
    ),
    kernel(
        "triplet_losses",
        "gathers",
        [300, 8_000, 300_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let pictures = n / 2 + 100;
            s.input(floats(128 * pictures, -1.0, 1.0, 1));
            s.input(below(3 * n, pictures, 2));
            s.output(F32, n, Check::Sum);
            s.float(0.5);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "product_pipelined",
        "matrix products",
        [64, 150, 1_500],
        &[[16, 16, 1], [20, 20, 1]],
        |s, n| {
            s.input(floats(n * n, 0.0, 1.0, 1));
            s.input(floats(n * n, 0.0, 1.0, 2));
            s.output(F32, n * n, Check::Sum);
            s.int(n);
            s.plane(n, n);
            s.shared(16 * s.block[0] * s.block[0]);
        },
    ),
    kernel(
        "power_iteration",
        "small matrices",
        [200, 3_000, 22_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(1024 * n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "hash_grid_encode",
        "gathers",
        [1_000, 20_000, 1_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            const LEVELS: u32 = 8;
            const SIZE: u32 = 1 << 14;
            s.input(floats(3 * n, 0.0, 1.0, 1));
            s.input(floats(2 * LEVELS * SIZE, -1.0, 1.0, 2));
            s.output(F32, 2 * LEVELS * n, Check::Sum);
            s.float(1.5);
            s.int(SIZE);
            s.int(n);
            s.grid([n.div_ceil(s.block[0]), LEVELS, 1]);
        },
    ),
];
