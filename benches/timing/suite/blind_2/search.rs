//! Graphs, trees, texts, sets and sorted runs.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{Setup, below, bytes, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_2/search");

const I32: Element = Element::I32;
const U32: Element = Element::U32;

/// Sorts points as an implicit k-d tree: the middle one is the root of the rest.
fn k_d_tree(points: &mut [[f32; 2]], node: usize, axis: usize, tree: &mut [[f32; 2]]) {
    if points.is_empty() {
        return;
    }
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a[axis].total_cmp(&b[axis]));
    tree[node] = points[middle];
    let (low, high) = points.split_at_mut(middle);
    k_d_tree(low, 2 * node + 1, 1 - axis, tree);
    k_d_tree(&mut high[1..], 2 * node + 2, 1 - axis, tree);
}

/// A binary trie of random prefixes of 8 to 24 bits: children, and the route of each node.
fn trie(prefixes: u32) -> (Vec<i32>, Vec<i32>) {
    let (mut children, mut routes) = (vec![-1, -1], vec![-1]);
    for (route, word) in words(prefixes, 1).collect::<Vec<_>>().into_iter().enumerate() {
        let mut node = 0;
        for bit in 0..8 + fraction(word.rotate_left(16), 17) {
            let child = 2 * node + (word >> (31 - bit) & 1) as usize;
            if children[child] < 0 {
                children[child] = routes.len() as i32;
                children.extend([-1, -1]);
                routes.push(-1);
            }
            node = children[child] as usize;
        }
        routes[node] = route as i32;
    }
    (children, routes)
}

/// Ends of runs of `least` to `least + spread - 1` values; the last is how many there are.
fn ends(n: u32, least: u32, spread: u32) -> Vec<i32> {
    let mut end = 0;
    let next = |word| {
        end += (least + fraction(word, spread)) as i32;
        end
    };
    words(n, 1).collect::<Vec<_>>().into_iter().map(next).collect()
}

/// The mask of a Bloom filter with about eight bits per key.
fn bloom(n: u32) -> u32 {
    (8 * n).next_power_of_two() - 1
}

