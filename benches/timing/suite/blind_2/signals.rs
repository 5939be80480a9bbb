//! Signals, physics on grids and in chains, and prices.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_2/signals");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "biquad_channels",
        "recursive filter",
        [256, 20_000, 500_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const SAMPLES: u32 = 64;
            s.input(floats(SAMPLES * n, -1.0, 1.0, 1));
            s.output(F32, SAMPLES * n, Check::Sum);
            s.int(SAMPLES);
            s.each(n);
        },
    ),
    kernel("goertzel_tones", "filter", [40, 2_000, 50_000], &[[96, 1, 1], [256, 1, 1]], |s, n| {
        const TONES: u32 = 96;
        s.input(floats(256 * n, -1.0, 1.0, 1));
        s.output(F32, TONES * n, Check::Sum);
        s.int(TONES);
        s.blocks(n);
    }),
    kernel(
        "autocorrelate",
        "filter",
        [4_000, 60_000, 1_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.output(F32, 500, Check::Sum);
            s.int(n);
            s.blocks(500);
        },
    ),
    kernel("dft_direct", "transform", [300, 3_000, 20_000], &[[64, 1, 1], [192, 1, 1]], |s, n| {
        s.input(floats(2 * n, -1.0, 1.0, 1));
        s.output(F32, 2 * n, Check::Sum);
        s.each(n);
    }),
    kernel(
        "lorenz_rk4",
        "double precision",
        [1_000, 40_000, 2_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.changed(doubles(3 * n, 1), Check::Sum);
            s.int(50);
            s.each(n);
        },
    ),
    kernel("ising_sweep", "grid", [100, 1_500, 7_000], &[[32, 8, 1], [16, 8, 1]], |s, n| {
        let spins = words(n * n, 1).map(|word| if word >> 31 == 0 { 1 } else { -1 });
        s.changed(HostBuffer::I8(spins.collect()), Check::Bits);
        s.changed(u32s(n * n, 2), Check::Bits);
        s.int(n);
        s.int(1);
        s.float(0.44);
        s.plane(n, n);
    }),
    kernel("yee_electric", "grid", [120, 1_200, 5_000], &[[64, 4, 1], [32, 4, 1]], |s, n| {
        s.changed(doubles(n * n, 1), Check::Sum);
        s.input(doubles(n * n, 2));
        s.input(doubles(n * n, 3));
        s.input(doubles(n * n, 4));
        s.int(n);
        s.plane(n - 1, n - 1);
    }),
    kernel(
        "burgers_limited",
        "grid",
        [20_000, 2_000_000, 20_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(floats(n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Sum);
            s.float(0.3);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0] - 16));
            s.shared(8 * s.block[0]);
        },
    ),
    kernel("binomial_puts", "prices", [16, 500, 12_000], &[[128, 1, 1], [256, 1, 1]], |s, n| {
        const STEPS: u32 = 255;
        s.input(floats(n, 80.0, 120.0, 1));
        s.output(F32, n, Check::Sum);
        s.int(STEPS);
        s.blocks(n);
        s.shared(4 * (STEPS + 1));
    }),
    kernel(
        "bond_yields",
        "prices",
        [2_000, 50_000, 3_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            let bond = |word: u32| {
                let years = 1 + fraction(word, 15);
                let price = 85.0 + (word % 1_000) as f32 / 40.0;
                [price.to_bits(), 4.5_f32.to_bits(), years, 1 + word % 2]
            };
            s.input(HostBuffer::U32(words(n, 1).flat_map_iter(bond).collect()));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
];
