//! Trades, quotes, balances, addresses, decimals, payments, tables of keys, options, bars and
//! hashes for proofs.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, floats, fraction, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_12/ledgers");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;
const U64: Element = Element::U64;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// A number of 63 bits from a word.
fn long(word: u32) -> u64 {
    u64::from(word) << 31 | u64::from(again(word) >> 1)
}

/// A packed decimal of 15 digits. One in 3 000 is wrong.
fn packed(word: u32) -> [u8; 8] {
    let mut last = word;
    let mut field = [0; 8];
    for pair in &mut field {
        last = again(last);
        *pair = (fraction(last, 10) << 4 | fraction(last.rotate_left(16), 10)) as u8;
    }
    field[7] = field[7] & 0xf0 | [12, 12, 13, 15][word as usize & 3];
    if word.is_multiple_of(3_000) {
        field[fraction(last, 8) as usize] = 0xbe;
    }
    field
}

/// Keys and values in a table where entries that are far from their place come first.
fn robin_hood(keys: &[u32], slots: u32) -> Vec<u32> {
    let home = |key: u32| fraction(key.wrapping_mul(0x9e37_79b1), slots);
    let mut table = vec![[0, 0]; slots as usize];
    for (value, &key) in keys.iter().enumerate() {
        let (mut entry, mut at, mut away) = ([key, value as u32], home(key), 0);
        loop {
            let other = &mut table[at as usize];
            if other[0] == 0 {
                *other = entry;
                break;
            }
            let far = (at + slots - home(other[0])) % slots;
            if far < away {
                std::mem::swap(other, &mut entry);
                away = far;
            }
            at = (at + 1) % slots;
            away += 1;
        }
    }
    table.concat()
}

/// An option: its strike, volatility, years and barrier, where the price is 1.
fn option(word: u32) -> [f32; 4] {
    let part = |shift: u32| (word >> shift & 255) as f32 / 256.0;
    [0.8 + 0.4 * part(0), 0.1 + 0.4 * part(8), 0.2 + 1.8 * part(16), 0.5 + 0.35 * part(24)]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "trade_values",
        "many pointers",
        [4_000, 300_000, 12_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let rate = |word: u32| 500_000 + u64::from(fraction(word, 1_400_000));
            s.input(below(n, 10_000_000, 1));
            s.input(ints(n, 100_000, 2));
            s.input(HostBuffer::U8(words(n, 3).map(|word| fraction(word, 30) as u8).collect()));
            s.input(HostBuffer::U16(words(n, 4).map(|word| fraction(word, 90) as u16).collect()));
            s.input(HostBuffer::U64(words(30, 5).map(rate).collect()));
            s.output(U64, n, Check::Bits);
            s.output(U64, n, Check::Bits);
            s.output(U64, n, Check::Bits);
            s.output(U8, n, Check::Bits);
            s.long(500_000_000_000);
            s.each(n);
        },
    ),
    kernel(
        "quote_midpoints",
        "strides",
        [3_000, 200_000, 9_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U32(words(12 * n, 1).map(|word| word >> 8).collect()));
            s.output(U32, n, Check::Bits);
            s.output(Element::U16, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "chained_balances",
        "scans",
        [2_000, 250_000, 10_000_000],
        &[[256, 1, 1], [416, 1, 1]],
        |s, n| {
            let tiles = n.div_ceil(s.block[0]);
            s.input(ints(4 * n, 1_000_000, 1));
            s.output(U64, 4 * n, Check::Bits);
            s.scratch(U64, tiles);
            s.scratch(U32, 1);
            s.each(n);
        },
    ),
    kernel(
        "base58_addresses",
        "strings",
        [1_500, 80_000, 2_500_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let alphabet = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
            s.input(u32s(7 * n, 1));
            s.input(HostBuffer::U8(alphabet.to_vec()));
            s.output(U8, 36 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "packed_decimals",
        "parsers",
        [5_000, 400_000, 20_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(packed).collect()));
            s.output(U64, n, Check::Bits);
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "net_positions",
        "global atomics",
        [4_000, 250_000, 6_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            let banks = n / 40;
            // Banks with a low number pay often.
            let bank = |word: u32| fraction(fraction(word, word), banks);
            let pair = |word: u32| [bank(word), bank(again(word))];
            s.input(HostBuffer::U32(words(n, 1).flat_map_iter(pair).collect()));
            s.input(below(n, 1_000_000, 2));
            s.output(U64, banks, Check::Bits);
            s.output(U32, banks, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "robin_hood_lookup",
        "hash tables",
        [4_000, 300_000, 8_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let (many, slots) = (n / 2, n / 9 * 5);
            let keys: Vec<u32> = words(many, 1).map(|word| word.max(1)).collect();
            let wanted = |word: u32| match word & 3 {
                0 => again(word) | 1,
                _ => keys[fraction(word, many) as usize],
            };
            s.input(HostBuffer::U32(robin_hood(&keys, slots)));
            s.input(HostBuffer::U32(words(n, 2).map(wanted).collect()));
            s.output(U32, n, Check::Bits);
            s.int(slots);
            s.each(n);
        },
    ),
    kernel("barrier_grid", "finance", [20, 1_000, 12_000], &[[160, 1, 1], [64, 1, 1]], |s, n| {
        s.input(HostBuffer::F32(words(n, 1).flat_map_iter(option).collect()));
        s.output(F32, 2 * n, Check::Sum);
        s.float(0.03);
        s.int(300);
        s.blocks(n);
    }),
    kernel(
        "ticks_to_bars",
        "reductions",
        [250, 10_000, 500_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            let mut starts = vec![0];
            for word in words(n, 1).collect::<Vec<_>>() {
                starts.push(starts.last().unwrap() + 20 + fraction(word, 161) as i32);
            }
            let ticks = *starts.last().unwrap() as u32;
            s.input(HostBuffer::I32(starts));
            s.input(floats(ticks, 90.0, 110.0, 2));
            s.input(HostBuffer::U32(words(ticks, 3).map(|word| 1 + fraction(word, 500)).collect()));
            s.output(F32, n, Check::Bits);
            s.output(F32, n, Check::Bits);
            s.output(F32, n, Check::Bits);
            s.output(F32, n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.output(F32, n, Check::Sum);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "goldilocks_hash",
        "integer products",
        [400, 15_000, 200_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U64(words(8 * n, 1).map(long).collect()));
            s.input(HostBuffer::U64(words(8 * 30, 2).map(long).collect()));
            s.output(U64, 4 * n, Check::Bits);
            s.each(n);
        },
    ),
];
