//! Pictures, fields, landscapes and signals.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_9/pictures");

const F32: Element = Element::F32;
const U8: Element = Element::U8;

/// A picture of soft waves with some noise, in bytes.
fn picture(side: u32, noise: u32) -> Vec<u8> {
    let pixel = |(at, word): (usize, u32)| {
        let (x, y) = (at as u32 % side, at as u32 / side);
        let wave =
            60.0 * (x as f32 / 17.0).sin() + 50.0 * (y as f32 / 23.0 + x as f32 / 90.0).cos();
        (120.0 + wave) as u8 + fraction(word, noise) as u8
    };
    words(side * side, 1).enumerate().map(pixel).collect()
}

/// For each corner between pixels: the sum of all pixels above and to the left.
fn sums_before(pixels: &[u8], side: u32) -> Vec<u32> {
    let mut sums = vec![0; side as usize + 1];
    for line in pixels.chunks(side as usize) {
        let above = sums.len() - side as usize - 1;
        let mut row = 0;
        sums.push(0);
        for (x, &pixel) in line.iter().enumerate() {
            row += u32::from(pixel);
            sums.push(sums[above + x + 1] + row);
        }
    }
    sums
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "total_variation",
        "stencils",
        [150, 1_000, 3_000],
        &[[32, 8, 1], [24, 8, 1]],
        |s, n| {
            s.input(floats(2 * n * n, -0.5, 0.5, 1));
            s.input(floats(n * n, 0.0, 1.0, 2));
            s.output(F32, 2 * n * n, Check::Sum);
            s.float(8.0);
            s.float(0.125);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "bradley_threshold",
        "pictures",
        [200, 1_800, 3_600],
        &[[32, 8, 1], [24, 8, 1]],
        |s, n| {
            let page = picture(n, 24);
            let sums = sums_before(&page, n);
            s.input(HostBuffer::U8(page));
            s.input(HostBuffer::U32(sums));
            s.output(U8, n * n, Check::Bits);
            s.int(15);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "texture_patterns",
        "shared atomics",
        [160, 960, 3_200],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(picture(n, 5)));
            s.output(Element::U32, (n / 32) * (n / 32) * 10, Check::Bits);
            s.int(n);
            s.grid([n / 32, n / 32, 1]);
        },
    ),
    kernel("arakawa_jacobian", "stencils", [120, 900, 2_400], &[[32, 4, 1], [24, 8, 1]], |s, n| {
        s.input(doubles(n * n, 1));
        s.input(doubles(n * n, 2));
        s.output(Element::F64, n * n, Check::Sum);
        s.long((1.0_f64 / 12.0).to_bits());
        s.int(n);
        s.plane(n, n);
    }),
    kernel("talus_slide", "stencils", [150, 1_000, 2_000], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 10.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(1.5);
        s.float(0.1);
        s.int(n);
        s.shared(4 * (s.block[0] + 2) * (s.block[1] + 2));
        s.plane(n, n);
    }),
    kernel(
        "parabola_distances",
        "local arrays",
        [1_000, 16_000, 60_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const HEIGHT: u32 = 64;
            let cell = |word: u32| if word.is_multiple_of(20) { 0.0 } else { 1_000_000.0 };
            s.input(HostBuffer::F32(words(HEIGHT * n, 1).map(cell).collect()));
            s.output(F32, HEIGHT * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "semiglobal_rows",
        "dynamic programming",
        [60, 900, 5_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const CELLS: u32 = 96 * 64;
            let cost = |word: u32| fraction(word, 120) as u8;
            s.input(HostBuffer::U8(words(CELLS * n, 1).map(cost).collect()));
            s.output(Element::U16, CELLS * n, Check::Bits);
            s.int(8);
            s.int(60);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel("deblock_edges", "video", [480, 3_200, 7_200], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        // Blocks of about the same brightness inside.
        let pixel = |(at, word): (usize, u32)| {
            let (x, y) = (at as u32 % n, at as u32 / n);
            let block = (x / 8).wrapping_mul(0x9e37_79b9) ^ (y / 8).wrapping_mul(0x85eb_ca6b);
            (100 + fraction(block.wrapping_mul(0xc2b2_ae35), 30) + fraction(word, 4)) as u8
        };
        s.changed(HostBuffer::U8(words(n * n, 1).enumerate().map(pixel).collect()), Check::Bits);
        let coarse = |word: u32| 8 + fraction(word, 16) as u8;
        s.input(HostBuffer::U8(words((n / 8) * (n / 8), 2).map(coarse).collect()));
        s.int(n);
        s.plane(n / 8 - 1, n);
    }),
    kernel("range_grid_splat", "atomics", [128, 800, 2_000], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        let wide = n / 16 + 2;
        s.input(HostBuffer::U8(picture(n, 24)));
        s.output(F32, wide * wide * 17 * 2, Check::Sum);
        s.int(wide);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "stockham_radix4",
        "transforms",
        [80, 2_500, 40_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            const POINTS: u32 = 256;
            s.input(floats(2 * POINTS * n, -1.0, 1.0, 1));
            let root = |k: u32| {
                let angle = -std::f64::consts::TAU * f64::from(k) / f64::from(POINTS);
                [angle.cos() as f32, angle.sin() as f32]
            };
            s.input(HostBuffer::F32((0..POINTS).flat_map(root).collect()));
            s.output(F32, 2 * POINTS * n, Check::Sum);
            s.int(n);
            s.threads(64 * n);
        },
    ),
];
