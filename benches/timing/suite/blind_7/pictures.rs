//! Pictures, and steps on grids and volumes.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_7/pictures");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "tone_map",
        "colours",
        [8_000, 200_000, 6_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(3 * n, 0.0, 8.0, 1));
            s.output(U8, 4 * n, Check::Sum);
            s.float(0.7);
            s.float(4.0);
            s.each(n);
        },
    ),
    kernel("smooth_27", "volumes", [24, 90, 220], &[[32, 4, 2], [16, 6, 3]], |s, n| {
        s.input(floats(n * n * n, 0.0, 1.0, 1));
        s.output(F32, n * n * n, Check::Sum);
        for weight in [0.2, 0.06, 0.02, 0.025] {
            s.float(weight);
        }
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel("sandpile_step", "automata", [150, 800, 6_500], &[[32, 8, 1], [40, 6, 1]], |s, n| {
        let grains = |word: u32| (word % 7) as u8;
        s.input(HostBuffer::U8(words(n * n, 1).map(grains).collect()));
        s.output(U8, n * n, Check::Bits);
        s.output(U32, 1, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("weno_rows", "stencils", [120, 600, 3_400], &[[64, 4, 1], [96, 2, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(0.4);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("prolong_grid", "grids", [60, 300, 1_600], &[[32, 8, 1], [48, 4, 1]], |s, n| {
        let side = 2 * n - 1;
        s.input(doubles(n * n, 1));
        s.changed(doubles(side * side, 2), Check::Sum);
        s.int(n);
        s.plane(side, side);
    }),
    kernel(
        "seam_costs",
        "dynamic programming",
        [10, 200, 5_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            const HEIGHT: u32 = 64;
            let width = s.block[0];
            s.input(bytes(n * width * HEIGHT, 1));
            s.output(Element::I32, n * width, Check::Bits);
            s.int(HEIGHT);
            s.blocks(n);
            s.shared(8 * (width + 2));
        },
    ),
    kernel(
        "stack_frames",
        "sorting networks",
        [6_000, 150_000, 2_500_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(u32s(8 * n, 1));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "optical_flow",
        "image filters",
        [90, 300, 2_200],
        &[[16, 16, 1], [32, 6, 1]],
        |s, n| {
            s.input(floats(n * n, 0.0, 1.0, 1));
            s.input(floats(n * n, 0.0, 1.0, 2));
            s.output(F32, 2 * n * n, Check::Sum);
            s.int(n);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel("tile_equalise", "image filters", [6, 30, 200], &[[256, 1, 1], [160, 1, 1]], |s, n| {
        let side = 32 * n;
        let grey = |word: u32| 60 + (word >> 24) as u8 / 3;
        s.input(HostBuffer::U8(words(side * side, 1).map(grey).collect()));
        s.output(U8, side * side, Check::Bits);
        s.int(side);
        s.grid([n, n, 1]);
    }),
];
