//! Hash tables, trees, graphs, sparse matrices, rows, sequences, lists.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, doubles, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_7/lookups");

const F64: Element = Element::F64;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// A cuckoo hash table of `1 << bits` places with `keys`, none of them zero, and their numbers.
fn cuckoo(keys: &[u32], bits: u32) -> HostBuffer {
    let places = |key: u32| {
        let second = (key ^ key >> 15).wrapping_mul(2_246_822_519);
        [key.wrapping_mul(2_654_435_769), second].map(|hash| (hash >> (32 - bits)) as usize)
    };
    let mut table = vec![[0_u32; 2]; 1 << bits];
    for (number, &key) in keys.iter().enumerate() {
        let mut entry = [key, number as u32];
        let mut place = places(key)[0];
        // A key that finds no place after many rounds is left out.
        for _ in 0..500 {
            std::mem::swap(&mut table[place], &mut entry);
            if entry[0] == 0 {
                break;
            }
            let [first, second] = places(entry[0]);
            place = if place == first { second } else { first };
        }
    }
    HostBuffer::U32(table.concat())
}

/// Fills a node of 15 keys and its children with the keys from `next` on, in order.
fn fill(tree: &mut [u32], node: usize, next: &mut u32) {
    if 16 * node >= tree.len() {
        return;
    }
    for slot in 0..15 {
        fill(tree, 16 * node + slot + 1, next);
        tree[16 * node + slot] = *next * 4_000 + *next % 977;
        *next += 1;
    }
    fill(tree, 16 * node + 16, next);
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "cuckoo_lookup",
        "hash tables",
        [5_000, 200_000, 8_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            const KEYS: usize = 430_000;
            const BITS: u32 = 20;
            let keys: Vec<u32> = words(KEYS as u32, 1).map(|word| word | 1).collect();
            s.input(cuckoo(&keys, BITS));
            // Two thirds of the queries are keys of the table.
            let query = |word: u32| match word % 3 {
                0 => word | 1,
                _ => keys[(word >> 2) as usize % KEYS],
            };
            s.input(HostBuffer::U32(words(n, 2).map(query).collect()));
            s.output(U32, n, Check::Bits);
            s.int(32 - BITS);
            s.each(n);
        },
    ),
    kernel(
        "segment_queries",
        "trees",
        [3_000, 60_000, 2_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let leaves = n.next_power_of_two();
            let mut tree = vec![0; leaves as usize];
            tree.par_extend(words(leaves, 1));
            for node in (1..leaves as usize).rev() {
                tree[node] = tree[2 * node].wrapping_add(tree[2 * node + 1]);
            }
            s.input(HostBuffer::U32(tree));
            let ends = |word: u32| {
                let [a, b] =
                    [word, word.wrapping_mul(0x9e37_79b9)].map(|half| fraction(half, leaves));
                [a.min(b), a.max(b)]
            };
            s.input(HostBuffer::U32(words(n, 2).flat_map_iter(ends).collect()));
            s.output(U32, n, Check::Bits);
            s.int(leaves);
            s.each(n);
        },
    ),
    kernel(
        "btree_lookup",
        "trees",
        [1_000, 30_000, 1_500_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            const LEVELS: u32 = 5;
            let nodes = (16_usize.pow(LEVELS) - 1) / 15;
            let mut tree = vec![u32::MAX; 16 * nodes];
            fill(&mut tree, 0, &mut 0);
            s.input(HostBuffer::U32(tree));
            s.input(u32s(n, 1));
            s.output(U32, n, Check::Bits);
            s.int(LEVELS);
            s.int(n);
            s.threads(16 * n);
        },
    ),
    kernel(
        "common_ancestors",
        "trees",
        [4_000, 80_000, 4_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let parent = |(at, word): (usize, u32)| {
                let at = at as u32;
                at.saturating_sub(1 + fraction(word, at / 2 + 1))
            };
            s.input(HostBuffer::U32(words(n, 1).enumerate().map(parent).collect()));
            s.input(below(2 * n, n, 2));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "symmetric_product",
        "sparse matrices",
        [3_000, 50_000, 1_000_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 1, 12);
            s.input(doubles(entries, 1));
            s.input(doubles(n, 2));
            s.input(doubles(n, 3));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "propose_matches",
        "graphs",
        [10_000, 150_000, 1_500_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 2, 14);
            s.input(HostBuffer::U8(words(entries, 1).map(|word| (word >> 25) as u8).collect()));
            s.input(HostBuffer::U8(words(n, 2).map(|word| u8::from(word % 5 < 2)).collect()));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("median_rows", "selection", [20, 500, 12_000], &[[256, 1, 1], [352, 1, 1]], |s, n| {
        const COLUMNS: u32 = 2_000;
        s.input(u32s(n * COLUMNS, 1));
        s.output(U32, n, Check::Bits);
        s.int(COLUMNS);
        s.blocks(n);
    }),
    kernel(
        "gotoh_warps",
        "dynamic programming",
        [300, 5_000, 200_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 96;
            let letters = |many: u32, stream: u64| {
                HostBuffer::U8(words(many, stream).map(|word| b"ACGT"[word as usize % 4]).collect())
            };
            s.input(letters(32 * n, 1));
            s.input(letters(LENGTH * n, 2));
            s.output(I32, n, Check::Bits);
            s.int(LENGTH);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "zero_crossings",
        "compaction",
        [5_000, 200_000, 3_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(4 * n, -0.2, 1.0, 1));
            s.output(U32, 4 * n, Check::Sorted);
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
];