/// `n` random words without order, a few of them the same.
fn distinct(s: &mut Setup, n: u32) {
    s.input(below(n, u32::MAX, 1));
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "count_triangles",
        "graph",
        [2_000, 60_000, 2_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            let (mut starts, mut targets) = (vec![0_i32], Vec::new());
            let all: Vec<u32> = words(12 * n, 2).collect();
            for (vertex, near) in (0..n).zip(all.chunks_exact(12)) {
                // Neighbours within some hundred vertices, so that there are triangles.
                let mut row: Vec<i32> = near[..4 + near[0] as usize % 9]
                    .iter()
                    .map(|&word| ((vertex + fraction(word, 150)) % n) as i32)
                    .collect();
                row.sort_unstable();
                row.dedup();
                targets.extend(row);
                starts.push(targets.len() as i32);
            }
            s.input(HostBuffer::I32(starts));
            s.input(HostBuffer::I32(targets));
            s.output(Element::U64, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "relax_edges",
        "graph",
        [20_000, 500_000, 8_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            let vertices = n / 8;
            let HostBuffer::U32(before) = below(vertices, 100_000, 4) else { return };
            let reached = before.iter().map(|&d| if d % 3 == 0 { u32::MAX } else { d });
            let before = HostBuffer::U32(reached.collect());
            s.input(below(n, vertices, 1));
            s.input(below(n, vertices, 2));
            s.input(below(n, 1_000, 3));
            s.input(before.clone());
            s.changed(before, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "colour_round",
        "graph",
        [5_000, 200_000, 2_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            rows(s, n, 3, 6);
            s.input(u32s(n, 3));
            let colours = words(n, 4).map(|word| if word >> 30 == 0 { 0 } else { -1 });
            s.changed(HostBuffer::I32(colours.collect()), Check::Bits);
            s.int(1);
            s.each(n);
        },
    ),
    kernel(
        "lightest_edges",
        "64-bit atomics",
        [20_000, 500_000, 5_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            let vertices = n / 6;
            s.input(below(2 * n, vertices, 1));
            s.input(u32s(n, 2));
            s.input(below(vertices, vertices / 20, 3));
            s.changed(HostBuffer::U64(vec![u64::MAX; vertices as usize / 20]), Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "graph_walks",
        "gather",
        [4_000, 150_000, 1_500_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            rows(s, n, 2, 15);
            s.output(I32, 20 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "kd_nearest",
        "trees",
        [1_000, 30_000, 2_000_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const NODES: u32 = (1 << 16) - 1;
            let HostBuffer::F32(points) = floats(2 * NODES, 0.0, 1.0, 1) else { return };
            let mut points: Vec<[f32; 2]> = points.as_chunks().0.to_vec();
            let mut tree = points.clone();
            k_d_tree(&mut points, 0, 0, &mut tree);
            s.input(HostBuffer::F32(tree.concat()));
            s.input(floats(2 * n, 0.0, 1.0, 2));
            s.output(I32, n, Check::Bits);
            s.int(NODES);
            s.each(n);
        },
    ),
    kernel(
        "longest_prefix",
        "trees",
        [5_000, 300_000, 4_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let (children, routes) = trie(20_000);
            s.input(HostBuffer::I32(children));
            s.input(HostBuffer::I32(routes));
            s.input(u32s(n, 2));
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "bloom_insert",
        "atomics",
        [10_000, 400_000, 6_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            distinct(s, n);
            s.output(U32, (bloom(n) + 1) / 32, Check::Bits);
            s.int(bloom(n));
            s.each(n);
        },
    ),
    kernel(
        "bloom_query",
        "gather",
        [10_000, 1_000_000, 10_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            distinct(s, n);
            // Two bits in five are set.
            let filter: Vec<u32> = words((bloom(n) + 1) / 16, 2).collect();
            let filter = filter.as_chunks().0.iter().map(|[a, b]| a & (b | b >> 7));
            s.input(HostBuffer::U32(filter.collect()));
            s.int(bloom(n));
            s.output(Element::U8, n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(528));
        },
    ),
    kernel(
        "hash_strings",
        "strings",
        [4_000, 200_000, 8_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let ends = ends(n, 3, 30);
            s.input(bytes(ends[n as usize - 1] as u32, 2));
            s.input(HostBuffer::I32([vec![0], ends].concat()));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "automaton_chunks",
        "strings",
        [500, 20_000, 1_500_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 64;
            let HostBuffer::U32(table) = below(64, 8, 2) else { return };
            s.input(bytes(LENGTH * n, 1));
            s.input(HostBuffer::U8(table.iter().map(|&state| state as u8).collect()));
            s.output(Element::U64, n, Check::Bits);
            s.int(LENGTH);
            s.each(n);
        },
    ),
    kernel(
        "align_pairs",
        "local memory",
        [300, 8_000, 200_000],
        &[[64, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(bytes(48 * n, 1));
            s.input(bytes(64 * n, 2));
            s.output(Element::I16, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "count_kmers",
        "atomics",
        [50_000, 2_000_000, 20_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(bytes(n, 1));
            s.output(U32, 1 << 16, Check::Bits);
            s.int(n);
            s.threads(n.div_ceil(16));
        },
    ),
    kernel(
        "window_matches",
        "strings",
        [20_000, 400_000, 4_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            // Few letters, so that there are matches.
            let letters = words(n, 1).map(|word| (word >> 30) as u8);
            s.input(HostBuffer::U8(letters.collect()));
            s.output(Element::U16, n, Check::Bits);
            s.int(n);
            s.threads(n);
            s.shared(s.block[0] + 96);
        },
    ),
    kernel(
        "expand_runs",
        "permutation",
        [2_000, 100_000, 1_500_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            let ends = ends(n, 1, 40);
            let length = ends[n as usize - 1] as u32;
            s.input(HostBuffer::I32(ends));
            s.input(bytes(n, 2));
            s.output(Element::U8, length, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "sort_in_warps",
        "sorting",
        [10_000, 800_000, 20_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let HostBuffer::U32(all) = u32s(2 * n, 1) else { return };
            let keys = all.as_chunks().0.iter().map(|&[a, b]| u64::from(a) << 32 | u64::from(b));
            s.changed(HostBuffer::U64(keys.collect()), Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "split_by_bit",
        "sorting",
        [10_000, 1_000_000, 24_000_000],
        &[[512, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U32, n, Check::Bits);
            s.int(7);
            s.each(n);
        },
    ),
    kernel(
        "splitter_buckets",
        "searches",
        [20_000, 1_000_000, 30_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            let HostBuffer::F32(mut splitters) = floats(255, 0.0, 1.0, 2) else { return };
            splitters.par_sort_unstable_by(f32::total_cmp);
            s.input(floats(n, 0.0, 1.0, 1));
            s.input(HostBuffer::F32(splitters));
            s.output(Element::U8, n, Check::Bits);
            s.output(I32, 256, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(528));
        },
    ),
    kernel(
        "link_cells",
        "atomics",
        [10_000, 500_000, 5_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let side = (f64::from(n) / 4.0).sqrt() as u32;
            let cells = (side * side) as usize;
            s.input(floats(2 * n, 0.0, 0.999_9, 1));
            s.scrambled(HostBuffer::I32(vec![-1; cells]));
            s.scratch(I32, n);
            s.int(side);
            s.each(n);
        },
    ),
];
