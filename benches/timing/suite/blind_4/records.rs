//! Tables, packets, names, prices, caches, genes, words.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_4/records");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;
const U64: Element = Element::U64;

/// Words of five letters, five bits each; vowels are frequent.
fn five_letters(count: u32, stream: u64) -> HostBuffer {
    let letters = |word: u32| {
        (0..5).fold(0, |text, k| {
            let bits = word.rotate_left(6 * k);
            let letter =
                if bits.is_multiple_of(4) { 4 * (bits >> 2 & 3) } else { fraction(bits << 2, 26) };
            text << 5 | letter
        })
    };
    HostBuffer::U32(words(count, stream).map(letters).collect())
}

/// Names of 3 to 16 capital letters, filled with zeros.
fn names(count: u32) -> HostBuffer {
    let letters = words(16 * count, 1).collect::<Vec<_>>();
    let name = |name: &[u32]| {
        let length = 3 + fraction(name[0] << 7, 14) as usize;
        let name = name.iter().enumerate();
        name.map(move |(at, &word)| if at < length { b'A' + fraction(word, 26) as u8 } else { 0 })
            .collect::<Vec<u8>>()
    };
    HostBuffer::U8(letters.chunks_exact(16).flat_map(name).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "filter_revenue",
        "tables",
        [500_000, 5_000_000, 28_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(below(n, 2_500, 1));
            s.input(floats(n, 0.0, 0.1, 2));
            s.input(floats(n, 1.0, 50.0, 3));
            s.input(floats(n, 900.0, 10_000.0, 4));
            s.output(Element::F64, 1, Check::Sum);
            s.int(800);
            s.int(1_165);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
    kernel(
        "dictionary_decode",
        "tables",
        [500_000, 8_000_000, 24_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            const ENTRIES: u32 = 50_000;
            let code = |word| fraction(word, ENTRIES) as u16;
            s.input(HostBuffer::U16(words(n, 1).map(code).collect()));
            s.input(u32s(n.div_ceil(32), 2));
            s.input(HostBuffer::U64(words(ENTRIES, 3).map(|word| u64::from(word) << 7).collect()));
            s.output(U64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "packet_checksums",
        "networks",
        [10_000, 100_000, 300_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            let mut offsets = vec![0_i32];
            let mut end = 0;
            for word in words(n, 1).collect::<Vec<_>>() {
                end += 16 + fraction(word, 360);
                offsets.push(end as i32);
            }
            s.input(u32s(end, 2));
            s.input(HostBuffer::I32(offsets));
            s.output(Element::U16, n, Check::Bits);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "soundex",
        "names",
        [60_000, 3_200_000, 6_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(names(n));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "price_bands",
        "series",
        [1_000, 60_000, 240_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const DAYS: u32 = 128;
            s.input(floats(DAYS * n, 90.0, 110.0, 1));
            s.output(F32, DAYS * n, Check::Sum);
            s.float(0.06);
            s.int(DAYS);
            s.each(n);
        },
    ),
    kernel("cache_sets", "caches", [500, 10_000, 90_000], &[[128, 1, 1], [64, 1, 1]], |s, n| {
        const LENGTH: u32 = 160;
        // Most accesses are to a few lines.
        let access = |word: u32| (word >> 6) & if word.is_multiple_of(4) { 0xffff } else { 0x7ff };
        s.input(HostBuffer::U32(words(LENGTH * n, 1).map(access).collect()));
        s.output(I32, n, Check::Bits);
        s.int(LENGTH);
        s.each(n);
    }),
    kernel(
        "breed",
        "genetic algorithm",
        [2_000, 30_000, 100_000],
        &[[32, 8, 1], [32, 2, 1]],
        |s, n| {
            let mut sum = 0.0;
            let wheel = words(n, 1).map(|word| fraction(word, 64) as f32).collect::<Vec<_>>();
            let add = |fitness: f32| {
                sum += fitness;
                sum
            };
            s.input(HostBuffer::F32(wheel.into_iter().map(add).collect()));
            s.input(floats(64 * n, -1.0, 1.0, 2));
            s.output(F32, 64 * n, Check::Sum);
            s.int(0x51ed_270b);
            s.int(n);
            s.blocks(n.div_ceil(s.block[1]));
        },
    ),
    kernel("guess_entropy", "games", [60, 600, 2_000], &[[128, 1, 1], [256, 1, 1]], |s, n| {
        const ANSWERS: u32 = 2_300;
        s.input(five_letters(n, 1));
        s.input(five_letters(ANSWERS, 2));
        s.output(F32, n, Check::Sum);
        s.int(ANSWERS);
        s.blocks(n);
    }),
    kernel(
        "transpose_sparse",
        "sparse matrices",
        [30_000, 500_000, 1_500_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 4, 9);
            let HostBuffer::U32(columns) = below(entries, n, 11) else { return };
            let mut next = vec![0_i32; n as usize + 1];
            for column in columns {
                next[column as usize + 1] += 1;
            }
            for column in 0..n as usize {
                next[column + 1] += next[column];
            }
            s.input(floats(entries, -1.0, 1.0, 1));
            s.scrambled(HostBuffer::I32(next));
            s.output(I32, entries, Check::Sorted);
            s.output(F32, entries, Check::Sorted);
            s.int(n);
            s.threads(n);
        },
    ),
    kernel(
        "bitmap_query",
        "tables",
        [200_000, 2_000_000, 6_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            for stream in 1..4 {
                s.input(bytes(16 * n, stream));
            }
            s.output(U32, 4 * n, Check::Bits);
            s.output(U64, 1, Check::Bits);
            s.each(n);
        },
    ),
];
