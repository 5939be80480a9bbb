//! Layers of neural networks, mixed precision, and many small systems of equations.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_8/learning");

const F32: Element = Element::F32;

/// A number below 1 with the 16 highest bits of a float.
fn short(word: u32) -> u16 {
    (((word >> 8) as f32 / 16_777_216.0).to_bits() >> 16) as u16
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "product_bf16",
        "matrix products",
        [96, 384, 1_280],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U16(words(n * n, 1).map(short).collect()));
            s.input(HostBuffer::U16(words(n * n, 2).map(short).collect()));
            s.output(F32, n * n, Check::Sum);
            s.int(n);
            s.grid([(n / 2).div_ceil(s.block[0]), n / 8, 1]);
        },
    ),
    kernel(
        "banded_solves",
        "small systems",
        [600, 10_000, 150_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const SIZE: u32 = 24;
            let main = |word: u32| 4.5 + f64::from(word) / 4_294_967_296.0;
            s.input(HostBuffer::F64(words(SIZE * n, 1).map(main).collect()));
            s.input(doubles(SIZE * n, 2));
            s.input(doubles(SIZE * n, 3));
            s.changed(doubles(SIZE * n, 4), Check::Sum);
            s.int(SIZE);
            s.each(n);
        },
    ),
    kernel(
        "fp8_rows",
        "mixed precision",
        [10_000, 300_000, 12_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.input(floats(n.div_ceil(32), 0.01, 0.02, 2));
            s.output(F32, 4 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("paged_scores", "attention", [5, 80, 2_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        const MOST: u32 = 512;
        const PAGES: u32 = 4_096;
        s.input(floats(64 * n, -1.0, 1.0, 1));
        s.input(floats(64 * 16 * PAGES, -1.0, 1.0, 2));
        let page = |word: u32| fraction(word, PAGES) as i32;
        s.input(HostBuffer::I32(words(n * MOST / 16, 3).map(page).collect()));
        let length = |word: u32| 1 + fraction(word, MOST) as i32;
        s.input(HostBuffer::I32(words(n, 4).map(length).collect()));
        s.output(F32, n * MOST, Check::Sum);
        s.int(MOST);
        s.blocks(n);
    }),
    kernel("combine_experts", "layers", [60, 2_000, 24_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        s.input(floats(512 * n, -1.0, 1.0, 1));
        s.input(floats(2 * 512 * n, -1.0, 1.0, 2));
        let place =
            |word: u32| if word.is_multiple_of(10) { -1 } else { fraction(word, 2 * n) as i32 };
        s.input(HostBuffer::I32(words(2 * n, 3).map(place).collect()));
        s.input(floats(2 * n, 0.0, 1.0, 4));
        s.output(F32, 512 * n, Check::Sum);
        s.blocks(n);
    }),
    kernel(
        "grid_sample_gradient",
        "scatters",
        [60, 250, 900],
        &[[32, 8, 1], [24, 8, 1]],
        |s, n| {
            const CHANNELS: u32 = 4;
            s.input(floats(CHANNELS * n * n, 0.0, 1.0, 1));
            // Each pixel comes from a place that is up to three pixels away.
            let from = |(at, word): (usize, u32)| {
                let at = at as u32;
                let away = |half: u32| fraction(half, 1_536) as f32 / 256.0 - 3.0;
                [(at % n) as f32 + away(word), (at / n) as f32 + away(word.rotate_left(16))]
            };
            let places = words(n * n, 2).enumerate().flat_map_iter(from);
            s.input(HostBuffer::F32(places.collect()));
            s.output(F32, CHANNELS * n * n, Check::Sum);
            s.int(CHANNELS);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel("causal_conv", "half precision", [5, 70, 1_500], &[[128, 1, 1], [192, 1, 1]], |s, n| {
        const CHANNELS: u32 = 768;
        // Halves between a quarter and one, of either sign.
        let half = |word: u32| (word >> 16) as u16 & 0x8bff | 0x3400;
        s.input(HostBuffer::U16(words(32 * n * CHANNELS, 1).map(half).collect()));
        s.input(floats(4 * CHANNELS, -1.0, 1.0, 2));
        s.output(Element::U16, 32 * n * CHANNELS, Check::Sum);
        s.int(CHANNELS);
        s.grid([CHANNELS.div_ceil(s.block[0]), n, 1]);
    }),
    kernel("squeeze_excite", "layers", [20, 500, 9_000], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        const PICTURE: u32 = 64 * 49;
        s.input(floats(PICTURE * n, -0.5, 1.0, 1));
        s.input(floats(64 * 16, -0.5, 0.5, 2));
        s.input(floats(16 * 64, -0.5, 0.5, 3));
        s.output(F32, PICTURE * n, Check::Sum);
        s.blocks(n);
    }),
    kernel(
        "wkv_channels",
        "recurrent layers",
        [1_000, 15_000, 250_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const STEPS: u32 = 48;
            const CHANNELS: u32 = 500;
            s.input(floats(STEPS * n, -2.0, 2.0, 1));
            s.input(floats(STEPS * n, 0.0, 1.0, 2));
            s.input(floats(CHANNELS, 0.1, 1.0, 3));
            s.input(floats(CHANNELS, -1.0, 1.0, 4));
            s.output(F32, STEPS * n, Check::Sum);
            s.int(STEPS);
            s.int(CHANNELS);
            s.each(n);
        },
    ),
];
