//! Streams, strides, gathers, scatters, layouts, compaction, scans, checksums and histograms.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_11/layouts");

const F32: Element = Element::F32;
const U16: Element = Element::U16;
const U32: Element = Element::U32;

/// Places for `n` words in pages of 16: pages are in random order, and one word in 50 has none.
fn places(n: u32) -> Vec<i32> {
    let keys: Vec<u32> = words(n.div_ceil(16), 1).collect();
    let mut pages: Vec<u32> = (0..n.div_ceil(16)).collect();
    pages.par_sort_unstable_by_key(|&page| (keys[page as usize], page));
    let place = |(at, word): (usize, u32)| {
        if word.is_multiple_of(50) { -1 } else { (pages[at / 16] * 16) as i32 + at as i32 % 16 }
    };
    words(n, 2).enumerate().map(place).collect()
}

/// Times of payments in a year: most are between 8 and 20 o'clock.
fn paid(word: u32) -> u32 {
    let day = fraction(word, 365);
    let hour = match word & 7 {
        0 => word >> 3 & 7,
        _ => 8 + fraction(word.rotate_left(12), 12),
    };
    1_700_006_400 + day * 86_400 + hour * 3_600 + fraction(word.rotate_left(21), 3_600)
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "raid_parity",
        "wide streams",
        [6_000, 250_000, 3_500_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(u32s(6 * 4 * n, 1));
            s.output(U32, 4 * n, Check::Bits);
            s.output(U32, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "matrix_traces",
        "strides",
        [2_000, 25_000, 300_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(400 * n, -1.0, 2.0, 1));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "star_join",
        "gathers",
        [6_000, 600_000, 15_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let (customers, products) = (n / 4, n / 50);
            let sale = |word: u32| {
                let other = (word ^ word >> 16).wrapping_mul(0x45d9_f3b3);
                [fraction(word, customers), fraction(other, products)]
            };
            let product = |word: u32| [100 + fraction(word, 20_000), 70 + (word & 3) * 40];
            s.input(HostBuffer::U32(words(n, 1).flat_map_iter(sale).collect()));
            s.input(HostBuffer::U8(words(n, 2).map(|word| 1 + (word >> 29) as u8).collect()));
            s.input(HostBuffer::U8(words(customers, 3).map(|word| (word >> 27) as u8).collect()));
            s.input(HostBuffer::U32(words(products, 4).flat_map_iter(product).collect()));
            s.output(U32, n, Check::Bits);
            s.int(0x1357_0f31);
            s.each(n);
        },
    ),
    kernel("cache_tokens", "scatters", [100, 6_000, 80_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        let room = n.next_multiple_of(16);
        s.input(u32s(256 * n, 3));
        s.input(HostBuffer::U16(words(512 * n, 4).map(|word| (word >> 16) as u16).collect()));
        s.input(HostBuffer::I32(places(n)));
        s.output(U32, 256 * room, Check::Bits);
        s.output(U16, 512 * room, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "unpack_triangle",
        "layouts",
        [150, 1_200, 6_000],
        &[[32, 8, 1], [32, 12, 1]],
        |s, n| {
            s.input(doubles(n * (n + 1) / 2, 1));
            s.output(Element::F64, n * n, Check::Bits);
            s.int(n);
            s.tiles(n, n, 32);
        },
    ),
    kernel(
        "adjoint_in_place",
        "transposes",
        [150, 1_500, 6_500],
        &[[32, 8, 1], [32, 6, 1]],
        |s, n| {
            let tiles = n.div_ceil(32);
            s.changed(floats(2 * n * n, -1.0, 1.0, 1), Check::Bits);
            s.int(n);
            s.blocks(tiles * (tiles + 1) / 2);
        },
    ),
    kernel("light_cdf", "block scans", [40, 800, 12_000], &[[256, 1, 1], [320, 1, 1]], |s, n| {
        const WIDTH: u32 = 1_500;
        s.input(floats(4 * WIDTH * n, 0.0, 3.0, 1));
        s.output(F32, WIDTH * n, Check::Sum);
        s.output(F32, n, Check::Sum);
        s.int(WIDTH);
        s.shared(4 * WIDTH);
        s.blocks(n);
    }),
    kernel(
        "rows_to_csr",
        "compaction",
        [300, 14_000, 180_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            const WIDTH: u32 = 500;
            // One of eight is not zero.
            let value = |word: u32| match word >> 29 {
                0 => (f32::from(word as u16) + 1.0) / 65_536.0,
                _ => 0.0,
            };
            let dense: Vec<f32> = words(WIDTH * n, 1).map(value).collect();
            let mut entries = 0;
            let starts = dense.chunks(WIDTH as usize).map(|row| {
                let start = entries;
                entries += row.iter().filter(|value| **value > 0.0).count() as i32;
                start
            });
            let starts = starts.collect();
            s.input(HostBuffer::F32(dense));
            s.input(HostBuffer::I32(starts));
            s.output(U16, entries as u32, Check::Bits);
            s.output(F32, entries as u32, Check::Bits);
            s.int(WIDTH);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "adler_last_block",
        "last block",
        [8_000, 1_000_000, 24_000_000],
        &[[256, 1, 1], [416, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(2 * s.block[0]).min(528);
            s.input(bytes(16 * n, 1));
            s.scratch(Element::U64, 2 * blocks);
            s.scratch(U32, 1);
            s.output(U32, 1, Check::Bits);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel(
        "hours_of_week",
        "histograms",
        [20_000, 2_000_000, 50_000_000],
        &[[256, 1, 1], [480, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U32(words(n, 1).map(paid).collect()));
            let amount = |word: u32| fraction(word, 20_000) as u16;
            s.input(HostBuffer::U16(words(n, 2).map(amount).collect()));
            s.output(U32, 168, Check::Bits);
            s.output(Element::U64, 168, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(4 * s.block[0]).min(528));
        },
    ),
];
