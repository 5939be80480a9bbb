//! Sorting, selecting, scanning, matching and coding.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind/order");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "run_heads",
        "compaction",
        [10_000, 1_000_000, 10_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).map(|word| u8::from(word >> 30 == 0)).collect()));
            s.output(I32, n, Check::Sorted);
            s.output(I32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel("top_eight", "selection", [20, 800, 6_000], &[[256, 1, 1], [128, 1, 1]], |s, n| {
        s.input(floats(2048 * n, 0.0, 1.0, 1));
        s.output(F32, 8 * n, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "odd_even_sort",
        "sorting in a block",
        [20, 200, 1_500],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.changed(u32s(2 * s.block[0] * n, 1), Check::Bits);
            s.blocks(n);
            s.shared(8 * s.block[0]);
        },
    ),
    kernel(
        "digit_counts",
        "histogram",
        [20_000, 2_000_000, 12_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(8 * s.block[0]);
            s.input(u32s(n, 1));
            s.output(I32, 16 * blocks, Check::Bits);
            s.int(12);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel(
        "scan_add",
        "block scan",
        [4_000, 400_000, 4_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(ints(4 * n, 100, 1));
            s.input(ints(n.div_ceil(s.block[0]), 1_000, 2));
            s.output(I32, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "merge_ranks",
        "searches",
        [5_000, 300_000, 3_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            let HostBuffer::U32(mut keys) = u32s(2 * n, 1) else { return };
            keys.par_chunks_mut(n as usize).for_each(<[u32]>::sort_unstable);
            s.input(HostBuffer::U32(keys));
            s.output(U32, 2 * n, Check::Bits);
            s.int(n);
            s.threads(2 * n);
        },
    ),
    kernel(
        "scan_numbers",
        "strings",
        [2_000, 50_000, 400_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            let letter = |word| b"0123456789-.e ,x"[fraction(word, 16) as usize];
            s.input(HostBuffer::U8(words(64 * n, 1).map(letter).collect()));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "bit_distances",
        "strings",
        [3_000, 60_000, 500_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 80;
            // Bit k of word w says that letter k of the pattern is w.
            let pattern: Vec<u32> = words(64, 1).map(|word| word >> 30).collect();
            let mask = |letter| (0..64).filter(|&k| pattern[k] == letter).map(|k| 1_u64 << k).sum();
            s.input(HostBuffer::U64((0..4).map(mask).collect()));
            s.input(HostBuffer::U8(words(LENGTH * n, 2).map(|word| (word >> 30) as u8).collect()));
            s.output(I32, n, Check::Bits);
            s.int(LENGTH);
            s.each(n);
        },
    ),
    kernel(
        "base64",
        "coding",
        [10_000, 800_000, 8_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            s.input(bytes(3 * n, 1));
            s.output(Element::U8, 4 * n, Check::Bits);
            s.input(HostBuffer::U8(letters.to_vec()));
            s.each(n);
        },
    ),
    kernel(
        "count_words",
        "strings",
        [50_000, 4_000_000, 30_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            let letter = |word| if fraction(word, 5) == 0 { b' ' } else { b'a' };
            s.input(HostBuffer::U8(words(n, 1).map(letter).collect()));
            s.output(I32, 1, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(528));
        },
    ),
    kernel(
        "cipher_rounds",
        "coding",
        [4_000, 200_000, 2_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(u32s(4 * n, 1));
            s.output(U32, 4 * n, Check::Bits);
            s.input(u32s(256, 2));
            s.input(u32s(40, 3));
            s.each(n);
        },
    ),
    kernel(
        "locked_extremes",
        "tickets and locks",
        [1_000, 30_000, 200_000],
        &[[128, 1, 1]],
        |s, n| {
            s.input(below(n, 2_048, 1));
            s.input(floats(n, -1.0, 1.0, 2));
            s.scratch(I32, 2_048);
            s.output(F32, 4_096, Check::Bits);
            s.each(n);
        },
    ),
];
