//! Linear algebra, number theory, codes and counting.

use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, doubles, floats, module, rows, u32s};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_2/numbers");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U32: Element = Element::U32;

/// Logarithms and powers of 2 in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1.
fn galois() -> Vec<u8> {
    let mut tables = vec![0; 512];
    let mut value = 1_u32;
    for exponent in 0..255 {
        tables[value as usize] = exponent as u8;
        tables[256 + exponent] = value as u8;
        value = value << 1 ^ if value & 0x80 == 0 { 0 } else { 0x11d };
    }
    tables[511] = 1;
    tables
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "diagonal_product",
        "sparse product",
        [8_000, 400_000, 4_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let offsets = [-900, -30, -1, 0, 1, 30, 900];
            s.input(doubles(7 * n, 1));
            s.input(HostBuffer::I32(offsets.to_vec()));
            s.input(doubles(n, 2));
            s.output(F64, n, Check::Sum);
            s.int(7);
            s.each(n);
        },
    ),
    kernel(
        "block_rows_product",
        "sparse product",
        [1_000, 50_000, 600_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 3, 12);
            s.input(floats(16 * entries, -1.0, 1.0, 1));
            s.input(floats(4 * n, -1.0, 1.0, 2));
            s.output(F32, 4 * n, Check::Sum);
            s.int(n);
            s.threads(4 * n);
        },
    ),
    kernel(
        "eigenvalues_3x3",
        "small matrices",
        [4_000, 200_000, 9_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(floats(6 * n, -1.0, 1.0, 1));
            s.output(F32, 3 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "householder_8x8",
        "small matrices",
        [500, 20_000, 600_000],
        &[[64, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(floats(64 * n, -1.0, 1.0, 1));
            s.output(F32, 64 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "small_products",
        "small matrices",
        [500, 20_000, 200_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(doubles(64 * n, 1));
            s.input(doubles(64 * n, 2));
            s.output(F64, 64 * n, Check::Sum);
            s.int(n);
            s.threads(64 * n);
            s.shared(16 * s.block[0]);
        },
    ),
    kernel("rank_k_lower", "product", [128, 1_000, 3_000], &[[32, 8, 1]], |s, n| {
        const K: u32 = 256;
        s.input(floats(K * n, -1.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.int(K);
        s.tiles(n, n, 32);
    }),
    kernel("lower_solves", "linear systems", [40, 2_000, 20_000], &[[64, 1, 1]], |s, n| {
        // Small numbers off the diagonal keep the solution small.
        let HostBuffer::F32(mut all) = floats(4_096 * n, -0.1, 0.1, 1) else { return };
        for matrix in all.chunks_exact_mut(4_096) {
            (0..64).for_each(|k| matrix[65 * k] += 1.0);
        }
        s.input(HostBuffer::F32(all));
        s.input(floats(64 * n, -1.0, 1.0, 2));
        s.output(F32, 64 * n, Check::Sum);
        s.blocks(n);
    }),
    kernel("outer_update", "stream", [100, 1_200, 6_000], &[[32, 8, 1], [64, 2, 1]], |s, n| {
        s.input(floats(n, -1.0, 1.0, 1));
        s.input(floats(n, -1.0, 1.0, 2));
        s.changed(floats(n * n, -1.0, 1.0, 3), Check::Sum);
        s.int(n / 4);
        s.int(n);
        s.plane(n / 4, n);
    }),
    kernel(
        "chacha_stream",
        "ciphers",
        [2_000, 100_000, 3_500_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(u32s(16 * n, 1));
            s.output(U32, 16 * n, Check::Bits);
            s.input(u32s(11, 2));
            s.each(n);
        },
    ),
    kernel(
        "reed_solomon",
        "codes",
        [5_000, 300_000, 10_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(bytes(10 * n, 1));
            s.input(HostBuffer::U8(galois()));
            s.output(Element::U8, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "modular_butterflies",
        "transform",
        [1 << 14, 1 << 20, 1 << 24],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            s.changed(below(n, 998_244_353, 1), Check::Bits);
            s.input(below(256, 998_244_353, 2));
            s.int(256);
            s.int(n);
            s.threads(n / 2);
        },
    ),
    kernel(
        "long_products",
        "integers",
        [4_000, 200_000, 2_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(8 * n, 1));
            s.input(u32s(8 * n, 2));
            s.output(U32, 16 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "knapsack_row",
        "stream",
        [20_000, 2_000_000, 20_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            s.input(below(n + 1, 1_000_000, 1));
            s.output(Element::I32, n + 1, Check::Bits);
            s.int(777);
            s.int(40_000);
            s.int(n);
            s.threads(n + 1);
        },
    ),
    kernel(
        "hilbert_codes",
        "bits",
        [10_000, 1_000_000, 30_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "transpose_bits",
        "bits",
        [10_000, 1_000_000, 30_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "gamma_density",
        "special functions",
        [10_000, 600_000, 20_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(floats(n, 0.01, 5.0, 1));
            s.output(F32, n, Check::Sum);
            s.float(2.5);
            s.float(1.3);
            s.each(n);
        },
    ),
    kernel(
        "legendre_sums",
        "double precision",
        [4_000, 200_000, 6_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.input(doubles(40, 2));
            s.output(F64, n, Check::Sum);
            s.int(40);
            s.each(n);
        },
    ),
];
