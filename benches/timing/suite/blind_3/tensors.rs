//! Layers forward and backward, short types, pictures, sound.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_3/tensors");

const F32: Element = Element::F32;

/// Words of two random half-precision numbers from -2 to 2.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let half = |word: u32| word & 0x83ff | (11 + (word >> 10 & 15) % 5) << 10;
    let pair = |word: u32| half(word >> 16) << 16 | half(word & 0xffff);
    HostBuffer::U32(words(count, stream).map(pair).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "entropy_gradient",
        "layer",
        [20, 3_000, 60_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            const CLASSES: u32 = 1_000;
            s.input(floats(CLASSES * n, -3.0, 3.0, 1));
            s.input(below(n, CLASSES, 2));
            s.output(F32, CLASSES * n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.int(CLASSES);
            s.blocks(n);
        },
    ),
    kernel("unpool_gradient", "layer", [40, 500, 2_400], &[[32, 8, 1], [16, 16, 1]], |s, n| {
        const CHANNELS: u32 = 4;
        let side = 2 * n + 1;
        s.input(floats(CHANNELS * n * n, 0.0, 1.0, 1));
        let HostBuffer::U32(which) = below(CHANNELS * n * n, 9, 2) else { return };
        s.input(HostBuffer::U8(which.into_par_iter().map(|k| k as u8).collect()));
        s.output(F32, CHANNELS * side * side, Check::Sum);
        s.int(side);
        s.int(n);
        s.volume(n, n, CHANNELS);
    }),
    kernel("dilated_conv", "layer", [200, 20_000, 1_500_000], &[[32, 8, 1], [32, 4, 1]], |s, n| {
        s.input(floats(32 * n, -1.0, 1.0, 1));
        s.input(floats(2 * 32 * 32, -0.1, 0.1, 2));
        s.output(F32, 32 * n, Check::Sum);
        s.int(16);
        s.int(n);
        s.blocks(n.div_ceil(s.block[1]).min(792));
        s.shared(4 * 2 * 32 * 32);
    }),
    kernel(
        "swiglu_halves",
        "half precision",
        [5_000, 400_000, 10_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(halves(4 * n, 1));
            s.input(halves(4 * n, 2));
            s.output(Element::U16, 8 * n, Check::Sum);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
    kernel(
        "stochastic_bf16",
        "short types",
        [10_000, 4_000_000, 60_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.output(Element::U16, n, Check::Bits);
            s.int(12_345);
            s.each(n);
        },
    ),
    kernel("decode_attention", "layer", [8, 200, 3_000], &[[32, 8, 1], [32, 4, 1]], |s, n| {
        const CACHED: u32 = 500;
        s.input(floats(64 * n, -1.0, 1.0, 1));
        s.input(halves(32 * CACHED * n, 2));
        s.input(halves(32 * CACHED * n, 3));
        s.output(F32, 64 * n, Check::Sum);
        s.int(CACHED);
        s.blocks(n);
    }),
    kernel("ctc_alphas", "tables", [10, 1_000, 15_000], &[[64, 1, 1], [96, 1, 1]], |s, n| {
        const STEPS: u32 = 100;
        const SYMBOLS: u32 = 32;
        const LETTERS: u32 = 20;
        s.input(floats(STEPS * SYMBOLS * n, -6.0, -1.0, 1));
        let HostBuffer::U32(texts) = below(LETTERS * n, SYMBOLS - 1, 2) else { return };
        s.input(HostBuffer::U32(texts.into_par_iter().map(|letter| letter + 1).collect()));
        s.output(F32, n, Check::Sum);
        s.int(STEPS);
        s.int(SYMBOLS);
        s.int(LETTERS);
        s.blocks(n);
        s.shared(8 * (2 * LETTERS + 1));
    }),
    kernel(
        "boost_histograms",
        "shared atomics",
        [3_000, 500_000, 10_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            const FEATURES: u32 = 10;
            s.input(bytes(FEATURES * n, 1));
            s.input(floats(2 * n, 0.0, 1.0, 2));
            s.output(F32, 128 * FEATURES, Check::Sum);
            s.int(n);
            s.grid([n.div_ceil(s.block[0]).min(100), FEATURES, 1]);
        },
    ),
    kernel("census_shift", "pictures", [64, 600, 2_000], &[[32, 8, 1], [16, 16, 1]], |s, n| {
        let height = n / 4 * 3;
        s.input(bytes(n * height, 1));
        s.input(bytes(n * height, 2));
        s.output(Element::U8, n * height, Check::Bits);
        s.int(n);
        s.int(height);
        s.plane(n, height);
    }),
    kernel("adpcm", "sound", [500, 50_000, 2_000_000], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        s.input(bytes(32 * n, 1));
        s.output(Element::I16, 64 * n, Check::Bits);
        s.each(n);
    }),
    kernel("comb_reverb", "sound", [300, 20_000, 400_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        const SAMPLES: u32 = 200;
        s.input(floats(SAMPLES * n, -1.0, 1.0, 1));
        let HostBuffer::U32(delays) = below(n, 44, 2) else { return };
        s.input(HostBuffer::U32(delays.into_par_iter().map(|delay| delay + 20).collect()));
        s.output(F32, SAMPLES * n, Check::Sum);
        s.int(SAMPLES);
        s.each(n);
    }),
    kernel("permute_axes", "permutation", [2, 500, 10_000], &[[256, 1, 1], [128, 1, 1]], |s, n| {
        // A tensor of n x 12 x 31 x 17 becomes one of 31 x n x 17 x 12.
        s.input(u32s(n * 12 * 31 * 17, 1));
        s.output(Element::U32, n * 12 * 31 * 17, Check::Bits);
        s.input(HostBuffer::U32(vec![31, n, 17, 12]));
        s.input(HostBuffer::U32(vec![17, 12 * 31 * 17, 1, 31 * 17]));
        s.each(n * 12 * 31 * 17);
    }),
    kernel(
        "normal_matrix",
        "small matrices",
        [5_000, 500_000, 12_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(floats(8 * n, 0.0, 1.0, 1));
            s.output(F32, 36, Check::Sum);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(264));
        },
    ),
    kernel("thin_edges", "pictures", [100, 1_200, 6_000], &[[32, 8, 1], [64, 4, 1]], |s, n| {
        s.input(floats(n * n, -1.0, 1.0, 1));
        s.input(floats(n * n, -1.0, 1.0, 2));
        s.output(Element::U8, n * n, Check::Sum);
        s.float(0.5);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
];
