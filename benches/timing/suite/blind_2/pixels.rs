//! Pictures, video and what is drawn.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_2/pixels");

const F32: Element = Element::F32;
const U32: Element = Element::U32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("integral_rows", "scan", [40, 1_200, 30_000], &[[256, 1, 1], [1024, 1, 1]], |s, n| {
        const WIDTH: u32 = 1_920;
        s.input(bytes(WIDTH * n, 1));
        s.output(U32, WIDTH * n, Check::Bits);
        s.int(WIDTH);
        s.blocks(n);
    }),
    kernel("integral_columns", "scan", [100, 1_000, 6_000], &[[128, 1, 1], [32, 1, 1]], |s, n| {
        s.changed(below(n * n, 256, 1), Check::Bits);
        s.int(n);
        s.int(n);
        s.threads(n);
    }),
    kernel("box_rows", "strides", [100, 1_000, 4_000], &[[64, 1, 1], [128, 1, 1]], |s, n| {
        const WIDTH: u32 = 512;
        s.input(floats(WIDTH * n, 0.0, 1.0, 1));
        s.output(F32, WIDTH * n, Check::Sum);
        s.int(5);
        s.int(WIDTH);
        s.int(n);
        s.threads(n);
    }),
    kernel("hough_votes", "atomics", [100, 800, 3_000], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        let edges = words(n * n, 1).map(|word| u8::from(fraction(word, 50) == 0));
        let reach = (f64::from(n) * 1.5) as u32;
        let angle = |degrees: u32| f64::from(degrees).to_radians().sin_cos();
        let angles = (0..180).map(angle).flat_map(|(sin, cos)| [cos as f32, sin as f32]);
        s.input(HostBuffer::U8(edges.collect()));
        s.input(HostBuffer::F32(angles.collect()));
        s.output(Element::I32, 180 * 2 * reach, Check::Bits);
        s.int(n);
        s.int(n);
        s.int(reach);
        s.plane(n, n);
    }),
    kernel("demosaic", "image", [120, 1_500, 6_000], &[[32, 8, 1], [8, 8, 1]], |s, n| {
        let raw = words(n * n, 1).map(|word| (word >> 20) as u16);
        s.input(HostBuffer::U16(raw.collect()));
        s.output(U32, n * n, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("nv12_to_rgb", "image", [128, 1_600, 6_000], &[[32, 8, 1], [64, 2, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.input(bytes(n * n / 2, 2));
        s.output(Element::U8, 3 * n * n, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n / 2, n / 2);
    }),
    kernel(
        "blend_over",
        "stream",
        [20_000, 2_000_000, 30_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.changed(u32s(n, 2), Check::Bits);
            s.threads(n);
            s.int(n);
        },
    ),
    kernel("turn_picture", "gather", [120, 1_500, 7_000], &[[16, 16, 1], [128, 1, 1]], |s, n| {
        s.input(u32s(n * n, 1));
        s.output(U32, n * n, Check::Bits);
        s.float(0.5);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("jump_flood", "grid", [120, 1_000, 5_000], &[[16, 16, 1], [32, 16, 1]], |s, n| {
        let seed = |(at, word): (usize, u32)| if word >> 26 == 0 { at as i32 } else { -1 };
        s.input(HostBuffer::I32(words(n * n, 1).enumerate().map(seed).collect()));
        s.output(Element::I32, n * n, Check::Bits);
        s.int(4);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("march_boxes", "rays", [64, 500, 3_000], &[[8, 8, 1], [16, 16, 1]], |s, n| {
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "draw_orbits",
        "atomics",
        [3_000, 60_000, 2_500_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            const SIDE: u32 = 512;
            s.input(floats(2 * n, -2.0, 1.5, 1));
            s.output(U32, SIDE * SIDE, Check::Sum);
            s.int(SIDE);
            s.int(150);
            s.each(n);
        },
    ),
    kernel("worley", "noise", [100, 1_000, 6_000], &[[16, 16, 1], [32, 16, 1]], |s, n| {
        s.output(F32, n * n, Check::Sum);
        s.float(0.037);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("motion_search", "video", [8, 60, 400], &[[128, 1, 1], [256, 1, 1]], |s, n| {
        let (words, height) = (4 * n + 4, 16 * n + 32);
        s.input(u32s(words * height, 1));
        s.input(u32s(words * height, 2));
        s.output(Element::I32, n * n, Check::Bits);
        s.int(words);
        s.int(n);
        s.int(n * n);
        s.threads(32 * n * n);
    }),
];
