//! Steps on grids, and filters of pictures.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_6/fields");

const F32: Element = Element::F32;
const U8: Element = Element::U8;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("perona_malik", "stencils", [160, 600, 5_000], &[[32, 8, 1], [48, 4, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(25.0);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("derivative_rows", "tiles", [150, 900, 7_000], &[[64, 4, 1], [96, 3, 1]], |s, n| {
        s.input(floats(n * n, -1.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(2.0);
        s.int(n);
        s.int(n);
        s.plane(n, n);
        s.shared(4 * s.block[1] * (s.block[0] + 8));
    }),
    kernel("eikonal_step", "stencils", [200, 1_000, 6_000], &[[32, 8, 1], [32, 6, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 50.0, 1));
        s.input(floats(n * n, 0.5, 20.0, 2));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("forest_fire", "automata", [160, 700, 6_000], &[[16, 16, 1], [32, 5, 1]], |s, n| {
        // Three fifths are trees, and one cell in forty burns.
        let cell = |word: u32| match word % 40 {
            0 => 2,
            1..=24 => 1,
            _ => 0,
        };
        s.input(HostBuffer::U8(words(n * n, 1).map(cell).collect()));
        s.output(U8, n * n, Check::Bits);
        s.int(0x5eed);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("kuwahara", "image filters", [90, 240, 2_500], &[[16, 16, 1], [24, 8, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.output(U8, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "zhang_suen_pass",
        "image filters",
        [150, 700, 6_000],
        &[[32, 8, 1], [64, 3, 1]],
        |s, n| {
            // Shapes of 16 x 16 pixels with some holes.
            let pixel = |(at, word): (usize, u32)| {
                let (x, y) = (at as u32 % n, at as u32 / n);
                let shape = (x / 16 * 37 + y / 16 * 91) % 5 < 3;
                u8::from(shape && !word.is_multiple_of(20))
            };
            s.input(HostBuffer::U8(words(n * n, 1).enumerate().map(pixel).collect()));
            s.output(U8, n * n, Check::Bits);
            s.int(1);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "rgb_to_lab",
        "colours",
        [10_000, 120_000, 5_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(F32, 3 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("line_integral", "gathers", [90, 240, 2_500], &[[16, 8, 1], [32, 7, 1]], |s, n| {
        let side = n as usize;
        let flow = (0..side * side).into_par_iter().flat_map_iter(|at| {
            let (x, y) = ((at % side) as f32 * 0.03, (at / side) as f32 * 0.02);
            [y.sin() + 0.3, x.cos() - 0.2]
        });
        s.input(HostBuffer::F32(flow.collect()));
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "distance_columns",
        "dynamic programming",
        [500, 8_000, 200_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const HEIGHT: u32 = 128;
            let set = |word: u32| u8::from(word.is_multiple_of(30));
            s.input(HostBuffer::U8(words(HEIGHT * n, 1).map(set).collect()));
            s.output(Element::I32, HEIGHT * n, Check::Bits);
            s.int(n);
            s.int(HEIGHT);
            s.threads(n);
        },
    ),
];
