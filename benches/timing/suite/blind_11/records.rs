//! Sparse matrices, graphs, queues, strings, codes, groups, merging, searches and bits.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel, Setup};
use super::kernel;

module!("blind_11/records");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// From 0 to 1.
fn share(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

/// Where each row ends: most rows are short, few are very long.
fn ends(n: u32) -> Vec<i32> {
    let sizes: Vec<u32> = words(n, 1).map(|word| (2.0 / (share(word) + 0.001)) as u32).collect();
    let mut entries = 0;
    let end = |size: u32| {
        entries += size as i32;
        entries
    };
    sizes.into_iter().map(end).collect()
}

/// The first two arguments of a graph with 4 to 16 neighbours, of which three of four are near.
/// Returns the number of edges.
fn neighbours(s: &mut Setup, n: u32) -> u32 {
    let row = |(v, word): (usize, u32)| {
        let near = v as u32 / 32 * 32;
        std::iter::successors(Some(again(word)), |last| Some(again(*last)))
            .take(4 + fraction(word, 13) as usize)
            .map(move |word| match word & 3 {
                0 => fraction(word, n),
                _ => (near + (word >> 27)).min(n - 1),
            })
    };
    let all: Vec<Vec<u32>> = words(n, 1).enumerate().map(|at| row(at).collect()).collect();
    let mut starts = vec![0];
    for row in &all {
        starts.push(starts.last().unwrap() + row.len() as i32);
    }
    let edges = *starts.last().unwrap() as u32;
    s.input(HostBuffer::I32(starts));
    s.input(HostBuffer::U32(all.concat()));
    edges
}

/// A name of 6 to 28 letters, and zeros after it.
fn name(word: u32) -> [u8; 32] {
    let mut name = [0; 32];
    let mut last = word;
    for letter in &mut name[..6 + fraction(word, 23) as usize] {
        last = again(last);
        *letter = b'a' + (fraction(last, 26) * fraction(last.rotate_left(16), 26) / 26) as u8;
    }
    name
}

/// The set of the hashes of three letters in a row.
fn trigrams(name: &[u8]) -> [u32; 8] {
    let mut set = [0; 8];
    for three in name.split(|letter| *letter == 0).next().unwrap().windows(3) {
        let hash = three.iter().fold(0, |hash, letter| hash * 31 + u32::from(*letter));
        let hash = hash.wrapping_mul(0x9e37_79b1) >> 24;
        set[hash as usize / 32] |= 1 << (hash % 32);
    }
    set
}

/// The text of an identifier. One in 10 000 is wrong.
fn identifier(word: u32) -> Vec<u8> {
    let mut last = word;
    let mut text: Vec<u8> = (0..36)
        .map(|_| {
            last = again(last);
            b"0123456789abcdef0123456789ABCDEF"[(last >> 28 | (word & 1) << 4) as usize]
        })
        .collect();
    for dash in [8, 13, 18, 23] {
        text[dash] = b'-';
    }
    if word.is_multiple_of(10_000) {
        text[fraction(last, 36) as usize] = b'g';
    }
    text
}

/// Rice codes of `n` blocks of 64 differences: words of bits, first bits and numbers of low bits.
fn coded(n: u32) -> [Vec<u32>; 3] {
    let mut out = [const { Vec::new() }; 3];
    let (mut window, mut filled, mut total) = (0_u64, 0, 0);
    for word in words(n, 1).collect::<Vec<_>>() {
        let low = 2 + fraction(word, 7);
        out[1].push(total);
        out[2].push(low);
        let mut last = word;
        for _ in 0..64 {
            last = again(last);
            // The number of zeros: each further one is half as likely.
            let zeros = (last | 1 << 20).leading_zeros();
            let size = zeros + 1 + low;
            window = window << size | 1 << low | u64::from(last & ((1 << low) - 1));
            filled += size;
            total += size;
            if filled >= 32 {
                filled -= 32;
                out[0].push((window >> filled) as u32);
            }
        }
    }
    out[0].push((window << (32 - filled)) as u32);
    out[0].push(0);
    out
}

/// An entry of a sorted table, which is denser at its beginning.
fn entry(at: usize, word: u32, size: u32) -> u32 {
    let place = (at as f64 + share(word)) / f64::from(size);
    (4_294_967_295.0 * place * (0.4 + 0.6 * place)) as u32
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "merge_path_product",
        "sparse matrices",
        [1_500, 60_000, 1_200_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            let ends = ends(n);
            let entries = *ends.last().unwrap() as u32;
            s.input(HostBuffer::I32(ends));
            s.input(below(entries, n, 2));
            s.input(floats(entries, -1.0, 2.0, 3));
            s.input(floats(n, -1.0, 2.0, 4));
            s.output(F32, n, Check::Sum);
            s.int(entries);
            s.int(n);
            s.threads((n + entries).div_ceil(8));
        },
    ),
    kernel(
        "louvain_gains",
        "graphs",
        [2_000, 80_000, 1_500_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let edges = neighbours(s, n);
            let weights: Vec<u8> = words(edges, 2).map(|word| 1 + (word >> 29) as u8).collect();
            let all = weights.iter().map(|weight| u32::from(*weight)).sum();
            let groups = words(n, 3).enumerate();
            let group = |(at, word): (usize, u32)| at as u32 / 32 * 4 + (word >> 30);
            s.input(HostBuffer::U8(weights));
            s.input(HostBuffer::U32(groups.map(group).collect()));
            s.input(HostBuffer::U32(words(n, 4).map(|word| 300 + (word >> 24)).collect()));
            s.output(U32, n, Check::Bits);
            s.int(all);
            s.each(n);
        },
    ),
    kernel(
        "kahn_frontier",
        "work queues",
        [2_000, 80_000, 2_000_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            // The first n tasks are in the queue; 2n wait for some of them, and some for more.
            let keys: Vec<u32> = words(n, 1).collect();
            let mut queue: Vec<u32> = (0..n).collect();
            queue.par_sort_unstable_by_key(|&task| (keys[task as usize], task));
            let mut starts = vec![0];
            for word in words(n, 2).collect::<Vec<_>>() {
                starts.push(starts.last().unwrap() + fraction(word, 13) as i32);
            }
            let edges = *starts.last().unwrap() as u32;
            let targets: Vec<u32> = words(edges, 3).map(|word| n + fraction(word, 2 * n)).collect();
            let mut waits: Vec<u32> = words(3 * n, 4).map(|word| word >> 31).collect();
            for &target in &targets {
                waits[target as usize] += 1;
            }
            s.input(HostBuffer::U32(queue));
            s.input(HostBuffer::I32(starts));
            s.input(HostBuffer::U32(targets));
            s.changed(HostBuffer::U32(waits), Check::Bits);
            s.output(U32, 2 * n, Check::Sorted);
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "trigram_scores",
        "strings",
        [2_000, 100_000, 3_000_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let queries: [&[u8]; 5] =
                [b"amsterdam", b"cambridge", b"bagdad", b"andalucia", b"cabinetmaker"];
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(name).collect()));
            s.input(HostBuffer::U32(queries.map(trigrams).concat()));
            s.output(F32, n, Check::Sum);
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "parse_uuids",
        "parsers",
        [4_000, 250_000, 7_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(identifier).collect()));
            s.output(U32, 4 * n, Check::Bits);
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "rice_decode",
        "compression",
        [500, 20_000, 600_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let [bits, starts, lows] = coded(n);
            s.input(HostBuffer::U32(bits));
            s.input(HostBuffer::U32(starts));
            s.input(HostBuffer::U8(lows.into_iter().map(|low| low as u8).collect()));
            s.input(HostBuffer::I32(words(n, 2).map(|word| word as i32 >> 18).collect()));
            s.output(Element::I32, 64 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "group_products",
        "CAS loops",
        [5_000, 300_000, 8_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let groups = n / 50;
            s.input(below(n, groups, 1));
            s.input(HostBuffer::U32(words(n, 2).map(|word| (word >> 2) + 1).collect()));
            s.changed(HostBuffer::U32(vec![1; groups as usize]), Check::Bits);
            s.each(n);
        },
    ),
    kernel("loser_tree", "merging", [500, 20_000, 500_000], &[[128, 1, 1], [192, 1, 1]], |s, n| {
        let mut keys: Vec<u32> = words(64 * n, 1).map(|word| word >> 4).collect();
        keys.par_chunks_mut(8).for_each(<[u32]>::sort_unstable);
        s.input(HostBuffer::U32(keys));
        s.output(U32, 64 * n, Check::Bits);
        s.each(n);
    }),
    kernel(
        "interpolation_search",
        "searches",
        [4_000, 250_000, 6_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let size = 4 * n;
            let table = words(size, 1).enumerate().map(|(at, word)| entry(at, word, size));
            s.input(HostBuffer::U32(table.collect()));
            s.input(u32s(n, 2));
            s.output(U32, n, Check::Bits);
            s.int(size);
            s.each(n);
        },
    ),
    kernel(
        "bit_matrices",
        "bit tricks",
        [3_000, 100_000, 2_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let matrix = |word: u32| u64::from(word) << 32 | u64::from(again(word));
            s.input(HostBuffer::U64(words(n, 1).map(matrix).collect()));
            s.input(HostBuffer::U16(words(n, 2).map(|word| (word >> 16) as u16).collect()));
            s.output(Element::U64, n, Check::Bits);
            s.each(n);
        },
    ),
];
