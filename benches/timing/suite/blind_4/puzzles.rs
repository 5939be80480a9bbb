//! Ciphers, primes, games, assignments, numbers as text, interpreters.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_4/puzzles");

const I32: Element = Element::I32;
const U32: Element = Element::U32;
const U64: Element = Element::U64;

/// The substitution of AES: inverses in its field of 256 elements, and a turn.
fn substitution() -> [u8; 256] {
    let (mut power, mut inverse, mut table) = (1_u8, 1_u8, [0x63; 256]);
    loop {
        power = power ^ power << 1 ^ if power >> 7 == 1 { 0x1b } else { 0 };
        for by in [1, 2, 4] {
            inverse ^= inverse << by;
        }
        inverse ^= if inverse >> 7 == 1 { 0x09 } else { 0 };
        let turned = (1..5).fold(inverse, |sum, by| sum ^ inverse.rotate_left(by));
        table[usize::from(power)] = turned ^ 0x63;
        if power == 1 {
            return table;
        }
    }
}

/// The table of a round of AES: the substitution times 2, 1, 1 and 3.
fn round_table() -> Vec<u32> {
    let entry = |byte: u8| {
        let twice = byte << 1 ^ if byte >> 7 == 1 { 0x1b } else { 0 };
        u32::from_le_bytes([twice, byte, byte, twice ^ byte])
    };
    substitution().into_iter().map(entry).collect()
}

/// Odd primes below `end`.
fn primes(end: i32) -> Vec<i32> {
    (3..end)
        .step_by(2)
        .filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0))
        .collect()
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "aes_tables",
        "ciphers",
        [5_000, 300_000, 1_500_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            s.input(u32s(4 * n, 1));
            s.input(u32s(44, 2));
            s.input(HostBuffer::U32(round_table()));
            s.input(HostBuffer::U8(substitution().to_vec()));
            s.output(U32, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("keccak", "hashes", [1_000, 25_000, 120_000], &[[128, 1, 1], [256, 1, 1]], |s, n| {
        let HostBuffer::U32(half) = u32s(16 * n, 1) else { return };
        let word = |word: u32| u64::from(word) << 32 | u64::from(word.rotate_left(7));
        s.input(HostBuffer::U64(half.into_iter().map(word).collect()));
        s.output(U64, 4 * n, Check::Bits);
        s.each(n);
    }),
    kernel("sieve_segments", "primes", [10, 120, 800], &[[256, 1, 1], [128, 1, 1]], |s, n| {
        let list = primes(5_200);
        let many = list.len() as u32;
        s.input(HostBuffer::I32(list));
        s.output(I32, 1, Check::Bits);
        s.int(many);
        s.blocks(n);
    }),
    kernel(
        "connect_four",
        "games",
        [4_000, 80_000, 500_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.output(U32, 3, Check::Bits);
            s.int(0x9e37_79b9);
            s.each(n);
        },
    ),
    kernel(
        "allocate_slots",
        "allocation",
        [50_000, 400_000, 4_000_000],
        &[[256, 1, 1], [128, 1, 1]],
        |s, n| {
            let sets = n / 20;
            s.scrambled(HostBuffer::U32(vec![0; sets as usize]));
            s.scratch(I32, n);
            s.int(0x0bad_5eed);
            s.int(sets);
            s.each(n);
        },
    ),
    kernel(
        "match_counters",
        "histogram",
        [400_000, 4_000_000, 60_000_000],
        &[[256, 1, 1], [512, 1, 1]],
        |s, n| {
            s.input(bytes(n, 1));
            s.output(U32, 256, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "assignments",
        "permutations",
        [10_080, 100_800, 907_200],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.input(below(100, 100, 1));
            s.changed(HostBuffer::U64(vec![u64::MAX]), Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "format_numbers",
        "text",
        [100_000, 3_500_000, 7_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            // As many digits as bits that are left: numbers of all lengths.
            let number = |word: u32| (word as i32) >> (word & 31);
            s.input(HostBuffer::I32(words(n, 1).map(number).collect()));
            s.output(Element::U8, 12 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("binary_product", "signs", [128, 512, 1_536], &[[16, 16, 1], [32, 32, 1]], |s, n| {
        const WORDS: u32 = 32;
        s.input(u32s(WORDS * n, 1));
        s.input(u32s(WORDS * n, 2));
        s.output(I32, n * n, Check::Bits);
        s.int(WORDS);
        s.int(n);
        s.plane(n, n);
        s.shared(8 * s.block[0] * s.block[0]);
    }),
    kernel(
        "interpreter",
        "interpreters",
        [1_000, 20_000, 120_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const LENGTH: u32 = 32;
            s.input(bytes(16 * LENGTH, 1));
            s.input(bytes(n, 2));
            s.input(ints(n, 1_000, 3));
            s.output(I32, n, Check::Bits);
            s.int(LENGTH);
            s.each(n);
        },
    ),
];
