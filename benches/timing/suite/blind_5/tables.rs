//! Scans, sparse matrices, graphs, sorting, groups, hash tables, search in text.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, doubles, floats, fraction, ints, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_5/tables");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// Where the friends of each of `people` start, and the friends in order.
fn friends(people: u32) -> [HostBuffer; 2] {
    let all = words(48 * people, 2).map(|word| fraction(word, people)).collect::<Vec<_>>();
    let mut starts = vec![0_i32];
    let mut list = Vec::new();
    for (some, word) in all.chunks_exact(48).zip(words(people, 1).collect::<Vec<_>>()) {
        let mut some = some[..4 + fraction(word, 44) as usize].to_vec();
        some.sort_unstable();
        some.dedup();
        list.extend(some);
        starts.push(list.len() as i32);
    }
    [HostBuffer::I32(starts), HostBuffer::U32(list)]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("scan_tree", "scans", [8, 3_000, 40_000], &[[256, 1, 1], [128, 1, 1]], |s, n| {
        let many = 2 * s.block[0] * n;
        s.input(ints(many, 100, 1));
        s.output(I32, many, Check::Bits);
        s.output(I32, n, Check::Bits);
        s.blocks(n);
        s.shared(8 * s.block[0]);
    }),
    kernel(
        "sliced_product",
        "sparse matrices",
        [20_000, 300_000, 1_500_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let mut slices = vec![0_i32];
            let mut entries = 0;
            for word in words(n.div_ceil(32), 1).collect::<Vec<_>>() {
                entries += 32 * (4 + fraction(word, 24));
                slices.push(entries as i32);
            }
            s.input(HostBuffer::I32(slices));
            s.input(below(entries, n, 2));
            s.input(floats(entries, -1.0, 1.0, 3));
            s.input(floats(n, -1.0, 1.0, 4));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "eight_lanes_product",
        "sparse matrices",
        [10_000, 200_000, 900_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 4, 40);
            s.input(doubles(entries, 1));
            s.input(doubles(n, 2));
            s.output(Element::F64, n, Check::Sum);
            s.int(n);
            s.threads(8 * n);
        },
    ),
    kernel(
        "shared_friends",
        "graphs",
        [10_000, 300_000, 3_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            const PEOPLE: u32 = 50_000;
            for list in friends(PEOPLE) {
                s.input(list);
            }
            s.input(below(2 * n, PEOPLE, 3));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "push_rank",
        "graphs",
        [10_000, 200_000, 1_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            rows(s, n, 2, 12);
            s.input(floats(n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "pull_level",
        "graphs",
        [30_000, 600_000, 4_000_000],
        &[[256, 1, 1], [384, 1, 1]],
        |s, n| {
            rows(s, n, 1, 16);
            // About a fifth is reached.
            let level: Vec<i32> =
                words(n, 1).map(|word| if word.is_multiple_of(5) { 1 } else { -1 }).collect();
            let some = |(at, level): (usize, &i32)| u32::from(*level > 0) << at;
            let bitmap = level.chunks(32).map(|part| part.iter().enumerate().map(some).sum());
            s.input(HostBuffer::U32(bitmap.collect()));
            s.output(U32, n.div_ceil(32), Check::Bits);
            s.changed(HostBuffer::I32(level), Check::Bits);
            s.int(2);
            s.each(n);
        },
    ),
    kernel(
        "merge_network",
        "sorting networks",
        [10, 1_200, 12_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            let many = 2 * s.block[0] * n;
            s.input(u32s(many, 1));
            s.output(U32, many, Check::Bits);
            s.blocks(n);
            s.shared(8 * s.block[0]);
        },
    ),
    kernel(
        "group_totals",
        "groups",
        [200_000, 4_000_000, 30_000_000],
        &[[256, 1, 1], [384, 1, 1]],
        |s, n| {
            const SHOPS: u32 = 700;
            s.input(below(n, SHOPS, 1));
            s.input(floats(n, 0.0, 100.0, 2));
            s.output(F32, SHOPS, Check::Sum);
            s.output(U32, SHOPS, Check::Bits);
            s.int(SHOPS);
            s.int(n);
            s.blocks(n.div_ceil(8 * s.block[0]).min(528));
            s.shared(8 * SHOPS);
        },
    ),
    kernel(
        "count_keys",
        "hash tables",
        [20_000, 500_000, 6_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let places = (n / 2).next_power_of_two();
            s.input(below(n, n / 4, 1));
            s.output(U32, places, Check::Sorted);
            s.output(U32, places, Check::Sorted);
            s.int(places.ilog2());
            s.each(n);
        },
    ),
    kernel(
        "deviation_last_block",
        "last block",
        [100_000, 4_000_000, 60_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(4 * s.block[0]).min(660);
            s.input(floats(n, 0.0, 2.0, 1));
            s.scratch(Element::F64, 2 * blocks);
            s.output(U32, 1, Check::Bits);
            s.output(Element::F64, 2, Check::Sum);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel(
        "leap_search",
        "text",
        [500_000, 20_000_000, 120_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).map(|word| b'a' + (word >> 28) as u8).collect()));
            s.output(U32, 1, Check::Bits);
            s.int(n);
            s.threads(n.div_ceil(256));
        },
    ),
];
