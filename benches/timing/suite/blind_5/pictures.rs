//! Filters, colours, sizes and shapes of pictures, and pictures of formulas.

use warpscope::work::Element;

use super::super::setup::{bytes, floats, module};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_5/pictures");

const F32: Element = Element::F32;
const U8: Element = Element::U8;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("median_3x3", "filters", [160, 1_000, 4_500], &[[32, 8, 1], [16, 12, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.output(U8, n * n, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "rgb_to_hsv",
        "colours",
        [80_000, 2_000_000, 16_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.input(bytes(3 * n, 1));
            for _ in 0..3 {
                s.output(F32, n, Check::Sum);
            }
            s.each(n);
        },
    ),
    kernel(
        "enlarge_bicubic",
        "resampling",
        [60, 400, 1_300],
        &[[16, 16, 1], [32, 5, 1]],
        |s, n| {
            s.input(floats(n * n, 0.0, 1.0, 1));
            s.output(F32, 9 * n * n, Check::Sum);
            s.float(1.0 / 3.0);
            s.int(n);
            s.int(3 * n);
            s.plane(3 * n, 3 * n);
        },
    ),
    kernel("undistort", "resampling", [200, 1_200, 5_000], &[[32, 8, 1], [32, 12, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(-0.12);
        s.float(0.03);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("blur_tile", "filters", [160, 900, 3_600], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        let [x, y, _] = s.block;
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.plane(n, n);
        s.shared(4 * (2 * x + 6) * (y + 6));
    }),
    kernel("threshold_local", "filters", [100, 700, 2_000], &[[32, 4, 1], [16, 12, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.output(U8, n * n, Check::Bits);
        s.int(5);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "halve_picture",
        "resampling",
        [200, 1_200, 2_500],
        &[[32, 8, 1], [64, 3, 1]],
        |s, n| {
            s.input(bytes(16 * n * n, 1));
            s.output(U8, 4 * n * n, Check::Bits);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel("edge_directions", "filters", [128, 800, 2_800], &[[8, 8, 1], [24, 8, 1]], |s, n| {
        s.input(floats(n * n, 0.0, 1.0, 1));
        s.output(F32, 9 * (n / 8) * (n / 8), Check::Sum);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("newton_fractal", "fractals", [64, 400, 1_600], &[[16, 16, 1], [32, 3, 1]], |s, n| {
        s.output(U8, n * n, Check::Sum);
        s.float(1.5);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("march_rings", "rendering", [64, 360, 1_400], &[[8, 8, 1], [32, 6, 1]], |s, n| {
        s.output(F32, n * n, Check::Sum);
        s.float(0.4);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
];
