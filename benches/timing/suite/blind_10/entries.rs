//! Sparse matrices, graphs, sets, texts, codes, searches, sorts, bits and sums of items.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, doubles, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel, Setup};
use super::kernel;

module!("blind_10/entries");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U32: Element = Element::U32;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// Two words as one of 64 bits.
fn long(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// A graph with sorted neighbours: about eight are within 16 of a vertex, three are anywhere.
fn neighbours(s: &mut Setup, n: u32) {
    let near = |v: u32, word: u32| {
        let bits = word & again(word);
        (0..32).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| v + bit)
    };
    let row = |(v, word): (usize, u32)| {
        let around = near(v as u32, word).filter(|&at| at >= 16 && at != v as u32 + 16);
        let around = around.map(|at| at - 16).filter(|&at| at < n);
        let far = (0..3).scan(word, |last, _| {
            *last = again(*last);
            Some(fraction(*last, n))
        });
        let mut all: Vec<u32> = around.chain(far).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let all: Vec<Vec<u32>> = words(n, 1).enumerate().map(row).collect();
    let mut starts = vec![0];
    for row in &all {
        starts.push(starts.last().unwrap() + row.len() as i32);
    }
    s.input(HostBuffer::I32(starts));
    s.input(HostBuffer::U32(all.concat()));
}

/// Names of 16 letters.
fn names(n: u32) -> Vec<u8> {
    let letters = |word: u32| {
        std::iter::successors(Some(word), |last| Some(again(*last)))
            .take(16)
            .map(|word| b'a' + (fraction(word, 26) * fraction(word.rotate_left(16), 26) / 26) as u8)
    };
    words(n, 1).flat_map_iter(letters).collect()
}

/// Names that were typed again: some letters differ, and some are swapped.
fn typed(names: &[u8]) -> Vec<u8> {
    let again = |(name, word): (&[u8], u32)| {
        let mut name = name.to_vec();
        if word % 3 < 2 {
            let at = fraction(word, 15) as usize;
            name.swap(at, at + 1);
        }
        if word % 4 < 2 {
            name[fraction(word.rotate_left(9), 16) as usize] = b'e';
        }
        name
    };
    let count = names.len() as u32 / 16;
    names.par_chunks(16).zip(words(count, 2)).flat_map_iter(again).collect()
}

/// What each byte means in base64; 255 if nothing.
fn base64_codes() -> Vec<u8> {
    let mut codes = vec![255; 256];
    for (code, letter) in alphabet().into_iter().enumerate() {
        codes[usize::from(letter)] = code as u8;
    }
    codes
}

/// The 64 letters of base64.
fn alphabet() -> Vec<u8> {
    (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain([b'+', b'/']).collect()
}

/// A code for each of 256 symbols, its length above 16 bits. The early ones are short.
fn codes() -> Vec<u32> {
    let mut next = 0;
    let mut before = 4;
    let code = |symbol: u32| {
        let length = match symbol {
            0..8 => 4,
            8..24 => 6,
            24..56 => 8,
            _ => 11,
        };
        next <<= length - before;
        before = length;
        next += 1;
        length << 16 | (next - 1)
    };
    (0..256).map(code).collect()
}

/// The entry of a sorted table that is at a place of a complete tree with `levels` levels.
fn entry(place: u32, word: u32, levels: u32) -> u32 {
    if place == 0 {
        return 0;
    }
    let level = place.ilog2();
    let rank = ((2 * (place - (1 << level)) + 1) << (levels - 1 - level)) - 1;
    (rank << (32 - levels)) + (word >> levels)
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "jacobi_sparse",
        "sparse matrices",
        [3_000, 100_000, 1_500_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 4, 12);
            let diagonal = |word: u32| 16.0 + f64::from(word >> 29);
            s.input(doubles(entries, 1));
            s.input(HostBuffer::F64(words(n, 2).map(diagonal).collect()));
            s.input(doubles(n, 3));
            s.input(doubles(n, 4));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "bitmap_product",
        "sparse matrices",
        [300, 8_000, 120_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let masks: Vec<u32> = words(32 * n, 1).map(|word| word & again(word)).collect();
            let mut entries = 0;
            let starts = masks.chunks(32).map(|row| {
                let start = entries;
                entries += row.iter().map(|mask| mask.count_ones()).sum::<u32>();
                start
            });
            let starts = starts.collect();
            s.input(HostBuffer::U32(masks));
            s.input(HostBuffer::U32(starts));
            s.input(floats(entries, -1.0, 1.0, 2));
            s.input(floats(1_024, -1.0, 1.0, 3));
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "mutual_edges",
        "graphs",
        [3_000, 100_000, 1_200_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            neighbours(s, n);
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "pointer_doubling",
        "graphs",
        [8_000, 800_000, 16_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let node =
                |(at, word): (usize, u32)| [fraction(word, at as u32) as i32, i32::from(at > 0)];
            s.input(HostBuffer::I32(words(n, 1).enumerate().flat_map_iter(node).collect()));
            s.output(Element::I32, 2 * n, Check::Bits);
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "distinct_pairs",
        "hash tables",
        [4_000, 200_000, 4_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let many = n.isqrt();
            let slots = (2 * n).next_power_of_two();
            let pair = |word: u32| [1 + fraction(word, many), fraction(again(word), many)];
            s.input(HostBuffer::U32(words(n, 1).flat_map_iter(pair).collect()));
            s.output(Element::U64, slots, Check::Sorted);
            s.output(U32, 1, Check::Bits);
            s.int(slots);
            s.each(n);
        },
    ),
    kernel(
        "jaro_names",
        "strings",
        [2_000, 60_000, 800_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let names = names(n);
            let second = typed(&names);
            // Names of 5 to 15 letters, the second up to one letter longer.
            let sizes = |word: u32| {
                let first = 4 + fraction(word, 11) as u8;
                first | (first + (word as u8 & 1)) << 4
            };
            s.input(HostBuffer::U8(names));
            s.input(HostBuffer::U8(second));
            s.input(HostBuffer::U8(words(n, 3).map(sizes).collect()));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "base64_decode",
        "text",
        [6_000, 500_000, 8_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let alphabet = alphabet();
            // One letter of 65 536 is a space.
            let letter = |word: u32| match word as u16 {
                0 => b' ',
                _ => alphabet[(word >> 26) as usize],
            };
            s.input(HostBuffer::U8(words(16 * n, 1).map(letter).collect()));
            s.input(HostBuffer::U8(base64_codes()));
            s.output(U32, 3 * n, Check::Bits);
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "pack_codes",
        "compression",
        [30, 1_500, 30_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let threads = s.block[0];
            let space = threads * 4 * 12 / 32 + 2;
            let symbol = |word: u32| {
                fraction(fraction(word, 1 << 12) * fraction(again(word), 1 << 20), 256) as u8
            };
            s.input(HostBuffer::U8(words(4 * threads * n, 1).map(symbol).collect()));
            s.input(HostBuffer::U32(codes()));
            s.output(U32, space * n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.shared(4 * space);
            s.blocks(n);
        },
    ),
    kernel(
        "eytzinger_search",
        "searches",
        [5_000, 250_000, 5_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let levels = (4 * n).next_power_of_two().ilog2();
            let size = (1 << levels) - 1;
            let tree = words(size + 1, 1).enumerate();
            let tree = tree.map(|(place, word)| entry(place as u32, word, levels));
            s.input(HostBuffer::U32(tree.collect()));
            s.input(u32s(n, 2));
            s.output(U32, n, Check::Bits);
            s.int(size);
            s.each(n);
        },
    ),
    kernel("merge_sort_block", "sorting", [20, 500, 3_000], &[[256, 1, 1], [320, 1, 1]], |s, n| {
        s.input(below(1_024 * n, 100_000, 1));
        s.output(U32, 1_024 * n, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "extract_bits",
        "bit tricks",
        [6_000, 400_000, 4_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            // Masks of about 16 bits.
            let mask = |word: u32| {
                let other = again(word);
                long(word & other, again(other) & word.rotate_left(11))
            };
            let number = |word: u32| long(word, again(word));
            s.input(HostBuffer::U64(words(n, 1).map(number).collect()));
            s.input(HostBuffer::U64(words(n, 2).map(mask).collect()));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "subset_sums",
        "dynamic programming",
        [60, 2_000, 20_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            // All 24 together stay below 4096.
            let weight = |word: u32| 10 + fraction(word, 160);
            s.input(HostBuffer::U32(words(24 * n, 1).map(weight).collect()));
            s.output(U32, n, Check::Bits);
            s.blocks(n);
        },
    ),
];
