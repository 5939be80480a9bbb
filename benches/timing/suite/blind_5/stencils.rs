//! Stencils in one to three dimensions, convolutions, tables of dynamic programs.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_5/stencils");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("heat_march", "stencils", [48, 160, 320], &[[32, 8, 1], [48, 4, 1]], |s, n| {
        s.input(floats(n * n * n, 0.0, 1.0, 1));
        s.output(F32, n * n * n, Check::Sum);
        s.float(0.1);
        s.int(n);
        s.plane(n - 2, n - 2);
        s.shared(4 * (s.block[0] + 2) * (s.block[1] + 2));
    }),
    kernel(
        "blur_rows",
        "convolutions",
        [30, 1_200, 10_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            const WIDTH: u32 = 1_500;
            s.input(floats(WIDTH * n, 0.0, 1.0, 1));
            s.output(F32, WIDTH * n, Check::Sum);
            s.int(WIDTH);
            s.plane(WIDTH, n);
            s.shared(4 * (s.block[0] + 16));
        },
    ),
    kernel("bend_plate", "stencils", [160, 1_000, 2_600], &[[32, 8, 1], [16, 12, 1]], |s, n| {
        s.input(doubles(n * n, 1));
        s.input(doubles(n * n, 2));
        s.output(Element::F64, n * n, Check::Sum);
        s.long(0.01_f64.to_bits());
        s.int(n);
        s.plane(n - 4, n - 4);
    }),
    kernel(
        "string_steps",
        "waves",
        [40_000, 1_500_000, 12_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.input(floats(n, -1.0, 1.0, 2));
            s.output(F32, n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.float(0.5);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0] - 24));
            s.shared(4 * s.block[0]);
        },
    ),
    kernel("curl_field", "stencils", [48, 144, 256], &[[32, 4, 2], [64, 3, 1]], |s, n| {
        for stream in 1..4 {
            s.input(floats(n * n * n, -1.0, 1.0, stream));
        }
        for _ in 0..3 {
            s.output(F32, n * n * n, Check::Sum);
        }
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "chain_diagonal",
        "dynamic programming",
        [150, 800, 2_500],
        &[[64, 1, 1], [96, 1, 1]],
        |s, n| {
            s.changed(floats(n * n, 1.0, 2.0, 1), Check::Sum);
            s.input(floats(n + 1, 0.5, 1.0, 2));
            s.int(n / 2);
            s.int(n);
            s.threads(n - n / 2);
        },
    ),
    kernel(
        "common_letters",
        "dynamic programming",
        [4_000, 150_000, 1_500_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            let long =
                |word: u32| u64::from(word) << 32 | u64::from(word.wrapping_mul(0x9e37_79b1));
            s.input(HostBuffer::U64(words(2 * n, 1).map(long).collect()));
            s.input(u32s(8 * n, 2));
            s.output(Element::I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("part_metals", "stencils", [120, 800, 2_400], &[[16, 16, 1], [32, 6, 1]], |s, n| {
        s.input(floats(n * n, -1.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(0.01);
        s.float(0.5);
        s.int(n);
        s.plane(n, n);
        s.shared(8 * (s.block[0] + 4) * (s.block[1] + 4));
    }),
    kernel("conv_every_second", "layers", [32, 112, 352], &[[16, 8, 1], [32, 6, 1]], |s, n| {
        const FROM: u32 = 16;
        const TO: u32 = 32;
        s.input(floats(FROM * n * n, -1.0, 1.0, 1));
        s.input(floats(9 * FROM * TO, -0.2, 0.2, 2));
        s.output(F32, TO * n * n / 4, Check::Sum);
        s.int(FROM);
        s.int(n);
        s.grid([(n / 2).div_ceil(s.block[0]), (n / 2).div_ceil(s.block[1]), TO]);
    }),
];
