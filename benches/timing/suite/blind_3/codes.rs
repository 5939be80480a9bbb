//! Parsing, unpacking, ciphers, board games, puzzles.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, fraction, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_3/codes");

const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// A time from 1970 to 2099, as text.
fn time(word: u32) -> [u8; 20] {
    let rest = word.rotate_left(13);
    let of = |by: u32, many: u32, least: u32| rest / by % many + least;
    let (year, month, day) = (1970 + fraction(word, 130), of(7, 12, 1), of(91, 28, 1));
    let (hour, minute, second) = (of(2_531, 24, 0), of(61_001, 60, 0), of(3_700_001, 60, 0));
    let mut text = *b"0000-00-00T00:00:00Z";
    let mut put = |mut at: usize, mut value: u32| {
        while value > 0 {
            at -= 1;
            text[at] = b'0' + (value % 10) as u8;
            value /= 10;
        }
    };
    for (end, value) in [(4, year), (7, month), (10, day), (13, hour), (16, minute), (19, second)] {
        put(end, value);
    }
    text
}

/// A packed block of 256 bytes: literals and copies of random lengths.
fn packed(seed: u32) -> Vec<u8> {
    let (mut out, mut at, mut state) = (Vec::new(), 0, seed | 1);
    let mut next = |end: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        fraction(state, end)
    };
    while at < 256 {
        let literals = (1 + next(9)).min(256 - at);
        at += literals;
        let copy = match 256 - at {
            0..3 => 0,
            left => next(16).min(left - 2),
        };
        out.push((literals << 4 | copy) as u8);
        out.extend((0..literals).map(|_| next(256) as u8));
        if copy > 0 {
            out.push((1 + next(at.min(255))) as u8);
            at += copy + 2;
        }
    }
    out
}

/// The code of a symbol, and its bits: 3, 5, 7 or 9.
fn code(symbol: u32) -> (u32, u32) {
    match symbol {
        0..4 => (symbol, 3),
        4..12 => (0b10 << 3 | (symbol - 4), 5),
        12..28 => (0b110 << 4 | (symbol - 12), 7),
        _ => (0b111 << 6 | (symbol - 28), 9),
    }
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "iso_times",
        "parsing",
        [3_000, 500_000, 20_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(time).collect()));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "lz_unpack",
        "compression",
        [300, 20_000, 400_000],
        &[[64, 1, 1], [128, 1, 1]],
        |s, n| {
            let blocks: Vec<Vec<u8>> = words(n, 1).map(packed).collect();
            let start = |at: &mut i32, block: &Vec<u8>| {
                let start = *at;
                *at += block.len() as i32;
                Some(start)
            };
            let starts = blocks.iter().scan(0, start).collect();
            s.input(HostBuffer::U8(blocks.concat()));
            s.input(HostBuffer::I32(starts));
            s.output(Element::U8, 256 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "prefix_decode",
        "compression",
        [400, 40_000, 1_000_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const EACH: u32 = 64;
            let (mut bits, mut starts, mut at) = (vec![0_u32], Vec::new(), 0_u32);
            let symbols: Vec<u32> = words(EACH * n, 1).collect();
            for chunk in symbols.chunks_exact(EACH as usize) {
                starts.push(at as i32);
                for &word in chunk {
                    // Small symbols are more likely.
                    let (code, length) = code(fraction(word, 92).min(fraction(word << 9, 92)));
                    let free = 32 - at % 32;
                    if length < free {
                        *bits.last_mut().unwrap() |= code << (free - length);
                    } else {
                        *bits.last_mut().unwrap() |= code >> (length - free);
                        bits.push(if length > free { code << (32 + free - length) } else { 0 });
                    }
                    at += length;
                }
            }
            bits.push(0);
            let mut table = vec![0_u16; 512];
            for symbol in 0..92 {
                let (code, length) = code(symbol);
                let first = (code << (9 - length)) as usize;
                table[first..first + (1 << (9 - length))].fill((length << 8 | symbol) as u16);
            }
            s.input(HostBuffer::U32(bits));
            s.input(HostBuffer::I32(starts));
            s.input(HostBuffer::U16(table));
            s.output(Element::U8, EACH * n, Check::Bits);
            s.int(EACH);
            s.each(n);
        },
    ),
    kernel(
        "unpack_frames",
        "compression",
        [20_000, 3_000_000, 60_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(u32s(n / 32 * 13 + 26, 1));
            s.input(ints(n / 128 + 1, 1_000_000, 2));
            s.output(I32, n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
    kernel(
        "siphash",
        "64-bit integers",
        [5_000, 600_000, 20_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(u32s(4 * n, 1));
            s.output(Element::U64, n, Check::Bits);
            s.long(0x0706_0504_0302_0100);
            s.long(0x0f0e_0d0c_0b0a_0908);
            s.each(n);
        },
    ),
    kernel(
        "field_tags",
        "64-bit integers",
        [300, 20_000, 1_000_000],
        &[[64, 1, 1], [256, 1, 1]],
        |s, n| {
            const BLOCKS: u32 = 8;
            s.input(u32s(4 * BLOCKS * n, 1));
            s.output(Element::U64, 2 * n, Check::Bits);
            s.long(0x66e9_4bd4_ef8a_2c3b);
            s.long(0x884c_fa59_ca34_2b2e);
            s.int(BLOCKS);
            s.each(n);
        },
    ),
    kernel(
        "othello_moves",
        "games",
        [4_000, 400_000, 10_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            let mine: Vec<u32> = words(2 * n, 1).zip(words(2 * n, 2)).map(|(a, b)| a & b).collect();
            let theirs = words(2 * n, 3).zip(&mine).map(|(word, mine)| word & !mine).collect();
            s.input(HostBuffer::U32(mine));
            s.input(HostBuffer::U32(theirs));
            s.output(Element::U64, n, Check::Bits);
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "longest_rise",
        "local memory",
        [500, 40_000, 1_500_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(ints(48 * n, 10_000, 1));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("parse_sentences", "tables", [8, 800, 15_000], &[[32, 1, 1], [64, 1, 1]], |s, n| {
        const RULES: u32 = 30;
        let lexicon = words(256, 2).map(|word| 1 << (word >> 28) | 1 << (word >> 24 & 15));
        let rule = words(RULES, 3).flat_map_iter(|word| word.to_le_bytes().map(|byte| byte & 15));
        s.input(bytes(24 * n, 1));
        s.input(HostBuffer::U16(lexicon.collect()));
        s.input(HostBuffer::U8(rule.collect()));
        s.int(RULES);
        s.output(Element::U16, n, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "partitions",
        "recursion",
        [400, 30_000, 500_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(below(n, 13, 1));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("ring_rule", "automata", [64, 10_000, 400_000], &[[32, 4, 1], [32, 8, 1]], |s, n| {
        s.changed(u32s(32 * n, 1), Check::Bits);
        s.int(110);
        s.int(n);
        s.blocks(n.div_ceil(s.block[1]));
    }),
];
