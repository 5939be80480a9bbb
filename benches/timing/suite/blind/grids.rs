//! Cells of planes and volumes.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind/grids");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("game_of_life", "automaton", [120, 1_500, 4_000], &[[32, 8, 1], [16, 8, 1]], |s, n| {
        let alive = words(n * n, 1).map(|word| u8::from(word >> 30 == 0));
        s.input(HostBuffer::U8(alive.collect()));
        s.output(Element::U8, n * n, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("jacobi_halo", "stencil", [100, 1_200, 4_000], &[[16, 16, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("wave_volume", "stencil", [30, 120, 280], &[[8, 8, 4], [32, 4, 1]], |s, n| {
        s.input(floats(n * n * n, -1.0, 1.0, 1));
        s.input(floats(n * n * n, -1.0, 1.0, 2));
        s.output(F32, n * n * n, Check::Bits);
        s.float(0.1);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel("seismic_columns", "stencil", [40, 120, 300], &[[32, 8, 1], [16, 8, 1]], |s, n| {
        let depth = n / 2;
        s.input(floats(n * n * depth, -1.0, 1.0, 1));
        s.output(F32, n * n * depth, Check::Bits);
        s.int(n);
        s.int(n);
        s.int(depth);
        s.plane(n, n);
    }),
    kernel("lattice_boltzmann", "fluid", [48, 400, 1_200], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        s.input(floats(9 * n * n, 0.05, 0.15, 1));
        s.output(F32, 9 * n * n, Check::Sum);
        s.float(1.7);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("advect", "fluid", [100, 1_000, 3_000], &[[16, 16, 1], [64, 2, 1]], |s, n| {
        s.input(floats(2 * n * n, -3.0, 3.0, 1));
        s.input(floats(n * n, 0.0, 1.0, 2));
        s.output(F32, n * n, Check::Sum);
        s.float(1.5);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("red_black", "relaxation", [100, 1_000, 3_000], &[[32, 8, 1]], |s, n| {
        s.changed(doubles(n * n, 1), Check::Bits);
        s.input(doubles(n * n, 2));
        // A double as its bits.
        s.long(1e-4_f64.to_bits());
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "thomas",
        "lines of unknowns",
        [500, 20_000, 150_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 48;
            s.input(floats(LENGTH * n, -1.0, 0.0, 1));
            s.input(floats(LENGTH * n, 3.0, 4.0, 2));
            s.input(floats(LENGTH * n, -1.0, 0.0, 3));
            s.input(floats(LENGTH * n, 0.0, 1.0, 4));
            s.scratch(F32, LENGTH * n);
            s.output(F32, LENGTH * n, Check::Sum);
            s.int(LENGTH);
            s.each(n);
        },
    ),
    kernel(
        "cyclic_reduction",
        "lines of unknowns",
        [20, 1_000, 8_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            let all = n * s.block[0];
            s.input(doubles(all, 1));
            s.input(HostBuffer::F64(
                words(all, 2).map(|word| 2.5 + f64::from(word) * 1e-10).collect(),
            ));
            s.input(doubles(all, 3));
            s.input(doubles(all, 4));
            s.output(Element::F64, all, Check::Sum);
            s.blocks(n);
            s.shared(32 * s.block[0]);
        },
    ),
    kernel(
        "dilate_rows",
        "image filter",
        [200, 1_500, 5_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(bytes(n * n, 1));
            s.output(Element::U8, n * n, Check::Bits);
            s.int(n);
            s.int(n);
            s.plane(n, n);
            s.shared(s.block[0] + 14);
        },
    ),
    kernel("perlin", "noise", [64, 500, 2_000], &[[16, 16, 1], [32, 32, 1]], |s, n| {
        s.input(bytes(256, 1));
        s.output(F32, n * n, Check::Bits);
        s.float(0.037);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "deposit_charges",
        "scattered atomics",
        [8_000, 400_000, 3_000_000],
        &[[256, 1, 1]],
        |s, n| {
            let side = n.isqrt();
            let HostBuffer::F32(mut charges) = floats(4 * n, 0.0, 1.0, 1) else { return };
            for charge in charges.chunks_exact_mut(4) {
                charge[0] *= (side - 1) as f32;
                charge[1] *= (side - 1) as f32;
            }
            s.input(HostBuffer::F32(charges));
            s.output(F32, side * (side + 1), Check::Sum);
            s.int(side);
            s.each(n);
        },
    ),
];
