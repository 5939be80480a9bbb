//! Long arrays: sound, differences, texts, addresses, bytes, rows, filters, bits, small transposes.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_7/columns");

const F32: Element = Element::F32;
const U32: Element = Element::U32;

/// An internet address as 16 bytes of text; one of its parts is too large now and then.
fn address(word: u32) -> [u8; 16] {
    let [a, b, c, d] = word.to_le_bytes().map(u32::from);
    let text = format!("{}.{}.{c}.{}", a + a / 60, b / (1 + c % 20), d % 100);
    let mut bytes = [0; 16];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    bytes
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "mix_tracks",
        "streams",
        [20_000, 500_000, 4_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.input(u32s(2 * n, 1));
            s.input(u32s(2 * n, 2));
            s.output(U32, 2 * n, Check::Bits);
            s.float(0.8);
            s.float(0.5);
            s.each(n);
        },
    ),
    kernel(
        "zigzag_deltas",
        "codes",
        [20_000, 600_000, 12_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            // Numbers of between 2 and 24 bits.
            let value = |word: u32| (word >> (8 + word % 23)) as i32;
            s.input(HostBuffer::I32(words(n, 1).map(value).collect()));
            s.output(U32, n, Check::Bits);
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "upper_words",
        "text",
        [6_000, 200_000, 3_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            // Letters of all kinds, signs, and bytes above 127.
            s.input(u32s(4 * n, 1));
            s.output(U32, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "parse_addresses",
        "text",
        [4_000, 100_000, 5_000_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(address).collect()));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "entropy_last_block",
        "last block",
        [3_000, 100_000, 5_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            // Zero bits are more frequent than ones.
            let text = words(4 * n, 1).zip(words(4 * n, 2)).map(|(one, other)| one & other);
            s.input(HostBuffer::U32(text.collect()));
            s.output(U32, 256, Check::Bits);
            s.scratch(U32, 1);
            s.output(F32, 1, Check::Sum);
            s.int(n);
            s.blocks(n.div_ceil(8 * s.block[0]).min(528));
        },
    ),
    kernel(
        "welford_rows",
        "reductions",
        [40, 1_000, 25_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            const COLUMNS: u32 = 1_000;
            s.input(floats(n * COLUMNS, 2.0, 9.0, 1));
            s.output(F32, 2 * n, Check::Sum);
            s.int(COLUMNS);
            s.blocks(n);
        },
    ),
    kernel("recurrence_scan", "scans", [20, 600, 8_000], &[[256, 1, 1], [288, 1, 1]], |s, n| {
        let many = 4 * s.block[0] * n;
        s.input(floats(many, 0.3, 0.99, 1));
        s.input(floats(many, -1.0, 1.0, 2));
        s.output(F32, many, Check::Sum);
        s.blocks(n);
    }),
    kernel(
        "bit_planes",
        "bit tricks",
        [10_000, 300_000, 6_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(u32s(2 * n, 1));
            s.output(Element::U8, 8 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "transpose_small",
        "transposes",
        [60, 2_000, 25_000],
        &[[128, 1, 1], [240, 1, 1]],
        |s, n| {
            s.input(doubles(240 * n, 1));
            s.output(Element::F64, 240 * n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(4));
        },
    ),
];
