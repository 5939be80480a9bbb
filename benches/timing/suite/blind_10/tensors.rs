//! Products of matrices, layers, rows and short types.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_10/tensors");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U16: Element = Element::U16;

/// Numbers in bf16 from an eighth to two, of either sign.
fn short_floats(count: u32, stream: u64) -> HostBuffer {
    let number = |word: u32| (word >> 16) as u16 & 0x81ff | 0x3e00;
    HostBuffer::U16(words(count, stream).map(number).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "product_abt",
        "matrix products",
        [64, 400, 1_150],
        &[[32, 8, 1], [32, 6, 1]],
        |s, n| {
            const DEPTH: u32 = 300;
            s.input(floats(DEPTH * n, -1.0, 1.0, 1));
            s.input(floats(DEPTH * n, 0.0, 1.0, 2));
            s.output(F32, n * n, Check::Sum);
            s.int(n);
            s.int(n);
            s.int(DEPTH);
            s.grid([n.div_ceil(32), n.div_ceil(4 * s.block[1]), 1]);
        },
    ),
    kernel(
        "products_7x7",
        "small matrices",
        [1_000, 40_000, 600_000],
        &[[196, 1, 1], [256, 1, 1]],
        |s, n| {
            let many = s.block[0] / 49;
            s.input(floats(49 * n, -1.0, 1.0, 1));
            s.input(floats(49 * n, -1.0, 1.0, 2));
            s.output(F32, 49 * n, Check::Sum);
            s.int(n);
            s.shared(4 * 2 * 49 * many);
            s.blocks(n.div_ceil(many));
        },
    ),
    kernel(
        "ldl_6x6",
        "small matrices",
        [3_000, 60_000, 1_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(6 * n, 6.0, 9.0, 1));
            s.input(floats(15 * n, -1.0, 1.0, 2));
            s.input(floats(6 * n, -1.0, 1.0, 3));
            s.output(F32, 6 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "tensor_elements",
        "finite elements",
        [100, 3_000, 40_000],
        &[[125, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(doubles(125 * n, 1));
            s.input(doubles(25, 2));
            s.input(doubles(375 * n, 3));
            s.output(F64, 125 * n, Check::Sum);
            s.blocks(n);
        },
    ),
    kernel("causal_softmax", "softmax", [2, 40, 600], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        const SIDE: u32 = 320;
        let rows = SIDE * n;
        s.input(floats(SIDE * rows, -4.0, 4.0, 1));
        s.output(F32, SIDE * rows, Check::Sum);
        s.float(0.5);
        s.int(SIDE);
        s.int(rows);
        s.threads(32 * rows);
    }),
    kernel(
        "add_norm_bf16",
        "mixed precision",
        [60, 3_000, 50_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(short_floats(768 * n, 1));
            s.input(short_floats(768 * n, 2));
            s.input(short_floats(768, 3));
            s.output(U16, 768 * n, Check::Sum);
            s.output(U16, 768 * n, Check::Sum);
            s.blocks(n);
        },
    ),
    kernel(
        "focal_loss",
        "layers",
        [8_000, 800_000, 20_000_000],
        &[[256, 1, 1], [480, 1, 1]],
        |s, n| {
            let label = |word: u32| u8::from(word.is_multiple_of(20));
            s.input(floats(n, -20.0, 10.0, 1));
            s.input(HostBuffer::U8(words(n, 2).map(label).collect()));
            s.output(F32, n, Check::Sum);
            s.output(F64, 1, Check::Sum);
            s.float(0.75);
            s.each(n);
        },
    ),
    kernel(
        "product_int8_tiles",
        "mixed precision",
        [80, 500, 1_300],
        &[[16, 16, 1], [24, 8, 1]],
        |s, n| {
            s.input(bytes(n * n, 1));
            s.input(bytes(n * n, 2));
            s.output(Element::I8, n * n, Check::Bits);
            s.float(0.0005);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "best_match_pipelined",
        "asynchronous copies",
        [64, 2_000, 30_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(32 * 64 * n, -1.0, 1.0, 1));
            s.input(floats(64, -1.0, 1.0, 2));
            s.changed(HostBuffer::U64(vec![u64::MAX]), Check::Bits);
            s.int(n);
            s.blocks(n.min(264));
        },
    ),
];
