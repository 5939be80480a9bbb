//! Sparse matrices, graphs, tables, queues, strings and sorting.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::setup::{below, bytes, floats, fraction, ints, module, rows, u32s, words};
use super::{Check, Half, Kernel, Setup};

module!("irregular");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "csr_thread",
        class: "sparse product",
        half: Half::Fit,
        sizes: [1_000, 60_000, 600_000],
        blocks: &[[256, 1, 1], [64, 1, 1]],
        make: |s, n| {
            let entries = rows(s, n, 4, 25);
            s.input(floats(entries, -1.0, 1.0, 3));
            s.input(floats(n, -1.0, 1.0, 4));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "csr_warp",
        class: "sparse product",
        half: Half::Report,
        sizes: [500, 20_000, 150_000],
        blocks: &[[128, 1, 1], [256, 1, 1]],
        make: |s, n| {
            let entries = rows(s, n, 20, 90);
            s.input(floats(entries, -1.0, 1.0, 3));
            s.input(floats(n, -1.0, 1.0, 4));
            s.output(F32, n, Check::Bits);
            s.int(n);
            s.threads(32 * n);
        },
    },
    Kernel {
        name: "bfs_step",
        class: "graph",
        half: Half::Fit,
        sizes: [5_000, 300_000, 2_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            rows(s, n, 0, 17);
            // A third was reached before, a third is reached now, a third is not reached.
            let level = |word| [1, 2, -1][fraction(word, 3) as usize];
            s.changed(HostBuffer::I32(words(n, 5).map(level).collect()), Check::Bits);
            s.output(I32, 1, Check::Bits);
            s.int(2);
            s.each(n);
        },
    },
    Kernel {
        name: "pagerank_step",
        class: "graph",
        half: Half::Report,
        sizes: [4_000, 200_000, 1_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            rows(s, n, 1, 16);
            s.input(HostBuffer::I32(
                words(n, 5).map(|word| 1 + fraction(word, 15) as i32).collect(),
            ));
            s.input(floats(n, 0.0, 1.0, 6));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "components_step",
        class: "graph",
        half: Half::Fit,
        sizes: [8_000, 1_000_000, 6_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            let vertices = n / 2;
            s.input(below(2 * n, vertices, 1));
            let labels: Vec<i32> = (0..vertices as i32).collect();
            s.input(HostBuffer::I32(labels.clone()));
            s.changed(HostBuffer::I32(labels), Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "hash_insert",
        class: "hash table",
        half: Half::Fit,
        sizes: [4_000, 500_000, 4_000_000],
        blocks: &[[256, 1, 1], [64, 1, 1]],
        make: |s, n| {
            let slots = (2 * n).next_power_of_two();
            s.input(below(n, u32::MAX - 1, 1));
            s.changed(HostBuffer::U32(vec![u32::MAX; slots as usize]), Check::Sorted);
            s.output(U32, slots, Check::Sorted);
            s.int(n);
            s.int(slots);
            s.threads(n);
        },
    },
    Kernel {
        name: "hash_lookup",
        class: "hash table",
        half: Half::Report,
        sizes: [4_000, 500_000, 4_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            let slots = (2 * n).next_power_of_two();
            let mut table = vec![u32::MAX; slots as usize];
            // Every other key is there.
            for key in words(n, 1).step_by(2).collect::<Vec<_>>() {
                let mut slot = hash(key) & (slots - 1);
                while table[slot as usize] != u32::MAX && table[slot as usize] != key {
                    slot = (slot + 1) & (slots - 1);
                }
                table[slot as usize] = key;
            }
            s.input(u32s(n, 1));
            s.input(HostBuffer::U32(table));
            s.output(I32, n, Check::Bits);
            s.int(n);
            s.int(slots);
            s.threads(n);
        },
    },
    Kernel {
        name: "max_float_cas",
        class: "compare and swap",
        half: Half::Report,
        sizes: [10_000, 500_000, 4_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(n, 0.0, 1.0, 1));
            s.input(below(n, 1024, 2));
            s.output(F32, 1024, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "compact_atomic",
        class: "compaction",
        half: Half::Fit,
        sizes: [10_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            compact(s, n);
            s.threads(n);
        },
    },
    Kernel {
        name: "compact_ballot",
        class: "compaction",
        half: Half::Report,
        sizes: [10_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            compact(s, n);
            s.threads(n);
        },
    },
    Kernel {
        name: "count_matches",
        class: "uniform atomics",
        half: Half::Report,
        sizes: [20_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(ints(n, 1000, 1));
            s.output(I32, 1, Check::Bits);
            s.int(3);
            s.each(n);
        },
    },
    Kernel {
        name: "ticket_blocks",
        class: "tickets and locks",
        half: Half::Fit,
        sizes: [64, 4_000, 30_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(1024 * n, 0.0, 1.0, 1));
            s.output(F32, 1024 * n, Check::Bits);
            s.scratch(U32, 1);
            s.int(n);
            s.int(1024);
            s.blocks(264);
        },
    },
    Kernel {
        name: "locked_accounts",
        class: "tickets and locks",
        half: Half::Report,
        sizes: [50, 1_000, 8_000],
        blocks: &[[128, 1, 1]],
        make: |s, n| {
            s.input(ints(n * s.block[0], 100, 1));
            s.scratch(I32, 16);
            s.output(I32, 16, Check::Bits);
            s.int(16);
            s.blocks(n);
        },
    },
    Kernel {
        name: "scan_blocks",
        class: "block scan",
        half: Half::Report,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1], [1024, 1, 1]],
        make: |s, n| {
            s.input(ints(n, 100, 1));
            s.output(I32, n, Check::Bits);
            s.output(I32, n.div_ceil(s.block[0]), Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "scan_hillis_steele",
        class: "block scan",
        half: Half::Fit,
        sizes: [8_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(ints(n, 100, 1));
            s.output(I32, n, Check::Bits);
            s.each(n);
            s.shared(8 * s.block[0]);
        },
    },
    Kernel {
        name: "bitonic_block",
        class: "sorting in a block",
        half: Half::Fit,
        sizes: [1 << 13, 1 << 18, 1 << 21],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: sort_block,
    },
    Kernel {
        name: "rank_sort_block",
        class: "sorting in a block",
        half: Half::Report,
        sizes: [1 << 13, 1 << 17, 1 << 20],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: sort_block,
    },
    Kernel {
        name: "string_search",
        class: "strings",
        half: Half::Fit,
        sizes: [20_000, 2_000_000, 16_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            let letters = |count, stream| {
                HostBuffer::U8(
                    words(count, stream).map(|word| b"acgt"[word as usize >> 30]).collect(),
                )
            };
            s.input(letters(n, 1));
            s.input(letters(8, 2));
            s.output(I32, 1, Check::Bits);
            s.int(n);
            s.int(8);
            s.threads(n);
        },
    },
    Kernel {
        name: "edit_distance",
        class: "strings",
        half: Half::Report,
        sizes: [16, 400, 2_500],
        blocks: &[[64, 1, 1], [128, 1, 1]],
        make: |s, n| {
            let letters = n * s.block[0];
            s.input(HostBuffer::U8(words(letters, 1).map(|word| (word >> 30) as u8).collect()));
            s.input(HostBuffer::U8(words(letters, 2).map(|word| (word >> 30) as u8).collect()));
            s.output(I32, n, Check::Bits);
            s.blocks(n);
            s.shared(12 * (s.block[0] + 1));
        },
    },
    Kernel {
        name: "chase_shared",
        class: "dependent shared loop",
        half: Half::Fit,
        sizes: [1 << 12, 1 << 17, 1 << 20],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            // One cycle through all places: 5 k + 1 steps on.
            s.input(HostBuffer::U32((0..1024_u32).map(|i| (i * 5 + 1) % 1024).collect()));
            s.output(U32, n, Check::Bits);
            s.int(200);
            s.threads(n);
        },
    },
    Kernel {
        name: "walk_shared",
        class: "dependent shared loop",
        half: Half::Report,
        sizes: [1 << 12, 1 << 17, 1 << 20],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(2048, 0.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.int(8);
            s.int(100);
            s.threads(n);
        },
    },
    Kernel {
        name: "gather_bytes",
        class: "gather and scatter",
        half: Half::Fit,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(below(n, 4 * n, 1));
            s.input(bytes(4 * n, 2));
            s.output(Element::U8, n, Check::Bits);
            s.each(n);
        },
    },
];

/// Integers of which half are kept.
fn compact(s: &mut Setup, n: u32) {
    s.input(ints(n, 1000, 1));
    s.output(I32, n, Check::Sorted);
    s.output(I32, 1, Check::Bits);
    s.int(n);
}

/// Keys sorted within each block, which n divides into.
fn sort_block(s: &mut Setup, n: u32) {
    s.input(u32s(n, 1));
    s.output(U32, n, Check::Bits);
    s.threads(n);
    s.shared(4 * s.block[0]);
}

/// The hash of `irregular.cu`.
fn hash(key: u32) -> u32 {
    let key = (key ^ key >> 16).wrapping_mul(0x85eb_ca6b);
    let key = (key ^ key >> 13).wrapping_mul(0xc2b2_ae35);
    key ^ key >> 16
}
