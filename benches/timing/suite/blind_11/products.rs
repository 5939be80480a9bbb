//! Products, transforms and small matrices, layers and short types.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_11/products");

const F32: Element = Element::F32;
const U16: Element = Element::U16;
const U32: Element = Element::U32;

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

/// From -1 to 1.
fn part(word: u32) -> f32 {
    (word >> 8) as f32 / 8_388_608.0 - 1.0
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "min_plus_product",
        "matrix products",
        [50, 400, 1_500],
        &[[32, 8, 1], [32, 6, 1]],
        |s, n| {
            s.input(below(n * n, 1_000_000, 1));
            s.input(below(n * n, 1_000_000, 2));
            s.output(U32, n * n, Check::Bits);
            s.output(U16, n * n, Check::Bits);
            s.int(n);
            s.grid([n.div_ceil(32), n.div_ceil(4 * s.block[1]), 1]);
        },
    ),
    kernel("rbf_matrix", "tiled products", [90, 700, 4_500], &[[16, 16, 1], [24, 8, 1]], |s, n| {
        s.input(floats(48 * n, -1.0, 1.0, 1));
        s.input(floats(48 * n, -1.0, 1.0, 2));
        s.output(F32, n * n, Check::Sum);
        s.float(0.05);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("fft_243", "transforms", [80, 5_000, 80_000], &[[162, 1, 1], [81, 1, 1]], |s, n| {
        let many = s.block[0] / 81;
        s.input(floats(2 * 243 * n, -1.0, 1.0, 1));
        s.output(F32, 2 * 243 * n, Check::Sum);
        s.int(n);
        s.shared(16 * 243 * many);
        s.blocks(n.div_ceil(many));
    }),
    kernel(
        "lu_warps",
        "small matrices",
        [200, 6_000, 50_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let value = |(at, word): (usize, u32)| match at % 1_024 % 33 {
                0 => 24.0 + part(word),
                _ => part(word),
            };
            s.input(HostBuffer::F32(words(1_024 * n, 1).enumerate().map(value).collect()));
            s.output(F32, 1_024 * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "polar_3x3",
        "small matrices",
        [3_000, 150_000, 4_000_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let value = |(at, word): (usize, u32)| match at / n as usize % 4 {
                0 => 1.5 + part(word),
                _ => 0.7 * part(word),
            };
            s.input(HostBuffer::F32(words(9 * n, 1).enumerate().map(value).collect()));
            s.output(F32, 9 * n, Check::Sum);
            s.output(Element::U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("alibi_softmax", "softmax", [1, 24, 400], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        let slopes = (0..n).map(|head| 2.0_f32.powi(-((head % 8 + 1) as i32)));
        s.input(halves(512 * 512 * n, 1));
        s.input(HostBuffer::F32(slopes.collect()));
        s.output(U16, 512 * 512 * n, Check::Sum);
        s.int(512 * n);
        s.threads(32 * 512 * n);
    }),
    kernel("gated_norm_bf16", "norms", [40, 3_000, 50_000], &[[128, 1, 1], [160, 1, 1]], |s, n| {
        s.input(short_floats(1_280 * n, 1));
        s.input(short_floats(1_280 * n, 2));
        s.input(short_floats(1_280, 3));
        s.output(U16, 1_280 * n, Check::Sum);
        s.blocks(n);
    }),
    kernel(
        "attention_pooling",
        "attention",
        [50, 1_500, 22_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let mut starts = vec![0];
            for word in words(n, 1).collect::<Vec<_>>() {
                starts.push(starts.last().unwrap() + 20 + fraction(word, 101) as i32);
            }
            let vectors = *starts.last().unwrap() as u32;
            s.input(floats(64 * vectors, -1.0, 1.0, 2));
            s.input(HostBuffer::I32(starts));
            s.input(floats(64, -0.8, 0.8, 3));
            s.output(F32, 64 * n, Check::Sum);
            s.blocks(n);
        },
    ),
    kernel(
        "pq_scan",
        "shared tables",
        [8_000, 500_000, 16_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(bytes(16 * n, 1));
            s.input(floats(16 * 256, 0.0, 2.0, 2));
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(792));
        },
    ),
    kernel(
        "add_int8",
        "mixed precision",
        [8_000, 500_000, 9_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(bytes(16 * n, 1));
            s.input(bytes(16 * n, 2));
            s.output(Element::I8, 16 * n, Check::Bits);
            s.int(41_234);
            s.int(58_765);
            s.int(-11_i32 as u32);
            s.each(n);
        },
    ),
];
