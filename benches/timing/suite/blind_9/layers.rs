//! Layers, small matrices, scans and reductions.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_9/layers");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U32: Element = Element::U32;

/// A letter or bracket of a text with 1024 letters. Every 64 letters, the second half closes
/// what the first half opens. One text of eight may lack a bracket.
fn letter(at: usize, words: &[u32]) -> u8 {
    let (text, place) = (at / 1_024, at % 1_024);
    let group = words[text] ^ (place as u32 / 64).wrapping_mul(0x9e37_79b9);
    if text % 8 == 5 && place == 700 {
        return b'x';
    }
    let inside = place % 64;
    let mirror = inside.min(63 - inside);
    let open = (group >> (mirror % 29)).is_multiple_of(4) || mirror == 30;
    match (open, inside < 32) {
        (false, _) => b'a' + (place % 26) as u8,
        (true, true) => b'(',
        (true, false) => b')',
    }
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("dense_relu_tiles", "layers", [40, 300, 1_000], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        const DEPTH: u32 = 500;
        const COLUMNS: u32 = 400;
        s.input(floats(DEPTH * n, -1.0, 1.0, 1));
        s.input(floats(DEPTH * COLUMNS, -0.1, 0.1, 2));
        s.input(floats(COLUMNS, -0.5, 0.5, 3));
        s.output(F32, COLUMNS * n, Check::Sum);
        s.int(n);
        s.int(DEPTH);
        s.int(COLUMNS);
        s.grid([COLUMNS.div_ceil(s.block[0]), n.div_ceil(4 * s.block[1]), 1]);
    }),
    kernel(
        "givens_qr",
        "small matrices",
        [3_000, 50_000, 500_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(floats(40 * n, -1.0, 1.0, 1));
            s.output(F32, 4 * n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "matrix_exponentials",
        "small matrices",
        [3_000, 50_000, 500_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(12 * n, 0.0, 1.0, 1));
            s.input(floats(n, 0.0, 3.0, 2));
            s.output(F32, 16 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("bracket_depths", "scans", [40, 1_000, 9_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        let groups: Vec<u32> = words(n, 1).collect();
        let text = (0..1_024 * n as usize).into_par_iter().map(|at| letter(at, &groups));
        s.input(HostBuffer::U8(text.collect()));
        s.output(Element::I16, 1_024 * n, Check::Bits);
        s.output(Element::I32, n, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "correlation_last_block",
        "last block",
        [8_000, 1_000_000, 14_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(4 * s.block[0]).min(528);
            let share = |word: u32| (word >> 8) as f32 / 16_777_216.0;
            // Half of the second number is the first.
            let second: Vec<f32> = words(4 * n, 1)
                .zip(words(4 * n, 2))
                .map(|(first, other)| 0.5 * share(first) + 0.5 * share(other))
                .collect();
            s.input(HostBuffer::F32(words(4 * n, 1).map(share).collect()));
            s.input(HostBuffer::F32(second));
            s.scratch(F64, 5 * blocks);
            s.scratch(U32, 1);
            s.output(F64, 5, Check::Sum);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel(
        "linear_attention",
        "attention",
        [80, 1_000, 3_200],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const SIZE: u32 = 32 * 32;
            s.input(floats(SIZE * n, -1.0, 1.0, 1));
            s.input(floats(SIZE * n, -1.0, 1.0, 2));
            s.input(floats(SIZE * n, -1.0, 1.0, 3));
            s.output(F32, SIZE * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "mixture_shares",
        "clusters",
        [4_000, 100_000, 1_500_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(4 * n, -2.0, 2.0, 1));
            s.input(floats(64, -2.0, 2.0, 2));
            s.input(floats(64, 0.5, 3.0, 3));
            s.input(floats(16, -4.0, -2.0, 4));
            s.output(F32, 16 * n, Check::Sum);
            s.output(F64, 1, Check::Sum);
            s.each(n);
        },
    ),
];
