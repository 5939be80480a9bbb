//! Grids, pictures, colours, convolutions and wavelets.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_10/rasters");

const F32: Element = Element::F32;
const U8: Element = Element::U8;

/// A picture of soft waves with some noise: red, green, blue and 255 for each pixel.
fn colours(side: u32) -> HostBuffer {
    let pixel = |(at, word): (usize, u32)| {
        let (x, y) = ((at as u32 % side) as f32, (at as u32 / side) as f32);
        let noise = |shift: u32| (word >> shift & 31) as f32;
        let red = 110.0 + 80.0 * (x / 31.0).sin() + noise(0);
        let green = 100.0 + 60.0 * (y / 19.0 + x / 70.0).cos() + noise(8);
        let blue = 90.0 + 70.0 * ((x + y) / 45.0).sin() + noise(16);
        [red as u8, green as u8, blue as u8, 255]
    };
    HostBuffer::U8(words(side * side, 1).enumerate().flat_map_iter(pixel).collect())
}

/// Cars on ring roads of 5 cells per car: each has its cell among its own five.
fn car(at: usize, word: u32, cars: u32) -> i32 {
    (at as u32 % cars * 5 + fraction(word, 5)) as i32
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("conduct_heat_3d", "stencils", [24, 120, 250], &[[32, 4, 2], [24, 4, 2]], |s, n| {
        let material = |word: u32| if word >> 30 == 0 { 4.0 } else { 0.5 };
        s.input(doubles(n * n * n, 1));
        s.input(HostBuffer::F64(words(n * n * n, 2).map(material).collect()));
        s.output(Element::F64, n * n * n, Check::Sum);
        s.long(0.02_f64.to_bits());
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "unsharp_mask",
        "image filters",
        [120, 900, 2_400],
        &[[32, 8, 1], [24, 8, 1]],
        |s, n| {
            s.input(colours(n));
            s.output(U8, 4 * n * n, Check::Sum);
            s.float(0.8);
            s.int(n);
            s.shared(4 * (s.block[0] + 4) * (s.block[1] + 4));
            s.plane(n, n);
        },
    ),
    kernel(
        "traffic_cars",
        "automata",
        [10_000, 1_000_000, 16_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            const CARS: u32 = 200;
            let places = words(n, 1).enumerate().map(|(at, word)| car(at, word, CARS));
            let speed = |word: u32| fraction(word, 6) as u8;
            s.input(HostBuffer::I32(places.collect()));
            s.input(HostBuffer::U8(words(n, 2).map(speed).collect()));
            s.output(Element::I32, n, Check::Bits);
            s.output(U8, n, Check::Bits);
            s.int(CARS);
            s.int(5 * CARS);
            s.int(0x4000_0000);
            s.int(321);
            s.each(n);
        },
    ),
    kernel("oil_paint", "local arrays", [70, 400, 1_000], &[[32, 4, 1], [24, 8, 1]], |s, n| {
        s.input(colours(n));
        s.output(U8, 4 * n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "chroma_subsample",
        "colours",
        [300, 2_400, 8_000],
        &[[32, 8, 1], [48, 4, 1]],
        |s, n| {
            s.input(colours(n));
            s.output(U8, n * n, Check::Bits);
            s.output(U8, n * n / 4, Check::Bits);
            s.output(U8, n * n / 4, Check::Bits);
            s.int(n);
            s.plane(n / 2, n / 2);
        },
    ),
    kernel("conv_volume", "convolutions", [20, 80, 180], &[[32, 4, 2], [24, 4, 4]], |s, n| {
        s.input(floats(n * n * n, -1.0, 1.0, 1));
        s.input(floats(27 * 4, -0.2, 0.2, 2));
        s.input(floats(4, -0.1, 0.1, 3));
        s.output(F32, 4 * n * n * n, Check::Sum);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel("bc1_decode", "textures", [256, 2_048, 8_192], &[[32, 4, 1], [24, 8, 1]], |s, n| {
        s.input(u32s(n * n / 8, 1));
        s.output(U8, 4 * n * n, Check::Bits);
        s.int(n);
        s.plane(n / 4, n / 4);
    }),
    kernel("wavelet_97", "wavelets", [40, 1_000, 16_000], &[[256, 1, 1], [224, 1, 1]], |s, n| {
        s.input(floats(1_024 * n, -1.0, 1.0, 1));
        s.output(F32, 1_024 * n, Check::Sum);
        s.blocks(n);
    }),
];
