//! Hash tables, graphs, sparse matrices, sorting, text, dynamic programming, searches.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, ints, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_6/records");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// A hash table of `1 << bits` buckets of eight places with `keys`; zero is an empty place.
fn buckets(keys: &[u32], bits: u32) -> HostBuffer {
    let mut table = vec![0_u32; 8 << bits];
    for &key in keys {
        let mut bucket = (key.wrapping_mul(2_654_435_769) >> (32 - bits)) as usize;
        loop {
            let places = &mut table[8 * bucket..][..8];
            if let Some(place) = places.iter_mut().find(|place| **place == 0) {
                *place = key;
                break;
            }
            bucket = (bucket + 1) % (1 << bits);
        }
    }
    HostBuffer::U32(table)
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "bucket_lookup",
        "hash tables",
        [5_000, 150_000, 4_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            const KEYS: usize = 700_000;
            const BITS: u32 = 17;
            let keys: Vec<u32> = words(KEYS as u32, 1).map(|word| word | 1).collect();
            s.input(buckets(&keys, BITS));
            // Half of the queries are keys of the table.
            let query = |word: u32| match word % 2 {
                0 => keys[(word >> 1) as usize % KEYS],
                _ => word.wrapping_mul(0x9e37_79b1) | 1,
            };
            s.input(HostBuffer::U32(words(n, 2).map(query).collect()));
            s.output(U32, n, Check::Bits);
            s.int(BITS);
            s.int(n);
            s.threads(8 * n);
        },
    ),
    kernel(
        "core_peel",
        "graphs",
        [20_000, 400_000, 4_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            rows(s, n, 1, 16);
            s.changed(ints(n, 50, 1), Check::Bits);
            s.int(8);
            s.each(n);
        },
    ),
    kernel(
        "sample_features",
        "graphs",
        [400, 8_000, 200_000],
        &[[128, 1, 1], [288, 1, 1]],
        |s, n| {
            rows(s, n, 1, 30);
            s.input(floats(64 * n, -1.0, 1.0, 1));
            s.output(F32, 64 * n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "balanced_product",
        "sparse matrices",
        [3_000, 60_000, 1_200_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 1, 24);
            s.input(floats(entries, 0.0, 1.0, 1));
            s.input(floats(n, 0.0, 1.0, 2));
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.int(entries);
            s.threads(entries.div_ceil(8));
        },
    ),
    kernel("radix_block", "sorting", [10, 180, 8_000], &[[256, 1, 1], [384, 1, 1]], |s, n| {
        let many = s.block[0] * n;
        s.input(u32s(many, 1));
        s.output(U32, many, Check::Bits);
        s.blocks(n);
        s.shared(4 * s.block[0] + 128);
    }),
    kernel(
        "sort_eight",
        "sorting networks",
        [20_000, 500_000, 8_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(8 * n, 1));
            s.output(U32, 8 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "rolling_hashes",
        "text",
        [50_000, 1_200_000, 100_000_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let leaves = (0..32).fold(1_u64, |power, _| power * 257 % 2_147_483_647);
            s.input(bytes(n, 1));
            s.long(leaves);
            s.output(U32, n.div_ceil(64), Check::Bits);
            s.output(U32, n.div_ceil(64), Check::Bits);
            s.int(n);
            s.threads(n.div_ceil(64));
        },
    ),
    kernel(
        "lcs_bitwords",
        "dynamic programming",
        [3_000, 40_000, 3_000_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let pattern: Vec<u32> = words(64, 1).map(|word| word % 4).collect();
            let places = |letter: u32| {
                let place = |(at, &other): (usize, &u32)| u64::from(other == letter) << at;
                pattern.iter().enumerate().map(place).sum::<u64>()
            };
            s.input(HostBuffer::U64((0..4).map(places).collect()));
            s.input(u32s(8 * n, 2));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "matrix_chain",
        "dynamic programming",
        [30, 150, 10_000],
        &[[32, 1, 1], [48, 1, 1]],
        |s, n| {
            s.input(below(33 * n, 200, 1));
            s.output(U32, n, Check::Bits);
            s.blocks(n);
        },
    ),
    kernel(
        "nearest_last_block",
        "last block",
        [100_000, 2_000_000, 40_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(4 * s.block[0]).min(528);
            s.input(floats(3 * n, -1.0, 1.0, 1));
            s.scratch(U32, 2 * blocks);
            s.scratch(U32, 1);
            s.output(U32, 2, Check::Bits);
            for place in [0.1, 0.2, -0.3] {
                s.float(place);
            }
            s.int(n);
            s.blocks(blocks);
        },
    ),
];
