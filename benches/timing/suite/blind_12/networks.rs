//! Sparse matrices, graphs, tours, layers of networks, short types, products modulo a prime and
//! selection.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_12/networks");

const F32: Element = Element::F32;
const U32: Element = Element::U32;

/// The levels of weights of four bits, which are denser near zero.
const LEVELS: [f32; 16] = [
    -1.0, -0.6962, -0.5251, -0.3949, -0.2844, -0.1848, -0.0911, 0.0, 0.0796, 0.1609, 0.2461,
    0.3379, 0.4407, 0.5626, 0.723, 1.0,
];

/// Numbers in bf16 from an eighth to two, of either sign.
fn short_floats(count: u32, stream: u64) -> HostBuffer {
    let number = |word: u32| (word >> 16) as u16 & 0x81ff | 0x3e00;
    HostBuffer::U16(words(count, stream).map(number).collect())
}

/// Numbers of 16 bits from an eighth to four, of either sign.
fn halves(count: u32, stream: u64) -> HostBuffer {
    let number = |word: u32| {
        let exponent = 12 + fraction(word << 8, 5) as u16;
        (word >> 16) as u16 & 0x83ff | exponent << 10
    };
    HostBuffer::U16(words(count, stream).map(number).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "delta_columns_product",
        "sparse matrices",
        [300, 15_000, 1_200_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let mut starts = vec![0];
            for word in words(n, 1).collect::<Vec<_>>() {
                starts.push(starts.last().unwrap() + 32 + fraction(word, 65) as i32);
            }
            let entries = *starts.last().unwrap() as u32;
            let deltas = words(entries, 3).map(|word| (word >> 24) as u8 | 1);
            s.input(HostBuffer::I32(starts));
            s.input(below(n, n, 2));
            s.input(HostBuffer::U8(deltas.collect()));
            s.input(short_floats(entries, 4));
            // A row has up to 96 entries, each at most 255 columns after the one before.
            s.input(floats(n + 96 * 255, -1.0, 2.0, 5));
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "two_step_paths",
        "hash tables",
        [500, 20_000, 500_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            rows(s, n, 4, 9);
            s.output(U32, n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.int(n);
            s.shared(s.block[0] / 32 * 2 * 4 * 256);
            s.threads(32 * n);
        },
    ),
    kernel(
        "preflow_round",
        "graphs",
        [2_000, 100_000, 2_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            // Half of the vertices have something to give away.
            let excess = |word: u32| (word >> 31) * fraction(word << 1, 300);
            let edges = rows(s, n, 3, 10);
            s.input(below(edges, 100, 1));
            s.input(HostBuffer::U32(words(n, 2).map(excess).collect()));
            s.input(below(n, 6, 3));
            s.output(U32, edges, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "graph_attention",
        "attention",
        [300, 12_000, 250_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            rows(s, n, 4, 20);
            s.input(floats(n, -1.0, 1.0, 1));
            s.input(floats(n, -1.0, 1.0, 2));
            s.input(floats(64 * n, -1.0, 1.0, 3));
            s.output(F32, 64 * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "ant_tours",
        "warp shuffles",
        [150, 6_000, 60_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U32(words(64 * 64, 1).map(|word| 1 + (word >> 16)).collect()));
            s.input(below(64 * 64, 1_000, 2));
            s.input(u32s(n, 3));
            s.output(Element::U8, 64 * n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel("distill_rows", "losses", [40, 1_200, 20_000], &[[128, 1, 1], [288, 1, 1]], |s, n| {
        s.input(halves(2_000 * n, 1));
        s.input(halves(2_000 * n, 2));
        s.output(F32, n, Check::Sum);
        s.output(F32, 2_000 * n, Check::Sum);
        s.float(0.5);
        s.int(1_000);
        s.blocks(n);
    }),
    kernel(
        "nf4_rows",
        "mixed precision",
        [5_000, 400_000, 18_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.input(bytes(n.div_ceil(8), 2));
            s.input(floats(n.div_ceil(2_048), 0.0005, 0.002, 3));
            s.input(HostBuffer::F32(LEVELS.to_vec()));
            s.output(Element::U16, 8 * n, Check::Sum);
            s.float(0.01);
            s.each(n);
        },
    ),
    kernel(
        "product_mod_p",
        "tiled products",
        [60, 350, 1_200],
        &[[32, 8, 1], [32, 6, 1]],
        |s, n| {
            s.input(below(n * n, 2_147_483_647, 1));
            s.input(below(n * n, 2_147_483_647, 2));
            s.output(U32, n * n, Check::Bits);
            s.int(n);
            s.grid([n.div_ceil(32), n.div_ceil(4 * s.block[1]), 1]);
        },
    ),
    kernel(
        "radix_select_rows",
        "selection",
        [24, 900, 12_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            const WIDTH: u32 = 3_000;
            s.input(floats(WIDTH * n, -1.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.output(U32, WIDTH.div_ceil(32) * n, Check::Bits);
            s.int(WIDTH);
            s.int(200);
            s.blocks(n);
        },
    ),
];
