//! Long arrays: planes of a picture, dates, remainders, norms, scans, transposes, codes, letters.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, doubles, floats, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_6/arrays");

const F32: Element = Element::F32;
const U32: Element = Element::U32;

/// Four letters or spaces; letters early in the alphabet are more frequent.
fn letters(word: u32) -> u32 {
    let letter = |byte: u8| match (u32::from(byte) * u32::from(byte) * 27) >> 16 {
        26 => b' ',
        place => b'a' + place as u8,
    };
    u32::from_le_bytes(word.to_le_bytes().map(letter))
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "pack_pixels",
        "streams",
        [100_000, 3_000_000, 60_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            for plane in 1..4 {
                s.input(bytes(n, plane));
            }
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "date_fields",
        "integer division",
        [50_000, 800_000, 30_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(below(n, 40_000, 1));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "long_remainders",
        "64-bit integers",
        [10_000, 300_000, 8_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(2 * n, 1));
            s.input(u32s(2 * n, 2));
            s.output(U32, 2 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "infinity_norm",
        "reductions",
        [200_000, 4_000_000, 60_000_000],
        &[[256, 1, 1], [416, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.output(U32, 2, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(8 * s.block[0]).min(528));
        },
    ),
    kernel("running_max", "scans", [150, 5_000, 200_000], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        const COLUMNS: u32 = 256;
        s.input(floats(COLUMNS * n, -1.0, 1.0, 1));
        s.output(F32, COLUMNS * n, Check::Bits);
        s.int(COLUMNS);
        s.int(n);
        s.threads(32 * n);
    }),
    kernel(
        "scan_segments",
        "scans",
        [20_000, 500_000, 30_000_000],
        &[[256, 1, 1], [384, 1, 1]],
        |s, n| {
            s.input(ints(n, 100, 1));
            let start = |word: u32| u8::from(word.is_multiple_of(20));
            s.input(HostBuffer::U8(words(n, 2).map(start).collect()));
            s.output(Element::I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "transpose_vectors",
        "transposes",
        [192, 1_200, 8_000],
        &[[16, 16, 1], [32, 6, 1]],
        |s, n| {
            s.input(floats(n * n, -1.0, 1.0, 1));
            s.output(F32, n * n, Check::Bits);
            s.int(n / 4);
            s.plane(n / 4, n / 4);
        },
    ),
    kernel(
        "gray_decode",
        "bit tricks",
        [40_000, 1_000_000, 30_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(u32s(2 * n, 1));
            s.output(U32, 2 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "warp_letters",
        "histograms",
        [30_000, 1_000_000, 40_000_000],
        &[[256, 1, 1], [448, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U32(words(n, 1).map(letters).collect()));
            s.output(U32, 26, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(8 * s.block[0]).min(660));
        },
    ),
];
