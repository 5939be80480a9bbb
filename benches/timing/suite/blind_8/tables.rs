//! Tables, graphs, sparse matrices, sorting and searching.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, doubles, floats, fraction, ints, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_8/tables");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// The last end of each part of `ends`, at the middle of the part.
fn last_ends(ends: &[u32], last: &mut [u32]) -> u32 {
    if ends.is_empty() {
        return 0;
    }
    let middle = ends.len() / 2;
    let (low, high) = last.split_at_mut(middle);
    let before = last_ends(&ends[..middle], low);
    let after = last_ends(&ends[middle + 1..], &mut high[1..]);
    high[0] = ends[middle].max(before).max(after);
    high[0]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "hash_groups",
        "tables",
        [8_000, 300_000, 16_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            const KEYS: u32 = 300;
            s.input(below(n, KEYS, 1));
            s.input(below(n, 10_000, 2));
            s.output(U32, KEYS, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(4 * s.block[0]).min(528));
        },
    ),
    kernel(
        "seidel_colour",
        "sparse matrices",
        [2_000, 40_000, 700_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            const COLOURS: u32 = 3;
            const COLOUR: u32 = 1;
            let mut starts = vec![0_i32];
            for word in words(n, 1).collect::<Vec<_>>() {
                starts.push(starts[starts.len() - 1] + 3 + fraction(word, 10) as i32);
            }
            let entries = starts[n as usize] as u32;
            s.input(HostBuffer::I32(starts));
            // An unknown of the two other colours.
            let column = |word: u32| 3 * fraction(word, n) + [0, 2][word as usize % 2];
            s.input(HostBuffer::U32(words(entries, 2).map(column).collect()));
            s.input(doubles(entries, 3));
            s.input(HostBuffer::F64((0..3 * n).map(|k| 14.0 + f64::from(k % 5)).collect()));
            s.input(doubles(3 * n, 4));
            s.changed(doubles(3 * n, 5), Check::Sum);
            s.int(COLOURS);
            s.int(COLOUR);
            s.each(n);
        },
    ),
    kernel(
        "brandes_level",
        "graphs",
        [4_000, 80_000, 1_500_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let _ = rows(s, n, 1, 16);
            s.input(HostBuffer::U8(words(n, 1).map(|word| (word % 3) as u8).collect()));
            s.input(floats(n, 1.0, 9.0, 2));
            s.changed(floats(n, 0.0, 2.0, 3), Check::Sum);
            s.int(1);
            s.each(n);
        },
    ),
    kernel(
        "independent_round",
        "graphs",
        [5_000, 100_000, 2_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let _ = rows(s, n, 2, 9);
            let state = |word: u32| match word % 20 {
                0 => 1,
                1 | 2 => 2,
                _ => 0,
            };
            s.input(HostBuffer::U8(words(n, 1).map(state).collect()));
            s.output(U8, n, Check::Bits);
            s.int(0x5eed);
            s.each(n);
        },
    ),
    kernel(
        "multisplit_eight",
        "sorting",
        [10_000, 400_000, 12_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            // A pile gets about an eighth of the keys, and has room for a quarter.
            let room = n / 4;
            s.input(u32s(n, 1));
            s.output(U32, 8 * room, Check::Sorted);
            s.output(U32, 8, Check::Bits);
            s.int(room);
            s.each(n);
        },
    ),
    kernel(
        "quick_sort_stack",
        "sorting",
        [500, 8_000, 80_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.changed(ints(64 * n, 1_000_000, 1), Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "asof_join",
        "tables",
        [5_000, 150_000, 3_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            const SHARES: u32 = 500;
            const DAY: u32 = 30_000_000;
            let (mut firsts, mut times) = (vec![0], Vec::new());
            for (share, word) in words(SHARES, 1).collect::<Vec<_>>().into_iter().enumerate() {
                let quotes = 200 + fraction(word, 3_000);
                let mut time = 0;
                for step in words(quotes, 2 + share as u64).collect::<Vec<_>>() {
                    time += 1 + fraction(step, 2 * DAY / quotes);
                    times.push(time);
                }
                firsts.push(times.len() as u32);
            }
            let quotes = times.len() as u32;
            s.input(HostBuffer::U32(firsts));
            s.input(HostBuffer::U32(times));
            s.input(floats(quotes, 1.0, 500.0, 1_000));
            let trade =
                |word: u32| [fraction(word, SHARES), fraction(word.wrapping_mul(0x9e37_79b9), DAY)];
            s.input(HostBuffer::U32(words(n, 1_001).flat_map_iter(trade).collect()));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "interval_stabs",
        "trees",
        [1_000, 20_000, 600_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            const MANY: u32 = 16_000;
            let mut begins: Vec<u32> = words(MANY, 1).map(|word| word >> 2).collect();
            begins.sort_unstable();
            let length = |(&begin, word): (&u32, u32)| begin + (word >> (12 + word % 8));
            let ends: Vec<u32> = begins.par_iter().zip(words(MANY, 2)).map(length).collect();
            let mut last = vec![0; MANY as usize];
            last_ends(&ends, &mut last);
            s.input(HostBuffer::U32(begins));
            s.input(HostBuffer::U32(ends));
            s.input(HostBuffer::U32(last));
            s.input(below(n, 1 << 30, 3));
            s.output(U32, n, Check::Bits);
            s.int(MANY);
            s.each(n);
        },
    ),
    kernel(
        "sketch_add",
        "atomics",
        [5_000, 100_000, 2_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            // Small items are more frequent than large ones.
            let item = |word: u32| fraction(word.rotate_left(16), 1 + fraction(word, 200_000));
            s.input(HostBuffer::U32(words(n, 1).map(item).collect()));
            s.output(U32, 4 * 4_096, Check::Bits);
            s.each(n);
        },
    ),
];
