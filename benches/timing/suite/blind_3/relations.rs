//! Sparse products, joins, labels, sketches, sorting networks, generators.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{Setup, below, bytes, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_3/relations");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// Where each of `n` parts of `least` to `least + spread - 1` things starts, and the end.
fn starts(n: u32, least: u32, spread: u32, stream: u64) -> Vec<i32> {
    let mut starts = vec![0];
    let mut end = 0;
    for word in words(n, stream).collect::<Vec<_>>() {
        end += (least + fraction(word, spread)) as i32;
        starts.push(end);
    }
    starts
}

/// The next two arguments: things in parts, and where each part starts.
fn parts(s: &mut Setup, starts: Vec<i32>, things: impl Fn(u32) -> HostBuffer) {
    s.input(things(starts[starts.len() - 1] as u32));
    s.input(HostBuffer::I32(starts));
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "join_partitions",
        "hash tables",
        [20, 800, 25_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let pair = |word: u32| [word >> 20, word & 0xff_ffff];
            parts(s, starts(n, 200, 400, 1), |many| {
                HostBuffer::U32(words(many, 2).flat_map_iter(pair).collect())
            });
            parts(s, starts(n, 800, 1_500, 3), |many| below(many, 4_096, 4));
            s.output(U32, n, Check::Bits);
            s.blocks(n);
        },
    ),
    kernel(
        "label_votes",
        "graph",
        [3_000, 100_000, 1_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            rows(s, n, 3, 10);
            s.input(below(n, 20, 3));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "columns_product",
        "atomics",
        [3_000, 200_000, 3_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 4, 13);
            s.input(floats(entries, 0.0, 1.0, 1));
            s.input(floats(n, 0.0, 1.0, 2));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "sampled_products",
        "sparse matrix",
        [2_000, 100_000, 4_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let side = (n / 16).clamp(256, 100_000);
            s.input(below(2 * n, side, 1));
            s.input(floats(64 * side, 0.0, 1.0, 2));
            s.input(floats(64 * side, 0.0, 1.0, 3));
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.threads(16 * n);
        },
    ),
    kernel(
        "product_row_sizes",
        "sparse matrix",
        [300, 20_000, 400_000],
        &[[8, 8, 1], [16, 2, 1]],
        |s, n| {
            rows(s, n, 4, 9);
            s.output(I32, n, Check::Bits);
            s.blocks(n);
        },
    ),
    kernel(
        "exchange_step",
        "sorting",
        [10_240, 4_096_000, 60_000_256],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            s.changed(u32s(n, 1), Check::Bits);
            s.int(512);
            s.int(2_048);
            s.each(n);
        },
    ),
    kernel(
        "loglog_registers",
        "sketches",
        [20_000, 4_000_000, 80_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(I32, 2_048, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(264));
            s.shared(4 * 2_048);
        },
    ),
    kernel("min_hashes", "sketches", [30, 2_000, 300_000], &[[64, 1, 1], [128, 1, 1]], |s, n| {
        parts(s, starts(n, 50, 200, 1), |many| u32s(many, 2));
        s.input(HostBuffer::U32(words(256, 3).map(|word| word | 1).collect()));
        s.output(U32, n * s.block[0], Check::Bits);
        s.blocks(n);
    }),
    kernel("twister", "random numbers", [4, 264, 4_000], &[[128, 1, 1], [256, 1, 1]], |s, n| {
        const ROUNDS: u32 = 20;
        s.changed(u32s(624 * n, 1), Check::Bits);
        s.output(U32, 624 * ROUNDS * n, Check::Bits);
        s.int(ROUNDS);
        s.blocks(n);
    }),
    kernel("flow_tiles", "games", [64, 1_008, 3_008], &[[16, 16, 1]], |s, n| {
        let cost = |byte: u8| if byte > 200 { 255 } else { 1 + byte % 9 };
        let HostBuffer::U8(ground) = bytes(n * n, 1) else { return };
        s.input(HostBuffer::U8(ground.into_par_iter().map(cost).collect()));
        s.output(I32, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("shell_rows", "sorting", [200, 20_000, 300_000], &[[64, 1, 1], [128, 1, 1]], |s, n| {
        const WIDTH: u32 = 50;
        s.changed(floats(WIDTH * n, 0.0, 1.0, 1), Check::Bits);
        s.int(WIDTH);
        s.each(n);
    }),
    kernel(
        "chunk_entropy",
        "bank conflicts",
        [1_000, 200_000, 4_000_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(u32s(16 * n, 1));
            s.output(F32, n, Check::Sum);
            s.each(n);
            s.shared(64 * s.block[0]);
        },
    ),
];
