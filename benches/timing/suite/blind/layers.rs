//! Dense algebra in other forms, and the layers of networks.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind/layers");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("product_doubles", "matrix product", [40, 250, 600], &[[16, 16, 1]], |s, n| {
        s.input(doubles(n * n, 1));
        s.input(doubles(n * n, 2));
        s.output(Element::F64, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("product_registers", "matrix product", [64, 512, 1_536], &[[256, 1, 1]], |s, n| {
        s.input(floats(n * n, -1.0, 1.0, 1));
        s.input(floats(n * n, -1.0, 1.0, 2));
        s.output(F32, n * n, Check::Bits);
        s.int(n);
        s.tiles(n, n, 64);
    }),
    kernel("product_halves", "tensor cores", [64, 256, 768], &[[128, 1, 1]], |s, n| {
        s.input(halves(n * n, 1));
        s.input(halves(n * n, 2));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.tiles(n, n, 32);
    }),
    kernel(
        "cholesky_small",
        "small matrices",
        [100, 5_000, 40_000],
        &[[32, 1, 1], [64, 1, 1]],
        |s, n| {
            // Large diagonals make the matrices positive definite.
            let HostBuffer::F32(mut all) = floats(256 * n, 0.0, 1.0, 1) else { return };
            all.chunks_exact_mut(256).for_each(|one| (0..16).for_each(|i| one[17 * i] += 16.0));
            s.input(HostBuffer::F32(all));
            s.output(F32, 256 * n, Check::Sum);
            s.blocks(n);
        },
    ),
    kernel("lu_update", "matrix step", [100, 1_000, 4_000], &[[32, 8, 1], [16, 8, 1]], |s, n| {
        s.changed(
            HostBuffer::F64(words(n * n, 1).map(|word| 1.0 + f64::from(word) * 1e-9).collect()),
            Check::Sum,
        );
        s.int(n / 10);
        s.int(n);
        s.plane(n - n / 10, n - n / 10);
    }),
    kernel(
        "invert_4x4",
        "small matrices",
        [3_000, 150_000, 1_500_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            let HostBuffer::F32(mut all) = floats(16 * n, -1.0, 1.0, 1) else { return };
            all.chunks_exact_mut(16).for_each(|one| (0..4).for_each(|i| one[5 * i] += 4.0));
            s.input(HostBuffer::F32(all));
            s.output(F32, 16 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("attention", "attention", [64, 500, 1_500], &[[128, 1, 1]], |s, n| {
        for stream in 1..=3 {
            s.input(floats(64 * n, -1.0, 1.0, stream));
        }
        s.output(F32, 64 * n, Check::Sum);
        s.int(n);
        s.blocks(n);
        s.shared(4 * n);
    }),
    kernel("softmax_online", "rows", [100, 8_000, 60_000], &[[256, 1, 1], [96, 1, 1]], |s, n| {
        s.input(floats(512 * n, -4.0, 4.0, 1));
        s.output(F32, 512 * n, Check::Sum);
        s.int(n);
        s.threads(32 * n);
    }),
    kernel("batch_norm", "layers", [14, 56, 180], &[[256, 1, 1], [512, 1, 1]], |s, n| {
        const CHANNELS: u32 = 64;
        const IMAGES: u32 = 8;
        let pixels = n * n;
        s.input(floats(pixels * CHANNELS * IMAGES, -1.0, 1.0, 1));
        for stream in 2..=5 {
            s.input(floats(CHANNELS, 0.5, 1.0, stream));
        }
        s.output(F32, pixels * CHANNELS * IMAGES, Check::Bits);
        s.int(pixels);
        s.int(CHANNELS);
        s.grid([pixels.div_ceil(2 * s.block[0]), CHANNELS, IMAGES]);
    }),
    kernel("conv_channels", "layers", [24, 112, 320], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        s.input(floats(16 * n * n, -1.0, 1.0, 1));
        s.input(floats(16 * 16 * 9, -1.0, 1.0, 2));
        s.output(F32, 16 * n * n, Check::Bits);
        s.int(n);
        s.volume(n, n, 16);
    }),
    kernel("depthwise", "layers", [14, 100, 300], &[[192, 1, 1], [64, 1, 1]], |s, n| {
        let channels = s.block[0];
        s.input(floats(channels * n * n, -1.0, 1.0, 1));
        s.input(floats(9 * channels, -1.0, 1.0, 2));
        s.output(F32, channels * n * n, Check::Bits);
        s.int(n);
        s.int(channels);
        s.blocks(n * n);
    }),
    kernel("max_pool", "layers", [28, 160, 560], &[[256, 1, 1], [1024, 1, 1]], |s, n| {
        const PLANES: u32 = 64;
        let total = PLANES * (n / 2) * (n / 2);
        s.input(floats(PLANES * n * n, -1.0, 1.0, 1));
        s.output(F32, total, Check::Bits);
        s.int(n);
        s.int(n);
        s.int(total);
        s.threads(total);
    }),
    kernel("im2col", "layers", [20, 100, 300], &[[256, 1, 1], [512, 1, 1]], |s, n| {
        const CHANNELS: u32 = 32;
        s.input(floats(CHANNELS * n * n, -1.0, 1.0, 1));
        s.output(F32, 9 * CHANNELS * n * n, Check::Bits);
        s.int(n);
        s.int(CHANNELS);
        s.threads(CHANNELS * n * n);
    }),
    kernel(
        "embedding_bags",
        "gather and scatter",
        [300, 20_000, 150_000],
        &[[64, 4, 1], [64, 1, 1]],
        |s, n| {
            const ROWS: u32 = 400_000;
            // A tenth of the places is empty; low words are more frequent.
            let word = |word: u32| {
                let row = fraction(word, 1 << 16);
                if word.trailing_zeros() >= 4 {
                    -1
                } else {
                    ((u64::from(row * (row >> 5)) * u64::from(ROWS)) >> 27) as i32 % ROWS as i32
                }
            };
            s.input(floats(64 * ROWS, -1.0, 1.0, 1));
            s.input(HostBuffer::I32(words(20 * n, 2).map(word).collect()));
            s.output(F32, 64 * n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[1]));
        },
    ),
    kernel("quantise_rows", "rows", [40, 3_000, 20_000], &[[256, 1, 1]], |s, n| {
        s.input(floats(1024 * n, -3.0, 3.0, 1));
        s.output(Element::U8, 1024 * n, Check::Bits);
        s.output(F32, n, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "gelu_bias",
        "layers",
        [4_000, 300_000, 3_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.changed(floats(4 * n, -3.0, 3.0, 1), Check::Sum);
            s.input(floats(4 * 192, -1.0, 1.0, 2));
            s.int(192);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
];

/// Random halves from -1 to 1: multiples of 2^-9, which are exact.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let half = |word: u32| {
        let size = fraction(word, 512);
        let sign = (word & 1) << 15;
        if size == 0 {
            return sign as u16;
        }
        let exponent = size.ilog2();
        (sign | (exponent + 6) << 10 | (size << (10 - exponent) & 0x3ff)) as u16
    };
    HostBuffer::U16(words(count, stream).map(half).collect())
}
